package generator

// benchText has a template for each file of a package.
const benchText = `
{{define "handlers"}}package {{.Package.Name}}

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/shop/money"
	"example.com/shop/order"
	idem "github.com/idemgen/idemgen/runtime"
)
{{range .Handlers}}
// {{.Name}}Event is what the broker delivers.
type {{.Name}}Event struct {
	ID      string
	Order   order.ID
	Channel string
	Part    int
	Amount  money.Amount
	At      time.Time
}

// {{.Name}}Receipt is what {{.Name}} did.
type {{.Name}}Receipt struct {
	Reference string
	Amount    money.Amount
	Done      time.Time
}

var err{{.Name}}Empty = errors.New("an event of {{.Key}} names no order")

func (e {{.Name}}Event) validate() error {
	if e.Order == "" {
		return err{{.Name}}Empty
	}
	if e.Amount.Cents < 0 {
		return fmt.Errorf("event %s of order %s: the amount %s is negative", e.ID, e.Order, e.Amount)
	}
	return nil
}

// {{.Name}} does what the event asks for: it reads the order, tells the
// provider, and records what came of it.
//{{if $.Package.Annotated}}
//idem:key {{.Key}}:{event.ID}:{event.Part}
//idem:lease 2m
//idem:audit deliveries by external_event_id{{end}}
func {{if .Method}}(s *Service) {{end}}{{.Name}}(ctx context.Context, {{if not .Method}}s *Service, {{end}}event {{.Name}}Event, key idem.Key) ({{.Name}}Receipt, error) {
	if err := event.validate(); err != nil {
		return {{.Name}}Receipt{}, idem.Permanent(err)
	}
	found, err := s.store.order(ctx, event.Order)
	if err != nil {
		return {{.Name}}Receipt{}, fmt.Errorf("order %s: %w", event.Order, err)
	}
	total, err := found.Total()
	if err != nil {
		return {{.Name}}Receipt{}, idem.Permanent(err)
	}
	receipt := {{.Name}}Receipt{Amount: total, Done: event.At}
	for attempt, line := range found.Lines {
		if line.Count == 0 {
			continue
		}
		reference, err := s.client.send(ctx, string(key), request{Article: line.Article, Amount: line.Price.String(), Number: attempt})
		if err != nil {
			return {{$.Package.Name}}{{.Name}}Failed(err)
		}
		receipt.Reference += reference
	}
	return receipt, s.store.record(ctx, event.Order, receipt.Reference)
}

func {{$.Package.Name}}{{.Name}}Failed(err error) ({{.Name}}Receipt, error) {
	if late, ok := errors.AsType[*lateError](err); ok {
		return {{.Name}}Receipt{}, fmt.Errorf("%s after %s: %w", time.Now(), late.after, err)
	}
	return {{.Name}}Receipt{}, err
}
{{end}}{{end}}

{{define "service.go"}}// Package {{.Name}} looks after the orders of a shop.
package {{.Name}}

import (
	"database/sql"
	"net/http"
	"time"
{{range .Imports}}
	"example.com/shop/{{.}}"{{end}}
)

// Service is what the handlers work with.
type Service struct {
	store  *store
	client *client
	began  time.Time
{{range .Imports}}
	{{.}} *{{.}}.Service{{end}}
}

// New returns a service over a database and the provider's address.
func New(db *sql.DB, base string) *Service {
	return &Service{
		store:  &store{db: db},
		client: &client{base: base, http: &http.Client{Timeout: 10 * time.Second}},
		began:  time.Now(),
{{range .Imports}}
		{{.}}: {{.}}.New(db, base),{{end}}
	}
}
{{range .Imports}}
// event{{.}} passes an event on.
func (s *Service) event{{.}}(id string) {{.}}.NotifyEvent {
	return {{.}}.NotifyEvent{ID: id, Channel: "{{.}}", At: s.began, Part: {{.}}.Revision}
}
{{end}}{{end}}

{{define "client.go"}}package {{.Name}}

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// client speaks with the provider.
type client struct {
	base string
	http *http.Client
}

type request struct {
	Article string
	Amount  string
	Number  int
}

type response struct {
	Reference string
	Warnings  []string
}

// lateError says when the provider wants to be asked again.
type lateError struct{ after time.Duration }

func (e *lateError) Error() string { return "the provider asks for patience: " + e.after.String() }

func (c *client) send(ctx context.Context, key string, r request) (string, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/send", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := c.http.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	return c.read(resp)
}

func (c *client) read(resp *http.Response) (string, error) {
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			seconds = 30
		}
		return "", &lateError{after: time.Duration(seconds) * time.Second}
	case resp.StatusCode >= http.StatusBadRequest:
		text, err := io.ReadAll(io.LimitReader(resp.Body, 1000))
		return "", fmt.Errorf("status %d: %q (%w)", resp.StatusCode, text, err)
	}
	var answer response
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return "", err
	}
	return answer.Reference, nil
}
{{end}}

{{define "store.go"}}package {{.Name}}

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"example.com/shop/order"
)

// store reads and writes the tables of the service.
type store struct{ db *sql.DB }

var errNoOrder = errors.New("no such order")

func (s *store) order(ctx context.Context, id order.ID) (order.Order, error) {
	found := order.Order{ID: id}
	row := s.db.QueryRowContext(ctx, "SELECT customer, created FROM orders WHERE id = $1", string(id))
	if err := row.Scan(&found.Customer, &found.Created); errors.Is(err, sql.ErrNoRows) {
		return found, errNoOrder
	} else if err != nil {
		return found, err
	}
	rows, err := s.db.QueryContext(ctx, "SELECT article, count, cents, currency FROM lines WHERE id = $1", string(id))
	if err != nil {
		return found, err
	}
	defer rows.Close()
	for rows.Next() {
		var line order.Line
		if err := rows.Scan(&line.Article, &line.Count, &line.Price.Cents, &line.Price.Currency); err != nil {
			return found, err
		}
		found.Lines = append(found.Lines, line)
	}
	return found, rows.Err()
}

func (s *store) record(ctx context.Context, id order.ID, reference string) error {
	result, err := s.db.ExecContext(ctx, "INSERT INTO deliveries (id, reference) VALUES ($1, $2)", string(id), reference)
	if err != nil {
		return fmt.Errorf("order %s: %w", id, err)
	}
	_, err = result.RowsAffected()
	return err
}
{{end}}

{{define "service_test.go"}}package {{.Name}}

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestSend(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("{}"))
	}))
	defer server.Close()
	s := New(nil, server.URL)
	if _, err := s.client.send(t.Context(), "key", request{}); err != nil {
		t.Error(err)
	}
}
{{end}}

{{define "revision.go"}}package {{.Name}}

// Revision counts the edits of the package.
const Revision = {{.Revision}}

// Edited is of a type that every edit makes anew.
func Edited(in [Revision]int) int { return len(in) }
{{end}}
`
