package gamelog

import (
	"errors"
	"fmt"
	"io"
)

// CheckScore reads the logs of a session, one or two, to their ends, and calls report with the error of each broken line. Of
// several lines that contradict the same one, it reports the first and later, in one error, all others. It returns the numbers
// of lines in the logs, and the score of the good lines. Its error is that of Score, or of a log that cannot be read.
func CheckScore(names []string, files []io.Reader, report func(error)) (lines []int, card *Card, err error) {
	runs := contradictions{report: report}
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

// contradictions sums up the errors of lines that contradict the same line: a line too early breaks all those that it passed.
type contradictions struct {
	report func(error)
	runs   []*LineError // newest of each run, and how many lines it has after the first
}

// maxRuns is the largest number of runs at a time: one for each kind of contradiction, in two logs.
const maxRuns = 8

// add handles the error of a line.
func (c *contradictions) add(err error) {
	var e *LineError
	if !errors.As(err, &e) || e.Against == 0 {
		c.report(err)
		return
	}
	for _, run := range c.runs {
		if run.Name == e.Name && run.Against == e.Against {
			run.Line = e.Line
			run.Lines++
			return
		}
	}
	c.report(err)
	if len(c.runs) == maxRuns {
		c.endOldest()
	}
	c.runs = append(c.runs, &LineError{Name: e.Name, Against: e.Against})
}

// endOldest reports the rest of the oldest run.
func (c *contradictions) endOldest() {
	if run := c.runs[0]; run.Lines > 0 {
		run.Err = fmt.Errorf("the last of %d more that contradict line %d, which may be the one out of place", run.Lines, run.Against)
		c.report(run)
	}
	c.runs = c.runs[1:]
}

// end reports the rest of all runs.
func (c *contradictions) end() {
	for len(c.runs) > 0 {
		c.endOldest()
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
