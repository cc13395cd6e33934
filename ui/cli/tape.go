package cli

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"

	"ghostcube/internal/atomicfile"
	"ghostcube/predict/lab"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
)

// createTape starts the tape of a planned session in a file. It returns nil if the file has no name.
func createTape(l *lab.Lab, m *plan.Plan, name string) (*session.Tape, error) {
	if name == "" {
		return nil, nil
	}
	f, err := atomicfile.Create(name)
	if err != nil {
		return nil, err
	}
	return session.NewTape(f, Version, m, l), nil
}

// endTape closes a tape, or removes one that could not be written. There may be none.
func endTape(t *session.Tape) error {
	if t == nil {
		return nil
	}
	if err := t.Close(); err != nil {
		return errors.Join(err, t.Discard())
	}
	return nil
}

// dropTape removes a tape, if there is one.
func dropTape(t *session.Tape) error {
	if t == nil {
		return nil
	}
	return t.Discard()
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
