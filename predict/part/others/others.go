// Package others decides which of the bodies that are not the player's a client predicts, and draws the rest
// from received states. Shooters interpolate them (Bernier, Latency Compensating Methods, 2001); Unity calls
// the two kinds predicted and interpolated ghosts.
//
// The package moves pictures. What stands in the client's world, and when a body begins to be stepped there, is
// the strategy's.
package others

import (
	"slices"

	"ghostcube/predict"
)

// Mode is what a client does with the bodies that are not its player's own.
type Mode uint8

// The modes. A strategy has some of them.
const (
	Predict Mode = iota
	Interpolate
	Extrapolate
	Auto
)

var modeNames = [...]string{Predict: "predict", Interpolate: "interpolate", Extrapolate: "extrapolate", Auto: "auto"}

// Choice is the knob others.
type Choice struct {
	index int // in modes
	modes []Mode
}

// Declare declares the knob with the modes of a strategy. The first one is the default.
func (c *Choice) Declare(k *predict.Knobs, help string, modes ...Mode) {
	c.modes = modes
	k.In(predict.PredictedBodyKnobs).Choice(&c.index, "others", 0, c.names(modes...), help)
}

// names returns the names of those of some modes that the strategy has.
func (c *Choice) names(of ...Mode) (names []string) {
	for _, m := range of {
		if slices.Contains(c.modes, m) {
			names = append(names, modeNames[m])
		}
	}
	return names
}

// Mode returns the mode that is chosen.
func (c *Choice) Mode() Mode { return c.modes[c.index] }

// CopyFrom makes c a copy of o.
func (c *Choice) CopyFrom(o *Choice) { c.index, c.modes = o.index, append(c.modes[:0], o.modes...) }
