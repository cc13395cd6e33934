package message

import (
	"math/bits"
	"time"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
)

// Window is the largest number of messages in flight. A message this far beyond the
// first missing one is not accepted.
const Window = 256

// MaxPerPacket is the largest number of messages of each kind in a packet. It is also
// the reason why 16 bits are enough for an id: packet drops packets later than 1,024
// others, so a message is at most 32 * 1,024 ids late, and only one that is more than
// 65,536-Window late would be mistaken for a new one.
const MaxPerPacket = 32

// MaxBytes is the largest value of Config.MaxBytes.
const MaxBytes = 1024

// MinBits is the smallest room for Write. It suffices for the receive id, without
// messages.
const MinBits = flagBits + idBits

// packetHistory is the number of packets whose messages are remembered.
const packetHistory = 1024

// Sizes of the fields, in bits. See docs/reference/wire.md.
const (
	flagBits        = 3 // receive id, reliable, unreliable: present or not
	idBits          = 16
	countBits       = 5 // message count less 1
	consecutiveBits = 1 // the id is one more than the previous
	idDeltaBits     = 8 // otherwise its distance from the previous
)

// Config has the limits of a channel. Both sides need the same MaxBytes.
type Config struct {
	MaxBytes int // of a message, in [1,1024]; 0: 64
	QueueLen int // reliable messages that the other side has not consumed, in [1,65536]; 0: 1024
	Budget   int // bytes of reliable messages per packet, enough for the longest; 0: 128 or that, if larger
}

// Stats are totals of a Channel.
type Stats struct {
	Sent        uint64 // reliable messages written into packets, including repetitions
	Resent      uint64 // repetitions
	Acked       uint64 // reliable messages received by the other side
	Received    uint64 // new reliable messages
	Duplicates  uint64 // received before
	OutOfWindow uint64 // beyond the window
	Malformed   uint64 // invalid sections; discarded

	UnreliableSent     uint64
	UnreliableDropped  uint64 // no room in their packet
	UnreliableReceived uint64
}

// outgoing is a reliable message to be acknowledged.
type outgoing struct {
	bytes       []byte
	sentAt      time.Duration // last time
	sent, acked bool
}

// sentPacket records what a packet contained.
type sentPacket struct {
	sequence  packet.Sequence
	receiveID uint64 // receive id in it; 0: none
	firstID   uint64 // id of its first message
	count     int
	idOffsets [MaxPerPacket]uint8 // distance of each id from the first
}

// incoming is a reliable message that waits for earlier ones or for Receive.
type incoming struct {
	bytes   []byte
	present bool
}

// Channel is one side of a stream of messages in each direction. Write a section into
// every packet that the endpoint sends and report the packet's sequence number with
// PacketSent. Read the section of every packet that arrives, because the endpoint has
// acknowledged it. Pass the endpoint's acks to Acknowledge.
type Channel struct {
	Stats Stats

	config Config

	sendQueue       []outgoing // by id modulo its length
	nextSendID      uint64     // id of the next message
	oldestUnackedID uint64     // all earlier ones are acknowledged
	peerReceiveID   uint64     // all earlier ones have been consumed by the other side; at most oldestUnackedID
	doubted         bool       // the acknowledgement of a message was taken back, and it is not consumed
	doubtedID       uint64     // of that message
	sentPackets     [packetHistory]sentPacket
	lastWritten     sentPacket  // by the last Write, until PacketSent
	unreliable      messageList // for the next Write

	receiveQueue       [Window]incoming  // by id modulo Window
	nextReceiveID      uint64            // next message for Receive
	ackedReceiveID     uint64            // value of nextReceiveID that the other side is believed to have
	receivedUnreliable messageList       // of the last Read
	staged             messageList       // messages of the section being read
	stagedOffsets      [MaxPerPacket]int // their ids minus nextReceiveID
}

// NewChannel returns a channel whose first message has id 0. It panics if config is out
// of range.
func NewChannel(config Config) *Channel {
	if config.MaxBytes == 0 {
		config.MaxBytes = 64
	}
	if config.QueueLen == 0 {
		config.QueueLen = 1024
	}
	if config.MaxBytes < 1 || config.MaxBytes > MaxBytes || config.QueueLen < 1 || config.QueueLen > 1<<16 {
		panic("message: NewChannel with a Config out of range")
	}
	c := &Channel{config: config}
	minBudget := (c.longestMessageBits() + 7) / 8
	if config.Budget == 0 {
		c.config.Budget = max(128, minBudget)
	} else if config.Budget < minBudget {
		panic("message: NewChannel with a Config.Budget below the longest message")
	}
	c.sendQueue = make([]outgoing, config.QueueLen)
	return c
}

