package snapshot

import "ghostcube/sim"

// bufferSize is how many send intervals a snapshot may lie behind the newest, and
// how many snapshots are kept at most.
const bufferSize = 64

// interpolationBuffer holds the snapshots that have come, by their ticks.
type interpolationBuffer struct {
	snapshots [bufferSize]snapshot // the first n, oldest first; the rest is memory
	count     int
}

// insert takes in a snapshot and gives its owner other memory for it. It reports
// false, and nothing changes, if one of its tick is there, or if it is older than
// all of a full buffer.
func (b *interpolationBuffer) insert(s *snapshot) bool {
	i := b.count
	for i > 0 && b.snapshots[i-1].tick > s.tick {
		i--
	}
	switch {
	case i > 0 && b.snapshots[i-1].tick == s.tick:
		return false
	case b.count < bufferSize:
		spare := b.snapshots[b.count]
		copy(b.snapshots[i+1:b.count+1], b.snapshots[i:b.count])
		b.snapshots[i], *s = *s, spare
		b.count++
		return true
	case i == 0:
		return false
	}
	oldest := b.snapshots[0]
	copy(b.snapshots[:i-1], b.snapshots[1:i])
	b.snapshots[i-1], *s = *s, oldest
	return true
}

// dropBefore drops what is older than a tick.
func (b *interpolationBuffer) dropBefore(before int64) {
	for b.count > 0 && int64(b.snapshots[0].tick) < before {
		oldest := b.snapshots[0]
		copy(b.snapshots[:], b.snapshots[1:b.count])
		b.count--
		b.snapshots[b.count] = oldest
	}
}

// newest returns the newest snapshot, or nil.
func (b *interpolationBuffer) newest() *snapshot {
	if b.count == 0 {
		return nil
	}
	return &b.snapshots[b.count-1]
}

// bracket returns the newest snapshot at or before a moment, and the next after
// it if that is at most reach ticks later; nil for what is not there.
func (b *interpolationBuffer) bracket(moment sim.Moment, reach int) (start, end *snapshot) {
	i := b.count - 1
	for i >= 0 && b.snapshots[i].tick.Moment() > moment {
		i--
	}
	if i < 0 {
		return nil, nil
	}
	start = &b.snapshots[i]
	if i+1 < b.count && int(b.snapshots[i+1].tick-start.tick) <= reach {
		end = &b.snapshots[i+1]
	}
	return start, end
}

// countAfter counts the snapshots after a moment.
func (b *interpolationBuffer) countAfter(moment sim.Moment) (n int) {
	for i := b.count - 1; i >= 0 && b.snapshots[i].tick.Moment() > moment; i-- {
		n++
	}
	return n
}

func (b *interpolationBuffer) copyFrom(o *interpolationBuffer) {
	for i := range o.count {
		b.snapshots[i].copyFrom(&o.snapshots[i])
	}
	b.count = o.count
}
