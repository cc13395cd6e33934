// Package predict is the contract between the laboratory and the ways of
// keeping a client's world in step with a server's. Each way is a Strategy in
// a folder of its own below this one. Some of them, lockstep and snapshots,
// predict nothing; they live here all the same, because they answer to the
// same contract.
//
// A strategy is a pair of halves that know only a world and an endpoint. A
// half works in one method, Tick, that reads what has come, steps, and sends:
// it has no callbacks, no clock and no goroutine, and reads from top to bottom
// like the article it comes from.
package predict

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Strategy is one way to keep a client in step with a server.
type Strategy struct {
	// Name is the folder, the flag and the tape's word for it.
	Name string

	// Doc is a title, a blank line, and what to look at. The panel shows it.
	Doc string

	// Source names the article, talk or program that the method comes from.
	Source string

	// NewServer and NewClient make the two halves.
	NewServer func(*Env) Server
	NewClient func(*Env) Client

	// Fields reads a payload, one that a client sends if up, and has see told
	// of every field of it. An empty payload has none. It is for looking into
	// packets.
	Fields func(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error

	// TicksMatchServer says that the client steps a world of its own, in which every
	// tick is meant to be the server's of the same label, to the bit.
	TicksMatchServer bool

	// MaxBodies is the number of bodies that a scene may have, of which all may move,
	// where the strategy sends whole worlds in one packet; 0 is any number.
	MaxBodies int
}

// Env is all that a half may know of its surroundings. It has no clock and no
// random source on purpose.
type Env struct {
	World      *sim.World  // this half's own, at the tick it starts from
	Players    int         // players in the scene
	Player     int         // the player that this client drives, or -1 if it only watches
	LastInputs []sim.Input // what each player did in the tick before this half began
	Knobs      *Knobs      // declare what may be tuned
	Counters   *Counters   // report what only the strategy knows

	// SlewPPM is how much faster the half wants its next ticks to come, in parts
	// per million of the session's rate. The half writes it, whoever calls it
	// obeys, between -1,000,000 (stop) and +1,000,000 (twice as fast).
	SlewPPM int32

	// ReliableOrdered asks for a wire that brings all that the half sends, once and in
	// order, as TCP does, at TCP's price: what is lost delays all behind it. The
	// half writes it, whoever calls it obeys, from the half's next tick on.
	ReliableOrdered bool

	// OnCorrection tells of a correction. It may be nil.
	OnCorrection func(Correction)

	// OnHit tells of a shot that the server has judged. It may be nil.
	OnHit func(*HitResult)
}

// Peer is a client as the server sees it.
type Peer struct {
	Endpoint *packet.Endpoint
	Player   int // the player that it drives, or -1 if it only watches
}

// Server is the half that owns the truth.
type Server interface {
	// Tick reads what the clients sent, advances Env.World, and sends what the
	// clients should hear. host holds the inputs of players 0..len(host)-1 who
	// sit at the server. Shots that come are judged before the step (package shots).
	Tick(host []sim.Input, peers []Peer)

	// CopyFrom makes the half an equal of another of the same strategy, all but
	// its Env.
	CopyFrom(Server)
}

// Client is the half that a player looks at.
type Client interface {
	// Tick reads what the server sent, takes this tick's input, and sends what
	// the server should hear.
	Tick(in sim.Input, server *packet.Endpoint)

	// View writes the picture of this tick into v, which is empty. It may be
	// asked twice and answers the same.
	View(v *View)

	// CopyFrom makes the half an equal of another of the same strategy, all but
	// its Env.
	CopyFrom(Client)
}

// View is what one client shows at one moment. Its slices are indexed by body.
type View struct {
	Tick         sim.Tick    // the server's tick that the picture claims to show
	TickFraction int         // 1/16 ticks (sim.SeenParts) by which what it shows is later, in [-8, 8]
	Bodies       []geom.Pose // as drawn: after smoothing
	Simulated    []geom.Pose // as simulated or received: before smoothing
	LastReceived []geom.Pose // as last received from the server; empty if nothing was
	Trail        []geom.Pose // the player's remembered past, oldest first
	Note         string      // a few words on what the client knows or waits for, or none

	// TouchedBy is which player touches each body, as far as the client knows, and
	// sim.Nobody where none does; empty if it does not know.
	TouchedBy []int8

	// Predicted is which bodies the client's player moves by its own word, not by the
	// server's; empty if there are none. They are drawn before the server has them
	// so: Own is the server's tick that their picture claims to show.
	Predicted     []bool
	PredictedTick sim.Tick

	// CarrierOffset is how far the moment at which carriers are drawn is beyond Tick, in parts
	// of a tick (sim.TickParts); below 0: before it.
	CarrierOffset sim.Moment

	// Fallback is which bodies the client treats otherwise than its strategy usually
	// does: its own, shown late, or another's, stepped; empty if it never does.
	Fallback []bool
}

// CarrierMoment returns the moment at which carriers are drawn.
func (v *View) CarrierMoment() sim.Moment { return max(v.Tick.Moment()+v.CarrierOffset, 0) }

// TickOf returns the server's tick that the picture of a body claims to show.
func (v *View) TickOf(body int) sim.Tick {
	if body < len(v.Predicted) && v.Predicted[body] {
		return v.PredictedTick
	}
	return v.Tick
}

// SeenMoment returns what the picture claims to show as a moment of the server, in
// 1/sim.SeenParts ticks.
func (v *View) SeenMoment() int64 { return int64(v.Tick)*sim.SubticksPerTick + int64(v.TickFraction) }

// Reset empties v and keeps its memory.
func (v *View) Reset() {
	v.Tick, v.TickFraction, v.Note = 0, 0, ""
	v.Bodies, v.Simulated, v.LastReceived, v.Trail = v.Bodies[:0], v.Simulated[:0], v.LastReceived[:0], v.Trail[:0]
	v.TouchedBy, v.Predicted, v.PredictedTick = v.TouchedBy[:0], v.Predicted[:0], 0
	v.CarrierOffset = 0
	v.Fallback = v.Fallback[:0]
}

// CopyFrom makes v an equal of o that shares no memory with it.
func (v *View) CopyFrom(o *View) {
	v.Tick, v.TickFraction, v.Note = o.Tick, o.TickFraction, o.Note
	v.Bodies, v.Simulated = append(v.Bodies[:0], o.Bodies...), append(v.Simulated[:0], o.Simulated...)
	v.LastReceived, v.Trail = append(v.LastReceived[:0], o.LastReceived...), append(v.Trail[:0], o.Trail...)
	v.TouchedBy = append(v.TouchedBy[:0], o.TouchedBy...)
	v.Predicted, v.PredictedTick = append(v.Predicted[:0], o.Predicted...), o.PredictedTick
	v.CarrierOffset = o.CarrierOffset
	v.Fallback = append(v.Fallback[:0], o.Fallback...)
}

// AppendPoses appends the poses of bodies to dst.
func AppendPoses(dst []geom.Pose, bodies []sim.Body) []geom.Pose {
	for i := range bodies {
		dst = append(dst, bodies[i].Pose)
	}
	return dst
}
