package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"ghostcube/internal/experiment"
)

// write writes a file of a test.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// want checks the files of a folder: names and texts in turn, sorted by name.
func want(t *testing.T, folder string, files ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Name(), string(b))
	}
	if !slices.Equal(got, files) {
		t.Errorf("the folder has %q, want %q", got, files)
	}
}

// begin starts a file with a text.
func begin(t *testing.T, f *File, err error, text string) *File {
	t.Helper()
	if err == nil {
		_, err = io.WriteString(f, text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestReplace checks that a file has its old content until it is committed, that a discarded one leaves nothing, and
// that two of one name do not mix: the last one to be committed wins.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.webm")
	write(t, name, "old")
	f, err := Create(name)
	begin(t, f, err, "first")
	g, err := Create(name)
	begin(t, g, err, "second")
	want(t, dir, "a.part-2.webm", "second", "a.part.webm", "first", "a.webm", "old")
	if !IsPart(f.Part()) || !IsPart(g.Part()) || IsPart(name) {
		t.Errorf("%s, %s or %s is mistaken", f.Part(), g.Part(), name)
	}
	h, err := Create(name)
	if err := begin(t, h, err, "third").Discard(); err != nil {
		t.Error(err)
	}
	if err := errors.Join(Commit(g), Commit(f)); err != nil {
		t.Error(err)
	}
	want(t, dir, "a.webm", "first")
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, %v: want those of the old file", info.Mode(), err)
	}
	if err := f.Discard(); err != nil {
		t.Errorf("after Commit, Discard returns %v", err)
	}
	want(t, dir, "a.webm", "first")
}

// TestUnnamed checks that a file whose name the user did not choose replaces none but the program's own.
func TestUnnamed(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.tape")
	ours := func(file string) bool {
		b, err := os.ReadFile(file)
		return err == nil && strings.HasPrefix(string(b), "ours")
	}
	add := func(text string) string {
		f, err := CreateUnnamed(name, ours)
		if err := Commit(begin(t, f, err, text)); err != nil {
			t.Fatal(err)
		}
		return filepath.Base(f.Name())
	}
	write(t, name, "mine")
	for _, text := range []string{"ours 1", "ours 2"} {
		if got := add(text); got != "a-2.tape" {
			t.Error(got)
		}
	}
	want(t, dir, "a-2.tape", "ours 2", "a.tape", "mine")
	write(t, filepath.Join(dir, "a-2.tape"), "mine, too")
	if got := add("ours 3"); got != "a-3.tape" {
		t.Error(got)
	}
	want(t, dir, "a-2.tape", "mine, too", "a-3.tape", "ours 3", "a.tape", "mine")
}

// TestLinks checks that the file behind a link is replaced, also one that does not exist, and that another hard link
// to a file keeps the old content.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("file"), "old")
	if err := errors.Join(os.Symlink("file", at("link")), os.Symlink("new", at("dangling")), os.Link(at("file"), at("other"))); err != nil {
		t.Skip(err)
	}
	if err := errors.Join(WriteFile(at("link"), []byte("1")), WriteFile(at("dangling"), []byte("2"))); err != nil {
		t.Error(err)
	}
	want(t, dir, "dangling", "2", "file", "1", "link", "1", "new", "2", "other", "old")
	for _, name := range []string{"link", "dangling"} {
		if info, err := os.Lstat(at(name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", name, err)
		}
	}
}

// TestRefused checks that folders and read-only files are not replaced, and that a pipe or a device is
// written directly.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	if err := WriteFile(dir, nil); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
	name := filepath.Join(dir, "protected")
	write(t, name, "old")
	if err := os.Chmod(name, 0o400); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 { // to whom permissions mean nothing
		if err := WriteFile(name, []byte("new")); !errors.Is(err, os.ErrPermission) {
			t.Error(err)
		}
		want(t, dir, "protected", "old")
	}
	if _, err := os.Stat(os.DevNull); err == nil {
		if err := WriteFile(os.DevNull, []byte("new")); err != nil {
			t.Error(err)
		}
	}
}

// TestLongNames checks that names near the limit of file systems can be written.
func TestLongNames(t *testing.T) {
	name := filepath.Join(t.TempDir(), strings.Repeat("ä", 125)+".gif")
	if err := WriteFile(name, []byte("x")); err != nil {
		t.Error(err)
	}
	want(t, filepath.Dir(name), filepath.Base(name), "x")
}

// TestTwoAtOnce checks that of two writers of the same three files, all come from one.
func TestTwoAtOnce(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("no folder can be locked here")
	}
	dir := t.TempDir()
	names := []string{"a.webm", "b.tape", "c.vtt"}
	for range experiment.Pick(50, 200, 200) {
		var ended sync.WaitGroup
		for _, text := range []string{"one", "two"} {
			var files []*File
			for _, name := range names {
				f, err := Create(filepath.Join(dir, name))
				files = append(files, begin(t, f, err, text))
			}
			ended.Go(func() {
				if err := Commit(files...); err != nil {
					t.Error(err)
				}
			})
		}
		ended.Wait()
		text, err := os.ReadFile(filepath.Join(dir, names[0]))
		if err != nil {
			t.Fatal(err)
		}
		want(t, dir, names[0], string(text), names[1], string(text), names[2], string(text))
		if t.Failed() {
			return
		}
	}
}

// TestCommitTogether checks that none of several files is renamed if one of them cannot be written.
func TestCommitTogether(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(filepath.Join(dir, "a"))
	begin(t, f, err, "1")
	g, err := Create(filepath.Join(dir, "b"))
	begin(t, g, err, "2")
	if err := g.file.Close(); err != nil { // so that it cannot be brought to the disk
		t.Fatal(err)
	}
	if err := Commit(f, g); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "b")) {
		t.Error(err)
	}
	want(t, dir)
}

// TestCannotBeNamed checks that a whole file that cannot get its name is left, and that the error says where.
func TestCannotBeNamed(t *testing.T) {
	dir := t.TempDir()
	if _, err := Create(filepath.Join(dir, "a", "x")); err == nil {
		t.Fatal("a file in a folder that does not exist is created")
	}
	name := filepath.Join(dir, "a")
	f, err := Create(name)
	begin(t, f, err, "1")
	if err := os.Mkdir(name, 0o700); err != nil { // meanwhile
		t.Fatal(err)
	}
	if err := Commit(f); err == nil || !strings.Contains(err.Error(), "in "+name+".part") {
		t.Error(err)
	}
	if b, err := os.ReadFile(name + ".part"); string(b) != "1" {
		t.Error(err)
	}
}
