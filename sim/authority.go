package sim

// NoPlayer is the owner of what no player has touched.
const NoPlayer = -1

// maxIdleTicks is how many ticks a body at rest stays under the authority of the
// player who touched it last (Fiedler's 100 of 1/60 s).
const maxIdleTicks = 100

// updateAuthority takes into each player's hands what its cube touches, and
// what that touches, unless another player has it; and lets go of what has
// been left alone. The rule is that of Fiedler's demo of 2015: what is
// interacting counts from anew, and what sleeps returns when it has counted to
// the end. Of two players who touch the same body first in the same tick the
// lower number gets it.
func (w *World) updateAuthority() {
	for i := range w.touchedBy {
		w.touchedBy[i] = NoPlayer
	}
	if w.scene.Players == 1 {
		// All that is reached from one cube is its island.
		if root := w.islandRoot(0); !w.state.Bodies[0].Asleep {
			for i := range w.state.Bodies {
				if w.islandRoot(int32(i)) == root {
					w.touchedBy[i] = 0
				}
			}
		}
	} else {
		w.floodTouches()
	}
	for p := range w.scene.Players {
		w.touchedBy[p] = int8(p)
	}
	for i := w.scene.Players; i < len(w.state.Bodies); i++ {
		switch t := w.touchedBy[i]; {
		case t != NoPlayer:
			w.state.owner[i], w.state.idleTicks[i] = t, 0
		case w.state.owner[i] == NoPlayer:
		case w.state.idleTicks[i] < maxIdleTicks:
			w.state.idleTicks[i]++
		case w.state.Bodies[i].Asleep:
			w.state.owner[i], w.state.idleTicks[i] = NoPlayer, 0
		}
	}
}

// floodTouches marks what each of several players reaches over contacts and joints of bodies
// awake, stopping at what is another's. Passing over the list until nothing
// changes costs less than building a graph: it is sorted, and chains are short.
func (w *World) floodTouches() {
	for p := range w.scene.Players {
		w.touchedBy[p] = int8(p)
	}
	n := int32(len(w.state.Bodies))
	for changed := true; changed; {
		changed = false
		for k := range w.state.manifolds {
			a, b := w.state.manifolds[k].shapes()
			a, b = w.bodyOf(a), w.bodyOf(b)
			if a >= n || w.state.Bodies[a].Asleep || w.state.Bodies[b].Asleep {
				continue
			}
			changed = w.spreadTouch(a, b) || w.spreadTouch(b, a) || changed
		}
		for i := range w.joints {
			a, b := int32(w.joints[i].A), int32(w.joints[i].B)
			if a == WorldBody || w.state.Bodies[a].Asleep || w.state.Bodies[b].Asleep {
				continue
			}
			changed = w.spreadTouch(a, b) || w.spreadTouch(b, a) || changed
		}
	}
}

// spreadTouch lets the player who reaches body a reach body b, if it is free.
func (w *World) spreadTouch(a, b int32) bool {
	t := w.touchedBy[a]
	if t == NoPlayer || w.touchedBy[b] != NoPlayer || w.state.owner[b] != NoPlayer && w.state.owner[b] != t {
		return false
	}
	w.touchedBy[b] = t
	return true
}

// TouchedBy reports who touched each body in the last step, directly or through
// others: a player's number, or Nobody. Index = body; for reading, until the
// next Step.
func (w *World) TouchedBy() []int8 { return w.touchedBy }

// Owners reports whose authority each body is under: a player's number, or
// Nobody. It outlives the touch. Index = body; for reading.
func (w *World) Owners() []int8 { return w.state.owner }

// SetOwner puts body i under the authority of a player, or Nobody's, as the word
// of another machine does. A touch in a later step takes it on from there.
func (w *World) SetOwner(i int, player int8) {
	if w.state.owner[i] != player {
		w.state.owner[i], w.state.idleTicks[i] = player, 0
	}
}
