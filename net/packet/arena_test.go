package packet

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestPayloadsStayValid checks that everything one Update delivers stays intact until
// the next: hundreds of packets of all sizes, one of them large, in more than a page of
// memory, and that the memory is reused.
func TestPayloadsStayValid(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var w queueConn
	a, b := NewEndpoint(&w), NewEndpoint(&w)
	for range 20 {
		var want [][]byte
		for i := range 300 {
			n := rng.IntN(2000)
			if i == 50 {
				n = rng.IntN(MaxPayload + 1)
			}
			want = append(want, pattern(n, byte(i)))
			a.Send(want[i])
		}
		b.Update(0)
		got := receiveAll(b)
		if len(got) != len(want) {
			t.Fatalf("%d of %d arrive", len(got), len(want))
		}
		for i := range got {
			if !bytes.Equal(got[i].Payload, want[i]) {
				t.Fatalf("packet %d of %d bytes arrives changed", i, len(want[i]))
			}
			if p := got[i].Payload; cap(p) != len(p) {
				t.Fatal("an append to a payload would write into the next")
			}
		}
	}
	if n := len(b.arena.pages); n > 20 {
		t.Errorf("%d pages for twenty Updates", n)
	}
}
