package predict

import "ghostcube/sim"

// World is a simulated world and the ownership of its bodies. Both follow from the same inputs: they
// are stepped, saved, loaded, copied and hashed together, so a strategy that rewinds or replays
// needs no code for ownership. All other methods are those of sim.World.
type World struct {
	*sim.World
	ownership ownership
}

// State is the state of a World: that of the simulation and that of the ownership.
type State struct {
	sim.State
	ownership ownershipState
}

// NewWorld returns the world of a scene at tick 0. rate is in ticks per second.
func NewWorld(scene sim.Scene, rate int) *World {
	return &World{World: sim.New(scene, rate), ownership: newOwnership(&scene)}
}

// Owners returns the player who owns each body, or sim.NoPlayer. The slice is read-only and valid
// until the next Step.
func (w *World) Owners() []int8 { return w.ownership.state.owner }

// TouchedBy returns the player who touched each body in the last step, directly or through other
// bodies, or sim.NoPlayer. The slice is read-only and valid until the next Step.
func (w *World) TouchedBy() []int8 { return w.ownership.touchedBy }

// SetOwner sets the owner of a body, a player or sim.NoPlayer, to the one decided elsewhere.
func (w *World) SetOwner(body int, player int8) {
	w.ownership.set(body, player)
	w.NoteChange()
}

// SetTouchedBy sets the player who touches a body, or sim.NoPlayer, to the one whom another machine has found.
func (w *World) SetTouchedBy(body int, player int8) { w.ownership.touchedBy[body] = player }

// DropHiddenState drops all state beside the bodies, ownership included: players own their cubes, and no
// other body is owned. Two worlds with the same bodies and tick are equal afterwards.
func (w *World) DropHiddenState() {
	w.World.DropHiddenState()
	w.ownership.reset(w.Scene().Players)
}

// Step advances the world by one tick. inputs[i] drives player i; a player without an input presses
// nothing. The push and pull fields of a player do not act on bodies that another player owns.
func (w *World) Step(inputs ...sim.Input) {
	w.World.LimitFields(w.ownership.state.owner)
	w.World.Step(inputs...)
	w.ownership.update(w.World)
}

// Replay is a step of a selective replay, as package sim describes it: it makes the bodies join that can differ from the
// remembered step, steps, and makes after the state of the world, unless it is nil. A step of the solver's settings
// must not change them.
func (w *World) Replay(before, after *State, was, in []sim.Input) {
	var next *sim.State
	if after != nil {
		next = &after.State
	}
	w.joinOwnership(before, w.JoinReplay(&before.State, next, was, in))
	w.Step(in...)
	if after == nil {
		return
	}
	w.SaveReplayed(next)
	for i := range w.ownership.state.owner {
		if w.Replays(i) {
			after.ownership.owner[i], after.ownership.idleTicks[i] = w.ownership.state.owner[i], w.ownership.state.idleTicks[i]
		}
	}
}

// ReplayBodies begins a selective replay as BeginReplay does, with other states of bodies. first becomes the state with
// them, after is the remembered one of the next tick.
func (w *World) ReplayBodies(first, after *State, bodies []int32, states []sim.Body) bool {
	if !w.BeginReplay(&first.State) {
		return false
	}
	w.joinOwnership(first, w.JoinBodies(&first.State, &after.State, bodies))
	for _, i := range bodies {
		w.SetBody(int(i), states[i])
	}
	w.SaveReplayed(&first.State)
	return true
}

func (w *World) joinOwnership(before *State, bodies []int32) {
	for _, i := range bodies {
		w.ownership.state.owner[i], w.ownership.state.idleTicks[i] = before.ownership.owner[i], before.ownership.idleTicks[i]
	}
}

// Save copies the state of the world into s and reuses its memory.
func (w *World) Save(s *State) {
	w.World.Save(&s.State)
	s.ownership.copyFrom(&w.ownership.state)
}

// Load sets the world to a state of the same scene. A Step after Load equals, bit for bit, the Step
// that followed the Save.
func (w *World) Load(s *State) {
	w.World.Load(&s.State)
	w.ownership.state.copyFrom(&s.ownership)
}

// CodeHidden is CodeHidden of sim.World for a State of a World: the hidden state includes for how long owned
// bodies have not been touched.
func (w *World) CodeHidden(s *State, word func(uint32) uint32) (ok bool) {
	ok = w.World.CodeHidden(&s.State, word)
	for i, idle := range s.ownership.idleTicks {
		n := word(uint32(idle))
		ok = ok && n <= maxIdleTicks
		s.ownership.idleTicks[i] = uint8(n)
	}
	return ok
}

// LoadHidden sets the hidden state of the world to that of s, a state of its scene, and leaves the rest.
func (w *World) LoadHidden(s *State) {
	w.World.LoadHidden(&s.State)
	copy(w.ownership.state.idleTicks, s.ownership.idleTicks)
}

// CopyFrom makes w equal to o, a world of the same scene.
func (w *World) CopyFrom(o *World) {
	w.World.CopyFrom(o.World)
	w.ownership.copyFrom(&o.ownership)
}

// CopyFrom makes s equal to o and shares no memory with it.
func (s *State) CopyFrom(o *State) {
	s.State.CopyFrom(&o.State)
	s.ownership.copyFrom(&o.ownership)
}

// Hash digests the bodies with their owners and, separately, the cache of contacts and joints.
// Equal hashes mean equal states.
func (w *World) Hash() (bodies, cache uint64) {
	d := sim.Digest(w.Tick()) + 1
	for i := range w.Bodies() {
		w.digestBody(&d, i)
	}
	w.DigestActions(&d)
	return uint64(d), w.ContactHash()
}

// BodyHash digests one body and its owner, to name the body that differs.
func (w *World) BodyHash(i int) uint32 {
	d := sim.Digest(1)
	w.digestBody(&d, i)
	return uint32(d >> 32)
}

// BodyHash digests one body and its owner, as BodyHash of the world of the state.
func (s *State) BodyHash(i int) uint32 {
	d := sim.Digest(1)
	s.DigestBody(&d, i)
	s.ownership.digest(&d, i)
	return uint32(d >> 32)
}

func (w *World) digestBody(d *sim.Digest, i int) {
	w.DigestBody(d, i)
	w.ownership.state.digest(d, i)
}
