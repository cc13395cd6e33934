package probe

import (
	"time"

	"ghostcube/sim"
)

// StagesOf returns the stages of the input of tick t, after the session tick that begins
// now. Its Inputs is 0 while the input has not been shown.
func (l *LatencyTracer) StagesOf(t sim.Tick, now time.Duration) LatencyStages {
	switch {
	case l.predicts && l.nextPredicted > t:
		return LatencyStages{l.predictedStages(t, now), 1}
	case !l.predicts && l.nextShown > t:
		return LatencyStages{l.confirmedStages(t, now), 1}
	}
	return LatencyStages{}
}
