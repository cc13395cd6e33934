package sim

import (
	"ghostcube/sim/geom"
)

// Settings are the numbers of the solver. They belong to a world, not to its
// State: both sides of a session are expected to agree on them, and a session
// in which they do not is an experiment.
type Settings struct {
	Substeps            int     // of a tick, each with one solving and one relaxing iteration; a scene may ask for more
	ContactHertz        float32 // stiffness of a contact; at most an eighth of the substep rate
	ContactDampingRatio float32 // damping ratio of a contact
	MaxPushSpeed        float32 // m/s; a penetration is pushed out no faster than this, and a joint drawn together; rad/s for its turns
	RecycleDistance     float32 // metres; a manifold is kept while its boxes moved less than this against each other; 0 never keeps
	ColdStart           bool    // start every tick's impulses from zero
	SolveOrderSeed      uint64  // 0 solves contacts in the order of their bodies, and joints in that of the scene; any other value seeds another order

	JointHertz        float32 // stiffness of a joint; at most half the substep rate, or chains of hinges begin to shake
	JointDampingRatio float32 // damping ratio of a joint
	JointIterations   int     // times that the joints are solved in each iteration
}

// DefaultSettings stand a pile of 900 cubes still and let it sleep, and hold a
// chain of ten.
var DefaultSettings = Settings{
	Substeps: 4, ContactHertz: 30, ContactDampingRatio: 10, MaxPushSpeed: 3, RecycleDistance: 0.05,
	JointHertz: 480, JointDampingRatio: 10, JointIterations: 4,
}

// World is one running simulation.
type World struct {
	Settings Settings

	scene Scene
	rate  int
	dt    float32 // seconds per tick

	firstCarrierShape int  // the first solid that a carrier moves
	hasFilterGroups   bool // some boxes pass through others
	kinematicCount    int  // bodies that are held
	pin               carrierPin
	framed            framedBody

	// The state: see State.
	tick          Tick
	bodies        []Body
	slowTicks     []uint16       // ticks that each body has been slow, up to sleepTicks
	owner         []int8         // the player whose authority each body is under, or Nobody
	idleTicks     []uint8        // ticks since that player last touched it, up to idleMost
	contacts      []manifold     // sorted by key
	jointImpulses []jointImpulse // of the joints, in their order

	// What follows from the state or lives for one step.
	shapes             []shape // the bodies' own boxes, then their parts, then the static boxes, then those of carriers
	parts              []part
	firstPart          []int32 // of each body, and of none
	carrierBoxes       []carrierBox
	joints             []joint
	jointConstraints   []jointConstraint // the joints of bodies awake
	carrierMotions     []carrierMotion   // of the carriers in this tick
	carrierContacts    []carrierContact
	carrierSubsteps    []carrierSubstep
	force              []geom.Vec3
	torque             []geom.Vec3
	ticksToSleep       uint16
	proxies            []proxy
	nextAwake          []int32
	strips             [stripCount][]proxy
	pairs              []uint32
	pairsScratch       []uint32
	oldContacts        []manifold
	separations        [][4]float32 // present separation of each point of each contact
	sleepingContacts   []int32      // contacts of sleepers, taken over untouched
	contactConstraints []contactConstraint
	contactOrder       []int32 // contacts of bodies awake, as they are solved
	solverBodies       []solverBody
	awakeBodies        []int32 // the bodies awake, in order
	islandParent       []int32
	islandCanSleep     []bool
	islandAwake        []bool
	touchedBy          []int8
	grid               Grid   // that the bodies were put onto last
	lastSnapped        []Body // as they were then
}

// New returns the world of a scene at tick 0. rate is in ticks per second, in
// [1, 1000].
func New(scene Scene, rate int) *World {
	if rate < 1 || rate > 1000 {
		panic("sim: New with a rate outside 1..1000 ticks per second")
	}
	w := &World{Settings: DefaultSettings, scene: scene, rate: rate, dt: 1 / float32(rate)}
	w.Settings.Substeps = max(w.Settings.Substeps, scene.MinSubsteps)
	n := len(scene.Boxes)
	w.ticksToSleep = uint16(max(1, rate/2)) // half a second
	w.bodies = make([]Body, n)
	w.slowTicks = make([]uint16, n)
	w.owner, w.idleTicks = make([]int8, n), make([]uint8, n)
	for i := range w.owner {
		w.owner[i] = NoPlayer
		if i < scene.Players {
			w.owner[i] = int8(i)
		}
	}
	w.force, w.torque = make([]geom.Vec3, n), make([]geom.Vec3, n)
	w.solverBodies = make([]solverBody, n+1)
	w.islandParent, w.islandCanSleep, w.islandAwake = make([]int32, n), make([]bool, n), make([]bool, n)
	w.touchedBy = make([]int8, n)
	for _, b := range scene.Boxes {
		w.shapes = append(w.shapes, newShape(&b, b.Density))
	}
	w.newParts()
	for _, b := range scene.Static {
		w.shapes = append(w.shapes, newShape(&b, 0))
	}
	w.firstCarrierShape = len(w.shapes)
	w.carrierMotions = make([]carrierMotion, len(scene.Carriers))
	for i := range scene.Carriers {
		for _, b := range scene.Carriers[i].Boxes {
			w.carrierBoxes = append(w.carrierBoxes, carrierBox{carrier: int32(i), start: b.Start.Pose})
			w.shapes = append(w.shapes, newShape(&b, 0))
		}
	}
	for i := range w.bodies {
		w.bodies[i] = scene.Boxes[i].Start
		w.bodies[i].Pose.Rot = w.bodies[i].Pose.Rot.Unit()
		w.updateShapes(i)
	}
	for i, b := range scene.Static {
		w.shapes[w.bodyShapeCount()+i].setPose(b.Start.Pose)
	}
	if len(w.shapes) >= 1<<16 {
		panic("sim: a scene of more than 65535 boxes")
	}
	w.hasFilterGroups = len(w.parts) > 0
	for i := range w.shapes {
		w.hasFilterGroups = w.hasFilterGroups || w.shapes[i].filterGroup != 0
	}
	w.newJoints()
	w.placeCarriers()
	return w
}

