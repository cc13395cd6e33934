// Package lockstep sends inputs and nothing else, as in Fiedler's Deterministic Lockstep (2014). All
// sides start with the same world, and each steps a tick only when it has the inputs of all players
// for it. Because the simulation is deterministic, all worlds stay the same, however many bodies
// they have.
//
// The server relays each player's inputs to the other sides. A side has the inputs of its own
// players at once. The inputs of remote players pass through a playout buffer, so that the side can
// step at an even rate. With one player, only the other side waits. With several, every side waits
// for the slowest, and a local input takes effect when the remote inputs of the same tick have
// arrived.
//
// Over UDP inputs are redundant: each packet repeats every one that is not acknowledged, so a lost packet costs nothing
// if the playout delay covers the time until the next one (message.go). Over TCP each input is sent
// once, and a loss delays everything behind it.
//
// A side that has received nothing for longer than the knob timeout gives the connection up, as the
// article does after two seconds (timeout.go). Without it, all wait for as long as it takes.
//
// Each side sends checksums of its world. If they differ, the client asks the server for more of
// them until it has found the first tick and the first body that differ (desync.go). Nothing is
// repaired: worlds that have diverged stay different.
package lockstep

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// Strategy is deterministic lockstep.
var Strategy = &predict.Strategy{
	Name: "lockstep",
	Doc: "deterministic lockstep: inputs only\n\n" +
		"Bandwidth is the same for 9 cubes and 900. A late input stops the world: add loss with transport=tcp. " +
		"Set contact-order to own-seed, and the worlds diverge; the checksums find the tick.",
	Source:           "Fiedler, Deterministic Lockstep (2014)",
	NewServer:        newServer,
	NewClient:        newClient,
	Fields:           fields,
	Kind:             kind,
	ForgeAcks:        forgeAcks,
	Inspect:          inspect,
	Latency:          predict.Latency,
	Motion:           predict.FromInputs,
	TicksMatchServer: true,
	RunsWalkers:      true,
	Row: &predict.Row{
		UsualName: "deterministic lockstep", Guide: "docs/guides/lockstep.md",
		Determinism: "yes", UseWhen: "thousands of bodies; 0 ms alone, 200 with two players",
	},
}

// inspect reports what the sides know of their packets.
func inspect(l *predict.Inspection, s predict.Server, c predict.Client) {
	client := c.(*client)
	if p := client.env.Player; p >= 0 {
		s.(*server).inspect(l, p)
	}
	client.inspect(l)
}

// The transports.
const (
	udp = iota
	tcp
)

// The forms in which a side sends its players' inputs.
const (
	states = iota // the whole input of every tick
	events        // key presses and releases, as they happen
)

// The orders in which contacts are solved.
const (
	fixedOrder = iota
	ownSeed
	tickSeed
)

// settings are the knobs, which both sides share.
type settings struct {
	transport     int
	playoutDelay  float64 // ms
	adaptive      bool
	followClock   bool
	alignInputs   bool
	catchUp       int // ticks; 0: catchUpTicks
	stepError     int // ppm
	inputForm     int
	inputDelta    bool
	contactOrder  int
	timeout       float64 // ms; 0: none
	checksumEvery int     // ticks; 0: never
	skew          int     // ppm
	solver        predict.Solver
}

func (s *settings) declare(k *predict.Knobs, w *predict.World) {
	k.In(predict.PacketKnobs).Choice(&s.transport, "transport", udp, []string{"udp", "tcp"},
		"udp: repeat inputs until acknowledged; tcp: send once, a loss delays all behind it")
	group := k.In(predict.PlayoutKnobs)
	group.Millis(&s.playoutDelay, "playout", 100, 0, 3000, "playout delay of other players' inputs, ms")
	group.Bool(&s.adaptive, "adaptive", false, "adapt the playout delay to the latest input of 10 s")
	k.Needs("playout", "adaptive", "off")
	group.Bool(&s.followClock, "follow-clock", false, "follow the other side's clock if it drifts or stops")
	k.In(predict.InputKnobs).Bool(&s.alignInputs, "align-inputs", false, "sample inputs so that all players' reach the server together")
	group = k.In(predict.PlayoutKnobs)
	group.Int(&s.catchUp, "catch-up", 0, 0, maxCatchUp,
		"ticks stepped in a frame to catch up; 0: 3, and a sixth of those due beyond 64, to 64, to 16 of 901 cubes")
	group.Millis(&s.timeout, "timeout", 0, 0, 60000, "time without a packet until disconnection, ms (the article: 2s); 0: never")
	group = k.In(predict.InputKnobs)
	group.Bool(&s.inputDelta, "input-delta", true, "one bit for an input that equals the one before; off: every input whole")
	group.Choice(&s.inputForm, "input-form", states, []string{"states", "events"},
		"states: each tick's input until acknowledged; events: presses and releases, once, without ticks")
	k.In(predict.CorrectionKnobs).Choice(&s.contactOrder, "contact-order", fixedOrder, []string{"fixed", "own-seed", "tick-seed"},
		"solver's order: by body, by a seed of each side (breaks determinism), or by the tick")
	k.NotSearched("a property of the game", "contact-order")
	k.In(predict.PacketKnobs).Int(&s.checksumEvery, "checksum-every", 1, 0, 60, "ticks between checksums of the world; 0: none")
	k.NotSearched("for finding bugs", "checksum-every")
	k.In(predict.PlayoutKnobs).Int(&s.skew, "skew", 0, -10000, 10000, "fault: rate of the clients' clocks above the server's, ppm")
	k.NotSearched("a fault", "skew")
	k.In(predict.PhysicsKnobs).Int(&s.stepError, "step-error", 0, -100000, 100000,
		"fault: length of the clients' time steps above the server's, ppm; 1001: 1/59.94 s")
	k.Solver(&s.solver, w)
}

// A tick of 901 cubes, some of them rolling, takes about a quarter of a millisecond with its checksum, so 16
// of them are a quarter of a frame. A frame with catchUpBodies bodies in all of its ticks stays a frame, also
// on a machine that is several times slower, or with more of the cubes awake.
//
// A body of 50 m/s that goes on by three ticks in a frame after a stall moves by 2.5 m. More than that is seen as a jump, so
// a frame steps more ticks only after an outage of more than a second.
const (
	catchUpBodies = 16 * 901
	minCatchUp    = 3  // ticks stepped in a frame
	shortOutage   = 64 // ticks that are due, up to which a frame steps no more than that
	catchUpShare  = 6  // and a sixth of those beyond
	maxCatchUp    = 64 // ticks
)

// catchUpTicks returns the largest number of ticks of a world with some bodies that are stepped in a frame, if
// some ticks are due.
func (s *settings) catchUpTicks(due, bodies int) int {
	if s.catchUp > 0 {
		return s.catchUp
	}
	most := min(max(catchUpBodies/max(bodies, 1), minCatchUp), maxCatchUp)
	return min(minCatchUp+max(due-shortOutage, 0)/catchUpShare, most)
}

// contactSeed returns the seed of the contact order for a tick, on the side with a number.
func (s *settings) contactSeed(t sim.Tick, side int) uint64 {
	switch s.contactOrder {
	case ownSeed:
		return mix(uint64(t)<<8 | uint64(side+1))
	case tickSeed:
		return mix(uint64(t) << 8)
	}
	return 0
}

// mix returns a hash of x that is never 0, which would mean no seed.
func mix(x uint64) uint64 {
	x = (x + 1) * 0x9E3779B97F4A7C15
	x = (x ^ x>>31) * 0xBF58476D1CE4E5B9
	return x ^ x>>29 | 1
}
