// Package lockstep sends inputs and nothing else. All sides begin with the same
// world, and each steps a tick only when it has the inputs of all players for
// it; since the world is deterministic, all worlds stay the same, however many
// bodies they hold (Fiedler, Deterministic Lockstep, 2014).
//
// The server passes each player's inputs on to the others. A side makes the
// inputs of its own players and knows them at once; those of the others go
// through a playout delay buffer, so that they can be played at an even pace.
// With one player nobody waits for anybody but the side that looks on. With
// several, everyone waits for the slowest, and a key is answered when the
// others' inputs of the same tick have come.
//
// Over UDP each packet repeats every input that is not acknowledged, so that a
// lost one costs nothing as long as the delay covers the next (message.go).
// Over TCP each input is sent once, and a loss stops all behind it.
//
// Each side tells what its world hashes to, tick by tick. Where the hashes
// differ the client asks until it knows the first tick and the first body of
// it (desync.go). Nothing is repaired: a lockstep session that has parted
// stays apart.
package lockstep

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// Strategy is deterministic lockstep.
var Strategy = &predict.Strategy{
	Name: "lockstep",
	Doc: "deterministic lockstep: inputs only\n\n" +
		"Bandwidth is the same for 9 cubes and 900. What is late is waited for: watch it stand with transport=tcp and loss. Turn contact-order to own-seed and the worlds part; the checksum names the tick.",
	Source:           "Fiedler, Deterministic Lockstep (2014)",
	NewServer:        newServer,
	NewClient:        newClient,
	Fields:           fields,
	Inspect:          inspect,
	Latency:          latency,
	TicksMatchServer: true,
}

// inspect reports what the sides know of their packets.
func inspect(l *predict.Inspection, _ predict.Server, c predict.Client) {
	c.(*client).inspect(l)
}

// The transports.
const (
	udp = iota
	tcp
)

// The orders in which contacts may be solved.
const (
	fixedOrder = iota
	ownSeed
	tickSeed
)

// settings are the knobs of both halves.
type settings struct {
	transport     int
	playoutDelay  float64 // ms
	adaptive      bool
	followClock   bool
	alignInputs   bool
	maxCatchUp    int
	contactOrder  int
	checksumEvery int
	skew          int
	solver        predict.Solver
}

func (s *settings) declare(k *predict.Knobs) {
	k.Choice(&s.transport, "transport", udp, []string{"udp", "tcp"}, "every input until it is acknowledged, over packets that get lost; or once, over a wire on which what is lost delays all behind it")
	k.Millis(&s.playoutDelay, "playout", 100, 0, 3000, "playout delay: how long an input waits after its own time, so that a late one is in time")
	k.Bool(&s.adaptive, "adaptive", false, "the playout delay becomes what the latest input of the last ten seconds needed")
	k.Bool(&s.followClock, "follow-clock", false, "follow the other side's clock if it runs faster or slower than one's own, or stood still")
	k.Bool(&s.alignInputs, "align-inputs", false, "several players: inputs are made so that all reach the server together; each waits for its own round trip")
	k.Int(&s.maxCatchUp, "catch-up", 4, 1, 16, "most ticks stepped at once after a stall")
	k.Choice(&s.contactOrder, "contact-order", fixedOrder, []string{"fixed", "own-seed", "tick-seed"}, "in which contacts are solved: by their bodies; seeded differently on each side, which breaks determinism; seeded by the tick on all sides, which mends it")
	k.Int(&s.checksumEvery, "checksum-every", 1, 0, 60, "ticks from one checksum of the world to the next; 0 sends none")
	k.Int(&s.skew, "skew", 0, -10000, 10000, "a fault: parts per million by which the clients' clocks are faster than the server's")
	k.Solver(&s.solver)
}

// contactSeed returns the order of contacts for a tick, on the side with that number.
func (s *settings) contactSeed(t sim.Tick, side int) uint64 {
	switch s.contactOrder {
	case ownSeed:
		return mix(uint64(t)<<8 | uint64(side+1))
	case tickSeed:
		return mix(uint64(t) << 8)
	}
	return 0
}

// mix spreads the bits of x and never returns 0, which means no seed.
func mix(x uint64) uint64 {
	x = (x + 1) * 0x9E3779B97F4A7C15
	x = (x ^ x>>31) * 0xBF58476D1CE4E5B9
	return x ^ x>>29 | 1
}
