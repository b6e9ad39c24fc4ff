//go:build unix && !aix && !solaris

package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/idemgen/idemgen/runtime/internal/poll"
)

// A second signal does not hurry the watchdog: the directory goes after the
// server, which may still write into it.
func TestTerminatedTwice(t *testing.T) {
	dir := sharedDir(t)
	bin, dying, last := filepath.Join(dir, "bin"), filepath.Join(dir, "dying"), filepath.Join(dir, "last")
	if err := syscall.Mkfifo(last, 0o666); err != nil {
		t.Fatal(err)
	}
	script(t, bin, "initdb", `mkdir "$2"`)
	script(t, bin, "postgres", `
		trap 'kill $!; echo $PPID >`+dying+`; read -r _ <`+last+`; mkdir -p "$2"; exit' TERM
		trap '' QUIT
		echo 'database system is ready to accept connections' >&2
		sleep 1000 & wait`)
	t.Setenv("TMPDIR", dir)
	c, err := Start(bin, 20)
	if err != nil {
		t.Fatal(err)
	}
	c.Stop()
	var watchdog int
	poll.Until(t, "the server on its way out", func() bool {
		text, _ := os.ReadFile(dying)
		_, err := fmt.Sscan(string(text), &watchdog)
		return err == nil
	})
	for range 100 {
		kill(t, watchdog, syscall.SIGTERM)
	}
	poll.Until(t, "the watchdog waiting", func() bool {
		state, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(watchdog)).Output()
		return err == nil && (state[0] == 'S' || state[0] == 'Z') // or it is gone, a zombie
	})
	if missing(c.Dir) {
		t.Error("the directory went before the server")
	}
	if err := os.WriteFile(last, []byte("write\n"), 0); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "directory removed", func() bool { return missing(c.Dir) })
}

func script(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	program(t, path)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}
