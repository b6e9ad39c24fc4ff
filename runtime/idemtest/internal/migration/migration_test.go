package migration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"plain", "0001_runs.up.sql", "CREATE TABLE a (x int);\n", "CREATE TABLE a (x int);\n"},
		{"plain that speaks of goose", "1.sql", "-- see +goose Up\nSELECT 1;\n", "-- see +goose Up\nSELECT 1;\n"},
		{"goose", "00001_runs.sql", "-- +goose Up\nCREATE TABLE a (x int);\n\n-- +goose Down\nDROP TABLE a;\n", "CREATE TABLE a (x int);\n\n"},
		{"goose, down first", "1.sql", "-- +goose Down\nDROP TABLE a;\n-- +goose Up\nCREATE TABLE a (x int);\n", "CREATE TABLE a (x int);\n"},
		{"goose, CRLF", "1.sql", "-- +goose Up\r\nSELECT 1;\r\n-- +goose Down\r\nSELECT 2;\r\n", "SELECT 1;\r\n"},
		{"goose, no newline at the end", "1.sql", "-- +goose Up\nSELECT 1;\n-- +goose Down", "SELECT 1;\n"},
		{"dbmate", "1.sql", "-- migrate:up\nCREATE TABLE a (x int);\n\n-- migrate:down\nDROP TABLE a;\n", "CREATE TABLE a (x int);\n\n"},
		{"dbmate, with an option", "1.sql", "-- a note\n-- migrate:up transaction:false\r\nSELECT 1;\r\n-- migrate:down\r\nSELECT 2;\r\n", "SELECT 1;\r\n"},
		{"tern", "001_runs.sql", "CREATE TABLE a (x int);\n\n---- create above / drop below ----\nDROP TABLE a;\n", "CREATE TABLE a (x int);\n\n"},
		{"atlas", "0001_runs.sql", "-- For Atlas: run atlas migrate hash\n--\nSELECT 1;\n", "-- For Atlas: run atlas migrate hash\n--\nSELECT 1;\n"},
		{
			"goose marks", "1.sql",
			"-- +goose NO TRANSACTION\n-- +goose Up\n-- +goose StatementBegin\nSELECT 1;\n-- +goose StatementEnd\n-- +goose Down\nSELECT 2;\n",
			"SELECT 1;\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.file)
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := Read(path)
			if err != nil || got != tt.want {
				t.Fatalf("got %q, %v\nwant %q", got, err, tt.want)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for path, want := range map[string]string{
		"0001_runs.down.sql":      "name its .up.sql",
		"does/not/exist/0001.sql": "run idemgen generate",
	} {
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want %q", path, err, want)
		}
	}
}
