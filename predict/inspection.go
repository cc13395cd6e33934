package predict

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Inspection is what the halves of a strategy can tell of what they send and hear, for
// a picture of it. It is asked for where somebody looks, and asking changes
// nothing. Its slices are indexed by body, and empty where a strategy has no such
// thing.
type Inspection struct {
	Priority    []int64         // at the server: added up since the body was last sent, after this tick's packet
	Age         []int32         // ticks from the server's last word of the body to what the client shows, from 0 on
	Moving      []bool          // the body moves in what the client shows
	Encoding    []Encoding      // how that last word came
	Owner       []int8          // whose authority the body is under, as far as the client knows; sim.Nobody: no player's
	ParentBoxes []ParentBox     // by themselves: what the own cube might be carried by
	JointDepth  []int16         // by which the body is told of: between it and the root of its tree; 0 is a root, -1 by itself
	Packet      PacketBreakdown // the last one to this client; Room is 0 where packets have no budget
}

// ParentBox is what the own cube might have as its parent: the box in which it is looked
// for.
type ParentBox struct {
	Pose     geom.Pose
	Half     geom.Vec3 // metres
	IsParent bool      // it is the parent now
}

// Encoding is how the state of a body came.
type Encoding uint8

// The codings.
const (
	NeverReceived    Encoding = iota // it has not come since the client began
	Absolute                         // by itself
	RelativeToPlayer                 // its position relative to that of the first player's cube
	DeltaEncoded                     // by its difference from a state that the client had
)

// PacketBreakdown is what a packet from the server was made of. Bits are those that
// travelled, headers of IP and UDP included.
type PacketBreakdown struct {
	Tick       sim.Tick // of the server, in which it was sent
	BudgetBits int      // bits that it might have had by the budget
	InputBits  int      // bits of what the players did
	BodyBits   int      // bits of bodies
	HeaderBits int      // all other bits
	BodyCount  int      // how many bodies

	DatagramCount int          // that it was cut into, of a snapshot
	Parts         SnapshotBits // of a snapshot: its bits by what they tell; else zero
}

// SnapshotBits are the bits of a snapshot by what they tell. Of an arithmetic coder they
// are no whole numbers.
type SnapshotBits struct {
	Index    float64 // which bodies are other than in what the client has
	Position float64
	Rotation float64
	Linear   float64 // velocities
	Other    float64 // all others: who touches a body, that it rests, heads
}

// Bits returns the sum.
func (p *SnapshotBits) Bits() float64 { return p.Index + p.Position + p.Rotation + p.Linear + p.Other }

// Add adds the bits of another snapshot.
func (p *SnapshotBits) Add(o *SnapshotBits) {
	p.Index += o.Index
	p.Position += o.Position
	p.Rotation += o.Rotation
	p.Linear += o.Linear
	p.Other += o.Other
}

// Bits returns the bits of the whole packet.
func (p *PacketBreakdown) Bits() int { return p.HeaderBits + p.InputBits + p.BodyBits }

// ServerInspector is a server that can tell of what it sends.
type ServerInspector interface {
	// Inspect writes into l, which is empty, what concerns one client.
	Inspect(l *Inspection, seat int)
}

// ClientInspector is a client that can tell of what it hears.
type ClientInspector interface {
	// Inspect writes into l, in which the server has written.
	Inspect(l *Inspection)
}

// Reset empties l and keeps its memory.
func (l *Inspection) Reset() {
	l.Priority, l.Age, l.Moving = l.Priority[:0], l.Age[:0], l.Moving[:0]
	l.Encoding, l.Owner, l.Packet = l.Encoding[:0], l.Owner[:0], PacketBreakdown{}
	l.ParentBoxes = l.ParentBoxes[:0]
	l.JointDepth = l.JointDepth[:0]
}

// CopyFrom makes l an equal of o that shares no memory with it.
func (l *Inspection) CopyFrom(o *Inspection) {
	l.Priority, l.Age = append(l.Priority[:0], o.Priority...), append(l.Age[:0], o.Age...)
	l.Moving, l.Encoding = append(l.Moving[:0], o.Moving...), append(l.Encoding[:0], o.Encoding...)
	l.Owner, l.Packet = append(l.Owner[:0], o.Owner...), o.Packet
	l.ParentBoxes = append(l.ParentBoxes[:0], o.ParentBoxes...)
	l.JointDepth = append(l.JointDepth[:0], o.JointDepth...)
}
