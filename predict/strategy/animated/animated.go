// Package animated interpolates all bodies in the recent past and simulates nothing. Every received
// position carries the server's timestamp and enters the body's position history. It is valid until
// timestamp + ping/2 + T, with a T of 60 ms. The drawn body moves towards the next valid position.
// When there is none, it extrapolates for at most half a ping and then stops. A position that
// arrives after a later one has been reached is dropped.
//
// This is the Animated mode of Space Engineers (a talk at GDC, known through an article in Chinese
// whose author estimates T at 60 ms). There remote bodies are drawn this way, in a world of 10,000
// bodies and a hundred players that is too large to be simulated by every client. The player's own
// cube waits for the server here; strategy historyoffset predicts it.
//
// Differences from the article, and decisions where it leaves something open, all in package
// playback:
//
//   - A position is reached at the end of its validity, so bodies are drawn T later than states
//     arrive, as with an interpolation buffer of T.
//   - The article drops positions that arrive after the validity of the displayed one has ended.
//     Taken literally, no position would ever be accepted again after a pause. Here a position is
//     dropped if its own validity has ended (TestExpired).
//   - After an outage the drawn moment goes on where bodies have stopped, and catches up (knob catch-up): they
//     move on a curve to the next position. With catch-up=0ms they are there when its validity ends.
package animated

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
)

// Strategy is Animated mode.
var Strategy = &predict.Strategy{
	Name: "animated",
	Doc: "timestamped positions, interpolated 60 ms in the past\n\n" +
		"The client simulates nothing. Press B for a blackout of a quarter of a second: " +
		"moving bodies go on for half a ping, then stop until the next position arrives.",
	Source:    "Space Engineers, a talk at GDC: Animated mode",
	NewServer: newServer,
	NewClient: newClient,
	Fields:    codec.InputAndSnapshotFields,
	Inspect:   inspect,
	Latency:   predict.Latency,
	Row: &predict.Row{
		UsualName:   "interpolation of timestamped states",
		Determinism: "no", UseWhen: "things that only move, such as doors",
	},
}

// inspect reports what the sides know of their packets.
func inspect(l *predict.Inspection, s predict.Server, c predict.Client) {
	server, client := s.(*server), c.(*client)
	if client.env.Player >= 0 {
		server.InspectInputs(l)
	}
	client.inspect(l)
}
