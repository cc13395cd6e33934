package sim

import (
	"ghostcube/sim/geom"
)

// Settings are the parameters of the solver. They belong to a world, not to its State. Both sides
// of a session normally have the same settings; different ones are an experiment.
type Settings struct {
	// Substeps per tick, each with one solve and one relax iteration. A scene may raise it.
	Substeps            int
	ContactHertz        float32 // Hz, stiffness of a contact; at most 1/8 of the substep rate
	ContactDampingRatio float32
	// Limit of the push-out velocity of contacts and joints, in m/s, and rad/s for rotations.
	MaxPushSpeed float32
	// Relative displacement of two boxes up to which their manifold is recycled, in metres; 0:
	// never.
	RecycleDistance float32
	ColdStart       bool // no warm start: impulses start from zero in every tick
	// Relative error of the time step: a step covers (1+StepError)/rate seconds. Two worlds need
	// the same to stay equal.
	StepError float32
	// 0 solves contacts in the order of their bodies, and joints in that of the scene. Other values
	// seed another order.
	SolveOrderSeed uint64

	// Stiffness of a joint, in Hz; at most half the substep rate, because stiffer chains of hinges
	// oscillate.
	JointHertz        float32
	JointDampingRatio float32
	JointIterations   int // joint iterations per solve and relax iteration
}

// DefaultSettings keep a pile of 900 cubes standing until it sleeps, and a chain of ten rods
// together.
var DefaultSettings = Settings{
	Substeps: 4, ContactHertz: 30, ContactDampingRatio: 10, MaxPushSpeed: 3, RecycleDistance: 0.05,
	JointHertz: 480, JointDampingRatio: 10, JointIterations: 4,
}

// World is a running simulation. Its fields are grouped by what copying, saving and stepping do
// with them.
type World struct {
	Settings Settings

	constants
	state State
	controls
	placement
	results
	scratch
	changes     uint64   // see Changes
	steppedWith Settings // of the last step
}

// constants follow from the scene and the rate. They never change.
type constants struct {
	scene Scene
	rate  int
	dt    float32 // seconds per step, with the step error of the last one

	ticksToSleep uint16
	subShapes    []subShape
	// Index of each body's first sub-shape, and at the end the number of sub-shapes.
	firstSubShape     []int32
	joints            []joint
	carrierBoxes      []carrierBox
	firstCarrierShape int    // index of the first carrier box among the shapes
	hasFilterGroups   bool   // some pairs of shapes do not collide
	hasActions        bool   // the scene has vehicles or couplings
	couplingOf        []int8 // by joint: index of its coupling, or -1
	hasHovering       bool   // a body hovers
	avatarCount       int    // bodies that may be avatars, the first ones; 0 without any
}

// controls are settings of callers beside Settings and State. Load does not change them; CopyFrom
// copies them.
type controls struct {
	kinematicCount int // number of kinematic bodies; their shapes have no mass
	pin            carrierPin
	frame          framedBody
	fieldOwners    []int8 // of the next step, by body; see LimitFields
	walkersIdle    bool   // see RunWalkers
}

// placement is the pose of everything. It follows from state, tick and controls, and is stored
// because computing it takes time.
type placement struct {
	// The bodies' own boxes, then their sub-shapes, static boxes and carrier boxes.
	shapes         []shape
	carrierMotions []carrierMotion // in this tick, by carrier
	carrierBounds  []aabb          // over this tick, by carrier box
}

func (p *placement) copyFrom(o *placement) {
	copy(p.shapes, o.shapes)
	copy(p.carrierMotions, o.carrierMotions)
	copy(p.carrierBounds, o.carrierBounds)
}

// results are results of the last step that callers may ask for.
type results struct {
	islandParent []int32      // union-find parent of each body
	separations  [][4]float32 // metres, of the points of each manifold at the beginning of the step
	fieldPairs   []BodyPair   // players and the bodies that their fields have reached
}

func (r *results) copyFrom(o *results) {
	copy(r.islandParent, o.islandParent)
	r.separations = append(r.separations[:0], o.separations...)
	r.fieldPairs = append(r.fieldPairs[:0], o.fieldPairs...)
}

// scratch is memory of a step that later steps do not depend on. A world with new scratch continues
// with the same bits.
type scratch struct {
	activity   activity
	broadPhase broadPhase
	contacts   contactScratch
	islands    islandScratch
	solver     solverScratch
	applied    appliedForces
	quantiser  quantiser
	avatars    avatarScratch
	replay     replay
}

