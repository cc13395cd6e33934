package message

import (
	"time"

	"ghostcube/net/quant"
)

// ackInterval is how often a receiver acks at most. An ack for every slice would
// double the packets, and pay an attacker. Fiedler says 50 or 100 ms; the longer
// one outlasts resendAfter where the round trip is short, and slices would be
// sent again that have arrived.
const ackInterval = 50 * time.Millisecond

// ReceiverStats are running totals of one BlockReceiver.
type ReceiverStats struct {
	Blocks     uint64 // that were whole
	Slices     uint64 // that were new
	Duplicates uint64 // had come before
	Stale      uint64 // of a chunk that was whole
	Early      uint64 // of a chunk whose turn has not come; nothing is kept of it
	TooLarge   uint64 // of a block larger than this side takes; likewise
	Malformed  uint64 // were none, or contradict what came before; likewise
	Acks       uint64 // sent
}

// BlockReceiver puts blocks together. It keeps what arrives in pieces of one
// slice, so a datagram never costs more memory than one of them, and keeps at
// most one block.
type BlockReceiver struct {
	Stats ReceiverStats

	maxBytes   int    // bytes of the largest block it takes
	chunkID    uint64 // id of the chunk that it wants
	sliceCount int    // of its slices; 0 before the first came
	lastChunk  bool
	received   bitmap
	slices     [][]byte // slices of the block, those of the wanted chunk last
	freeSlices [][]byte // memory of slices, for the next ones
	complete   bool     // the block is complete and waits for Take

	ackPending  bool      // an ack
	ack         ackHeader // the last one
	ackedAt     time.Duration
	ackedBefore bool // an ack was sent, at acked

	buffer [(1 + 16 + 8 + MaxSlicesPerChunk + 63) / 64 * 8]byte
	coder  quant.Coder
}

// NewBlockReceiver returns a receiver that takes blocks of at most most bytes,
// in [1,MaxBlock].
func NewBlockReceiver(most int) *BlockReceiver {
	if most < 1 || most > MaxBlockBytes {
		panic("message: a largest block out of its range")
	}
	return &BlockReceiver{maxBytes: most, slices: make([][]byte, 0, (most+ChunkBytes-1)/ChunkBytes*MaxSlicesPerChunk)}
}

// Read takes in a slice, which may be anything. It reports whether it was one
// that can be true.
func (r *BlockReceiver) Read(part []byte) bool {
	var h sliceHeader
	data, ok := h.decode(&r.coder, part)
	if !ok {
		r.Stats.Malformed++
		return false
	}
	switch step := int16(h.chunkID - uint16(r.chunkID&0xffff)); {
	case step < 0:
		r.ackCompletedChunk(&h, step)
		return true
	case step > 0 || r.complete:
		r.Stats.Early++
		return true
	}
	if r.sliceCount > 0 && (h.count != r.sliceCount || h.lastChunk != r.lastChunk) {
		r.Stats.Malformed++
		return false
	}
	before := len(r.slices) - r.sliceCount
	least := SliceBytes*(before+h.count-1) + 1 // of the block
	if h.slice == h.count-1 {
		least += h.size - 1
	}
	if least > r.maxBytes {
		r.Stats.TooLarge++
		return false
	}
	if r.sliceCount == 0 {
		r.beginChunk(&h)
	}
	r.scheduleAck(&h)
	if r.received.has(h.slice) {
		r.Stats.Duplicates++
		return true
	}
	r.Stats.Slices++
	r.received.set(h.slice)
	r.slices[before+h.slice] = r.copySlice(data)
	r.ack.received = r.received
	if r.received.count() == r.sliceCount {
		r.finishChunk()
	}
	return true
}

// beginChunk begins a chunk with the first slice of it that comes.
func (r *BlockReceiver) beginChunk(h *sliceHeader) {
	r.sliceCount, r.lastChunk, r.received = h.count, h.lastChunk, bitmap{}
	r.slices = r.slices[:len(r.slices)+h.count]
}

// copySlice copies a slice into memory of its own.
func (r *BlockReceiver) copySlice(data []byte) []byte {
	if n := len(r.freeSlices); n > 0 {
		p := r.freeSlices[n-1]
		r.freeSlices = r.freeSlices[:n-1]
		return append(p[:0], data...)
	}
	return append(make([]byte, 0, SliceBytes), data...)
}

