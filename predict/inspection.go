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
	BodyBits    []float32       // bits a second that the body has cost in packets to this client, a fading mean
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
func (s *SnapshotBits) Bits() float64 { return s.Index + s.Position + s.Rotation + s.Linear + s.Other }

// Add adds the bits of another snapshot.
func (s *SnapshotBits) Add(o *SnapshotBits) {
	s.Index += o.Index
	s.Position += o.Position
	s.Rotation += o.Rotation
	s.Linear += o.Linear
	s.Other += o.Other
}

// Bits returns the bits of the whole packet.
func (p *PacketBreakdown) Bits() int { return p.HeaderBits + p.InputBits + p.BodyBits }

// Reset empties i and keeps its memory.
func (i *Inspection) Reset() {
	i.Priority, i.Age, i.Moving = i.Priority[:0], i.Age[:0], i.Moving[:0]
	i.Encoding, i.Owner, i.Packet = i.Encoding[:0], i.Owner[:0], PacketBreakdown{}
	i.ParentBoxes = i.ParentBoxes[:0]
	i.JointDepth, i.Interval, i.BodyBits = i.JointDepth[:0], i.Interval[:0], i.BodyBits[:0]
	i.Sideband = Sideband{Slices: i.Sideband.Slices[:0]}
	i.InputBuffer = InputBuffer{Slots: i.InputBuffer.Slots[:0]}
	i.Buffers = i.Buffers[:0]
}

// CopyFrom makes i a copy of o that shares no memory with it.
func (i *Inspection) CopyFrom(o *Inspection) {
	i.Priority, i.Age = append(i.Priority[:0], o.Priority...), append(i.Age[:0], o.Age...)
	i.Moving, i.Encoding = append(i.Moving[:0], o.Moving...), append(i.Encoding[:0], o.Encoding...)
	i.Owner, i.Packet = append(i.Owner[:0], o.Owner...), o.Packet
	i.ParentBoxes = append(i.ParentBoxes[:0], o.ParentBoxes...)
	i.JointDepth, i.Interval = append(i.JointDepth[:0], o.JointDepth...), append(i.Interval[:0], o.Interval...)
	i.BodyBits = append(i.BodyBits[:0], o.BodyBits...)
	slices := append(i.Sideband.Slices[:0], o.Sideband.Slices...)
	i.Sideband = o.Sideband
	i.Sideband.Slices = slices
	i.Buffers = append(i.Buffers[:0], o.Buffers...)
	i.InputBuffer = InputBuffer{append(i.InputBuffer.Slots[:0], o.InputBuffer.Slots...), o.InputBuffer.Last}
}
