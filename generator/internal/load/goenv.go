package load

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// goEnv returns a variable of the go command: from the environment, or from
// the file that go env -w writes.
func goEnv(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	file := os.Getenv("GOENV")
	if dir, err := os.UserConfigDir(); file == "" && err == nil {
		file = filepath.Join(dir, "go", "env")
	}
	data, err := os.ReadFile(file)
	if err != nil { // also where GOENV is off
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return strings.TrimRight(value, "\r\n")
		}
	}
	return ""
}

// flagText is a flag in GOFLAGS, which may be in quotes.
var flagText = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)

// goFlag returns the value that GOFLAGS gives a flag, or "". Of two the go
// command takes the last.
func goFlag(name string) (value string) {
	for _, text := range flagText.FindAllString(goEnv("GOFLAGS"), -1) {
		if c := text[0]; c == '\'' || c == '"' {
			text = strings.Trim(text, text[:1])
		}
		text = strings.TrimPrefix(strings.TrimPrefix(text, "-"), "-")
		if v, ok := strings.CutPrefix(text, name+"="); ok {
			value = v
		}
	}
	return value
}