// lengthBits returns the size of a length field.
func (c *Channel) lengthBits() int { return bits.Len(uint(c.config.MaxBytes)) }

// longestMessageBits returns the size of a section with one message of any length,
// without its flags.
func (c *Channel) longestMessageBits() int {
	return countBits + idBits + c.lengthBits() + 8*c.config.MaxBytes
}

// BitsForLongest returns the room for Write in which the oldest message always fits.
// With less room a Write may skip it, and a caller that always offers less may starve
// it.
func (c *Channel) BitsForLongest() int { return MinBits + c.longestMessageBits() }

// UnackedCount returns the number of reliable messages not known to have arrived.
func (c *Channel) UnackedCount() int { return int(c.nextSendID - c.oldestUnackedID) }

// Send queues a message that arrives once and in order. It copies the bytes, and
// returns ErrQueueFull if the other side has not consumed Config.QueueLen messages.
func (c *Channel) Send(b []byte) error {
	if len(b) > c.config.MaxBytes {
		return ErrTooLong
	}
	if int(c.nextSendID-c.peerReceiveID) == len(c.sendQueue) {
		return ErrQueueFull
	}
	m := &c.sendQueue[c.nextSendID%uint64(len(c.sendQueue))]
	*m = outgoing{bytes: append(m.bytes[:0], b...)}
	c.nextSendID++
	return nil
}

// SendUnreliable offers a message to the next Write. It arrives at most once, and not
// at all if that packet is lost or has no room. It copies the bytes, and returns
// ErrQueueFull after MaxPerPacket messages.
func (c *Channel) SendUnreliable(b []byte) error {
	if len(b) > c.config.MaxBytes {
		return ErrTooLong
	}
	if c.unreliable.count == MaxPerPacket {
		return ErrQueueFull
	}
	c.unreliable.bytes = append(c.unreliable.bytes, b...)
	c.unreliable.endMessage()
	return nil
}

// Write writes the channel's section of a packet, at most room bits: the reliable
// messages that are due, oldest first, within Config.Budget, then the unreliable ones.
// rtt is the endpoint's estimate. It panics if room is below MinBits.
func (c *Channel) Write(w *quant.Coder, now, rtt time.Duration, room int) {
	if room < MinBits {
		panic("message: Write with less room than MinBits")
	}
	room -= flagBits
	f := &c.lastWritten
	*f = sentPacket{}
	if w.Bool(c.nextReceiveID != c.ackedReceiveID) {
		f.receiveID = c.nextReceiveID
		w.Bits(uint32(c.nextReceiveID&0xffff), idBits)
		room -= idBits
	}
	used := c.selectMessages(f, now, resendDelay(rtt), min(room, 8*c.config.Budget))
	c.writeReliable(w, f)
	c.writeUnreliable(w, room-used)
}

// selectMessages records in f the messages that are due and fit, and returns their size
// in bits.
func (c *Channel) selectMessages(f *sentPacket, now, after time.Duration, room int) (used int) {
	c.checkAcks(now, confirmDelays*after)
	last, end := uint64(0), min(c.nextSendID, c.peerReceiveID+Window)
	for id := c.oldestUnackedID; id < end && f.count < MaxPerPacket; id++ {
		m := &c.sendQueue[id%uint64(len(c.sendQueue))]
		if m.acked || m.sent && now-m.sentAt < after {
			continue
		}
		cost := c.lengthBits() + 8*len(m.bytes)
		switch {
		case f.count == 0:
			cost += countBits + idBits
		case id == last+1:
			cost += consecutiveBits
		default:
			cost += consecutiveBits + idDeltaBits
		}
		if used+cost > room {
			continue
		}
		if f.count == 0 {
			f.firstID = id
		}
		f.idOffsets[f.count] = uint8(id - f.firstID)
		f.count++
		used += cost
		last = id
		c.Stats.Sent++
		if m.sent {
			c.Stats.Resent++
		}
		m.sent, m.sentAt = true, now
	}
	return used
}

