package message

import (
	"time"

	"ghostcube/net/quant"
)

// ackEvery is how often a receiver acks at most. An ack for every slice would
// double the packets, and pay an attacker. Fiedler says 50 or 100 ms; the longer
// one outlasts resendAfter where the round trip is short, and slices would be
// sent again that have arrived.
const ackEvery = 50 * time.Millisecond

// ReceiverStats are running totals of one BlockReceiver.
type ReceiverStats struct {
	Blocks    uint64 // that were whole
	Slices    uint64 // that were new
	Repeated  uint64 // had come before
	Stale     uint64 // of a chunk that was whole
	Early     uint64 // of a chunk whose turn has not come; nothing is kept of it
	TooLarge  uint64 // of a block larger than this side takes; likewise
	Malformed uint64 // were none, or contradict what came before; likewise
	Acks      uint64 // sent
}

// BlockReceiver puts blocks together. It keeps what arrives in pieces of one
// slice, so a datagram never costs more memory than one of them, and keeps at
// most one block.
type BlockReceiver struct {
	Stats ReceiverStats

	most  int    // bytes of the largest block it takes
	chunk uint64 // id of the chunk that it wants
	count int    // of its slices; 0 before the first came
	final bool
	got   bitmap
	pages [][]byte // slices of the block, those of the wanted chunk last
	spare [][]byte // memory of slices, for the next ones
	whole bool     // the block is complete and waits for Take

	owed  bool    // an ack
	ack   ackHead // the last one
	acked time.Duration
	ever  bool // an ack was sent, at acked

	out   [(1 + 16 + 8 + MaxSlices + 63) / 64 * 8]byte
	coder quant.Coder
}

// NewBlockReceiver returns a receiver that takes blocks of at most most bytes,
// in [1,MaxBlock].
func NewBlockReceiver(most int) *BlockReceiver {
	if most < 1 || most > MaxBlock {
		panic("message: a largest block out of its range")
	}
	return &BlockReceiver{most: most, pages: make([][]byte, 0, (most+ChunkBytes-1)/ChunkBytes*MaxSlices)}
}

// Read takes in a slice, which may be anything. It reports whether it was one
// that can be true.
func (r *BlockReceiver) Read(part []byte) bool {
	var h sliceHead
	data, ok := h.get(&r.coder, part)
	if !ok {
		r.Stats.Malformed++
		return false
	}
	switch step := int16(h.chunk - uint16(r.chunk&0xffff)); {
	case step < 0:
		r.stale(&h, step)
		return true
	case step > 0 || r.whole:
		r.Stats.Early++
		return true
	}
	if r.count > 0 && (h.count != r.count || h.final != r.final) {
		r.Stats.Malformed++
		return false
	}
	before := len(r.pages) - r.count
	least := SliceBytes*(before+h.count-1) + 1 // of the block
	if h.slice == h.count-1 {
		least += h.size - 1
	}
	if least > r.most {
		r.Stats.TooLarge++
		return false
	}
	if r.count == 0 {
		r.begin(&h)
	}
	r.owe(&h)
	if r.got.has(h.slice) {
		r.Stats.Repeated++
		return true
	}
	r.Stats.Slices++
	r.got.set(h.slice)
	r.pages[before+h.slice] = r.page(data)
	r.ack.got = r.got
	if r.got.count() == r.count {
		r.finish()
	}
	return true
}

// begin begins a chunk with the first slice of it that comes.
func (r *BlockReceiver) begin(h *sliceHead) {
	r.count, r.final, r.got = h.count, h.final, bitmap{}
	r.pages = r.pages[:len(r.pages)+h.count]
}

// page copies a slice into memory of its own.
func (r *BlockReceiver) page(data []byte) []byte {
	if n := len(r.spare); n > 0 {
		p := r.spare[n-1]
		r.spare = r.spare[:n-1]
		return append(p[:0], data...)
	}
	return append(make([]byte, 0, SliceBytes), data...)
}

