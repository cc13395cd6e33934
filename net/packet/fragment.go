package packet

import "time"

// A payload that does not fit a datagram is split into fragments that share the
// packet's sequence number; the packet arrives when all of them have (Fiedler, Packet
// Fragmentation and Reassembly, 2016). Nothing is sent again: if one fragment is lost,
// so is the packet, and with loss p a packet of n fragments arrives with a chance of
// only (1-p)^n. A few fragments are reasonable; a large block that must arrive belongs
// into package message.
//
// A header is not trusted beyond its own datagram: a fragment count is only a claim,
// and memory is allocated for bytes that have arrived. The bounds below hold whatever
// is received.
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

// partialPacket is a packet that lacks fragments.
type partialPacket struct {
	fragmentCount, receivedCount int
	size                         int // bytes that have arrived
	received                     [MaxFragments / 64]uint64
	fragments                    *fragmentBuffer
	startedAt                    time.Duration
}

// reassembler stores the packets that lack fragments.
type reassembler struct {
	packets     SequenceBuffer[partialPacket]
	packetCount int
	oldest      Sequence      // no stored packet is older
	nextExpiry  time.Duration // no packet expires before then

	free        *fragmentBuffer
	bufferCount int // allocated, in use or free

	failures uint64 // packets abandoned
}

// fragmentResult is the result of adding a fragment.
type fragmentResult uint8

const (
	fragmentStored fragmentResult = iota
	packetComplete                // all fragments have arrived
	fragmentDuplicate
	fragmentTooOld  // its packet is too old
	fragmentRefused // it contradicts an earlier one, or there is no memory
)

// add stores a fragment of packet s, which is not complete and whose id, count and
// length are in range. If that completes the packet, add returns it and the caller must
// release it. The first fragment of a packet decides its count. A repeated fragment is
// ignored.
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

// start begins a packet. Packets that become too old are abandoned.
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

// allocBuffer returns memory for a fragment of packet s. If none is left it abandons
// the oldest packets, but none as new as s.
func (a *reassembler) allocBuffer(s Sequence) *fragmentBuffer {
	if a.free == nil && a.bufferCount < maxFragmentBuffers {
		a.bufferCount++
		return new(fragmentBuffer)
	}
	for a.free == nil {
		for !a.packets.Has(a.oldest) {
			a.oldest++ // every buffer is in use, so a packet exists
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

// release removes packet s, if it is stored, and frees its memory.
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

// abandon drops packet s.
func (a *reassembler) abandon(s Sequence) {
	a.release(s)
	a.failures++
}

// abandonBelow drops all packets below s. It looks at no more slots than there are,
// because none farther behind the newest is in use.
func (a *reassembler) abandonBelow(s Sequence) {
	for ; a.packetCount > 0 && a.oldest < s; a.oldest++ {
		if a.packets.Has(a.oldest) {
			a.abandon(a.oldest)
		}
	}
}

// expire drops the packets whose time is over. It searches only when there may be one.
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

// assemble writes the payload into dst, which must have its size.
func (p *partialPacket) assemble(dst []byte) {
	for b := p.fragments; b != nil; b = b.next {
		copy(dst[b.id*FragmentBytes:], b.bytes[:b.n])
	}
}

// copyFrom sets a to a copy of o that shares no memory.
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
