// Package snapshot draws what the server was a little while ago. The server
// alone simulates; many times a second it sends how all bodies look, whole, and
// the client plays these snapshots back like a film, some time behind the newest,
// and fills the time between two of them with curves.
//
// This is Fiedler's "Snapshot Interpolation" (2014), his "Snapshot Compression"
// (2015), and their programs. The client knows no physics, so nothing can go wrong
// that looks like physics gone wrong, and whoever plays waits for it. It suits
// bodies that others move. At level raw it costs most of all strategies; compression.go
// has what can be saved, and package delta how.
//
// Where it goes beyond the article, or beside it:
//
//   - Snapshots are labelled by the server's tick and not by a count, so how many
//     are sent a second may change while it runs. What the published ring holds,
//     64 of them, is here what lies 64 send intervals behind the newest
//     (TestBlackoutRestarts).
//   - The client begins again also if all that comes is too late for a second
//     (TestLongerWayRestarts). The published buffer would stand still for good
//     after the way has become longer by more than its delay.
//   - A snapshot that comes late but before the one next to be shown is taken
//     in. The article drops all that is older than the newest, as is done here
//     without a buffer only.
//   - The delay's room for jitter follows from the interval, see room.
//   - From level quantised on there are no velocities, as in the article, which
//     sends sixty a second then: hermite draws straight lines there, and nothing
//     is extrapolated.
package snapshot

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// Strategy is snapshot interpolation.
var Strategy = &predict.Strategy{
	Name: "snapshot",
	Doc: "snapshots, and curves between them\n\n" +
		"The client simulates nothing: it draws what the server was a moment ago. Turn snapshot-every to 6 and interpolation to linear, hover with Space, and see the kinks; then hermite. Show packets (K) and climb the levels: what a cube takes, from 321 bits to three. From quantised on there are no velocities, and hermite is linear.",
	Source:    "Fiedler, Snapshot Interpolation (2014) and Snapshot Compression (2015), and their programs",
	NewServer: newServer,
	NewClient: newClient,
	Fields:    fields,
	MaxBodies: maxBodies,
}

// The ways to fill the time between two snapshots.
const (
	onArrival = iota
	linear
	hermite
)

var interpolationModes = []string{"none", "linear", "hermite"}

// settings are the knobs that both halves look at.
type settings struct {
	snapshotEvery int // ticks from one snapshot to the next
	interpolation int
	extrapolate   float64 // milliseconds
}

func (s *settings) declare(k *predict.Knobs) {
	k.Int(&s.snapshotEvery, "snapshot-every", 1, 1, 64, "ticks from one snapshot to the next: 1, 2, 3, 6 are 60, 30, 20, 10 a second at 60 Hz")
	k.Choice(&s.interpolation, "interpolation", hermite, interpolationModes, "what fills the time between two snapshots: nothing (each is drawn when it comes, without delay), straight lines, or curves that keep the velocities, where these come")
	k.Millis(&s.extrapolate, "extrapolate", 0, 0, 1000, "linear and hermite: draw bodies this much later on the straight way of their velocity; the rule's delay is that much shorter")
}

// needsVelocities reports whether the client cannot draw without them.
func (s *settings) needsVelocities() bool {
	return s.interpolation == hermite || s.interpolation == linear && s.extrapolate > 0
}

// fields looks into a payload.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return input.FieldsOr(up, payload, see, func() error {
		var c quant.Coder
		var s snapshot
		c.OnField(see)
		return s.read(&c, payload, scene, 0, nil)
	})
}
