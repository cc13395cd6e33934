package delta

import (
	"encoding/binary"
	"fmt"

	"ghostcube/net/quant"
)

// HeaderBytes is the size of the header before a snapshot:
//
//	sequence      16 bits, little endian
//	baseline age   8 bits: packets from the baseline to this one; 0: no baseline
//	older gap      8 bits: packets from the older snapshot to the baseline; 0: none
const HeaderBytes = 4

// Both ends store packets. A packet refers to at most maxBaselineAge packets before it,
// and the reader stores enough that packets may arrive up to 80 late. Acknowledgements
// name no packet that is more than 31 late (package packet), so the reader still has
// every packet that they name.
const (
	writerWindow   = 64
	readerWindow   = 128
	maxBaselineAge = 48
)

// storedSnapshot is a snapshot sent or received, with the model learned from it.
type storedSnapshot struct {
	sequence uint16
	used     bool
	acked    bool // at the writer: the reader has it
	hasModel bool // model is valid, at level Arithmetic
	cubes    []Cube
	model    *motionModel
}

// prepareModel returns the model to train with the snapshot, unused below level
// Arithmetic.
func (s *storedSnapshot) prepareModel(l Level) *motionModel {
	s.hasModel = l == Arithmetic
	if s.hasModel && s.model == nil {
		s.model = new(motionModel)
	}
	return s.model
}

// learnedModel returns the model learned up to the snapshot, or nil.
func (s *storedSnapshot) learnedModel() *motionModel {
	if s.hasModel {
		return s.model
	}
	return nil
}

// copyFrom sets s to a copy of o that shares no memory.
func (s *storedSnapshot) copyFrom(o *storedSnapshot) {
	cubes, model := append(s.cubes[:0], o.cubes...), s.model
	if o.hasModel && o.used {
		if model == nil {
			model = new(motionModel)
		}
		model.copyFrom(o.model)
	}
	*s = *o
	s.cubes, s.model = cubes, model
}

// Writer compresses snapshots for one Reader, one per tick.
type Writer struct {
	level   Level
	indices quant.IndexEncoding
	next    uint16
	ring    [writerWindow]storedSnapshot
	scratch
}

// scratch is memory of one packet, which no later packet depends on.
type scratch struct {
	codec    codec
	baseline baseline
}

// NewWriter returns a writer for a level.
func NewWriter(l Level) *Writer { return &Writer{level: l} }

// SetLevel changes the level from the next packet on. The caller must transmit the
// level of each packet.
func (w *Writer) SetLevel(l Level) { w.level = l }

// SetIndices changes the encoding of the changed cubes' indices from the next packet on, at the levels from Indices to
// FineRotation. The caller must transmit it, too.
func (w *Writer) SetIndices(e quant.IndexEncoding) { w.indices = e }

// BitBreakdown returns the breakdown of the last packet, without its header.
func (w *Writer) BitBreakdown() BitBreakdown { return w.codec.breakdown }

// CubeBits returns what each cube cost in the last packet, and what the list of changed cubes cost that no single one
// does, in bits, both without the header. At level Arithmetic they are fractions. The slice is valid until the next Write.
func (w *Writer) CubeBits() (each []float64, list float64) {
	return w.codec.cubes.each, w.codec.cubes.shared
}

// CopyFrom sets w to a copy of o that shares no memory.
func (w *Writer) CopyFrom(o *Writer) {
	w.level, w.indices, w.next = o.level, o.indices, o.next
	for i := range w.ring {
		w.ring[i].copyFrom(&o.ring[i])
	}
}

// MaxPacketBytes returns the size of the buffer that Write needs.
func MaxPacketBytes(cubes int) int { return HeaderBytes + maxSnapshotBytes(cubes) }

// absoluteCubeBytes is the size of a cube without a baseline, from level Quantised on.
const absoluteCubeBytes = 10

// Write writes a snapshot as a packet into b, which has at least MaxPacketBytes, and
// returns the packet and its sequence number. The snapshot is relative to the newest
// acknowledged one, or absolute if that is shorter. Every snapshot must have the same
// number of cubes. Write fails if a cube is out of range; the sequence number is then
// not used.
func (w *Writer) Write(b []byte, now []Cube) (packet []byte, sequence uint16, err error) {
	slot := &w.ring[w.next%writerWindow]
	slot.used, slot.acked = false, false
	slot.cubes = append(slot.cubes[:0], now...)
	age, gap := w.chooseBaseline()
	w.codec.indices = w.indices
	body := b[HeaderBytes:MaxPacketBytes(len(now))]
	encoded, err := w.codec.encode(body, w.level, slot.cubes, &w.baseline, slot.prepareModel(w.level))
	if age > 0 && w.level > Quantised && (err != nil || len(encoded) > absoluteCubeBytes*len(now)) {
		// The prediction failed: an absolute snapshot is shorter.
		w.baseline, age, gap = baseline{}, 0, 0
		encoded, err = w.codec.encode(body, w.level, slot.cubes, &w.baseline, slot.prepareModel(w.level))
	}
	if err != nil {
		return nil, 0, err
	}
	binary.LittleEndian.PutUint16(b, w.next)
	b[2], b[3] = byte(age), byte(gap)
	slot.sequence, slot.used = w.next, true
	w.next++
	return b[:HeaderBytes+len(encoded)], slot.sequence, nil
}

