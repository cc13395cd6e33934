// Package sim is the world: boxes, contacts and the player's pushes, advanced
// in fixed ticks.
//
// The same state and the same inputs give the same next state, bit for bit, on
// every machine. The package therefore knows no clock, no network, no screen,
// no map and no random source, and it writes its arithmetic as package geom
// explains.
//
// A step is, in order: what the players' keys do (player.go), which boxes are
// near each other (broadphase.go), where they touch (boxcollision.go), what is kept of last
// tick's contacts (contact.go), who sleeps and who wakes (island.go), the
// impulses (solver.go), and the new poses. Carriers, which move along a path
// whatever is in their way, go to where the tick has them (carrier.go). Joints
// tie bodies together (joint.go), and a body may be several boxes (compound.go). What
// a ray meets is asked beside the steps (raycast.go). The
// method is that of Box3D's "soft step": substeps with soft contacts and one
// relaxing iteration each, warm started, on manifolds that are kept while the
// two boxes hardly move against each other.
package sim

// Tick counts steps since the session began.
type Tick uint32

// Buttons is a set of keys held down.
type Buttons uint8

// The buttons of an Input. The first four push along the ground, relative to
// the Heading.
const (
	Left Buttons = 1 << iota
	Right
	Forward
	Back
	Lift // hover, and blow away what is near
	Pull // draw near cubes in, as a katamari ball does

	AllButtons = Left | Right | Forward | Back | Lift | Pull
)

// Input is what one player does in one tick. It is complete: what a camera
// looked at has been resolved into the Heading before, so a replay depends on
// nothing else.
type Input struct {
	Buttons Buttons
	Heading uint8 // where forward points: 1/256 turns counter-clockwise from +y
	Shot    Shot  // which no step looks at
}

// HeadingSteps is the number of directions that an Input can name.
const HeadingSteps = 256
