package predict

import "cmp"

// notSearched are the groups whose knobs pose another question than the best settings of a strategy, with the reason.
var notSearched = [groupCount]string{
	ShotKnobs:       "a rule of the game",
	ConnectionKnobs: "how players are connected",
	PhysicsKnobs:    "the world itself",
}

// MovesServer is why no search changes what stands for a missing input, or what the server's world is rounded to: a cube that
// stands still instead of moving, or drags, has smaller errors, on the screen as on the server, and answers its player no better.
const MovesServer = "it moves the server's cube, against which errors are measured"

// NotSearched excludes knobs from a search for the best settings and gives the reason: they change the measurement itself,
// or disable a mechanism for demonstration.
func (k *Knobs) NotSearched(reason string, names ...string) {
	for _, name := range names {
		k.Lookup(name).notSearched = reason
	}
}

// NotSearched returns why a search for the best settings leaves the knob alone; empty: it does not.
func (k *Knob) NotSearched() string { return cmp.Or(k.notSearched, notSearched[k.Group]) }
