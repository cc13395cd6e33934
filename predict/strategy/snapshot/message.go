package snapshot

import (
	"ghostcube/net/delta"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/validation"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// bodyState is the visible state of a body.
type bodyState struct {
	pose    geom.Pose
	linear  geom.Vec3 // m/s; valid if the snapshot has velocities
	touched int8      // player who touches the body, or sim.NoPlayer
}

// snapshot is the visible state of all bodies at a tick. On the wire it is
//
//	tick, 15 low bits
//	packed, 1 bit: not at level raw
//	level, 4 bits, if packed; 9 if the precision is not the default one, and then
//	  level, 3 bits; position steps, 3 bits; rotation bits, 4 bits;
//	  10 if the encoding of indices is not the default one, and then
//	  level less that of delta, 2 bits; encoding, 3 bits
//	from level quantised on with the default precision: see writePacked; otherwise
//	velocities, 1 bit: velocities are included
//	for each body:
//	  touched, 0 for nobody or a player's number and 1: 1 bit for one player,
//	    2 for two or three, 3 for four
//	  position, 3 x 32 bits; at level quantised on a grid that covers the scene
//	  rotation, 4 x 32 bits; from level smallest-three on smallest three, 29 bits by default
//	  if velocities are included:
//	    at rest, 1 bit, at level at-rest
//	    linear, unless at rest, 3 x 32 bits; from level bounded-velocity on 3 x
//	      11 where bodies are no faster than 32 m/s
//
// With the knob checks, a check follows velocities and each of these fields of a body, and bodies begin at
// whole bytes; not from level quantised on, with the default precision.
//
// Every snapshot contains all bodies, moving or not: at level raw 225 bits a body for one player,
// 321 with velocities.
type snapshot struct {
	tick       sim.Tick
	level      int
	precision  precision
	indices    quant.IndexEncoding // of the changed bodies, if the level lists them
	velocities bool
	bodies     []bodyState // by body

	snapshotScratch
}

// snapshotScratch is memory of reading or writing one payload.
type snapshotScratch struct {
	breakdown predict.SnapshotBits // bits by content, after write or writePacked
	spent     predict.PacketBits   // bits by body, likewise
	cubes     []delta.Cube
	touchers  []int8
	checks    bool // the payload has checks, if they fit
}

// tickBits is the width of the tick on the wire, which wraps after 9 minutes at 60 Hz.
const tickBits = 15

// maxBodies is how many bodies a snapshot can contain, with their velocities.
const maxBodies = (packet.MaxPayload*8 - tickBits - 65) / (3 + 10*32)

// maxCheckedBits is the largest size of a body with checks, and maxChecked how many fit a snapshot then.
const (
	maxCheckedBits = 3 + 10*32 + 4*32 + 7
	maxChecked     = (packet.MaxPayload*8 - tickBits - 65 - 32) / maxCheckedBits
)

// capture copies the visible state of a world.
func (s *snapshot) capture(w *predict.World, level int, p precision, indices quant.IndexEncoding, velocities bool) {
	s.tick, s.level, s.precision, s.velocities = w.Tick(), level, p.at(level), velocities
	if s.indices = quant.ShorterIndices; listsIndices(level) {
		s.indices = indices
	}
	s.bodies = s.bodies[:0]
	touched := w.TouchedBy()
	for i, b := range w.Bodies() {
		s.bodies = append(s.bodies, bodyState{b.Pose, b.Linear, touched[i]})
	}
}

// customLevel stands for the level of a snapshot whose precision is not the default one, indexedLevel for that of one whose
// encoding of indices is not.
var (
	customLevel  = len(levels)
	indexedLevel = len(levels) + 1
)

// isPacked reports whether the snapshot is encoded by package delta.
func (s *snapshot) isPacked() bool { return s.level >= quantised && s.precision == defaultPrecision }

// write encodes a snapshot that is not packed. The payload is in *buffer, which grows if
// needed, and is finished by c.FinishWrite.
func (s *snapshot) write(c *quant.Coder, buffer *[]byte, scene *sim.Scene) {
	maxBits := tickBits + 8 + len(s.bodies)*(8+10*32)
	if s.checks && len(s.bodies) <= maxChecked {
		maxBits = tickBits + 65 + 32 + len(s.bodies)*maxCheckedBits
	}
	if n := min((maxBits+63)/64*8, packet.MaxPayload); len(*buffer) < n {
		*buffer = make([]byte, n)
	}
	c.BeginWrite(*buffer)
	c.Bits(uint32(s.tick)&(1<<tickBits-1), tickBits)
	switch {
	case !c.Bool(s.level != raw):
	case s.precision == defaultPrecision:
		c.Int(s.level, 0, indexedLevel)
	default:
		c.Int(customLevel, 0, indexedLevel)
		c.Int(s.level, 0, 7)
		s.precision.code(c)
	}
	c.Bool(s.velocities)
	s.beginChecks(c, len(scene.Boxes))
	s.breakdown = predict.SnapshotBits{}
	f := s.format(scene)
	s.spent.Begin(len(s.bodies))
	s.spent.ChargeOther(c.BitsProcessed())
	for i := range s.bodies {
		c.Group("bodies", i)
		s.bodies[i].code(c, &f, scene)
		s.spent.ChargeBody(i, c.BitsProcessed())
	}
	s.spent.ChargeOther((c.BitsProcessed() + 7) &^ 7)
	s.breakdown.Other = float64(c.BitsProcessed()) - s.breakdown.Bits()
	if c.Err() != nil {
		panic("snapshot: a snapshot of " + scene.Name + " does not fit a packet")
	}
}

// beginChecks starts the checks of a payload, if it has any.
func (s *snapshot) beginChecks(c *quant.Coder, bodies int) {
	c.EnableChecks(s.checks && bodies <= maxChecked)
	c.Group("", 0)
	c.Check("velocities")
}

// read decodes an untrusted payload. expected is a tick near the snapshot's, from which its high
// bits are completed. frames has the baselines received before. On error s is undefined.
func (s *snapshot) read(c *quant.Coder, payload []byte, scene *sim.Scene, expected sim.Tick, frames *delta.Reader) error {
	c.BeginRead(payload)
	c.Label("tick")
	s.tick = input.UnwrapTick(c.Bits(0, tickBits), tickBits, expected)
	s.level, s.precision, s.indices, s.velocities = raw, defaultPrecision, quant.ShorterIndices, false
	c.Label("packed")
	if c.Bool(false) {
		c.Label("level")
		if s.level = c.Int(0, 0, indexedLevel); s.level == raw {
			return predict.ErrMalformed // raw is encoded without a level
		}
		switch s.level {
		case indexedLevel:
			if s.codeIndexedLevel(c); s.indices == quant.ShorterIndices {
				return predict.ErrMalformed // the default encoding is not encoded
			}
		case customLevel:
			c.Label("level")
			s.level = c.Int(0, 0, 7)
			if s.precision.code(c); s.precision == defaultPrecision || s.precision != s.precision.at(s.level) {
				return predict.ErrMalformed // the default precision is not encoded
			}
		}
	}
	if s.isPacked() {
		return s.readPacked(c, payload, scene, frames)
	}
	c.Label("velocities")
	s.velocities = c.Bool(false)
	s.beginChecks(c, len(scene.Boxes))
	f := s.format(scene)
	s.bodies = s.bodies[:0]
	for i := range scene.Boxes {
		c.Group("bodies", i)
		s.bodies = append(s.bodies, bodyState{})
		s.bodies[i].code(c, &f, scene)
		if c.Err() != nil {
			return c.Err()
		}
	}
	if !c.AtEnd(len(payload)) {
		return predict.ErrMalformed // trailing bytes
	}
	return nil
}

// bodyFormat is how the bodies of a snapshot are encoded.
type bodyFormat struct {
	level        int
	velocities   bool
	velocityGrid quant.Grid // from level bounded-velocity on
	positionGrid quant.Grid // at level quantised
	rotation     quant.SmallestThree
	breakdown    *predict.SnapshotBits
}

func (s *snapshot) format(scene *sim.Scene) bodyFormat {
	g := s.precision.grid(scene)
	f := bodyFormat{level: s.level, velocities: s.velocities, breakdown: &s.breakdown, positionGrid: g.Position, rotation: g.Rotation}
	if s.velocities && s.level >= boundedVelocity {
		f.velocityGrid = velocityGrid(scene)
	}
	return f
}

// code reads or writes one body. A body that the scene cannot contain fails c when read.
func (b *bodyState) code(c *quant.Coder, f *bodyFormat, scene *sim.Scene) {
	c.AlignChecked()
	c.Label("touched")
	b.touched = int8(c.Int(int(b.touched)+1, 0, scene.Players) - 1)
	c.Check("touched")
	at := c.BitsProcessed()
	c.Label("position")
	if f.level == quantised {
		b.pose.Pos = codePosition(c, b.pose.Pos, &f.positionGrid, scene)
	} else {
		codeVec(c, &b.pose.Pos)
	}
	c.Check("position")
	f.breakdown.Position += float64(c.BitsProcessed() - at)
	at = c.BitsProcessed()
	c.Label("rotation")
	q := &b.pose.Rot
	if f.level == raw {
		q.X, q.Y, q.Z, q.W = c.Float(q.X), c.Float(q.Y), c.Float(q.Z), c.Float(q.W)
	} else {
		r := c.Rotation([4]float32{q.X, q.Y, q.Z, q.W}, f.rotation)
		*q = geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}
	}
	c.Check("rotation")
	f.breakdown.Rotation += float64(c.BitsProcessed() - at)
	if f.velocities {
		b.codeVelocity(c, f)
		c.Check("linear")
	}
	if c.Reading() && c.Err() == nil && !validation.Body(&sim.Body{Pose: b.pose, Linear: b.linear}, scene) {
		c.Fail(predict.ErrMalformed)
	}
}

