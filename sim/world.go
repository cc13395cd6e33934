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

// World is one running simulation. Its fields are told apart by what becomes of
// them when a world is copied, saved or stepped: each kind is a type of its own.
type World struct {
	Settings Settings

	constants
	state State
	controls
	placement
	results
	scratch
}

// constants follow from the scene and the rate. New makes them, and nothing
// changes them.
type constants struct {
	scene Scene
	rate  int
	dt    float32 // seconds per tick

	ticksToSleep      uint16
	parts             []part
	firstPart         []int32 // of each body, and of none
	joints            []joint
	carrierBoxes      []carrierBox
	firstCarrierShape int  // the first shape that a carrier moves
	hasFilterGroups   bool // some boxes pass through others
}

// controls are what a caller has set of a world beside its Settings and its
// State. Load changes none of them; CopyFrom copies them.
type controls struct {
	kinematicCount int // bodies that SetKinematic holds; their shapes have no mass
	pin            carrierPin
	frame          framedBody
	fieldOwners    []int8 // of the next step; see LimitFields
}

// placement is where everything is. It follows from the state, the tick and the
// controls, and is kept because working it out anew would take longer.
type placement struct {
	shapes         []shape         // the bodies' own boxes, then their parts, then the static boxes, then those of carriers
	carrierMotions []carrierMotion // of the carriers in this tick
	carrierBounds  []aabb          // of the boxes of carriers, during the tick
}

func (p *placement) copyFrom(o *placement) {
	copy(p.shapes, o.shapes)
	copy(p.carrierMotions, o.carrierMotions)
	copy(p.carrierBounds, o.carrierBounds)
}

// results are what the last step found and callers may ask for.
type results struct {
	islandParent []int32      // of each body: another one of its island, or itself
	separations  [][4]float32 // metres, of each point of each contact when the step began
}

func (r *results) copyFrom(o *results) {
	copy(r.islandParent, o.islandParent)
	r.separations = append(r.separations[:0], o.separations...)
}

// scratch is memory of a step that no later step depends on. A world whose
// scratch is made anew goes on to the same bits.
type scratch struct {
	broadPhase broadPhase
	contacts   contactScratch
	islands    islandScratch
	solver     solverScratch
	applied    appliedForces
	quantiser  quantiser
}

func newScratch(bodies int) scratch {
	return scratch{
		islands: islandScratch{canSleep: make([]bool, bodies), awake: make([]bool, bodies)},
		solver:  solverScratch{bodies: make([]solverBody, bodies+1)},
		applied: appliedForces{force: make([]geom.Vec3, bodies), torque: make([]geom.Vec3, bodies)},
	}
}

// New returns the world of a scene at tick 0. rate is in ticks per second, in
// [1, 1000].
func New(scene Scene, rate int) *World {
	if rate < 1 || rate > 1000 {
		panic("sim: New with a rate outside 1..1000 ticks per second")
	}
	n := len(scene.Boxes)
	w := &World{Settings: DefaultSettings, state: newState(&scene), scratch: newScratch(n)}
	w.Settings.Substeps = max(w.Settings.Substeps, scene.MinSubsteps)
	w.scene, w.rate, w.dt = scene, rate, 1/float32(rate)
	w.ticksToSleep = uint16(max(1, rate/2)) // half a second
	w.islandParent = make([]int32, n)
	w.newShapes()
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
func (w *World) Tick() Tick { return w.state.Tick }

// Bodies returns the moving bodies, for reading, until the next Step.
func (w *World) Bodies() []Body { return w.state.Bodies }

// SetBody overwrites one body, as a correction from the network does. The
// contact cache is kept: whatever it holds that no longer fits the new pose is
// noticed and rebuilt by the next step, and the rest of it is worth more than
// a clean start. A body that is not asleep is woken, unless it is held.
func (w *World) SetBody(i int, b Body) {
	b.Asleep = b.Asleep || w.kinematic(int32(i))
	if w.state.Bodies[i].Asleep && !b.Asleep {
		w.state.slowTicks[i] = 0
	}
	if b.Asleep {
		w.state.slowTicks[i] = w.ticksToSleep
	}
	w.state.Bodies[i] = b
	w.updateShapes(i)
}

// SetTick says which tick the present state is. A server that steps only when
// input arrives jumps over what was lost, without stepping. Carriers jump to
// where that tick has them, and what they carried is left behind.
func (w *World) SetTick(t Tick) {
	if t != w.state.Tick {
		w.state.Tick = t
		w.placeCarriers()
	}
}

// DropCache forgets all contacts, and what joints pushed at. Two sides that do it at the same tick stay
// equal, at the price of a twitch of a few millimetres in what is stacked.
func (w *World) DropCache() {
	w.state.manifolds = w.state.manifolds[:0]
	clear(w.state.jointImpulses)
}

// CopyFrom makes w an equal of o, which must be a world of the same scene.
func (w *World) CopyFrom(o *World) {
	if len(w.state.Bodies) != len(o.state.Bodies) || w.rate != o.rate {
		panic("sim: CopyFrom of a world of another scene or rate")
	}
	w.Settings, w.controls = o.Settings, o.controls
	w.state.CopyFrom(&o.state)
	w.placement.copyFrom(&o.placement)
	w.results.copyFrom(&o.results)
}

// Step advances the world by one tick. inputs[i] drives player i; players for
// whom there is none hold nothing.
func (w *World) Step(inputs ...Input) {
	w.frame.addFrameVelocity(w, 1)
	w.applyInputs(inputs)
	w.clampSpeeds()
	w.frame.addFrameVelocity(w, -1)
	w.findPairs()
	w.updateContacts()
	w.updateIslands()
	w.solve()
	w.state.Tick++
	w.settlePinnedCarriers()
	w.frame.active = false
	w.fieldOwners = nil
	w.placeCarriers()
}

// clampSpeeds slows what is faster than the scene allows.
func (w *World) clampSpeeds() {
	for i := range w.state.Bodies {
		b := &w.state.Bodies[i]
		if b.Asleep {
			continue
		}
		b.Linear = clampLen(b.Linear, w.scene.MaxLinearSpeed)
		b.Angular = clampLen(b.Angular, w.scene.MaxAngularSpeed)
	}
}

func clampLen(v geom.Vec3, maxLen float32) geom.Vec3 {
	if l2 := v.LenSq(); l2 > float32(maxLen*maxLen) {
		return v.Scale(maxLen / geom.Sqrt(l2))
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
