package delta

import (
	"encoding/binary"
	"fmt"
)

// HeadBytes is what stands in front of a frame in a packet:
//
//	sequence, 16 bits, lowest byte first
//	back, 8 bits: packets from the base to this one; 0: there is no base
//	apart, 8 bits: packets from the older frame to the base; 0: there is none
const HeadBytes = 4

// Packets are kept by both ends. What a packet refers to lies at most backMost
// before it, and the reader keeps so many that packets may overtake each other by
// what is between: 80. Acknowledgements name no packet that is more than 31 late
// (package packet), so every packet that they name has been read.
const (
	keptPackets  = 64
	heardPackets = 128
	backMost     = 48
)

// kept is a frame that was sent or received, and what was learned with it.
type kept struct {
	sequence uint16
	used     bool
	known    bool // at the writer: the reader is known to have it
	learned  bool // at level Arithmetic: model is what was learned with it
	frame    []Cube
	model    *Model
}

// learning returns what is learned with the frame, if anything is at a level.
func (k *kept) learning(l Level) *Model {
	k.learned = l == Arithmetic
	if k.learned && k.model == nil {
		k.model = new(Model)
	}
	return k.model
}

// lesson is what was learned up to the frame, or nil.
func (k *kept) lesson() *Model {
	if k.learned {
		return k.model
	}
	return nil
}

// copyFrom makes k an equal of o that shares no memory with it.
func (k *kept) copyFrom(o *kept) {
	frame, model := append(k.frame[:0], o.frame...), k.model
	if o.learned && o.used {
		if model == nil {
			model = new(Model)
		}
		model.CopyFrom(o.model)
	}
	*k = *o
	k.frame, k.model = frame, model
}

// Writer is the end of a wire that has the frames, one a tick.
type Writer struct {
	level Level
	next  uint16
	ring  [keptPackets]kept
	codec Codec
	past  Past
}

// NewWriter returns the writer of a level.
func NewWriter(l Level) *Writer { return &Writer{level: l} }

// Turn changes the level, from the next packet on. The reader must be told with
// which level each packet was written.
func (w *Writer) Turn(l Level) { w.level = l }

// Spent returns what the bits of the last packet have told, its head apart.
func (w *Writer) Spent() Spent { return w.codec.Spent() }

// CopyFrom makes w an equal of o that shares no memory with it.
func (w *Writer) CopyFrom(o *Writer) {
	w.level, w.next = o.level, o.next
	for i := range w.ring {
		w.ring[i].copyFrom(&o.ring[i])
	}
}

// PacketBytes returns how much memory Write needs for so many cubes.
func PacketBytes(cubes int) int { return HeadBytes + MostBytes(cubes) }

// wholeBytes is what a cube takes in a frame without a base, from level Quantised
// on.
const wholeBytes = 10

// Write writes a frame as a packet into b, which has PacketBytes, relative to
// the newest frame that the reader is known to have or, where that is shorter,
// whole, and returns the packet and its number. Every frame must have the same number of cubes. It fails for cubes
// that are out of their ranges; then the number is not used.
func (w *Writer) Write(b []byte, now []Cube) (packet []byte, sequence uint16, err error) {
	slot := &w.ring[w.next%keptPackets]
	slot.used, slot.known = false, false
	slot.frame = append(slot.frame[:0], now...)
	back, apart := w.refer()
	room := b[HeadBytes:PacketBytes(len(now))]
	body, err := w.codec.Write(room, w.level, slot.frame, &w.past, slot.learning(w.level))
	if back > 0 && w.level > Quantised && (err != nil || len(body) > wholeBytes*len(now)) {
		// It is too surprising to be told by what was known.
		w.past, back, apart = Past{}, 0, 0
		body, err = w.codec.Write(room, w.level, slot.frame, &w.past, slot.learning(w.level))
	}
	if err != nil {
		return nil, 0, err
	}
	binary.LittleEndian.PutUint16(b, w.next)
	b[2], b[3] = byte(back), byte(apart)
	slot.sequence, slot.used = w.next, true
	w.next++
	return b[:HeadBytes+len(body)], slot.sequence, nil
}

