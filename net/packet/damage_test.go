package packet

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"
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
