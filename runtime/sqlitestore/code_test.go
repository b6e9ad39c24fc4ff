package sqlitestore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/sqlitestore"
)

// The errors of drivers, as each of them tells SQLite's result code.
type (
	methodError struct{ code int }   // modernc.org/sqlite
	ownType     uint8                // ...
	typedError  struct{ code uint8 } // github.com/ncruces/go-sqlite3
	errNo       int
	fieldError  struct { // github.com/mattn/go-sqlite3
		Code         errNo
		ExtendedCode int
	}
	silentError struct{}
	otherError  struct{ Code string }
)

func (e *methodError) Error() string { return "refused" }
func (e *methodError) Code() int     { return e.code }
func (e *typedError) Error() string  { return "refused" }
func (e *typedError) Code() ownType  { return ownType(e.code) }
func (e fieldError) Error() string   { return "refused" }
func (e silentError) Error() string  { return "refused" }
func (e otherError) Error() string   { return "refused" }

const (
	constraint    = 19
	readOnlyMoved = 8 | 4<<8
	busySnapshot  = 5 | 2<<8
)

// failing is a database of which every statement fails.
func failing(t *testing.T, asked *int, err error) *sqlitestore.Store {
	db := sql.OpenDB(wired{nil, func(context.Context, string, func(context.Context) error) error {
		*asked++
		return err
	}})
	t.Cleanup(func() { _ = db.Close() })
	return sqlitestore.New(db)
}

// What SQLite refuses is the caller's to know at once, whichever the driver.
// Where the code is not to be had, the claim asks again.
func TestCodesOfDrivers(t *testing.T) {
	cases := []struct {
		err  error
		told bool
	}{
		{&methodError{constraint}, true},
		{&methodError{readOnlyMoved}, true},
		{&typedError{constraint}, true},
		{fieldError{Code: constraint, ExtendedCode: 2067}, true},
		{&fieldError{Code: constraint}, true},
		{fmt.Errorf("traced: %w", fieldError{Code: constraint}), true},
		{errors.Join(silentError{}, fieldError{Code: constraint}), true},
		{silentError{}, false},
		{fieldError{}, false},
		{otherError{"19"}, false},
		{(*typedError)(nil), false},
	}
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d %T", i, c.err), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				_, err := failing(t, &asked, c.err).Claim(t.Context(), request("notify:1"))
				// Once for the table's version, and once for the claim.
				if err == nil || (asked == 2) != c.told {
					t.Errorf("asked %d times: %v", asked, err)
				}
			})
		})
	}
}

// patience is how long a call waits for a lock, if its caller sets no limit.
var patience = []struct {
	name     string
	from, to time.Duration
	call     func(context.Context, *sqlitestore.Store) error
}{
	{"claim", 30 * time.Second, 70 * time.Second, func(ctx context.Context, s *sqlitestore.Store) error {
		_, err := s.Claim(ctx, request("notify:1"))
		return err
	}},
	{"lookup", 30 * time.Second, 31 * time.Second, func(ctx context.Context, s *sqlitestore.Store) error {
		_, err := s.Lookup(ctx, "notify:1")
		return err
	}},
	{"sweep", 30 * time.Second, 31 * time.Second, func(ctx context.Context, s *sqlitestore.Store) error {
		_, err := s.Sweep(ctx, 9)
		return err
	}},
	{"purge", 30 * time.Second, 31 * time.Second, func(ctx context.Context, s *sqlitestore.Store) error {
		_, err := s.Purge(ctx, "notify", lease, 9)
		return err
	}},
}

// A lock that is never given up is told of in the end.
func TestLockedForEver(t *testing.T) {
	errs := []error{
		&methodError{busySnapshot}, &typedError{5}, fieldError{Code: 6}, errors.New("database is locked"),
	}
	for _, c := range patience {
		for i, locked := range errs {
			t.Run(fmt.Sprintf("%s %d", c.name, i), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					// So that the test ends where the call would not.
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					asked := 0
					start := time.Now()
					err := c.call(ctx, failing(t, &asked, locked))
					if took := time.Since(start); !errors.Is(err, locked) || took < c.from || took > c.to {
						t.Errorf("%v after %v, want %v after %v to %v", err, took, locked, c.from, c.to)
					}
				})
			})
		}
	}
}

// A finished result is stored when there is room for it again.
func TestFullDisk(t *testing.T) {
	db := openFile(t, newFile(t, ""), "")
	db.SetMaxOpenConns(1) // the setting is the connection's
	_, err := db.Exec("PRAGMA max_page_count = 1")
	must(t, err)
	full := 0
	store := sqlitestore.New(sql.OpenDB(wired{db, func(ctx context.Context, _ string, run func(context.Context) error) error {
		err := run(ctx)
		if err != nil && strings.Contains(err.Error(), "full") {
			full++
			_, err := db.Exec("PRAGMA max_page_count = 1000000")
			must(t, err)
		}
		return err
	}}))
	req := request("notify:1")
	held, err := store.Claim(t.Context(), req)
	must(t, err)
	must(t, store.Complete(t.Context(), held.Token(), idem.Outcome{Status: idem.StatusDone, Result: make([]byte, 1<<19)}))
	if full != 1 {
		t.Errorf("the disk was full %d times", full)
	}
}

// Of these codes nothing was done, or nothing is known: ask again.
func TestCodesThatPass(t *testing.T) {
	for _, code := range []int{7, 9, 10, 10 | 6<<8, 13, 14, 15, 17} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				start := time.Now()
				err := failing(t, &asked, &methodError{code}).Complete(ctx, idem.Token{}, idem.Outcome{Status: idem.StatusDone})
				if err == nil || asked < 20 || time.Since(start) < 20*time.Second {
					t.Errorf("asked %d times in %v: %v", asked, time.Since(start), err)
				}
			})
		})
	}
}
