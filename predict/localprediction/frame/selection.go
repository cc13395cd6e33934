package frame

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// Selection is the server's side: it chooses the parent of each player's body.
type Selection struct {
	rules      Rules
	selectors  []Selector // by peer
	candidates []Candidate
	grid       codec.Grid
	scratch    scratch
	relay      bool
	bits       predict.Counter // written
}

// scratch is memory that no later tick depends on.
type scratch struct {
	frames  []Frame // of the candidates, in this tick
	touches []sim.Contact
	relayed input.Relayed // in the packet that is read or written
}

// Declare declares the knobs and counters.
func (s *Selection) Declare(env *predict.Env) {
	scene := env.World.Scene()
	s.candidates, s.grid = Candidates(scene), Grid(scene)
	s.scratch.frames = make([]Frame, len(s.candidates))
	s.rules.Declare(env.Knobs)
	input.DeclareRelay(env.Knobs, &s.relay)
	s.bits = env.Counters.New("parent_bits", "bits of states relative to a parent")
}

// Update chooses the parents after a step of the world.
func (s *Selection) Update(w *predict.World, peers []predict.Peer) {
	if len(s.candidates) == 0 {
		return
	}
	for len(s.selectors) < len(peers) {
		s.selectors = append(s.selectors, NewSelector())
	}
	for i := range s.candidates {
		if v := &s.candidates[i]; v.Carrier >= 0 {
			s.scratch.frames[i] = OfCarrier(w, v.Carrier, w.Tick().Moment())
		} else {
			s.scratch.frames[i] = OfBody(&w.Bodies()[v.Body])
		}
	}
	for i, peer := range peers {
		if peer.Player < 0 {
			continue
		}
		body := w.Operated(peer.Player)
		s.scratch.touches = w.AppendContacts(s.scratch.touches[:0], body)
		s.selectors[i].Update(&s.rules, &Surroundings{
			Candidates: s.candidates, Frames: s.scratch.frames, Touches: s.scratch.touches,
			Body: &w.Bodies()[body], BodyIndex: body,
		})
	}
}

// Parent returns the index of the parent of a peer's player, or NoParent.
func (s *Selection) Parent(peer int) int {
	if peer >= len(s.selectors) {
		return NoParent
	}
	return s.selectors[peer].Current
}

// Write writes the relative state of a peer's player.
func (s *Selection) Write(c *quant.Coder, w *predict.World, peer, player int) {
	state := State{Parent: s.Parent(peer)}
	if player < 0 {
		state.Parent = NoParent
	}
	if state.Parent != NoParent {
		state.Body = s.scratch.frames[state.Parent].Relative(&w.Bodies()[w.Operated(player)])
		if !state.inRange(&s.grid) {
			state.Parent = NoParent
		}
		state.clampSpeeds(&s.grid)
	}
	before := c.BitsProcessed()
	state.Code(c, len(s.candidates), &s.grid)
	s.bits.Add(float64(c.BitsProcessed() - before))
}

// WriteRelayed writes the inputs of the other players, who may drive a parent, that wait in buffers, by peer.
func (s *Selection) WriteRelayed(c *quant.Coder, w *predict.World, player int, peers []predict.Peer, buffers []input.PlayoutBuffer) {
	if !s.relay {
		peers = nil
	}
	before := c.BitsProcessed()
	s.scratch.relayed.Collect(player, peers, func(dst []sim.Input, peer, limit int) []sim.Input {
		return buffers[peer].AppendWaiting(dst, limit)
	})
	CodeRelayed(c, w.Scene(), &s.scratch.relayed)
	s.bits.Add(float64(c.BitsProcessed() - before))
}

// CodeRelayed reads or writes relayed inputs, in a scene in which other players drive.
func CodeRelayed(c *quant.Coder, scene *sim.Scene, r *input.Relayed) {
	if scene.Players > 1 && len(scene.Vehicles) > 0 {
		r.Code(c, scene.Players)
	}
}

// CopyFrom makes s a copy of o, except for its env.
func (s *Selection) CopyFrom(o *Selection) {
	s.rules, s.relay = o.rules, o.relay
	s.selectors = append(s.selectors[:0], o.selectors...)
}
