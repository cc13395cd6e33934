package lab

import (
	"time"

	"ghostcube/net/link"
)

// receiveBuffer is the client's end of a link or socket with a receive buffer: datagrams that arrive while
// the client's program does not read are buffered, and dropped when the buffer is full.
type receiveBuffer struct {
	wire          link.Wire       // the end
	queue         []link.Datagram // with bytes of their own
	head          int             // index of the oldest datagram in queue
	bufferedBytes int             // charged for the datagrams from head on
	free          [][]byte        // memory for datagrams
}

// receiveBufferSize is the default receive buffer of a socket on Linux
// (net.core.rmem_default), in bytes. Linux charges datagramOverhead for every datagram
// besides its payload.
const (
	receiveBufferSize = 212992
	datagramOverhead  = 768
)

// Send implements link.Wire.
func (r *receiveBuffer) Send(now time.Duration, b []byte) error { return r.wire.Send(now, b) }

// Receive implements link.Wire. It returns buffered datagrams first.
func (r *receiveBuffer) Receive(now time.Duration) (link.Datagram, bool) {
	if r.head < len(r.queue) {
		d := r.queue[r.head]
		r.head++
		r.bufferedBytes -= len(d.Bytes) + datagramOverhead
		return d, true
	}
	r.clear()
	return r.wire.Receive(now)
}

// bufferArrivals receives into the buffer, for a program that does not read.
func (r *receiveBuffer) bufferArrivals(now time.Duration) {
	for d, ok := r.wire.Receive(now); ok; d, ok = r.wire.Receive(now) {
		if r.bufferedBytes += len(d.Bytes) + datagramOverhead; r.bufferedBytes > receiveBufferSize {
			r.bufferedBytes -= len(d.Bytes) + datagramOverhead
			continue
		}
		r.push(d)
	}
}

func (r *receiveBuffer) push(d link.Datagram) {
	var m []byte
	if n := len(r.free); n > 0 {
		m, r.free = r.free[n-1][:0], r.free[:n-1]
	}
	d.Bytes = append(m, d.Bytes...)
	r.queue = append(r.queue, d)
}

// clear empties the queue and keeps its memory.
func (r *receiveBuffer) clear() {
	for _, d := range r.queue {
		r.free = append(r.free, d.Bytes)
	}
	r.queue, r.head = r.queue[:0], 0
}

// copyFrom makes r an equal of o, except for the link.
func (r *receiveBuffer) copyFrom(o *receiveBuffer) {
	r.clear()
	r.bufferedBytes = o.bufferedBytes
	for _, d := range o.queue[o.head:] {
		r.push(d)
	}
}
