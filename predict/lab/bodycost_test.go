package lab

import (
	"testing"

	"ghostcube/net/link"
	"ghostcube/predict"
)

// TestBitsOfDistantBodies promises that the bits a second of a body that an area of interest sends now and then are steady, as
// they are what it costs: they neither rise with each packet nor fade until the next. They fade when it is sent no more.
func TestBitsOfDistantBodies(t *testing.T) {
	const rate, bits = 60, 417
	p := &Pane{lab: &Lab{}}
	every := []int{1, 2, 10, 60, 240} // ticks between two packets with the body; the last body but one is sent for 20 s
	b := &predict.PacketBits{}
	shown := func() (list []float32) {
		var l predict.Inspection
		p.inspectBodyBits(&l)
		return l.BodyBits
	}
	for tick := range 40 * rate {
		p.bodyBits.advance(rate)
		if now := shown(); tick > 15*rate && len(now) > 0 {
			for i, n := range every {
				want := float32(bits*rate) / float32(n)
				if stopped := n == 60 && tick > 20*rate; !stopped && (now[i] < want*0.7 || now[i] > want*1.3) {
					t.Fatalf("tick %d, sent every %d ticks: %v bits a second, want %v", tick, n, now[i], want)
				}
			}
		}
		b.Begin(len(every))
		for i, n := range every {
			if tick%n == 0 && (n != 60 || tick < 20*rate) {
				b.Bodies[i] = bits
			}
		}
		p.addPacketBits(link.Down, 0, b)
	}
	if now := shown(); now[3] >= 1 {
		t.Errorf("%v bits a second, 20 s after the last packet", now[3])
	}
}
