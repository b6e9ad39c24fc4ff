package generator

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"time"
)

// tempName returns a name for a new content beside its target. The go command
// and its tools ignore a name that begins with a dot.
func tempName(target string) string {
	return path.Join(path.Dir(target), ".idemgen-"+rand.Text()+".tmp")
}

var isTemp = regexp.MustCompile(`^\.idemgen-[A-Z2-7]{26}\.tmp$`)

// abandoned is the age of a temporary file that no run can still need.
const abandoned = time.Hour

// removeTemps removes the temporary files that runs left behind that were
// killed, from the directories of the files.
func removeTemps(dir *os.Root, files []File) (removed []string, err error) {
	places := map[string]bool{}
	for _, f := range files {
		places[f.Path] = true
	}
	var errs []error
	remove := func(name string, entry fs.DirEntry) error {
		if !isTemp.MatchString(entry.Name()) || !entry.Type().IsRegular() {
			return nil
		}
		info, err := entry.Info()
		if err != nil || time.Since(info.ModTime()) < abandoned {
			return nil // or it is gone: its run is at work
		}
		if err := dir.Remove(name); err != nil {
			errs = append(errs, err)
		} else {
			removed = append(removed, name)
		}
		return nil
	}
	for _, name := range directories(places) {
		errs = append(errs, readDir(dir.FS(), name, remove))
	}
	return removed, errors.Join(errs...)
}
