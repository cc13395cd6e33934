// Package message sends what must arrive over packets that may not: short
// messages, in order and once each, and large blocks; and beside them messages
// that may be lost.
//
// Nothing here has a wire of its own. A Channel writes its part into a payload
// that the caller fills, and reads its part from one that the caller has
// received, so that one packet carries a state, messages and a slice of a block
// together. What arrived is known from the acks of the packets (Fiedler,
// Reliable Ordered Messages, 2016): a message is sent again until a packet that
// carried it is acked. A block has acks of its own (Fiedler, Sending Large
// Blocks of Data, 2016), for a packet a slice would be too many. There is no
// clock: who calls says what time it is. Layouts, bit for bit, are in
// docs/messages.md.
//
// Where the sources leave a hole or contradict each other:
//
//   - A packet's ack says that the packet arrived, not that there was room for
//     its messages. In the article a receiver that does not collect what came
//     loses messages that the sender believes delivered. Here each side says how
//     far it has collected until that is known to have arrived, in 16 bits, and
//     the other side sends nothing beyond the window after that.
//   - A message or a slice is sent again after one and a quarter round trips,
//     but not before 100 ms. The article takes a flat 100 ms for messages and
//     says "or" for slices.
//   - In the article a receiver ignores slices of a chunk that it has finished,
//     so that a sender whose last ack was lost goes on forever. Here such a slice
//     is answered with a full ack.
//   - The article ends at one chunk of 256 KiB. Here a bit says whether a chunk
//     is the last of its block.
package message

import (
	"errors"
	"time"

	"ghostcube/net/quant"
)

// minResendDelay is the shortest time after which anything is sent again.
const minResendDelay = 100 * time.Millisecond

// resendDelay is how long to wait for an ack before sending again, with a
// smoothed round trip of rtt; 0 for one that is not known.
func resendDelay(rtt time.Duration) time.Duration { return max(rtt+rtt/4, minResendDelay) }

// Errors that a sender returns.
var (
	ErrQueueFull     = errors.New("message: the send queue is full")
	ErrTooLong       = errors.New("message: longer than the channel carries")
	ErrBusy          = errors.New("message: a block is under way")
	ErrEmptyBlock    = errors.New("message: an empty block")
	ErrBlockTooLarge = errors.New("message: a block larger than MaxBlock")
)

var errPadding = errors.New("message: bits behind the last part are set")

// Remaining returns what follows, in a payload that c reads, the last byte that c
// has touched: the place for a part of a block. Bits that only fill that byte
// must be zero; otherwise c fails and Rest returns nil, as it does if c has
// failed before.
func Remaining(c *quant.Coder, payload []byte) []byte {
	if fill := -c.BitsProcessed() & 7; c.Err() == nil && fill > 0 && c.Bits(0, fill) != 0 {
		c.Fail(errPadding)
	}
	if c.Err() != nil {
		return nil
	}
	return payload[c.BitsProcessed()/8:]
}
