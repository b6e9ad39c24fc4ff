package templates_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/templates"
)

// The text of a key part is the same whatever the encoding of the database is.
func TestEncodings(t *testing.T) {
	inputs := map[string][]string{
		"LATIN1":    {"", " ", "a", " a b\t", "\u00a0é: \u0085", "Ã\u00a0", "à"},
		"WIN1252":   {"…a…", "\u00a0é\u00a0", "à"},
		"SQL_ASCII": {"", " ", "a", " a b\t", "\u00a0é: \u0085", "à", "Å", "\u3000a\u1680 b\u2003", "\u2028", "\u200bx\u200b"},
	}
	for encoding, texts := range inputs {
		t.Run(encoding, func(t *testing.T) {
			conn := encoded(t, encoding)
			for _, text := range texts {
				if got, want := evaluate(t, conn, "Trim", text), strings.TrimSpace(text); got != want {
					t.Errorf("Trim of %q: %q; want %q", text, got, want)
				}
				for _, definition := range []string{"Date", "Hour", "Unix"} {
					if got := evaluate(t, conn, definition, text); got != text {
						t.Errorf("%s of %q: %q", definition, text, got)
					}
				}
				if got, want := evaluate(t, conn, "Escape", text), strings.NewReplacer(":", "%3A", "\t", "%09").Replace(text); got != want {
					t.Errorf("Escape of %q: %q; want %q", text, got, want)
				}
			}
		})
	}
}

// encoded makes a database of an encoding, and connects to it.
func encoded(t *testing.T, encoding string) *pgx.Conn {
	t.Helper()
	ctx := context.Background()
	db := open(t, "postgres", "job_runs")
	config := pgtest.Pool(db).Config().ConnConfig.Copy()
	config.Database += "_encoded"
	config.RuntimeParams["client_encoding"] = "UTF8" // what Go has, whatever the server makes of it
	db.Exec(t, "CREATE DATABASE "+config.Database+" ENCODING '"+encoding+"' LOCALE 'C' TEMPLATE template0")
	t.Cleanup(func() { db.Exec(t, "DROP DATABASE "+config.Database) })
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(ctx) })
	if _, err := conn.Exec(ctx, "CREATE TABLE effects (value text)"); err != nil {
		t.Fatal(err)
	}
	return conn
}

// evaluate returns what an expression makes of a column with a text.
func evaluate(t *testing.T, conn *pgx.Conn, definition, text string) (got string) {
	t.Helper()
	expr, err := templates.Render("postgres", definition, `value`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(context.Background(), "DELETE FROM effects"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(context.Background(), "INSERT INTO effects VALUES ($1)", text); err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(context.Background(), "SELECT "+expr+" FROM effects").Scan(&got); err != nil {
		t.Errorf("%s of %q: %v", definition, text, err)
	}
	return got
}
