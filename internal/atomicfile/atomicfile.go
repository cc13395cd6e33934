// Package atomicfile writes files under a temporary name, such as clip.part.webm for clip.webm, and renames them once
// they are complete. If the program is killed, the temporary file stays and can be used, and so does the old clip.webm.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// File is a file on its way to its name. A nil File does nothing.
type File struct {
	file    *os.File
	target  string                     // the name that it gets
	yields  bool                       // it takes another name if a file has this one
	ours    func(existing string) bool // says which files it may replace nevertheless; nil: none
	direct  bool                       // the target is no file that can be replaced, such as a pipe
	closed  bool
	settled bool // committed, discarded or left
}

// Create starts a file that replaces the one of its name, whole or not at all. A link stays a link, and the file behind
// it is replaced. The target keeps its permissions, and a target that may not be written is not replaced. A device or a
// pipe, such as /dev/stdout, is written directly.
func Create(name string) (*File, error) {
	info, err := os.Stat(name)
	if err == nil && (!info.Mode().IsRegular() || isOutput(info)) {
		if info.IsDir() {
			return nil, &fs.PathError{Op: "write", Path: name, Err: errors.New("it is a folder")}
		}
		file, err := os.OpenFile(name, os.O_WRONLY, 0)
		return &File{file: file, target: name, direct: true}, err
	}
	target := resolve(name)
	if err == nil {
		file, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		file.Close()
	}
	f, createErr := create(target)
	if createErr == nil && err == nil {
		_ = f.file.Chmod(info.Mode().Perm()) // some file systems have no permissions
	}
	return f, createErr
}

// CreateUnnamed starts a file whose name is the program's choice, not the user's. It replaces no file but those of
// which ours says that the program has written them for the same purpose: it takes another name instead, clip-2.tape
// for clip.tape. A nil ours is never true.
func CreateUnnamed(name string, ours func(existing string) bool) (*File, error) {
	f, err := create(name)
	if err == nil {
		f.yields, f.ours = true, ours
	}
	return f, err
}

// isOutput reports whether a file is the one into which the program prints.
func isOutput(info fs.FileInfo) bool {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if out, err := f.Stat(); err == nil && os.SameFile(out, info) {
			return true
		}
	}
	return false
}

// resolve follows links, also to a file that does not exist.
func resolve(name string) string {
	const maxLinks = 40
	for range maxLinks {
		to, err := os.Readlink(name)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return name
}

// create creates the temporary file of a target under the first name that is free.
func create(target string) (*File, error) {
	for i := 1; ; i++ {
		file, err := os.OpenFile(partName(target, i), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			return &File{file: file, target: target}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("%s: no file can be created in its folder: %w", target, err)
		}
	}
}

// maxStem is the length in bytes of a name that fits into a folder with all that is added here.
const maxStem = 200

// partName returns the name of a temporary file: clip.part.webm, clip.part-2.webm and so on.
func partName(target string, i int) string {
	folder, name := filepath.Split(target)
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	if len(stem) > maxStem {
		stem = strings.ToValidUTF8(stem[:maxStem], "")
	}
	return folder + numbered(stem+".part", i) + ext
}

var partPattern = regexp.MustCompile(`\.part(-\d+)?(\.[^.]*)?$`)

// IsPart reports whether a name is that of a temporary file.
func IsPart(name string) bool { return partPattern.MatchString(name) }

// numbered returns a name for i = 1, and the name with the number for others.
func numbered(stem string, i int) string {
	if i == 1 {
		return stem
	}
	return fmt.Sprintf("%s-%d", stem, i)
}

// Numbered returns name for i = 1, and otherwise the name that a file takes when i-1 names are taken: clip-2.tape.
func Numbered(name string, i int) string {
	ext := filepath.Ext(name)
	return numbered(strings.TrimSuffix(name, ext), i) + ext
}

// Part returns the present name of the file, until it is committed.
func (f *File) Part() string { return f.file.Name() }

// Name returns the name that the file gets, or has after it was committed.
func (f *File) Name() string { return f.target }

// named makes an error of the temporary file one of the file.
func (f *File) named(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return &fs.PathError{Op: p.Op, Path: f.target, Err: p.Err}
	}
	return err
}

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.file.Write(b)
	return n, f.named(err)
}

