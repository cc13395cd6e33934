package predict

import "ghostcube/sim"

// Buffer is a buffer of one side whose slots are ticks.
type Buffer struct {
	Kind     BufferKind
	First    sim.Tick // of the first slot that is shown
	Slots    int      // shown slots, at most 64: the newest
	Filled   uint64   // bit n: the slot of tick First+n is filled
	Count    int      // filled slots, with those that are not shown
	Capacity int      // slots that there is room for; 0: as many as needed
}

// BufferKind is the kind of a buffer's contents.
type BufferKind uint8

// The kinds.
const (
	PlayoutBuffer    BufferKind = iota // at the server: inputs that wait for their tick
	JitterBuffer                       // at the client: states that wait to be drawn or applied
	SnapshotRing                       // at the client: own states that a correction can return to
	InputHistory                       // at the client: inputs that a correction replays
	RedundancyWindow                   // at the client: inputs in the next packet
	UnackedInputs                      // at the client: inputs that the server is not known to have
)

var bufferKindNames = [...]string{"playout buffer", "jitter buffer", "snapshot ring", "input history", "redundancy window", "unacknowledged inputs"}

// String returns the kind's name.
func (k BufferKind) String() string { return bufferKindNames[k] }

// maxShownSlots is the largest number of slots of a Buffer.
const maxShownSlots = 64

// AddBuffer adds a buffer with the slots of the ticks from first up to end. filled reports whether a slot is
// filled; nil: all are. Of more than 1024 slots only the newest count.
func (i *Inspection) AddBuffer(k BufferKind, first, end sim.Tick, capacity int, filled func(t sim.Tick) bool) {
	b := Buffer{Kind: k, Capacity: capacity, First: first}
	if end > first {
		first = max(first, end-min(end, 1024))
		b.Slots = int(min(end-first, maxShownSlots))
		b.First = end - sim.Tick(b.Slots)
		for t := first; t < end; t++ {
			if filled == nil || filled(t) {
				if b.Count++; t >= b.First {
					b.Filled |= 1 << (t - b.First)
				}
			}
		}
	}
	i.Buffers = append(i.Buffers, b)
}
