// Package animated shows all bodies as the server had them a little while ago, and
// simulates nothing: every position that comes carries the server's timestamp and
// enters the body's position history; it is valid until timestamp + ping/2 + T, with
// a T of 60 ms; the picture moves towards the next one that is; when there is none, it
// goes on for half a ping at most, and then stands. A position that comes when a later
// one has been reached is dropped.
//
// This is the Animated mode of Space Engineers (a talk at GDC, as an article in
// Chinese retells it; that T is 60 ms is its author's guess). There the bodies of
// others are shown so, in a world too large to be simulated by all: 10,000 of them, and
// a hundred players. The player's own cube waits for the server here; strategy
// historyoffset predicts it.
//
// What package positions adds to the article, or leaves open as it does:
//
//   - A position is reached at the end of its validity. So the picture is T later
//     than what arrives, as with an interpolation buffer of T.
//   - The article drops what comes when the validity of what is shown is over. Taken
//     at its word, after a pause nothing would be taken ever again; here a position is
//     dropped if its own validity is over (TestExpired).
//   - After a body has stood, it goes to the next position evenly, from where it stands.
package animated

import (
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
)

// Strategy is Animated mode.
var Strategy = &predict.Strategy{
	Name: "animated",
	Doc: "positions with timestamps, shown 60 ms late\n\n" +
		"The client simulates nothing. Press B to lose all for a quarter of a second: what moves goes on for half a ping and then stands, until the next position draws it on.",
	Source:    "Space Engineers, a talk at GDC: Animated mode",
	NewServer: newServer,
	NewClient: newClient,
	Fields:    codec.InputAndSnapshotFields,
}
