package window

import (
	"errors"
	"os"
	"path/filepath"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
)

// sessionTape writes the tape of a running session. It writes to the file once a second, so a session that
// crashes leaves a tape that lacks a second at most.
type sessionTape struct {
	name       string
	file       *os.File // nil: it could not be created
	writer     *tape.Writer
	tickCount  int
	finalCheck *tape.HashCheck // of the last tick, if commands have been applied since
	failed     bool            // writing has failed; nothing more is written
}

// newSessionTape creates the file, and its folder if there is none. It refuses to replace a file. On an error
// it returns a tape that writes nothing.
func newSessionTape(name, version string, c lab.Config, open []string) (*sessionTape, error) {
	unwritten := &sessionTape{name: name, failed: true}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return unwritten, err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return unwritten, err
	}
	return &sessionTape{name: name, file: f, writer: tape.NewWriter(f, version, c, open)}, nil
}

// add appends the entry of a tick, which l has just made if checked. Only the first failure is returned.
func (t *sessionTape) add(e lab.Entry, l *lab.Lab, rate int, checked bool) error {
	if t.failed {
		return nil
	}
	t.writer.Add(e)
	t.finalCheck = nil
	if t.tickCount++; !tape.HashCheckDue(t.tickCount, rate) {
		return nil
	}
	if checked {
		t.writer.HashCheck(tape.NewHashCheck(l))
	}
	err := t.writer.Flush()
	t.failed = err != nil
	return err
}

// saveFinalCheck stores the hashes of l before the first command after a tick changes them.
func (t *sessionTape) saveFinalCheck(l *lab.Lab) {
	if t.finalCheck == nil {
		t.finalCheck = tape.NewHashCheck(l)
	}
}

// soFar returns the tape as if the session ended now: l is at its last tick, or reviews its past.
func (t *sessionTape) soFar(l *lab.Lab) ([]byte, error) {
	if t.failed {
		return nil, errors.New("it could not be written")
	}
	t.saveFinalCheck(l)
	if err := t.writer.Flush(); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(t.name)
	return append(b, t.writer.Ending(t.finalCheck)...), err
}

// close writes the last hashes and the end of the tape.
func (t *sessionTape) close(l *lab.Lab) error {
	if t.failed {
		return t.file.Close()
	}
	t.saveFinalCheck(l)
	t.writer.HashCheck(t.finalCheck)
	return errors.Join(t.writer.Close(), t.file.Close())
}
