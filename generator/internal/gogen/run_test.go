package gogen

import (
	"errors"
	"fmt"
	"testing"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// TestRunKeepsOrder checks that the files come in the order of the tasks, and
// of errors the first in it, whoever is done first.
func TestRunKeepsOrder(t *testing.T) {
	const all = 200
	emit := func(i int, err error) task {
		return task{emit: func(*spec.File, *declarations) (File, error) { return File{Path: fmt.Sprint(i)}, err }}
	}
	tasks := make([]task, all)
	for i := range tasks {
		tasks[i] = emit(i, nil)
	}
	files, err := run(tasks, nil)
	if err != nil || len(files) != all {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	for i, f := range files {
		if f.Path != fmt.Sprint(i) {
			t.Errorf("file %d is %s", i, f.Path)
		}
	}
	first := errors.New("first")
	tasks[7], tasks[150] = emit(7, first), emit(150, errors.New("second"))
	if files, err := run(tasks, nil); files != nil || !errors.Is(err, first) {
		t.Errorf("got %d files, %v", len(files), err)
	}
}
