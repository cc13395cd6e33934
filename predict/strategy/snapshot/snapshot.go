// Package snapshot draws the server's recent past. Only the server simulates. Many
// times a second it sends the visible state of all bodies; the client buffers these snapshots,
// plays them back some time behind the newest, and interpolates between two of them.
//
// This is Fiedler's "Snapshot Interpolation" (2014), his "Snapshot Compression" (2015), and their
// programs. The client knows no physics, so it mispredicts nothing, and its player waits for a
// round trip and the buffer. It suits bodies that the player does not control. At level raw it needs
// more bandwidth than any other strategy; compression.go and package delta reduce it.
//
// It differs from the article in these ways:
//
//   - Snapshots are labelled with the server's tick instead of a sequence number, so the send rate
//     may change during a session. The published ring of 64 snapshots is here the snapshots within
//     64 send intervals of the newest (TestBlackoutRestarts).
//   - The client also restarts playback if everything has arrived too late for a second
//     (TestHigherLatencyRestarts). The published buffer would stop for good after latency has grown
//     by more than its delay.
//   - Playback interpolates across lost snapshots as soon as the next one is there, if that is at most 300 ms beyond the
//     delay. The published program looks for it within the delay, and otherwise stands still until it is due.
//   - A snapshot that arrives late, but before its turn to be displayed, is used. The article drops
//     every snapshot older than the newest; here only interpolation=none does.
//   - The jitter margin of the delay follows from the send interval. With adaptive the delay grows beyond
//     that, to what the last ten seconds needed (playout.go); the published one is fixed.
//   - From level quantised on snapshots have no velocities, as in the article, which sends sixty a
//     second at that point: hermite interpolation becomes linear, and nothing is extrapolated.
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
	Doc: "snapshot interpolation\n\n" +
		"The client simulates nothing: it draws the server's recent past. " +
		"Set snapshot-every to 6 and interpolation to linear, hover with Space, and see the kinks; then set hermite. " +
		"Show packets (K) and raise the compression level: a cube goes from 321 bits to three. " +
		"From quantised on there are no velocities, and hermite is linear.",
	Source:    "Fiedler, Snapshot Interpolation (2014) and Snapshot Compression (2015), and their programs",
	NewServer: newServer,
	NewClient: newClient,
	Fields:    fields,
	Inspect:   inspect,
	Latency:   predict.Latency,
	MaxBodies: maxBodies,
	Row: &predict.Row{
		UsualName: "snapshot interpolation", Guide: "docs/guides/snapshot-interpolation.md",
		Determinism: "no", UseWhen: "the picture must be right, delay is fine",
	},
}

// inspect reports what the sides know of their packets.
func inspect(l *predict.Inspection, s predict.Server, c predict.Client) {
	server, client := s.(*server), c.(*client)
	server.inspect(l, 0)
	client.inspect(l)
	if client.env.Player >= 0 {
		server.InspectInputs(l)
	}
}

// How to interpolate between two snapshots.
const (
	onArrival = iota
	linear
	hermite
)

var interpolationModes = []string{"none", "linear", "hermite"}

// settings are the knobs that both sides share.
type settings struct {
	snapshotEvery int // ticks from one snapshot to the next
	interpolation int
	extrapolate   float64 // milliseconds
}

func (s *settings) declare(k *predict.Knobs) {
	k.In(predict.PacketKnobs).Int(&s.snapshotEvery, "snapshot-every", 1, 1, 64,
		"send interval of snapshots, ticks: 1, 2, 3, 6 are 60, 30, 20, 10 a second at 60 Hz")
	group := k.In(predict.InterpolationKnobs)
	group.Choice(&s.interpolation, "interpolation", hermite, interpolationModes,
		"between snapshots: none (the newest, without delay), linear, or hermite, which needs velocities")
	group.Millis(&s.extrapolate, "extrapolate", 0, 0, 1000,
		"linear, hermite: time extrapolated by velocity, ms; shortens the automatic delay")
	k.Needs("extrapolate", "interpolation", "linear", "hermite")
}

// needsVelocities reports whether the client cannot draw without them.
func (s *settings) needsVelocities() bool {
	return s.interpolation == hermite || s.interpolation == linear && s.extrapolate > 0
}

// fields decodes a payload: see predict.Strategy.
func fields(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error {
	return input.FieldsOr(up, payload, see, func() error {
		var c quant.Coder
		var s snapshot
		c.OnField(see)
		s.checks = quant.ContainsCheck(payload, "velocities")
		return s.read(&c, payload, scene, 0, nil)
	})
}