// confirmDelays is the number of resend delays after which a message that is acknowledged must be consumed.
const confirmDelays = 4

// checkAcks takes back the acknowledgement of the first message that the other side has not consumed, if it was
// last sent longer ago than a delay. The other side consumes it when it has arrived, and says so: either it
// is busy, or the acknowledgement was forged. If it consumes the repeated message, it was, and those of the
// messages after it are as doubtful.
func (c *Channel) checkAcks(now, delay time.Duration) {
	first := &c.sendQueue[c.peerReceiveID%uint64(len(c.sendQueue))]
	if c.peerReceiveID < c.oldestUnackedID && now-first.sentAt >= delay {
		c.doubted, c.doubtedID = true, c.peerReceiveID
		c.takeBackAcks(c.peerReceiveID + 1)
	}
}

// takeBackAcks makes the messages from the first that the other side has not consumed up to one, exclusive, count as
// not acknowledged.
func (c *Channel) takeBackAcks(end uint64) {
	for id := c.peerReceiveID; id < end; id++ {
		if m := &c.sendQueue[id%uint64(len(c.sendQueue))]; m.acked {
			m.acked = false
			c.Stats.Acked--
		}
	}
	c.oldestUnackedID = c.peerReceiveID
}

func (c *Channel) writeReliable(w *quant.Coder, f *sentPacket) {
	if !w.Bool(f.count > 0) {
		return
	}
	w.Int(f.count, 1, MaxPerPacket)
	w.Bits(uint32(f.firstID&0xffff), idBits)
	for i := range f.count {
		if i > 0 {
			if step := int(f.idOffsets[i] - f.idOffsets[i-1]); !w.Bool(step == 1) {
				w.Int(step, 2, Window-1)
			}
		}
		c.writeBytes(w, c.sendQueue[(f.firstID+uint64(f.idOffsets[i]))%uint64(len(c.sendQueue))].bytes)
	}
}

func (c *Channel) writeUnreliable(w *quant.Coder, room int) {
	n := 0
	room -= countBits
	for ; n < c.unreliable.count; n++ {
		room -= c.lengthBits() + 8*len(c.unreliable.at(n))
		if room < 0 {
			break
		}
	}
	c.Stats.UnreliableSent += uint64(n)
	c.Stats.UnreliableDropped += uint64(c.unreliable.count - n)
	if w.Bool(n > 0) {
		w.Int(n, 1, MaxPerPacket)
		for i := range n {
			c.writeBytes(w, c.unreliable.at(i))
		}
	}
	c.unreliable.clear()
}

// writeBytes writes a message, 32 bits at a time as far as possible.
func (c *Channel) writeBytes(w *quant.Coder, b []byte) {
	w.Int(len(b), 0, c.config.MaxBytes)
	for ; len(b) >= 4; b = b[4:] {
		w.Bits(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24, 32)
	}
	for _, x := range b {
		w.Bits(uint32(x), 8)
	}
}

// PacketSent records the sequence number of the packet with the last section written.
// Call it for every packet that the endpoint sends.
func (c *Channel) PacketSent(s packet.Sequence) {
	f := &c.sentPackets[s%packetHistory]
	*f = c.lastWritten
	f.sequence = s
	c.lastWritten.count = 0
}

// Acknowledge processes packets that have arrived at the other side. Forgotten packets
// and those acknowledged before change nothing.
func (c *Channel) Acknowledge(acks []packet.Sequence) {
	for _, s := range acks {
		f := &c.sentPackets[s%packetHistory]
		if f.sequence != s {
			continue
		}
		c.ackedReceiveID = max(c.ackedReceiveID, f.receiveID)
		for i := range f.count {
			c.markAcked(f.firstID + uint64(f.idOffsets[i]))
		}
		f.count = 0
	}
	c.advanceOldest()
}

// markAcked marks a message as received by the other side.
func (c *Channel) markAcked(id uint64) {
	if id < c.oldestUnackedID {
		return
	}
	if m := &c.sendQueue[id%uint64(len(c.sendQueue))]; !m.acked {
		m.acked = true
		c.Stats.Acked++
	}
}

// advanceOldest drops acknowledged messages from the front of the queue.
func (c *Channel) advanceOldest() {
	for c.oldestUnackedID < c.nextSendID && c.sendQueue[c.oldestUnackedID%uint64(len(c.sendQueue))].acked {
		c.oldestUnackedID++
	}
}
