package cli

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"

	"ghostcube/internal/atomicfile"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/ui/plan"
)

// tapeFile is the tape of a running session, with hash checks. It is written once a second, so that there is something to
// read if the program is killed. A nil tapeFile records nothing.
type tapeFile struct {
	writer *tape.Writer
	lab    *lab.Lab
	rate   int
	ticks  int
	file   *atomicfile.File
}

// createTape starts the tape of a planned session in a file, or returns nil if the file has
// no name.
func createTape(l *lab.Lab, m *plan.Plan, name string) (*tapeFile, error) {
	if name == "" {
		return nil, nil
	}
	f, err := atomicfile.Create(name)
	if err != nil {
		return nil, err
	}
	t := &tapeFile{writer: tape.NewWriter(f, Version, l.Config(), m.Panes), lab: l, rate: l.Config().Rate, file: f}
	_ = t.writer.Flush() // close returns the error
	return t, nil
}

// record records the entry of the tick that the session has just made.
func (t *tapeFile) record(e lab.Entry) {
	if t == nil {
		return
	}
	t.writer.Add(e)
	if t.ticks++; tape.HashCheckDue(t.ticks, t.rate) {
		t.writer.HashCheck(tape.NewHashCheck(t.lab))
		_ = t.writer.Flush() // close returns the error
	}
}

// close ends the tape, and gives the file its name.
func (t *tapeFile) close() error {
	if t == nil {
		return nil
	}
	t.writer.HashCheck(tape.NewHashCheck(t.lab))
	if err := t.writer.Close(); err != nil {
		return errors.Join(err, t.file.Discard())
	}
	return atomicfile.Commit(t.file)
}

// discard removes the tape.
func (t *tapeFile) discard() error {
	if t == nil {
		return nil
	}
	return t.file.Discard()
}

var frameNumberPattern = regexp.MustCompile(`[-_ ]?%\d*d`)

// tapePath returns the name of the tape beside a video.
func tapePath(video string) string {
	folder, name := filepath.Split(video)
	name = frameNumberPattern.ReplaceAllString(strings.TrimSuffix(name, filepath.Ext(name)), "")
	if name == "" {
		name = "session"
	}
	return folder + name + ".tape"
}
