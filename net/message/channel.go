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

// PerPacket is how many messages of each kind one packet carries at most. It is
// also what makes 16 bits enough for an id: packets later than 1,024 others are
// dropped below, so a message comes at most 32 * 1,024 ids late, and only one
// more than 65,536-Window late would be taken for a new one.
const PerPacket = 32

// MaxBytes is the most that Config.MaxBytes may ask for.
const MaxBytes = 1024

// LeastBits is the least room that Write may be given. It is enough to say what
// was collected, and for no message.
const LeastBits = flagBits + idBits

// remembered is how many packets back the messages of a packet are known.
const remembered = 1024

// Sizes of what a part is made of, in bits. See docs/messages.md.
const (
	flagBits  = 3 // collected, reliable, unreliable: is there any
	idBits    = 16
	countBits = 5 // PerPacket-1 in binary
	nextBits  = 1 // the id is the one after that of the message before
	stepBits  = 8 // how far it is from it otherwise
)

// Config are the bounds of a channel. Both sides need the same MaxBytes.
type Config struct {
	MaxBytes int // of one message, in [1,1024]; 0: 64
	Queue    int // reliable messages that may wait to be known as arrived, in [1,65536]; 0: 1024
	Budget   int // bytes that reliable messages may take of one packet, at least enough for the longest; 0: 128, or that
}

// Stats are running totals of one Channel.
type Stats struct {
	Sent      uint64 // reliable messages written into packets, each time counted
	Resent    uint64 // of those, not for the first time
	Acked     uint64 // reliable messages known to have arrived
	Received  uint64 // reliable messages that came and were new
	Repeated  uint64 // had come before
	Beyond    uint64 // came from beyond the window
	Malformed uint64 // parts that were none; nothing of them is used

	UnreliableSent     uint64
	UnreliableDropped  uint64 // found no room in their packet
	UnreliableReceived uint64
}

// outgoing is a reliable message until it is known to have arrived.
type outgoing struct {
	bytes       []byte
	at          time.Duration // when it was last sent
	sent, acked bool
}

// flight is what one packet carries.
type flight struct {
	sequence packet.Sequence
	taken    uint64 // as it was then
	first    uint64 // id of its first message
	n        int
	after    [PerPacket]uint8 // how far each id is from the first
}

// incoming is a reliable message that waits for its turn.
type incoming struct {
	bytes []byte
	here  bool
}

// Channel is one side of a stream of messages each way. In every packet that
// the endpoint sends, Write its part and tell the packet's number to Sent; Read
// the part of every packet that arrives, for the endpoint has acked it; and
// hand on the endpoint's acks.
type Channel struct {
	Stats Stats

	config Config

	queue   []outgoing // by id mod its length
	next    uint64     // id of the next message
	oldest  uint64     // ids below this are known to have arrived
	theirs  uint64     // ids below this are known to be collected
	flights [remembered]flight
	written flight // by the last Write, until Sent names it
	loose   list   // unreliable messages for the next Write

	slots   [Window]incoming // by id mod Window
	taken   uint64           // ids below this were collected here
	told    uint64           // of that, what the other side is known to know
	arrived list             // unreliable messages of the last Read
	stage   list             // of the part that is being read
	offsets [PerPacket]int   // of the staged ids from taken
}

// NewChannel returns a channel whose first message has id 0.
func NewChannel(config Config) *Channel {
	if config.MaxBytes == 0 {
		config.MaxBytes = 64
	}
	if config.Queue == 0 {
		config.Queue = 1024
	}
	if config.MaxBytes < 1 || config.MaxBytes > MaxBytes || config.Queue < 1 || config.Queue > 1<<16 {
		panic("message: Config out of its range")
	}
	c := &Channel{config: config}
	least := (c.leastRoom() + 7) / 8
	if config.Budget == 0 {
		c.config.Budget = max(128, least)
	} else if config.Budget < least {
		panic("message: Config.Budget is less than the longest message needs")
	}
	c.queue = make([]outgoing, config.Queue)
	return c
}

// lengthBits is the size of a message's length.
func (c *Channel) lengthBits() int { return bits.Len(uint(c.config.MaxBytes)) }

// leastRoom is what one message of any length needs of a part that has nothing
// else but its flags.
func (c *Channel) leastRoom() int {
	return countBits + idBits + c.lengthBits() + 8*c.config.MaxBytes
}

// RoomBits is a room for Write, in bits, in which the oldest message finds a
// place whatever its length. A Write with less may pass it over, and one that
// is always given less may pass it over forever.
func (c *Channel) RoomBits() int { return LeastBits + c.leastRoom() }

// Waiting is how many reliable messages are not known to have arrived.
func (c *Channel) Waiting() int { return int(c.next - c.oldest) }

