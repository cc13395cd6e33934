// Package history remembers things by tick: what was pressed, what the world
// was. It is a ring, so the past has a length, and each slot knows which tick
// it holds, so what has been overwritten or never was is not mistaken for
// what is asked.
package history

import "ghostcube/sim"

// Ring remembers one T for each of the last ticks. The zero value remembers
// nothing and may not be written to; New makes one of a size.
type Ring[T any] struct {
	slots []slot[T]
}

type slot[T any] struct {
	tick  sim.Tick
	used  bool
	value T
}

// New returns a ring that remembers size ticks.
func New[T any](size int) Ring[T] { return Ring[T]{make([]slot[T], size)} }

// Insert returns the place for tick t, to be written over. What it holds is of
// some earlier tick; its memory may be used again.
func (r *Ring[T]) Insert(t sim.Tick) *T {
	s := &r.slots[t%sim.Tick(len(r.slots))]
	s.tick, s.used = t, true
	return &s.value
}

// Find returns what is remembered of tick t, or nil.
func (r *Ring[T]) Find(t sim.Tick) *T {
	s := &r.slots[t%sim.Tick(len(r.slots))]
	if !s.used || s.tick != t {
		return nil
	}
	return &s.value
}

// Reset empties the ring and keeps its memory.
func (r *Ring[T]) Reset() {
	for i := range r.slots {
		r.slots[i].used = false
	}
}

// CopyFrom makes r an equal of o, which has the same size. copy copies one T
// so that no memory is shared.
func (r *Ring[T]) CopyFrom(o *Ring[T], copy func(dst, src *T)) {
	for i := range r.slots {
		r.slots[i].tick, r.slots[i].used = o.slots[i].tick, o.slots[i].used
		if r.slots[i].used {
			copy(&r.slots[i].value, &o.slots[i].value)
		}
	}
}

// CopyValue is the copy for values that hold no memory of their own.
func CopyValue[T any](dst, src *T) { *dst = *src }
