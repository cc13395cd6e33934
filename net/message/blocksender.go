package message

import (
	"math/bits"
	"time"

	"ghostcube/net/quant"
)

// SliceBytes is the size of every slice but the last of a block.
const SliceBytes = 1024

// MaxSlicesPerChunk is the largest number of slices of a chunk.
const MaxSlicesPerChunk = 256

// ChunkBytes is the size of every chunk but the last of a block.
const ChunkBytes = SliceBytes * MaxSlicesPerChunk

// MaxBlockBytes is the size of the largest block, in bytes.
const MaxBlockBytes = 4 << 20

// MaxSlicePacketBytes is the size of the largest slice with its header, in bytes.
const MaxSlicePacketBytes = maxSliceHeaderBytes + SliceBytes

// maxSliceHeaderBytes is the size of the largest slice header, in bytes.
const maxSliceHeaderBytes = 6

// maxIdleCredit limits the unused rate that an idle sender may use later.
const maxIdleCredit = 100 * time.Millisecond

// bitmap has one bit per slice of a chunk.
type bitmap [MaxSlicesPerChunk / 64]uint64

func (b *bitmap) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b *bitmap) set(i int)      { b[i/64] |= 1 << (i % 64) }

func (b *bitmap) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// subsetOf reports whether every bit of b is set in o.
func (b *bitmap) subsetOf(o *bitmap) bool {
	for i := range b {
		if b[i]&^o[i] != 0 {
			return false
		}
	}
	return true
}

// SenderStats are totals of a BlockSender.
type SenderStats struct {
	Blocks    uint64 // received completely by the other side
	Slices    uint64 // sent, including repetitions
	Resent    uint64 // repetitions
	Acks      uint64 // of the current chunk
	Stale     uint64 // of another chunk
	Malformed uint64 // invalid acks
}

// BlockSender sends large blocks, one at a time, in chunks that follow each other, in
// slices that are repeated until they are acked.
type BlockSender struct {
	Stats SenderStats

	rate     int // bytes per second
	credit   int64
	creditAt time.Duration // when credit was updated

	block      []byte
	chunkStart int // offset of the current chunk in block
	chunkID    uint64
	sliceCount int  // of the current chunk; 0: idle
	lastChunk  bool // last chunk of the block
	sent       bitmap
	acked      bitmap
	lastSent   [MaxSlicesPerChunk]time.Duration // last time each slice was sent
	nextSlice  int                              // where the search for the next slice begins

	headerBuf [8]byte
	coder     quant.Coder
}

// NewBlockSender returns a sender with a rate in bytes per second, in [1,1e9], headers
// of slices included. Fiedler's figure is 32,000, which is 256 kbit/s.
func NewBlockSender(rate int) *BlockSender {
	s := &BlockSender{}
	s.SetRate(rate)
	return s
}

// SetRate changes the rate.
func (s *BlockSender) SetRate(rate int) {
	if rate < 1 || rate > 1e9 {
		panic("message: SetRate with a rate out of [1,1e9]")
	}
	s.rate = rate
}

// Busy reports whether a block is being sent.
func (s *BlockSender) Busy() bool { return s.sliceCount > 0 }

// Send starts sending a block of at most MaxBlockBytes, which it copies. It returns
// ErrBusy while a block is being sent.
func (s *BlockSender) Send(block []byte) error {
	switch {
	case s.Busy():
		return ErrBusy
	case len(block) == 0:
		return ErrEmptyBlock
	case len(block) > MaxBlockBytes:
		return ErrBlockTooLarge
	}
	s.block = append(s.block[:0], block...)
	s.chunkStart = 0
	s.beginChunk()
	return nil
}

// beginChunk begins the chunk at chunkStart.
func (s *BlockSender) beginChunk() {
	n := min(len(s.block)-s.chunkStart, ChunkBytes)
	s.sliceCount = (n + SliceBytes - 1) / SliceBytes
	s.lastChunk = s.chunkStart+n == len(s.block)
	s.sent, s.acked, s.nextSlice = bitmap{}, bitmap{}, 0
}

