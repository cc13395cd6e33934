package input

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

const (
	yawBits, pitchBits = 12, 11

	viewTimeBits = 14               // of subticks: a time within 8 s of now at 60 ticks a second
	aheadBits    = 12               // of subticks
	maxAhead     = 1<<aheadBits - 1 // 4.3 s

	// maxShotBits is the largest number of bits that a shot adds to an input.
	maxShotBits = yawBits + pitchBits + 1 + viewTimeBits + 1 + aheadBits

	// shotRepeatTicks is the number of ticks for which an input with a shot is repeated, even by a
	// client that sends only its newest input. A lost button is followed by others; a shot occurs
	// once.
	shotRepeatTicks = 12
)

// codeShot reads, writes or measures a shot:
//
//	yaw, 12 bits
//	pitch plus 1023, 11 bits
//	has_view_time, 1 bit, and if set
//	  view_time, 14 bits
//	  has_ahead, 1 bit, and if set ahead, 12 bits
func codeShot(c *quant.Coder, in sim.Input) sim.Input {
	s := &in.Shot
	s.Fired = true
	c.Label("yaw")
	s.Yaw = uint16(c.Bits(uint32(s.Yaw), yawBits))
	c.Label("pitch")
	s.Pitch = int16(c.Int(int(s.Pitch), -sim.MaxPitch, sim.MaxPitch))
	c.Label("has_view_time")
	if s.HasViewTime = c.Bool(s.HasViewTime); !s.HasViewTime {
		s.ViewTime, s.Ahead = 0, 0
		return in
	}
	c.Label("view_time")
	s.ViewTime = uint16(c.Bits(uint32(s.ViewTime), viewTimeBits))
	c.Label("has_ahead")
	if c.Bool(s.Ahead != 0) {
		c.Label("ahead")
		if s.Ahead = uint16(c.Bits(uint32(s.Ahead), aheadBits)); s.Ahead == 0 {
			c.Fail(predict.ErrMalformed)
		}
	}
	return in
}

// SetViewTime stores in a shot what the player saw when it fired: the server time that the
// picture showed, and how much later the player's own cube was drawn. Both are in subticks
// (predict.SubticksPerTick).
func SetViewTime(s *sim.Shot, seen, ahead int64) {
	s.HasViewTime, s.ViewTime = true, uint16(seen&(1<<viewTimeBits-1))
	s.Ahead = uint16(min(max(ahead, 0), maxAhead))
}

// UnwrapViewTime returns the server time nearest to now that has the low bits of a shot's
// view time, in subticks. It is never before the first tick.
func UnwrapViewTime(low uint16, now int64) int64 {
	const size = 1 << viewTimeBits
	t := now&^(size-1) | int64(low)&(size-1)
	switch distance := t - now; {
	case distance > size/2 && t >= size:
		t -= size
	case distance < -size/2:
		t += size
	}
	return t
}

// shotBuffer holds the shots of a player until PopShots. The shot of an input counts once, when the
// input first arrives, even if that is too late for its tick, because the shot carries its own time.
// A repeated input has no shot.
type shotBuffer struct{ shots []sim.Shot }

// maxBufferedShots is the largest number of buffered shots.
const maxBufferedShots = MaxInputs

// extractShot moves the shot of a newly arrived input to the buffer.
func (s *shotBuffer) extractShot(in *sim.Input) {
	if in.Shot.Fired && len(s.shots) < maxBufferedShots {
		s.shots = append(s.shots, in.Shot)
	}
	in.Shot = sim.Shot{}
}

// PopShots returns the shots that have arrived since the last call. They are valid until the next one
// arrives.
func (s *shotBuffer) PopShots() []sim.Shot {
	list := s.shots
	s.shots = s.shots[:0]
	return list
}

// copyShots makes s a copy of o in the memory of own.
func (s *shotBuffer) copyShots(o *shotBuffer, own []sim.Shot) { s.shots = append(own[:0], o.shots...) }

// PopShots returns the shots of a peer that have arrived since the last call. They are valid until the
// next ones arrive.
func (r *Receiver) PopShots(peer int) []sim.Shot {
	if peer >= len(r.Queues) {
		return nil
	}
	return r.Queues[peer].PopShots()
}
