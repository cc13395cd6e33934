package predict

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Inspection is what the sides of a strategy report about their packets, for display. It is filled
// only while it is displayed, and filling it changes nothing. Its slices are indexed by body unless
// noted, empty where a strategy has no such property, and owned by the caller.
type Inspection struct {
	Priority    []int64         // at the server: accumulated since the body was last sent, after this tick's packet
	Age         []int32         // ticks, at least 0, from the last received state of the body to the state drawn
	Moving      []bool          // whether the body moves as drawn
	Interval    []int32         // ticks from one state of the body to the next; 0 if it is outside the area of interest
	Encoding    []Encoding      // how that last state was encoded
	Owner       []int8          // player with authority over the body, as far as the client knows, or sim.NoPlayer
	ParentBoxes []ParentBox     // by candidate, not by body: possible parents of the player's cube
	JointDepth  []int16         // joints between the body and the root of its joint tree: 0 is a root, -1 a body without a tree
	Packet      PacketBreakdown // the last packet to this client
	Sideband    Sideband        // messages and blocks to this client
	InputBuffer InputBuffer     // the server's playout buffer of this client's inputs
	Buffers     []Buffer        // by kind, not by body: what else waits or is remembered
}

// Sideband is what must arrive at a client besides the packets of the strategy.
type Sideband struct {
	Present  bool         // the connection has one
	Slices   []SliceState // of the chunk of a block that is being sent; empty: there is no block
	Resent   uint64       // slices sent again since the start
	Messages uint64       // messages sent since the start, repetitions included
	Share    float64      // in [0, 1]: its share of the bytes sent to the client

	AckedBits    uint32 // bit n: the packet n before the newest acknowledged one is acknowledged
	UnackedCount int    // of the last 1024 packets, those that are not acknowledged
}

// SliceState is the state of a slice of a block.
type SliceState uint8

// The states.
const (
	SliceWaiting SliceState = iota
	SliceSent
	SliceAcked
)

// InputBuffer is a server's playout buffer of one player's inputs after a tick, and what the tick took
// from it.
type InputBuffer struct {
	Slots []InputSlot // the one whose turn is next comes first; empty if the server has no such buffer
	Last  InputPlayout
}

// InputSlot is a slot of a playout buffer.
type InputSlot struct {
	ClientTick sim.Tick
	State      SlotState
	AfterGap   bool // the input of the tick before is missing
}

// SlotState says what is in a slot.
type SlotState uint8

// The states of a slot.
const (
	SlotEmpty   SlotState = iota // no input
	SlotWaiting                  // an input that has not been used
	SlotKept                     // the last input, kept to be repeated
)

// InputPlayout is what a server's playout buffer did in one tick.
type InputPlayout struct {
	Tick       sim.Tick // of the server: of the state that the input led to
	Result     PlayoutResult
	ClientTick sim.Tick // of the input that was used; undefined with PlayedNothing

	// Inputs that arrived in this tick, after the server took one: new ones, those whose turn was
	// over, and those that had arrived before.
	New, Late, Duplicate int
}

// PlayoutResult says what a tick's input was.
type PlayoutResult uint8

// The results.
const (
	PlayedNothing PlayoutResult = iota // no input
	PlayedOwn                          // the input whose turn it was
	PlayedMissing                      // the last input, because the one whose turn it was has not arrived
	PlayedAgain                        // the last input, because none waited
)

// ParentBox is a possible parent of the player's cube: the box in which the cube has to be.
type ParentBox struct {
	Pose     geom.Pose // world frame
	Half     geom.Vec3 // metres, half extents
	IsParent bool      // it is the cube's parent now
}

// Encoding is how the state of a body was encoded.
type Encoding uint8

// The encodings.
const (
	NeverReceived    Encoding = iota // not received since the client started
	Absolute                         // without reference to another state
	RelativeToPlayer                 // position relative to the first player's cube
	DeltaEncoded                     // difference from a state that the client has
)

// PacketBreakdown says how a packet from the server spent its bits. Bits are those on the wire,
// including IP and UDP headers.
type PacketBreakdown struct {
	Tick       sim.Tick // server tick in which it was sent
	BudgetBits int      // bits that the send budget allowed; 0 if there is no budget
	InputBits  int      // bits of the players' inputs
	BodyBits   int      // bits of body states
	HeaderBits int      // all other bits
	BodyCount  int      // bodies in the packet

	DatagramCount int          // datagrams that a snapshot was split into
	Parts         SnapshotBits // of a snapshot: its bits by content; otherwise zero
}

// SnapshotBits are the bits of a snapshot by content. An arithmetic coder spends fractions of bits.
type SnapshotBits struct {
	Index    float64 // which bodies differ from the baseline
	Position float64
	Rotation float64
	Linear   float64 // velocities
	Other    float64 // everything else: who touches a body, at-rest flags, headers
}

// Bits returns the sum of the bits.
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

// Reset empties l and keeps its memory.
func (l *Inspection) Reset() {
	l.Priority, l.Age, l.Moving = l.Priority[:0], l.Age[:0], l.Moving[:0]
	l.Encoding, l.Owner, l.Packet = l.Encoding[:0], l.Owner[:0], PacketBreakdown{}
	l.ParentBoxes = l.ParentBoxes[:0]
	l.JointDepth, l.Interval = l.JointDepth[:0], l.Interval[:0]
	l.Sideband = Sideband{Slices: l.Sideband.Slices[:0]}
	l.InputBuffer = InputBuffer{Slots: l.InputBuffer.Slots[:0]}
	l.Buffers = l.Buffers[:0]
}

// CopyFrom makes l a copy of o that shares no memory with it.
func (l *Inspection) CopyFrom(o *Inspection) {
	l.Priority, l.Age = append(l.Priority[:0], o.Priority...), append(l.Age[:0], o.Age...)
	l.Moving, l.Encoding = append(l.Moving[:0], o.Moving...), append(l.Encoding[:0], o.Encoding...)
	l.Owner, l.Packet = append(l.Owner[:0], o.Owner...), o.Packet
	l.ParentBoxes = append(l.ParentBoxes[:0], o.ParentBoxes...)
	l.JointDepth, l.Interval = append(l.JointDepth[:0], o.JointDepth...), append(l.Interval[:0], o.Interval...)
	slices := append(l.Sideband.Slices[:0], o.Sideband.Slices...)
	l.Sideband = o.Sideband
	l.Sideband.Slices = slices
	l.Buffers = append(l.Buffers[:0], o.Buffers...)
	l.InputBuffer = InputBuffer{append(l.InputBuffer.Slots[:0], o.InputBuffer.Slots...), o.InputBuffer.Last}
}
