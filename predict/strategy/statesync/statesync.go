// Package statesync simulates on both sides and sends part of the state, as in Fiedler's State
// Synchronization (2015). The server steps the world, and the client steps it too, a few ticks
// later. In every tick the server sends the players' inputs and the states of some bodies: as many as
// the bandwidth allows, the most important first. Until the state of a body arrives, the client's
// simulation moves it.
//
// This needs neither determinism nor whole snapshots, and nothing is ever rolled back. It suits
// many bodies and little bandwidth. Between two updates a body may be wrong, and a player at a
// client waits for the round trip and the jitter buffer: without a rollback, a cube that moved at
// once would be set back by the server's next state of it, unless the server accepts the client's
// states (authority.go).
//
// Two other ways exist beside the article's: to send only what receivers extrapolate wrongly (reckoning.go), and to
// steer bodies by their velocity instead of setting their states (steering.go).
//
// Differences from the article and its program:
//
//   - The article's packet contains the state of a frame and the input that leads out of it. Here,
//     as everywhere in this program, a packet contains the state of a tick and the inputs that led
//     to it.
//   - A packet contains the inputs since the newest acknowledged packet, at most 32, and not
//     always 32.
//   - The published program considers only the 64 bodies of highest priority. Here a body that does
//     not fit is skipped and the next one is tried, until none fits or 64 have.
//   - A packet that arrives too late for its tick is dropped, except for the sleeping bodies in it:
//     their states are still valid.
//   - The client's clock follows the packets, so that the earliest packet of each second waits for
//     the length of the jitter buffer (clock.go).
//   - Smoothing is package smoothing's. The published program applies the strong factor to small
//     rotations and the weak one to large rotations (TestFactors there holds the opposite), and its
//     test for rest ignores one of the six velocity components.
package statesync

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// Strategy is state synchronisation.
var Strategy = &predict.Strategy{
	Name: "statesync",
	Doc: "both sides simulate, and each packet carries the states of some bodies\n\n" +
		"901 cubes in 256 kbit/s. Set compression to uncompressed and back, lower budget to 64, turn smoothing off; turn states off, and the worlds diverge.",
	Source:    "Fiedler, State Synchronization (2015), and its program",
	NewServer: newServer,
	NewClient: newClient,
	Fields:    payloadFields,
	Kind:      kind,
	Inspect:   inspect,
	Latency:   predict.Latency,
	Motion:    predict.SimulatedAll,
	Grid:      grid,

	TicksMatchServer: true,
	Backlog:          true,
	Row: &predict.Row{
		UsualName: "state synchronisation", Guide: "docs/guides/state-sync.md",
		Determinism: "no", UseWhen: "many bodies, a fixed bandwidth; with `authority=client` 0 ms",
	},
}

// grid returns the grid of the states on the wire, to which the client's world is rounded whenever a
// state arrives.
func grid(c predict.Client) sim.Grid {
	s := &c.(*client).settings.compression
	if s.level == uncompressed {
		return nil
	}
	f := s.format(true)
	return f.grid()
}

// inspect reports what the sides know of their packets.
func inspect(l *predict.Inspection, s predict.Server, c predict.Client) {
	server, client := s.(*server), c.(*client)
	server.inspect(l, 0)
	if client.env.Player >= 0 {
		server.Receiver.Inspect(l, 0)
	}
	client.inspect(l)
}

// The levels of compression. Each includes all levels before it.
const (
	uncompressed = iota
	quantised
	quantisedBoth
	relative
	delta
)

var levels = []string{"uncompressed", "quantised", "quantised-both", "relative", "delta"}

// positionStepChoices are the precisions of a position, in steps per metre.
var positionStepChoices = []string{"4096", "2048", "1024", "512"}

// compressionSettings are knobs that both sides use.
type compressionSettings struct {
	level         int
	positionSteps int // index into positionStepChoices
	rotationBits  int // bits per component
	deltaBase     int // ackedBase, offsetBase or sequenceBase

	grids *grids // of the scene
}

func (s *compressionSettings) declare(k *predict.Knobs, scene *sim.Scene) {
	s.grids = gridsFor(scene)
	group := k.In(predict.PacketKnobs)
	group.Choice(&s.level, "compression", quantisedBoth, levels,
		"32-bit floats; quantised; the worlds, too; relative to a player; delta to acknowledged states")
	group.Choice(&s.positionSteps, "position-steps", 0, positionStepChoices, "quantised: steps per metre of a position")
	group.Int(&s.rotationBits, "rotation-bits", maxRotationBits, minRotationBits, maxRotationBits, "bits of each of three components of a rotation")
	group.Choice(&s.deltaBase, "delta-base", ackedBase, deltaBases,
		"delta: baselines follow from acks, or each delta names its own, in 5 or 16 bits")
	k.Needs("position-steps", "compression", levels[quantised:]...)
	k.Needs("rotation-bits", "compression", levels[quantised:]...)
	k.NotSearched(predict.MovesServer, "compression", "position-steps", "rotation-bits") // from quantised-both on
}

// format returns the wire format of the states now.
func (s *compressionSettings) format(velocities bool) format {
	f := format{velocities: velocities, rotationBits: maxRotationBits, grids: s.grids}
	if s.level != uncompressed {
		f.quantised, f.positionSteps, f.rotationBits = true, s.positionSteps, s.rotationBits
		f.relative, f.delta = s.level >= relative, s.level >= delta
		if f.delta {
			f.deltaBase = s.deltaBase
		}
	}
	return f
}

// quantise rounds the state of a world to the grid of the wire, if both sides step from there.
func (s *compressionSettings) quantise(w *predict.World) {
	if s.level < quantisedBoth {
		return
	}
	f := s.format(true)
	w.Quantise(f.grid())
}

// kind tells inputs, with or without the states of bodies that a client owns, from state updates.
func kind(up bool, _ []byte, _ int) predict.PacketKind {
	if up {
		return predict.Inputs
	}
	return predict.StateUpdates
}
