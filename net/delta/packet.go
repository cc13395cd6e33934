package delta

import (
	"encoding/binary"
	"fmt"
)

// HeaderBytes is what stands in front of a frame in a packet:
//
//	sequence, 16 bits, lowest byte first
//	back, 8 bits: packets from the base to this one; 0: there is no base
//	apart, 8 bits: packets from the older frame to the base; 0: there is none
const HeaderBytes = 4

// Packets are kept by both ends. What a packet refers to lies at most backMost
// before it, and the reader keeps so many that packets may overtake each other by
// what is between: 80. Acknowledgements name no packet that is more than 31 late
// (package packet), so every packet that they name has been read.
const (
	writerWindow   = 64
	readerWindow   = 128
	maxBaselineAge = 48
)

// storedSnapshot is a frame that was sent or received, and what was learned with it.
type storedSnapshot struct {
	sequence uint16
	used     bool
	acked    bool // at the writer: the reader is known to have it
	hasModel bool // at level Arithmetic: model is what was learned with it
	cubes    []Cube
	model    *motionModel
}

// prepareModel returns what is learned with the frame, if anything is at a level.
func (k *storedSnapshot) prepareModel(l Level) *motionModel {
	k.hasModel = l == Arithmetic
	if k.hasModel && k.model == nil {
		k.model = new(motionModel)
	}
	return k.model
}

// learnedModel is what was learned up to the frame, or nil.
func (k *storedSnapshot) learnedModel() *motionModel {
	if k.hasModel {
		return k.model
	}
	return nil
}

// copyFrom makes k an equal of o that shares no memory with it.
func (k *storedSnapshot) copyFrom(o *storedSnapshot) {
	frame, model := append(k.cubes[:0], o.cubes...), k.model
	if o.hasModel && o.used {
		if model == nil {
			model = new(motionModel)
		}
		model.copyFrom(o.model)
	}
	*k = *o
	k.cubes, k.model = frame, model
}

// Writer is the end of a wire that has the frames, one a tick.
type Writer struct {
	level    Level
	next     uint16
	ring     [writerWindow]storedSnapshot
	codec    codec
	baseline baseline
}

// NewWriter returns the writer of a level.
func NewWriter(l Level) *Writer { return &Writer{level: l} }

// SetLevel changes the level, from the next packet on. The reader must be told with
// which level each packet was written.
func (w *Writer) SetLevel(l Level) { w.level = l }

// BitBreakdown returns what the bits of the last packet have told, its head apart.
func (w *Writer) BitBreakdown() BitBreakdown { return w.codec.breakdown }

// CopyFrom makes w an equal of o that shares no memory with it.
func (w *Writer) CopyFrom(o *Writer) {
	w.level, w.next = o.level, o.next
	for i := range w.ring {
		w.ring[i].copyFrom(&o.ring[i])
	}
}

// MaxPacketBytes returns how much memory Write needs for so many cubes.
func MaxPacketBytes(cubes int) int { return HeaderBytes + maxSnapshotBytes(cubes) }

// absoluteCubeBytes is what a cube takes in a frame without a base, from level Quantised
// on.
const absoluteCubeBytes = 10

// Write writes a frame as a packet into b, which has PacketBytes, relative to
// the newest frame that the reader is known to have or, where that is shorter,
// whole, and returns the packet and its number. Every frame must have the same number of cubes. It fails for cubes
// that are out of their ranges; then the number is not used.
func (w *Writer) Write(b []byte, now []Cube) (packet []byte, sequence uint16, err error) {
	slot := &w.ring[w.next%writerWindow]
	slot.used, slot.acked = false, false
	slot.cubes = append(slot.cubes[:0], now...)
	back, apart := w.chooseBaseline()
	room := b[HeaderBytes:MaxPacketBytes(len(now))]
	body, err := w.codec.encode(room, w.level, slot.cubes, &w.baseline, slot.prepareModel(w.level))
	if back > 0 && w.level > Quantised && (err != nil || len(body) > absoluteCubeBytes*len(now)) {
		// It is too surprising to be told by what was known.
		w.baseline, back, apart = baseline{}, 0, 0
		body, err = w.codec.encode(room, w.level, slot.cubes, &w.baseline, slot.prepareModel(w.level))
	}
	if err != nil {
		return nil, 0, err
	}
	binary.LittleEndian.PutUint16(b, w.next)
	b[2], b[3] = byte(back), byte(apart)
	slot.sequence, slot.used = w.next, true
	w.next++
	return b[:HeaderBytes+len(body)], slot.sequence, nil
}

