package message

import (
	"time"

	"ghostcube/net/quant"
)

// ackInterval is the shortest time between two acks. An ack for every slice would
// double the packets and amplify an attack. Fiedler says 50 or 100 ms; with a short
// round trip 100 ms would exceed the resend delay, and slices that have arrived would
// be sent again.
const ackInterval = 50 * time.Millisecond

// ReceiverStats are totals of a BlockReceiver.
type ReceiverStats struct {
	Blocks     uint64 // received completely
	Slices     uint64 // new ones
	Duplicates uint64 // received before
	Stale      uint64 // of a completed chunk
	Early      uint64 // of a later chunk; discarded
	TooLarge   uint64 // of a block above the size limit; discarded
	Malformed  uint64 // invalid, or contradicting earlier ones; discarded
	Acks       uint64 // sent
}

// BlockReceiver reassembles blocks. It stores slices as they arrive, so a datagram
// costs at most the memory of one slice, and it stores at most one block.
type BlockReceiver struct {
	Stats ReceiverStats

	maxBytes   int    // size limit of a block
	chunkID    uint64 // chunk being received
	sliceCount int    // of that chunk; 0 before its first slice
	lastChunk  bool
	received   bitmap
	slices     [][]byte // of the block, those of the current chunk last
	freeSlices [][]byte // memory for slices
	complete   bool     // waiting for Receive

	ackPending  bool      // an ack is due
	ack         ackHeader // last or next ack
	ackedAt     time.Duration
	ackedBefore bool // an ack was sent, at ackedAt

	buffer [(1 + 16 + 8 + MaxSlicesPerChunk + 63) / 64 * 8]byte
	coder  quant.Coder
}

// NewBlockReceiver returns a receiver for blocks of at most maxBytes, in
// [1,MaxBlockBytes].
func NewBlockReceiver(maxBytes int) *BlockReceiver {
	if maxBytes < 1 || maxBytes > MaxBlockBytes {
		panic("message: NewBlockReceiver with a limit out of [1,MaxBlockBytes]")
	}
	return &BlockReceiver{maxBytes: maxBytes, slices: make([][]byte, 0, (maxBytes+ChunkBytes-1)/ChunkBytes*MaxSlicesPerChunk)}
}

// Read processes a slice, which may contain anything. It reports whether the slice was
// valid.
func (r *BlockReceiver) Read(data []byte) bool {
	var h sliceHeader
	body, ok := h.decode(&r.coder, data)
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
	minBytes := SliceBytes*(before+h.count-1) + 1 // minimum size of the block
	if h.slice == h.count-1 {
		minBytes += h.size - 1
	}
	if minBytes > r.maxBytes {
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
	r.slices[before+h.slice] = r.copySlice(body)
	r.ack.received = r.received
	if r.received.count() == r.sliceCount {
		r.finishChunk()
	}
	return true
}

// beginChunk begins a chunk with its first slice.
func (r *BlockReceiver) beginChunk(h *sliceHeader) {
	r.sliceCount, r.lastChunk, r.received = h.count, h.lastChunk, bitmap{}
	r.slices = r.slices[:len(r.slices)+h.count]
}

// copySlice copies a slice.
func (r *BlockReceiver) copySlice(data []byte) []byte {
	if n := len(r.freeSlices); n > 0 {
		p := r.freeSlices[n-1]
		r.freeSlices = r.freeSlices[:n-1]
		return append(p[:0], data...)
	}
	return append(make([]byte, 0, SliceBytes), data...)
}

// finishChunk completes a chunk.
func (r *BlockReceiver) finishChunk() {
	r.chunkID++
	r.sliceCount = 0
	if r.lastChunk {
		r.complete = true
		r.Stats.Blocks++
	}
}

// scheduleAck schedules an ack of the current chunk.
func (r *BlockReceiver) scheduleAck(h *sliceHeader) {
	r.ackPending = true
	r.ack = ackHeader{chunkID: h.chunkID, count: h.count, received: r.received}
}

// ackCompletedChunk schedules an ack of a completed chunk, whose sender does not know
// or whose slice is late. If acks of several chunks are due, only the newest is sent.
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

// Write appends an ack to dst if one is due and the last one was long enough ago. It
// covers all slices of the chunk, so losing it costs nothing.
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

// Receive appends the block to dst if it is complete, and makes room for the next one.
// Until then slices of the next block are discarded.
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

// SliceCount returns the number of slices of the chunk being received; 0 if there is
// none.
func (r *BlockReceiver) SliceCount() (slices int) { return r.sliceCount }

// SliceReceived reports whether a slice of that chunk has arrived.
func (r *BlockReceiver) SliceReceived(i int) bool { return r.received.has(i) }

// CopyFrom sets r to a copy of o that shares no memory.
func (r *BlockReceiver) CopyFrom(o *BlockReceiver) {
	slices, free := r.slices, r.freeSlices
	for i, p := range slices {
		if p != nil {
			free = append(free, p)
		}
		slices[i] = nil
	}
	*r = *o
	r.freeSlices, r.coder = free, quant.Coder{}
	if cap(slices) < cap(o.slices) {
		slices = make([][]byte, 0, cap(o.slices))
	}
	r.slices = slices[:len(o.slices)]
	for i, p := range o.slices {
		if p != nil {
			r.slices[i] = r.copySlice(p)
		}
	}
}

// BlockChannel sends and receives blocks for one side of a connection.
type BlockChannel struct {
	Sender   *BlockSender
	Receiver *BlockReceiver
}

// NewBlockChannel returns a channel. The limits are those of NewBlockSender and
// NewBlockReceiver.
func NewBlockChannel(rate, maxBlockBytes int) BlockChannel {
	return BlockChannel{NewBlockSender(rate), NewBlockReceiver(maxBlockBytes)}
}

// Read processes a slice or an ack, which may contain anything, and reports whether it
// was valid.
func (b BlockChannel) Read(data []byte) bool {
	if len(data) > 0 && data[0]&1 != 0 {
		return b.Sender.Read(data)
	}
	return b.Receiver.Read(data)
}

// Write appends an ack or a slice to dst, at most one, an ack first. It may be called
// until it appends nothing.
func (b BlockChannel) Write(dst []byte, now, rtt time.Duration) []byte {
	n := len(dst)
	if dst = b.Receiver.Write(dst, now); len(dst) > n {
		return dst
	}
	return b.Sender.Write(dst, now, rtt)
}

// CopyFrom sets b to a copy of o that shares no memory.
func (b BlockChannel) CopyFrom(o BlockChannel) {
	b.Sender.CopyFrom(o.Sender)
	b.Receiver.CopyFrom(o.Receiver)
}
