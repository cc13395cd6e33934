package predict

import "ghostcube/sim"

// InputProgress is the progress of a player's inputs from the key to the screen, as the two sides
// know it after a tick. The laboratory reads it in every tick.
//
// Inputs are numbered by the client's ticks, states by the server's. Ticks only
// grow during a session, and 0 means nothing yet.
type InputProgress struct {
	Sampled   sim.Tick // at the client: inputs of ticks below this have been sampled and sent
	Consumed  sim.Tick // at the server: inputs of ticks below this have been used, or a later one has
	StateSent sim.Tick // at the server: tick of the newest state sent to the client

	// At the server: a tick whose input is missing is stepped without one, instead of with the last.
	DropsMissing bool

	StateReceived sim.Tick // at the client: tick of the newest state received
	Shown         sim.Tick // at the client: tick of the newest state that affects the drawn player's cube

	// At the client: inputs of ticks below this affect the drawn cube, where the client predicts
	// it.
	Predicted sim.Tick
	Predicts  bool // the client predicts its player's cube

	Extrapolates bool // at the client: nothing is simulated, each body goes on from its last received state
}

// Latency is the Latency of a strategy whose sides both have a method Progress.
func Latency(to *InputProgress, server Server, client Client) {
	type side interface{ Progress(to *InputProgress) }
	server.(side).Progress(to)
	client.(side).Progress(to)
}
