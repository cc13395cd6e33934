package predict

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Look is what the halves of a strategy can tell of what they send and hear, for
// a picture of it. It is asked for where somebody looks, and asking changes
// nothing. Its slices are indexed by body, and empty where a strategy has no such
// thing.
type Look struct {
	Priority []int64  // at the server: added up since the body was last sent, after this tick's packet
	Age      []int32  // ticks from the server's last word of the body to what the client shows, from 0 on
	Moves    []bool   // the body moves in what the client shows
	Coding   []Coding // how that last word came
	Owner    []int8   // whose authority the body is under, as far as the client knows; sim.Nobody: no player's
	Vessels  []Vessel // by themselves: what the own cube might be carried by
	Joints   []int16  // by which the body is told of: between it and the root of its tree; 0 is a root, -1 by itself
	Packet   Packet   // the last one to this client; Room is 0 where packets have no budget
}

// Vessel is what the own cube might have as its parent: the box in which it is looked
// for.
type Vessel struct {
	Pose   geom.Pose
	Half   geom.Vec3 // metres
	Parent bool      // it is the parent now
}

// Coding is how the state of a body came.
type Coding uint8

// The codings.
const (
	Untold    Coding = iota // it has not come since the client began
	Absolute                // by itself
	ToPlayer                // its position relative to that of the first player's cube
	ToEarlier               // by its difference from a state that the client had
)

// Packet is what a packet from the server was made of. Bits are those that
// travelled, headers of IP and UDP included.
type Packet struct {
	Tick    sim.Tick // of the server, in which it was sent
	Room    int      // bits that it might have had by the budget
	Inputs  int      // bits of what the players did
	Updates int      // bits of bodies
	Head    int      // all other bits
	Bodies  int      // how many bodies

	Datagrams int   // that it was cut into, of a snapshot
	Parts     Parts // of a snapshot: its bits by what they tell; else zero
}

// Parts are the bits of a snapshot by what they tell. Of an arithmetic coder they
// are no whole numbers.
type Parts struct {
	Index    float64 // which bodies are other than in what the client has
	Position float64
	Rotation float64
	Linear   float64 // velocities
	Rest     float64 // all others: who touches a body, that it rests, heads
}

// Bits returns the sum.
func (p *Parts) Bits() float64 { return p.Index + p.Position + p.Rotation + p.Linear + p.Rest }

// Add adds the bits of another snapshot.
func (p *Parts) Add(o *Parts) {
	p.Index += o.Index
	p.Position += o.Position
	p.Rotation += o.Rotation
	p.Linear += o.Linear
	p.Rest += o.Rest
}

// Bits returns the bits of the whole packet.
func (p *Packet) Bits() int { return p.Head + p.Inputs + p.Updates }

// ServerLook is a server that can tell of what it sends.
type ServerLook interface {
	// Look writes into l, which is empty, what concerns one client.
	Look(l *Look, seat int)
}

// ClientLook is a client that can tell of what it hears.
type ClientLook interface {
	// Look writes into l, in which the server has written.
	Look(l *Look)
}

// Reset empties l and keeps its memory.
func (l *Look) Reset() {
	l.Priority, l.Age, l.Moves = l.Priority[:0], l.Age[:0], l.Moves[:0]
	l.Coding, l.Owner, l.Packet = l.Coding[:0], l.Owner[:0], Packet{}
	l.Vessels = l.Vessels[:0]
	l.Joints = l.Joints[:0]
}

// CopyFrom makes l an equal of o that shares no memory with it.
func (l *Look) CopyFrom(o *Look) {
	l.Priority, l.Age = append(l.Priority[:0], o.Priority...), append(l.Age[:0], o.Age...)
	l.Moves, l.Coding = append(l.Moves[:0], o.Moves...), append(l.Coding[:0], o.Coding...)
	l.Owner, l.Packet = append(l.Owner[:0], o.Owner...), o.Packet
	l.Vessels = append(l.Vessels[:0], o.Vessels...)
	l.Joints = append(l.Joints[:0], o.Joints...)
}
