package probe

import (
	"math"
	"strings"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Divergence is where a client's world and the server's first differed at the
// same tick.
type Divergence struct {
	Tick   sim.Tick // the label of the two states
	Body   int      // the first that differs
	Fields string   // of that body, those that differ of position, rotation, linear, angular and asleep
}

// divergenceHistorySeconds is for how many seconds the world that is ahead is remembered.
const divergenceHistorySeconds = 2

// DivergenceDetector looks for it. Of the world that is ahead it keeps a word for each
// body until the other world comes to that tick.
type DivergenceDetector struct {
	found bool
	first Divergence

	history      []bodyHashes // by tick
	behindHashes []uint64     // of the world that is behind
	lastCompared sim.Tick
	hasCompared  bool // there was something to compare
}

// bodyHashes are the words of all bodies of one world at a tick.
type bodyHashes struct {
	world  *sim.World // nil: of nothing
	tick   sim.Tick
	hashes []uint64
}

// First returns where the worlds first differed. ok is false if they have not.
func (d *DivergenceDetector) First() (first Divergence, ok bool) { return d.first, d.found }

// Compare compares the two worlds as they are after a tick.
func (d *DivergenceDetector) Compare(truth, guess *sim.World) {
	if d.found {
		return
	}
	ahead, behind := truth, guess
	if guess.Tick() > truth.Tick() {
		ahead, behind = guess, truth
	}
	if d.history == nil {
		d.history = make([]bodyHashes, divergenceHistorySeconds*truth.Rate())
	}
	x := d.at(ahead.Tick())
	x.world, x.tick, x.hashes = ahead, ahead.Tick(), hashBodies(x.hashes[:0], ahead)
	past := d.at(behind.Tick())
	if past.world == nil || past.world == behind || past.tick != behind.Tick() || d.hasCompared && d.lastCompared == past.tick {
		return
	}
	d.hasCompared, d.lastCompared = true, past.tick
	d.behindHashes = hashBodies(d.behindHashes[:0], behind)
	for i, word := range d.behindHashes {
		if differs := word ^ past.hashes[i]; differs != 0 {
			d.found, d.first = true, Divergence{past.tick, i, fieldNames(differs)}
			d.history, d.behindHashes = nil, nil
			return
		}
	}
}

func (d *DivergenceDetector) at(t sim.Tick) *bodyHashes { return &d.history[int(t)%len(d.history)] }

// hashBodies appends a word for each body of a world: 16 bits of a digest of each
// field, in order, the last of which is whether it is asleep.
func hashBodies(dst []uint64, w *sim.World) []uint64 {
	bodies := w.Bodies()
	for i := range bodies {
		b := &bodies[i]
		q := &b.Pose.Rot
		word := hash16(b.Pose.Pos, 0)<<48 | hash16(geom.Vec3{X: q.X, Y: q.Y, Z: q.Z}, q.W)<<32 | hash16(b.Linear, 0)<<16 | hash16(b.Angular, 0)&^1
		if b.Asleep {
			word |= 1
		}
		dst = append(dst, word)
	}
	return dst
}

// hash16 digests four numbers into 16 bits: the upper ones of a sum of products,
// which all bits of the numbers reach.
func hash16(v geom.Vec3, w float32) uint64 {
	two := func(x, y float32) uint64 { return uint64(math.Float32bits(x))<<32 | uint64(math.Float32bits(y)) }
	return (two(v.X, v.Y)*0x9E3779B97F4A7C15 + two(v.Z, w)*0xC2B2AE3D27D4EB4F) >> 48
}

// fieldNames names the fields whose bits are set in a word.
func fieldNames(differs uint64) string {
	var names []string
	for i, name := range [...]string{"position", "rotation", "linear"} {
		if differs>>(48-16*i)&0xffff != 0 {
			names = append(names, name)
		}
	}
	if differs&0xfffe != 0 {
		names = append(names, "angular")
	}
	if differs&1 != 0 {
		names = append(names, "asleep")
	}
	return strings.Join(names, ", ")
}

// CopyFrom makes d an equal of o, whose worlds' copies are given. What has been
// compared already is left out.
func (d *DivergenceDetector) CopyFrom(o *DivergenceDetector, truth, guess, from *sim.World) {
	*d = DivergenceDetector{found: o.found, first: o.first, lastCompared: o.lastCompared, hasCompared: o.hasCompared}
	if o.history == nil {
		return
	}
	d.history = make([]bodyHashes, len(o.history))
	for i := range o.history {
		x := &o.history[i]
		if x.world == nil || o.hasCompared && x.tick <= o.lastCompared {
			continue
		}
		of := truth
		if x.world == from {
			of = guess
		}
		d.history[i] = bodyHashes{of, x.tick, append([]uint64(nil), x.hashes...)}
	}
}
