// Package sim is a rigid-body engine for boxes, with players that push them, advanced in fixed
// ticks.
//
// It is deterministic: the same state and the same inputs give the same next state, bit for bit, on
// every machine. The package therefore knows no clock, no network, no screen, no map and no random source, and it
// writes its arithmetic as package geom explains.
//
// A step runs these stages, in order: player forces (player.go), broad phase (broadphase.go),
// narrow phase (boxcollision.go), manifolds with the impulses of the last tick (contact.go), sleep
// (island.go), the solver (solver.go), and the new poses. Carriers are kinematic boxes that follow
// a path (carrier.go). Joints connect bodies (joint.go), and a body may consist of several boxes
// (compound.go). Ray casts (raycast.go) and queries for nearby bodies (nearby.go) do not change the world.
//
// The method is Box3D's "soft step": substeps with soft contacts and one relax iteration each, warm
// started, on manifolds that are recycled while the boxes hardly move relative to each other.
package sim

// Tick is a number of steps since the start of a session.
type Tick uint32

// Buttons is a set of pressed buttons.
type Buttons uint8

// The buttons of an Input. The first four push along the ground, relative to the heading. Use and
// Couple act once when they go down; Attachments has what they change.
const (
	Left Buttons = 1 << iota
	Right
	Forward
	Back
	Lift   // hover, and push bodies in the neighbourhood away
	Pull   // pull bodies in the neighbourhood, as a katamari ball does
	Use    // enter the nearest vehicle, or leave it
	Couple // connect the nearest coupling, or disconnect it

	MoveButtons   = Left | Right | Forward | Back | Lift | Pull
	ActionButtons = Use | Couple
	AllButtons    = MoveButtons | ActionButtons
)

// Input is what one player does in one tick. It is complete: the camera's direction is resolved
// into the heading beforehand, so a replay depends on nothing else.
type Input struct {
	Buttons Buttons
	Heading uint8 // direction of Forward, 1/256 turn, counter-clockwise from +y
	Shot    Shot  // ignored by steps
}

// HeadingSteps is the number of headings in a turn.
const HeadingSteps = 256
