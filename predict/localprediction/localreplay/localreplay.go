// Package localreplay corrects the player's body, or the vehicle that it drives with all that is jointed to
// that, by stepping it again: from the server's state of a past tick, with the inputs remembered since, in a
// small world that contains only the bodies near it. A correction by history offset adds one difference to all later states. A replay carries a
// wrong velocity into later positions and solves contacts again, so it is exact wherever the small
// world is, at a small part of the cost of rewinding the whole world.
//
// The other bodies are remote, and the client does not know their present. A replay has two ways to
// take them into account. Alone, the player's body meets them, and carriers, where the client's
// world had them in each tick, which is in the past. In an island, those near the player's body
// start from the server's states as well and are simulated with it; in the frame of a parent, those
// that ride the same parent. What joints hold together is in an island as a whole, and bodies jointed to
// the player's are in each. An island lasts: the player's
// body is stepped in it from then on, until a state of the server differs from it or the body leaves
// its region.
//
// The package does not know when to compare or how a strategy remembers the player's states.
package localreplay

import (
	"ghostcube/predict"
	"ghostcube/predict/localprediction/frame"
	"ghostcube/predict/localprediction/nearby"
	"ghostcube/predict/part/history"
	"ghostcube/sim"
)

const (
	byOffset = iota
	byReplay
)

// What a replay does with remote bodies that the player's body touches.
const (
	touchOffset = iota
	touchAlone
	touchIsland
)

// historySeconds is the length of the remembered past. A state that is older is corrected by offset.
const historySeconds = 2

// Replay replays the player's body of one client.
type Replay struct {
	settings settings
	state    state
	steps    history.Ring[step] // what the last ticks were stepped with
	past     history.Ring[past] // the local world in the last ticks
	local    local
	tree     []int32 // bodies jointed to the player's, which are predicted with it
	scratch  scratch
	counters counters
	parent   *frame.Parent      // of the player's body; nil in the world's frame
	others   *nearby.Neighbours // remote bodies that the client's world simulates
	env      *predict.Env

	attachments *history.Ring[sim.Attachments] // of the client's world at the beginning of each tick
}

type settings struct {
	method, touch int
	maxBodies     int
	tolerance     float64 // metres
	velocity      float64 // m/s: tolerance of the player's body among others
	solver        *predict.Solver
}

// state is plain data, copied by assignment.
type state struct {
	partial bool                      // bodies are jointed to the player's and not predicted with it
	live    bool                      // the player's body is stepped in the local world
	since   sim.Tick                  // tick from which on the local world is remembered
	island  bool                      // the local world is an island
	region  region                    // in which bodies belong to the island
	reach   float32                   // metres by which the region was wider than the player's path
	count   int                       // remote bodies in the local world
	inputs  [sim.MaxPlayers]sim.Input // of the other players, by player
}

// scratch is memory that no later tick depends on.
type scratch struct {
	touches  []sim.Contact
	found    []int32
	wanted   []bool // by slot: in use in this tick
	inputs   []sim.Input
	relative []sim.Body // of the snapshot, relative to the parent of the player's body
	results  []sim.Body // of a replay: the player's body at the beginning of each tick, in its frame
	starts   []sim.Body // of the bodies of the tree, before a step of the client's world
	inside   []bool     // by body: simulated in the island with the player's
	groups   []int32    // by body: another body that it hangs together with, or itself; a forest
}

// counters are what a Replay counts.
type counters struct {
	replays, ticks, islandReplays, islandBodies, offsets predict.Counter
}

