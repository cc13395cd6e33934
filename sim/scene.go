package sim

import "ghostcube/sim/geom"

// MaxPlayers is the largest number of players in a scene.
const MaxPlayers = 8

// Scene is a starting state and the constants of its world.
type Scene struct {
	Name string // as in scene.Named, with parameters
	Doc  string // description in one line

	Players int   // bodies 0..Players-1 are the players' cubes
	Walkers int   // the next bodies are avatars that a script moves
	Boxes   []Box // dynamic bodies, by index
	Static  []Box // static boxes; the ground is z = 0

	Carriers  []Carrier
	Joints    []Joint
	Vehicles  []Vehicle
	Couplings []Coupling // joints that players connect and disconnect

	Gravity         float32 // m/s2, downwards
	Damping         float32 // per second; rate of decay of linear and angular velocity
	MaxLinearSpeed  float32 // m/s; higher speeds are clamped before a step
	MaxAngularSpeed float32 // rad/s; clamped likewise
	HalfWidth       float32 // metres; x and y stay in [-HalfWidth, HalfWidth]
	Height          float32 // metres; z stays in [0, Height]
	MinSubsteps     int     // raises Settings.Substeps, for scenes with many joints
	NoSleep         bool    // nothing falls asleep: for measuring the solver
}

// Box is a box of a scene: a body, a static box or a carrier box. A body may have further boxes.
type Box struct {
	Half        geom.Vec3  // half extents, metres
	SubShapes   []SubShape // further boxes of a body
	Density     float32    // kg/m3; of bodies only
	Friction    float32    // coefficient; contacts use the geometric mean of both
	Start       Body
	FilterGroup int // boxes of the same group do not collide; 0: no group

	// A player's body with Avatar walks and jumps, and does not tumble; without it rolls, hovers and
	// pulls, as Fiedler's cube. Thrust is the acceleration of an avatar's jetpack.
	Avatar bool
	Thrust float32 // m/s2; 0: it has no jetpack

	// A body with Hover, such as a ship that a player flies, stays upright and at the height of its start.
	Hover bool
}
