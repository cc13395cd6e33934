package probe

import (
	"time"

	"ghostcube/sim"
)

// StagesOf returns the stages of the input of tick t, after the session tick that begins
// now. Its Inputs is 0 while the input has not been shown.
func (c *LatencyTracer) StagesOf(t sim.Tick, now time.Duration) LatencyStages {
	switch {
	case c.predicts && c.nextPredicted > t:
		return LatencyStages{c.predictedStages(t, now), 1}
	case !c.predicts && c.nextShown > t:
		return LatencyStages{c.confirmedStages(t, now), 1}
	}
	return LatencyStages{}
}
