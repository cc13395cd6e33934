package lab

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

// divergeRing is for how many seconds the world that is ahead is remembered.
const divergeRing = 2

// divergence looks for it. Of the world that is ahead it keeps a word for each
// body until the other world comes to that tick.
type divergence struct {
	found bool
	first Divergence

	ring     []prints // by tick
	now      []uint64 // of the world that is behind
	compared sim.Tick
	any      bool // there was something to compare
}

// prints are the words of all bodies of one world at a tick.
type prints struct {
	of     *sim.World // nil: of nothing
	tick   sim.Tick
	bodies []uint64
}

// look compares the two worlds as they are after a tick.
func (d *divergence) look(truth, guess *sim.World) {
	if d.found {
		return
	}
	ahead, behind := truth, guess
	if guess.Tick() > truth.Tick() {
		ahead, behind = guess, truth
	}
	if d.ring == nil {
		d.ring = make([]prints, divergeRing*truth.Rate())
	}
	x := d.at(ahead.Tick())
	x.of, x.tick, x.bodies = ahead, ahead.Tick(), printed(x.bodies[:0], ahead)
	past := d.at(behind.Tick())
	if past.of == nil || past.of == behind || past.tick != behind.Tick() || d.any && d.compared == past.tick {
		return
	}
	d.any, d.compared = true, past.tick
	d.now = printed(d.now[:0], behind)
	for i, word := range d.now {
		if differs := word ^ past.bodies[i]; differs != 0 {
			d.found, d.first = true, Divergence{past.tick, i, fields(differs)}
			d.ring, d.now = nil, nil
			return
		}
	}
}

func (d *divergence) at(t sim.Tick) *prints { return &d.ring[int(t)%len(d.ring)] }

// printed appends a word for each body of a world: 16 bits of a digest of each
// field, in order, the last of which is whether it is asleep.
func printed(dst []uint64, w *sim.World) []uint64 {
	bodies := w.Bodies()
	for i := range bodies {
		b := &bodies[i]
		q := &b.Pose.Rot
		word := fold(b.Pose.Pos, 0)<<48 | fold(geom.Vec3{X: q.X, Y: q.Y, Z: q.Z}, q.W)<<32 | fold(b.Linear, 0)<<16 | fold(b.Angular, 0)&^1
		if b.Asleep {
			word |= 1
		}
		dst = append(dst, word)
	}
	return dst
}

// fold digests four numbers into 16 bits: the upper ones of a sum of products,
// which all bits of the numbers reach.
func fold(v geom.Vec3, w float32) uint64 {
	two := func(x, y float32) uint64 { return uint64(math.Float32bits(x))<<32 | uint64(math.Float32bits(y)) }
	return (two(v.X, v.Y)*0x9E3779B97F4A7C15 + two(v.Z, w)*0xC2B2AE3D27D4EB4F) >> 48
}

// fields names the fields whose bits are set in a word.
func fields(differs uint64) string {
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

// copyFrom makes d an equal of o, whose worlds' copies are given. What has been
// compared already is left out.
func (d *divergence) copyFrom(o *divergence, truth, guess, from *sim.World) {
	*d = divergence{found: o.found, first: o.first, compared: o.compared, any: o.any}
	if o.ring == nil {
		return
	}
	d.ring = make([]prints, len(o.ring))
	for i := range o.ring {
		x := &o.ring[i]
		if x.of == nil || o.any && x.tick <= o.compared {
			continue
		}
		of := truth
		if x.of == from {
			of = guess
		}
		d.ring[i] = prints{of, x.tick, append([]uint64(nil), x.bodies...)}
	}
}
