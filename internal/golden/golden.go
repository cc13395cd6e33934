// Package golden compares the results of tests with files in testdata. It alone declares the flag
// -update, which writes the files instead, so that every test can import the helpers of another
// package.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Updating reports whether golden files are written instead of compared: go test -update.
func Updating() bool { return *update }

// Compare compares text with a file in testdata, line by line, or writes it there with -update.
func Compare(t testing.TB, name, text string) {
	t.Helper()
	if Updating() {
		Write(t, name, text)
	}
	got, want := strings.Split(text, "\n"), strings.Split(Read(t, name), "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%s, line %d:\ngot  %q\nwant %q", name, i+1, got[min(i, len(got)-1)], want[min(i, len(want)-1)])
		}
	}
}

// Read returns a file in testdata.
func Read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Write writes a file in testdata.
func Write(t testing.TB, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