// Declare declares the knobs and counters. parent chooses the frame of the player's body; it is nil
// for the world's. others are the remote bodies that the client's world simulates itself, solver
// is that of its steps, and attachments are those at the beginning of each of its ticks.
func (r *Replay) Declare(env *predict.Env, parent *frame.Parent, others *nearby.Neighbours, solver *predict.Solver,
	attachments *history.Ring[sim.Attachments],
) {
	k, m, s := env.Knobs, env.Counters, &r.settings
	r.env, r.parent, r.others, s.solver, r.attachments = env, parent, others, solver, attachments
	group := k.In(predict.CorrectionKnobs)
	group.Choice(&s.method, "correct-by", byReplay, []string{"offset", "replay"},
		"a correction shifts the remembered states, or replays the cube from the server's state")
	group.Choice(&s.touch, "replay-touch", touchIsland, []string{"offset", "alone", "island"},
		"replay after contact with remote bodies: offset instead, the cube alone, or all around it")
	group.Int(&s.maxBodies, "island-max", 200, 1, 200, "replay-touch=island: most remote bodies in it; with more, by offset")
	group.Float(&s.tolerance, "island-tolerance", 0.1, 0, 1, "replay-touch=island: error of a remote body that causes no replay, m")
	group.Float(&s.velocity, "island-velocity-tolerance", 0.2, 0, 10,
		"replay-touch=island: error of the speed of the cube's corners that causes no replay among others, m/s")
	r.counters.replays = m.New("replays", "replays of the player's cube")
	r.counters.ticks = m.New("replayed_ticks", "ticks that the client resimulated").Of(predict.ReplayedTicks)
	r.counters.islandReplays = m.New("island_replays", "replays for bodies around the player's cube")
	r.counters.islandBodies = m.New("island_bodies", "remote bodies in the player's island, now")
	r.counters.offsets = m.New("replay_offsets", "corrections by offset instead of a replay")
	if env.Player < 0 {
		return
	}
	r.steps = history.New[step](historySeconds * env.World.Rate())
	r.past = history.New[past](historySeconds * env.World.Rate())
	r.local.init(env)
	r.scratch.wanted = make([]bool, len(r.local.bodies))
	r.scratch.inputs = make([]sim.Input, env.Players)
	r.scratch.relative = make([]sim.Body, 0, len(r.local.scene.Boxes))
	r.scratch.results = make([]sim.Body, 0, r.steps.Size())
	r.scratch.inside, r.scratch.groups = make([]bool, len(r.local.scene.Boxes)), make([]int32, len(r.local.scene.Boxes))
}

// SetBodies sets the body that the player drives, and those jointed to it that are predicted with it. partial
// reports that there are some that are not: a vehicle is not replayed then.
func (r *Replay) SetBodies(body int, tree []int32, partial bool) {
	r.state.partial = partial
	if body != r.local.root {
		r.stop()
		r.local.setRoot(body)
	}
	r.tree = append(r.tree[:0], tree...)
	for _, i := range tree {
		if r.state.live && r.local.world.IsKinematic(int(i)) {
			r.stop()
		}
	}
}

// enabled reports whether corrections replay.
func (r *Replay) enabled() bool {
	l, player := &r.local, r.env.Player
	if r.settings.method != byReplay || player < 0 || r.env.World.Operated(player) != l.root {
		return false
	}
	return l.root == player || l.whole && !r.state.partial
}

// InIsland reports whether the player's body is stepped in an island, so that remote bodies in the
// client's world do not stop it.
func (r *Replay) InIsland() bool { return r.state.live && r.state.island }

// Run replays the ticks from at to the present from the server's state of the player's body, in the
// frame that the body had at the beginning of tick at. snapshot contains the server's states of all
// bodies, and inputs those of the other players. It calls remember with the body at the beginning of
// each later tick, in its frame, and returns the present state. ok is false if the replay is
// impossible or may not decide.
func (r *Replay) Run(at sim.Tick, server *sim.Body, snapshot []sim.Body, inputs []sim.Input,
	remember func(t sim.Tick, b *sim.Body),
) (present sim.Body, ok bool) {
	if !r.enabled() {
		return present, false
	}
	began := r.env.Counters.BeginSpan()
	defer r.env.Counters.EndSpan("replay", began)
	if !r.remembers(at) || !r.local.usable {
		r.counters.offsets.Inc()
		return present, false
	}
	copy(r.state.inputs[:], inputs)
	switch {
	case !r.carriersPinned(at):
		r.stop()
	case r.touch() == touchIsland && r.islandPossible(at):
		present, ok = r.runIsland(at, server, r.inFrame(snapshot))
	case len(r.tree) > 0 || r.touch() == touchOffset && r.touched(at):
		r.stop()
	default:
		present, ok = r.runAlone(at, server)
	}
	if !ok {
		r.counters.offsets.Inc()
		return present, false
	}
	r.counters.replays.Inc()
	for i := range r.scratch.results {
		remember(at+1+sim.Tick(i), &r.scratch.results[i])
	}
	return present, true
}

