package smoothing

import "ghostcube/sim/geom"

// Gradual applies a pending correction over many ticks. Each tick applies a share of the remainder,
// so the steps become smaller and smaller ("over time with small doses - exponential to its extent",
// Space Engineers, a talk at GDC). A correction above a limit is applied at once.
type Gradual struct {
	Steps       int     // each 1/60 s applies one part in Steps of the remainder; 1 applies it all
	MaxPosition float64 // metres; of a longer correction all except Remainder is applied at once
	Remainder   float64 // metres
	MaxRotation float64 // degrees; a larger rotation is applied at once
}

// Share returns the share of the remainder that a tick of 1/rate s applies.
func (g *Gradual) Share(rate int) float32 {
	return 1 - FactorPerTick(1-1/float32(g.Steps), rate)
}

// Step removes one tick's share from a pending correction and returns it.
func (g *Gradual) Step(pending *Shift, rate int) (part Shift) {
	turn := pending.Rot
	turnAtOnce := pending.turns() && turn.Angle() > float32(float32(g.MaxRotation)*(geom.TwoPi/360))
	part = pending.Take(g.Share(rate))
	if length := pending.Pos.Len(); length > float32(g.MaxPosition) {
		atOnce := pending.Pos.Scale(max(length-float32(g.Remainder), 0) / length)
		pending.Pos, part.Pos = pending.Pos.Sub(atOnce), part.Pos.Add(atOnce)
	}
	if turnAtOnce {
		pending.Rot, part.Rot = geom.Identity, turn
	}
	return part
}
