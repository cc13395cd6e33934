// Package message sends data reliably over packets that may be lost: short messages,
// once and in order, and large blocks. It also sends messages that may be lost.
//
// Nothing here sends packets. A Channel writes a section into a payload that the caller
// builds, and reads its section from a payload that the caller received, so one packet
// can carry a state, messages and a slice of a block. Messages are acknowledged by the
// packets that carried them (Fiedler, Reliable Ordered Messages, 2016): a message is
// repeated until one of them is. Blocks have their own acks (Fiedler, Sending Large
// Blocks of Data, 2016). The caller passes the time. The layout is in docs/reference/wire.md,
// bit by bit.
//
// Where the articles leave a gap or contradict each other:
//
//   - An acknowledged packet has arrived, which does not mean that there was room for its
//     messages. In the article, a receiver that does not consume its messages loses some
//     that the sender believes delivered. Here each side sends the id of the next message
//     that it will consume, in 16 bits, until that is acknowledged, and the other side
//     sends nothing beyond the window after it. A message that is acknowledged and not
//     consumed in time is sent again, because acknowledgements can be forged.
//   - Messages and slices are repeated after 1.25 round trips, but not before 100 ms. The
//     article has a fixed 100 ms for messages and says "or" for slices.
//   - In the article a receiver ignores slices of a completed chunk, so a sender whose last
//     ack was lost never finishes. Here such a slice is answered with a full ack.
//   - The article ends with one chunk of 256 KiB. Here a bit marks the last chunk of a
//     block.
package message

import (
	"errors"
	"time"

	"ghostcube/net/quant"
)

// minResendDelay is the shortest time before anything is repeated.
const minResendDelay = 100 * time.Millisecond

// resendDelay returns the time to wait for an ack before repeating, for a smoothed
// round trip rtt, 0 if unknown.
func resendDelay(rtt time.Duration) time.Duration { return max(rtt+rtt/4, minResendDelay) }

// Errors returned by senders.
var (
	ErrQueueFull     = errors.New("message: send queue is full")
	ErrTooLong       = errors.New("message: too long for the channel")
	ErrBusy          = errors.New("message: a block is being sent")
	ErrEmptyBlock    = errors.New("message: empty block")
	ErrBlockTooLarge = errors.New("message: block larger than MaxBlockBytes")
)

var errPadding = errors.New("message: non-zero padding")

// Remaining returns the payload after the last byte that c has read from: the place of
// a slice or an ack. If the unused bits of that byte are not zero, c fails and
// Remaining returns nil, as it does if c has failed before.
func Remaining(c *quant.Coder, payload []byte) []byte {
	if fill := -c.BitsProcessed() & 7; c.Err() == nil && fill > 0 && c.Bits(0, fill) != 0 {
		c.Fail(errPadding)
	}
	if c.Err() != nil {
		return nil
	}
	return payload[c.BitsProcessed()/8:]
}