// codeVelocity reads or writes the velocity. A velocity out of bounds is clamped when written.
func (b *bodyState) codeVelocity(c *quant.Coder, f *bodyFormat) {
	if f.level < boundedVelocity {
		at := c.BitsProcessed()
		c.Label("linear")
		codeVec(c, &b.linear)
		f.breakdown.Linear += float64(c.BitsProcessed() - at)
		return
	}
	v := f.velocityGrid.Quantise([3]float32{b.linear.X, b.linear.Y, b.linear.Z})
	if f.level == atRest {
		c.Label("at_rest")
		if c.Bool(v == [3]float32{}) {
			b.linear = geom.Vec3{}
			return
		}
	}
	at := c.BitsProcessed()
	c.Label("linear")
	v = c.CompressedVector(v, &f.velocityGrid)
	b.linear = geom.Vec3{X: v[0], Y: v[1], Z: v[2]}
	f.breakdown.Linear += float64(c.BitsProcessed() - at)
	if c.Reading() && f.level == atRest && b.linear == (geom.Vec3{}) {
		c.Fail(predict.ErrMalformed) // a zero velocity is encoded as at rest
	}
}

func codeVec(c *quant.Coder, v *geom.Vec3) {
	v.X, v.Y, v.Z = c.Float(v.X), c.Float(v.Y), c.Float(v.Z)
}

// copyFrom makes s a copy of o that shares no memory with it; scratch is not copied.
func (s *snapshot) copyFrom(o *snapshot) {
	s.tick, s.level, s.precision, s.indices, s.velocities = o.tick, o.level, o.precision, o.indices, o.velocities
	s.bodies = append(s.bodies[:0], o.bodies...)
}
