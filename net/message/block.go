package message

import (
	"math/bits"
	"time"

	"ghostcube/net/quant"
)

// SliceBytes is the size of every slice but the last of a block.
const SliceBytes = 1024

// MaxSlices is how many slices a chunk has at most.
const MaxSlices = 256

// ChunkBytes is the size of every chunk but the last of a block.
const ChunkBytes = SliceBytes * MaxSlices

// MaxBlock is the size of the largest block, in bytes.
const MaxBlock = 4 << 20

// MaxPart is the size of the longest part of a block, in bytes.
const MaxPart = partHeader + SliceBytes

// partHeader is the longest head of a slice, in bytes.
const partHeader = 6

// burst is how much of its rate a sender that was idle may make up for.
const burst = 100 * time.Millisecond

// bitmap has a bit for each slice of a chunk.
type bitmap [MaxSlices / 64]uint64

func (b *bitmap) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b *bitmap) set(i int)      { b[i/64] |= 1 << (i % 64) }

func (b *bitmap) count() (n int) {
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// within reports whether every bit of b is set in o.
func (b *bitmap) within(o *bitmap) bool {
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

	rate   int // bytes per second
	credit int64
	at     time.Duration // when credit was right

	block []byte
	from  int    // where in block the chunk under way begins
	chunk uint64 // its id
	count int    // of its slices; 0: nothing is under way
	final bool   // it is the last of its block
	sent  bitmap
	acked bitmap
	last  [MaxSlices]time.Duration // when each slice was last sent
	next  int                      // where to look for the next slice to send

	head  [8]byte
	coder quant.Coder
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
func (s *BlockSender) Busy() bool { return s.count > 0 }

// Send begins to send a block of at most MaxBlock bytes, which is copied. While
// one is under way it returns ErrBusy.
func (s *BlockSender) Send(block []byte) error {
	switch {
	case s.Busy():
		return ErrBusy
	case len(block) == 0:
		return ErrEmpty
	case len(block) > MaxBlock:
		return ErrLarge
	}
	s.block = append(s.block[:0], block...)
	s.from = 0
	s.begin()
	return nil
}

// begin begins the chunk at s.from.
func (s *BlockSender) begin() {
	n := min(len(s.block)-s.from, ChunkBytes)
	s.count = (n + SliceBytes - 1) / SliceBytes
	s.final = s.from+n == len(s.block)
	s.sent, s.acked, s.next = bitmap{}, bitmap{}, 0
}

// Chunk returns how many slices the chunk under way has; 0 if there is none.
func (s *BlockSender) Chunk() (slices int) { return s.count }

// Slice tells of one slice of the chunk under way whether it was sent and
// whether it is known to have arrived.
func (s *BlockSender) Slice(i int) (sent, acked bool) { return s.sent.has(i), s.acked.has(i) }

// Write appends the next slice that is due to dst, if there is one and the rate
// allows it. It may be called until it appends nothing. rtt is the endpoint's
// estimate; a slice is sent again after a quarter more than that, and not before
// 100 ms.
func (s *BlockSender) Write(dst []byte, now, rtt time.Duration) []byte {
	s.earn(now)
	if !s.Busy() {
		return dst
	}
	i, ok := s.due(now, resendAfter(rtt))
	if !ok {
		return dst
	}
	data := s.slice(i)
	cost := int64(partHeader+len(data)) * int64(time.Second)
	if s.credit < cost {
		return dst
	}
	s.credit -= cost
	s.Stats.Slices++
	if s.sent.has(i) {
		s.Stats.Resent++
	}
	s.sent.set(i)
	s.last[i], s.next = now, i+1
	h := sliceHead{chunk: uint16(s.chunk & 0xffff), slice: i, count: s.count, final: s.final, size: len(data)}
	s.coder.Write(s.head[:])
	s.coder.Bool(false)
	h.code(&s.coder)
	return append(append(dst, s.coder.Data()...), data...)
}

// earn adds what the time since the last call allows to be sent. The credit is
// in bytes times nanoseconds, so that nothing is rounded.
func (s *BlockSender) earn(now time.Duration) {
	elapsed := min(max(now-s.at, 0), burst)
	s.at = now
	most := max(int64(MaxPart)*int64(time.Second), int64(s.rate)*int64(burst))
	s.credit = min(s.credit+int64(elapsed)*int64(s.rate), most)
}

// due finds the next slice to send, going round.
func (s *BlockSender) due(now, after time.Duration) (int, bool) {
	for k := range s.count {
		i := (s.next + k) % s.count
		if !s.acked.has(i) && (!s.sent.has(i) || now-s.last[i] >= after) {
			return i, true
		}
	}
	return 0, false
}

// slice returns the bytes of a slice of the chunk under way.
func (s *BlockSender) slice(i int) []byte {
	from := s.from + i*SliceBytes
	return s.block[from:min(from+SliceBytes, len(s.block))]
}

// Read takes in an ack, which may be anything. It reports whether it was one
// that can be true.
func (s *BlockSender) Read(part []byte) bool {
	var h ackHead
	if !h.get(&s.coder, part) {
		s.Stats.Malformed++
		return false
	}
	if !s.Busy() || h.chunk != uint16(s.chunk&0xffff) {
		s.Stats.Stale++
		return true
	}
	if h.count != s.count || !h.got.within(&s.sent) {
		s.Stats.Malformed++
		return false
	}
	s.Stats.Acks++
	for i := range s.acked { // an older ack takes nothing back
		s.acked[i] |= h.got[i]
	}
	if s.acked.count() < s.count {
		return true
	}
	s.chunk++
	if s.final {
		s.count = 0
		s.Stats.Blocks++
		return true
	}
	s.from += ChunkBytes
	s.begin()
	return true
}

// CopyFrom makes s an equal of o.
func (s *BlockSender) CopyFrom(o *BlockSender) {
	block := append(s.block[:0], o.block...)
	*s = *o
	s.block, s.coder = block, quant.Coder{}
}
