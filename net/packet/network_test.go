package packet

import (
	"testing"
	"time"
)

// TestCorruptAndForeignNetwork checks that an endpoint rejects every corrupt and every
// foreign datagram by its checksum, that nothing false is delivered, and that all others
// arrive, packets and fragments.
func TestCorruptAndForeignNetwork(t *testing.T) {
	a, b := newPair(t, "latency=20ms,corrupt=3%,foreign=2%", 6)
	delivered := 0
	const n = 4000
	for i := range n + 10 {
		now := time.Duration(i) * tick
		a.Update(now)
		b.Update(now)
		for _, p := range receiveAll(b) {
			id := int(p.Sequence)
			if string(p.Payload) != string(pattern(id*7%3000, byte(id))) {
				t.Fatalf("packet %d arrives changed", p.Sequence)
			}
			delivered++
		}
		if i < n {
			a.Send(pattern(i*7%3000, byte(i)))
			b.Send(nil)
		}
	}
	s := &b.Stats
	damaged := a.Stats.DatagramsSent - s.DatagramsReceived
	byChecksum := s.RejectedChecksum >= damaged*3/2 && s.RejectedChecksum <= damaged*5/2
	if !byChecksum || s.RejectedRange+s.RejectedFragments != 0 {
		t.Errorf("%d of %d datagrams are damaged: %+v", damaged, a.Stats.DatagramsSent, *s)
	}
	if delivered < n*90/100 || delivered > n*97/100 || a.Stats.InvalidAcks != 0 {
		t.Errorf("%d of %d packets are delivered", delivered, n)
	}
}
