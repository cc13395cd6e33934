package remote

import (
	"time"

	"ghostcube/net/packet"
	"ghostcube/predict/lab/reliable"
)

// The first byte of a message of the control channel.
const (
	helloMessage   = 1 // client: flags, and its name
	sessionMessage = 2 // server: a part of the description of the session
	beginMessage   = 3 // server: the description is complete; the session's number
	refuseMessage  = 4 // server: why the client may not join
	scoreMessage   = 5 // client: the session's number, its path error in micrometres and its round trip in microseconds
	speakerMessage = 6 // server: who says the next line
	chatMessage    = 7 // a line of chat
	hitMessage     = 8 // server: the session's number, and a part of what it has made of a shot; see hit.go

	// Of a mesh.
	introduceMessage = 9  // server: another client of the session that is being described; see mesh.go
	waitMessage      = 10 // server: how many players it waits for, and the name of the one who left
	localMessage     = 11 // client: its address in its own network, for introductions
)

// scoreBytes is the size of a score message, with two figures of 32 bits. unknown stands for a figure that the client lacks.
const (
	scoreBytes = 1 + 4 + 4
	unknown    = 1<<32 - 1
)

// The flags of a hello.
const (
	wantsGhost = 1 // the client asks for the ghost
	watches    = 2 // and for no seat
	meets      = 4 // the client can open direct paths to others
)

const (
	maxMessage = 64 // bytes
	maxPart    = maxMessage - 1
)

// maxLocal is the size of the largest local address, in bytes. Only net/socket interprets it.
const maxLocal = 18

// MaxName is the length of the longest name of a player, in bytes.
const MaxName = 24

// control is one end of the control channel of a wire: messages that arrive once and in order.
type control struct {
	endpoint *packet.Endpoint
	messages *reliable.Connection
	answered uint64 // messages received when the last packet was sent
}

func newControl(c *channels) *control {
	x := &control{endpoint: packet.NewEndpoint(&channel{channels: c, kind: controlChannel}), messages: reliable.New()}
	x.endpoint.SetSideband(x.messages, 0)
	return x
}

// send queues a message. It reports whether there was room.
func (c *control) send(kind byte, text []byte) bool {
	return c.messages.Send(append([]byte{kind}, text...))
}

// maxUnacked is the number of unacknowledged messages above which a client has to wait for the next session.
const maxUnacked = 64

// isBusy reports whether many messages are unacknowledged.
func (c *control) isBusy() bool { return c.messages.Stats().Unacked > maxUnacked }

// update receives, calls handle with each message, and sends the messages and acknowledgements that are due.
func (c *control) update(now time.Duration, handle func(kind byte, text []byte)) {
	c.endpoint.Update(now)
	for _, ok := c.endpoint.Receive(); ok; _, ok = c.endpoint.Receive() {
		continue // packets carry only messages
	}
	for m, ok := c.messages.Receive(); ok; m, ok = c.messages.Receive() {
		if len(m) > 0 {
			handle(m[0], m[1:])
		}
	}
	if s := c.messages.Stats().Messages; s.Received+s.Duplicates != c.answered {
		c.answered = s.Received + s.Duplicates
		c.endpoint.SendSideband()
	}
	c.messages.Flush(c.endpoint, now)
}
