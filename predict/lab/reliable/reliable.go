// Package reliable carries what must arrive beside the packets of a game: messages, once and
// in order, and large blocks. It is the sideband of one end of a connection. The section of
// the messages travels in the packets that a strategy sends anyway. Slices of blocks and their
// acks have packets of their own, so that they do not enlarge those of the game, and a rate
// limits them. The method is that of Fiedler's Reliable Ordered Messages and Sending Large
// Blocks of Data (2016); package message has the details.
//
// It does not know what messages and blocks mean.
package reliable

import (
	"time"

	"ghostcube/net/message"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
)

// BytesPerKbit is the number of bytes per second in a kbit/s.
const BytesPerKbit = 125

// Connection is one end of a connection.
type Connection struct {
	// Unreliable sends messages without repeating them: one that is lost stays lost.
	Unreliable bool

	channel *message.Channel
	blocks  message.BlockChannel

	extra []byte // slice or ack for the next packet
	wrote bool   // the last packet has a section

	wroteInTick bool   // a packet since the last Flush has one
	malformed   uint64 // sidebands that no Connection sends
	bytes       uint64 // in sections, slices and acks sent

	inbox []byte // messages received, one after the other
	ends  []int  // of each
	read  int    // messages consumed
	scratch
}

// scratch is memory that no later packet depends on.
type scratch struct {
	coder  quant.Coder
	buffer [(sectionBytes + 7) / 8 * 8]byte
	slice  []byte
}

// sectionBytes is the largest section of messages.
const sectionBytes = 256

// blockRate is the rate of blocks before SetBlockRate, in bytes per second.
const blockRate = 32000

// New returns one end. The zero value is not usable.
func New() *Connection {
	return &Connection{channel: message.NewChannel(message.Config{}), blocks: message.NewBlockChannel(blockRate, message.MaxBlockBytes)}
}

// SetBlockRate sets the rate of blocks in bytes per second.
func (c *Connection) SetBlockRate(rate int) { c.blocks.Sender.SetRate(rate) }

// Send queues a message of at most 64 bytes. It reports whether there was room.
func (c *Connection) Send(m []byte) bool {
	if c.Unreliable {
		return c.channel.SendUnreliable(m) == nil
	}
	return c.channel.Send(m) == nil
}

// Receive returns the next message, in the order of sending if messages are reliable. It is
// valid until the next Read.
func (c *Connection) Receive() (m []byte, ok bool) {
	if c.read == len(c.ends) {
		return nil, false
	}
	from := 0
	if c.read > 0 {
		from = c.ends[c.read-1]
	}
	m = c.inbox[from:c.ends[c.read]]
	if c.read++; c.read == len(c.ends) {
		c.inbox, c.ends, c.read = c.inbox[:0], c.ends[:0], 0
	}
	return m, true
}

// SendBlock starts to send a block of at most message.MaxBlockBytes, which it copies. It
// reports false while an earlier one is being sent.
func (c *Connection) SendBlock(b []byte) bool { return c.blocks.Sender.Send(b) == nil }

// SendingBlock reports whether a block is being sent and some of its slices are not acknowledged.
func (c *Connection) SendingBlock() bool { return c.blocks.Sender.Busy() }

// ReceiveBlock returns the next block that is complete.
func (c *Connection) ReceiveBlock() (b []byte, ok bool) { return c.blocks.Receiver.Receive(nil) }

// Flush sends the slices and acks that are due, each in a packet of its own, and the section of
// messages that wait because the packets since the last Flush had no room for it.
func (c *Connection) Flush(e *packet.Endpoint, now time.Duration) {
	if !c.wroteInTick && c.channel.UnackedCount() > 0 {
		e.SendSideband()
	}
	defer func() { c.wroteInTick = false }()
	for {
		c.slice = c.blocks.Write(c.slice[:0], now, e.Stats.RTT)
		if len(c.slice) == 0 {
			return
		}
		c.extra = c.slice
		e.SendSideband()
	}
}

