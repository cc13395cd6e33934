package tidy

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

const maxLineLength = 160 // in characters; a tab is one

// longLineFolders are the folders below which lines are still longer.
var longLineFolders = []string{"predict"}

// TestLinesAreShort checks that no line of Go, in tests neither, is longer than maxLineLength. Tags of
// structs are exempt, because Go cannot break them. A row of the table of imports had 430 characters.
func TestLinesAreShort(t *testing.T) {
	for _, file := range goFilesAndTests(t, ".") {
		if belowAny(file, longLineFolders) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tagged := taggedLines(t, file, text)
		number := 0
		for line := range bytes.Lines(text) {
			number++
			length := utf8.RuneCount(bytes.TrimRight(line, "\n"))
			if length > maxLineLength && !tagged[number] {
				t.Errorf("%s:%d: %d characters, more than %d", file, number, length, maxLineLength)
			}
		}
	}
}

// belowAny tells whether a file is in one of the folders or below it.
func belowAny(file string, folders []string) bool {
	for _, folder := range folders {
		if strings.HasPrefix(file, folder+"/") {
			return true
		}
	}
	return false
}

// taggedLines returns the numbers of the lines with tags of structs.
func taggedLines(t *testing.T, file string, text []byte) map[int]bool {
	t.Helper()
	lines := map[int]bool{}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && field.Tag != nil {
			lines[set.Position(field.Tag.Pos()).Line] = true
		}
		return true
	})
	return lines
}
