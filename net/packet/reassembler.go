package packet

import "time"

// reassembler stores the packets that lack fragments.
type reassembler struct {
	packets     SequenceBuffer[*assembly] // the first of a packet's assemblies, never nil
	packetCount int
	oldest      Sequence      // no stored packet is older
	nextExpiry  time.Duration // no assembly expires before then

	free           *fragmentBuffer
	bufferCount    int // allocated, in use or free
	freeAssemblies *assembly
	failures       uint64 // packets abandoned
	falseFragments uint64 // fragments dropped because their packet arrived without them
	joinScratch
}

// fragmentResult is the result of adding a fragment.
type fragmentResult uint8

const (
	fragmentStored fragmentResult = iota
	packetComplete                // all fragments have arrived
	fragmentDuplicate
	fragmentTooOld  // its packet is too old
	fragmentRefused // there is no memory, or there are too many contradicting ones
)

// add stores a fragment of packet s, which is not complete and whose id, count and
// length are in range. If that completes the packet, add returns its assembly and the
// caller must release the packet. A repeated fragment is ignored.
func (r *reassembler) add(s Sequence, h *header, body []byte, at time.Duration) (*assembly, fragmentResult) {
	a := r.find(s, h)
	switch {
	case r.joined(s) != nil: // it waits to be delivered
		return nil, fragmentDuplicate
	case a == nil && r.packets.TooOld(s):
		return nil, fragmentTooOld
	case a != nil && a.hasFragment(h.fragmentID, body):
		return nil, fragmentDuplicate
	case a != nil && a.hasID(h.fragmentID) && a.alternatives == maxAlternatives:
		return nil, fragmentRefused
	}
	b := r.allocBuffer(s)
	if b == nil {
		return nil, fragmentRefused
	}
	if a = r.find(s, h); a == nil { // again, because its packet may have made room
		a = r.start(s, h, at)
	}
	b.n, b.id, b.next = copy(b.bytes[:], body), h.fragmentID, a.fragments
	a.fragments = b
	if a.hasID(b.id) {
		a.alternatives++
	} else {
		a.received[b.id/64] |= 1 << (b.id % 64)
		a.receivedCount++
	}
	if a.receivedCount < a.fragmentCount || !r.join(a) {
		return a, fragmentStored
	}
	r.keepChosen(a)
	return a, packetComplete
}

// find returns the assembly of packet s that the fragment of h belongs to, or nil.
func (r *reassembler) find(s Sequence, h *header) *assembly {
	for a := r.first(s); a != nil; a = a.next {
		if a.matches(h) {
			return a
		}
	}
	return nil
}

// first returns the first assembly of packet s, or nil.
func (r *reassembler) first(s Sequence) *assembly {
	if p := r.packets.Find(s); p != nil {
		return *p
	}
	return nil
}

// joined returns the assembly of packet s that is complete, or nil.
func (r *reassembler) joined(s Sequence) *assembly {
	for a := r.first(s); a != nil; a = a.next {
		if a.size > 0 {
			return a
		}
	}
	return nil
}

// start begins an assembly. Packets that become too old are abandoned.
func (r *reassembler) start(s Sequence, h *header, at time.Duration) *assembly {
	if s >= reassemblyWindow {
		r.abandonBelow(s - reassemblyWindow + 1)
	}
	if r.packetCount == 0 {
		r.oldest, r.nextExpiry = s, at+reassemblyTimeout
	}
	r.oldest, r.nextExpiry = min(r.oldest, s), min(r.nextExpiry, at+reassemblyTimeout)
	p := r.packets.Find(s)
	if p == nil {
		r.packetCount++
		p = r.packets.Insert(s)
	} else {
		r.limitAssemblies(p)
	}
	a := r.allocAssembly()
	a.checksum, a.fragmentCount, a.startedAt = h.payloadChecksum, h.fragmentCount, at
	end := p
	for *end != nil {
		end = &(*end).next
	}
	*end = a
	return a
}

// limitAssemblies makes room for one more assembly of a packet. It drops the one with the
// fewest fragments, and of equal ones the newest.
func (r *reassembler) limitAssemblies(p **assembly) {
	n, victim := 0, p
	for at := p; *at != nil; at = &(*at).next {
		n++
		if (*at).receivedCount <= (*victim).receivedCount {
			victim = at
		}
	}
	if n == maxAssemblies {
		r.falseFragments += uint64((*victim).receivedCount + (*victim).alternatives)
		r.drop(victim)
	}
}

