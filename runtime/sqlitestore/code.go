package sqlitestore

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// SQLite's primary result codes, as far as the store acts upon them.
const (
	codeBusy      = 5
	codeLocked    = 6
	codeNoMem     = 7
	codeInterrupt = 9
	codeIOErr     = 10
	codeFull      = 13
	codeCantOpen  = 14
	codeProtocol  = 15
	codeSchema    = 17
)

var (
	// The commit may have been made before the error.
	openCodes = []int{codeNoMem, codeInterrupt, codeIOErr}
	// Nothing was done, and another time it may be.
	passingCodes = []int{codeFull, codeCantOpen, codeProtocol, codeSchema}
)

// Fate implements [protocol.Table]. The engine's error for a statement means
// that nothing was done, unless the statement was interrupted or its commit
// met the disk. Of what a driver says without a code, nothing is known.
func (r runs) Fate(err error) protocol.Fate {
	switch {
	case errors.Is(err, protocol.ErrClosed):
		return protocol.Refused
	case protocol.IsUnsent(err):
		return protocol.NotNow
	}
	code, ok := resultCode(err)
	switch {
	case !ok, slices.Contains(openCodes, code):
		return protocol.Unknown
	case slices.Contains(passingCodes, code):
		return protocol.NotNow
	}
	return protocol.Refused
}

// locked reports whether an error is SQLITE_BUSY or SQLITE_LOCKED, from
// whichever driver.
func locked(err error) bool {
	if err == nil {
		return false
	}
	if code, ok := resultCode(err); ok {
		return code == codeBusy || code == codeLocked
	}
	text := err.Error()
	return strings.Contains(text, "database is locked") || strings.Contains(text, "database table is locked") ||
		strings.Contains(text, "SQLITE_BUSY") || strings.Contains(text, "SQLITE_LOCKED")
}

// resultCode returns the primary result code of an error whose driver tells.
func resultCode(err error) (int, bool) {
	if err == nil {
		return 0, false
	}
	if code, ok := ownCode(err); ok {
		return code & 0xff, true
	}
	switch wrapping := err.(type) { //nolint:errorlint // it is the chain that is walked
	case interface{ Unwrap() error }:
		return resultCode(wrapping.Unwrap())
	case interface{ Unwrap() []error }:
		for _, err := range wrapping.Unwrap() {
			if code, ok := resultCode(err); ok {
				return code, true
			}
		}
	}
	return 0, false
}

// ownCode reads an integer that an error calls its Code, by a method or a
// field: every driver has a type of its own for it, and the store imports
// none of them. Zero is no error's code.
func ownCode(err error) (int, bool) {
	v := reflect.ValueOf(err)
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return 0, false
	}
	code := reflect.Value{}
	if method := v.MethodByName("Code"); method.IsValid() {
		if method.Type().NumIn() == 0 && method.Type().NumOut() == 1 {
			code = method.Call(nil)[0]
		}
	} else if v = reflect.Indirect(v); v.Kind() == reflect.Struct {
		if field, ok := v.Type().FieldByName("Code"); ok && len(field.Index) == 1 {
			code = v.FieldByIndex(field.Index)
		}
	}
	switch {
	case code.CanInt():
		return int(code.Int()), code.Int() != 0
	case code.CanUint():
		return int(code.Uint()), code.Uint() != 0
	}
	return 0, false
}
