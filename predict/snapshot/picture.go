package snapshot

import (
	"errors"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict/inputs"
	"ghostcube/predict/wire"
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
//	tick, 16 low bits
//	velocities, 1 bit: they follow
//	for each body:
//	  touched, 0 for nobody or a player's number and 1: 1 bit for one player,
//	    2 for two or three, 3 for four
//	  position, 3 x 32 bits
//	  rotation, 4 x 32 bits
//	  linear, 3 x 32 bits, if velocities follow
//
// All of it every time, whether it moves or not: 225 bits a body for one
// player, 321 with velocities.
type picture struct {
	tick       sim.Tick
	velocities bool
	looks      []look // by body
}

// tickBits is the width of the tick on the wire: it wraps after 18 minutes.
const tickBits = 16

// mostLooks is how many bodies a snapshot holds, with their velocities.
const mostLooks = (packet.MaxPayload*8 - tickBits - 64) / (3 + 10*32)

var errPicture = errors.New("snapshot: not a snapshot")

// take notes how a world looks now.
func (s *picture) take(w *sim.World, velocities bool) {
	s.tick, s.velocities = w.Tick(), velocities
	s.looks = s.looks[:0]
	touched := w.Touched()
	for i, b := range w.Bodies() {
		s.looks = append(s.looks, look{b.Pose, b.Linear, touched[i]})
	}
}

// write writes the snapshot of a scene with c, whose memory it gives: *buffer,
// made longer if it must be.
func (s *picture) write(c *quant.Coder, buffer *[]byte, scene *sim.Scene) {
	most := tickBits + 1 + len(s.looks)*(8+10*32)
	if n := min((most+63)/64*8, packet.MaxPayload); len(*buffer) < n {
		*buffer = make([]byte, n)
	}
	c.Write(*buffer)
	c.Bits(uint32(s.tick)&(1<<tickBits-1), tickBits)
	c.Bool(s.velocities)
	for i := range s.looks {
		s.looks[i].code(c, s.velocities, scene)
	}
	if c.Err() != nil {
		panic("snapshot: a snapshot of " + scene.Name + " does not fit a packet")
	}
}

// read reads a payload that may be anything. guess is a tick near the
// snapshot's, to complete its low bits from. What is refused leaves s undefined.
func (s *picture) read(c *quant.Coder, payload []byte, scene *sim.Scene, guess sim.Tick) error {
	c.Read(payload)
	c.Name("tick")
	s.tick = inputs.Complete(c.Bits(0, tickBits), tickBits, guess)
	c.Name("velocities")
	s.velocities = c.Bool(false)
	s.looks = s.looks[:0]
	for i := range scene.Boxes {
		c.Part("bodies", i)
		s.looks = append(s.looks, look{})
		s.looks[i].code(c, s.velocities, scene)
		if c.Err() != nil {
			return c.Err()
		}
	}
	if !c.Whole(len(payload)) {
		return errPicture // something is left over
	}
	return nil
}

// code reads or writes how one body looks. What is read is what the scene could
// show, or c fails.
func (l *look) code(c *quant.Coder, velocities bool, scene *sim.Scene) {
	c.Name("touched")
	l.touched = int8(c.Int(int(l.touched)+1, 0, scene.Players) - 1)
	c.Name("position")
	vec(c, &l.pose.Pos)
	c.Name("rotation")
	q := &l.pose.Rot
	q.X, q.Y, q.Z, q.W = c.Float(q.X), c.Float(q.Y), c.Float(q.Z), c.Float(q.W)
	if velocities {
		c.Name("linear")
		vec(c, &l.linear)
	}
	if c.Reading() && c.Err() == nil && !wire.Plausible(&sim.Body{Pose: l.pose, Linear: l.linear}, scene) {
		c.Fail(errPicture)
	}
}

func vec(c *quant.Coder, v *geom.Vec3) {
	v.X, v.Y, v.Z = c.Float(v.X), c.Float(v.Y), c.Float(v.Z)
}

// copyFrom makes s an equal of o that shares no memory with it.
func (s *picture) copyFrom(o *picture) {
	s.tick, s.velocities = o.tick, o.velocities
	s.looks = append(s.looks[:0], o.looks...)
}