// finishChunk ends a chunk all of whose slices have come.
func (r *BlockReceiver) finishChunk() {
	r.chunkID++
	r.sliceCount = 0
	if r.lastChunk {
		r.complete = true
		r.Stats.Blocks++
	}
}

// scheduleAck notes that the wanted chunk is to be acked.
func (r *BlockReceiver) scheduleAck(h *sliceHeader) {
	r.ackPending = true
	r.ack = ackHeader{chunkID: h.chunkID, count: h.count, received: r.received}
}

// ackCompletedChunk answers for a chunk that was whole: its sender does not know it yet, or
// the slice comes late. Where acks are owed for several chunks, the newest wins.
func (r *BlockReceiver) ackCompletedChunk(h *sliceHeader, step int16) {
	r.Stats.Stale++
	if r.ackPending && int16(r.ack.chunkID-uint16(r.chunkID&0xffff)) > step {
		return
	}
	r.ackPending = true
	r.ack = ackHeader{chunkID: h.chunkID, count: h.count}
	for i := range h.count {
		r.ack.received.set(i)
	}
}

// Write appends an ack to dst, if one is owed and the last one was long enough
// ago. It says all that has come of the chunk, so that losing it costs nothing.
func (r *BlockReceiver) Write(dst []byte, now time.Duration) []byte {
	if !r.ackPending || r.ackedBefore && now-r.ackedAt < ackInterval {
		return dst
	}
	r.ackPending, r.ackedBefore, r.ackedAt = false, true, now
	r.Stats.Acks++
	r.coder.BeginWrite(r.buffer[:])
	r.coder.Bool(true)
	r.ack.code(&r.coder)
	return append(dst, r.coder.FinishWrite()...)
}

// Receive appends the block to dst if all of it has come, and makes room for the
// next. Until then slices of the next are not accepted.
func (r *BlockReceiver) Receive(dst []byte) (block []byte, ok bool) {
	if !r.complete {
		return dst, false
	}
	for i, p := range r.slices {
		dst = append(dst, p...)
		r.freeSlices = append(r.freeSlices, p)
		r.slices[i] = nil
	}
	r.slices, r.complete = r.slices[:0], false
	return dst, true
}

// SliceCount returns how many slices the chunk has of which some have come; 0 if
// there is none.
func (r *BlockReceiver) SliceCount() (slices int) { return r.sliceCount }

// SliceReceived tells whether a slice of that chunk has come.
func (r *BlockReceiver) SliceReceived(i int) bool { return r.received.has(i) }

// CopyFrom makes r an equal of o.
func (r *BlockReceiver) CopyFrom(o *BlockReceiver) {
	pages, spare := r.slices, r.freeSlices
	for i, p := range pages {
		if p != nil {
			spare = append(spare, p)
		}
		pages[i] = nil
	}
	*r = *o
	r.freeSlices, r.coder = spare, quant.Coder{}
	if cap(pages) < cap(o.slices) {
		pages = make([][]byte, 0, cap(o.slices))
	}
	r.slices = pages[:len(o.slices)]
	for i, p := range o.slices {
		if p != nil {
			r.slices[i] = r.copySlice(p)
		}
	}
}

// BlockChannel is both ends of one side: it sends blocks and receives them.
type BlockChannel struct {
	Sender   *BlockSender
	Receiver *BlockReceiver
}

// NewBlockChannel returns one side. Its bounds are those of NewBlockSender and
// NewBlockReceiver.
func NewBlockChannel(rate, most int) BlockChannel {
	return BlockChannel{NewBlockSender(rate), NewBlockReceiver(most)}
}

// Read takes in a part, which may be anything, and gives it to the end that it
// is for. It reports whether it was one that can be true.
func (b BlockChannel) Read(part []byte) bool {
	if len(part) > 0 && part[0]&1 != 0 {
		return b.Sender.Read(part)
	}
	return b.Receiver.Read(part)
}

// Write appends at most one part to dst: an ack that is owed, or else the next
// slice. It may be called until it appends nothing.
func (b BlockChannel) Write(dst []byte, now, rtt time.Duration) []byte {
	n := len(dst)
	if dst = b.Receiver.Write(dst, now); len(dst) > n {
		return dst
	}
	return b.Sender.Write(dst, now, rtt)
}

// CopyFrom makes b an equal of o.
func (b BlockChannel) CopyFrom(o BlockChannel) {
	b.Sender.CopyFrom(o.Sender)
	b.Receiver.CopyFrom(o.Receiver)
}
