// Package probe observes panes from outside: the first divergence of a client's world from
// the server's, the stages of input latency, corrections, and the results of shots. It knows
// worlds, wires and the contract of strategies, but not the session; the lab calls it in
// every tick. A probe never changes what it observes.
package probe

import (
	"math"
	"strings"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Divergence is the first difference between a client's world and the server's at the same
// tick, a desync.
type Divergence struct {
	Tick   sim.Tick // label of the two states
	Body   int      // first body that differs
	Fields string   // fields of that body that differ: position, rotation, linear, angular, asleep
}

// The history of the world that is ahead starts at initialHistoryTicks and grows with the
// distance between the two worlds, which a playout delay, an outage or a frozen client can
// make longer than any fixed length. maxHistoryHashes bounds its memory, 32 MB: 77 s of 901
// bodies at 60 Hz. Beyond that the oldest ticks are not compared.
const (
	initialHistoryTicks = 64
	maxHistoryHashes    = 1 << 22
)

// DivergenceDetector finds the first divergence of two worlds. One of them may be ahead: the
// detector keeps a hash of each of its bodies until the other world reaches that tick. The
// zero value is ready.
type DivergenceDetector struct {
	found bool
	first Divergence

	history      []bodyHashes // by tick
	behindHashes []uint64     // of the world that is behind
	lastCompared sim.Tick
	hasCompared  bool // lastCompared is valid

	rounded [2]roundedHashes // of the server's world and the client's
}

// bodyHashes are the hashes of all bodies of a world at a tick.
type bodyHashes struct {
	world  *predict.World // nil: the entry is empty
	tick   sim.Tick
	grid   sim.Grid // to which the bodies were rounded; nil: they were not
	hashes []uint64
}

// roundedHashes are the hashes of a world's bodies on a grid, as they were last computed. Most
// bodies of a large scene rest, and rounding takes longer than hashing.
type roundedHashes struct {
	grid   sim.Grid
	bodies []sim.Body // before rounding
	hashes []uint64
}

// First returns the first divergence. ok is false if there is none.
func (d *DivergenceDetector) First() (first Divergence, ok bool) { return d.first, d.found }

// Compare compares the two worlds after a session tick, at the newest tick that both have
// reached. A world is never compared with its own past. With a grid, states that are equal on it
// count as equal.
func (d *DivergenceDetector) Compare(server, client *predict.World, grid sim.Grid) {
	if d.found {
		return
	}
	ahead, behind := server, client
	if client.Tick() > server.Tick() {
		ahead, behind = client, server
	}
	d.grow(int(ahead.Tick()-behind.Tick())+1, len(server.Bodies()))
	hashBodies := func(dst []uint64, w *predict.World) []uint64 {
		switch {
		case grid == nil:
			return hashBodies(dst, w)
		case w == server:
			return d.rounded[0].hashBodies(dst, w, grid)
		}
		return d.rounded[1].hashBodies(dst, w, grid)
	}
	x := d.at(ahead.Tick())
	x.world, x.tick, x.grid, x.hashes = ahead, ahead.Tick(), grid, hashBodies(x.hashes[:0], ahead)
	past := d.at(behind.Tick())
	if past.world == nil || past.world == behind || past.tick != behind.Tick() || past.grid != grid || d.hasCompared && d.lastCompared == past.tick {
		return
	}
	d.hasCompared, d.lastCompared = true, past.tick
	d.behindHashes = hashBodies(d.behindHashes[:0], behind)
	for i, hash := range d.behindHashes {
		if differs := hash ^ past.hashes[i]; differs != 0 {
			d.found, d.first = true, Divergence{past.tick, i, fieldNames(differs)}
			d.history, d.behindHashes, d.rounded = nil, nil, [2]roundedHashes{}
			return
		}
	}
}

// grow makes the history long enough for a number of ticks, as far as memory allows.
func (d *DivergenceDetector) grow(ticks, bodies int) {
	length := max(len(d.history), initialHistoryTicks)
	for length < ticks && 2*length*bodies <= maxHistoryHashes {
		length *= 2
	}
	if length == len(d.history) {
		return
	}
	old := d.history
	d.history = make([]bodyHashes, length)
	for _, x := range old {
		if x.world != nil {
			*d.at(x.tick) = x
		}
	}
}

func (d *DivergenceDetector) at(t sim.Tick) *bodyHashes { return &d.history[int(t)%len(d.history)] }

// hashBodies appends a hash for each body of a world.
func hashBodies(dst []uint64, w *predict.World) []uint64 {
	bodies := w.Bodies()
	for i := range bodies {
		dst = append(dst, hashBody(&bodies[i]))
	}
	return dst
}

// hashBodies appends a hash for each body of a world, rounded to a grid.
func (r *roundedHashes) hashBodies(dst []uint64, w *predict.World, grid sim.Grid) []uint64 {
	bodies := w.Bodies()
	if r.grid != grid {
		r.grid, r.bodies, r.hashes = grid, make([]sim.Body, len(bodies)), make([]uint64, len(bodies))
	}
	for i := range bodies {
		if bodies[i] != r.bodies[i] {
			b := grid.Snap(bodies[i])
			r.bodies[i], r.hashes[i] = bodies[i], hashBody(&b)
		}
	}
	return append(dst, r.hashes...)
}

// hashBody returns 16 bits of a digest of position, rotation, linear and angular velocity each,
// where the lowest bit of the last is whether the body sleeps.
func hashBody(b *sim.Body) uint64 {
	q := &b.Pose.Rot
	hash := hash16(b.Pose.Pos, 0)<<48 | hash16(geom.Vec3{X: q.X, Y: q.Y, Z: q.Z}, q.W)<<32 | hash16(b.Linear, 0)<<16 | hash16(b.Angular, 0)&^1
	if b.Asleep {
		hash |= 1
	}
	return hash
}

// hash16 digests four numbers into 16 bits: the upper bits of a sum of products, which
// depend on all bits of the numbers.
func hash16(v geom.Vec3, w float32) uint64 {
	two := func(x, y float32) uint64 { return uint64(math.Float32bits(x))<<32 | uint64(math.Float32bits(y)) }
	return (two(v.X, v.Y)*0x9E3779B97F4A7C15 + two(v.Z, w)*0xC2B2AE3D27D4EB4F) >> 48
}

// fieldNames names the fields whose bits are set in the difference of two hashes.
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

// CopyFrom makes d an equal of o. server and client are the copies of the worlds that o
// compares; originalClient is the client's world of o. Ticks that have been compared are
// left out.
func (d *DivergenceDetector) CopyFrom(o *DivergenceDetector, server, client, originalClient *predict.World) {
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
		world := server
		if x.world == originalClient {
			world = client
		}
		d.history[i] = bodyHashes{world, x.tick, x.grid, append([]uint64(nil), x.hashes...)}
	}
}
