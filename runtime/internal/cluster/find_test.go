package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	tests := []struct {
		name    string
		servers []string // directories with both programs, below the root
		half    []string // directories with initdb alone
		path    []string
		globs   []string
		want    string // empty: none
	}{
		{name: "nothing", globs: []string{"lib/*/bin"}},
		{name: "PATH first", servers: []string{"mine", "lib/17/bin"}, path: []string{"mine"}, globs: []string{"lib/*/bin"}, want: "mine"},
		{name: "PATH with clients only", half: []string{"mine"}, servers: []string{"lib/17/bin"}, path: []string{"mine"}, globs: []string{"lib/*/bin"}, want: "lib/17/bin"},
		{name: "newest, as numbers", servers: []string{"lib/9.6/bin", "lib/15/bin", "lib/9/bin"}, globs: []string{"lib/*/bin"}, want: "lib/15/bin"},
		{name: "newest that is whole", servers: []string{"lib/15/bin"}, half: []string{"lib/18/bin"}, globs: []string{"lib/*/bin"}, want: "lib/15/bin"},
		{name: "Homebrew", servers: []string{"opt/postgresql@9.6/bin", "opt/postgresql@16/bin", "opt/postgresql/bin"}, globs: []string{"opt/postgresql*/bin"}, want: "opt/postgresql@16/bin"},
		{name: "Fedora", servers: []string{"usr/pgsql-16/bin", "usr/pgsql-9.6/bin"}, globs: []string{"usr/pgsql-*/bin", "usr/bin"}, want: "usr/pgsql-16/bin"},
		{name: "Postgres.app", servers: []string{"Versions/latest/bin", "Versions/17/bin"}, globs: []string{"Versions/*/bin"}, want: "Versions/17/bin"},
		{name: "places in order", servers: []string{"b/1/bin", "a/0/bin"}, globs: []string{"a/*/bin", "b/*/bin"}, want: "a/0/bin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for _, dir := range tt.servers {
				program(t, filepath.Join(root, dir, "initdb"))
				program(t, filepath.Join(root, dir, "postgres"))
			}
			for _, dir := range tt.half {
				program(t, filepath.Join(root, dir, "initdb"))
			}
			got, err := find(below(root, tt.path), below(root, tt.globs))
			if tt.want == "" {
				if !errors.Is(err, ErrNoServer) {
					t.Fatalf("got %q, %v; want ErrNoServer", got, err)
				}
				return
			}
			if rel := strings.TrimPrefix(got, root+"/"); err != nil || rel != tt.want {
				t.Fatalf("got %q, %v; want %q", rel, err, tt.want)
			}
		})
	}
}

func below(root string, paths []string) []string {
	var joined []string
	for _, p := range paths {
		joined = append(joined, filepath.Join(root, p))
	}
	return joined
}

func program(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}
