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

// The compression levels. Each adds one technique to the one before (Fiedler, Snapshot Compression,
// 2015).
const (
	raw              = iota
	smallestThree    // rotations in 29 bits
	boundedVelocity  // velocities in 32 steps per m/s: 33 bits
	atRest           // one bit for a body at rest
	quantised        // positions in 50 bits; no velocities from here on
	deltaEncoded     // only bodies that differ from a baseline
	relativePosition // positions as differences from the baseline
	relativeRotation // rotations as differences from the baseline
	arithmetic       // arithmetic coding of differences from a prediction
)

var levels = []string{"raw", "smallest-three", "bounded-velocity", "at-rest", "quantised", "delta", "relative-position", "relative-rotation", "arithmetic"}

// deltaLevels are package delta's names of the levels from quantised on.
var deltaLevels = [...]delta.Level{
	quantised: delta.Quantised, deltaEncoded: delta.Indices, relativePosition: delta.RelativePosition,
	relativeRotation: delta.RelativeRotation, arithmetic: delta.Arithmetic,
}

// indexEncodings are the encodings of the indices of the changed bodies, by the value of the knob.
var indexEncodings = quant.IndexEncodingNames()

// listsIndices reports whether snapshots of a level list the indices of the changed bodies.
func listsIndices(level int) bool { return level >= deltaEncoded && level <= relativeRotation }

// writeLevel writes the level of a packed snapshot, and the encoding of its indices if that is not the usual one.
func (s *snapshot) writeLevel(c *quant.Coder) {
	if s.indices == quant.ShorterIndices {
		c.Int(s.level, 0, indexedLevel)
		return
	}
	c.Int(indexedLevel, 0, indexedLevel)
	s.codeIndexedLevel(c)
}

// codeIndexedLevel reads or writes a level that lists indices, and their encoding.
func (s *snapshot) codeIndexedLevel(c *quant.Coder) {
	c.Label("level")
	s.level = c.Int(s.level, deltaEncoded, relativeRotation)
	c.Label("index_encoding")
	s.indices = quant.IndexEncoding(c.Int(int(s.indices), 0, len(indexEncodings)-1))
}

// fitsQuantised reports whether a scene is within the bounds of package delta.
func fitsQuantised(scene *sim.Scene) bool { return scene.HalfWidth <= 256 && scene.Height <= 32 }

// velocityGrid returns the grid of velocities, with the article's 32 steps per m/s.
func velocityGrid(scene *sim.Scene) quant.Grid {
	return codec.GridOf(scene, 32, quant.SnapshotRotation).Linear
}

// deltaPeer is a client as the server knows it from level quantised on: the snapshots that it was
// sent, and those that it acknowledged.
type deltaPeer struct {
	writer      *delta.Writer
	sentNumbers packet.SequenceBuffer[uint16] // the writer's sequence number, by the packet's
}

func newDeltaPeer() deltaPeer {
	return deltaPeer{delta.NewWriter(delta.Quantised), packet.NewSequenceBuffer[uint16](128)}
}

// receiveAcks processes the acknowledgements of a tick. An acknowledged packet is one that the
// client could read: see package delta. A client that could not read one lacks a baseline.
func (d *deltaPeer) receiveAcks(e *packet.Endpoint) {
	for _, a := range e.Acks() {
		if q := d.sentNumbers.Find(a); q != nil {
			d.writer.Acknowledge(*q)
		}
	}
	if e.Refused() {
		d.writer.Forget()
	}
}

// recordSent remembers the packet that carried a frame of the writer.
func (d *deltaPeer) recordSent(s packet.Sequence, number uint16) {
	if q := d.sentNumbers.Insert(s); q != nil {
		*q = number
	}
}

func (d *deltaPeer) copyFrom(o *deltaPeer) {
	d.writer.CopyFrom(o.writer)
	d.sentNumbers.CopyFrom(&o.sentNumbers)
}

// packedHeaderBytes is an upper bound on the header of a packed snapshot, in bytes, rounded up to
// eight.
func packedHeaderBytes(bodies int) int { return (bodies/4 + 24 + 7) &^ 7 }

// writePacked encodes the snapshot at a level from quantised on, with the default precision: a header, then the frame of the
// peer's writer. The payload is in *buffer; number is the writer's sequence number.
func (s *snapshot) writePacked(c *quant.Coder, buffer *[]byte, scene *sim.Scene, l *deltaPeer) (payload []byte, number uint16) {
	s.cubes = s.cubes[:0]
	for i := range s.bodies {
		s.cubes = append(s.cubes, delta.QuantiseCube(s.bodies[i].pose, s.bodies[i].touched != sim.NoPlayer))
	}
	headerBytes := packedHeaderBytes(len(s.bodies))
	if n := (headerBytes + delta.MaxPacketBytes(len(s.bodies)) + 7) &^ 7; len(*buffer) < n {
		*buffer = make([]byte, n)
	}
	c.BeginWrite((*buffer)[:headerBytes])
	c.Bits(uint32(s.tick)&(1<<tickBits-1), tickBits)
	c.Bool(true)
	s.writeLevel(c)
	s.codeTouchers(c, scene)
	n := len(c.FinishWrite())
	l.writer.SetLevel(deltaLevels[s.level])
	l.writer.SetIndices(s.indices)
	frame, number, err := l.writer.Write((*buffer)[n:], s.cubes)
	if c.Err() != nil || err != nil {
		panic("snapshot: a snapshot of " + scene.Name + " cannot be packed")
	}
	breakdown := l.writer.BitBreakdown()
	s.breakdown = predict.SnapshotBits{Index: breakdown.Index, Position: breakdown.Position, Rotation: breakdown.Rotation}
	payload = (*buffer)[:n+len(frame)]
	s.breakdown.Other = float64(8*len(payload)) - s.breakdown.Bits()
	s.spent.Begin(len(s.bodies))
	s.spent.ChargeShares(l.writer.CubeBits())
	s.spent.ChargeOther(8 * len(payload))
	return payload, number
}