// Append implements packet.Sideband.
func (c *Connection) Append(dst []byte, now, rtt time.Duration, room int) []byte {
	before := len(dst)
	c.wrote = false
	if bits := 8 * min(room-len(c.extra), sectionBytes); bits >= c.channel.BitsForLongest()+7 {
		c.wrote, c.wroteInTick = true, true
		c.coder.BeginWrite(c.buffer[:])
		c.channel.Write(&c.coder, now, rtt, bits-7)
		dst = append(append(dst, c.coder.FinishWrite()...), c.extra...)
	}
	c.extra = nil
	c.bytes += uint64(len(dst) - before)
	return dst
}

// Sent implements packet.Sideband.
func (c *Connection) Sent(s packet.Sequence) {
	if c.wrote {
		c.channel.PacketSent(s)
	}
}

// Read implements packet.Sideband.
func (c *Connection) Read(data []byte) {
	if len(data) == 0 {
		return
	}
	c.coder.BeginRead(data)
	c.channel.Read(&c.coder)
	rest := message.Remaining(&c.coder, data)
	if c.coder.Err() != nil || len(rest) > 0 && !c.blocks.Read(rest) {
		c.malformed++
	}
	for m, ok := c.channel.Receive(); ok; m, ok = c.channel.Receive() {
		c.keep(m)
	}
	for m, ok := c.channel.ReceiveUnreliable(); ok; m, ok = c.channel.ReceiveUnreliable() {
		c.keep(m)
	}
}

func (c *Connection) keep(m []byte) {
	c.inbox = append(c.inbox, m...)
	c.ends = append(c.ends, len(c.inbox))
}

// Acknowledge implements packet.Sideband.
func (c *Connection) Acknowledge(acks []packet.Sequence) { c.channel.Acknowledge(acks) }

// Stats are totals of a Connection.
type Stats struct {
	Messages  message.Stats
	Sent      message.SenderStats
	Received  message.ReceiverStats
	Bytes     uint64 // in sections, slices and acks sent, without headers
	Malformed uint64 // sidebands received that no Connection sends
	Unacked   int    // reliable messages not known to have arrived
}

// Stats returns the totals.
func (c *Connection) Stats() Stats {
	return Stats{c.channel.Stats, c.blocks.Sender.Stats, c.blocks.Receiver.Stats, c.bytes, c.malformed, c.channel.UnackedCount()}
}

// AppendSlices appends the states of the slices of the chunk that is being sent to dst, none
// if there is no block.
func (c *Connection) AppendSlices(dst []predict.SliceState) []predict.SliceState {
	for i := range c.blocks.Sender.SliceCount() {
		switch sent, acked := c.blocks.Sender.SliceState(i); {
		case acked:
			dst = append(dst, predict.SliceAcked)
		case sent:
			dst = append(dst, predict.SliceSent)
		default:
			dst = append(dst, predict.SliceWaiting)
		}
	}
	return dst
}

// SlicesReceived returns how many slices of the chunk that arrives are there, and how many it
// has, 0 before the first.
func (c *Connection) SlicesReceived() (received, count int) {
	count = c.blocks.Receiver.SliceCount()
	for i := range count {
		if c.blocks.Receiver.SliceReceived(i) {
			received++
		}
	}
	return received, count
}

// CopyFrom makes c a copy of o that shares no memory with it.
func (c *Connection) CopyFrom(o *Connection) {
	c.Unreliable = o.Unreliable
	c.channel.CopyFrom(o.channel)
	c.blocks.CopyFrom(o.blocks)
	c.extra = append([]byte(nil), o.extra...)
	c.wrote, c.wroteInTick, c.malformed, c.bytes, c.read = o.wrote, o.wroteInTick, o.malformed, o.bytes, o.read
	c.inbox, c.ends = append(c.inbox[:0], o.inbox...), append(c.ends[:0], o.ends...)
}

// Fields reports the fields of a sideband's data.
func Fields(data []byte, see func(quant.Field)) error {
	var c quant.Coder
	c.BeginRead(data)
	c.OnField(see)
	c.Group("sideband", 0)
	message.ReadFields(&c, message.Config{})
	c.Label("slice_or_ack")
	rest := message.Remaining(&c, data)
	for c.Err() == nil && len(rest) > 0 {
		n := min(len(rest), 4)
		c.Bits(0, 8*n)
		rest = rest[n:]
	}
	return c.Err()
}
