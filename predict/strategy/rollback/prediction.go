package rollback

import "ghostcube/sim"

// inputAt returns the input of a player that a tick is stepped with: the known one, the client's own, or a
// prediction.
func (c *client) inputAt(t sim.Tick, p int) sim.Input {
	if in, ok := c.known.at(t, p); ok {
		return in
	}
	if p == c.env.Player {
		return c.own.at(t)
	}
	return c.predict(t, p)
}

// predict returns a prediction of the input of a remote player in a tick.
//
// The last input is repeated for as long as inputs of that player arrive, however old they are. If none does
// for the time of the knob repeat-time, the server will soon do without them, and so does the prediction.
func (c *client) predict(t sim.Tick, p int) sim.Input {
	last := c.known.last[p]
	switch c.settings.prediction {
	case noInput:
		return sim.Input{}
	case fadeOut:
		n := c.settings.fadeTime * float64(c.env.World.Rate()) / 1000
		return fade(last, int(t-c.known.end[p])+1, int(n))
	}
	if c.inMesh() {
		return last // nobody does without a peer's inputs
	}
	return c.settings.repeat.Input(last, c.known.silent[p])
}

// fade returns an input some ticks after the last known one. Buttons cannot be pressed by half, so they are
// pressed in a share of the ticks that falls from one to zero within a number of ticks.
func fade(last sim.Input, after, ticks int) sim.Input {
	if after > ticks {
		return sim.Input{}
	}
	// The shares of the ticks up to n add up to pressed(n)/ticks. A tick is pressed if the sum, rounded, grows.
	pressed := func(n int) int { return (n*ticks - n*(n+1)/2 + ticks/2) / ticks }
	if pressed(after) == pressed(after-1) {
		last.Buttons = 0
	}
	return last
}
