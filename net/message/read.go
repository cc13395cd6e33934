package message

import (
	"errors"

	"ghostcube/net/quant"
)

var errCollected = errors.New("message: more is said to be collected than was sent")

// list is a row of byte strings in one piece of memory, at most PerPacket of
// one kind.
type list struct {
	bytes []byte
	ends  [2 * PerPacket]int
	n     int
	taken int
}

func (l *list) clear() { l.bytes, l.n, l.taken = l.bytes[:0], 0, 0 }

// close ends a string at the end of what was appended.
func (l *list) close() { l.ends[l.n], l.n = len(l.bytes), l.n+1 }

func (l *list) at(i int) []byte {
	start := 0
	if i > 0 {
		start = l.ends[i-1]
	}
	return l.bytes[start:l.ends[i]:l.ends[i]]
}

func (l *list) copyFrom(o *list) {
	bytes := append(l.bytes[:0], o.bytes...)
	*l = *o
	l.bytes = bytes
}

// Read takes in the channel's part of a packet, which may be anything. It
// reports whether it was one. If not, r has failed and nothing of it is used.
// What Receive and ReceiveUnreliable gave before is no longer valid, and
// unreliable messages that were not collected are dropped.
func (c *Channel) Read(r *quant.Coder) bool {
	c.stage.clear()
	c.arrived.clear()
	theirs := c.theirs
	if r.Bool(false) {
		theirs = c.readCollected(r)
	}
	n, loose := 0, 0
	if r.Bool(false) {
		n = c.readReliable(r)
	}
	if r.Bool(false) {
		loose = r.Int(0, 1, PerPacket)
		for i := 0; i < loose && r.Err() == nil; i++ {
			c.readBytes(r)
		}
	}
	if r.Err() != nil {
		c.Stats.Malformed++
		return false
	}
	for ; c.oldest < theirs; c.oldest++ { // none of these will be asked for again
		c.confirm(c.oldest)
	}
	c.theirs = theirs
	c.advance()
	for i := range n {
		c.keep(c.offsets[i], c.stage.at(i))
	}
	for i := range loose {
		c.arrived.bytes = append(c.arrived.bytes, c.stage.at(n+i)...)
		c.arrived.close()
	}
	c.Stats.UnreliableReceived += uint64(loose)
	return true
}

// readCollected reads how far the other side has collected. It can only have
// collected what was sent.
func (c *Channel) readCollected(r *quant.Coder) uint64 {
	low := uint16(r.Bits(0, idBits))
	step := int16(low - uint16(c.theirs&0xffff))
	if step <= 0 {
		return c.theirs // an old packet
	}
	theirs := c.theirs + uint64(step)
	if theirs > c.next {
		r.Fail(errCollected)
		return c.theirs
	}
	for id := max(c.oldest, c.theirs); id < theirs; id++ {
		if !c.queue[id%uint64(len(c.queue))].sent {
			r.Fail(errCollected)
			return c.theirs
		}
	}
	return theirs
}

// readReliable reads messages and how far their ids are from the next one that
// is wanted.
func (c *Channel) readReliable(r *quant.Coder) int {
	n := r.Int(0, 1, PerPacket)
	low := uint16(r.Bits(0, idBits))
	offset := int(int16(low - uint16(c.taken&0xffff)))
	for i := 0; i < n && r.Err() == nil; i++ {
		if i > 0 {
			if r.Bool(false) {
				offset++
			} else {
				offset += r.Int(0, 2, Window-1)
			}
		}
		c.offsets[i] = offset
		c.readBytes(r)
	}
	return n
}

// readBytes reads a message onto the stage. What it appends before it finds
// the datagram at its end is at most one message.
func (c *Channel) readBytes(r *quant.Coder) {
	n := r.Int(0, 0, c.config.MaxBytes)
	b := c.stage.bytes
	for ; n >= 4 && r.Err() == nil; n -= 4 {
		x := r.Bits(0, 32)
		b = append(b, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	for ; n > 0 && r.Err() == nil; n-- {
		b = append(b, byte(r.Bits(0, 8)))
	}
	c.stage.bytes = b
	c.stage.close()
}

// keep takes in a reliable message by how far its id is from the next one
// wanted.
func (c *Channel) keep(offset int, b []byte) {
	if offset < 0 {
		c.Stats.Repeated++
		return
	}
	if offset >= Window {
		c.Stats.Beyond++
		return
	}
	s := &c.slots[(c.taken+uint64(offset))%Window]
	if s.here {
		c.Stats.Repeated++
		return
	}
	s.bytes, s.here = append(s.bytes[:0], b...), true
	c.Stats.Received++
}

// Receive returns the next reliable message, in the order of sending, if it has
// come. It is valid until the next Read.
func (c *Channel) Receive() (b []byte, ok bool) {
	s := &c.slots[c.taken%Window]
	if !s.here {
		return nil, false
	}
	s.here = false
	c.taken++
	return s.bytes, true
}

// ReceiveUnreliable returns the next unreliable message of the last Read. It is
// valid until the next Read.
func (c *Channel) ReceiveUnreliable() (b []byte, ok bool) {
	if c.arrived.taken == c.arrived.n {
		return nil, false
	}
	c.arrived.taken++
	return c.arrived.at(c.arrived.taken - 1), true
}

// CopyFrom makes c an equal of o.
func (c *Channel) CopyFrom(o *Channel) {
	queue, slots := c.queue, c.slots
	loose, arrived, stage := c.loose, c.arrived, c.stage
	*c = *o
	if len(queue) != len(o.queue) {
		queue = make([]outgoing, len(o.queue))
	}
	for i := range o.queue {
		bytes := append(queue[i].bytes[:0], o.queue[i].bytes...)
		queue[i] = o.queue[i]
		queue[i].bytes = bytes
	}
	for i := range slots {
		slots[i].bytes = append(slots[i].bytes[:0], o.slots[i].bytes...)
		slots[i].here = o.slots[i].here
	}
	c.queue, c.slots = queue, slots
	loose.copyFrom(&o.loose)
	arrived.copyFrom(&o.arrived)
	stage.copyFrom(&o.stage)
	c.loose, c.arrived, c.stage = loose, arrived, stage
}