// readPacked decodes what follows tick and level in a packed snapshot. frames has the baselines;
// with nil the fields are reported and the bodies not decoded.
func (s *snapshot) readPacked(c *quant.Coder, payload []byte, scene *sim.Scene, frames *delta.Reader) error {
	s.codeTouchers(c, scene)
	if pad := -c.BitsProcessed() & 7; pad > 0 {
		c.Label("padding")
		if c.Bits(0, pad) != 0 {
			return predict.ErrMalformed
		}
	}
	if c.Err() != nil {
		return c.Err()
	}
	body := payload[c.BitsProcessed()/8:]
	if frames == nil {
		if err := readPackedFields(c, s.level, len(scene.Boxes), len(body)); err != nil {
			return err
		}
		if !c.AtEnd(len(payload)) {
			return predict.ErrMalformed
		}
		return nil
	}
	frames.SetLevel(deltaLevels[s.level])
	frames.SetIndices(s.indices)
	cubes, _, err := frames.Read(body)
	if err != nil {
		return err
	}
	touchers := s.touchers
	s.bodies = s.bodies[:0]
	for i := range cubes {
		k := &cubes[i]
		state := bodyState{pose: geom.Pose{Pos: k.Position(), Rot: k.Rotation()}, touched: sim.NoPlayer}
		if k.Touched {
			if scene.Players > 1 {
				if len(touchers) == 0 {
					return predict.ErrMalformed
				}
				state.touched, touchers = touchers[0], touchers[1:]
			} else {
				state.touched = 0
			}
		}
		if !inBounds(state.pose.Pos, scene) {
			return predict.ErrMalformed
		}
		s.bodies = append(s.bodies, state)
	}
	if len(touchers) > 0 {
		return predict.ErrMalformed
	}
	return nil
}

// codeTouchers codes who touches each touched body, in the order of bodies, if there are several
// players. The frame says which bodies these are.
func (s *snapshot) codeTouchers(c *quant.Coder, scene *sim.Scene) {
	if scene.Players < 2 {
		return
	}
	if !c.Reading() {
		s.touchers = s.touchers[:0]
		for i := range s.bodies {
			if t := s.bodies[i].touched; t != sim.NoPlayer {
				s.touchers = append(s.touchers, t)
			}
		}
	}
	c.Label("touched_count")
	n := c.Int(len(s.touchers), 0, len(scene.Boxes))
	if c.Reading() {
		s.touchers = append(s.touchers[:0], make([]int8, n)...)
	}
	c.Label("player")
	for i := range s.touchers {
		s.touchers[i] = int8(c.Int(int(s.touchers[i]), 0, scene.Players-1))
	}
}

// halfStep is half a step of package delta's positions in metres, by which rounding may move a body
// out of the scene.
const halfStep = 0.5 / delta.StepsPerMetre

func inBounds(p geom.Vec3, scene *sim.Scene) bool {
	return geom.Abs(p.X) <= scene.HalfWidth+halfStep && geom.Abs(p.Y) <= scene.HalfWidth+halfStep && p.Z >= 0 && p.Z <= scene.Height+halfStep
}

// readPackedFields reports the fields of a frame: its cubes if it is complete in itself, else its
// bytes, which cannot be decoded without their baseline.
func readPackedFields(c *quant.Coder, level, bodies, bytes int) error {
	if bytes < delta.HeaderBytes {
		return predict.ErrMalformed
	}
	c.Label("sequence")
	c.Bits(0, 16)
	c.Label("baseline_age")
	back := c.Bits(0, 8)
	c.Label("older_gap")
	c.Bits(0, 8)
	if level == quantised || back == 0 {
		readFullFields(c, bodies)
		return c.Err()
	}
	c.Label("delta_data")
	for bytes -= delta.HeaderBytes; bytes >= 4; bytes -= 4 {
		c.Bits(0, 32)
	}
	for range bytes {
		c.Bits(0, 8)
	}
	return c.Err()
}

func readFullFields(c *quant.Coder, bodies int) {
	for i := range bodies {
		c.Group("bodies", i)
		c.Label("touched")
		c.Bool(false)
		c.Label("position")
		for k := range delta.MinPosition {
			c.Int(0, int(delta.MinPosition[k]), int(delta.MaxPosition[k]))
		}
		c.Label("largest")
		c.Bits(0, 2)
		c.Label("rotation")
		for range 3 {
			c.Bits(0, 9)
		}
	}
}
