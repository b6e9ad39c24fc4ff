package cluster

import (
	"fmt"
	"os"
	"regexp"
	"syscall"
	"testing"
)

// The server may open more files than a shell lets it; Linux can tell.
func TestOpenFiles(t *testing.T) {
	bin, err := Find()
	if err != nil {
		t.Skip(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	if was.Max < 10240 {
		t.Skipf("nobody may open more than %d files", was.Max)
	}
	low := was
	low.Cur = 256
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was) })
	c, err := Start(bin, 20)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", serverPID(t, c.Dir)))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`Max open files +10240 `).Match(limits) {
		t.Errorf("the server's limits:\n%s", limits)
	}
}
