package link

import (
	"testing"
	"time"
)

// TestPeerPair checks the links between peers: each direction has outcomes of its own, which differ from those of
// every player's link with the server, the latency of both players is added, and each end counts what it sends as Up.
func TestPeerPair(t *testing.T) {
	n := &Network{Seed: 3}
	if err := n.Parse("latency=40ms,loss=50%,latency-per-player=10ms,far-player=2,far-latency=100ms"); err != nil {
		t.Fatal(err)
	}
	outcomes := func(seat int) (lost uint64) {
		for i := range 64 {
			if n.Outcome(Up, seat, 0, i).Lost {
				lost |= 1 << i
			}
		}
		return lost
	}
	seen := map[uint64]int{}
	for a := range maxPeers {
		seats := []int{a}
		for b := range maxPeers {
			if a != b {
				seats = append(seats, peerSeat(a, b))
			}
		}
		for _, seat := range seats {
			lost := outcomes(seat)
			if other, ok := seen[lost]; ok {
				t.Errorf("seats %d and %d lose the same datagrams", other, seat)
			}
			seen[lost] = seat
		}
	}
	for _, x := range []struct {
		seat int
		want time.Duration
	}{
		{0, 40 * ms}, {1, 150 * ms}, {2, 60 * ms},
		{peerSeat(0, 2), 60 * ms}, {peerSeat(2, 0), 60 * ms}, {peerSeat(1, 2), 170 * ms}, {peerSeat(3, 1), 180 * ms},
	} {
		if got := n.Outcome(Up, x.seat, 0, 0).Delay; got != x.want {
			t.Errorf("seat %d: %v, want %v", x.seat, got, x.want)
		}
	}
	near, far := PeerPair(&Network{}, 0, 1)
	_ = near.Send(0, []byte("one"))
	if d, ok := far.Receive(0); !ok || string(d.Bytes) != "one" {
		t.Error("a datagram does not reach the peer")
	}
	if near.Counters(Up).Sent != 1 || near.Counters(Down).Sent != 0 || far.Counters(Down).Arrived != 1 {
		t.Error("the ends do not count what they send as Up")
	}
	if err := n.Parse("far-latency=100ms"); err == nil {
		t.Error("a latency of no player is accepted")
	}
}
