package message

import (
	"errors"

	"ghostcube/net/quant"
)

var errReceivedUnsent = errors.New("message: receive id beyond the newest sent message")

// messageList is a list of messages in one buffer, at most MaxPerPacket of each kind.
type messageList struct {
	bytes     []byte
	ends      [2 * MaxPerPacket]int
	count     int
	readCount int
}

func (l *messageList) clear() { l.bytes, l.count, l.readCount = l.bytes[:0], 0, 0 }

// endMessage ends a message after the bytes appended.
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

// Read reads the channel's section of a packet, which may contain anything, and reports
// whether it was valid. If not, r fails and the channel stays unchanged. Read
// invalidates the results of Receive and ReceiveUnreliable and drops unreliable
// messages that were not consumed.
func (c *Channel) Read(r *quant.Coder) bool {
	c.staged.clear()
	c.receivedUnreliable.clear()
	peerReceiveID := c.peerReceiveID
	if r.Bool(false) {
		peerReceiveID = c.readPeerReceiveID(r)
	}
	n, unreliable := 0, 0
	if r.Bool(false) {
		n = c.readReliable(r)
	}
	if r.Bool(false) {
		unreliable = r.Int(0, 1, MaxPerPacket)
		for i := 0; i < unreliable && r.Err() == nil; i++ {
			c.readBytes(r)
		}
	}
	if r.Err() != nil {
		c.Stats.Malformed++
		return false
	}
	for ; c.oldestUnackedID < peerReceiveID; c.oldestUnackedID++ { // consumed, so received
		c.markAcked(c.oldestUnackedID)
	}
	c.peerReceiveID = peerReceiveID
	if c.doubted && peerReceiveID > c.doubtedID {
		c.doubted = false
		c.takeBackAcks(c.nextSendID)
	}
	c.advanceOldest()
	for i := range n {
		c.storeReliable(c.stagedOffsets[i], c.staged.at(i))
	}
	for i := range unreliable {
		c.receivedUnreliable.bytes = append(c.receivedUnreliable.bytes, c.staged.at(n+i)...)
		c.receivedUnreliable.endMessage()
	}
	c.Stats.UnreliableReceived += uint64(unreliable)
	return true
}

// ReadFields reads a section of a channel with that config, for packet inspection: r reports
// its fields (quant.Coder.OnField). What only the channel's state can refute is accepted.
func ReadFields(r *quant.Coder, config Config) {
	c := NewChannel(config)
	r.Label("receive_id")
	if r.Bool(false) {
		r.Bits(0, idBits)
	}
	r.Label("reliable")
	if r.Bool(false) {
		c.readReliable(r)
	}
	r.Label("unreliable")
	if r.Bool(false) {
		for range r.Int(0, 1, MaxPerPacket) {
			if c.readBytes(r); r.Err() != nil {
				return
			}
		}
	}
}

// readPeerReceiveID reads the receive id of the other side, which can only have
// consumed what was sent.
func (c *Channel) readPeerReceiveID(r *quant.Coder) uint64 {
	low := uint16(r.Bits(0, idBits))
	step := int16(low - uint16(c.peerReceiveID&0xffff))
	if step <= 0 {
		return c.peerReceiveID // an old packet
	}
	peerReceiveID := c.peerReceiveID + uint64(step)
	if peerReceiveID > c.nextSendID {
		r.Fail(errReceivedUnsent)
		return c.peerReceiveID
	}
	for id := max(c.oldestUnackedID, c.peerReceiveID); id < peerReceiveID; id++ {
		if !c.sendQueue[id%uint64(len(c.sendQueue))].sent {
			r.Fail(errReceivedUnsent)
			return c.peerReceiveID
		}
	}
	return peerReceiveID
}

// readReliable reads messages and the distances of their ids from nextReceiveID.
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

// readBytes appends a message to staged. If the data ends early it has appended at most
// one message.
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

// storeReliable stores a reliable message by the distance of its id from nextReceiveID.
func (c *Channel) storeReliable(offset int, b []byte) {
	if offset < 0 {
		c.Stats.Duplicates++
		c.ackedReceiveID = c.nextReceiveID - 1 // the other side may not know that it was consumed
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

// Receive returns the next reliable message, in order, if it has arrived. It is valid
// until the next Read.
func (c *Channel) Receive() (b []byte, ok bool) {
	s := &c.receiveQueue[c.nextReceiveID%Window]
	if !s.present {
		return nil, false
	}
	s.present = false
	c.nextReceiveID++
	return s.bytes, true
}

// ReceiveUnreliable returns the next unreliable message of the last Read. It is valid
// until the next Read.
func (c *Channel) ReceiveUnreliable() (b []byte, ok bool) {
	if c.receivedUnreliable.readCount == c.receivedUnreliable.count {
		return nil, false
	}
	c.receivedUnreliable.readCount++
	return c.receivedUnreliable.at(c.receivedUnreliable.readCount - 1), true
}

// CopyFrom sets c to a copy of o that shares no memory.
func (c *Channel) CopyFrom(o *Channel) {
	queue, slots := c.sendQueue, c.receiveQueue
	unreliable, receivedUnreliable, staged := c.unreliable, c.receivedUnreliable, c.staged
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
	unreliable.copyFrom(&o.unreliable)
	receivedUnreliable.copyFrom(&o.receivedUnreliable)
	staged.copyFrom(&o.staged)
	c.unreliable, c.receivedUnreliable, c.staged = unreliable, receivedUnreliable, staged
}
