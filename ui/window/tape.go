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
	name       string
	file       *os.File
	writer     *lab.Writer
	tickCount  int
	finalCheck *lab.HashCheck // of the last tick, if commands came after it
	failed     bool
}

func newSessionTape(name, version string, c lab.Config, open []string) (*sessionTape, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return &sessionTape{name: name, file: f, writer: lab.NewWriter(f, version, c, open)}, nil
}

// add appends the entry of the tick that l has just made. It tells of a failure
// once.
func (t *sessionTape) add(e lab.Entry, l *lab.Lab, rate int) error {
	if t.failed {
		return nil
	}
	t.writer.Add(e)
	t.finalCheck = nil
	if t.tickCount++; !lab.HashCheckDue(t.tickCount, rate) {
		return nil
	}
	t.writer.HashCheck(l.HashCheck())
	err := t.writer.Flush()
	t.failed = err != nil
	return err
}

// saveFinalCheck notes what l is, before the first command after a tick changes it.
func (t *sessionTape) saveFinalCheck(l *lab.Lab) {
	if t.finalCheck == nil {
		t.finalCheck = l.HashCheck()
	}
}

// close ends the tape of l.
func (t *sessionTape) close(l *lab.Lab) error {
	if t.failed {
		return t.file.Close()
	}
	t.saveFinalCheck(l)
	t.writer.HashCheck(t.finalCheck)
	return errors.Join(t.writer.Close(), t.file.Close())
}