// refer finds what the reader is known to have, and returns where it lies.
func (w *Writer) refer() (back, apart int) {
	w.past = Past{}
	base := w.known(1)
	if base == nil {
		return 0, 0
	}
	back = int(w.next - base.sequence)
	w.past = Past{Base: base.frame, Since: back, Learned: base.lesson()}
	if a := w.level.Apart(); a > 0 {
		if older := w.known(back + a); older != nil {
			apart = int(base.sequence - older.sequence)
			w.past.Older, w.past.Apart = older.frame, apart
		}
	}
	return back, apart
}

// known returns the newest packet that the reader is known to have and that lies
// at least so far back, or nil.
func (w *Writer) known(back int) *kept {
	for ; back <= backMost; back++ {
		q := w.next - uint16(back)
		if k := &w.ring[q%keptPackets]; k.used && k.known && k.sequence == q {
			return k
		}
	}
	return nil
}

// Acked says that the reader is known to have read a packet.
func (w *Writer) Acked(sequence uint16) {
	if k := &w.ring[sequence%keptPackets]; k.used && k.sequence == sequence {
		k.known = true
	}
}

// Reader is the other end. Sequences wrap: one that has heard nothing for nine
// minutes must begin anew.
type Reader struct {
	level  Level
	cubes  int
	newest uint16
	any    bool // one has been read
	ring   [heardPackets]kept
	spare  kept // what is being read, so that what fails does no harm
	codec  Codec
	past   Past
}

// NewReader returns the reader of a level, for frames of so many cubes.
func NewReader(l Level, cubes int) *Reader { return &Reader{level: l, cubes: cubes} }

// Turn says with which level the next packets were written.
func (r *Reader) Turn(l Level) { r.level = l }

// CopyFrom makes r an equal of o that shares no memory with it.
func (r *Reader) CopyFrom(o *Reader) {
	r.level, r.cubes, r.newest, r.any = o.level, o.cubes, o.newest, o.any
	for i := range r.ring {
		r.ring[i].copyFrom(&o.ring[i])
	}
}

// Read reads a packet, which may be anything, and returns its frame, until the
// next call. What it returns an error for must not be acknowledged. Packets may
// come late and in another order.
func (r *Reader) Read(packet []byte) (frame []Cube, sequence uint16, err error) {
	if len(packet) < HeadBytes {
		return nil, 0, ErrHead
	}
	sequence = binary.LittleEndian.Uint16(packet)
	if r.any && (int16(r.newest-sequence) >= heardPackets || r.find(sequence) != nil) {
		return nil, sequence, ErrOld
	}
	if err := r.refer(sequence, int(packet[2]), int(packet[3])); err != nil {
		return nil, sequence, err
	}
	k := &r.spare
	if len(k.frame) != r.cubes {
		k.frame = make([]Cube, r.cubes)
	}
	if err := r.codec.Read(packet[HeadBytes:], r.level, k.frame, &r.past, k.learning(r.level)); err != nil {
		return nil, sequence, fmt.Errorf("packet %d: %w", sequence, err)
	}
	k.sequence, k.used = sequence, true
	slot := &r.ring[sequence%heardPackets]
	*slot, r.spare = r.spare, *slot
	if !r.any || int16(sequence-r.newest) > 0 {
		r.newest, r.any = sequence, true
	}
	return slot.frame, sequence, nil
}

// refer finds what a packet refers to.
func (r *Reader) refer(sequence uint16, back, apart int) error {
	r.past = Past{}
	if back == 0 {
		if apart != 0 {
			return ErrHead
		}
		return nil
	}
	if back+apart > backMost {
		return ErrHead
	}
	base := r.find(sequence - uint16(back))
	if base == nil {
		return ErrBase
	}
	r.past = Past{Base: base.frame, Since: back, Learned: base.lesson()}
	if apart > 0 {
		older := r.find(base.sequence - uint16(apart))
		if older == nil {
			return ErrBase
		}
		r.past.Older, r.past.Apart = older.frame, apart
	}
	return nil
}

// find returns a packet that was read, or nil.
func (r *Reader) find(q uint16) *kept {
	if k := &r.ring[q%heardPackets]; k.used && k.sequence == q {
		return k
	}
	return nil
}
