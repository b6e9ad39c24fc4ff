package sqlitestore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/sqlitestore"
)

// firsts are the calls of a store of which each can be its first.
func firsts(store *sqlitestore.Store) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"claim":    func(ctx context.Context) error { _, err := store.Claim(ctx, request("notify:1")); return err },
		"claim tx": func(ctx context.Context) error { return claimTx(ctx, store) },
		"lookup":   func(ctx context.Context) error { _, err := store.Lookup(ctx, "notify:1"); return err },
		"sweep":    func(ctx context.Context) error { _, err := store.Sweep(ctx, 9); return err },
		"purge":    func(ctx context.Context) error { _, err := store.Purge(ctx, "notify", lease, 9); return err },
		"begin":    func(ctx context.Context) error { _, err := store.BeginTask(ctx, idem.SweepTask, lease); return err },
		"health":   func(ctx context.Context) error { _, err := store.Health(ctx, nil); return err },
		"undelivered": func(ctx context.Context) error {
			_, err := store.Undelivered(ctx, "notify", idem.Undelivered{}, 9)
			return err
		},
	}
}

func claimTx(ctx context.Context, store *sqlitestore.Store) error {
	_, tx, err := store.ClaimTx(ctx, request("notify:tx"))
	if tx != nil {
		tx.Rollback(ctx)
	}
	return err
}

func TestSchemaOfAnotherVersion(t *testing.T) {
	db := open(t)
	comment := func(text string) {
		db.Exec(t, "DROP VIEW job_runs_text")
		db.Exec(t, "CREATE VIEW job_runs_text AS /* "+text+" */ SELECT * FROM job_runs")
	}
	for text, want := range map[string]string{
		"idemgen schema 0": "has schema no version, and this program is for version 1: apply the migrations",
		"":                 "has schema no version, and this program is for version 1: apply the migrations",
		"idemgen schema 7": "has schema version 7, and this program is for version 1: build the program with the idemgen that wrote the migrations: go get ",
	} {
		for name := range firsts(nil) {
			store := sqlitestore.New(db.SQL())
			comment(text)
			err := firsts(store)[name](t.Context())
			var schema *idem.SchemaError
			if !errors.Is(err, idem.ErrSchema) || !errors.As(err, &schema) || schema.Table != "job_runs" || !strings.Contains(err.Error(), want) {
				t.Errorf("%q, %s: %v", text, name, err)
			}
			comment("kept for us: idemgen schema 1") // the store is not to be made anew
			if err := firsts(store)[name](t.Context()); errors.Is(err, idem.ErrSchema) {
				t.Errorf("mended, %s: %v", name, err)
			}
			comment("idemgen schema 7") // and does not ask again
			if err := firsts(store)[name](t.Context()); errors.Is(err, idem.ErrSchema) {
				t.Errorf("known, %s: %v", name, err)
			}
		}
	}
	if n := db.Count(t, "SELECT count(*) FROM job_runs"); n != 1 {
		t.Errorf("%d runs", n)
	}
}

// A version that cannot be read now stops nobody, and is asked for again.
func TestSchemaThatCannotBeRead(t *testing.T) {
	asked := 0
	voiceless := wired{open(t).SQL(), func(ctx context.Context, query string, run func(context.Context) error) error {
		if strings.HasPrefix(query, "VALUES") {
			if asked++; asked < 3 {
				return errors.New("no answer")
			}
		}
		return run(ctx)
	}}
	store := sqlitestore.New(sql.OpenDB(voiceless))
	for n := range 5 {
		if _, err := store.Claim(t.Context(), request(idem.Key(fmt.Sprint("notify:", n)))); err != nil {
			t.Fatal(err)
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times, want 3", asked)
	}
}