// SliceCount returns the number of slices of the current chunk; 0 if there is none.
func (s *BlockSender) SliceCount() (slices int) { return s.sliceCount }

// SliceState reports whether a slice of the current chunk was sent and whether it was
// acked.
func (s *BlockSender) SliceState(i int) (sent, acked bool) { return s.sent.has(i), s.acked.has(i) }

// Write appends the next due slice to dst if the rate allows it. It may be called until
// it appends nothing. A slice is repeated after 1.25 times rtt, and not before 100 ms.
func (s *BlockSender) Write(dst []byte, now, rtt time.Duration) []byte {
	s.addCredit(now)
	if !s.Busy() {
		return dst
	}
	i, ok := s.nextDue(now, resendDelay(rtt))
	if !ok {
		return dst
	}
	data := s.sliceData(i)
	cost := int64(maxSliceHeaderBytes+len(data)) * int64(time.Second)
	if s.credit < cost {
		return dst
	}
	s.credit -= cost
	s.Stats.Slices++
	if s.sent.has(i) {
		s.Stats.Resent++
	}
	s.sent.set(i)
	s.lastSent[i], s.nextSlice = now, i+1
	h := sliceHeader{chunkID: uint16(s.chunkID & 0xffff), slice: i, count: s.sliceCount, lastChunk: s.lastChunk, size: len(data)}
	s.coder.BeginWrite(s.headerBuf[:])
	s.coder.Bool(false)
	h.code(&s.coder)
	return append(append(dst, s.coder.FinishWrite()...), data...)
}

// addCredit adds the credit since the last call, in bytes times nanoseconds, without
// rounding.
func (s *BlockSender) addCredit(now time.Duration) {
	elapsed := min(max(now-s.creditAt, 0), maxIdleCredit)
	s.creditAt = now
	limit := max(int64(MaxSlicePacketBytes)*int64(time.Second), int64(s.rate)*int64(maxIdleCredit))
	s.credit = min(s.credit+int64(elapsed)*int64(s.rate), limit)
}

// nextDue returns the next slice to send, in round-robin order.
func (s *BlockSender) nextDue(now, after time.Duration) (int, bool) {
	for k := range s.sliceCount {
		i := (s.nextSlice + k) % s.sliceCount
		if !s.acked.has(i) && (!s.sent.has(i) || now-s.lastSent[i] >= after) {
			return i, true
		}
	}
	return 0, false
}

// sliceData returns the bytes of a slice of the current chunk.
func (s *BlockSender) sliceData(i int) []byte {
	from := s.chunkStart + i*SliceBytes
	return s.block[from:min(from+SliceBytes, len(s.block))]
}

// Read processes an ack, which may contain anything. It reports whether the ack was
// valid.
func (s *BlockSender) Read(data []byte) bool {
	var h ackHeader
	if !h.decode(&s.coder, data) {
		s.Stats.Malformed++
		return false
	}
	if !s.Busy() || h.chunkID != uint16(s.chunkID&0xffff) {
		s.Stats.Stale++
		return true
	}
	if h.count != s.sliceCount || !h.received.subsetOf(&s.sent) {
		s.Stats.Malformed++
		return false
	}
	s.Stats.Acks++
	for i := range s.acked { // an older ack clears nothing
		s.acked[i] |= h.received[i]
	}
	if s.acked.count() < s.sliceCount {
		return true
	}
	s.chunkID++
	if s.lastChunk {
		s.sliceCount = 0
		s.Stats.Blocks++
		return true
	}
	s.chunkStart += ChunkBytes
	s.beginChunk()
	return true
}

// CopyFrom sets s to a copy of o that shares no memory.
func (s *BlockSender) CopyFrom(o *BlockSender) {
	block := append(s.block[:0], o.block...)
	*s = *o
	s.block, s.coder = block, quant.Coder{}
}