// WriteAt implements io.WriterAt.
func (f *File) WriteAt(b []byte, at int64) (int, error) {
	n, err := f.file.WriteAt(b, at)
	return n, f.named(err)
}

// Truncate changes the size of the file.
func (f *File) Truncate(size int64) error { return f.named(f.file.Truncate(size)) }

// Close closes the file, which keeps its temporary name until it is committed.
func (f *File) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	return f.named(f.file.Close())
}

// Discard removes the file, unless it was committed or left.
func (f *File) Discard() error {
	if f == nil || f.settled {
		return nil
	}
	f.settled = true
	err := f.Close()
	if !f.direct {
		err = errors.Join(err, os.Remove(f.Part()))
	}
	return err
}

// Leave closes the file and leaves it under its temporary name, because what there is of it is of use.
func (f *File) Leave() error {
	f.settled = true
	return f.Close()
}

// Commit gives files their names, one right after the other, once all of them are on the disk. Of two programs that write
// the same files at once, the last one's replace all of the other's. If one cannot be brought to the disk, all are
// discarded. Whole files that cannot get their names, such as those of a video that is being played on Windows, are left,
// and the error says where.
func Commit(files ...*File) error {
	for _, f := range files {
		var err error
		if !f.closed && !f.direct {
			err = f.named(f.file.Sync())
		}
		if err = errors.Join(err, f.Close()); err != nil {
			return errors.Join(err, Discard(files...))
		}
	}
	if len(files) > 1 && !files[0].direct {
		defer lock(filepath.Dir(files[0].target))()
	}
	for i, f := range files {
		if err := f.name(); err != nil {
			return errors.Join(err, Leave(files[i:]...))
		}
	}
	return nil
}

// Discard discards files.
func Discard(files ...*File) (err error) {
	for _, f := range files {
		err = errors.Join(err, f.Discard())
	}
	return err
}

// Leave leaves whole files under their temporary names, and returns an error that says so.
func Leave(files ...*File) (err error) {
	for _, f := range files {
		err = errors.Join(err, f.Leave(), fmt.Errorf("%s was not replaced; the new one is in %s", f.target, f.Part()))
	}
	return err
}

// name gives the file its name.
func (f *File) name() error {
	var err error
	switch {
	case f.direct:
	case f.yields:
		err = f.takeFreeName()
	default:
		err = os.Rename(f.Part(), f.target)
	}
	f.settled = err == nil
	return err
}

// takeFreeName gives the file the first name that is free, or that a file has which it may replace.
func (f *File) takeFreeName() error {
	for i := 1; ; i++ {
		name := Numbered(f.target, i)
		err := claim(f.Part(), name)
		if errors.Is(err, fs.ErrExist) {
			if info, lost := os.Lstat(name); lost != nil || !info.Mode().IsRegular() || f.ours == nil || !f.ours(name) {
				continue
			}
			err = os.Rename(f.Part(), name)
		}
		if err == nil {
			f.target = name
		}
		return err
	}
}

// claim gives a file a name that no other file has.
func claim(part, name string) error {
	err := os.Link(part, name)
	if err == nil {
		return os.Remove(part)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links: reserve the name by an empty file.
	reserved, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(reserved.Close(), os.Rename(part, name))
}

// Fill fills a file by write, or discards it.
func (f *File) Fill(write func(io.Writer) error) error {
	if err := write(f); err != nil {
		return errors.Join(err, f.Discard())
	}
	return nil
}

// WriteFile replaces a file by b, whole or not at all.
func WriteFile(name string, b []byte) error {
	f, err := Create(name)
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		return errors.Join(err, f.Discard())
	}
	return Commit(f)
}

// CheckFolder creates a folder if there is none, and returns why no file can be created in it, or nil.
func CheckFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, ".ghostcube-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
