package snapshot

import "ghostcube/sim"

// bufferSize is the greatest age of a buffered snapshot in send intervals before the
// newest, and the greatest number of them.
const bufferSize = 64

// store puts a received snapshot into the interpolation buffer and exchanges its memory
// for another's. It reports false, and nothing changes, if the tick is there already, or
// if the buffer is full of newer snapshots.
func (c *client) store(s *snapshot) bool {
	b := &c.buffer
	if b.Len() == bufferSize && s.tick < b.At(0).Tick {
		return false
	}
	place := b.Insert(s.tick)
	if place == nil {
		return false
	}
	tick := s.tick
	*place, *s = *s, *place
	if b.Len() > bufferSize {
		b.Drop(1)
	}
	b.Drop(b.CountUntil(tick.Moment() - bufferSize*c.sendInterval() - 1))
	return true
}

// bracket returns the newest snapshot at or before a moment, and the one after it if that
// is at most reach ticks later; nil stands for one that is missing. later is the number
// of snapshots after the moment.
func (c *client) bracket(m sim.Moment, reach int) (start, end *snapshot, later int) {
	n := c.buffer.CountUntil(m)
	later = c.buffer.Len() - n
	if n == 0 {
		return nil, nil, later
	}
	start = &c.buffer.At(n - 1).Value
	if later > 0 && int(c.buffer.At(n).Tick-start.tick) <= reach {
		end = &c.buffer.At(n).Value
	}
	return start, end, later
}

// sendInterval returns the time from one snapshot to the next.
func (c *client) sendInterval() sim.Moment { return sim.Tick(c.settings.snapshotEvery).Moment() }
