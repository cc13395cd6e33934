package packet

import (
	"fmt"
	"testing"
	"time"

	"ghostcube/net/link"
)

// singleConn is the simplest wire: it stores one datagram.
type singleConn struct {
	bytes []byte
	full  bool
}

func (s *singleConn) Send(_ time.Duration, d []byte) error {
	s.bytes, s.full = append(s.bytes[:0], d...), true
	return nil
}

func (s *singleConn) Receive(now time.Duration) (link.Datagram, bool) {
	if !s.full {
		return link.Datagram{}, false
	}
	s.full = false
	return link.Datagram{Bytes: s.bytes, ReceivedAt: now}, true
}

// BenchmarkSendReceive measures one packet from Send to Receive, including checksum and
// copies, over a wire that costs next to nothing.
func BenchmarkSendReceive(b *testing.B) {
	for _, size := range []int{8, 256, maxUnfragmented} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			var w singleConn
			x, y := NewEndpoint(&w), NewEndpoint(&w)
			payload := make([]byte, size)
			b.ReportAllocs()
			b.SetBytes(int64(size))
			now := time.Duration(0)
			for b.Loop() {
				now += tick
				x.Send(payload)
				y.Update(now)
				if _, ok := y.Receive(); !ok {
					b.Fatal("nothing arrived")
				}
			}
		})
	}
}