func newScratch(bodies int) scratch {
	return scratch{
		activity: newActivity(bodies),
		contacts: contactScratch{wakeKeys: make([]uint32, bodies)},
		islands:  islandScratch{canSleep: make([]bool, bodies), awake: make([]bool, bodies)},
		solver:   solverScratch{bodies: make([]solverBody, bodies+1)},
		applied:  newAppliedForces(bodies),
	}
}

// New returns the world of a scene at tick 0. rate is in ticks per second, in [1, 1000].
func New(scene Scene, rate int) *World {
	if rate < 1 || rate > 1000 {
		panic("sim: New: the rate is outside 1 to 1000 ticks per second")
	}
	n := len(scene.Boxes)
	w := &World{Settings: DefaultSettings, state: newState(&scene), scratch: newScratch(n)}
	w.Settings.Substeps = max(w.Settings.Substeps, scene.MinSubsteps)
	w.scene, w.rate, w.dt = scene, rate, 1/float32(rate)
	w.ticksToSleep = uint16(max(1, rate/2))
	w.islandParent = make([]int32, n)
	w.newShapes()
	w.newJoints()
	w.newActions()
	for i := range scene.Boxes {
		w.hasHovering = w.hasHovering || scene.Boxes[i].Hover
	}
	for i := range min(scene.Players+scene.Walkers, n) {
		if scene.Boxes[i].Avatar {
			w.avatarCount = scene.Players + scene.Walkers
			break
		}
	}
	w.placeCarriers()
	return w
}

// Scene returns the scene of the world. Callers must not change it.
func (w *World) Scene() *Scene { return &w.scene }

// Rate returns the tick rate, per second.
func (w *World) Rate() int { return w.rate }

// Tick returns the current tick: the number of the next step, so that state n with input n gives
// state n+1.
func (w *World) Tick() Tick { return w.state.Tick }

// Bodies returns all bodies, by index. The slice is only to be read, until the next Step.
func (w *World) Bodies() []Body { return w.state.Bodies }

// Changes returns a number that grows whenever bodies or attachments are changed other than by a step: by SetBody, Load,
// Quantise and the like. CopyFrom copies it. While it stays the same, bodies differ from those after the last step in
// nothing.
func (w *World) Changes() uint64 { return w.changes }

// SetBody overwrites a body, as a correction from the network does. It keeps the contact cache: the
// next step discards manifolds that the new pose invalidates, and the others are better than a cold
// start. A body that is not asleep wakes, unless it is kinematic. A position outside the bounds of the
// scene is clamped, as steps clamp it.
func (w *World) SetBody(i int, b Body) {
	b.Pose.Pos = w.clampToBounds(b.Pose.Pos)
	b.Asleep = b.Asleep || w.kinematic(int32(i))
	if w.state.Bodies[i].Asleep && !b.Asleep {
		w.state.slowTicks[i] = 0
	}
	if b.Asleep {
		w.state.slowTicks[i] = w.ticksToSleep
	}
	w.NoteChange()
	if b != w.state.Bodies[i] {
		w.changes++
	}
	w.touch(int32(i))
	w.state.Bodies[i] = b
	w.touch(int32(i))
	w.updateShapes(i)
	if w.hasActions {
		w.placeDrivers()
	}
}

// SetTick sets the tick of the current state without stepping, as a server does that steps only
// when input arrives. Carriers jump to their poses at that tick and leave their loads behind.
func (w *World) SetTick(t Tick) {
	if t != w.state.Tick {
		w.state.Tick = t
		w.activity.disturbed = true
		w.NoteChange()
		w.placeCarriers()
	}
}

// DropCache drops all manifolds and joint impulses. Two sides that drop them at the same tick stay
// equal, at the price of displacements of a few millimetres in stacks.
func (w *World) DropCache() {
	w.state.manifolds, w.state.resting = w.state.manifolds[:0], w.state.resting[:0]
	w.activity.disturbed = true
	clear(w.state.jointImpulses)
	w.NoteChange()
}

// DropHiddenState drops all state beside the bodies: manifolds, joint impulses, and for how long bodies
// have been slow. Two worlds with the same bodies and tick are equal afterwards.
func (w *World) DropHiddenState() {
	w.DropCache()
	for i := range w.state.Bodies {
		w.state.slowTicks[i] = 0
		if w.state.Bodies[i].Asleep {
			w.state.slowTicks[i] = w.ticksToSleep
		}
	}
}