// chooseBaseline sets the baseline and returns where it lies.
func (w *Writer) chooseBaseline() (age, gap int) {
	w.baseline = baseline{}
	base := w.newestAcked(1)
	if base == nil {
		return 0, 0
	}
	age = int(w.next - base.sequence)
	w.baseline = baseline{cubes: base.cubes, age: age, model: base.learnedModel()}
	if a := w.level.olderGap(); a > 0 {
		if older := w.newestAcked(age + a); older != nil {
			gap = int(base.sequence - older.sequence)
			w.baseline.olderCubes, w.baseline.olderGap = older.cubes, gap
		}
	}
	return age, gap
}

// newestAcked returns the newest acknowledged packet that is at least age packets old,
// or nil.
func (w *Writer) newestAcked(age int) *storedSnapshot {
	for ; age <= maxBaselineAge; age++ {
		q := w.next - uint16(age)
		if k := &w.ring[q%writerWindow]; k.used && k.acked && k.sequence == q {
			return k
		}
	}
	return nil
}

// Acknowledge marks a packet as read by the reader.
func (w *Writer) Acknowledge(sequence uint16) {
	if k := &w.ring[sequence%writerWindow]; k.used && k.sequence == sequence {
		k.acked = true
	}
}

// Forget takes back all acknowledgements: the next packet is absolute, and none refers to a packet that
// is not acknowledged anew.
func (w *Writer) Forget() {
	for i := range w.ring {
		w.ring[i].acked = false
	}
}

// Reader decompresses the snapshots of a Writer. Sequence numbers wrap: after nine
// minutes without a packet it must start over.
type Reader struct {
	level     Level
	indices   quant.IndexEncoding
	cubeCount int
	newest    uint16
	started   bool // a packet has been read
	ring      [readerWindow]storedSnapshot
	readerScratch
}

// readerScratch is memory of one packet, which no later packet depends on.
type readerScratch struct {
	scratch
	incoming storedSnapshot // the packet being read, so that a failure does no harm
}

// NewReader returns a reader for a level and a number of cubes.
func NewReader(l Level, cubes int) *Reader { return &Reader{level: l, cubeCount: cubes} }

// SetLevel sets the level of the next packets.
func (r *Reader) SetLevel(l Level) { r.level = l }

// SetIndices sets the encoding of indices of the next packets.
func (r *Reader) SetIndices(e quant.IndexEncoding) { r.indices = e }

// CopyFrom sets r to a copy of o that shares no memory.
func (r *Reader) CopyFrom(o *Reader) {
	r.level, r.indices, r.cubeCount, r.newest, r.started = o.level, o.indices, o.cubeCount, o.newest, o.started
	for i := range r.ring {
		r.ring[i].copyFrom(&o.ring[i])
	}
}

// Read reads a packet, which may contain anything, and returns its snapshot, valid
// until the next call. A packet that fails must not be acknowledged. Packets may arrive
// late and out of order.
func (r *Reader) Read(packet []byte) (snapshot []Cube, sequence uint16, err error) {
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
	k := &r.incoming
	if len(k.cubes) != r.cubeCount {
		k.cubes = make([]Cube, r.cubeCount)
	}
	r.codec.indices = r.indices
	if err := r.codec.decode(packet[HeaderBytes:], r.level, k.cubes, &r.baseline, k.prepareModel(r.level)); err != nil {
		return nil, sequence, fmt.Errorf("packet %d: %w", sequence, err)
	}
	k.sequence, k.used = sequence, true
	slot := &r.ring[sequence%readerWindow]
	*slot, r.incoming = r.incoming, *slot
	if !r.started || int16(sequence-r.newest) > 0 {
		r.newest, r.started = sequence, true
	}
	return slot.cubes, sequence, nil
}

// findBaseline finds the packets that a packet refers to.
func (r *Reader) findBaseline(sequence uint16, age, gap int) error {
	r.baseline = baseline{}
	if age == 0 {
		if gap != 0 {
			return ErrHeader
		}
		return nil
	}
	if age+gap > maxBaselineAge {
		return ErrHeader
	}
	base := r.find(sequence - uint16(age))
	if base == nil {
		return ErrNoBaseline
	}
	r.baseline = baseline{cubes: base.cubes, age: age, model: base.learnedModel()}
	if gap > 0 {
		older := r.find(base.sequence - uint16(gap))
		if older == nil {
			return ErrNoBaseline
		}
		r.baseline.olderCubes, r.baseline.olderGap = older.cubes, gap
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
