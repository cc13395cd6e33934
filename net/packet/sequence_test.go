package packet

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestSequenceExpand checks that a sequence number is recovered from its low 16 bits
// near a known one, over many wraps, and never before the start.
func TestSequenceExpand(t *testing.T) {
	for _, c := range []struct {
		known Sequence
		low   uint16
		want  Sequence
		ok    bool
	}{
		{0, 0, 0, true}, {0, 32767, 32767, true}, {0, 32768, 0, false}, {0, 65535, 0, false},
		{5, 0, 0, true}, {5, 65535, 0, false}, {5, 32772, 32772, true}, {32768, 0, 0, true},
		{65535, 0, 65536, true}, {65536, 65535, 65535, true}, {65535, 32766, 65536 + 32766, true},
		{65535, 32767, 32767, true}, {1 << 40, 65535, 1<<40 - 1, true},
	} {
		if got, ok := c.known.expand(c.low); ok != c.ok || ok && got != c.want {
			t.Errorf("%d near %d: %d %v, want %d %v", c.low, c.known, got, ok, c.want, c.ok)
		}
	}
	known := Sequence(0)
	for s := Sequence(0); s < 5<<16; s += 4999 {
		for _, distance := range []int64{-32768, -4999, -1, 0, 1, 32767} {
			q := int64(s) + distance
			if got, ok := s.expand(Sequence(q).low16()); ok != (q >= 0) || ok && got != Sequence(q) {
				t.Fatalf("%d near %d: %d %v", q, s, got, ok)
			}
		}
		if got, _ := known.expand(s.low16()); got != s {
			t.Fatalf("%d after %d: %d", s, known, got)
		}
		known = s
	}
}

// TestSequenceBuffer compares the ring with a map: Find returns an inserted value
// unless it was removed or replaced, and Insert rejects what is too old. Sequence
// numbers jump over many rounds.
func TestSequenceBuffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 1 << rapid.IntRange(0, 6).Draw(t, "bits")
		b := NewSequenceBuffer[int](n)
		model := map[Sequence]int{}
		newest, started := Sequence(rapid.Uint64Range(0, 1<<40).Draw(t, "start")), false
		near := rapid.Custom(func(t *rapid.T) Sequence {
			s := int64(newest) + rapid.Int64Range(int64(-3*n), int64(2*n)).Draw(t, "distance")
			if rapid.IntRange(0, 9).Draw(t, "jump") == 0 {
				s += rapid.Int64Range(0, 200000).Draw(t, "jump distance")
			}
			return Sequence(max(s, 0))
		})
		for i := range rapid.IntRange(1, 200).Draw(t, "steps") {
			s := near.Draw(t, "sequence")
			if rapid.IntRange(0, 3).Draw(t, "action") == 0 {
				b.Remove(s)
				delete(model, s)
				continue
			}
			p := b.Insert(s)
			if refused := started && s+Sequence(n) <= newest; refused != (p == nil) {
				t.Fatalf("insert %d with newest %d of %d: %v", s, newest, n, p)
			}
			if p == nil {
				continue
			}
			if *p != 0 {
				t.Fatalf("a new value is %d", *p)
			}
			*p = i + 1
			for q := range model {
				if q%Sequence(n) == s%Sequence(n) {
					delete(model, q)
				}
			}
			model[s] = i + 1
			if !started || s > newest {
				newest, started = s, true
			}
			for q := s - min(s, Sequence(2*n)); q < s+Sequence(2*n); q++ {
				p, want := b.Find(q), model[q]
				if (p != nil) != (want != 0) || b.Has(q) != (p != nil) || p != nil && *p != want {
					t.Fatalf("find %d: %v, want %d", q, p, want)
				}
			}
		}
	})
}

// TestSequenceBufferEnds checks that the largest number, which no session reaches, is
// never found, and that lengths that are not powers of two panic.
func TestSequenceBufferEnds(t *testing.T) {
	b := NewSequenceBuffer[int](4)
	if b.Find(1<<64-1) != nil || b.Has(1<<64-1) {
		t.Error("an empty slot matches the last sequence number")
	}
	for _, n := range []int{-4, 0, 3, 1000} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a buffer of %d", n)
				}
			}()
			NewSequenceBuffer[int](n)
		}()
	}
}

// TestOutage checks that packets arrive and are acknowledged again after any outage,
// also one of more than half the sequence space, and that no outage, of one direction
// or both, makes an acknowledgement name a packet that has not arrived.
func TestOutage(t *testing.T) {
	for _, lost := range []int{100, 5000, 32767, 32768, 40000, 65000, 65536, 70000, 200000} {
		for _, both := range []bool{false, true} {
			var up, down singleConn
			a, b := NewEndpoint(splitConn{&down, &up}), NewEndpoint(splitConn{&up, &down})
			now := time.Duration(0)
			arrived := map[Sequence]bool{}
			received, acked := 0, 0
			step := func(loseUp, loseDown bool) {
				now += tick
				a.Update(now)
				for _, s := range a.Acks() {
					if acked++; !arrived[s] {
						t.Fatalf("%d lost, both ways %v: %d is acknowledged but has not arrived", lost, both, s)
					}
				}
				s := a.Send(nil)
				if loseUp {
					up.full = false
				}
				b.Update(now)
				for _, p := range receiveAll(b) { // after an outage the first arrives with the second
					received++
					arrived[s-Sequence(s.low16()-p.Sequence.low16())] = true
				}
				b.Send(nil)
				if loseDown {
					down.full = false
				}
			}
			for range 2000 {
				step(false, false)
			}
			for range lost {
				step(true, both)
			}
			received, acked = 0, 0
			for range 2000 {
				step(false, false)
			}
			// After exactly one wrap the first packet looks like a duplicate.
			if received < 1999 || acked < received-1 {
				t.Errorf("%d lost, both ways %v: afterwards %d of 2000 arrive and %d are acknowledged", lost, both, received, acked)
			}
		}
	}
}