// CopyFrom makes w equal to o, which must be a world of the same scene and rate.
func (w *World) CopyFrom(o *World) {
	if len(w.state.Bodies) != len(o.state.Bodies) || w.rate != o.rate {
		panic("sim: CopyFrom: the world has another scene or rate")
	}
	w.Settings, w.controls = o.Settings, o.controls
	w.state.CopyFrom(&o.state)
	w.placement.copyFrom(&o.placement)
	w.results.copyFrom(&o.results)
	w.changes, w.steppedWith = o.changes, o.steppedWith
	w.activity.listed = false
}

// Step advances the world by one tick. inputs[i] drives player i; a player without an input presses
// nothing.
func (w *World) Step(inputs ...Input) {
	if w.Settings != w.steppedWith {
		w.steppedWith = w.Settings
		w.NoteChange()
	}
	w.dt, w.fieldPairs = (1+w.Settings.StepError)/float32(w.rate), w.fieldPairs[:0]
	if w.hasActions {
		w.applyActions(inputs)
	}
	w.frame.addFrameVelocity(w, 1)
	w.applyInputs(inputs)
	if w.hasHovering {
		w.holdHovering()
	}
	w.clampSpeeds()
	w.frame.addFrameVelocity(w, -1)
	if w.avatarCount > 0 {
		w.moveAvatars(inputs)
	}
	w.findPairs()
	w.updateContacts()
	w.updateIslands()
	w.solve()
	w.limitSpeeds()
	w.settleActivity()
	if w.hasActions {
		w.placeDrivers()
	}
	w.state.Tick++
	w.settlePinnedCarriers()
	w.frame.active = false
	w.fieldOwners = nil
	w.placeCarriers()
}

// clampSpeeds limits velocities to the maxima of the scene.
func (w *World) clampSpeeds() {
	for _, i := range w.activeBodies() {
		b := &w.state.Bodies[i]
		if b.Asleep {
			continue
		}
		b.Linear = clampLen(b.Linear, w.scene.MaxLinearSpeed)
		b.Angular = clampLen(b.Angular, w.scene.MaxAngularSpeed)
	}
}

// How much faster than the maxima of its scene, which apply at its beginning, a step may leave a body.
const (
	linearOvershoot  = 8
	angularOvershoot = 32
)

// SpeedLimits returns the largest linear and angular speed with which a step may leave a body of the scene, in m/s
// and rad/s. Contacts and joints may add to the maximum speed: random players reach 2.7 and 10.4 times the maxima at
// 60 Hz, in the scene train. At 10 Hz one step out of a deep contact adds any speed.
func (s *Scene) SpeedLimits() (linear, angular float32) {
	return linearOvershoot * s.MaxLinearSpeed, angularOvershoot * s.MaxAngularSpeed
}

// limitShare is the share of a limit that a speed above it is reduced to, so that rounding stays below the limit.
const limitShare = 1 - 1.0/4096

// limitSpeeds limits velocities after a step.
func (w *World) limitSpeeds() {
	linear, angular := w.scene.SpeedLimits()
	for _, i := range w.activeBodies() {
		b := &w.state.Bodies[i]
		if b.Linear.LenSq() > float32(linear*linear) {
			b.Linear = clampLen(b.Linear, limitShare*linear)
		}
		if b.Angular.LenSq() > float32(angular*angular) {
			b.Angular = clampLen(b.Angular, limitShare*angular)
		}
	}
}

// clampLen returns v, scaled down to maxLen if it is longer.
func clampLen(v geom.Vec3, maxLen float32) geom.Vec3 {
	if l2 := v.LenSq(); l2 > float32(maxLen*maxLen) {
		return v.Scale(maxLen / geom.Sqrt(l2))
	}
	return v
}

// clampToBounds returns p clamped to the bounds of the scene.
func (w *World) clampToBounds(p geom.Vec3) geom.Vec3 {
	s := &w.scene
	return geom.Vec3{
		X: geom.Clamp(p.X, -s.HalfWidth, s.HalfWidth),
		Y: geom.Clamp(p.Y, -s.HalfWidth, s.HalfWidth),
		Z: geom.Clamp(p.Z, 0, s.Height),
	}
}
