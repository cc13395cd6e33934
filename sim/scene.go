package sim

import "ghostcube/sim/geom"

// Scene is a named starting state and the constants of its world.
type Scene struct {
	Name string // as scene.Named takes it, parameters included
	Doc  string // one line for a list

	Players int   // boxes 0..Players-1 are the players' cubes
	Boxes   []Box // all that moves; the index is the body's identity
	Static  []Box // all that stands still, beside the ground at z = 0

	Carriers []Carrier // what moves by itself
	Joints   []Joint   // what ties bodies together

	Gravity         float32 // m/s2, downwards
	Damping         float32 // share of linear and angular speed lost per second at first
	MaxLinearSpeed  float32 // m/s; faster bodies are slowed to it before a step
	MaxAngularSpeed float32 // rad/s; likewise
	HalfWidth       float32 // metres; x and y stay in [-Wide, Wide]
	Height          float32 // metres; z stays in [0, High]
	MinSubsteps     int     // of a tick, if more than usual: for many joints
	NoSleep         bool    // nothing ever sleeps: for measuring the solver
}

// Box is one box of a scene, or a body of several.
type Box struct {
	Half        geom.Vec3 // half of its three sides, metres
	Parts       []Part    // the other boxes of the body; only for bodies
	Density     float32   // kg/m3; only for bodies
	Friction    float32   // coefficient; two bodies rub with the geometric mean of theirs
	Start       Body
	FilterGroup int // boxes of the same group pass through each other; 0 is no group
}
