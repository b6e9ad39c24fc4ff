//go:build aix || solaris

package cluster

import (
	"errors"
	"os"
)

// lockDir fails: the locks of these systems do not pass to a child.
func lockDir(string) (*os.File, error) { return nil, errors.ErrUnsupported }
