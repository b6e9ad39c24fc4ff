// Package migration reads the part of a migration file that builds, in the
// formats of the tools that idemgen writes for. It imports the standard
// library only.
package migration

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// Read returns the SQL of a file that migrates up: the part under
// "-- +goose Up" or "-- migrate:up" (dbmate), the part above
// "---- create above / drop below ----" (tern), and the whole of a file that
// has no such mark (plain, golang-migrate, Atlas). Other marks of goose say how
// to run it, not what.
func Read(path string) (string, error) {
	if strings.HasSuffix(path, ".down.sql") {
		return "", fmt.Errorf("migration %s takes back; name its .up.sql", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("migration: %w; run idemgen generate, or mend the path", err)
	}
	return up(string(data)), nil
}

func up(text string) string {
	var b strings.Builder
	in := true
	for line := range strings.Lines(text) {
		switch mark(line) {
		case "up":
			b.Reset() // what stands above belongs to no part
			in = true
		case "down":
			in = false
		case "":
			if in {
				b.WriteString(line)
			}
		}
	}
	return b.String()
}

var (
	goose  = regexp.MustCompile(`^\s*--\s+\+goose\s+(\S+)`)
	dbmate = regexp.MustCompile(`^--\s*migrate:(up|down)(\s|$)`)
)

// mark returns what a tool's mark says, in lower case, and "" on any other
// line.
func mark(line string) string {
	if strings.Contains(line, "---- create above / drop below ----") {
		return "down"
	}
	for _, tool := range []*regexp.Regexp{goose, dbmate} {
		if m := tool.FindStringSubmatch(line); m != nil {
			return strings.ToLower(m[1])
		}
	}
	return ""
}
