package gamelog

import (
	"errors"
	"io"
)

// CheckScore reads the logs of a session, one or two, to their ends, and calls report with the error of each broken line. It returns
// their numbers of lines, and the score of the good ones. Its error is that of Score, or of a log that cannot be read.
func CheckScore(names []string, files []io.Reader, report func(error)) (lines []int, card *Card, err error) {
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
	return lines, card, err
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
