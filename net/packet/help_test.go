package packet

import (
	"slices"
	"time"

	"ghostcube/net/link"
)

// recorder is a wire that records the datagrams sent.
type recorder struct{ sent [][]byte }

func (r *recorder) Send(_ time.Duration, b []byte) error {
	r.sent = append(r.sent, slices.Clone(b))
	return nil
}

func (r *recorder) Receive(time.Duration) (link.Datagram, bool) { return link.Datagram{}, false }

// makeFragment returns a fragment with a correct checksum; its fields may be invalid.
func makeFragment(seq Sequence, id, count int, body []byte) []byte {
	b := append(make([]byte, headerBytes+fragmentHeaderBytes), body...)
	h := header{sequence: seq.low16(), isFragment: true, fragmentID: id, fragmentCount: count}
	h.encode(b)
	return b
}

// pattern returns n varying bytes.
func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i) ^ byte(i>>8)*31 ^ byte(i>>16)*57 ^ seed
	}
	return b
}

// loss returns the share of the other side's packets that have not arrived, in [0,1].
// Packets in flight count as lost until they arrive.
func (s *Stats) loss() float64 {
	if s.Expected == 0 {
		return 0
	}
	return 1 - float64(s.PacketsReceived)/float64(s.Expected)
}

// recentLoss returns the loss in the recent window, in [0,1], and 0 while it is empty.
func (s *Stats) recentLoss() float64 {
	if s.RecentExpected == 0 {
		return 0
	}
	return float64(s.RecentLost) / float64(s.RecentExpected)
}

// receiveAll returns the packets of the last Update.
func receiveAll(e *Endpoint) (all []Packet) {
	for p, ok := e.Receive(); ok; p, ok = e.Receive() {
		all = append(all, p)
	}
	return all
}
