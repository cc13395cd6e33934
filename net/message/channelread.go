package message

import (
	"errors"

	"ghostcube/net/quant"
)

var errReceivedUnsent = errors.New("message: more is said to be collected than was sent")

// messageList is a row of byte strings in one piece of memory, at most PerPacket of
// one kind.
type messageList struct {
	bytes     []byte
	ends      [2 * MaxPerPacket]int
	count     int
	readCount int
}

func (l *messageList) clear() { l.bytes, l.count, l.readCount = l.bytes[:0], 0, 0 }

// endMessage ends a string at the end of what was appended.
func (l *messageList) endMessage() { l.ends[l.count], l.count = len(l.bytes), l.count+1 }

func (l *messageList) at(i int) []byte {
	start := 0
	if i > 0 {
		start = l.ends[i-1]
	}
	return l.bytes[start:l.ends[i]:l.ends[i]]
}

func (l *messageList) copyFrom(o *messageList) {
	bytes := append(l.bytes[:0], o.bytes...)
	*l = *o
	l.bytes = bytes
}

// Read takes in the channel's part of a packet, which may be anything. It
// reports whether it was one. If not, r has failed and nothing of it is used.
// What Receive and ReceiveUnreliable gave before is no longer valid, and
// unreliable messages that were not collected are dropped.
func (c *Channel) Read(r *quant.Coder) bool {
	c.staged.clear()
	c.receivedUnreliable.clear()
	theirs := c.peerReceiveID
	if r.Bool(false) {
		theirs = c.readPeerReceiveID(r)
	}
	n, loose := 0, 0
	if r.Bool(false) {
		n = c.readReliable(r)
	}
	if r.Bool(false) {
		loose = r.Int(0, 1, MaxPerPacket)
		for i := 0; i < loose && r.Err() == nil; i++ {
			c.readBytes(r)
		}
	}
	if r.Err() != nil {
		c.Stats.Malformed++
		return false
	}
	for ; c.oldestUnackedID < theirs; c.oldestUnackedID++ { // none of these will be asked for again
		c.markAcked(c.oldestUnackedID)
	}
	c.peerReceiveID = theirs
	c.advanceOldest()
	for i := range n {
		c.storeReliable(c.stagedOffsets[i], c.staged.at(i))
	}
	for i := range loose {
		c.receivedUnreliable.bytes = append(c.receivedUnreliable.bytes, c.staged.at(n+i)...)
		c.receivedUnreliable.endMessage()
	}
	c.Stats.UnreliableReceived += uint64(loose)
	return true
}

// readPeerReceiveID reads how far the other side has collected. It can only have
// collected what was sent.
func (c *Channel) readPeerReceiveID(r *quant.Coder) uint64 {
	low := uint16(r.Bits(0, idBits))
	step := int16(low - uint16(c.peerReceiveID&0xffff))
	if step <= 0 {
		return c.peerReceiveID // an old packet
	}
	theirs := c.peerReceiveID + uint64(step)
	if theirs > c.nextSendID {
		r.Fail(errReceivedUnsent)
		return c.peerReceiveID
	}
	for id := max(c.oldestUnackedID, c.peerReceiveID); id < theirs; id++ {
		if !c.sendQueue[id%uint64(len(c.sendQueue))].sent {
			r.Fail(errReceivedUnsent)
			return c.peerReceiveID
		}
	}
	return theirs
}

// readReliable reads messages and how far their ids are from the next one that
// is wanted.
func (c *Channel) readReliable(r *quant.Coder) int {
	n := r.Int(0, 1, MaxPerPacket)
	low := uint16(r.Bits(0, idBits))
	offset := int(int16(low - uint16(c.nextReceiveID&0xffff)))
	for i := 0; i < n && r.Err() == nil; i++ {
		if i > 0 {
			if r.Bool(false) {
				offset++
			} else {
				offset += r.Int(0, 2, Window-1)
			}
		}
		c.stagedOffsets[i] = offset
		c.readBytes(r)
	}
	return n
}

// readBytes reads a message onto the stage. What it appends before it finds
// the datagram at its end is at most one message.
func (c *Channel) readBytes(r *quant.Coder) {
	n := r.Int(0, 0, c.config.MaxBytes)
	b := c.staged.bytes
	for ; n >= 4 && r.Err() == nil; n -= 4 {
		x := r.Bits(0, 32)
		b = append(b, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	for ; n > 0 && r.Err() == nil; n-- {
		b = append(b, byte(r.Bits(0, 8)))
	}
	c.staged.bytes = b
	c.staged.endMessage()
}

// storeReliable takes in a reliable message by how far its id is from the next one
// wanted.
func (c *Channel) storeReliable(offset int, b []byte) {
	if offset < 0 {
		c.Stats.Duplicates++
		return
	}
	if offset >= Window {
		c.Stats.OutOfWindow++
		return
	}
	s := &c.receiveQueue[(c.nextReceiveID+uint64(offset))%Window]
	if s.present {
		c.Stats.Duplicates++
		return
	}
	s.bytes, s.present = append(s.bytes[:0], b...), true
	c.Stats.Received++
}

// Receive returns the next reliable message, in the order of sending, if it has
// come. It is valid until the next Read.
func (c *Channel) Receive() (b []byte, ok bool) {
	s := &c.receiveQueue[c.nextReceiveID%Window]
	if !s.present {
		return nil, false
	}
	s.present = false
	c.nextReceiveID++
	return s.bytes, true
}

// ReceiveUnreliable returns the next unreliable message of the last Read. It is
// valid until the next Read.
func (c *Channel) ReceiveUnreliable() (b []byte, ok bool) {
	if c.receivedUnreliable.readCount == c.receivedUnreliable.count {
		return nil, false
	}
	c.receivedUnreliable.readCount++
	return c.receivedUnreliable.at(c.receivedUnreliable.readCount - 1), true
}

// CopyFrom makes c an equal of o.
func (c *Channel) CopyFrom(o *Channel) {
	queue, slots := c.sendQueue, c.receiveQueue
	loose, arrived, stage := c.unreliable, c.receivedUnreliable, c.staged
	*c = *o
	if len(queue) != len(o.sendQueue) {
		queue = make([]outgoing, len(o.sendQueue))
	}
	for i := range o.sendQueue {
		bytes := append(queue[i].bytes[:0], o.sendQueue[i].bytes...)
		queue[i] = o.sendQueue[i]
		queue[i].bytes = bytes
	}
	for i := range slots {
		slots[i].bytes = append(slots[i].bytes[:0], o.receiveQueue[i].bytes...)
		slots[i].present = o.receiveQueue[i].present
	}
	c.sendQueue, c.receiveQueue = queue, slots
	loose.copyFrom(&o.unreliable)
	arrived.copyFrom(&o.receivedUnreliable)
	stage.copyFrom(&o.staged)
	c.unreliable, c.receivedUnreliable, c.staged = loose, arrived, stage
}
