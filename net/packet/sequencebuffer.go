package packet

// SequenceBuffer remembers a value for each of the newest sequences, in a ring
// whose slot is the sequence mod its length (Fiedler, Packet Fragmentation and
// Reassembly, 2016). A slot knows the whole sequence of what it holds, so what
// was left there a round ago is never taken for what is asked for, and nothing
// need be cleared when the newest sequence leaps ahead. All operations take
// constant time; none but NewSequenceBuffer and CopyFrom allocates.
type SequenceBuffer[T any] struct {
	slots []slot[T]
	next  Sequence // after the newest that was inserted
}

type slot[T any] struct {
	value T
	tag   Sequence // of the value, plus 1; 0: empty (no session reaches the last sequence)
}

// NewSequenceBuffer returns an empty buffer of n slots. It panics unless n is a
// power of two.
func NewSequenceBuffer[T any](n int) SequenceBuffer[T] {
	if n < 1 || n&(n-1) != 0 {
		panic("packet: a SequenceBuffer whose length is no power of two")
	}
	return SequenceBuffer[T]{slots: make([]slot[T], n)}
}

// slotFor returns the slot of s. The length is a power of two, which spares a
// division.
func (b *SequenceBuffer[T]) slotFor(s Sequence) *slot[T] {
	return &b.slots[int(s)&(len(b.slots)-1)]
}

// Insert makes room for the value of s and returns it, zeroed. What the slot
// held before is gone. It returns nil for a sequence that is too old: as far
// behind the newest inserted as the buffer is long, or farther. The pointer is
// valid until s is removed or its slot taken by a newer sequence.
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

// Find returns the value of s, or nil if it was not inserted, was removed, or
// has made room for a newer one.
func (b *SequenceBuffer[T]) Find(s Sequence) *T {
	if x := b.slotFor(s); x.tag == s+1 && x.tag != 0 {
		return &x.value
	}
	return nil
}

// Has reports whether Find would find a value.
func (b *SequenceBuffer[T]) Has(s Sequence) bool { return b.Find(s) != nil }

// Remove forgets the value of s, if there is one.
func (b *SequenceBuffer[T]) Remove(s Sequence) {
	if x := b.slotFor(s); x.tag == s+1 {
		*x = slot[T]{}
	}
}

// TooOld reports whether Insert would refuse s.
func (b *SequenceBuffer[T]) TooOld(s Sequence) bool {
	return s < b.next && b.next-s > Sequence(len(b.slots))
}

// CopyFrom makes b an equal of o. Values are copied as by assignment.
func (b *SequenceBuffer[T]) CopyFrom(o *SequenceBuffer[T]) {
	b.slots, b.next = append(b.slots[:0], o.slots...), o.next
}
