package shop

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
)

// The import of a large file that dies twenty times, and begins from the start
// each time.
const (
	fileRows  = 100_000
	batchRows = 1_000
	deaths    = 20
)

func TestImportKilledTwentyTimes(t *testing.T) {
	rows := fileRows
	if testing.Short() {
		rows /= 10
	}
	each(t, recipientTable, "recipients", func(t *testing.T, db idemtest.DB) {
		file := make([]Recipient, rows)
		for n := range file {
			file[n] = Recipient{ListID: int64(n % 7), Phone: Phone(fmt.Sprintf("+49%09d", n*7919%10_000_019)), Name: fmt.Sprint("name ", n)}
		}
		random := rand.New(rand.NewPCG(1, 2))
		died := 0
		for death := range deaths {
			if err := runImport(db, file, random.IntN(rows/batchRows), killers[death%len(killers)]); err != nil {
				died++
			}
		}
		t.Logf("died %d times", died)
		if died < deaths/2 {
			t.Errorf("died only %d times", died)
		}
		if err := runImport(db, file, -1, nil); err != nil {
			t.Fatal(err)
		}
		wantFile(t, db, file)
	})
}

// killer ends an import during a batch, of which it is given the connection.
type killer func(db idemtest.DB, conn *pgx.Conn, cancel context.CancelFunc)

var killers = []killer{
	func(_ idemtest.DB, _ *pgx.Conn, cancel context.CancelFunc) { cancel() },
	func(db idemtest.DB, conn *pgx.Conn, cancel context.CancelFunc) {
		if conn == nil {
			cancel()
			return
		}
		_, _ = pgtest.Pool(db).Exec(context.Background(), "SELECT pg_terminate_backend($1)", conn.PgConn().PID())
	},
	nil, // a panic between two batches
}

var errPanic = errors.New("the program died")

// runImport imports a file in batches, and dies at one of them.
func runImport(db idemtest.DB, file []Recipient, fatal int, kill killer) (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	var conn *pgx.Conn
	write := func(rows []Recipient) error {
		_, err := UpsertRecipientsSQLite(ctx, db.SQL(), rows)
		return err
	}
	if postgres(db) {
		if conn, err = pgx.Connect(ctx, pgtest.URL(db)); err != nil {
			return err
		}
		defer func() { _ = conn.Close(context.Background()) }()
		write = func(rows []Recipient) error {
			_, err := UpsertRecipientsPostgres(ctx, conn, rows)
			return err
		}
	}
	batch := -1
	for rows := range slices.Chunk(file, batchRows) {
		batch++
		if batch == fatal && kill == nil {
			panic("between two batches")
		}
		done := make(chan error, 1)
		go func() { done <- write(rows) }()
		if batch == fatal {
			kill(db, conn, cancel)
		}
		if err := <-done; err != nil {
			return err
		}
	}
	return nil
}

// wantFile checks that the table holds the file, row by row.
func wantFile(t *testing.T, db idemtest.DB, file []Recipient) {
	t.Helper()
	rows, err := db.SQL().Query("SELECT list_id, phone, name FROM recipients")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	got := map[Recipient]int{}
	for rows.Next() {
		var row Recipient
		if err := rows.Scan(&row.ListID, &row.Phone, &row.Name); err != nil {
			t.Fatal(err)
		}
		got[row]++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, row := range file {
		if got[row] != 1 {
			t.Fatalf("%+v is there %d times", row, got[row])
		}
	}
	if len(got) != len(file) {
		t.Fatalf("%d rows; want %d", len(got), len(file))
	}
}
