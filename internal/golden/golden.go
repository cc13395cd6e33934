// Package golden compares the results of tests with files in testdata, and generated pages with those in docs. It alone
// declares the flags -update, which writes the files instead, and -add, so that every test can import the helpers of another package.
package golden

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	update = flag.Bool("update", false, "write the golden files instead of comparing with them")
	add    = flag.Bool("add", false, "add what is new to the golden tables, and compare the rest")
)

// Updating reports whether golden files are written instead of compared: go test -update.
func Updating() bool { return *update }

// Adding reports whether golden tables get lines for new scenes and comparisons: go test -add, which go generate runs. No
// line that a table has is changed.
func Adding() bool { return *add }

// Table compares lines with those of a golden table, in which every line begins with a key of its own. Lines may be left
// out unless whole. With -add new lines are added.
func Table(t testing.TB, name string, lines []string, whole bool, key func(line string) string) {
	t.Helper()
	if Updating() {
		Write(t, name, strings.Join(lines, "\n")+"\n")
	}
	table, missing := strings.Split(strings.TrimSuffix(Read(t, name), "\n"), "\n"), 0
	have, got := map[string]string{}, map[string]bool{}
	for _, l := range table {
		have[key(l)] = l
	}
	for _, l := range lines {
		k := key(l)
		got[k] = true
		switch line, ok := have[k]; {
		case ok && line != l:
			t.Errorf("%s has\n%s\nwant\n%s", name, line, l)
		case !ok && Adding():
			table, missing = append(table, l), missing+1
		case !ok:
			t.Errorf("%s lacks a line of something new, which %s adds:\n%s", name, command, l)
		}
	}
	if missing > 0 {
		Write(t, name, strings.Join(table, "\n")+"\n")
	}
	for _, l := range table {
		if whole && !got[key(l)] {
			t.Errorf("%s has a line of nothing:\n%s", name, l)
		}
	}
}

// Compare compares text with a file in testdata, line by line, or writes it there with -update.
func Compare(t testing.TB, name, text string) {
	t.Helper()
	if Updating() {
		Write(t, name, text)
	}
	compareLines(t, name, strings.Split(text, "\n"), strings.Split(Read(t, name), "\n"))
}

// CompareStart compares text, of whole lines, with the beginning of a file in testdata. With -update it fails: Compare writes.
func CompareStart(t testing.TB, name, text string) {
	t.Helper()
	if Updating() {
		t.Fatal("-update with -short would write a part of the file")
	}
	got, want := strings.Split(strings.TrimSuffix(text, "\n"), "\n"), strings.Split(Read(t, name), "\n")
	compareLines(t, name, got, want[:min(len(got), len(want))])
}

// compareLines compares lines with those of a file.
func compareLines(t testing.TB, name string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%s, line %d:\ngot  %q\nwant %q", name, i+1, got[min(i, len(got)-1)], want[min(i, len(want)-1)])
		}
	}
}

// command writes all generated pages and pictures: main.go has it. GHOSTCUBE_CI=1 before it measures all figures anew.
const command = "go generate ."

// Page compares a generated page of the documentation with its file, line by line, or writes it there with -update. Its
// test has a name that begins with TestPage, so that the command finds it.
func Page(t testing.TB, file, text string) {
	t.Helper()
	written, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if string(written) == text {
		return
	}
	if Updating() {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, want := strings.Split(text, "\n"), strings.Split(string(written), "\n")
	i := 0
	for i < min(len(got), len(want))-1 && got[i] == want[i] {
		i++
	}
	t.Errorf("%s, line %d, is out of date: %s writes it\ngot  %q\nwant %q", file, i+1, command, got[i], want[i])
}

// Section is Page for the part of a page between two marks.
func Section(t testing.TB, file, from, to, text string) {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), from)
	_, after, ended := strings.Cut(rest, to)
	if !ok || !ended {
		t.Fatalf("%s lacks %q and %q", file, from, to)
	}
	Page(t, file, before+from+text+to+after)
}

// Pictures checks that a folder has the pictures named and no other, and that they have at most maxBytes together. With
// -update it makes those that are missing, or all of them, and removes the others.
func Pictures(t testing.TB, folder string, names []string, maxBytes int64, all bool, paint func(name, file string)) {
	t.Helper()
	if Updating() {
		for _, name := range names {
			file := filepath.Join(folder, name)
			if _, err := os.Stat(file); err != nil || all {
				paint(name, file)
			}
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	bytes, have := int64(0), map[string]bool{}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		bytes += info.Size()
		have[f.Name()] = true
		switch {
		case slices.Contains(names, f.Name()):
		case Updating():
			if err := os.Remove(filepath.Join(folder, f.Name())); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s/%s is the picture of nothing: %s removes it", folder, f.Name(), command)
		}
	}
	for _, name := range names {
		if !have[name] {
			t.Errorf("%s lacks %s: %s paints it", folder, name, command)
		}
	}
	if bytes > maxBytes {
		t.Errorf("the pictures in %s have %d bytes, want at most %d", folder, bytes, maxBytes)
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
