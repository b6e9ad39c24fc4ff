package spec

import (
	"bytes"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// toolName says how near a word is to the tool's name.
type toolName int

const (
	noTool   toolName = iota
	nearTool          // a letter is wrong, or it is a longer form of the word
	theTool           // idem, or the command's name, in letters of any case
)

const (
	toolWord    = "idem"
	commandWord = "idemgen"
	// maxTool is the length of the longest word that is looked at: others are
	// no slips of the pen.
	maxTool = 20
)

func toolOf(word string) toolName {
	switch {
	case strings.EqualFold(word, toolWord) || strings.EqualFold(word, commandWord):
		return theTool
	case len(word) < len(toolWord)-1 || len(word) > maxTool:
		return noTool
	case strings.EqualFold(word[:min(len(word), len(toolWord))], toolWord), oneOff(word, toolWord), oneOff(word, commandWord):
		return nearTool
	}
	return noTool
}

// oneOff reports whether one letter of a word is wrong, missing or too many,
// or changed places with the next. It is [distance] for every comment of a
// project.
func oneOff(word, want string) bool {
	if len(word) > len(want)+utf8.UTFMax {
		return false
	}
	a, b := []rune(strings.ToLower(word)), []rune(want)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// Mentions reports whether there may be a directive or a near miss in a text.
// It lets pass what [NearMisses] knows, and nearly nothing else.
func Mentions(text []byte) bool {
	return beforeColon(text) || inLine(text) || inBlock(text)
}

// beforeColon looks for the tool before each colon, where most directives
// have it.
func beforeColon(text []byte) bool {
	for {
		at := bytes.IndexByte(text, ':')
		if at < 0 {
			return false
		}
		before := bytes.TrimRight(text[:at], " \t\r\n\f\v")
		word := lastWord(before)
		if tool := toolOf(string(word)); tool == theTool || tool == nearTool && len(before) == at {
			return true
		}
		text = text[at+1:]
	}
}

// lastWord is the word at the end of a text.
func lastWord(text []byte) []byte {
	start := len(text)
	for start > 0 && len(text)-start <= maxTool {
		r, size := utf8.DecodeLastRune(text[:start])
		if !ofWord(r) {
			break
		}
		start -= size
	}
	return text[start:]
}

func ofWord(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

// inLine looks for the tool behind each beginning of a comment to the end of
// the line.
func inLine(text []byte) bool {
	for after := range behindEach("//", text) {
		if begins(after) {
			return true
		}
	}
	return false
}

// inBlock looks for the tool in each line of what may be a comment of several.
func inBlock(text []byte) bool {
	for after := range behindEach("/*", text) {
		block, _, _ := bytes.Cut(after, []byte("/*")) // whose turn is next
		block, _, _ = bytes.Cut(block, []byte("*/"))
		for line := range bytes.Lines(block) {
			if begins(line) {
				return true
			}
		}
	}
	return false
}

// behindEach yields what stands behind each beginning of a comment.
func behindEach(begin string, text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			_, after, ok := bytes.Cut(text, []byte(begin))
			if !ok || !yield(after) {
				return
			}
			text = after
		}
	}
}

// begins reports whether a comment's text begins with the tool, or with a
// word and a colon before it.
func begins(text []byte) bool {
	start := bytes.IndexFunc(text, func(r rune) bool { return r == '\n' || ofWord(r) })
	if start < 0 {
		return false
	}
	text = text[start:]
	end := bytes.IndexFunc(text, func(r rune) bool { return !ofWord(r) })
	if end < 0 {
		end = len(text)
	}
	word, rest := string(text[:end]), text[end:]
	next, size := utf8.DecodeRune(rest)
	switch tool := toolOf(word); {
	case tool == theTool, joinedWord(word) != "":
		return true
	case tool == nearTool && isColon(next):
		return true
	}
	after, _ := utf8.DecodeRune(rest[size:])
	return next == ':' && unicode.IsLetter(after) && begins(rest[size:])
}
