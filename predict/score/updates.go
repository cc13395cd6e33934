package score

import (
	"math"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

var nominalDelayDefinition = Definition{
	Group: "Delay", Title: "Nominal delay",
	Measures: []Entry{
		{
			Measure{Name: "nominal_delay_mean_ms", Title: "nominal delay, mean, ms", Digits: 1, Better: NearZero,
				Help: "server time minus the time that the view claims to show, mean; negative: ahead of the server"},
			func(c *Score, _ Counts) (float64, bool) { return c.millis(c.NominalDelay()), c.scoredSecond() },
		},
	},
	Text:  "The server's present tick minus the tick that the view claims to show, their mean; negative if the view is ahead.",
	Blind: "the truth of that claim, which the display delay tests",
}

var updateGapDefinition = Definition{
	Group: "Delay", Title: "Update gap",
	Measures: []Entry{
		{
			Measure{Name: "longest_update_gap_ms", Title: "longest update gap, ms", Digits: 1, Better: Lower,
				Help: "longest time between two updates"},
			func(c *Score, _ Counts) (float64, bool) {
				return c.millis(float64(c.updates.gapMax)), c.updates.available && c.scoredSecond()
			},
		},
	},
	Text: `
The longest time between two updates. An update is a tick in which any bit of the state last received from the server
changed.`,
	Undefined: "for a strategy that shows no received state",
	Blind:     "states that equal the last one: a world at rest is one long gap",
}

// updates measures how often the view has a new server state, and by how much the tick that it
// claims to show is behind the server's.
type updates struct {
	available bool   // the view has a last received state
	digest    uint64 // of the last received state
	gap       int    // ticks since the last change
	gapMax    int    // ticks, longest gap

	delaySum int64 // ticks from the view's tick to the server's, summed
}

// add adds a tick.
func (u *updates) add(now sim.Tick, v *predict.View, first bool) {
	u.delaySum += int64(now) - int64(v.Tick())
	u.available = u.available || len(v.LastReceived) > 0
	d := digest(v.LastReceived)
	u.gap++
	u.gapMax = max(u.gapMax, u.gap)
	if first || d != u.digest {
		u.gap = 0
	}
	u.digest = d
}

// digest returns a hash of the poses: equal hashes mean equal poses but for a negligible chance.
func digest(poses []geom.Pose) uint64 {
	const multiplier = 0x9E3779B97F4A7C15
	var a, b, c, d uint64 // four chains, which the processor runs in parallel
	pack := func(x, y float32) uint64 { return uint64(math.Float32bits(x))<<32 | uint64(math.Float32bits(y)) }
	mix := func(h, u uint64) uint64 {
		h = (h ^ u) * multiplier
		return h ^ h>>29
	}
	for i := range poses {
		p := &poses[i]
		a = mix(a, pack(p.Pos.X, p.Pos.Y))
		b = mix(b, pack(p.Pos.Z, p.Rot.X))
		c = mix(c, pack(p.Rot.Y, p.Rot.Z))
		d = mix(d, uint64(math.Float32bits(p.Rot.W)))
	}
	return mix(mix(mix(a, b), c), d)
}
