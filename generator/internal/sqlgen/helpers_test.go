package sqlgen

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// project is a spec with the usual configuration, and handlers in one file.
func project(dialect spec.Dialect, handlers ...*spec.Handler) *spec.Spec {
	f := &spec.File{Path: "jobs/notify.go", Handlers: handlers}
	for _, h := range handlers {
		h.File = f
	}
	return &spec.Spec{
		Config: spec.Config{
			Dialects:   []spec.Dialect{dialect},
			Table:      "job_runs",
			Migrations: spec.Migrations{Dir: "migrations", Tool: "plain"},
			AuditDir:   "audit",
		},
		Files: []*spec.File{f},
	}
}

// handler is one whose key begins with its namespace.
func handler(namespace string, audit *spec.Audit, parts ...spec.KeyPart) *spec.Handler {
	key := spec.KeyTemplate{Text: namespace}
	for _, p := range parts {
		key.Parts = append(key.Parts, spec.KeyPart{Literal: ":"}, p)
	}
	key.Parts = slices.Concat([]spec.KeyPart{{Literal: namespace}}, key.Parts)
	return &spec.Handler{
		Func:      strings.ToUpper(namespace[:1]) + namespace[1:],
		Namespace: namespace,
		Key:       key,
		Retain:    30 * 24 * time.Hour,
		Audit:     audit,
	}
}

func placeholder(text string, e spec.Encoder) spec.KeyPart {
	return spec.KeyPart{Text: text, Encoder: e}
}

func optional(text string, e spec.Encoder) spec.KeyPart {
	return spec.KeyPart{Text: text, Encoder: e, Optional: true}
}

func verbs(p spec.KeyPart, verbs ...spec.Verb) spec.KeyPart {
	p.Verbs = verbs
	return p
}

// notify is the handler of the design.
func notify() *spec.Handler {
	return handler("notify", &spec.Audit{Table: "notifications", Columns: []string{"external_event_id"}},
		placeholder("event.ID", spec.EncodeString))
}

// mustEmit emits into a project whose files are given.
func mustEmit(t *testing.T, s *spec.Spec, root fstest.MapFS) Output {
	t.Helper()
	out, err := emit(s, root)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// write does what the one writer of the generator does.
func write(root fstest.MapFS, out Output) fstest.MapFS {
	root = maps.Clone(root)
	if root == nil {
		root = fstest.MapFS{}
	}
	for _, f := range out.Files {
		if _, there := root[f.Path]; there && f.Frozen {
			continue
		}
		root[f.Path] = &fstest.MapFile{Data: f.Data}
	}
	if out.Lock != nil {
		root[LockName] = &fstest.MapFile{Data: out.Lock}
	}
	return root
}

// changed lists what a second emission would change.
func changed(root fstest.MapFS, out Output) []string {
	after := write(root, out)
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if old, ok := root[path]; !ok || string(old.Data) != string(after[path].Data) {
			paths = append(paths, path)
		}
	}
	return paths
}

func frozenPaths(out Output) []string {
	var paths []string
	for _, f := range out.Files {
		if f.Frozen {
			paths = append(paths, f.Path)
		}
	}
	return paths
}
