// Package rollback sends inputs and nothing else, as lockstep does, and waits for none of them. Each client
// steps in every tick: with its own input, and with a prediction of the inputs of all other players. When
// inputs arrive that differ from the predicted ones, it goes back to the first tick that differs and steps
// again up to the present. This is GGPO (Cannon, Fight the Lag, 2012), with a server in the middle as in
// Photon Quantum.
//
// A tick of the client (client.go):
//
//  1. It takes in the inputs that have arrived, and notes the first tick that was stepped with another one
//     (confirmed.go).
//  2. It loads the world of that tick and steps again (replay.go), with newer predictions of the inputs that
//     are still missing (prediction.go).
//  3. It compares checksums of the ticks that can no longer change, and forgets their worlds.
//  4. It adjusts its clock (timesync.go): its inputs have to reach the server in time.
//  5. It stamps the player's input with the tick that uses it, now or after an input delay (delay.go), saves the
//     world and steps.
//  6. It sends all of its inputs that are not confirmed.
//
// A tick of the server (server.go): it collects the inputs, moves late ones to this tick, repeats the last one
// of a player whose input is missing (collect.go), steps the confirmed world, and tells all players with which
// inputs. It never waits. A tick is confirmed once the server has stepped it.
//
// Because the simulation is deterministic, a client's world of a confirmed tick equals the server's, bit for
// bit. If it does not, checksums find the first tick and body that differ, and the client can download the world
// and join again (rejoin.go).
package rollback

import (
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/smoothing"
)

// Strategy is rollback.
var Strategy = &predict.Strategy{
	Name: "rollback",
	Doc: "rollback: inputs only, nobody waits\n\n" +
		"All cubes move at once; the others' by a guess. Where a guess was wrong, the client goes back and steps again: " +
		"watch the other player turn. Raise input-delay, and less is rolled back.",
	Source:      "Cannon, Fight the Lag: The Trick Behind GGPO's Low Latency Netcode (2012); Photon Quantum, Frames (2026)",
	NewServer:   newServer,
	NewClient:   newClient,
	Fields:      fields,
	Kind:        kind,
	Inspect:     inspect,
	Latency:     predict.Latency,
	Motion:      predict.FromInputs,
	RunsWalkers: true,
	PeerToPeer:  true,
	PeerFields:  peerFields,
	Row: &predict.Row{
		UsualName: "rollback (GGPO)", Guide: "docs/guides/rollback.md",
		Determinism: "yes", UseWhen: "few players who react to each other, thousands of bodies at a price in CPU time",
	},
}

// The predictions of a remote player's input.
const (
	repeatLast = iota
	noInput
	fadeOut
)

// The topologies.
const (
	relay = iota
	mesh
)

// What a client does whose path to all others in a mesh is slower than theirs.
const (
	keepsAhead = iota
	level
)

// maxRollbackTicks is the largest number of ticks that a client steps beyond the last confirmed one.
const maxRollbackTicks = 60

// settings are the knobs that a client has, and some of which the server shares.
type settings struct {
	inputDelay      int // ticks
	inputDelayGrows bool
	lead            int // ticks
	maxRollback     int // ticks
	prediction      int
	fadeTime        float64          // ms
	repeat          input.Repetition // of the server, and of a prediction while nothing arrives
	checksumEvery   int              // ticks; 0: never
	contactOrder    predict.ContactOrder
	smoothing       smoothing.Settings
	solver          predict.Solver
	topology        int
	farPeer         int // keepsAhead or level
	effects         int // once or everyStep
}

// declare declares the knobs. Both sides declare all of them, so that they are listed in one order.
func (s *settings) declare(env *predict.Env) {
	k := env.Knobs
	group := k.In(predict.InputKnobs)
	group.Int(&s.inputDelay, "input-delay", 0, 0, 15,
		"ticks between a key and its use; each is one less to predict and roll back")
	group.Bool(&s.inputDelayGrows, "input-delay-grows", false,
		"the input delay covers the round trip, up to input-delay; the rest is predicted")
	k.Needs("input-delay-grows", "input-delay")
	group.Int(&s.lead, "lead", 3, 0, 60,
		"input lead: ticks by which inputs arrive early, for jitter and repeats")
	group.Choice(&s.prediction, "prediction", repeatLast, []string{"repeat", "none", "fade"},
		"guess of a missing input: the last one, none, or the last one in fewer and fewer ticks")
	group.Millis(&s.fadeTime, "fade-time", 150, 0, 2000, "prediction=fade: time until no input, ms")
	k.Needs("fade-time", "prediction", "fade")
	s.repeat.Declare(env)
	group = k.In(predict.CorrectionKnobs)
	group.Int(&s.maxRollback, "max-rollback", maxRollbackTicks, 0, maxRollbackTicks,
		"most ticks beyond the last confirmed one; then a client skips ticks")
	declareEffects(k, &s.effects)
	k.ContactOrder(&s.contactOrder)
	k.In(predict.PacketKnobs).Int(&s.checksumEvery, "checksum-every", 10, 0, 60,
		"ticks between checksums of the world; 0: none")
	k.NotSearched("for finding bugs", "checksum-every")
	k.Smoothing(&s.smoothing)
	k.Solver(&s.solver, env.World)
	k.In(predict.ConnectionKnobs).Choice(&s.topology, "topology", relay, []string{"relay", "mesh"},
		"inputs go through the server, or from each client to all others while the server watches")
	k.RestartsSides("topology")
	k.In(predict.ConnectionKnobs).Choice(&s.farPeer, "far-peer", keepsAhead, []string{"ahead", "level"},
		"mesh: a peer on a slow path steps ahead, so it alone predicts for longer, or all step level with it")
	k.Needs("far-peer", "topology", "mesh")
}
