//go:build unix

package chaos

import (
	"os"
	"os/exec"
	"syscall"
)

// pause has a process stand still, and resume go on.
func pause(p *os.Process) error  { return p.Signal(syscall.SIGSTOP) }
func resume(p *os.Process) error { return p.Signal(syscall.SIGCONT) }

// apart puts a process into a group of its own: if it stands still when the test
// is killed, the system wakes it then, and it ends.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
