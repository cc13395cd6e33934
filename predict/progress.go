package predict

import "ghostcube/sim"

// InputProgress is how far what a client's player does has come on its way to the player's
// eyes, as both halves know it after a tick. It is asked for in every tick, and
// asking changes nothing. A client's inputs have numbers of its own, the labels of
// its ticks; the server's states have the server's. All fields but the last only
// grow while a half is at work, and 0 is nothing yet.
type InputProgress struct {
	Sampled   sim.Tick // at the client: inputs of its ticks below this have been made, and are sent from then on
	Consumed  sim.Tick // at the server: of these, those below this have been used, or later ones
	StateSent sim.Tick // at the server: the tick of the newest state that was sent to the client

	StateReceived sim.Tick // at the client: the tick of the newest state that has come
	Shown         sim.Tick // at the client: the tick of the newest state of which its picture of the own cube, or its correction, shows anything

	// At the client, where the own cube answers before the server has told: inputs
	// of its ticks below this are in the picture.
	Predicted sim.Tick
	Predicts  bool // it does so
}

// ServerProgress is a server that can tell of it.
type ServerProgress interface {
	// Progress writes into c, which is empty, what concerns one client.
	Progress(c *InputProgress, seat int)
}

// ClientProgress is a client that can tell of it.
type ClientProgress interface {
	// Progress writes into c, in which the server has written.
	Progress(c *InputProgress)
}
