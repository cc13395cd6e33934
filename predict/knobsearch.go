package predict

import "cmp"

// notSearched are the groups whose knobs pose another question than the best settings of a strategy, with the reason.
var notSearched = [groupCount]string{
	ShotKnobs:       "a rule of the game",
	ConnectionKnobs: "how players are connected",
	PhysicsKnobs:    "the world itself",
}

// NotSearched excludes knobs from a search for the best settings and gives the reason: they change the measurement itself,
// or disable a mechanism for demonstration.
func (k *Knobs) NotSearched(reason string, names ...string) {
	for _, name := range names {
		k.Lookup(name).notSearched = reason
	}
}

// NotSearched returns why a search for the best settings leaves the knob alone; empty: it does not.
func (k *Knob) NotSearched() string { return cmp.Or(k.notSearched, notSearched[k.Group]) }
