package gamelog

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// CheckScore reads the logs of a session, one or two, to their ends, and calls report with the error of each broken line. Of
// several lines that contradict the same one, it reports the first and later, in one error, all others; likewise of errors that
// want the same, after ten of them. It returns the numbers of lines in the logs, and the score of the good lines. Its error is
// that of Score, or of a log that cannot be read.
func CheckScore(names []string, files []io.Reader, report func(error)) (lines []int, card *Card, err error) {
	runs := errorSums{report: report}
	report = runs.add
	var list [2]*Reader
	for i, f := range files {
		if list[i], err = newLenientReader(names[i], f, report); err != nil {
			return nil, nil, err
		}
	}
	if len(files) == 1 {
		list[1] = list[0]
	}
	if list[0] != nil && list[1] != nil {
		card, err = Score(list[0], list[1], nil)
	}
	for _, l := range list[:len(files)] {
		if l == nil {
			lines = append(lines, 1)
			continue
		}
		err = errors.Join(err, l.drain())
		lines = append(lines, l.number)
	}
	runs.end()
	return lines, card, err
}

// errorSums sums up the errors of lines that contradict the same line, since a line too early breaks all those that it passed,
// and errors that want the same, which a game makes in each frame.
type errorSums struct {
	report func(error)
	runs   []*LineError // newest of each run, and how many lines it has after the first
	kinds  []errorKind
}

// errorKind counts the errors of a log that want the same of the same field.
type errorKind struct {
	name, field, want string
	count, line       int // how many; the newest
}

const (
	maxRuns  = 8  // runs that are summed up at a time: one for each kind of contradiction, in two logs
	maxKinds = 64 // kinds of errors that are summed up
	maxAlike = 10 // errors of a kind that are reported one by one
)

// add handles the error of a line.
func (s *errorSums) add(err error) {
	var e *LineError
	switch {
	case !errors.As(err, &e):
		s.report(err)
		return
	case e.Against == 0:
		if k := s.kindOf(e); k == nil || k.count <= maxAlike {
			s.report(err)
		}
		return
	}
	for _, run := range s.runs {
		if run.Name == e.Name && run.Against == e.Against {
			run.Line = e.Line
			run.Lines++
			return
		}
	}
	s.report(err)
	if len(s.runs) == maxRuns {
		s.endOldest()
	}
	s.runs = append(s.runs, &LineError{Name: e.Name, Against: e.Against})
}

// kindOf counts the error of a line, and returns its kind, or nil if there are too many kinds.
func (s *errorSums) kindOf(e *LineError) *errorKind {
	text := e.Err.Error()
	field, _, _ := strings.Cut(text, ":")
	want := text[max(strings.LastIndex(text, ": want "), 0):]
	i := slices.IndexFunc(s.kinds, func(k errorKind) bool { return k.name == e.Name && k.field == field && k.want == want })
	if i < 0 && len(s.kinds) == maxKinds {
		return nil
	}
	if i < 0 {
		i = len(s.kinds)
		s.kinds = append(s.kinds, errorKind{name: e.Name, field: field, want: want})
	}
	k := &s.kinds[i]
	k.count++
	k.line = e.Line
	return k
}

// endOldest reports the rest of the oldest run.
func (s *errorSums) endOldest() {
	if run := s.runs[0]; run.Lines > 0 {
		run.Err = fmt.Errorf("the last of %d more that contradict line %d, which may be the one out of place", run.Lines, run.Against)
		s.report(run)
	}
	s.runs = s.runs[1:]
}

// end reports the rest of all runs and kinds.
func (s *errorSums) end() {
	for len(s.runs) > 0 {
		s.endOldest()
	}
	for _, k := range s.kinds {
		if more := k.count - maxAlike; more > 0 {
			s.report(&LineError{Name: k.name, Line: k.line, Lines: more, Err: fmt.Errorf("the last of %d more: %s%s", more, k.field, k.want)})
		}
	}
}

// newLenientReader returns a Reader that reports broken lines and goes on. Its Next returns no *LineError. It is nil after a
// broken head, which is reported.
func newLenientReader(name string, r io.Reader, report func(error)) (*Reader, error) {
	l, err := NewReader(name, r)
	var broken *LineError
	if errors.As(err, &broken) {
		report(err)
		return nil, nil
	}
	if err == nil {
		l.broken = report
	}
	return l, err
}

// drain reads a log to its end.
func (r *Reader) drain() error {
	for {
		if _, err := r.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
