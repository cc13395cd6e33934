package lab

import (
	"testing"
	"time"

	"ghostcube/net/link"
	"ghostcube/sim"
)

// TestReceiveBuffer checks that datagrams which arrive while the program does not read are buffered
// in order with their arrival times, that they are dropped when the buffer is full, and that
// reading frees the buffer.
func TestReceiveBuffer(t *testing.T) {
	t.Parallel()
	w := link.Network{}
	client, server := link.Pair(&w, 0)
	r := &receiveBuffer{wire: client}
	fits := receiveBufferSize / (1000 + datagramOverhead)
	for round := range 3 {
		begin := time.Duration(round) * time.Hour
		for i := range 2 * fits {
			b := make([]byte, 1000)
			b[0], b[1] = byte(i), byte(i>>8)
			_ = server.Send(begin+time.Duration(i)*time.Millisecond, b)
			r.bufferArrivals(begin + time.Duration(i)*time.Millisecond)
		}
		var o receiveBuffer
		o.copyFrom(r)
		for _, read := range []*receiveBuffer{&o, r} {
			for i := range fits {
				if read == &o && i == fits-1 {
					break // after the last one the copy would read from the link
				}
				d, ok := read.Receive(begin + time.Minute)
				if !ok || int(d.Bytes[0])|int(d.Bytes[1])<<8 != i || d.ReceivedAt != begin+time.Duration(i)*time.Millisecond {
					t.Fatalf("round %d: datagram %d of %d: %v, %v", round, i, fits, ok, d.ReceivedAt)
				}
			}
		}
		if _, ok := r.Receive(begin + time.Minute); ok {
			t.Error("the buffer holds more than its size")
		}
		if r.bufferedBytes != 0 {
			t.Errorf("%d bytes are charged for an empty buffer", r.bufferedBytes)
		}
	}
}

// TestLateFrames checks that a program at 144 fps receives in its frames, so datagrams that
// arrive between its newest frame and the tick wait for the next tick.
func TestLateFrames(t *testing.T) {
	t.Parallel()
	c := ClockFault{FrameRate: 144}
	late := 0
	for n := range sim.Tick(600) {
		now := time.Duration(n) * time.Second / 60
		at := c.frameTime(now, n, 60)
		if at > now || now-at >= time.Second/144 {
			t.Fatalf("tick %d at %v: its frame is at %v", n, now, at)
		}
		if at < now {
			late++
		}
	}
	if late == 0 || late == 600 {
		t.Errorf("%d of 600 frames precede their ticks", late)
	}
}
