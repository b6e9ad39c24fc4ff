//go:build unix

package cluster

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Crash stops the server by pg_ctl stop -m immediate: it ends without a
// checkpoint, and recovers from its log when it is started again. What was
// committed is there then if the server was started with synchronous_commit=on.
func (c *Cluster) Crash() error {
	out, err := c.Command(filepath.Join(c.bin, "pg_ctl"), "stop", "-D", filepath.Join(c.Dir, "data"), "-m", "immediate").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// Resume starts the server again after Crash. It does not wait until the server
// takes connections.
func (c *Cluster) Resume() error {
	_, err := c.lifeline.WriteString("start\n")
	return err
}

// Command returns a command that runs as the user who runs the server.
func (c *Cluster) Command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = c.Dir
	cmd.Env = environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: c.owner}
	return cmd
}
