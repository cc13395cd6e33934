package session

import (
	"context"

	"ghostcube/predict/lab"
)

// Run runs a session that nobody watches: it makes the ticks of entries in a lab. before is called with the index of every
// tick, and after with the number of ticks made; both may be nil. Run ends early, and without an error, when ctx does.
func Run(ctx context.Context, l *lab.Lab, entries lab.Entries, before func(i int), after func(made int) error) error {
	for i := range entries.Count {
		if ctx.Err() != nil {
			return nil
		}
		if before != nil {
			before(i)
		}
		if err := l.Tick(entries.At(i)); err != nil {
			return err
		}
		if after == nil {
			continue
		}
		if err := after(i + 1); err != nil {
			return err
		}
	}
	return nil
}
