package window

import (
	"errors"
	"os"
	"path/filepath"

	"ghostcube/predict/lab"
)

// sessionTape writes down a session while it runs. Every second what there is
// goes to the file, so a session that ends badly leaves a tape that lacks a
// second at most.
type sessionTape struct {
	name   string
	file   *os.File
	writer *lab.Writer
	ticks  int
	failed bool
}

func newSessionTape(name string, c lab.Config, open []string) (*sessionTape, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return &sessionTape{name: name, file: f, writer: lab.NewWriter(f, c, open)}, nil
}

// add appends an entry. It tells of a failure once.
func (t *sessionTape) add(e lab.Entry, rate int) error {
	if t.failed {
		return nil
	}
	t.writer.Add(e)
	if t.ticks++; t.ticks%rate != 0 {
		return nil
	}
	err := t.writer.Flush()
	t.failed = err != nil
	return err
}

func (t *sessionTape) close() error {
	if t.failed {
		return t.file.Close()
	}
	return errors.Join(t.writer.Close(), t.file.Close())
}
