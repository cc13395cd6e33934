package packet

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"

	"ghostcube/net/link"
)

// withChecksum puts a right checksum of some protocol before b.
func withChecksum(b []byte, protocol, version uint32) []byte {
	binary.LittleEndian.PutUint32(b, crc32.Update(checksumSeedOf(protocol, version), castagnoli, b[4:]))
	return b
}

// TestForeignProtocol says that protocol and version are in the checksum and nowhere
// else: a datagram of this program is taken and the same of another, or of
// another version, is refused, although not one of the bytes after the checksum
// differs. For whole datagrams this is certain, not likely: a change of one of
// the two numbers alone is a burst of at most 32 bits.
func TestForeignProtocol(t *testing.T) {
	var h header
	good := withChecksum(makeDatagram(7, "payload"), Protocol, Version)
	if !h.decode(good) {
		t.Fatal("our own is refused")
	}
	for bit := range 32 {
		for _, other := range [][2]uint32{{Protocol ^ 1<<bit, Version}, {Protocol, Version ^ 1<<bit}} {
			b := withChecksum(slices.Clone(good), other[0], other[1])
			if !slices.Equal(b[4:], good[4:]) {
				t.Fatal("protocol or version are on the wire")
			}
			if h.decode(b) {
				t.Errorf("protocol %08x version %d is taken for ours", other[0], other[1])
			}
		}
	}
	for version := range uint32(1000) {
		if b := withChecksum(slices.Clone(good), Protocol, version); h.decode(b) != (version == Version) {
			t.Errorf("version %d", version)
		}
	}
	if binary.LittleEndian.PutUint32(good, crc32.Checksum(good[4:], castagnoli)); h.decode(good) {
		t.Error("a checksum of the bytes alone is taken for ours")
	}
}

// TestFewBitFlips says what the checksum guarantees of a short datagram: any one
// and any two flipped bits are noticed wherever they are, and so is any burst of
// up to 32 bits in what the checksum covers.
func TestFewBitFlips(t *testing.T) {
	var h header
	good := makeDatagram(7, "forty-six bytes of a payload: nothing special.")
	flip := func(i int) { good[i/8] ^= 1 << (i % 8) }
	for i := range len(good) * 8 {
		flip(i)
		if h.decode(good) {
			t.Errorf("bit %d flipped", i)
		}
		for j := range i {
			flip(j)
			if h.decode(good) {
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
			if h.decode(b) {
				t.Errorf("burst %x at bit %d", burst, start)
			}
		}
	}
	if !h.decode(good) {
		t.Error("the whole datagram is refused")
	}
}

// TestDamage damages a million datagrams, whole packets and fragments, and gives
// them to one endpoint: flipped bits, cut ends, grown ends, swapped bytes, two
// datagrams spliced, one laid over another, and no datagrams at all. None is
// taken unless it is, byte for byte, one that was sent. A checksum of 32 bits
// cannot promise that: of random damage it lets one in 4,300 million pass, so
// with a million the chance that one would have is 1 in 4,300.
func TestDamage(t *testing.T) {
	trials := 1_000_000
	if testing.Short() {
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
		func() []byte { // bits
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
		func() []byte { // the head of one and the tail of another
			a, b := pick(), pick()
			return append(slices.Clone(a[:rng.IntN(len(a)+1)]), b[rng.IntN(len(b)+1):]...)
		},
		func() []byte { // one over the other
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
	unharmed := 0
	for i := 0; i-unharmed < trials; i++ {
		if i%1000 == 0 {
			e = NewEndpoint(&recorder{}) // one that has not yet got what is unharmed
			e.Update(0)
		}
		b := damage[i%len(damage)]()
		refused := e.Stats.Rejected
		before := len(e.inbox)
		e.handleDatagram(link.Datagram{Bytes: b})
		if genuine[string(b)] {
			unharmed++
		} else if e.Stats.Rejected != refused+1 {
			t.Fatalf("damage %d: taken: % x", i, b)
		}
		for _, p := range e.inbox[before:] {
			if !payloads[string(p.Payload)] {
				t.Fatalf("damage %d: a payload that was never sent: % x", i, p.Payload)
			}
		}
	}
	t.Logf("%d damaged datagrams, 0 of them taken; %d more were unharmed by chance", trials, unharmed)
	if unharmed == 0 || unharmed > trials/20 {
		t.Errorf("%d of %d unharmed", unharmed, trials)
	}
}