// chooseBaseline finds what the reader is known to have, and returns where it lies.
func (w *Writer) chooseBaseline() (back, apart int) {
	w.baseline = baseline{}
	base := w.newestAcked(1)
	if base == nil {
		return 0, 0
	}
	back = int(w.next - base.sequence)
	w.baseline = baseline{cubes: base.cubes, age: back, model: base.learnedModel()}
	if a := w.level.olderGap(); a > 0 {
		if older := w.newestAcked(back + a); older != nil {
			apart = int(base.sequence - older.sequence)
			w.baseline.olderCubes, w.baseline.olderGap = older.cubes, apart
		}
	}
	return back, apart
}

// newestAcked returns the newest packet that the reader is known to have and that lies
// at least so far back, or nil.
func (w *Writer) newestAcked(back int) *storedSnapshot {
	for ; back <= maxBaselineAge; back++ {
		q := w.next - uint16(back)
		if k := &w.ring[q%writerWindow]; k.used && k.acked && k.sequence == q {
			return k
		}
	}
	return nil
}

// Acknowledge says that the reader is known to have read a packet.
func (w *Writer) Acknowledge(sequence uint16) {
	if k := &w.ring[sequence%writerWindow]; k.used && k.sequence == sequence {
		k.acked = true
	}
}

// Reader is the other end. Sequences wrap: one that has heard nothing for nine
// minutes must begin anew.
type Reader struct {
	level     Level
	cubeCount int
	newest    uint16
	started   bool // one has been read
	ring      [readerWindow]storedSnapshot
	scratch   storedSnapshot // what is being read, so that what fails does no harm
	codec     codec
	baseline  baseline
}

// NewReader returns the reader of a level, for frames of so many cubes.
func NewReader(l Level, cubes int) *Reader { return &Reader{level: l, cubeCount: cubes} }

// SetLevel says with which level the next packets were written.
func (r *Reader) SetLevel(l Level) { r.level = l }

// CopyFrom makes r an equal of o that shares no memory with it.
func (r *Reader) CopyFrom(o *Reader) {
	r.level, r.cubeCount, r.newest, r.started = o.level, o.cubeCount, o.newest, o.started
	for i := range r.ring {
		r.ring[i].copyFrom(&o.ring[i])
	}
}

// Read reads a packet, which may be anything, and returns its frame, until the
// next call. What it returns an error for must not be acknowledged. Packets may
// come late and in another order.
func (r *Reader) Read(packet []byte) (frame []Cube, sequence uint16, err error) {
	if len(packet) < HeaderBytes {
		return nil, 0, ErrHeader
	}
	sequence = binary.LittleEndian.Uint16(packet)
	if r.started && (int16(r.newest-sequence) >= readerWindow || r.find(sequence) != nil) {
		return nil, sequence, ErrStale
	}
	if err := r.findBaseline(sequence, int(packet[2]), int(packet[3])); err != nil {
		return nil, sequence, err
	}
	k := &r.scratch
	if len(k.cubes) != r.cubeCount {
		k.cubes = make([]Cube, r.cubeCount)
	}
	if err := r.codec.decode(packet[HeaderBytes:], r.level, k.cubes, &r.baseline, k.prepareModel(r.level)); err != nil {
		return nil, sequence, fmt.Errorf("packet %d: %w", sequence, err)
	}
	k.sequence, k.used = sequence, true
	slot := &r.ring[sequence%readerWindow]
	*slot, r.scratch = r.scratch, *slot
	if !r.started || int16(sequence-r.newest) > 0 {
		r.newest, r.started = sequence, true
	}
	return slot.cubes, sequence, nil
}

// findBaseline finds what a packet refers to.
func (r *Reader) findBaseline(sequence uint16, back, apart int) error {
	r.baseline = baseline{}
	if back == 0 {
		if apart != 0 {
			return ErrHeader
		}
		return nil
	}
	if back+apart > maxBaselineAge {
		return ErrHeader
	}
	base := r.find(sequence - uint16(back))
	if base == nil {
		return ErrNoBaseline
	}
	r.baseline = baseline{cubes: base.cubes, age: back, model: base.learnedModel()}
	if apart > 0 {
		older := r.find(base.sequence - uint16(apart))
		if older == nil {
			return ErrNoBaseline
		}
		r.baseline.olderCubes, r.baseline.olderGap = older.cubes, apart
	}
	return nil
}

// find returns a packet that was read, or nil.
func (r *Reader) find(q uint16) *storedSnapshot {
	if k := &r.ring[q%readerWindow]; k.used && k.sequence == q {
		return k
	}
	return nil
}
