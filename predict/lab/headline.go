package lab

import (
	"time"

	"ghostcube/predict/score"
)

// manyBodies is the number of bodies from which the pops of all of them lead, too.
const manyBodies = 10

// Headline appends the figures that lead every display of a pane to dst: the time from a key to the
// screen, the path error, the pops, and the bandwidth down and up. They have the names, units and
// orders of Measures. The time from a key to the screen is that of the last second's inputs.
func (p *Pane) Headline(dst []score.Measure) []score.Measure {
	latency, rate := p.Latency.Recent().Response, p.lab.config.Rate
	ticks := float64(latency.Sum()) / float64(time.Second) * float64(rate)
	key := score.KeyToScreen(ticks, latency.Inputs > 0, rate)
	key.Digits = 0
	key.Help = "time from an input to the first frame that shows it, mean of the last second's; bench's key to screen is that of a tape's key presses"
	return p.unmeasured(p.Score.Headline(append(dst, key), p.counts(p.sinceStart()), len(p.ServerWorld.Bodies()) >= manyBodies))
}
