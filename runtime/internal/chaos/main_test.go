package chaos

import (
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(setupEnv); text != "" {
		fmt.Fprintln(os.Stderr, beWorker(text))
		os.Exit(1)
	}
	os.Exit(m.Run())
}
