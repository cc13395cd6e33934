package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ghostcube/predict/lab"
)

// taped is the tape of a session that runs, with its hashes. It may be nil.
type taped struct {
	*lab.Recording
	file *os.File
}

// taped begins the tape of l, which was opened with the plan's panes, in a file,
// or returns nil if that has no name.
func (m *plan) taped(l *lab.Lab, file string) (*taped, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	return &taped{lab.NewRecording(l, Version, m.open), f}, nil
}

// made takes in that so many of the session's entries have been made.
func (t *taped) made(entries []lab.Entry, n int) {
	if t != nil {
		t.Ticked(entries[n-1], n == len(entries))
	}
}

// close writes the tape.
func (t *taped) close() error {
	if t == nil {
		return nil
	}
	return errors.Join(t.Write(t.file), t.file.Close())
}

var numberInName = regexp.MustCompile(`[-_ ]?%\d*d`)

// tapeBeside returns the name of the tape of a film.
func tapeBeside(film string) string {
	folder, name := filepath.Split(film)
	name = numberInName.ReplaceAllString(strings.TrimSuffix(name, filepath.Ext(name)), "")
	if name == "" {
		name = "session"
	}
	return folder + name + ".tape"
}
