package message

import "ghostcube/net/quant"

// sliceHeader is what stands before the bytes of a slice.
type sliceHeader struct {
	chunkID   uint16
	slice     int  // in [0, count-1]
	count     int  // slices of the chunk, in [1, MaxSlices]
	lastChunk bool // this is the last chunk of its block
	size      int  // bytes; on the wire for the last slice only
}

// code moves the head through c, behind the bit that tells slices from acks.
func (h *sliceHeader) code(c *quant.Coder) {
	h.chunkID = uint16(c.Bits(uint32(h.chunkID), 16))
	h.slice = c.Int(h.slice, 0, MaxSlicesPerChunk-1)
	h.count = c.Int(h.count, 1, MaxSlicesPerChunk)
	h.lastChunk = c.Bool(h.lastChunk)
	if h.slice != h.count-1 {
		h.size = SliceBytes
		return
	}
	h.size = c.Int(h.size, 1, SliceBytes)
}

// decode reads the head of a slice and returns what follows it. It reports whether
// part is a whole slice: nothing is missing, nothing is too much, and every
// chunk but the last is full.
func (h *sliceHeader) decode(c *quant.Coder, part []byte) (data []byte, ok bool) {
	c.BeginRead(part)
	if c.Bool(false) {
		return nil, false
	}
	h.code(c)
	data = Remaining(c, part)
	if c.Err() != nil || h.slice >= h.count || len(data) != h.size {
		return nil, false
	}
	if !h.lastChunk && (h.count != MaxSlicesPerChunk || h.size != SliceBytes) {
		return nil, false
	}
	return data, true
}

// ackHeader says which slices of a chunk have arrived. It is a whole part.
type ackHeader struct {
	chunkID  uint16
	count    int // slices of the chunk, in [1, MaxSlices]
	received bitmap
}

// code moves the ack through c, behind the bit that tells slices from acks.
func (h *ackHeader) code(c *quant.Coder) {
	h.chunkID = uint16(c.Bits(uint32(h.chunkID), 16))
	h.count = c.Int(h.count, 1, MaxSlicesPerChunk)
	for i := 0; i < h.count && c.Err() == nil; i++ {
		if c.Bool(h.received.has(i)) {
			h.received.set(i)
		}
	}
}

// decode reads an ack. It reports whether part is a whole one.
func (h *ackHeader) decode(c *quant.Coder, part []byte) bool {
	c.BeginRead(part)
	if !c.Bool(false) {
		return false
	}
	h.code(c)
	return len(Remaining(c, part)) == 0 && c.Err() == nil
}
