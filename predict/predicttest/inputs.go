package predicttest

import "ghostcube/sim"

// NoInput is a player who does nothing.
func NoInput(int) sim.Input { return sim.Input{} }

// DriveAround is a player who drives in squares from the second second on.
func DriveAround(tick int) sim.Input {
	if tick < 60 {
		return sim.Input{}
	}
	return sim.Input{Buttons: []sim.Buttons{sim.Forward, sim.Right, sim.Back, sim.Left}[tick/25%4], Heading: uint8(tick / 10)}
}

// Press returns a player who keeps pressing the same buttons.
func Press(b sim.Buttons) func(tick int) sim.Input {
	return func(int) sim.Input { return sim.Input{Buttons: b} }
}
