package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// updates is how often the picture has something new from the server, and how
// old what it claims to show is.
type updates struct {
	available bool // the view has what was last received
	digest    uint64
	count     int // ticks in which that changed
	gap       int // ticks since the last of those
	gapMax    int // of such gaps

	delaySum int64 // ticks from the picture's label to the truth's, summed
	delayMax int   // of those
}

// add adds a tick.
func (u *updates) add(now sim.Tick, v *predict.View, first bool) {
	age := int(now) - int(v.Tick)
	u.delaySum += int64(age)
	if first || age > u.delayMax {
		u.delayMax = age
	}
	u.available = u.available || len(v.LastReceived) > 0
	d := digest(v.LastReceived)
	u.gap++
	u.gapMax = max(u.gapMax, u.gap)
	if first {
		u.gap = 0
	} else if d != u.digest {
		u.count++
		u.gap = 0
	}
	u.digest = d
}

// digest returns a number that differs if any pose does, but for a chance in
// very many.
func digest(poses []geom.Pose) uint64 {
	const odd = 0x9E3779B97F4A7C15
	var a, b, c, d uint64 // four, so that none waits for the other
	two := func(x, y float32) uint64 { return uint64(math.Float32bits(x))<<32 | uint64(math.Float32bits(y)) }
	mix := func(h, u uint64) uint64 {
		h = (h ^ u) * odd
		return h ^ h>>29
	}
	for i := range poses {
		p := &poses[i]
		a = mix(a, two(p.Pos.X, p.Pos.Y))
		b = mix(b, two(p.Pos.Z, p.Rot.X))
		c = mix(c, two(p.Rot.Y, p.Rot.Z))
		d = mix(d, uint64(math.Float32bits(p.Rot.W)))
	}
	return mix(mix(mix(a, b), c), d)
}
