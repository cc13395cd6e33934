package message

import (
	"math/bits"
	"time"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
)

// Window is how many messages may be under way at once: a message that is this
// far behind the first missing one is not accepted.
const Window = 256

// MaxPerPacket is how many messages of each kind one packet carries at most. It is
// also what makes 16 bits enough for an id: packets later than 1,024 others are
// dropped below, so a message comes at most 32 * 1,024 ids late, and only one
// more than 65,536-Window late would be taken for a new one.
const MaxPerPacket = 32

// MaxBytes is the most that Config.MaxBytes may ask for.
const MaxBytes = 1024

// MinBits is the least room that Write may be given. It is enough to say what
// was collected, and for no message.
const MinBits = flagBits + idBits

// packetHistory is how many packets back the messages of a packet are known.
const packetHistory = 1024

// Sizes of what a part is made of, in bits. See docs/messages.md.
const (
	flagBits        = 3 // collected, reliable, unreliable: is there any
	idBits          = 16
	countBits       = 5 // PerPacket-1 in binary
	consecutiveBits = 1 // the id is the one after that of the message before
	idDeltaBits     = 8 // how far it is from it otherwise
)

// Config are the bounds of a channel. Both sides need the same MaxBytes.
type Config struct {
	MaxBytes int // of one message, in [1,1024]; 0: 64
	QueueLen int // reliable messages that may wait to be known as arrived, in [1,65536]; 0: 1024
	Budget   int // bytes that reliable messages may take of one packet, at least enough for the longest; 0: 128, or that
}

// Stats are running totals of one Channel.
type Stats struct {
	Sent        uint64 // reliable messages written into packets, each time counted
	Resent      uint64 // of those, not for the first time
	Acked       uint64 // reliable messages known to have arrived
	Received    uint64 // reliable messages that came and were new
	Duplicates  uint64 // had come before
	OutOfWindow uint64 // came from beyond the window
	Malformed   uint64 // parts that were none; nothing of them is used

	UnreliableSent     uint64
	UnreliableDropped  uint64 // found no room in their packet
	UnreliableReceived uint64
}

// outgoing is a reliable message until it is known to have arrived.
type outgoing struct {
	bytes       []byte
	sentAt      time.Duration // when it was last sent
	sent, acked bool
}

// sentPacket is what one packet carries.
type sentPacket struct {
	sequence  packet.Sequence
	receiveID uint64 // as it was then
	firstID   uint64 // id of its first message
	count     int
	idOffsets [MaxPerPacket]uint8 // how far each id is from the first
}

// incoming is a reliable message that waits for its turn.
type incoming struct {
	bytes   []byte
	present bool
}

// Channel is one side of a stream of messages each way. In every packet that
// the endpoint sends, Write its part and tell the packet's number to Sent; Read
// the part of every packet that arrives, for the endpoint has acked it; and
// hand on the endpoint's acks.
type Channel struct {
	Stats Stats

	config Config

	sendQueue       []outgoing // by id mod its length
	nextSendID      uint64     // id of the next message
	oldestUnackedID uint64     // ids below this are known to have arrived
	peerReceiveID   uint64     // ids below this are known to be collected
	sentPackets     [packetHistory]sentPacket
	lastWritten     sentPacket  // by the last Write, until Sent names it
	unreliable      messageList // unreliable messages for the next Write

	receiveQueue       [Window]incoming  // by id mod Window
	nextReceiveID      uint64            // ids below this were collected here
	ackedReceiveID     uint64            // of that, what the other side is known to know
	receivedUnreliable messageList       // unreliable messages of the last Read
	staged             messageList       // of the part that is being read
	stagedOffsets      [MaxPerPacket]int // of the staged ids from taken
}

// NewChannel returns a channel whose first message has id 0.
func NewChannel(config Config) *Channel {
	if config.MaxBytes == 0 {
		config.MaxBytes = 64
	}
	if config.QueueLen == 0 {
		config.QueueLen = 1024
	}
	if config.MaxBytes < 1 || config.MaxBytes > MaxBytes || config.QueueLen < 1 || config.QueueLen > 1<<16 {
		panic("message: Config out of its range")
	}
	c := &Channel{config: config}
	least := (c.longestMessageBits() + 7) / 8
	if config.Budget == 0 {
		c.config.Budget = max(128, least)
	} else if config.Budget < least {
		panic("message: Config.Budget is less than the longest message needs")
	}
	c.sendQueue = make([]outgoing, config.QueueLen)
	return c
}

