package message

import "ghostcube/net/quant"

// sliceHeader precedes the bytes of a slice.
type sliceHeader struct {
	chunkID   uint16
	slice     int  // in [0, count-1]
	count     int  // slices of the chunk, in [1, MaxSlicesPerChunk]
	lastChunk bool // last chunk of the block
	size      int  // bytes; on the wire for the last slice only
}

// code reads or writes the header, after the bit that distinguishes slices from acks.
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

// decode reads a slice header and returns the bytes after it. It reports whether the
// slice is valid: of the right length, and full unless in the last chunk.
func (h *sliceHeader) decode(c *quant.Coder, data []byte) (body []byte, ok bool) {
	c.BeginRead(data)
	if c.Bool(false) {
		return nil, false
	}
	h.code(c)
	body = Remaining(c, data)
	if c.Err() != nil || h.slice >= h.count || len(body) != h.size {
		return nil, false
	}
	if !h.lastChunk && (h.count != MaxSlicesPerChunk || h.size != SliceBytes) {
		return nil, false
	}
	return body, true
}

// ackHeader acknowledges slices of a chunk. It has nothing after it.
type ackHeader struct {
	chunkID  uint16
	count    int // slices of the chunk, in [1, MaxSlicesPerChunk]
	received bitmap
}

// code reads or writes the ack, after the bit that distinguishes slices from acks.
func (h *ackHeader) code(c *quant.Coder) {
	h.chunkID = uint16(c.Bits(uint32(h.chunkID), 16))
	h.count = c.Int(h.count, 1, MaxSlicesPerChunk)
	for i := 0; i < h.count && c.Err() == nil; i++ {
		if c.Bool(h.received.has(i)) {
			h.received.set(i)
		}
	}
}

// decode reads an ack and reports whether it is valid.
func (h *ackHeader) decode(c *quant.Coder, data []byte) bool {
	c.BeginRead(data)
	if !c.Bool(false) {
		return false
	}
	h.code(c)
	return len(Remaining(c, data)) == 0 && c.Err() == nil
}
