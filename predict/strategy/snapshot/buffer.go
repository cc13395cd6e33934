package snapshot

import "ghostcube/sim"

// ringSize is how many send intervals a snapshot may lie behind the newest, and
// how many snapshots are kept at most.
const ringSize = 64

// part is a tick's share in which moments are counted: a delay need be no whole
// number of ticks, and whole numbers are the same on every machine.
const part = 1 << 16

// buffer holds the snapshots that have come, by their ticks.
type buffer struct {
	list [ringSize]picture // the first n, oldest first; the rest is memory
	n    int
}

// put takes in a snapshot and gives its owner other memory for it. It reports
// false, and nothing changes, if one of its tick is there, or if it is older than
// all of a full buffer.
func (b *buffer) put(s *picture) bool {
	i := b.n
	for i > 0 && b.list[i-1].tick > s.tick {
		i--
	}
	switch {
	case i > 0 && b.list[i-1].tick == s.tick:
		return false
	case b.n < ringSize:
		spare := b.list[b.n]
		copy(b.list[i+1:b.n+1], b.list[i:b.n])
		b.list[i], *s = *s, spare
		b.n++
		return true
	case i == 0:
		return false
	}
	oldest := b.list[0]
	copy(b.list[:i-1], b.list[1:i])
	b.list[i-1], *s = *s, oldest
	return true
}

// forget drops what is older than a tick.
func (b *buffer) forget(before int64) {
	for b.n > 0 && int64(b.list[0].tick) < before {
		oldest := b.list[0]
		copy(b.list[:], b.list[1:b.n])
		b.n--
		b.list[b.n] = oldest
	}
}

// newest returns the newest snapshot, or nil.
func (b *buffer) newest() *picture {
	if b.n == 0 {
		return nil
	}
	return &b.list[b.n-1]
}

// around returns the newest snapshot at or before a moment, and the next after
// it if that is at most reach ticks later; nil for what is not there.
func (b *buffer) around(moment int64, reach int) (start, end *picture) {
	i := b.n - 1
	for i >= 0 && int64(b.list[i].tick)*part > moment {
		i--
	}
	if i < 0 {
		return nil, nil
	}
	start = &b.list[i]
	if i+1 < b.n && int(b.list[i+1].tick-start.tick) <= reach {
		end = &b.list[i+1]
	}
	return start, end
}

// ahead counts the snapshots after a moment.
func (b *buffer) ahead(moment int64) (n int) {
	for i := b.n - 1; i >= 0 && int64(b.list[i].tick)*part > moment; i-- {
		n++
	}
	return n
}

func (b *buffer) copyFrom(o *buffer) {
	for i := range o.n {
		b.list[i].copyFrom(&o.list[i])
	}
	b.n = o.n
}

// parts is a time in milliseconds, at most 3000, as parts of ticks.
func parts(millis float64, rate int) int64 {
	return int64(float64(millis*1e6)) * int64(rate) / 1000 * part / 1e6
}

// millis is the opposite of parts.
func millis(parts int64, rate int) float64 {
	return float64(parts) * 1000 / float64(part*rate)
}

// nearest is the tick nearest to a moment.
func nearest(moment int64) sim.Tick { return sim.Tick(max(moment+part/2, 0) / part) }

// sixteenths is a time in parts of ticks, of half a tick at most, in 1/sim.SeenParts
// ticks, to the nearest.
func sixteenths(parts int64) int {
	const each = part / sim.SeenParts
	return int(max(min((parts+part+each/2)/each-sim.SeenParts, sim.SeenParts/2), -sim.SeenParts/2))
}