// Scene returns the scene that the world was made of. It is for reading.
func (w *World) Scene() *Scene { return &w.scene }

// Rate returns the ticks per second.
func (w *World) Rate() int { return w.rate }

// Tick returns the number of the next step: the state's own label, so that
// state n with input n gives state n+1.
func (w *World) Tick() Tick { return w.tick }

// Bodies returns the moving bodies, for reading, until the next Step.
func (w *World) Bodies() []Body { return w.bodies }

// SetBody overwrites one body, as a correction from the network does. The
// contact cache is kept: whatever it holds that no longer fits the new pose is
// noticed and rebuilt by the next step, and the rest of it is worth more than
// a clean start. A body that is not asleep is woken, unless it is held.
func (w *World) SetBody(i int, b Body) {
	b.Asleep = b.Asleep || w.kinematic(int32(i))
	if w.bodies[i].Asleep && !b.Asleep {
		w.slowTicks[i] = 0
	}
	if b.Asleep {
		w.slowTicks[i] = w.ticksToSleep
	}
	w.bodies[i] = b
	w.updateShapes(i)
}

// SetTick says which tick the present state is. A server that steps only when
// input arrives jumps over what was lost, without stepping. Carriers jump to
// where that tick has them, and what they carried is left behind.
func (w *World) SetTick(t Tick) {
	if t != w.tick {
		w.tick = t
		w.placeCarriers()
	}
}

// DropCache forgets all contacts, and what joints pushed at. Two sides that do it at the same tick stay
// equal, at the price of a twitch of a few millimetres in what is stacked.
func (w *World) DropCache() {
	w.contacts = w.contacts[:0]
	clear(w.jointImpulses)
}

// CopyFrom makes w an equal of o, which must be a world of the same scene.
func (w *World) CopyFrom(o *World) {
	if len(w.bodies) != len(o.bodies) || w.rate != o.rate {
		panic("sim: CopyFrom of a world of another scene or rate")
	}
	w.Settings, w.tick, w.kinematicCount, w.pin, w.framed = o.Settings, o.tick, o.kinematicCount, o.pin, o.framed
	copy(w.bodies, o.bodies)
	copy(w.slowTicks, o.slowTicks)
	copy(w.owner, o.owner)
	copy(w.idleTicks, o.idleTicks)
	w.contacts = append(w.contacts[:0], o.contacts...)
	copy(w.jointImpulses, o.jointImpulses)
	copy(w.shapes, o.shapes)
	copy(w.carrierBoxes, o.carrierBoxes)
	copy(w.carrierMotions, o.carrierMotions)
	copy(w.touchedBy, o.touchedBy)
}

// Step advances the world by one tick. inputs[i] drives player i; players for
// whom there is none hold nothing.
func (w *World) Step(inputs ...Input) {
	w.framed.addFrameVelocity(w, 1)
	w.applyInputs(inputs)
	w.clampSpeeds()
	w.framed.addFrameVelocity(w, -1)
	w.findPairs()
	w.updateContacts()
	w.updateIslands()
	w.updateAuthority()
	w.solve()
	w.tick++
	w.finishPin()
	w.framed.active = false
	w.placeCarriers()
}

// clampSpeeds slows what is faster than the scene allows.
func (w *World) clampSpeeds() {
	for i := range w.bodies {
		b := &w.bodies[i]
		if b.Asleep {
			continue
		}
		b.Linear = clampLen(b.Linear, w.scene.MaxLinearSpeed)
		b.Angular = clampLen(b.Angular, w.scene.MaxAngularSpeed)
	}
}

func clampLen(v geom.Vec3, most float32) geom.Vec3 {
	if l2 := v.LenSq(); l2 > float32(most*most) {
		return v.Scale(most / geom.Sqrt(l2))
	}
	return v
}

// clampToBounds returns p moved inside the scene's bounds.
func (w *World) clampToBounds(p geom.Vec3) geom.Vec3 {
	s := &w.scene
	return geom.Vec3{
		X: geom.Clamp(p.X, -s.HalfWidth, s.HalfWidth),
		Y: geom.Clamp(p.Y, -s.HalfWidth, s.HalfWidth),
		Z: geom.Clamp(p.Z, 0, s.Height),
	}
}