// finish ends a chunk all of whose slices have come.
func (r *BlockReceiver) finish() {
	r.chunk++
	r.count = 0
	if r.final {
		r.whole = true
		r.Stats.Blocks++
	}
}

// owe notes that the wanted chunk is to be acked.
func (r *BlockReceiver) owe(h *sliceHead) {
	r.owed = true
	r.ack = ackHead{chunk: h.chunk, count: h.count, got: r.got}
}

// stale answers for a chunk that was whole: its sender does not know it yet, or
// the slice comes late. Where acks are owed for several chunks, the newest wins.
func (r *BlockReceiver) stale(h *sliceHead, step int16) {
	r.Stats.Stale++
	if r.owed && int16(r.ack.chunk-uint16(r.chunk&0xffff)) > step {
		return
	}
	r.owed = true
	r.ack = ackHead{chunk: h.chunk, count: h.count}
	for i := range h.count {
		r.ack.got.set(i)
	}
}

// Write appends an ack to dst, if one is owed and the last one was long enough
// ago. It says all that has come of the chunk, so that losing it costs nothing.
func (r *BlockReceiver) Write(dst []byte, now time.Duration) []byte {
	if !r.owed || r.ever && now-r.acked < ackEvery {
		return dst
	}
	r.owed, r.ever, r.acked = false, true, now
	r.Stats.Acks++
	r.coder.Write(r.out[:])
	r.coder.Bool(true)
	r.ack.code(&r.coder)
	return append(dst, r.coder.Data()...)
}

// Take appends the block to dst if all of it has come, and makes room for the
// next. Until then slices of the next are not accepted.
func (r *BlockReceiver) Take(dst []byte) (block []byte, ok bool) {
	if !r.whole {
		return dst, false
	}
	for i, p := range r.pages {
		dst = append(dst, p...)
		r.spare = append(r.spare, p)
		r.pages[i] = nil
	}
	r.pages, r.whole = r.pages[:0], false
	return dst, true
}

// Chunk returns how many slices the chunk has of which some have come; 0 if
// there is none.
func (r *BlockReceiver) Chunk() (slices int) { return r.count }

// Slice tells whether a slice of that chunk has come.
func (r *BlockReceiver) Slice(i int) bool { return r.got.has(i) }

// CopyFrom makes r an equal of o.
func (r *BlockReceiver) CopyFrom(o *BlockReceiver) {
	pages, spare := r.pages, r.spare
	for i, p := range pages {
		if p != nil {
			spare = append(spare, p)
		}
		pages[i] = nil
	}
	*r = *o
	r.spare, r.coder = spare, quant.Coder{}
	if cap(pages) < cap(o.pages) {
		pages = make([][]byte, 0, cap(o.pages))
	}
	r.pages = pages[:len(o.pages)]
	for i, p := range o.pages {
		if p != nil {
			r.pages[i] = r.page(p)
		}
	}
}

// Blocks is both ends of one side: it sends blocks and receives them.
type Blocks struct {
	Out *BlockSender
	In  *BlockReceiver
}

// NewBlocks returns one side. Its bounds are those of NewBlockSender and
// NewBlockReceiver.
func NewBlocks(rate, most int) Blocks {
	return Blocks{NewBlockSender(rate), NewBlockReceiver(most)}
}

// Read takes in a part, which may be anything, and gives it to the end that it
// is for. It reports whether it was one that can be true.
func (b Blocks) Read(part []byte) bool {
	if len(part) > 0 && part[0]&1 != 0 {
		return b.Out.Read(part)
	}
	return b.In.Read(part)
}

// Write appends at most one part to dst: an ack that is owed, or else the next
// slice. It may be called until it appends nothing.
func (b Blocks) Write(dst []byte, now, rtt time.Duration) []byte {
	n := len(dst)
	if dst = b.In.Write(dst, now); len(dst) > n {
		return dst
	}
	return b.Out.Write(dst, now, rtt)
}

// CopyFrom makes b an equal of o.
func (b Blocks) CopyFrom(o Blocks) {
	b.Out.CopyFrom(o.Out)
	b.In.CopyFrom(o.In)
}
