package predicttest

import "ghostcube/sim"

// NoInput is the input of an idle player.
func NoInput(int) sim.Input { return sim.Input{} }

// DriveAround is the input of a player who drives in squares after the first second.
func DriveAround(tick int) sim.Input {
	if tick < 60 {
		return sim.Input{}
	}
	return sim.Input{Buttons: []sim.Buttons{sim.Forward, sim.Right, sim.Back, sim.Left}[tick/25%4], Heading: uint8(tick / 10)}
}

// Press returns the input of a player who keeps the same buttons pressed.
func Press(b sim.Buttons) func(tick int) sim.Input {
	return func(int) sim.Input { return sim.Input{Buttons: b} }
}
