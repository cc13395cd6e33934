package tidy

import (
	"bytes"
	"os"
	"regexp"
	"testing"
	"unicode/utf8"
)

const maxLineLength = 160 // in characters; a tab is one

// structTag matches a line that ends with the tag of a field, which Go cannot break.
var structTag = regexp.MustCompile("`[a-z]+:\".*\"`")

// TestLinesAreShort checks that no line of Go, in tests neither, is longer than maxLineLength. A row of the table of
// imports had 430 characters.
func TestLinesAreShort(t *testing.T) {
	for _, file := range goFilesAndTests(t, ".") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		number := 0
		for line := range bytes.Lines(text) {
			number++
			if n := utf8.RuneCount(bytes.TrimRight(line, "\n")); n > maxLineLength && !structTag.Match(line) {
				t.Errorf("%s:%d: %d characters, more than %d", file, number, n, maxLineLength)
			}
		}
	}
}
