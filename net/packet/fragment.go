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
	// partWindow is how many packets back a packet may still lack fragments.
	partWindow = 256

	// partBlocks is how many fragments may wait for others of their packets, in
	// all: with them 512 KiB, room for two of the largest packets.
	partBlocks = 512

	// partLife is how long a packet may take from its first fragment to its last.
	partLife = 5 * time.Second
)

// block is one fragment that waits.
type block struct {
	bytes [FragmentBytes]byte
	n     int // bytes of it
	id    int
	next  *block
}

// assembly is a packet some of whose fragments have arrived.
type assembly struct {
	count, have int
	size        int // bytes that have arrived
	arrived     [MaxFragments / 64]uint64
	blocks      *block
	began       time.Duration
}

// assemblies are all the packets of an endpoint that lack fragments.
type assemblies struct {
	packets SequenceBuffer[assembly]
	count   int
	oldest  Sequence      // no packet below it is here
	due     time.Duration // before then none is too old

	spare  *block
	blocks int // that exist, spare or not

	given uint64 // packets given up
}

// outcome is what came of a fragment.
type outcome uint8

const (
	taken    outcome = iota
	complete         // and it was the last that lacked
	again            // it is here already
	late             // its packet is too old
	odd              // it contradicts what came first, or there is no room for it
)

// take takes in one fragment of packet s, which has not arrived whole and whose
// id, count and length are in their ranges. It returns the packet if it lacks
// nothing more; the caller has to release it. What came first is believed: a
// fragment that says otherwise is odd, one that is here again is not looked at.
func (a *assemblies) take(s Sequence, h *header, body []byte, at time.Duration) (*assembly, outcome) {
	p := a.packets.Find(s)
	if p == nil {
		if a.packets.TooOld(s) {
			return nil, late
		}
	} else {
		if p.count != h.count {
			return nil, odd
		}
		if p.arrived[h.id/64]>>(h.id%64)&1 != 0 {
			return nil, again
		}
	}
	b := a.block(s)
	if b == nil {
		return nil, odd
	}
	if p == nil {
		p = a.begin(s, h.count, at)
	}
	b.n, b.id, b.next = copy(b.bytes[:], body), h.id, p.blocks
	p.blocks = b
	p.arrived[h.id/64] |= 1 << (h.id % 64)
	p.have++
	p.size += b.n
	if p.have < p.count {
		return p, taken
	}
	return p, complete
}

// begin makes room for a packet. Those that its sequence makes too old are given
// up.
func (a *assemblies) begin(s Sequence, count int, at time.Duration) *assembly {
	if s >= partWindow {
		a.forget(s - partWindow + 1)
	}
	if a.count == 0 {
		a.oldest, a.due = s, at+partLife
	}
	a.oldest, a.due = min(a.oldest, s), min(a.due, at+partLife)
	a.count++
	p := a.packets.Insert(s)
	p.count, p.began = count, at
	return p
}

// block returns memory for a fragment of packet s. If there is none left, the
// oldest packets make room, unless s is as old.
func (a *assemblies) block(s Sequence) *block {
	if a.spare == nil && a.blocks < partBlocks {
		a.blocks++
		return new(block)
	}
	for a.spare == nil {
		for !a.packets.Has(a.oldest) {
			a.oldest++ // all blocks wait, so there is such a packet
		}
		if a.oldest >= s {
			return nil
		}
		a.give(a.oldest)
	}
	b := a.spare
	a.spare = b.next
	return b
}

// release forgets packet s, if it is here, and keeps the memory.
func (a *assemblies) release(s Sequence) {
	p := a.packets.Find(s)
	if p == nil {
		return
	}
	for b := p.blocks; b != nil; {
		next := b.next
		b.next, a.spare = a.spare, b
		b = next
	}
	a.packets.Remove(s)
	a.count--
}

// give gives packet s up.
func (a *assemblies) give(s Sequence) {
	a.release(s)
	a.given++
}

// forget gives up all packets below s. It looks at no more slots than there
// are, because none is occupied farther behind the newest.
func (a *assemblies) forget(s Sequence) {
	for ; a.count > 0 && a.oldest < s; a.oldest++ {
		if a.packets.Has(a.oldest) {
			a.give(a.oldest)
		}
	}
}

// expire gives up the packets that began too long ago. It looks at them only
// when one of them may have.
func (a *assemblies) expire(now time.Duration) {
	if a.count == 0 || now < a.due {
		return
	}
	a.due = now + partLife
	for s := a.oldest; s < a.packets.next; s++ {
		if p := a.packets.Find(s); p == nil {
			continue
		} else if now >= p.began+partLife {
			a.give(s)
		} else {
			a.due = min(a.due, p.began+partLife)
		}
	}
}

// join writes the payload into dst, which has its size.
func (p *assembly) join(dst []byte) {
	for b := p.blocks; b != nil; b = b.next {
		copy(dst[b.id*FragmentBytes:], b.bytes[:b.n])
	}
}

// copyFrom makes a an equal of o that shares no memory with it.
func (a *assemblies) copyFrom(o *assemblies) {
	a.forget(a.packets.next)
	a.packets.CopyFrom(&o.packets)
	a.count, a.oldest, a.due, a.given = o.count, o.oldest, o.due, o.given
	for i := range a.packets.slots {
		p := &a.packets.slots[i].value
		end := &p.blocks
		for from := p.blocks; from != nil; from = from.next {
			b := a.spare
			if b != nil {
				a.spare = b.next
			} else {
				b = new(block)
				a.blocks++
			}
			*b = *from
			b.next, *end = nil, b
			end = &b.next
		}
	}
}
