package load

import (
	"path/filepath"
	"testing"
)

// GOFLAGS comes from the environment, else from the file of go env -w; of two
// flags the last one counts, and each may be in quotes.
func TestGoFlag(t *testing.T) {
	file := filepath.Join(t.TempDir(), "env")
	writeFile(t, file, "GOOS=plan9\r\nGOFLAGS=-mod=mod\n")
	for _, test := range []struct{ flags, env, name, want string }{
		{"", file, "mod", "mod"},
		{"", "off", "mod", ""},
		{"", filepath.Join(t.TempDir(), "none"), "mod", ""},
		{"-race", file, "mod", ""},
		{"--mod=vendor -modfile=a.mod", file, "mod", "vendor"},
		{"-mod=vendor -mod=mod", "off", "mod", "mod"},
		{"'-modfile=a b.mod' \"-tags=a,b\"", "off", "modfile", "a b.mod"},
		{"'-modfile=a b.mod' \"-tags=a,b\"", "off", "tags", "a,b"},
	} {
		t.Setenv("GOFLAGS", test.flags)
		t.Setenv("GOENV", test.env)
		if got := goFlag(test.name); got != test.want {
			t.Errorf("GOFLAGS=%s GOENV=%s: -%s=%q, want %q", test.flags, test.env, test.name, got, test.want)
		}
	}
	t.Setenv("GOOS", "")
	t.Setenv("GOENV", file)
	if got := buildContext().GOOS; got != "plan9" {
		t.Errorf("GOOS=%s", got)
	}
}

func BenchmarkGoFlag(b *testing.B) {
	for b.Loop() {
		goFlag("mod")
	}
}
