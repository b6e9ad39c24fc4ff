package pgtest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idemtest/internal/migration"
)

// The clock stands on a day that is not today, so that a statement which
// reads another clock is seen.
const createClock = `
CREATE TABLE idem_clock (at timestamptz NOT NULL);
INSERT INTO idem_clock VALUES ('2001-02-03 04:05:06+00');`

// template returns the database from which the ones of a Config are cloned,
// and makes it if this is the first.
func (s *server) template(ctx context.Context, c Config) (string, error) {
	steps, err := setup(c)
	if err != nil {
		return "", err
	}
	contents := strings.Join(steps, "\x00")
	s.mu.Lock()
	defer s.mu.Unlock()
	if name, ok := s.templates[contents]; ok {
		return name, nil
	}
	name := s.newName()
	if err := s.create(ctx, name, "template0"); err != nil {
		return "", err
	}
	if err := s.apply(ctx, name, c, steps); err != nil {
		return "", errors.Join(err, s.drop(ctx, name))
	}
	s.templates[contents] = name
	return name, nil
}

// setup returns the SQL that fills the database of a Config: one step before
// the migrations, and one each.
func setup(c Config) ([]string, error) {
	steps := []string{createClock}
	createsSchema := false
	for _, path := range c.Migrations {
		text, err := migration.Read(path)
		if err != nil {
			return nil, err
		}
		createsSchema = createsSchema || schemaPattern.MatchString(text)
		steps = append(steps, text)
	}
	if schema, _, qualified := strings.Cut(c.Table, "."); qualified && !createsSchema {
		steps[0] += "\nCREATE SCHEMA IF NOT EXISTS " + schema + ";"
	}
	return steps, nil
}

var schemaPattern = regexp.MustCompile(`(?i)\bCREATE\s+SCHEMA\b`)

func (s *server) apply(ctx context.Context, name string, c Config, steps []string) error {
	conn, err := pgx.Connect(ctx, withDatabase(s.url, name))
	if err != nil {
		return err
	}
	defer conn.Close(ctx) // a template with sessions cannot be cloned
	for i, step := range steps {
		if _, err := conn.Exec(ctx, step); err != nil {
			if i > 0 {
				return fmt.Errorf("migration %s: %w", c.Migrations[i-1], err)
			}
			return err
		}
	}
	return nil
}
