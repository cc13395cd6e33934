package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ghostcube/internal/atomicfile"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
)

// sessionTape writes the tape of a running session. It writes to the file once a second, so a session that
// crashes leaves a tape that lacks a second at most, under its temporary name.
type sessionTape struct {
	file       *atomicfile.File // nil: it could not be created
	writer     *tape.Writer
	tickCount  int
	finalCheck *tape.HashCheck // of the last tick, if commands have been applied since
	failed     bool            // writing has failed; nothing more is written
}

// newSessionTape creates the file, and its folder if there is none. It replaces no file. On an error it returns a tape that writes nothing.
func newSessionTape(name, version string, c lab.Config, open []string) (*sessionTape, error) {
	unwritten := &sessionTape{failed: true}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return unwritten, err
	}
	f, err := atomicfile.CreateUnnamed(name, nil)
	if err != nil {
		return unwritten, err
	}
	return &sessionTape{file: f, writer: tape.NewWriter(f, version, c, open)}, nil
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
	b, err := os.ReadFile(t.file.Part())
	return append(b, t.writer.Ending(t.finalCheck)...), err
}

// close writes the last hashes and the end of the tape, and gives the file its name. It returns that name, or the
// temporary one of a tape that could not be written to its end; empty: there is none.
func (t *sessionTape) close(l *lab.Lab) (name string, err error) {
	if t.file == nil {
		return "", nil
	}
	if !t.failed {
		t.saveFinalCheck(l)
		t.writer.HashCheck(t.finalCheck)
		if err = t.writer.Close(); err == nil {
			err = atomicfile.Commit(t.file)
			return t.file.Name(), err
		}
	}
	if info, failed := os.Stat(t.file.Part()); failed == nil && info.Size() > 0 {
		return t.file.Part(), errors.Join(err, t.file.Leave())
	}
	return "", errors.Join(err, t.file.Discard())
}

// writeTape appends an entry to the session's tape. The first one creates the file. A tape that cannot be
// written becomes a notice, and the session goes on without it. checked says that the lab is after the entry, so that
// the tape can have its hash. An embedded session has no tape.
func (s *Session) writeTape(e lab.Entry, checked bool) {
	if s.Embed {
		return
	}
	var err error
	if s.tape == nil {
		s.tape, err = newSessionTape(s.Files.UnusedName("session", ".tape"), s.Version, s.Plan.Config, s.Plan.Panes)
	}
	if err == nil {
		err = s.tape.add(e, s.Lab, s.Plan.Config.Rate, checked)
	}
	if err != nil {
		text := "the session has no tape: " + err.Error()
		s.Notices.Post(text)
		fmt.Fprintln(os.Stderr, "ghostcube: "+text)
	}
}
