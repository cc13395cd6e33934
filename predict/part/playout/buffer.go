// Package playout is for receivers of a stream of ticks. They keep what arrives and play it
// out a delay after it was expected, so that packets that the network delays more than
// others are still in time. The words are those of RFC 3550 and of voice over IP.
//
// A strategy builds its playout from these parts:
//
//   - Buffer sorts what arrives by the sender's tick.
//   - Clock maps own time to the sender's. It knows which tick is expected now, and how late
//     another one is.
//   - Arrivals records the lateness of the earliest and the latest packet of each span of
//     time. The earliest packet sets the clock: its lateness changes with the clocks and
//     with the length of the path, and not with jitter.
//   - The playout delay is fixed, or adapts to the lateness of the last spans by a policy:
//     Peak is for a receiver that waits for every packet, Percentile for one that can do
//     without some.
//   - A receiver follows the sender's clock in one of three ways: it moves its Clock, at once
//     or towards the mean of the arrivals; it moves its schedule gradually, which is Slew; or
//     it changes the pace of its own ticks. The pace is the work of predict/part/clock, which
//     also steers clients that play nothing out and only have to send their inputs in time.
//
// The package knows no network and reads no clock. The receiver counts its own ticks, says
// what has arrived, and decides what to do with an item that is late or missing.
package playout

import "ghostcube/sim"

// Buffer is a jitter buffer: a queue of items sorted by tick, each tick once, whatever the order in which they
// arrive. The zero value is empty. It grows as needed and reuses the memory of dropped
// items. A caller that inserts what the network brings has to bound the number of items.
type Buffer[T any] struct {
	ring  []Item[T] // its length is 0 or a power of two
	first int       // index of the oldest item
	count int
}

// Item is a value and the sender's tick that it belongs to.
type Item[T any] struct {
	Tick  sim.Tick
	Value T
}

// Len returns the number of items.
func (b *Buffer[T]) Len() int { return b.count }

// At returns an item, 0 being the oldest. It is valid until the next Insert or Drop. The
// caller may change its tick as long as the order stays. An index out of range panics.
func (b *Buffer[T]) At(i int) *Item[T] {
	if uint(i) >= uint(b.count) {
		panic("playout: no such item")
	}
	return &b.ring[(b.first+i)&(len(b.ring)-1)]
}

// Newest returns the newest item, or nil if the buffer is empty.
func (b *Buffer[T]) Newest() *Item[T] {
	if b.count == 0 {
		return nil
	}
	return b.At(b.count - 1)
}

// Has reports whether the buffer has an item of tick t. It looks at one item after the other.
func (b *Buffer[T]) Has(t sim.Tick) bool {
	for i := b.count - 1; i >= 0 && b.At(i).Tick >= t; i-- {
		if b.At(i).Tick == t {
			return true
		}
	}
	return false
}

// Insert makes room for the item of a tick and returns its value for the caller to
// overwrite. The value is that of a dropped item, so that its memory can be used again.
// Insert returns nil if the tick is in the buffer already.
func (b *Buffer[T]) Insert(t sim.Tick) *T {
	i := b.count
	for i > 0 && b.At(i-1).Tick > t {
		i--
	}
	if i > 0 && b.At(i-1).Tick == t {
		return nil
	}
	if b.count == len(b.ring) {
		b.grow()
	}
	b.count++
	for j := b.count - 1; j > i; j-- {
		later, earlier := b.At(j), b.At(j-1)
		*later, *earlier = *earlier, *later
	}
	item := b.At(i)
	item.Tick = t
	return &item.Value
}

// grow doubles the ring.
func (b *Buffer[T]) grow() {
	ring := make([]Item[T], max(2*len(b.ring), 4))
	for i := range b.count {
		ring[i] = *b.At(i)
	}
	b.ring, b.first = ring, 0
}

// Drop removes the oldest n items.
func (b *Buffer[T]) Drop(n int) {
	if uint(n) > uint(b.count) {
		panic("playout: dropping more items than there are")
	}
	b.first = (b.first + n) & (len(b.ring) - 1)
	b.count -= n
}

// CountUntil returns the number of items whose ticks begin at or before m.
func (b *Buffer[T]) CountUntil(m sim.Moment) int {
	low, high := 0, b.count
	for low < high {
		if i := (low + high) / 2; b.At(i).Tick.Moment() <= m {
			low = i + 1
		} else {
			high = i
		}
	}
	return low
}

// CopyFrom makes b an equal of o. copyValue copies one value so that no memory is shared;
// nil stands for an assignment.
func (b *Buffer[T]) CopyFrom(o *Buffer[T], copyValue func(dst, src *T)) {
	b.first, b.count = 0, 0
	if len(b.ring) < len(o.ring) {
		b.ring = append(b.ring, make([]Item[T], len(o.ring)-len(b.ring))...)
	}
	for i := range o.count {
		from, to := o.At(i), &b.ring[i]
		if to.Tick = from.Tick; copyValue != nil {
			copyValue(&to.Value, &from.Value)
		} else {
			to.Value = from.Value
		}
	}
	b.count = o.count
}
