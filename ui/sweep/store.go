package sweep

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"ghostcube/internal/atomicfile"
)

// CellsFile is the name of the file of a store in its folder.
const CellsFile = "cells.jsonl"

// storeFormat is the version of the lines of a store.
const storeFormat = 1

// maxLine bounds a line of a store, in bytes. The longest one is a plan.
const maxLine = 256 << 20

// Store is the file of the cells that have ended. Every line is a JSON object with its own checksum, appended by a single
// write, and nothing that was written changes: whenever the program is killed, at most the last line is broken, which is
// left behind and its cell runs again. A file for each cell would cost a folder of thousands of files, and a database a
// format that nothing else reads. Its methods may be called at once.
type Store struct {
	dir     string
	program string

	mu      sync.Mutex
	file    *os.File
	size    int64
	cells   map[string]span // by key
	plan    *Plan           // the last one; nil: none
	written map[string]bool // checksums of files beside the store that it has written
	damaged int             // lines
}

// span is the place of a line.
type span struct {
	at     int64
	length int
}

// line is a line of a store. Its checksum is that of kind and body.
type line struct {
	Sum  string          `json:"sum"`
	Kind string          `json:"kind"` // header, plan, file, cell or withdrawn
	Body json.RawMessage `json:"body"`
}

// header is the body of the first line.
type header struct {
	Format  int    `json:"format"`
	Program string `json:"program"`
}

// OtherProgramError is the error of a store that another program has written.
type OtherProgramError struct {
	Dir, Theirs, Ours string
}

func (e *OtherProgramError) Error() string {
	return fmt.Sprintf("%s has results of %s, and this is %s: results of two programs are not mixed, want another folder", e.Dir, e.Theirs, e.Ours)
}

// encode returns a line.
func encode(kind string, body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return append(fmt.Appendf(nil, `{"sum":"%s","kind":"%s","body":`, sumOf(kind, text), kind), append(text, "}\n"...)...), nil
}

// sumOf returns the checksum of a line.
func sumOf(kind string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(kind + " "))
	h.Write(body)
	return sumText(h)
}

// decode reads a line. ok is false if it is damaged.
func decode(text []byte) (l line, ok bool) {
	if json.Unmarshal(text, &l) != nil {
		return l, false
	}
	return l, l.Sum == sumOf(l.Kind, l.Body)
}

// Open opens the store in a folder for a program, which is its name with everything on which results depend. A folder
// that is missing is created, and so is the file if create is true.
func Open(dir, program string, create bool) (*Store, error) {
	s := &Store{dir: dir, program: program}
	if create {
		if err := atomicfile.CheckFolder(dir); err != nil {
			return nil, err
		}
	}
	path := filepath.Join(dir, CellsFile)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: it is no file", path)
	} else if errors.Is(err, fs.ErrNotExist) && !create {
		return nil, fmt.Errorf("%s: there is no sweep in this folder", dir)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	s.file = file
	if err := s.Reload(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

// Reload reads the file anew: another run of the program may have added lines.
func (s *Store) Reload() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cells, s.written, s.damaged, s.size = map[string]span{}, map[string]bool{}, 0, 0
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return s.read()
}

// read reads all lines, and writes the header if there is none.
func (s *Store) read() error {
	head, err := encode("header", header{storeFormat, s.program})
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(s.file, 1<<20)
	for first := true; ; first = false {
		text, err := in.ReadBytes('\n')
		ends := errors.Is(err, io.EOF)
		if err != nil && !ends {
			return err
		}
		if len(text) > maxLine {
			return fmt.Errorf("%s: line of more than %d bytes", s.path(), maxLine)
		}
		at := s.size
		s.size += int64(len(text))
		switch {
		case first && ends && bytes.HasPrefix(head, text): // killed in its first write
			return s.append(head[len(text):])
		case ends && len(text) == 0:
			return nil
		case first:
			if err := s.checkHeader(text); err != nil {
				return err
			}
		case len(bytes.TrimSpace(text)) > 0:
			if err := s.add(text, at); err != nil {
				return err
			}
		}
		if ends {
			return s.append([]byte("\n")) // after a broken line
		}
	}
}

// checkHeader checks the first line.
func (s *Store) checkHeader(text []byte) error {
	var h header
	l, ok := decode(text)
	if !ok || l.Kind != "header" || json.Unmarshal(l.Body, &h) != nil {
		return fmt.Errorf("%s: it is not a file of a sweep, or its first line is damaged: want another folder", s.path())
	}
	if h.Format != storeFormat || h.Program != s.program {
		return &OtherProgramError{s.dir, h.Program, s.program}
	}
	return nil
}

// add adds a line that was read.
func (s *Store) add(text []byte, at int64) error {
	l, ok := decode(text)
	if !ok {
		s.damaged++
		return nil
	}
	switch l.Kind {
	case "plan":
		s.plan = &Plan{}
		return json.Unmarshal(l.Body, s.plan)
	case "file":
		var sum string
		err := json.Unmarshal(l.Body, &sum)
		s.written[sum] = true
		return err
	case "cell":
		var c Cell
		if err := json.Unmarshal(l.Body, &c); err != nil {
			return err
		}
		return s.keep(c.Key, text, at)
	case "withdrawn":
		var key string
		err := json.Unmarshal(l.Body, &key)
		delete(s.cells, key)
		return err
	}
	return nil
}

// keep remembers the place of the line of a cell. A second one has to be the same: cells are deterministic.
func (s *Store) keep(key string, text []byte, at int64) error {
	text = bytes.TrimSuffix(text, []byte("\n"))
	if first, ok := s.cells[key]; ok {
		before := make([]byte, first.length)
		if _, err := s.file.ReadAt(before, first.at); err != nil {
			return err
		}
		if !bytes.Equal(before, text) {
			return fmt.Errorf("%s: cell %s has two results that differ", s.path(), key)
		}
		return nil
	}
	s.cells[key] = span{at, len(text)}
	return nil
}

// append appends whole lines by one write.
func (s *Store) append(text []byte) error {
	n, err := s.file.Write(text)
	s.size += int64(n)
	return err
}

// path returns the name of the file.
func (s *Store) path() string { return filepath.Join(s.dir, CellsFile) }

// Damaged returns the number of lines that were broken when the store was opened.
func (s *Store) Damaged() int { return s.damaged }

// Plan returns the last plan, or nil.
func (s *Store) Plan() *Plan { return s.plan }

// SetPlan sets the plan.
func (s *Store) SetPlan(p *Plan) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := encode("plan", p)
	if err != nil {
		return err
	}
	if s.plan != nil {
		if last, err := encode("plan", s.plan); err == nil && bytes.Equal(last, text) {
			return nil
		}
	}
	s.plan = p
	return s.append(text)
}

