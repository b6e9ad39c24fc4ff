//go:build !unix

package chaos

import (
	"errors"
	"os"
	"os/exec"
)

func pause(*os.Process) error { return errors.ErrUnsupported }

func resume(*os.Process) error { return errors.ErrUnsupported }

func apart(*exec.Cmd) {}
