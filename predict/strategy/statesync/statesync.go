// Package statesync simulates on both sides and sends part of the state. The
// server steps the world, and so does the client, some ticks behind it; in every
// tick the server tells what the players do and how some of the bodies are, as
// many as a bandwidth carries, the most important ones first. What is not told
// the client's own physics fills in, and is set right when its turn comes.
//
// This is Fiedler's "State Synchronization" (2015). It needs neither determinism
// nor whole snapshots, and it never goes back in time. It suits many bodies and
// little bandwidth; between two updates a body may be wrong, and whoever plays at
// a client waits for the round trip and the jitter buffer: there is no rollback,
// so a cube moved at once would be set back by the server's word of it, unless the
// server takes the client's (authority.go).
//
// Where it goes beyond the article, or beside it:
//
//   - The article's packet holds the frame's state and the input that leads out of
//     it. Here, as everywhere in this program, it holds the state of a tick and the
//     inputs that led to it.
//   - Inputs are sent since the newest packet that the client is known to have, at
//     most 32, and not always 32.
//   - The program looks at the 64 bodies of highest priority only; here what does
//     not fit is skipped until no body fits, or 64 have.
//   - A packet that comes too late for its tick is dropped, but for the bodies in
//     it that rest: where they rest is true later, too.
//   - The client's clock follows the packets: the earliest of a second waits for
//     the length of the jitter buffer (clock.go).
//   - Smoothing is package smoothing's. The published program takes the strong
//     factor for small turns and the weak one for large turns (TestTurnFactors
//     there), and its at-rest test does not look at one of six velocities.
package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// Strategy is state synchronisation.
var Strategy = &predict.Strategy{
	Name: "statesync",
	Doc: "both sides simulate; the server's word of some bodies in every packet\n\n" +
		"901 cubes in 256 kbit/s. Turn level to uncompressed and back, budget down to 64, smoothing off; turn states off and see the worlds part.",
	Source:    "Fiedler, State Synchronization (2015), and its program",
	NewServer: newServer,
	NewClient: newClient,
	Fields:    payloadFields,
	Inspect:   inspect,
	Latency:   latency,
}

// inspect reports what the sides know of their packets.
func inspect(l *predict.Inspection, s predict.Server, c predict.Client) {
	s.(*server).inspect(l, 0)
	c.(*client).inspect(l)
}

// The levels of compression, each with all of those before it.
const (
	uncompressed = iota
	quantised
	quantisedBoth
	relative
	delta
)

var levels = []string{"uncompressed", "quantised", "quantised-both", "relative", "delta"}

// positionStepChoices are the options of the position's precision.
var positionStepChoices = []string{"4096", "2048", "1024", "512"}

// compressionSettings are the knobs that both halves look at.
type compressionSettings struct {
	level         int
	positionSteps int // which of steps
	rotationBits  int // bits of a component

	grids *grids // of the scene
}

func (s *compressionSettings) declare(k *predict.Knobs, scene *sim.Scene) {
	s.grids = gridsFor(scene)
	k.Choice(&s.level, "compression", quantisedBoth, levels, "how states are sent: as 32-bit numbers; quantised; quantised and both worlds put onto the same grid before every tick; also relative to a player's cube, or as the scene begins; also by the difference from what is expected after a state that the client is known to have")
	k.Choice(&s.positionSteps, "position-steps", 0, positionStepChoices, "quantised: steps per metre of a position")
	k.Int(&s.rotationBits, "rotation-bits", maxRotationBits, minRotationBits, maxRotationBits, "quantised: bits of each of three components of a rotation")
}

// format is how the states are sent now.
func (s *compressionSettings) format(velocities bool) format {
	f := format{velocities: velocities, rotationBits: maxRotationBits, grids: s.grids}
	if s.level != uncompressed {
		f.quantised, f.positionSteps, f.rotationBits = true, s.positionSteps, s.rotationBits
		f.relative, f.delta = s.level >= relative, s.level >= delta
	}
	return f
}

// quantise puts a world onto the grid if both sides are to step from there.
func (s *compressionSettings) quantise(w *predict.World) {
	if s.level < quantisedBoth {
		return
	}
	f := s.format(true)
	w.Quantise(f.grid())
}
