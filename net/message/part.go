package message

import "ghostcube/net/quant"

// sliceHead is what stands before the bytes of a slice.
type sliceHead struct {
	chunk uint16
	slice int  // in [0, count-1]
	count int  // slices of the chunk, in [1, MaxSlices]
	final bool // this is the last chunk of its block
	size  int  // bytes; on the wire for the last slice only
}

// code moves the head through c, behind the bit that tells slices from acks.
func (h *sliceHead) code(c *quant.Coder) {
	h.chunk = uint16(c.Bits(uint32(h.chunk), 16))
	h.slice = c.Int(h.slice, 0, MaxSlices-1)
	h.count = c.Int(h.count, 1, MaxSlices)
	h.final = c.Bool(h.final)
	if h.slice != h.count-1 {
		h.size = SliceBytes
		return
	}
	h.size = c.Int(h.size, 1, SliceBytes)
}

// get reads the head of a slice and returns what follows it. It reports whether
// part is a whole slice: nothing is missing, nothing is too much, and every
// chunk but the last is full.
func (h *sliceHead) get(c *quant.Coder, part []byte) (data []byte, ok bool) {
	c.Read(part)
	if c.Bool(false) {
		return nil, false
	}
	h.code(c)
	data = Rest(c, part)
	if c.Err() != nil || h.slice >= h.count || len(data) != h.size {
		return nil, false
	}
	if !h.final && (h.count != MaxSlices || h.size != SliceBytes) {
		return nil, false
	}
	return data, true
}

// ackHead says which slices of a chunk have arrived. It is a whole part.
type ackHead struct {
	chunk uint16
	count int // slices of the chunk, in [1, MaxSlices]
	got   bitmap
}

// code moves the ack through c, behind the bit that tells slices from acks.
func (h *ackHead) code(c *quant.Coder) {
	h.chunk = uint16(c.Bits(uint32(h.chunk), 16))
	h.count = c.Int(h.count, 1, MaxSlices)
	for i := 0; i < h.count && c.Err() == nil; i++ {
		if c.Bool(h.got.has(i)) {
			h.got.set(i)
		}
	}
}

// get reads an ack. It reports whether part is a whole one.
func (h *ackHead) get(c *quant.Coder, part []byte) bool {
	c.Read(part)
	if !c.Bool(false) {
		return false
	}
	h.code(c)
	return len(Rest(c, part)) == 0 && c.Err() == nil
}