// touch returns what a replay does with remote bodies that the player's body touches. Where the
// client's world simulates them, that decides, and a replay may not.
func (r *Replay) touch() int {
	if r.others.Dynamic() {
		return touchOffset
	}
	return r.settings.touch
}

// carriersPinned reports whether all carriers were pinned from tick at on. The server may use the input
// of a client tick at another tick of its own, at which a moving carrier is elsewhere, so a replay from
// the server's state would begin beside it.
func (r *Replay) carriersPinned(at sim.Tick) bool {
	if len(r.local.scene.Carriers) == 0 {
		return true
	}
	for s := range r.steps.Between(at, r.env.World.Tick()-1) {
		if !s.pinned {
			return false
		}
	}
	return true
}

// remembers reports whether tick at is past, and all ticks from it to the present are remembered, in which the
// player drove the same body.
func (r *Replay) remembers(at sim.Tick) bool {
	if at >= r.env.World.Tick() {
		return false
	}
	scene := r.local.scene
	for t := at; t < r.env.World.Tick(); t++ {
		if r.steps.Find(t) == nil {
			return false
		}
		if a := r.attachmentsIn(t); scene.HasActions() && (a == nil || scene.Operated(a, r.env.Player) != r.local.root) {
			return false
		}
	}
	return true
}

// attachmentsIn returns the attachments with which tick t was stepped, or nil if the scene has none or they are
// forgotten. Players act at the beginning of a tick, so they are those at its end.
func (r *Replay) attachmentsIn(t sim.Tick) *sim.Attachments { return r.attachments.Find(t + 1) }

// touched reports whether the player's body touched a remote body from tick at on.
func (r *Replay) touched(at sim.Tick) bool {
	for s := range r.steps.Between(at, r.env.World.Tick()-1) {
		if s.touched {
			return true
		}
	}
	return false
}

// IsPossible reports whether the ticks from at on can be replayed in an island, unless that has too many bodies.
func (r *Replay) IsPossible(at sim.Tick) bool {
	return r.enabled() && r.touch() == touchIsland && r.remembers(at) && r.local.usable && r.islandPossible(at)
}

// Replayed returns a body jointed to the player's at the beginning of a tick of the last replay, until the
// next step.
func (r *Replay) Replayed(t sim.Tick, body int) *sim.Body {
	return &r.past.Find(t).state.Bodies[r.local.slotOf[body]]
}

// Differs reports whether a replay is necessary although the player's body agrees with the server's:
// a body of the island differs from the server's state of tick at, the player's body is about to
// leave the island's region, or there is no island yet.
func (r *Replay) Differs(at sim.Tick, snapshot []sim.Body) bool {
	if !r.IsPossible(at) {
		return false
	}
	differs := r.islandDiffers(at, r.inFrame(snapshot))
	if differs {
		r.counters.islandReplays.Inc()
	}
	return differs
}

// CopyFrom makes r a copy of o, except for its env.
func (r *Replay) CopyFrom(o *Replay) {
	solver := r.settings.solver
	r.settings, r.state = o.settings, o.state
	r.settings.solver = solver
	r.steps.CopyFrom(&o.steps, history.CopyValue[step])
	r.past.CopyFrom(&o.past, func(dst, src *past) { dst.copyFrom(src) })
	r.tree = append(r.tree[:0], o.tree...)
	r.local.copyFrom(&o.local)
}
