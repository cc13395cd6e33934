package frame

import (
	"ghostcube/predict"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// The handovers of a body between a parent, which is interpolated and so in the past, and the
// world, in which the body is predicted and so in the future.
const (
	handoverFade = iota
	handoverGradual
	handoverReconcile
)

// handoverSettings are the knobs of a handover.
type handoverSettings struct {
	method int
	time   float64 // ms; of a fade
}

func (s *handoverSettings) declare(k *predict.Knobs) {
	group := k.In(predict.FrameKnobs)
	group.Choice(&s.method, "handover", handoverFade, []string{"fade", "gradual", "reconcile"},
		"between a parent's past and the world's future: the picture fades, the cube follows, or corrections")
	group.Millis(&s.time, "handover-time", 1200, 0, 5000, "handover=fade: time in which the drawn cube changes its time, ms")
	k.Needs("handover-time", "handover", "fade")
}

// minAbsorbShare is the least share of a handover that absorbs a correction: less would be left too soon.
const minAbsorbShare = 0.25

// fade moves the picture of a body from the time of one frame to that of another, while the body is
// simulated in the new one already. The offset between the two is given along the world's axes: it is a
// piece of the parent's path, and does not turn with the parent. Its share falls from 1 to 0 at a constant acceleration, then at the same deceleration. The
// difference of the velocities at the beginning decays, too. So neither the place nor the speed of the picture jumps.
type fade struct {
	offset        smoothing.ErrorOffset // at the beginning
	velocity      geom.Vec3             // m/s, likewise: the drawn body's minus the simulated one's
	ticks, length int                   // that have passed, of all
	rate          int                   // ticks per second
}

// begin starts a fade that lasts for some ticks from a drawn pose to one that is simulated now. faster is the
// velocity that the body had before, minus that which it has now.
func (f *fade) begin(drawn, simulated geom.Pose, faster geom.Vec3, length, rate int) {
	velocity := f.slide().Add(faster)
	if *f = (fade{}); length > 0 {
		f.offset.Absorb(drawn, simulated)
		f.velocity, f.length, f.rate = velocity, length, rate
	}
}

// advance ends a tick.
func (f *fade) advance() {
	if f.ticks++; f.ticks >= f.length {
		*f = fade{}
	}
}

// absorb changes the offset so that a body that was to be drawn at a pose and is at another one now is drawn where it
// was. It reports false if the share that is left is too small for that.
func (f *fade) absorb(drawn, now geom.Pose) bool {
	share := f.share(f.ticks)
	if share < minAbsorbShare {
		return false
	}
	f.offset.Pos = f.offset.Pos.AddScaled(1/share, drawn.Pos.Sub(now.Pos))
	if turn := drawn.Rot.Mul(now.Rot.Inverse()).Unit(); turn != geom.Identity {
		if f.offset.Rot == (geom.Quat{}) {
			f.offset.Rot = geom.Identity
		}
		f.offset.Rot = turn.ScaleAngle(1 / share).Mul(f.offset.Rot).Unit()
	}
	return true
}

// apply returns the pose at which a body is drawn.
func (f *fade) apply(p geom.Pose) geom.Pose {
	if f.length == 0 {
		return p
	}
	rest, share := f.offset, f.share(f.ticks)
	rest.Decay(share, share)
	p = rest.Apply(p)
	p.Pos = p.Pos.Add(f.drift(f.ticks))
	return p
}

// share returns the share of the offset that is left after some ticks, in [0, 1].
func (f *fade) share(ticks int) float32 {
	if f.length == 0 {
		return 0
	}
	passed := float32(ticks) / float32(f.length)
	if passed < 0.5 {
		return 1 - float32(float32(2*passed)*passed)
	}
	return float32(float32(2*(1-passed)) * (1 - passed))
}

// drift returns the way that the difference of the velocities has led to after some ticks, in metres.
func (f *fade) drift(ticks int) geom.Vec3 {
	left := 1 - float32(ticks)/float32(f.length)
	return f.velocity.Scale(float32(float32(left*left) * float32(ticks) / float32(f.rate)))
}

// slide returns the velocity of the picture relative to the simulated body, in m/s.
func (f *fade) slide() geom.Vec3 {
	if f.length == 0 {
		return geom.Vec3{}
	}
	next := f.ticks + 1
	way := f.offset.Pos.Scale(f.share(next) - f.share(f.ticks)).Add(f.drift(next).Sub(f.drift(f.ticks)))
	return way.Scale(float32(f.rate))
}
