package load

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// modulePath is the module of the runtime.
const modulePath = "github.com/idemgen/idemgen"

// replaceLine is the line of go.mod that puts something in the module's place.
var replaceLine = regexp.MustCompile(`(?m)^[ \t]*(?:replace[ \t]+)?` + regexp.QuoteMeta(modulePath) + `(?:[ \t]+v\S+)?[ \t]+=>`)

// inGoMod is a place in the go.mod of a directory: where the module is replaced,
// or the beginning. The file is called as seen from the root.
func inGoMod(root, dir string) spec.Pos {
	name := filepath.Join(dir, moduleName)
	pos := top(filepath.ToSlash(relativeTo(root, name)))
	data, err := os.ReadFile(name)
	if at := replaceLine.FindIndex(data); err == nil && at != nil {
		pos.Line += strings.Count(string(data[:at[0]]), "\n")
	}
	return pos
}

// runtimeCure says how to have the runtime, by why the go command has not.
func runtimeCure(dir, reason string) string {
	switch {
	case strings.Contains(reason, "-mod=vendor"):
		return vendorCure(dir)
	case strings.Contains(reason, "replacement directory"), strings.Contains(reason, "(replaced by "):
		return "mend the line that replaces " + modulePath
	}
	return "run go get " + modulePath
}

// vendorCure says how the runtime comes into a vendor directory: go mod vendor
// takes what is imported, so that the output has to be there first.
func vendorCure(dir string) string {
	if inWorkspace(dir) {
		return "run go get " + modulePath + ", then idemgen generate with GOFLAGS=-mod=readonly, then go mod tidy and " + vendorCommand(dir)
	}
	return "run idemgen generate with GOFLAGS=-mod=mod, then go mod tidy and " + vendorCommand(dir)
}

// vendorCommand is the command that writes the vendor directory, of a module or
// of its workspace.
func vendorCommand(dir string) string {
	if inWorkspace(dir) {
		return "go work vendor"
	}
	return "go mod vendor"
}

// inWorkspace reports whether the go command takes a go.work for a directory.
func inWorkspace(dir string) bool {
	switch work := goEnv("GOWORK"); work {
	case "off":
		return false
	case "", "auto":
	default:
		return true
	}
	for !isFile(filepath.Join(dir, "go.work")) {
		if dir == filepath.Dir(dir) {
			return false
		}
		dir = filepath.Dir(dir)
	}
	return true
}

// untidy is how the go command says that it would have to write go.mod. In a
// workspace with a vendor directory it panics.
var untidy = regexp.MustCompile(`updates to go\.mod needed|panic: add is not empty`)

// modError reports what the go command says of go.mod as a whole, or nil.
func modError(dir, stderr string) *spec.Error {
	at := inGoMod(dir, ModuleDir(dir))
	vendored := strings.Contains(stderr, "-mod=vendor") || strings.Contains(stderr, "panic:")
	switch {
	case strings.Contains(stderr, "inconsistent vendoring"):
		msg, cures, _ := strings.Cut(stderr, "\tTo ignore the vendor directory")
		cure := "run go mod vendor"
		if strings.Contains(cures, "go work vendor") {
			cure = "run go work vendor"
		}
		return &spec.Error{Pos: top(at.File), Msg: strings.TrimPrefix(oneLine(msg), "go: "), Cure: cure}
	case !untidy.MatchString(stderr):
		return nil
	case vendored && strings.Contains(stderr, "go: found "+spec.RuntimePath):
		return &spec.Error{Pos: at, Msg: "generated code needs the runtime, which the vendor directory does not have", Cure: vendorCure(dir)}
	case vendored:
		return &spec.Error{Pos: top(at.File), Msg: "updates to go.mod needed, disabled by -mod=vendor", Cure: "run go mod tidy and " + vendorCommand(dir)}
	}
	// go mod tidy does not know yet what the output will import.
	return &spec.Error{Pos: top(at.File), Msg: "updates to go.mod needed", Cure: "run go mod tidy; or, where that changes nothing, go get " +
		spec.RuntimePath + "/idemtest/pgtest " + spec.RuntimePath + "/idemtest/sqlitetest"}
}

// noModules says that the go command is told to know of no modules, or nil.
func (l *loader) noModules() *spec.Error {
	if goEnv("GO111MODULE") != "off" {
		return nil
	}
	_, dir := l.module()
	return &spec.Error{Pos: top(l.files.relative(dir, moduleName)), Msg: "GO111MODULE is off, and so the go command takes no notice of this file",
		Cure: "unset GO111MODULE, also with go env -u GO111MODULE"}
}
