package predict

import "ghostcube/sim"

// maxIdleTicks is how many ticks a body stays owned after its owner last touched it (Fiedler's 100
// ticks of 1/60 s).
const maxIdleTicks = 100

// ownershipState is the owner of every body and how long that player has not touched it: all that the
// ownership needs to go on. Its slices are indexed by body.
type ownershipState struct {
	owner     []int8  // a player, or sim.NoPlayer
	idleTicks []uint8 // in [0, maxIdleTicks]
}

// copyFrom makes s equal to o and shares no memory with it.
func (s *ownershipState) copyFrom(o *ownershipState) {
	s.owner = append(s.owner[:0], o.owner...)
	s.idleTicks = append(s.idleTicks[:0], o.idleTicks...)
}

// ownership is which player has authority over each body. A player owns what its cube touches, directly
// or through other bodies, unless another player owns it, and keeps it until the body has been left
// alone and asleep for a while. The rule is that of Fiedler's demo of 2015. Ownership follows from the
// contacts of a world that has been stepped.
type ownership struct {
	state     ownershipState
	touchedBy []int8         // result of the last Update
	pairs     []sim.BodyPair // scratch
}

// newOwnership returns the ownership of a scene at its start: players own their cubes.
func newOwnership(scene *sim.Scene) ownership {
	n := len(scene.Boxes)
	o := ownership{state: ownershipState{owner: make([]int8, n), idleTicks: make([]uint8, n)}, touchedBy: make([]int8, n)}
	o.reset(scene.Players)
	copy(o.touchedBy, o.state.owner)
	return o
}

// reset sets the ownership to that of the start of a scene with some players.
func (o *ownership) reset(players int) {
	clear(o.state.idleTicks)
	for i := range o.state.owner {
		o.state.owner[i] = sim.NoPlayer
		if i < players {
			o.state.owner[i] = int8(i)
		}
	}
}

// set gives a body to a player, or to sim.NoPlayer, as another machine decides. A touch in a later
// step continues from there.
func (o *ownership) set(body int, player int8) {
	if o.state.owner[body] != player {
		o.state.owner[body], o.state.idleTicks[body] = player, 0
	}
}

// copyFrom makes o equal to another of the same scene and shares no memory with it.
func (o *ownership) copyFrom(from *ownership) {
	o.state.copyFrom(&from.state)
	o.touchedBy = append(o.touchedBy[:0], from.touchedBy...)
}

// digest adds the ownership of a body to a digest.
func (s *ownershipState) digest(d *sim.Digest, body int) {
	d.Add(uint32(uint8(s.owner[body])) | uint32(s.idleTicks[body])<<8)
}

// update brings the ownership up to date with a step of w: players own what they touch, and release
// what they have not touched for maxIdleTicks once it sleeps. If two players touch the same free body
// first in the same tick, the one with the lower number owns it.
func (o *ownership) update(w *sim.World) {
	players := w.Scene().Players
	o.findTouched(w, players)
	bodies := w.Bodies()
	for i := players; i < len(bodies); i++ {
		if !w.Replays(i) {
			continue
		}
		owner, idle := &o.state.owner[i], &o.state.idleTicks[i]
		switch t := o.touchedBy[i]; {
		case t != sim.NoPlayer:
			*owner, *idle = t, 0
		case *owner == sim.NoPlayer:
		case *idle < maxIdleTicks:
			*idle++
		case bodies[i].Asleep:
			*owner, *idle = sim.NoPlayer, 0
		}
	}
}

// findTouched finds the player who touches each body.
func (o *ownership) findTouched(w *sim.World, players int) {
	for i := range o.touchedBy {
		if w.Replays(i) {
			o.touchedBy[i] = sim.NoPlayer
		}
	}
	for p := range players {
		o.touchedBy[p] = int8(p)
		o.touchedBy[w.Operated(p)] = int8(p)
	}
	if players == 1 {
		o.touchIsland(w)
	} else if players > 1 {
		o.floodContacts(w)
	}
}

// touchIsland marks the island of the body that a single player drives, which is all that it reaches.
func (o *ownership) touchIsland(w *sim.World) {
	body := w.Operated(0)
	if w.Bodies()[body].Asleep || !w.Replays(body) {
		return
	}
	island := w.Island(body)
	for i := range o.touchedBy {
		if w.Replays(i) && w.Island(i) == island {
			o.touchedBy[i] = 0
		}
	}
}

// floodContacts spreads the touch of each of several players over contacts and joints of awake
// bodies, up to bodies of other players. Repeating the pass until nothing changes is cheaper than
// building a graph: the pairs are sorted and chains are short.
func (o *ownership) floodContacts(w *sim.World) {
	o.pairs = w.AppendContactPairs(o.pairs[:0])
	bodies := w.Bodies()
	for i := range w.Scene().Joints {
		j := &w.Scene().Joints[i]
		if j.A != sim.WorldBody && w.Replays(j.B) && !w.JointOpen(i) && !bodies[j.A].Asleep && !bodies[j.B].Asleep {
			o.pairs = append(o.pairs, sim.BodyPair{A: int32(j.A), B: int32(j.B)})
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range o.pairs {
			changed = o.spread(p.A, p.B) || o.spread(p.B, p.A) || changed
		}
	}
}

// spread passes the touch of body a on to body b if b is free for that player. It reports whether it
// did.
func (o *ownership) spread(a, b int32) bool {
	t, owner := o.touchedBy[a], o.state.owner[b]
	if t == sim.NoPlayer || o.touchedBy[b] != sim.NoPlayer || owner != sim.NoPlayer && owner != t {
		return false
	}
	o.touchedBy[b] = t
	return true
}
