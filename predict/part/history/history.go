// Package history remembers one value per tick, such as inputs, poses, bodies or whole worlds, in a
// ring. Each slot stores its tick, so an overwritten or missing tick is never mistaken for another.
package history

import (
	"iter"

	"ghostcube/sim"
)

// Ring remembers one T for each of the last ticks. The zero value remembers nothing and may not be
// inserted into; New makes a ring of a size.
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

// Size returns how many ticks the ring remembers.
func (r *Ring[T]) Size() int { return len(r.slots) }

// Insert returns the value of tick t for the caller to overwrite. It contains the value of an older
// tick, whose memory can be reused.
func (r *Ring[T]) Insert(t sim.Tick) *T {
	s := &r.slots[t%sim.Tick(len(r.slots))]
	s.tick, s.used = t, true
	return &s.value
}

// Find returns the remembered value of tick t, or nil.
func (r *Ring[T]) Find(t sim.Tick) *T {
	if len(r.slots) == 0 {
		return nil
	}
	s := &r.slots[t%sim.Tick(len(r.slots))]
	if !s.used || s.tick != t {
		return nil
	}
	return &s.value
}

// Remove forgets tick t and returns its value, for memory that is worth keeping. ok is false if the
// tick is not remembered.
func (r *Ring[T]) Remove(t sim.Tick) (value T, ok bool) {
	v := r.Find(t)
	if v == nil {
		return value, false
	}
	value = *v
	r.slots[t%sim.Tick(len(r.slots))] = slot[T]{}
	return value, true
}

// Between returns the remembered values of the ticks from first to last, inclusive, oldest first.
// The caller may change them.
func (r *Ring[T]) Between(first, last sim.Tick) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for t := first; t <= last; t++ {
			if v := r.Find(t); v != nil && !yield(v) {
				return
			}
		}
	}
}

// Trail returns every step-th of the values remembered of the last ticks before now, oldest first.
// step is a power of two. The returned ticks are multiples of it, so that the points of a drawn
// trail do not move.
func (r *Ring[T]) Trail(now sim.Tick, ticks, step int) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for back := ticks; back > 0; back -= step {
			t := int64(now)&^int64(step-1) - int64(back)
			if t < 0 {
				continue
			}
			if v := r.Find(sim.Tick(t)); v != nil && !yield(v) {
				return
			}
		}
	}
}

// Reset empties the ring and keeps its memory.
func (r *Ring[T]) Reset() {
	for i := range r.slots {
		r.slots[i].used = false
	}
}

// CopyFrom makes r a copy of o. copy copies one T so that the two share no memory.
func (r *Ring[T]) CopyFrom(o *Ring[T], copy func(dst, src *T)) {
	if len(r.slots) != len(o.slots) {
		*r = New[T](len(o.slots))
	}
	for i := range r.slots {
		r.slots[i].tick, r.slots[i].used = o.slots[i].tick, o.slots[i].used
		if r.slots[i].used {
			copy(&r.slots[i].value, &o.slots[i].value)
		}
	}
}

// CopyValue is the copy function for values without pointers or slices.
func CopyValue[T any](dst, src *T) { *dst = *src }
