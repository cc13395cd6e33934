package lab

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// maxLatencySeconds is the time for which MeasureInputLatency waits for a visible effect, in seconds.
const maxLatencySeconds = 5

// moveThreshold is the difference between two drawn positions from which the cube counts as
// moved, in metres.
const moveThreshold = 1e-5

// MeasureInputLatency measures the input latency of each pane, in ticks, by a
// counterfactual run: two forks of the session continue with the entries that follow, one
// of them without the first player's buttons. The latency is the number of ticks until the
// drawn cubes differ by more than moveThreshold; 0 is the tick that takes the key. It is -1
// for a pane that shows no difference within five seconds. The session itself is unchanged.
func (l *Lab) MeasureInputLatency(following []Entry) []int {
	with, without := l.Fork(), l.Fork()
	ticks := make([]int, len(l.Panes))
	for i := range ticks {
		ticks[i] = -1
	}
	left := len(ticks)
	none := make([]sim.Input, len(l.inputs))
	for t := range min(len(following), maxLatencySeconds*l.config.Rate) {
		if left == 0 {
			break
		}
		e := following[t]
		with.Tick(e)
		copy(none, e.Inputs)
		none[0].Buttons = 0
		without.Tick(Entry{Inputs: none, Commands: e.Commands})
		for i := range min(len(ticks), len(with.Panes), len(without.Panes)) {
			a, b := with.Panes[i], without.Panes[i]
			body := a.PlayerBody()
			if ticks[i] < 0 && a.Clients[0].View.Bodies[body].Pos.Sub(b.Clients[0].View.Bodies[body].Pos).Len() > moveThreshold {
				ticks[i] = t
				left--
			}
		}
	}
	return ticks
}

// Progress returns how far the inputs of the pane's first client have come; it is zero if the strategy
// cannot report it.
func (p *Pane) Progress() predict.InputProgress {
	p.progressScratch = predict.InputProgress{}
	if p.Strategy.Latency != nil {
		p.Strategy.Latency(&p.progressScratch, p.serverSide, p.Clients[0].side)
	}
	return p.progressScratch
}

// Joined reports whether the first player's input has an effect in every pane: its clients send inputs,
// which they begin after a round trip.
func (l *Lab) Joined() bool {
	for _, p := range l.Panes {
		if l.config.Seat == AtClient && p.Strategy.Latency != nil && p.Progress().Sampled == 0 {
			return false
		}
	}
	return true
}