// Has reports whether the store has a cell.
func (s *Store) Has(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.cells[key]
	return ok
}

// Add stores a cell, which Cell returns after the next Reload.
func (s *Store) Add(c *Cell) error {
	text, err := encode("cell", c)
	if err != nil {
		return fmt.Errorf("cell %s: %w", c.Key, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cells[c.Key] = span{}
	return s.append(text)
}

// Withdraw makes a store forget a cell, which then runs again, or has another result. Its line stays.
func (s *Store) Withdraw(key string) error {
	text, err := encode("withdrawn", key)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.cells, key)
	return s.append(text)
}

// Cell returns a cell. ok is false if the store lacks it.
func (s *Store) Cell(key string) (c Cell, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.cells[key]
	if !ok {
		return c, false, nil
	}
	text := make([]byte, at.length)
	if _, err := s.file.ReadAt(text, at.at); err != nil {
		return c, false, err
	}
	l, whole := decode(text)
	if !whole {
		return c, false, fmt.Errorf("%s: the line of cell %s has changed", s.path(), key)
	}
	return c, true, json.Unmarshal(l.Body, &c)
}

// CheckFiles returns an error if a file of the user has one of the names of the files that are written beside the store:
// one that the store has not written, or that was changed since.
func (s *Store) CheckFiles(names ...string) error {
	var taken []string
	for _, name := range names {
		f, err := os.Open(filepath.Join(s.dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		sum := newFileSum(name)
		_, err = io.Copy(sum, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if !s.written[sumText(sum)] {
			taken = append(taken, name)
		}
	}
	if len(taken) > 0 {
		return fmt.Errorf("%s: the sweep has not written %s, or somebody has changed it since: rename it, or want another folder",
			s.dir, strings.Join(taken, ", "))
	}
	return nil
}

// newFileSum returns a checksum by which a file is recognised, without its contents.
func newFileSum(name string) hash.Hash {
	sum := sha256.New()
	sum.Write([]byte(name + " "))
	return sum
}

// sumText returns a checksum as text.
func sumText(sum hash.Hash) string { return fmt.Sprintf("%x", sum.Sum(nil)[:8]) }

// WriteFile writes a file beside the store, whole or not at all. It replaces no file but its own.
func (s *Store) WriteFile(name string, write func(io.Writer) error) error {
	if err := s.CheckFiles(name); err != nil {
		return err
	}
	f, err := atomicfile.Create(filepath.Join(s.dir, name))
	if err != nil {
		return err
	}
	sum := newFileSum(name)
	if err := f.Fill(func(w io.Writer) error {
		out := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
		return cmp.Or(write(out), out.Flush())
	}); err != nil {
		return err
	}
	if err := s.addFile(sumText(sum)); err != nil {
		return errors.Join(err, f.Discard())
	}
	return atomicfile.Commit(f)
}

// addFile stores the checksum of a file that is about to get its name.
func (s *Store) addFile(sum string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.written[sum] {
		return nil
	}
	text, err := encode("file", sum)
	if err != nil {
		return err
	}
	s.written[sum] = true
	return s.append(text)
}

// Close brings everything to the disk and closes the file.
func (s *Store) Close() error { return errors.Join(s.file.Sync(), s.file.Close()) }
