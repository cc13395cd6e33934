package lab

import "ghostcube/sim"

// maxLatencySeconds is how long OwnInputLatency waits for a key to show, in seconds.
const maxLatencySeconds = 5

// moveThreshold is the distance in metres from which a drawn cube counts as being
// elsewhere.
const moveThreshold = 1e-5

// MeasureInputLatency measures, for each pane of the lab as it is now, how many
// ticks pass until a key shows: two copies of the session go on with the
// entries that follow, one of them without the first player's keys, and the
// first tick counts in which its drawn cube differs by more than a hundredth of
// a millimetre. 0 is the very tick that took the key. A pane in which nothing
// has shown after five seconds gets -1.
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

// FirstKeyPress returns the index of the first entry from start on in which the
// first player presses a key after a tick without any, or -1.
func FirstKeyPress(entries []Entry, start int) int {
	held := start > 0 && pressesKey(entries[start-1])
	for i := start; i < len(entries); i++ {
		now := pressesKey(entries[i])
		if now && !held {
			return i
		}
		held = now
	}
	return -1
}

func pressesKey(e Entry) bool { return len(e.Inputs) > 0 && e.Inputs[0].Buttons != 0 }