// drop frees the assembly at a place in a packet's list.
func (r *reassembler) drop(at **assembly) {
	a := *at
	*at = a.next
	for b := a.fragments; b != nil; {
		next := b.next
		b.next, r.free = r.free, b
		b = next
	}
	*a = assembly{next: r.freeAssemblies}
	r.freeAssemblies = a
}

// keepChosen frees the fragments of a joined assembly that were not chosen.
func (r *reassembler) keepChosen(a *assembly) {
	at := &a.fragments
	for *at != nil {
		b := *at
		if r.chosen[b.id] == b {
			a.size += b.n
			at = &b.next
			continue
		}
		*at = b.next
		b.next, r.free = r.free, b
		r.falseFragments++
	}
	a.alternatives = 0
}

// allocAssembly returns memory for an assembly. There are never more of them than fragments.
func (r *reassembler) allocAssembly() *assembly {
	a := r.freeAssemblies
	if a == nil {
		return new(assembly)
	}
	r.freeAssemblies, a.next = a.next, nil
	return a
}

// allocBuffer returns memory for a fragment of packet s. If none is left it abandons
// the oldest packets, but none as new as s.
func (r *reassembler) allocBuffer(s Sequence) *fragmentBuffer {
	if r.free == nil && r.bufferCount < maxFragmentBuffers {
		r.bufferCount++
		return new(fragmentBuffer)
	}
	for r.free == nil {
		for !r.packets.Has(r.oldest) {
			r.oldest++ // every buffer is in use, so a packet exists
		}
		if r.oldest >= s {
			return nil
		}
		r.abandon(r.oldest)
	}
	b := r.free
	r.free = b.next
	return b
}

// release removes packet s, if it is stored, and frees its memory.
func (r *reassembler) release(s Sequence) {
	p := r.packets.Find(s)
	if p == nil {
		return
	}
	for *p != nil {
		r.drop(p)
	}
	r.packets.Remove(s)
	r.packetCount--
}

// releaseArrived removes packet s, which has arrived, and counts the fragments that were
// not part of it.
func (r *reassembler) releaseArrived(s Sequence) {
	for a := r.first(s); a != nil; a = a.next {
		if a.size == 0 {
			r.falseFragments += uint64(a.receivedCount + a.alternatives)
		}
	}
	r.release(s)
}

// abandon drops packet s.
func (r *reassembler) abandon(s Sequence) {
	r.release(s)
	r.failures++
}

// abandonBelow drops all packets below s. It looks at no more slots than there are,
// because none farther behind the newest is in use.
func (r *reassembler) abandonBelow(s Sequence) {
	for ; r.packetCount > 0 && r.oldest < s; r.oldest++ {
		if r.packets.Has(r.oldest) {
			r.abandon(r.oldest)
		}
	}
}

// expire drops the assemblies whose time is over. It searches only when there may be one.
func (r *reassembler) expire(now time.Duration) {
	if r.packetCount == 0 || now < r.nextExpiry {
		return
	}
	r.nextExpiry = now + reassemblyTimeout
	for s := r.oldest; s < r.packets.next; s++ {
		p := r.packets.Find(s)
		if p == nil {
			continue
		}
		for at := p; *at != nil; {
			if a := *at; now >= a.startedAt+reassemblyTimeout {
				r.drop(at)
			} else {
				r.nextExpiry = min(r.nextExpiry, a.startedAt+reassemblyTimeout)
				at = &a.next
			}
		}
		if *p == nil {
			r.abandon(s)
		}
	}
}

// copyFrom sets r to a copy of o that shares no memory.
func (r *reassembler) copyFrom(o *reassembler) {
	r.abandonBelow(r.packets.next)
	r.packets.CopyFrom(&o.packets)
	r.packetCount, r.oldest, r.nextExpiry = o.packetCount, o.oldest, o.nextExpiry
	r.failures, r.falseFragments = o.failures, o.falseFragments
	for i := range r.packets.slots {
		end := &r.packets.slots[i].value
		from := *end
		*end = nil
		for ; from != nil; from = from.next {
			a := r.allocAssembly()
			*a = *from
			a.next, a.fragments = nil, r.copyFragments(from.fragments)
			*end, end = a, &a.next
		}
	}
}

// copyFragments returns a copy of a list of fragments.
func (r *reassembler) copyFragments(from *fragmentBuffer) (list *fragmentBuffer) {
	end := &list
	for ; from != nil; from = from.next {
		b := r.free
		if b != nil {
			r.free = b.next
		} else {
			b = new(fragmentBuffer)
			r.bufferCount++
		}
		*b = *from
		b.next, *end = nil, b
		end = &b.next
	}
	return list
}
