package frame

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// meanSeconds is the time over which the acceleration of a candidate is averaged. A shorter one follows the hand of a
// pilot sooner, and passes on every twitch of it.
const meanSeconds = 0.05

// motion is how a candidate moves, by the snapshots. A pilot holds a key for longer than a round trip more often than
// not. So a candidate is expected to keep its acceleration. It is not expected to keep its angular acceleration: far
// from its centre the error would be larger than the gain.
type motion struct {
	known        bool
	tick         sim.Tick // of the newest snapshot
	frame        Frame    // in that
	acceleration geom.Vec3
}

// add adds the frame in a newer snapshot, at a rate in ticks per second.
func (m *motion) add(t sim.Tick, f *Frame, rate int) {
	if m.known && t > m.tick {
		seconds := float32(t-m.tick) / float32(rate)
		now := f.linear.Sub(m.frame.linear).Scale(1 / seconds)
		m.acceleration = m.acceleration.AddScaled(seconds/(seconds+meanSeconds), now.Sub(m.acceleration))
		if now.Len() > maxFrameAcceleration { // it was hit, or moved
			m.acceleration = geom.Vec3{}
		}
	}
	m.known, m.tick, m.frame = true, t, *f
}

// at returns the frame some seconds after the newest snapshot.
func (m *motion) at(seconds float32) Frame { return m.frame.Extrapolate(seconds, m.acceleration) }
