package timeline

import "ghostcube/predict/lab"

// Limit sets the number of checkpoints.
func (t *Timeline) Limit(n int) { t.limit = n }

// Checkpoints returns the number of checkpoints.
func (t *Timeline) Checkpoints() int { return len(t.checkpoints) }

// Repeat adds n ticks that are copies of the marks and entries of the last second, without running them. The
// session must not go back to them.
func (t *Timeline) Repeat(n int) {
	k := t.take
	for range n {
		at := len(k.entries)
		k.entries = append(k.entries, k.entries[at-60])
		for i := range t.lab.Panes {
			for kind := range Bookmarks {
				b := &k.marks.panes[i][kind]
				if from := at - 300; len(b.within(from, from+1)) > 0 {
					b.add(at)
				}
			}
		}
	}
}

// MadeFrom returns the tick from which all ticks up to the present one have been made in a row.
func (t *Timeline) MadeFrom() int { return t.madeFrom }

// UseLast calls f with the last checkpoint of the present take after everything has been taken out of it.
func (t *Timeline) UseLast(f func(l *lab.Lab)) {
	c := t.latest(t.take, t.End())
	c.contents.Take(1 << 40)
	c.use(func() { f(c.lab) })
}
