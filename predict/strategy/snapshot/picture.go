package snapshot

import (
	"errors"

	"ghostcube/net/delta"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// look is all that can be seen of a body.
type look struct {
	pose    geom.Pose
	linear  geom.Vec3 // m/s; of meaning only where velocities came along
	touched int8      // a player's number, or sim.Nobody
}

// picture is a snapshot: how all bodies look at a tick. On the wire it is
//
//	tick, 15 low bits
//	packed, 1 bit: not at level raw
//	level, 4 bits, if packed; for those from quantised on see put
//	velocities, 1 bit: they follow
//	for each body:
//	  touched, 0 for nobody or a player's number and 1: 1 bit for one player,
//	    2 for two or three, 3 for four
//	  position, 3 x 32 bits
//	  rotation, 4 x 32 bits; 29 bits from level smallest-three on
//	  if velocities follow:
//	    at rest, 1 bit, at level at-rest
//	    linear, unless at rest, 3 x 32 bits; from level bounded-velocity on 3 x
//	      11 where bodies are no faster than 32 m/s
//
// All of it every time, whether it moves or not: at level raw 225 bits a body for
// one player, 321 with velocities.
type picture struct {
	tick       sim.Tick
	level      int
	velocities bool
	looks      []look // by body

	spent predict.SnapshotBits // what the bits told, after write or put
	cubes []delta.Cube         // memory
	who   []int8               // memory
}

// tickBits is the width of the tick on the wire: it wraps after 9 minutes.
const tickBits = 15

// mostLooks is how many bodies a snapshot holds, with their velocities.
const mostLooks = (packet.MaxPayload*8 - tickBits - 65) / (3 + 10*32)

var errPicture = errors.New("snapshot: not a snapshot")

// take notes how a world looks now.
func (s *picture) take(w *sim.World, level int, velocities bool) {
	s.tick, s.level, s.velocities = w.Tick(), level, velocities
	s.looks = s.looks[:0]
	touched := w.Touched()
	for i, b := range w.Bodies() {
		s.looks = append(s.looks, look{b.Pose, b.Linear, touched[i]})
	}
}

// write writes the snapshot of a scene, below level quantised, with c, whose memory
// it gives: *buffer, made longer if it must be.
func (s *picture) write(c *quant.Coder, buffer *[]byte, scene *sim.Scene) {
	most := tickBits + 8 + len(s.looks)*(8+10*32)
	if n := min((most+63)/64*8, packet.MaxPayload); len(*buffer) < n {
		*buffer = make([]byte, n)
	}
	c.Write(*buffer)
	c.Bits(uint32(s.tick)&(1<<tickBits-1), tickBits)
	if c.Bool(s.level != raw) {
		c.Int(s.level, 0, len(levels)-1)
	}
	c.Bool(s.velocities)
	s.spent = predict.SnapshotBits{}
	f := s.form(scene)
	for i := range s.looks {
		s.looks[i].code(c, &f, scene)
	}
	s.spent.Rest = float64(c.Processed()) - s.spent.Bits()
	if c.Err() != nil {
		panic("snapshot: a snapshot of " + scene.Name + " does not fit a packet")
	}
}

// read reads a payload that may be anything. guess is a tick near the
// snapshot's, to complete its low bits from; frames are those that came before.
// What is refused leaves s undefined.
func (s *picture) read(c *quant.Coder, payload []byte, scene *sim.Scene, guess sim.Tick, frames *delta.Reader) error {
	c.Read(payload)
	c.Name("tick")
	s.tick = input.Complete(c.Bits(0, tickBits), tickBits, guess)
	s.level, s.velocities = raw, false
	c.Name("packed")
	if c.Bool(false) {
		c.Name("level")
		if s.level = c.Int(0, 0, len(levels)-1); s.level == raw {
			return errPicture // raw has another form
		}
	}
	if s.level >= quantised {
		return s.get(c, payload, scene, frames)
	}
	c.Name("velocities")
	s.velocities = c.Bool(false)
	f := s.form(scene)
	s.looks = s.looks[:0]
	for i := range scene.Boxes {
		c.Part("bodies", i)
		s.looks = append(s.looks, look{})
		s.looks[i].code(c, &f, scene)
		if c.Err() != nil {
			return c.Err()
		}
	}
	if !c.Whole(len(payload)) {
		return errPicture // something is left over
	}
	return nil
}

// form is what the looks of a snapshot have in common.
type form struct {
	level      int
	velocities bool
	grid       quant.Grid // of velocities, from level bounded-velocity on
	spent      *predict.SnapshotBits
}

func (s *picture) form(scene *sim.Scene) form {
	f := form{level: s.level, velocities: s.velocities, spent: &s.spent}
	if s.velocities && s.level >= boundedVelocity {
		f.grid = grid(scene)
	}
	return f
}

// code reads or writes how one body looks. What is read is what the scene could
// show, or c fails.
func (l *look) code(c *quant.Coder, f *form, scene *sim.Scene) {
	c.Name("touched")
	l.touched = int8(c.Int(int(l.touched)+1, 0, scene.Players) - 1)
	at := c.Processed()
	c.Name("position")
	vec(c, &l.pose.Pos)
	f.spent.Position += float64(c.Processed() - at)
	at = c.Processed()
	c.Name("rotation")
	q := &l.pose.Rot
	if f.level == raw {
		q.X, q.Y, q.Z, q.W = c.Float(q.X), c.Float(q.Y), c.Float(q.Z), c.Float(q.W)
	} else {
		r := c.Rotation([4]float32{q.X, q.Y, q.Z, q.W}, quant.SnapshotRotation)
		*q = geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}
	}
	f.spent.Rotation += float64(c.Processed() - at)
	if f.velocities {
		l.velocity(c, f)
	}
	if c.Reading() && c.Err() == nil && !codec.Plausible(&sim.Body{Pose: l.pose, Linear: l.linear}, scene) {
		c.Fail(errPicture)
	}
}

// velocity reads or writes the velocity. One that is out of bounds is written as on
// them.
func (l *look) velocity(c *quant.Coder, f *form) {
	if f.level < boundedVelocity {
		at := c.Processed()
		c.Name("linear")
		vec(c, &l.linear)
		f.spent.Linear += float64(c.Processed() - at)
		return
	}
	v := f.grid.Quantise([3]float32{l.linear.X, l.linear.Y, l.linear.Z})
	if f.level == atRest {
		c.Name("at_rest")
		if c.Bool(v == [3]float32{}) {
			l.linear = geom.Vec3{}
			return
		}
	}
	at := c.Processed()
	c.Name("linear")
	v = c.Reals(v, &f.grid)
	l.linear = geom.Vec3{X: v[0], Y: v[1], Z: v[2]}
	f.spent.Linear += float64(c.Processed() - at)
	if c.Reading() && f.level == atRest && l.linear == (geom.Vec3{}) {
		c.Fail(errPicture) // it is at rest
	}
}

func vec(c *quant.Coder, v *geom.Vec3) {
	v.X, v.Y, v.Z = c.Float(v.X), c.Float(v.Y), c.Float(v.Z)
}

// copyFrom makes s an equal of o that shares no memory with it.
func (s *picture) copyFrom(o *picture) {
	s.tick, s.level, s.velocities = o.tick, o.level, o.velocities
	s.looks = append(s.looks[:0], o.looks...)
}
