package packet

import (
	"hash/crc32"
	"time"
)

// A payload that does not fit a datagram is split into fragments that share the
// packet's sequence number; the packet arrives when all of them have (Fiedler, Packet
// Fragmentation and Reassembly, 2016). Nothing is sent again: if one fragment is lost,
// so is the packet, and with loss p a packet of n fragments arrives with a chance of
// only (1-p)^n. A few fragments are reasonable; a large block that must arrive belongs
// into package message.
//
// A header is not trusted beyond its own datagram: a fragment count is only a claim,
// and memory is allocated for bytes that have arrived. Anyone can forge a fragment, and
// the first one to arrive may be false, so fragments that contradict each other are
// assembled apart. Every fragment carries the checksum of the whole payload. Fragments
// that agree on it and on their count belong together, and if two of them claim the same
// place, the checksum decides. A false fragment so neither blocks nor replaces an honest
// packet. The bounds below hold whatever is received.
const (
	// FragmentBytes is the payload size of every fragment but the last.
	FragmentBytes = 1024

	// MaxFragments is the largest number of fragments of a packet.
	MaxFragments = 256

	// MaxPayload is the size of the largest payload, in bytes.
	MaxPayload = FragmentBytes * MaxFragments
)

const (
	// reassemblyWindow is how many packets back a packet may still lack fragments.
	reassemblyWindow = 256

	// maxFragmentBuffers is the number of fragments that may wait in all: 512 KiB,
	// enough for two packets of the largest size.
	maxFragmentBuffers = 512

	// maxAssemblies is the number of contradicting assemblies of a packet. For one more,
	// the one with the fewest fragments is dropped.
	maxAssemblies = 8

	// maxAlternatives is the number of fragments of an assembly that contradict others, so
	// that at most 16 combinations are tried.
	maxAlternatives = 4

	// reassemblyTimeout is the longest time from the first to the last fragment.
	reassemblyTimeout = 5 * time.Second
)

// fragmentBuffer stores one fragment.
type fragmentBuffer struct {
	bytes [FragmentBytes]byte
	n     int // length
	id    int
	next  *fragmentBuffer
}

// assembly is the fragments of a packet that agree on their count and on the checksum of
// the payload.
type assembly struct {
	checksum      uint32 // of the payload
	fragmentCount int
	receivedCount int                       // fragments with different ids
	received      [MaxFragments / 64]uint64 // by id
	alternatives  int                       // fragments beyond one per id
	fragments     *fragmentBuffer           // once joined, one per id
	size          int                       // of the payload, once joined; 0 before
	startedAt     time.Duration
	next          *assembly // of the same packet
}

// matches reports whether the fragment of h belongs to a.
func (a *assembly) matches(h *header) bool {
	return a.checksum == h.payloadChecksum && a.fragmentCount == h.fragmentCount
}

// hasFragment reports whether a has that fragment with the same bytes.
func (a *assembly) hasFragment(id int, body []byte) bool {
	if !a.hasID(id) {
		return false
	}
	for b := a.fragments; b != nil; b = b.next {
		if b.id == id && string(b.bytes[:b.n]) == string(body) {
			return true
		}
	}
	return false
}

func (a *assembly) hasID(id int) bool { return a.received[id/64]>>(id%64)&1 != 0 }

// assemble writes the payload of a joined assembly into dst, which must have its size.
func (a *assembly) assemble(dst []byte) {
	for b := a.fragments; b != nil; b = b.next {
		copy(dst[b.id*FragmentBytes:], b.bytes[:b.n])
	}
}

// joinScratch finds the fragments whose payload has the right checksum.
type joinScratch struct {
	byID   [MaxFragments][]*fragmentBuffer
	chosen [MaxFragments]*fragmentBuffer
}

// join looks for fragments, one per id, whose payload has the checksum of a, which has all
// ids, and reports whether there are any. They are in chosen.
func (s *joinScratch) join(a *assembly) bool {
	for id := range a.fragmentCount {
		s.byID[id] = s.byID[id][:0]
	}
	for b := a.fragments; b != nil; b = b.next {
		s.byID[b.id] = append(s.byID[b.id], b)
	}
	return s.choose(a, 0, checksumSeed)
}

// choose tries the fragments from id on, after a beginning of the payload with a checksum.
func (s *joinScratch) choose(a *assembly, id int, checksum uint32) bool {
	if id == a.fragmentCount {
		return checksum == a.checksum
	}
	for _, b := range s.byID[id] {
		s.chosen[id] = b
		if s.choose(a, id+1, crc32.Update(checksum, castagnoli, b.bytes[:b.n])) {
			return true
		}
	}
	return false
}
