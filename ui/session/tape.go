package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ghostcube/internal/atomicfile"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/ui/plan"
)

// Tape writes the tape of a running session. It writes to the file once a second, so a session that crashes leaves a tape
// that lacks a second at most, under its temporary name. A nil Tape does nothing.
type Tape struct {
	file       *atomicfile.File // nil: it could not be created
	writer     *tape.Writer
	lab        *lab.Lab
	tickCount  int
	finalCheck *tape.HashCheck // of the last tick, if commands have been applied since
	err        error           // nothing more is written
}

// NewTape starts the tape of a plan that runs in a lab.
func NewTape(f *atomicfile.File, version string, p *plan.Plan, l *lab.Lab) *Tape {
	t := &Tape{file: f, writer: tape.NewWriter(f, version, p.Config, p.Panes), lab: l}
	_ = t.writer.Flush() // the next one returns the error, too
	return t
}

// Add appends the entry of a tick, which the lab has just made. Only the first failure is returned.
func (t *Tape) Add(e lab.Entry) error { return t.add(e, true) }

// add is Add; checked says that the lab is after the entry.
func (t *Tape) add(e lab.Entry, checked bool) error {
	if t == nil || t.err != nil {
		return nil
	}
	t.writer.Add(e)
	t.finalCheck = nil
	if t.tickCount++; !tape.HashCheckDue(t.tickCount, t.lab.Config().Rate) {
		return nil
	}
	if checked {
		t.writer.HashCheck(tape.NewHashCheck(t.lab))
	}
	t.err = t.writer.Flush()
	return t.err
}

// saveFinalCheck stores the hashes of the lab before the first command after a tick changes them.
func (t *Tape) saveFinalCheck() {
	if t.finalCheck == nil {
		t.finalCheck = tape.NewHashCheck(t.lab)
	}
}

// soFar returns the tape as if the session ended now: the lab is at its last tick, or reviews its past.
func (t *Tape) soFar() ([]byte, error) {
	if t.err != nil {
		return nil, errors.New("it could not be written")
	}
	t.saveFinalCheck()
	if err := t.writer.Flush(); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(t.file.Part())
	return append(b, t.writer.Ending(t.finalCheck)...), err
}

// Close writes the last hashes and the end of the tape, and gives the file its name. A tape that could not be written to
// its end keeps its temporary name.
func (t *Tape) Close() error {
	if t == nil {
		return nil
	}
	if t.err == nil {
		t.saveFinalCheck()
		t.writer.HashCheck(t.finalCheck)
		t.err = t.writer.Close()
	}
	if t.err != nil {
		return t.err
	}
	return atomicfile.Commit(t.file)
}

// Discard removes the tape.
func (t *Tape) Discard() error {
	if t == nil {
		return nil
	}
	return t.file.Discard()
}

// keep closes the tape, and returns the name of its file: the temporary one if it could not be written to its end, of
// which Add has told; empty: there is none.
func (t *Tape) keep() (name string, err error) {
	if t.file == nil {
		return "", nil
	}
	if t.err == nil {
		if err = t.Close(); t.err == nil {
			return t.file.Name(), err
		}
	}
	if info, failed := os.Stat(t.file.Part()); failed == nil && info.Size() > 0 {
		return t.file.Part(), errors.Join(err, t.file.Leave())
	}
	return "", errors.Join(err, t.Discard())
}

// startTape creates the file of the session's tape, and its folder if there is none. It replaces no file. On an error the
// session has a tape that writes nothing.
func (s *Session) startTape() error {
	name := s.Files.UnusedName("session", ".tape")
	err := os.MkdirAll(filepath.Dir(name), 0o777)
	if err == nil {
		var f *atomicfile.File
		if f, err = atomicfile.CreateUnnamed(name, nil); err == nil {
			s.tape = NewTape(f, s.Version, s.Plan, s.Lab)
			return nil
		}
	}
	s.tape = &Tape{lab: s.Lab, err: err}
	return err
}

// writeTape appends an entry to the session's tape. The first one creates the file. A tape that cannot be
// written becomes a notice, and the session goes on without it. checked says that the lab is after the entry, so that
// the tape can have its hash. An embedded session has no tape, but in a page, where it is in memory (Kept), and neither has one
// whose server runs in another process, or one that has happened.
func (s *Session) writeTape(e lab.Entry, checked bool) {
	if s.Embed && !s.Platform.InPage || s.Remote != nil || s.Plan.Happened() {
		return
	}
	var err error
	if s.tape == nil {
		err = s.startTape()
	}
	if err == nil {
		err = s.tape.add(e, checked)
	}
	if err != nil {
		text := "the session has no tape: " + err.Error()
		s.Notices.Post(text)
		fmt.Fprintln(os.Stderr, "ghostcube: "+text)
	}
}
