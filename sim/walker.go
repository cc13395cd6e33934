package sim

import "ghostcube/sim/geom"

// Walkers are avatars that a script moves as players move theirs: they take the place of players where a scene
// needs more of them than a session has. A script depends on the walker's own position and on the tick. Only
// the machine that decides runs it; to the others a walker is a remote player whose input they do not know.

// walkerRange is how far from the middle of the scene walkers go, in metres.
const walkerRange = 18

// RunWalkers says whether the world runs the scripts of its walkers, as a new world does. In a world that does
// not, walkers get no input. The setting is not part of a State.
func (w *World) RunWalkers(run bool) {
	w.walkersIdle = !run
	w.NoteChange()
}

// walkerInput returns the input of the walker with body i. It walks in one direction for two thirds of a second
// to two seconds, then in another; sometimes it stands, and sometimes it jumps. Outside of its range it turns
// back to the middle.
func (w *World) walkerInput(i int) (in Input) {
	if w.walkersIdle {
		return in
	}
	t := uint64(w.state.Tick) * 60 / uint64(w.rate) // in 1/60 s
	period := uint64(40 + i*7%80)
	x := (t/period+1)*0x9E3779B97F4A7C15 ^ uint64(i)*0xBF58476D1CE4E5B9
	x ^= x >> 29
	x *= 0x94D049BB133111EB
	x ^= x >> 32
	in.Heading = uint8(x)
	if x>>8&7 > 0 {
		in.Buttons = Forward
	}
	if x>>11&7 == 0 && t%period < 2 {
		in.Buttons |= Lift
	}
	if p := w.state.Bodies[i].Pose.Pos; float32(p.X*p.X)+float32(p.Y*p.Y) > walkerRange*walkerRange {
		turn := geom.Atan2(p.X, -p.Y) / geom.TwoPi // of the direction to the middle, counter-clockwise from +y
		in.Heading, in.Buttons = uint8(int(float32(turn*HeadingSteps)+HeadingSteps+0.5)), Forward
	}
	return in
}
