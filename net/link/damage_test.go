package link

import (
	"bytes"
	"math"
	"testing"
	"time"
)

// TestDamageKeepsOutcomes checks that corrupt and foreign datagrams change no other
// outcome: the same datagrams are lost, delayed and duplicated with and without them.
func TestDamageKeepsOutcomes(t *testing.T) {
	const text = "latency=30ms,jitter=10ms,loss=20%,duplicate=10%,reorder=5%,reorder-delay=40ms,spike-chance=1%,spike=100ms"
	var plain, damaged Network
	if plain.Parse(text) != nil || damaged.Parse(text+",corrupt=30%,foreign=20%") != nil {
		t.Fatal("the conditions are rejected")
	}
	for i := range 5000 {
		now := time.Duration(i) * tick
		a, b := plain.Outcome(Down, 1, now, i%3), damaged.Outcome(Down, 1, now, i%3)
		b.Damage, b.DuplicateDamage, b.Foreign, b.ForeignDelay = 0, 0, 0, 0
		if a != b {
			t.Fatalf("at %v: %+v without damage, %+v with", now, a, b)
		}
	}
}

// TestCorruptAndForeign checks how many datagrams arrive damaged and how many foreign
// ones arrive besides, that a damaged one has 1 to 8 flipped bits, that a foreign one
// differs in its first four bytes alone, and that the counters agree.
func TestCorruptAndForeign(t *testing.T) {
	w := &Network{Seed: 3}
	if err := w.Parse("latency=20ms,corrupt=5%,foreign=3%,duplicate=10%"); err != nil {
		t.Fatal(err)
	}
	client, server := Pair(w, 0)
	payload := []byte("sixteen bytes...")
	const n = 40000
	intact, corrupt, foreign := 0.0, 0.0, 0.0
	for i := range n + 10 {
		now := time.Duration(i) * tick
		if i < n {
			client.Send(now, payload)
		}
		for d, ok := server.Receive(now); ok; d, ok = server.Receive(now) {
			flipped := 0
			for k := range payload {
				for x := d.Bytes[k] ^ payload[k]; x != 0; x &= x - 1 {
					flipped++
				}
			}
			switch {
			case len(d.Bytes) != len(payload):
				t.Fatalf("%d bytes arrive", len(d.Bytes))
			case flipped == 0:
				intact++
			case flipped <= 8 && !bytes.Equal(d.Bytes[4:], payload[4:]):
				corrupt++
			case bytes.Equal(d.Bytes[4:], payload[4:]):
				foreign++ // or a corrupt one with all flipped bits in the first four bytes
			default:
				t.Fatalf("%d bits are flipped", flipped)
			}
		}
	}
	m := client.Counters(Up)
	near := func(got, want float64) bool { return math.Abs(got-want) < 4*math.Sqrt(want) }
	if !near(float64(m.Corrupted), n*1.1*0.05) || !near(float64(m.Foreign), n*0.03) {
		t.Errorf("%d corrupt, %d foreign of %d and a tenth", m.Corrupted, m.Foreign, n)
	}
	if intact+corrupt+foreign != float64(m.Arrived+m.DuplicatesArrived+m.Foreign) || corrupt+foreign != float64(m.Corrupted+m.Foreign) || m.Arrived != n {
		t.Errorf("%v intact, %v corrupt, %v foreign arrive: %+v", intact, corrupt, foreign, m.Arrived)
	}
	if e := w.Up.Expect(); e.Corrupted != 0.05 || e.Foreign != 0.03 || e.Lost != 0 {
		t.Errorf("expected: %+v", e)
	}
}

// TestShortDatagramsAreDamaged checks that datagrams of any length, even empty ones, may
// be corrupt and foreign.
func TestShortDatagramsAreDamaged(t *testing.T) {
	w := &Network{Up: Conditions{Corrupt: 1, Foreign: 1}}
	client, server := Pair(w, 0)
	for n := range 9 {
		sent := bytes.Repeat([]byte{0x5a}, n)
		client.Send(time.Duration(n), sent)
		for range 2 {
			d, ok := server.Receive(time.Second)
			if !ok || len(d.Bytes) != n || n > 0 && bytes.Equal(d.Bytes, sent) {
				t.Errorf("%d bytes arrive as % x, %v", n, d.Bytes, ok)
			}
		}
	}
}

// TestTCPRejectsDamage checks that a TCP link sends corrupt segments again and delivers
// no foreign ones.
func TestTCPRejectsDamage(t *testing.T) {
	w := &Network{Seed: 3}
	if err := w.Parse("latency=20ms,corrupt=10%,foreign=50%"); err != nil {
		t.Fatal(err)
	}
	streamTCP(t, w, 4000, tick)
	client, server := PairTCP(w, 0)
	for i := range 1000 {
		client.Send(time.Duration(i)*tick, []byte{1})
		server.Receive(time.Duration(i) * tick)
	}
	if m := client.Counters(Up); m.Lost < 70 || m.Lost > 130 || m.Retransmitted < m.Lost-5 || m.Foreign+m.Corrupted != 0 {
		t.Errorf("%d lost, %d retransmitted, %d foreign, %d corrupt", m.Lost, m.Retransmitted, m.Foreign, m.Corrupted)
	}
}
