package snapshot

import (
	"ghostcube/net/delta"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The levels: how much is done to save bits. Each does what the one before does,
// and something more (Fiedler, Snapshot Compression, 2015).
const (
	raw              = iota
	smallestThree    // rotations in 29 bits
	boundedVelocity  // velocities in 32 steps per m/s: 33 bits
	atRest           // a bit for a velocity that is none
	quantised        // positions in 50 bits; from here on without velocities
	changed          // only what is other than in a base
	relativePosition // positions by their difference from the base
	relativeRotation // and rotations
	arithmetic       // arithmetic coding of what is other than expected
)

var levels = []string{"raw", "smallest-three", "bounded-velocity", "at-rest", "quantised", "delta", "relative-position", "relative-rotation", "arithmetic"}

// coded is how package delta calls the levels from quantised on.
var coded = [...]delta.Level{
	quantised: delta.Quantised, changed: delta.Indices, relativePosition: delta.RelativePosition,
	relativeRotation: delta.RelativeRotation, arithmetic: delta.Arithmetic,
}

// fits reports whether all that a scene may hold is in the bounds of package
// delta.
func fits(scene *sim.Scene) bool { return scene.HalfWidth <= 256 && scene.Height <= 32 }

// grid is that of velocities, with the article's 32 steps per m/s.
func grid(scene *sim.Scene) quant.Grid {
	return codec.GridOf(scene, 32, quant.SnapshotRotation).Linear
}

// listener is a client as the server knows it from level quantised on: what it
// has been sent, and which of that it is known to have.
type listener struct {
	writer  *delta.Writer
	numbers packet.SequenceBuffer[uint16] // the writer's, by the packet's
}

func newListener() listener {
	return listener{delta.NewWriter(delta.Quantised), packet.NewSequenceBuffer[uint16](128)}
}

// hear takes in what the client is known to have. Nothing is acknowledged that it
// could not read: see package delta.
func (l *listener) hear(e *packet.Endpoint) {
	for _, a := range e.Acks() {
		if q := l.numbers.Find(a); q != nil {
			l.writer.Acked(*q)
		}
	}
}

// sent notes under which number of the wire a packet of the writer went.
func (l *listener) sent(s packet.Sequence, number uint16) {
	if q := l.numbers.Insert(s); q != nil {
		*q = number
	}
}

func (l *listener) copyFrom(o *listener) {
	l.writer.CopyFrom(o.writer)
	l.numbers.CopyFrom(&o.numbers)
}

// headBytes is more than the head of a packed snapshot takes.
func headBytes(bodies int) int { return (bodies/4 + 24 + 7) &^ 7 }

// put writes the snapshot at a level from quantised on: a head, and the frame of
// the listener's writer, to the end. It returns also the writer's number.
func (s *picture) put(c *quant.Coder, buffer *[]byte, scene *sim.Scene, l *listener) (payload []byte, number uint16) {
	s.cubes = s.cubes[:0]
	for i := range s.looks {
		s.cubes = append(s.cubes, delta.Of(s.looks[i].pose, s.looks[i].touched != sim.NoPlayer))
	}
	room := headBytes(len(s.looks))
	if n := (room + delta.PacketBytes(len(s.looks)) + 7) &^ 7; len(*buffer) < n {
		*buffer = make([]byte, n)
	}
	c.Write((*buffer)[:room])
	c.Bits(uint32(s.tick)&(1<<tickBits-1), tickBits)
	c.Bool(true)
	c.Int(s.level, 0, len(levels)-1)
	s.touchers(c, scene)
	n := len(c.Data())
	l.writer.Turn(coded[s.level])
	frame, number, err := l.writer.Write((*buffer)[n:], s.cubes)
	if c.Err() != nil || err != nil {
		panic("snapshot: a snapshot of " + scene.Name + " cannot be packed")
	}
	at := l.writer.Spent()
	s.spent = predict.SnapshotBits{Index: at.Index, Position: at.Position, Rotation: at.Rotation}
	payload = (*buffer)[:n+len(frame)]
	s.spent.Rest = float64(8*len(payload)) - s.spent.Bits()
	return payload, number
}

// get reads what put wrote, behind tick and level. frames are those that came
// before; without them the frame is told of and not read.
func (s *picture) get(c *quant.Coder, payload []byte, scene *sim.Scene, frames *delta.Reader) error {
	s.touchers(c, scene)
	if pad := -c.Processed() & 7; pad > 0 {
		c.Name("padding")
		if c.Bits(0, pad) != 0 {
			return errPicture
		}
	}
	if c.Err() != nil {
		return c.Err()
	}
	body := payload[c.Processed()/8:]
	if frames == nil {
		if err := tell(c, s.level, len(scene.Boxes), len(body)); err != nil {
			return err
		}
		if !c.Whole(len(payload)) {
			return errPicture
		}
		return nil
	}
	frames.Turn(coded[s.level])
	cubes, _, err := frames.Read(body)
	if err != nil {
		return err
	}
	held := s.who
	s.looks = s.looks[:0]
	for i := range cubes {
		k := &cubes[i]
		l := look{pose: geom.Pose{Pos: k.Position(), Rot: k.Rotation()}, touched: sim.NoPlayer}
		if k.Touched {
			if scene.Players > 1 {
				if len(held) == 0 {
					return errPicture
				}
				l.touched, held = held[0], held[1:]
			} else {
				l.touched = 0
			}
		}
		if !within(l.pose.Pos, scene) {
			return errPicture
		}
		s.looks = append(s.looks, l)
	}
	if len(held) > 0 {
		return errPicture
	}
	return nil
}

// touchers is who touches the bodies that are touched, in their order, if there
// are several players: the frame says which bodies these are.
func (s *picture) touchers(c *quant.Coder, scene *sim.Scene) {
	if scene.Players < 2 {
		return
	}
	if !c.Reading() {
		s.who = s.who[:0]
		for i := range s.looks {
			if t := s.looks[i].touched; t != sim.NoPlayer {
				s.who = append(s.who, t)
			}
		}
	}
	c.Name("held")
	n := c.Int(len(s.who), 0, len(scene.Boxes))
	if c.Reading() {
		s.who = append(s.who[:0], make([]int8, n)...)
	}
	c.Name("by")
	for i := range s.who {
		s.who[i] = int8(c.Int(int(s.who[i]), 0, scene.Players-1))
	}
}

// half is half a step of the positions of package delta, by which a body may seem
// to be outside.
const half = 0.5 / delta.StepsPerMetre

func within(p geom.Vec3, scene *sim.Scene) bool {
	return geom.Abs(p.X) <= scene.HalfWidth+half && geom.Abs(p.Y) <= scene.HalfWidth+half && p.Z >= 0 && p.Z <= scene.Height+half
}

// tell tells of a frame: of its cubes if it is whole, of its bytes if only one who has
// its base can read it.
func tell(c *quant.Coder, level, bodies, bytes int) error {
	if bytes < delta.HeadBytes {
		return errPicture
	}
	c.Name("sequence")
	c.Bits(0, 16)
	c.Name("back")
	back := c.Bits(0, 8)
	c.Name("apart")
	c.Bits(0, 8)
	if level == quantised || back == 0 {
		tellWhole(c, bodies)
		return c.Err()
	}
	c.Name("frame")
	for bytes -= delta.HeadBytes; bytes >= 4; bytes -= 4 {
		c.Bits(0, 32)
	}
	for range bytes {
		c.Bits(0, 8)
	}
	return c.Err()
}

func tellWhole(c *quant.Coder, bodies int) {
	for i := range bodies {
		c.Part("bodies", i)
		c.Name("touched")
		c.Bool(false)
		c.Name("position")
		for k := range delta.Least {
			c.Int(0, int(delta.Least[k]), int(delta.Most[k]))
		}
		c.Name("largest")
		c.Bits(0, 2)
		c.Name("rotation")
		for range 3 {
			c.Bits(0, 9)
		}
	}
}
