package rollback

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// A downloaded world has the bodies and not the contacts with their impulses, the sleep counters and the ownership.
// A client that continued with contacts of its own would differ from the server again a tick later. So the server
// drops all hidden state right before the world is read, and all clients drop theirs in the same tick: those that
// have stepped it already go back there. That moves touching bodies by millimetres, for everybody.

// dropHidden drops what a downloaded world leaves out.
func dropHidden(w *predict.World) {
	w.DropHiddenState()
	w.SetHeldActions(noInputs[:])
}

var noInputs [sim.MaxPlayers]sim.Input

// BeforeDownload drops the hidden state of the server's world.
func (s *server) BeforeDownload() {
	dropHidden(s.env.World)
	s.dropNext = true
}

// addDrop adds the first tick from first on in which hidden state was dropped. A message has one at most: it ends
// before a second one.
func (s *server) addDrop(m *downMessage, first sim.Tick) {
	drop, found := first, false
	for t := first; t < m.end; t++ {
		if r := s.confirmed.Find(t); r == nil || !r.drop {
			continue
		}
		if found {
			m.end, m.count = t, int(t-first)
			break
		}
		drop, found = t, true
	}
	if m.drop = 0; found {
		m.drop = int(m.end - drop)
	}
}

// learnDrop takes in that hidden state is dropped in a tick.
func (c *client) learnDrop(t sim.Tick) {
	if x := c.known.insert(t); !x.drop {
		x.drop = true
		c.goBackTo(t)
	}
}
