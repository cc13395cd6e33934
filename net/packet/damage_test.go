package packet

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
)

// withChecksum writes the checksum for a protocol and version into b.
func withChecksum(b []byte, protocol, version uint32) []byte {
	binary.LittleEndian.PutUint32(b, crc32.Update(checksumSeedOf(protocol, version), castagnoli, b[4:]))
	return b
}

// TestForeignProtocol checks that protocol and version are in the checksum and nowhere
// else: a datagram of another program or version is rejected although the bytes after
// the checksum are the same. This is certain, not just likely, because a change of one
// of the two numbers is a burst of at most 32 bits.
func TestForeignProtocol(t *testing.T) {
	var h header
	good := withChecksum(makeDatagram(7, "payload"), Protocol, Version)
	if h.decode(good) != valid {
		t.Fatal("a genuine datagram is rejected")
	}
	for bit := range 32 {
		for _, other := range [][2]uint32{{Protocol ^ 1<<bit, Version}, {Protocol, Version ^ 1<<bit}} {
			b := withChecksum(slices.Clone(good), other[0], other[1])
			if !slices.Equal(b[4:], good[4:]) {
				t.Fatal("protocol or version are on the wire")
			}
			if h.decode(b) == valid {
				t.Errorf("protocol %08x version %d is accepted", other[0], other[1])
			}
		}
	}
	for version := range uint32(1000) {
		if b := withChecksum(slices.Clone(good), Protocol, version); (h.decode(b) == valid) != (version == Version) {
			t.Errorf("version %d", version)
		}
	}
	if binary.LittleEndian.PutUint32(good, crc32.Checksum(good[4:], castagnoli)); h.decode(good) == valid {
		t.Error("a checksum without protocol and version is accepted")
	}
}

// TestFewBitFlips checks what the checksum guarantees for a short datagram: it detects
// any one and any two flipped bits, and any burst of up to 32 bits after the checksum.
func TestFewBitFlips(t *testing.T) {
	var h header
	good := makeDatagram(7, "forty-six bytes of a payload: nothing special.")
	flip := func(i int) { good[i/8] ^= 1 << (i % 8) }
	for i := range len(good) * 8 {
		flip(i)
		if h.decode(good) == valid {
			t.Errorf("bit %d flipped", i)
		}
		for j := range i {
			flip(j)
			if h.decode(good) == valid {
				t.Errorf("bits %d and %d flipped", i, j)
			}
			flip(j)
		}
		flip(i)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for start := 32; start < len(good)*8; start++ {
		for range 100 {
			b := slices.Clone(good)
			burst := uint64(rng.Uint32()|1) << (start % 8)
			for k := range 5 {
				if at := start/8 + k; at < len(b) {
					b[at] ^= byte(burst >> (8 * k))
				}
			}
			if h.decode(b) == valid {
				t.Errorf("burst %x at bit %d", burst, start)
			}
		}
	}
	if h.decode(good) != valid {
		t.Error("the intact datagram is rejected")
	}
}

// TestDamage damages a million datagrams, packets and fragments, and feeds them to an
// endpoint: flipped bits, cut and extended ends, swapped bytes, splices, overlays and
// random bytes. None must be accepted unless it equals one that was sent. A 32-bit
// checksum cannot promise that: it accepts one in 4,300 million, so the chance of a
// failure here is 1 in 4,300.
func TestDamage(t *testing.T) {
	trials := 1_000_000
	if experiment.Brief() {
		trials = 50_000
	}
	rng := rand.New(rand.NewPCG(3, 4))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	var w recorder
	source := NewEndpoint(&w)
	payloads := map[string]bool{}
	for i := range 40 {
		p := random(i * i)
		payloads[string(p)] = true
		source.Send(p)
	}
	long := random(5000)
	payloads[string(long)] = true
	source.Send(long)
	genuine := map[string]bool{}
	for _, d := range w.sent {
		genuine[string(d)] = true
	}
	pick := func() []byte { return w.sent[rng.IntN(len(w.sent))] }
	damage := []func() []byte{
		func() []byte { // flipped bits
			b := slices.Clone(pick())
			for range 1 + rng.IntN(1+rng.IntN(64)) {
				i := rng.IntN(len(b) * 8)
				b[i/8] ^= 1 << (i % 8)
			}
			return b
		},
		func() []byte { b := pick(); return slices.Clone(b[:rng.IntN(len(b))]) },
		func() []byte { return append(slices.Clone(pick()), random(1+rng.IntN(40))...) },
		func() []byte { return append(slices.Clone(pick()), make([]byte, 1+rng.IntN(40))...) },
		func() []byte { // two bytes swapped
			b := slices.Clone(pick())
			i, j := rng.IntN(len(b)), rng.IntN(len(b))
			b[i], b[j] = b[j], b[i]
			return b
		},
		func() []byte { // start of one, end of another
			a, b := pick(), pick()
			return append(slices.Clone(a[:rng.IntN(len(a)+1)]), b[rng.IntN(len(b)+1):]...)
		},
		func() []byte { // one copied over the other
			a, b := slices.Clone(pick()), pick()
			from := rng.IntN(min(len(a), len(b)))
			copy(a[from:], b[from:from+rng.IntN(min(len(a), len(b))-from)])
			return a
		},
		func() []byte { return random(rng.IntN(MaxDatagram + 20)) },
		func() []byte { // a byte dropped
			b := slices.Clone(pick())
			i := rng.IntN(len(b))
			return slices.Delete(b, i, i+1)
		},
	}
	var e *Endpoint
	undamaged := 0
	for i := 0; i-undamaged < trials; i++ {
		if i%1000 == 0 {
			e = NewEndpoint(&recorder{}) // it has not received the undamaged ones yet
			e.Update(0)
		}
		b := damage[i%len(damage)]()
		refused := e.Stats.Rejected()
		before := len(e.inbox)
		e.handleDatagram(link.Datagram{Bytes: b})
		if genuine[string(b)] {
			undamaged++
		} else if e.Stats.Rejected() != refused+1 {
			t.Fatalf("damage %d: accepted: % x", i, b)
		}
		for _, p := range e.inbox[before:] {
			if !payloads[string(p.Payload)] {
				t.Fatalf("damage %d: a payload that was never sent: % x", i, p.Payload)
			}
		}
	}
	t.Logf("%d damaged datagrams, none accepted; %d more were undamaged by chance", trials, undamaged)
	if undamaged == 0 || undamaged > trials/20 {
		t.Errorf("%d of %d undamaged", undamaged, trials)
	}
}
