package timeline

import (
	"ghostcube/predict/lab"
)

// CopyAt makes l, a lab without panes or one that CopyAt has filled before, the session of a take after n ticks, which are
// limited to the take, and returns the ticks that l has then. It does not change what the timeline shows.
func (t *Timeline) CopyAt(k *Take, n int, l *lab.Lab) (at int, err error) {
	n = min(max(n, t.Start()), k.End())
	best := t.latest(k, n)
	best.use(func() { l.CopyFrom(best.lab) })
	for i := best.tick; i < n; i++ {
		if err := l.Tick(*k.Entry(i)); err != nil {
			return i, err
		}
	}
	return n, nil
}