// Send queues a message that arrives in order and once. The bytes are copied.
// With Config.Queue messages waiting it returns ErrFull.
func (c *Channel) Send(b []byte) error {
	if len(b) > c.config.MaxBytes {
		return ErrLong
	}
	if c.Waiting() == len(c.queue) {
		return ErrFull
	}
	m := &c.queue[c.next%uint64(len(c.queue))]
	*m = outgoing{bytes: append(m.bytes[:0], b...)}
	c.next++
	return nil
}

// SendUnreliable offers a message to the next Write. It arrives at most once,
// and not at all if that packet is lost or has no room for it. The bytes are
// copied. With PerPacket messages offered it returns ErrFull.
func (c *Channel) SendUnreliable(b []byte) error {
	if len(b) > c.config.MaxBytes {
		return ErrLong
	}
	if c.loose.n == PerPacket {
		return ErrFull
	}
	c.loose.bytes = append(c.loose.bytes, b...)
	c.loose.close()
	return nil
}

// Write writes the channel's part of a packet, at most room bits of it: first
// the reliable messages that are due, oldest first, as far as Config.Budget
// goes, then the unreliable ones. rtt is the endpoint's estimate. A room below
// LeastBits panics.
func (c *Channel) Write(w *quant.Coder, now, rtt time.Duration, room int) {
	if room < LeastBits {
		panic("message: Write with less room than LeastBits")
	}
	room -= flagBits
	f := &c.written
	*f = flight{taken: c.taken}
	if w.Bool(c.taken != c.told) {
		w.Bits(uint32(c.taken&0xffff), idBits)
		room -= idBits
	}
	used := c.choose(f, now, resendAfter(rtt), min(room, 8*c.config.Budget))
	c.writeReliable(w, f)
	c.writeLoose(w, room-used)
}

// choose picks the messages that are due and fit, and notes them in f. It
// returns the bits that they take.
func (c *Channel) choose(f *flight, now, after time.Duration, room int) (used int) {
	last, end := uint64(0), min(c.next, c.theirs+Window)
	for id := c.oldest; id < end && f.n < PerPacket; id++ {
		m := &c.queue[id%uint64(len(c.queue))]
		if m.acked || m.sent && now-m.at < after {
			continue
		}
		cost := c.lengthBits() + 8*len(m.bytes)
		switch {
		case f.n == 0:
			cost += countBits + idBits
		case id == last+1:
			cost += nextBits
		default:
			cost += nextBits + stepBits
		}
		if used+cost > room {
			continue
		}
		if f.n == 0 {
			f.first = id
		}
		f.after[f.n] = uint8(id - f.first)
		f.n++
		used += cost
		last = id
		c.Stats.Sent++
		if m.sent {
			c.Stats.Resent++
		}
		m.sent, m.at = true, now
	}
	return used
}

func (c *Channel) writeReliable(w *quant.Coder, f *flight) {
	if !w.Bool(f.n > 0) {
		return
	}
	w.Int(f.n, 1, PerPacket)
	w.Bits(uint32(f.first&0xffff), idBits)
	for i := range f.n {
		if i > 0 {
			if step := int(f.after[i] - f.after[i-1]); !w.Bool(step == 1) {
				w.Int(step, 2, Window-1)
			}
		}
		c.writeBytes(w, c.queue[(f.first+uint64(f.after[i]))%uint64(len(c.queue))].bytes)
	}
}

func (c *Channel) writeLoose(w *quant.Coder, room int) {
	n := 0
	room -= countBits
	for ; n < c.loose.n; n++ {
		room -= c.lengthBits() + 8*len(c.loose.at(n))
		if room < 0 {
			break
		}
	}
	c.Stats.UnreliableSent += uint64(n)
	c.Stats.UnreliableDropped += uint64(c.loose.n - n)
	if w.Bool(n > 0) {
		w.Int(n, 1, PerPacket)
		for i := range n {
			c.writeBytes(w, c.loose.at(i))
		}
	}
	c.loose.clear()
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

// Sent says which packet the last Write went into. Call it for every packet
// that the endpoint sends.
func (c *Channel) Sent(s packet.Sequence) {
	f := &c.flights[s%remembered]
	*f = c.written
	f.sequence = s
	c.written.n = 0
}

// Acked says which packets have arrived at the other side. Those that it does
// not remember, or was told of before, change nothing.
func (c *Channel) Acked(acks []packet.Sequence) {
	for _, s := range acks {
		f := &c.flights[s%remembered]
		if f.sequence != s {
			continue
		}
		c.told = max(c.told, f.taken)
		for i := range f.n {
			c.confirm(f.first + uint64(f.after[i]))
		}
		f.n = 0
	}
	c.advance()
}

// confirm notes that a message has arrived.
func (c *Channel) confirm(id uint64) {
	if id < c.oldest {
		return
	}
	if m := &c.queue[id%uint64(len(c.queue))]; !m.acked {
		m.acked = true
		c.Stats.Acked++
	}
}

// advance forgets messages that have arrived, as far as none before them is
// missing.
func (c *Channel) advance() {
	for c.oldest < c.next && c.queue[c.oldest%uint64(len(c.queue))].acked {
		c.oldest++
	}
}
