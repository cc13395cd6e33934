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

// A wire carries four channels. The first byte of a datagram names its channel: 0 is control, 1 to 127 the game of the
// session with this number, 128 more the ghost of that session, and 128 the peers. Then the session and another player
// follow: the one to whom the server forwards it, or the one who has sent it. The rest of a datagram of the game or a peer
// is what a strategy has sent.
const (
	game = iota
	controlChannel
	ghostChannel
	peerChannel // its queue has the player before the datagram
	channelCount
)

const (
	sessions = 127 // numbers, from 1 on and over again
	ghostTag = 128
	peerTag  = ghostTag
)

// nextSession returns the number after that of a session.
func nextSession(session byte) byte { return session%sessions + 1 }

// maxQueued is the largest number of datagrams of a channel that wait for a tick. Further ones of the game stay in the wire,
// because a strategy over TCP must not miss any.
const maxQueued = 1024

// channels are the channels of a wire. They keep the time of the process; that of the game's channel begins with its
// first session.
type channels struct {
	wire       Wire
	session    byte                          // of the game and the ghost; 0: none yet
	queues     [channelCount][]link.Datagram // with bytes of their own
	receivedAt time.Duration                 // of the newest datagram
}

// enter begins a session, and drops what has arrived for the one before.
func (c *channels) enter(session byte) {
	c.session = session
	c.queues[game], c.queues[ghostChannel], c.queues[peerChannel] = nil, nil, nil
}

// update receives the datagrams that have arrived by now. Those of another session are dropped, whether it has ended or has
// not begun here yet: nobody waits for them.
func (c *channels) update(now time.Duration) {
	for len(c.queues[game]) < maxQueued {
		d, ok := c.wire.Receive(now)
		if !ok {
			return
		}
		c.receivedAt = max(c.receivedAt, d.ReceivedAt)
		kind, header := controlChannel, 1
		switch {
		case len(d.Bytes) == 0:
			continue
		case d.Bytes[0] == 0:
		case d.Bytes[0] == peerTag:
			if kind, header = peerChannel, 2; len(d.Bytes) <= header || d.Bytes[1] != c.session {
				continue
			}
		case d.Bytes[0] == c.session:
			kind = game
		case d.Bytes[0] == ghostTag+c.session:
			kind = ghostChannel
		default:
			continue
		}
		if q := &c.queues[kind]; len(*q) < maxQueued {
			d.Bytes = bytes.Clone(d.Bytes[header:])
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

// channel is the channel of the game or the control channel of a wire, for an endpoint.
type channel struct {
	*channels
	kind   int
	start  time.Duration // when the endpoint's time is 0
	buffer []byte
}

// Send implements link.Wire.
func (c *channel) Send(now time.Duration, b []byte) error {
	tag := c.session
	if c.kind == controlChannel {
		tag = 0
	}
	c.buffer = append(append(c.buffer[:0], tag), b...)
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
