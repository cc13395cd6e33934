package lab

import "ghostcube/sim"

// latencyMost is how long OwnInputLatency waits for a key to show, in seconds.
const latencyMost = 5

// visible is the distance in metres from which a drawn cube counts as being
// elsewhere.
const visible = 1e-5

// OwnInputLatency measures, for each pane of the lab as it is now, how many
// ticks pass until a key shows: two copies of the session go on with the
// entries that follow, one of them without the first player's keys, and the
// first tick counts in which its drawn cube differs by more than a hundredth of
// a millimetre. 0 is the very tick that took the key. A pane in which nothing
// has shown after five seconds gets -1.
func (l *Lab) OwnInputLatency(following []Entry) []int {
	with, without := l.Fork(), l.Fork()
	ticks := make([]int, len(l.Panes))
	for i := range ticks {
		ticks[i] = -1
	}
	left := len(ticks)
	none := make([]sim.Input, len(l.inputs))
	for t := range min(len(following), latencyMost*l.config.Rate) {
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
			body := a.Watched()
			if ticks[i] < 0 && a.Clients[0].View.Bodies[body].Pos.Sub(b.Clients[0].View.Bodies[body].Pos).Len() > visible {
				ticks[i] = t
				left--
			}
		}
	}
	return ticks
}

// FirstKey returns the index of the first entry from start on in which the
// first player presses a key after a tick without any, or -1.
func FirstKey(entries []Entry, start int) int {
	held := start > 0 && pressed(entries[start-1])
	for i := start; i < len(entries); i++ {
		now := pressed(entries[i])
		if now && !held {
			return i
		}
		held = now
	}
	return -1
}

func pressed(e Entry) bool { return len(e.Inputs) > 0 && e.Inputs[0].Buttons != 0 }
