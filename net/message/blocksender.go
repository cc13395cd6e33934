package message

import (
	"math/bits"
	"time"

	"ghostcube/net/quant"
)

// SliceBytes is the size of every slice but the last of a block.
const SliceBytes = 1024

// MaxSlicesPerChunk is how many slices a chunk has at most.
const MaxSlicesPerChunk = 256

// ChunkBytes is the size of every chunk but the last of a block.
const ChunkBytes = SliceBytes * MaxSlicesPerChunk

// MaxBlockBytes is the size of the largest block, in bytes.
const MaxBlockBytes = 4 << 20

// MaxSlicePacketBytes is the size of the longest part of a block, in bytes.
const MaxSlicePacketBytes = maxSliceHeaderBytes + SliceBytes

// maxSliceHeaderBytes is the longest head of a slice, in bytes.
const maxSliceHeaderBytes = 6

// maxIdleCredit is how much of its rate a sender that was idle may make up for.
const maxIdleCredit = 100 * time.Millisecond

// bitmap has a bit for each slice of a chunk.
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

// SenderStats are running totals of one BlockSender.
type SenderStats struct {
	Blocks    uint64 // known to have arrived
	Slices    uint64 // sent, each time counted
	Resent    uint64 // of those, not for the first time
	Acks      uint64 // that were for the chunk under way
	Stale     uint64 // acks for another chunk
	Malformed uint64 // parts that were no ack, or one that cannot be true
}

// BlockSender sends large blocks, one at a time, a chunk of it at a time, in
// slices that are sent again one by one until they are acked.
type BlockSender struct {
	Stats SenderStats

	rate     int // bytes per second
	credit   int64
	creditAt time.Duration // when credit was right

	block      []byte
	chunkStart int    // where in block the chunk under way begins
	chunkID    uint64 // its id
	sliceCount int    // of its slices; 0: nothing is under way
	lastChunk  bool   // it is the last of its block
	sent       bitmap
	acked      bitmap
	lastSent   [MaxSlicesPerChunk]time.Duration // when each slice was last sent
	nextSlice  int                              // where to look for the next slice to send

	headerBuf [8]byte
	coder     quant.Coder
}

// NewBlockSender returns a sender that writes at most rate bytes of parts per
// second, in [1,1e9]. Fiedler's figure is 32,000, that is 256 kbit/s.
func NewBlockSender(rate int) *BlockSender {
	s := &BlockSender{}
	s.SetRate(rate)
	return s
}

// SetRate changes the rate.
func (s *BlockSender) SetRate(rate int) {
	if rate < 1 || rate > 1e9 {
		panic("message: a rate out of its range")
	}
	s.rate = rate
}

// Busy reports whether a block is under way.
func (s *BlockSender) Busy() bool { return s.sliceCount > 0 }

// Send begins to send a block of at most MaxBlock bytes, which is copied. While
// one is under way it returns ErrBusy.
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

// beginChunk begins the chunk at s.from.
func (s *BlockSender) beginChunk() {
	n := min(len(s.block)-s.chunkStart, ChunkBytes)
	s.sliceCount = (n + SliceBytes - 1) / SliceBytes
	s.lastChunk = s.chunkStart+n == len(s.block)
	s.sent, s.acked, s.nextSlice = bitmap{}, bitmap{}, 0
}

// SliceCount returns how many slices the chunk under way has; 0 if there is none.
func (s *BlockSender) SliceCount() (slices int) { return s.sliceCount }

// SliceState tells of one slice of the chunk under way whether it was sent and
// whether it is known to have arrived.
func (s *BlockSender) SliceState(i int) (sent, acked bool) { return s.sent.has(i), s.acked.has(i) }

// Write appends the next slice that is due to dst, if there is one and the rate
// allows it. It may be called until it appends nothing. rtt is the endpoint's
// estimate; a slice is sent again after a quarter more than that, and not before
// 100 ms.
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

// addCredit adds what the time since the last call allows to be sent. The credit is
// in bytes times nanoseconds, so that nothing is rounded.
func (s *BlockSender) addCredit(now time.Duration) {
	elapsed := min(max(now-s.creditAt, 0), maxIdleCredit)
	s.creditAt = now
	most := max(int64(MaxSlicePacketBytes)*int64(time.Second), int64(s.rate)*int64(maxIdleCredit))
	s.credit = min(s.credit+int64(elapsed)*int64(s.rate), most)
}

// nextDue finds the next slice to send, going round.
func (s *BlockSender) nextDue(now, after time.Duration) (int, bool) {
	for k := range s.sliceCount {
		i := (s.nextSlice + k) % s.sliceCount
		if !s.acked.has(i) && (!s.sent.has(i) || now-s.lastSent[i] >= after) {
			return i, true
		}
	}
	return 0, false
}

// sliceData returns the bytes of a slice of the chunk under way.
func (s *BlockSender) sliceData(i int) []byte {
	from := s.chunkStart + i*SliceBytes
	return s.block[from:min(from+SliceBytes, len(s.block))]
}

// Read takes in an ack, which may be anything. It reports whether it was one
// that can be true.
func (s *BlockSender) Read(part []byte) bool {
	var h ackHeader
	if !h.decode(&s.coder, part) {
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
	for i := range s.acked { // an older ack takes nothing back
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

// CopyFrom makes s an equal of o.
func (s *BlockSender) CopyFrom(o *BlockSender) {
	block := append(s.block[:0], o.block...)
	*s = *o
	s.block, s.coder = block, quant.Coder{}
}
