package remote

import (
	"bytes"
	"time"

	"ghostcube/net/link"
)

// Wire is one end of a connection between two processes.
type Wire interface {
	link.Wire

	// Err returns nil while the connection lives, and afterwards why it has ended.
	Err() error

	// Close ends the connection and tells the other side.
	Close() error
}

// A wire carries three kinds of datagrams. Those of the game are sent as they are, so that a strategy costs the bytes
// that it costs in a pane. The others begin with a tag: eight bytes with which one of the game begins once in 2^64
// times, and is lost.
const (
	game = iota
	controlChannel
	ghostChannel
	channelCount
)

var tags = [channelCount][]byte{nil, []byte("\x91GC ctrl"), []byte("\x91GC ghst")}

// maxQueued is the number of datagrams of a channel that wait for a tick. A socket's own queue is no longer.
const maxQueued = 1024

// channels are the channels of a wire. They keep the time of the process; that of the game's channel begins with its
// session.
type channels struct {
	wire       Wire
	queues     [channelCount][]link.Datagram // with bytes of their own
	receivedAt time.Duration                 // of the newest datagram
}

// update receives all that has arrived by now.
func (c *channels) update(now time.Duration) {
	for d, ok := c.wire.Receive(now); ok; d, ok = c.wire.Receive(now) {
		c.receivedAt = max(c.receivedAt, d.ReceivedAt)
		kind := game
		for k := controlChannel; k < channelCount; k++ {
			if bytes.HasPrefix(d.Bytes, tags[k]) {
				kind = k
			}
		}
		if q := &c.queues[kind]; len(*q) < maxQueued {
			d.Bytes = bytes.Clone(d.Bytes[len(tags[kind]):])
			*q = append(*q, d)
		}
	}
}

// pop returns the next datagram of a channel that had arrived by now.
func (c *channels) pop(kind int, now time.Duration) (d link.Datagram, ok bool) {
	q := &c.queues[kind]
	if len(*q) == 0 || (*q)[0].ReceivedAt > now {
		return d, false
	}
	d, *q = (*q)[0], (*q)[1:]
	return d, true
}

// channel is one channel of a wire, for an endpoint.
type channel struct {
	*channels
	kind   int
	start  time.Duration // when the endpoint's time is 0
	buffer []byte
}

// Send implements link.Wire.
func (c *channel) Send(now time.Duration, b []byte) error {
	c.buffer = append(append(c.buffer[:0], tags[c.kind]...), b...)
	return c.wire.Send(now+c.start, c.buffer)
}

// Receive implements link.Wire.
func (c *channel) Receive(now time.Duration) (link.Datagram, bool) {
	d, ok := c.pop(c.kind, now+c.start)
	d.ReceivedAt = max(d.ReceivedAt-c.start, 0)
	return d, ok
}

// seatWire is the wire of a seat at the server: that of its client, if any.
type seatWire struct{ link.Wire }