// lengthBits is the size of a message's length.
func (c *Channel) lengthBits() int { return bits.Len(uint(c.config.MaxBytes)) }

// longestMessageBits is what one message of any length needs of a part that has nothing
// else but its flags.
func (c *Channel) longestMessageBits() int {
	return countBits + idBits + c.lengthBits() + 8*c.config.MaxBytes
}

// BitsForLongest is a room for Write, in bits, in which the oldest message finds a
// place whatever its length. A Write with less may pass it over, and one that
// is always given less may pass it over forever.
func (c *Channel) BitsForLongest() int { return MinBits + c.longestMessageBits() }

// UnackedCount is how many reliable messages are not known to have arrived.
func (c *Channel) UnackedCount() int { return int(c.nextSendID - c.oldestUnackedID) }

// Send queues a message that arrives in order and once. The bytes are copied.
// With Config.Queue messages waiting it returns ErrFull.
func (c *Channel) Send(b []byte) error {
	if len(b) > c.config.MaxBytes {
		return ErrTooLong
	}
	if c.UnackedCount() == len(c.sendQueue) {
		return ErrQueueFull
	}
	m := &c.sendQueue[c.nextSendID%uint64(len(c.sendQueue))]
	*m = outgoing{bytes: append(m.bytes[:0], b...)}
	c.nextSendID++
	return nil
}

// SendUnreliable offers a message to the next Write. It arrives at most once,
// and not at all if that packet is lost or has no room for it. The bytes are
// copied. With PerPacket messages offered it returns ErrFull.
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

// Write writes the channel's part of a packet, at most room bits of it: first
// the reliable messages that are due, oldest first, as far as Config.Budget
// goes, then the unreliable ones. rtt is the endpoint's estimate. A room below
// LeastBits panics.
func (c *Channel) Write(w *quant.Coder, now, rtt time.Duration, room int) {
	if room < MinBits {
		panic("message: Write with less room than LeastBits")
	}
	room -= flagBits
	f := &c.lastWritten
	*f = sentPacket{receiveID: c.nextReceiveID}
	if w.Bool(c.nextReceiveID != c.ackedReceiveID) {
		w.Bits(uint32(c.nextReceiveID&0xffff), idBits)
		room -= idBits
	}
	used := c.selectMessages(f, now, resendDelay(rtt), min(room, 8*c.config.Budget))
	c.writeReliable(w, f)
	c.writeUnreliable(w, room-used)
}

// selectMessages picks the messages that are due and fit, and notes them in f. It
// returns the bits that they take.
func (c *Channel) selectMessages(f *sentPacket, now, after time.Duration, room int) (used int) {
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

// writeBytes writes a message, in words of 32 bits as far as they go.
func (c *Channel) writeBytes(w *quant.Coder, b []byte) {
	w.Int(len(b), 0, c.config.MaxBytes)
	for ; len(b) >= 4; b = b[4:] {
		w.Bits(uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24, 32)
	}
	for _, x := range b {
		w.Bits(uint32(x), 8)
	}
}

// PacketSent says which packet the last Write went into. Call it for every packet
// that the endpoint sends.
func (c *Channel) PacketSent(s packet.Sequence) {
	f := &c.sentPackets[s%packetHistory]
	*f = c.lastWritten
	f.sequence = s
	c.lastWritten.count = 0
}

// Acknowledge says which packets have arrived at the other side. Those that it does
// not remember, or was told of before, change nothing.
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

// markAcked notes that a message has arrived.
func (c *Channel) markAcked(id uint64) {
	if id < c.oldestUnackedID {
		return
	}
	if m := &c.sendQueue[id%uint64(len(c.sendQueue))]; !m.acked {
		m.acked = true
		c.Stats.Acked++
	}
}

// advanceOldest forgets messages that have arrived, as far as none before them is
// missing.
func (c *Channel) advanceOldest() {
	for c.oldestUnackedID < c.nextSendID && c.sendQueue[c.oldestUnackedID%uint64(len(c.sendQueue))].acked {
		c.oldestUnackedID++
	}
}
