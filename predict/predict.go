// Package predict is the contract between the laboratory and its synchronisation strategies: ways
// to keep the world that a client draws in step with the world that a server simulates.
//
// A strategy has two sides, a server side and a client side. Each side works in one method, Tick,
// which reads the packets that have arrived, steps its world and sends a packet. A side knows a
// world, an endpoint and its knobs, and nothing else: it has no callbacks, no clock, no random
// source and no goroutine, so it reads from top to bottom like the article it comes from, and the
// same session gives the same result on every machine. Everything else that happens in a session,
// such as turning a knob, pushing a body or changing the network, is a command of the laboratory
// and takes effect between two ticks.
//
// Some strategies predict: the client steps ahead of the server and corrects itself. Others, such as
// lockstep and snapshot interpolation, predict nothing. They live below this package all the same,
// because they keep the same contract.
//
// The strategies are in predict/strategy. The parts that several of them share are in predict/part.
package predict

import (
	"errors"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Strategy is one way to keep a client in step with a server.
type Strategy struct {
	// Name identifies the strategy: its folder below predict/strategy, and its name in flags and
	// tapes.
	Name string

	// Doc is a title of at most 60 characters, a blank line, and what to watch for. The panel shows
	// it.
	Doc string

	// Source names the article, talk or program that the strategy comes from.
	Source string

	// Row is the strategy's row in the README's table of strategies; nil if it has none.
	Row *Row

	// NewServer and NewClient return the two sides. A side may keep Env, and declares its knobs and
	// counters before it returns.
	NewServer func(*Env) Server
	NewClient func(*Env) Client

	// Fields decodes a payload and calls see for each field in it. up says that a client sent it.
	// An empty payload has no fields; a malformed one gives an error after the fields read so far.
	Fields func(up bool, payload []byte, scene *sim.Scene, see func(quant.Field)) error

	// Kind returns what a payload contains that is neither empty nor malformed, by a look at a few of
	// its bits. It is nil for a strategy whose clients send inputs and whose server sends snapshots.
	Kind func(up bool, payload []byte, players int) PacketKind

	// ForgeAcks returns what an attacker can make of a received payload: its own acknowledgements say
	// that all has arrived that sent, the newest payload in the opposite direction, contains. up says
	// that a client sent received. It is nil for a strategy whose payloads acknowledge nothing.
	ForgeAcks func(up bool, received, sent []byte, scene *sim.Scene) []byte

	// Inspect fills l, which is empty, with the state of the traffic between the server and its first
	// client, for display. It changes nothing else. It is nil if a strategy reports nothing.
	Inspect func(l *Inspection, server Server, client Client)

	// Latency sets p to the progress of the first client's inputs. It changes nothing else. It is nil
	// if a strategy cannot report it; the stages of its input latency are not measured then.
	Latency func(p *InputProgress, server Server, client Client)

	// Motion says where the motion of the bodies comes from that the client draws.
	Motion Motion

	// TicksMatchServer says that the client steps a world of its own whose state at each tick
	// should equal the server's at the same tick, bit for bit.
	TicksMatchServer bool

	// Grid returns the grid to which both sides round their worlds before they step, or nil if they do
	// not. Two states that are equal on it count as equal. It is nil for a strategy that never rounds.
	Grid func(Client) sim.Grid

	// Backlog says that a joining client steps the world that it downloads through all packets since then, and does
	// not begin at the newest: each has a part of the state, or the contacts of its bodies have to form.
	Backlog bool

	// PeerToPeer says that clients may send to each other: the lab connects each with all others (Env.Peers).
	PeerToPeer bool

	// PeerFields calls see with the fields of a payload between peers, as Fields does of others.
	PeerFields func(payload []byte, see func(quant.Field)) error

	// RunsWalkers says that the client runs the scripts of the scene's walkers, because it receives no
	// states. In all other strategies only the server does, and a walker is to a client what a remote
	// player is.
	RunsWalkers bool

	// MaxBodies is the largest scene that the strategy can send, in bodies, because it sends the
	// whole world in one packet; 0 is no limit.
	MaxBodies int
}

// Row is what the README's table says of a strategy, beside its measured figures.
type Row struct {
	UsualName   string // in the field
	Guide       string // its page, such as docs/guides/prediction.md; may be empty
	Determinism string // whether the strategy needs it
	UseWhen     string
}

// Motion is where the motion of the bodies comes from that a client draws.
type Motion uint8

// The kinds of motion.
const (
	FromStates    Motion = iota // from received states alone
	PredictedCube               // the player's cube, at least, is simulated ahead of the received states, which correct it
	SimulatedAll                // all bodies are simulated, and received states correct some of them
	FromInputs                  // all bodies are simulated from the inputs of all players, and there are no states
)

// Env is everything that a side knows of its surroundings. It deliberately has no clock and no random
// source.
type Env struct {
	World      *World      // the side's own, at the tick that it starts from
	Players    int         // number of players in the scene
	Player     int         // player that this client controls, or -1 for a spectator
	LastInputs []sim.Input // by player: input of the tick before the start; read-only
	Knobs      *Knobs      // where the side declares its parameters
	Counters   *Counters   // where the side counts what only it knows

	// Peers are the client's connections with the clients of other players, by player, and nil for its own. It
	// is empty unless the strategy is PeerToPeer. The laboratory writes it after NewClient.
	Peers []*packet.Endpoint

	// SlewPPM is the difference between the pace that the side requests for its next ticks and the
	// session's rate, in parts per million: from -1,000,000 (stop) to +1,000,000 (twice the rate).
	// The side writes it, and the laboratory applies it.
	SlewPPM int32

	// TickEarly is how much earlier than its turn on the side's own clock the present tick runs, in
	// [0, sim.MomentsPerTick): a program runs a tick in the first frame after its begin, and draws between
	// it and the tick before. It is 0 while the side's clock is right and runs at the session's pace.
	// The laboratory writes it.
	TickEarly sim.Moment

	// MissedTicks is the number of ticks by which the side's clock has advanced since its last tick
	// without a call of Tick, because its program was frozen. The laboratory writes it.
	MissedTicks int

	// SameFrame says that the program calls Tick in the same frame as the last time, because several
	// ticks are due in it. The laboratory writes it.
	SameFrame bool

	// Joined says that the client has lost everything and has downloaded World. It is the server's at its
	// tick, which has passed; the server sends what has changed since. The lab sets it before NewClient.
	// The side clears it when World or newer states give one consistent picture, and only then the lab
	// draws the client and passes it inputs.
	Joined bool

	// ReliableOrdered requests a reliable, ordered wire such as TCP's: a lost packet delays all
	// packets behind it. The side writes it, and the laboratory applies it from the side's next tick.
	ReliableOrdered bool

	// OnCorrection receives each correction of a client. It may be nil.
	OnCorrection func(Correction)

	// OnStep is called by a server after each of its steps if it does not step once in each of its
	// ticks. It may be nil.
	OnStep func()

	// OnPacketBits receives what the payload that the side is about to send spends its bits on, if it has body states.
	// A server says to which peer it goes. It may be nil; the bits are valid during the call.
	OnPacketBits func(peer int, b *PacketBits)

	// OnHit receives each shot that the server has resolved. It may be nil; the result is valid
	// during the call.
	OnHit func(*HitResult)
}

// ErrMalformed is the error of a reader for a payload that no side sends.
var ErrMalformed = errors.New("malformed payload")

// Peer is a client as the server sees it.
type Peer struct {
	Endpoint *packet.Endpoint
	Player   int // player that the client controls, or -1 for a spectator
}

// Server is the server side of a strategy: its world is authoritative.
type Server interface {
	// Tick reads the clients' packets, advances Env.World and sends state to the clients. host
	// holds the inputs of players 0 to len(host)-1, who sit at the server. peers are the clients;
	// each keeps its index. Shots are resolved before the step (package predict/part/hit).
	Tick(host []sim.Input, peers []Peer)

	// Forget makes the server forget what a client has acknowledged and sent, between two ticks: the
	// client has lost everything, and downloads Env.World as it is now. Until an input of it arrives, its
	// player has none. The session goes on unchanged for all other clients.
	Forget(peer int)

	// CopyFrom makes the side a copy of another side of the same strategy, except for its Env.
	// The two share no memory that changes.
	CopyFrom(Server)
}

// JoinRefuser is a Server whose clients cannot always download the world and join again.
type JoinRefuser interface {
	// CannotJoin returns why they cannot do so with the present settings, or nil.
	CannotJoin() error
}

// Client is the client side of a strategy: it decides what its player sees.
type Client interface {
	// Tick reads the server's packets, takes the player's input of this tick, advances Env.World if
	// the strategy simulates, and sends to the server.
	Tick(in sim.Input, server *packet.Endpoint)

	// View fills v, which is empty, with the picture of this tick. It changes nothing else: a second
	// call gives the same view.
	View(v *View)

	// CopyFrom makes the side a copy of another side of the same strategy, except for its Env.
	// The two share no memory that changes.
	CopyFrom(Client)
}

// A trail covers the last TrailTicks ticks, with a point every TrailStep ticks.
const (
	TrailTicks = 160
	TrailStep  = 2
)

// View is the picture of one client in one tick. Its slices are indexed by body, and the caller owns
// them.
type View struct {
	// Server moments that the drawn poses claim to show. They may lie between two ticks.
	Others   sim.Moment // of all bodies but those in Predicted
	Own      sim.Moment // of the bodies in Predicted
	Carriers sim.Moment // of carriers

	Bodies       []geom.Pose // as drawn, after smoothing; world frame
	Simulated    []geom.Pose // as simulated or interpolated, before smoothing
	LastReceived []geom.Pose // as last received from the server; empty before anything is
	Trail        []geom.Pose // poses of the player's cube in the last TrailTicks ticks, oldest first
	Note         string      // a short status, such as "waiting for input"; may be empty

	// TouchedBy is the player who touches each body, as far as the client knows, and sim.NoPlayer
	// where none does; empty if the client does not know.
	TouchedBy []int8

	// Predicted marks the bodies that the client simulates on its own authority, ahead of the
	// server; empty if there are none.
	Predicted []bool

	// Fallback marks the bodies that the client currently does not draw as its strategy usually does:
	// the player's cube if it is interpolated, or a remote body if it is simulated. It is empty in
	// strategies without such a fallback.
	Fallback []bool

	// Outside marks the bodies outside the client's area of interest, which the server does not send.
	// They are drawn where they were last received. It is empty without an area.
	Outside []bool

	// Effects are the effects of shots, jumps and actions that began on the client's screen in the last second, the
	// oldest first. It is empty in strategies that do not count them.
	Effects []Effect
}

// Effect is an effect that a client shows.
type Effect struct {
	Player int
	Age    int // ticks of the client since it began
}

// ShowTick sets all moments of the view to one server tick.
func (v *View) ShowTick(t sim.Tick) { v.Others, v.Own, v.Carriers = t.Moment(), t.Moment(), t.Moment() }

// Tick returns the server tick that the drawn poses claim to show, except those in Predicted: the
// one nearest to Others.
func (v *View) Tick() sim.Tick { return v.Others.NearestTick() }

// TickOf returns the server tick that the drawn pose of a body claims to show: the one nearest to
// its moment.
func (v *View) TickOf(body int) sim.Tick { return v.MomentOf(body).NearestTick() }

// MomentOf returns the server moment that the drawn pose of a body claims to show.
func (v *View) MomentOf(body int) sim.Moment {
	if body < len(v.Predicted) && v.Predicted[body] {
		return v.Own
	}
	return v.Others
}

// SubticksPerTick divides a tick into subticks, the unit of a view's and a shot's server time.
const SubticksPerTick = 16

// SubtickMoment returns the moment of a server time in subticks.
func SubtickMoment(subticks int64) sim.Moment {
	return sim.Moment(subticks) * (sim.MomentsPerTick / SubticksPerTick)
}

// NearestSubtick returns the nearest tick and how much later than that m is, to the nearest
// subtick, in [-8, 8].
func NearestSubtick(m sim.Moment) (t sim.Tick, later int) {
	const each = sim.MomentsPerTick / SubticksPerTick
	t = m.NearestTick()
	off := m - t.Moment()
	later = int((off+sim.MomentsPerTick+each/2)/each) - SubticksPerTick
	return t, max(min(later, SubticksPerTick/2), -SubticksPerTick/2)
}

// SeenSubtick returns Others in subticks, to the nearest one.
func (v *View) SeenSubtick() int64 { return subticks(v.Others) }

// OwnSubtick returns Own in subticks, to the nearest one.
func (v *View) OwnSubtick() int64 { return subticks(v.Own) }

func subticks(m sim.Moment) int64 {
	t, later := NearestSubtick(m)
	return int64(t)*SubticksPerTick + int64(later)
}

// Reset empties v and keeps its memory.
func (v *View) Reset() {
	v.Others, v.Own, v.Carriers, v.Note = 0, 0, 0, ""
	v.Bodies, v.Simulated, v.LastReceived, v.Trail = v.Bodies[:0], v.Simulated[:0], v.LastReceived[:0], v.Trail[:0]
	v.TouchedBy, v.Predicted = v.TouchedBy[:0], v.Predicted[:0]
	v.Fallback, v.Outside = v.Fallback[:0], v.Outside[:0]
	v.Effects = v.Effects[:0]
}

// CopyFrom makes v a copy of o that shares no memory with it.
func (v *View) CopyFrom(o *View) {
	v.Others, v.Own, v.Carriers, v.Note = o.Others, o.Own, o.Carriers, o.Note
	v.Bodies, v.Simulated = append(v.Bodies[:0], o.Bodies...), append(v.Simulated[:0], o.Simulated...)
	v.LastReceived, v.Trail = append(v.LastReceived[:0], o.LastReceived...), append(v.Trail[:0], o.Trail...)
	v.TouchedBy = append(v.TouchedBy[:0], o.TouchedBy...)
	v.Predicted = append(v.Predicted[:0], o.Predicted...)
	v.Fallback = append(v.Fallback[:0], o.Fallback...)
	v.Outside = append(v.Outside[:0], o.Outside...)
	v.Effects = append(v.Effects[:0], o.Effects...)
}

// AppendPoses appends the poses of bodies to dst.
func AppendPoses(dst []geom.Pose, bodies []sim.Body) []geom.Pose {
	for i := range bodies {
		dst = append(dst, bodies[i].Pose)
	}
	return dst
}
