package packet

// SequenceBuffer stores values for the newest sequence numbers, in a ring indexed by
// sequence modulo its length (Fiedler, Packet Fragmentation and Reassembly, 2016). Each
// slot stores the full sequence number, so a stale value is never mistaken for a
// current one and nothing needs clearing when the sequence jumps ahead. All operations
// take constant time; only NewSequenceBuffer and CopyFrom allocate.
type SequenceBuffer[T any] struct {
	slots []slot[T]
	next  Sequence // one after the newest inserted
}

type slot[T any] struct {
	value T
	tag   Sequence // sequence plus 1; 0: empty
}

// NewSequenceBuffer returns an empty buffer of n slots. It panics unless n is a power
// of two.
func NewSequenceBuffer[T any](n int) SequenceBuffer[T] {
	if n < 1 || n&(n-1) != 0 {
		panic("packet: NewSequenceBuffer with a length that is not a power of two")
	}
	return SequenceBuffer[T]{slots: make([]slot[T], n)}
}

// slotFor returns the slot of s.
func (b *SequenceBuffer[T]) slotFor(s Sequence) *slot[T] {
	return &b.slots[int(s)&(len(b.slots)-1)]
}

// Insert makes room for the value of s and returns it, zeroed, replacing what was in
// its slot. It returns nil if s is too old: as far behind the newest as the buffer is
// long, or farther. The pointer is valid until s is removed or replaced.
func (b *SequenceBuffer[T]) Insert(s Sequence) *T {
	if b.TooOld(s) {
		return nil
	}
	b.next = max(b.next, s+1)
	x := b.slotFor(s)
	var zero T
	x.tag, x.value = s+1, zero
	return &x.value
}

// Find returns the value of s, or nil if there is none.
func (b *SequenceBuffer[T]) Find(s Sequence) *T {
	if x := b.slotFor(s); x.tag == s+1 && x.tag != 0 {
		return &x.value
	}
	return nil
}

// Has reports whether there is a value of s.
func (b *SequenceBuffer[T]) Has(s Sequence) bool { return b.Find(s) != nil }

// Remove removes the value of s, if there is one.
func (b *SequenceBuffer[T]) Remove(s Sequence) {
	if x := b.slotFor(s); x.tag == s+1 {
		*x = slot[T]{}
	}
}

// TooOld reports whether Insert would reject s.
func (b *SequenceBuffer[T]) TooOld(s Sequence) bool {
	return s < b.next && b.next-s > Sequence(len(b.slots))
}

// MoveBack makes s the newest number that was inserted, if a newer one was, so that the
// numbers around s are no longer too old. Values stay.
func (b *SequenceBuffer[T]) MoveBack(s Sequence) { b.next = min(b.next, s+1) }

// CopyFrom sets b to a copy of o. Values are assigned.
func (b *SequenceBuffer[T]) CopyFrom(o *SequenceBuffer[T]) {
	b.slots, b.next = append(b.slots[:0], o.slots...), o.next
}
