package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/ui/plan"
)

// tapeFile is the tape of a running session, with hash checks. A nil tapeFile records
// nothing.
type tapeFile struct {
	*tape.Recording
	file *os.File
}

// createTape starts the tape of a planned session in a file, or returns nil if the file has
// no name.
func createTape(l *lab.Lab, m *plan.Plan, file string) (*tapeFile, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	return &tapeFile{tape.NewRecording(l, Version, m.Panes), f}, nil
}

// record records entry n-1, which the session has just made.
func (t *tapeFile) record(entries []lab.Entry, n int) {
	if t != nil {
		t.Ticked(entries[n-1], n == len(entries))
	}
}

// close writes the tape.
func (t *tapeFile) close() error {
	if t == nil {
		return nil
	}
	return errors.Join(t.Write(t.file), t.file.Close())
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
