package packet

import "time"

// A payload that does not fit a datagram is cut into fragments that share the
// packet's sequence, and the packet arrives when all of them have (Fiedler,
// Packet Fragmentation and Reassembly, 2016). Nothing is sent again: if one
// fragment is lost the packet is, so with a loss p a packet of n fragments
// arrives with a chance of (1-p)^n only. A few fragments are reasonable; a large
// block that has to arrive wants a message.
//
// Of what arrives nothing is believed that a datagram cannot carry itself: a
// count only claims, and memory is taken for the bytes that have come. The
// bounds below hold whatever is sent.
const (
	// FragmentBytes is what every fragment but the last holds of a payload.
	FragmentBytes = 1024

	// MaxFragments is the largest number of fragments of a packet.
	MaxFragments = 256

	// MaxPayload is the largest payload of one packet, in bytes.
	MaxPayload = FragmentBytes * MaxFragments
)

const (
	// reassemblyWindow is how many packets back a packet may still lack fragments.
	reassemblyWindow = 256

	// maxFragmentBuffers is how many fragments may wait for others of their packets, in
	// all: with them 512 KiB, room for two of the largest packets.
	maxFragmentBuffers = 512

	// reassemblyTimeout is how long a packet may take from its first fragment to its last.
	reassemblyTimeout = 5 * time.Second
)

// fragmentBuffer is one fragment that waits.
type fragmentBuffer struct {
	bytes [FragmentBytes]byte
	n     int // bytes of it
	id    int
	next  *fragmentBuffer
}

// partialPacket is a packet some of whose fragments have arrived.
type partialPacket struct {
	fragmentCount, receivedCount int
	size                         int // bytes that have arrived
	received                     [MaxFragments / 64]uint64
	fragments                    *fragmentBuffer
	startedAt                    time.Duration
}

// reassembler are all the packets of an endpoint that lack fragments.
type reassembler struct {
	packets     SequenceBuffer[partialPacket]
	packetCount int
	oldest      Sequence      // no packet below it is here
	nextExpiry  time.Duration // before then none is too old

	free        *fragmentBuffer
	bufferCount int // that exist, spare or not

	failures uint64 // packets given up
}

// fragmentResult is what came of a fragment.
type fragmentResult uint8

const (
	fragmentStored    fragmentResult = iota
	packetComplete                   // and it was the last that lacked
	fragmentDuplicate                // it is here already
	fragmentTooOld                   // its packet is too old
	fragmentRefused                  // it contradicts what came first, or there is no room for it
)

// add takes in one fragment of packet s, which has not arrived whole and whose
// id, count and length are in their ranges. It returns the packet if it lacks
// nothing more; the caller has to release it. What came first is believed: a
// fragment that says otherwise is odd, one that is here again is not looked at.
func (a *reassembler) add(s Sequence, h *header, body []byte, at time.Duration) (*partialPacket, fragmentResult) {
	p := a.packets.Find(s)
	if p == nil {
		if a.packets.TooOld(s) {
			return nil, fragmentTooOld
		}
	} else {
		if p.fragmentCount != h.fragmentCount {
			return nil, fragmentRefused
		}
		if p.received[h.fragmentID/64]>>(h.fragmentID%64)&1 != 0 {
			return nil, fragmentDuplicate
		}
	}
	b := a.allocBuffer(s)
	if b == nil {
		return nil, fragmentRefused
	}
	if p == nil {
		p = a.start(s, h.fragmentCount, at)
	}
	b.n, b.id, b.next = copy(b.bytes[:], body), h.fragmentID, p.fragments
	p.fragments = b
	p.received[h.fragmentID/64] |= 1 << (h.fragmentID % 64)
	p.receivedCount++
	p.size += b.n
	if p.receivedCount < p.fragmentCount {
		return p, fragmentStored
	}
	return p, packetComplete
}

// start makes room for a packet. Those that its sequence makes too old are given
// up.
func (a *reassembler) start(s Sequence, count int, at time.Duration) *partialPacket {
	if s >= reassemblyWindow {
		a.abandonBelow(s - reassemblyWindow + 1)
	}
	if a.packetCount == 0 {
		a.oldest, a.nextExpiry = s, at+reassemblyTimeout
	}
	a.oldest, a.nextExpiry = min(a.oldest, s), min(a.nextExpiry, at+reassemblyTimeout)
	a.packetCount++
	p := a.packets.Insert(s)
	p.fragmentCount, p.startedAt = count, at
	return p
}

// allocBuffer returns memory for a fragment of packet s. If there is none left, the
// oldest packets make room, unless s is as old.
func (a *reassembler) allocBuffer(s Sequence) *fragmentBuffer {
	if a.free == nil && a.bufferCount < maxFragmentBuffers {
		a.bufferCount++
		return new(fragmentBuffer)
	}
	for a.free == nil {
		for !a.packets.Has(a.oldest) {
			a.oldest++ // all blocks wait, so there is such a packet
		}
		if a.oldest >= s {
			return nil
		}
		a.abandon(a.oldest)
	}
	b := a.free
	a.free = b.next
	return b
}

// release forgets packet s, if it is here, and keeps the memory.
func (a *reassembler) release(s Sequence) {
	p := a.packets.Find(s)
	if p == nil {
		return
	}
	for b := p.fragments; b != nil; {
		next := b.next
		b.next, a.free = a.free, b
		b = next
	}
	a.packets.Remove(s)
	a.packetCount--
}

// abandon gives packet s up.
func (a *reassembler) abandon(s Sequence) {
	a.release(s)
	a.failures++
}

// abandonBelow gives up all packets below s. It looks at no more slots than there
// are, because none is occupied farther behind the newest.
func (a *reassembler) abandonBelow(s Sequence) {
	for ; a.packetCount > 0 && a.oldest < s; a.oldest++ {
		if a.packets.Has(a.oldest) {
			a.abandon(a.oldest)
		}
	}
}

// expire gives up the packets that began too long ago. It looks at them only
// when one of them may have.
func (a *reassembler) expire(now time.Duration) {
	if a.packetCount == 0 || now < a.nextExpiry {
		return
	}
	a.nextExpiry = now + reassemblyTimeout
	for s := a.oldest; s < a.packets.next; s++ {
		if p := a.packets.Find(s); p == nil {
			continue
		} else if now >= p.startedAt+reassemblyTimeout {
			a.abandon(s)
		} else {
			a.nextExpiry = min(a.nextExpiry, p.startedAt+reassemblyTimeout)
		}
	}
}

// assemble writes the payload into dst, which has its size.
func (p *partialPacket) assemble(dst []byte) {
	for b := p.fragments; b != nil; b = b.next {
		copy(dst[b.id*FragmentBytes:], b.bytes[:b.n])
	}
}

// copyFrom makes a an equal of o that shares no memory with it.
func (a *reassembler) copyFrom(o *reassembler) {
	a.abandonBelow(a.packets.next)
	a.packets.CopyFrom(&o.packets)
	a.packetCount, a.oldest, a.nextExpiry, a.failures = o.packetCount, o.oldest, o.nextExpiry, o.failures
	for i := range a.packets.slots {
		p := &a.packets.slots[i].value
		end := &p.fragments
		for from := p.fragments; from != nil; from = from.next {
			b := a.free
			if b != nil {
				a.free = b.next
			} else {
				b = new(fragmentBuffer)
				a.bufferCount++
			}
			*b = *from
			b.next, *end = nil, b
			end = &b.next
		}
	}
}
