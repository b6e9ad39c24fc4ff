// Package migration reads the part of a migration file that builds, in the
// formats of the tools that idemgen writes for. It imports the standard
// library only.
package migration

import (
	"fmt"
	"os"
	"strings"
)

// Read returns the SQL of a file that migrates up: the whole of a plain file
// or one of golang-migrate, and the part under "-- +goose Up" of one that has
// that mark. Other marks of goose say how to run it, not what.
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
	goose, in := false, false
	for line := range strings.Lines(text) {
		switch mark(line) {
		case "Up":
			goose, in = true, true
		case "Down":
			in = false
		case "":
			if in {
				b.WriteString(line)
			}
		}
	}
	if !goose {
		return text
	}
	return b.String()
}

// mark returns what stands after "-- +goose", and "" on any other line.
func mark(line string) string {
	words := strings.Fields(line)
	if len(words) < 3 || words[0] != "--" || words[1] != "+goose" {
		return ""
	}
	return words[2]
}
