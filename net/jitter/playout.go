package jitter

import "time"

// CatchUp is how many items a Playout releases at most in one go when it is
// behind. More at once would take longer to use than it brings, and the next
// time there would be more still.
const CatchUp = 4

// playoutWindow is how many items ahead of the next one a Playout keeps.
const playoutWindow = 1024

// PlayoutStats are running totals of one Playout.
type PlayoutStats struct {
	Kept     uint64
	Late     uint64 // its turn was over
	Again    uint64 // was here already
	Far      uint64 // too far ahead to be kept
	Released uint64
	Waited   uint64 // calls of Ready at which the next item was due and missing
}

// Playout releases numbered items in order, each a fixed delay after its time:
// number n at t0 + (n-first)/rate + delay, where t0 is when the first item came,
// whichever it was. One that is due and missing is waited for, and so are all
// behind it. The delay is not adapted to the link, and clocks that drift apart
// are not noticed: both are left open in the article.
//
// The article's program adds half a tick to the delay, so that an item does
// not fall due in the very moment of a tick; the article does not, nor does
// this. Who wants it asks for it in the delay.
type Playout[T any] struct {
	Stats PlayoutStats

	first, next int64
	rate        int
	delay       time.Duration
	start       time.Duration // when the first item came
	begun       bool
	ring        [playoutWindow]struct {
		here  bool
		value T
	}
}

// NewPlayout returns a playout buffer for items numbered from first, at rate of
// them per second, at least 1.
func NewPlayout[T any](first int64, rate int, delay time.Duration) *Playout[T] {
	if rate < 1 || delay < 0 {
		panic("jitter: a playout without a rate, or with a negative delay")
	}
	return &Playout[T]{first: first, next: first, rate: rate, delay: delay}
}

// Put takes in item n, which came at the moment now.
func (p *Playout[T]) Put(now time.Duration, n int64, value T) Verdict {
	switch {
	case n < p.next:
		p.Stats.Late++
		return Late
	case uint64(n)-uint64(p.next) >= playoutWindow:
		p.Stats.Far++
		return Far
	}
	s := &p.ring[uint64(n)%playoutWindow]
	if s.here {
		p.Stats.Again++
		return Again
	}
	if !p.begun {
		p.begun, p.start = true, now
	}
	s.here, s.value = true, value
	p.Stats.Kept++
	return Kept
}

// Due returns when item n is due. It reports false before anything came.
func (p *Playout[T]) Due(n int64) (time.Duration, bool) {
	whole, part := (n-p.first)/int64(p.rate), (n-p.first)%int64(p.rate)
	return p.start + time.Duration(whole)*time.Second + time.Duration(part)*time.Second/time.Duration(p.rate) + p.delay, p.begun
}

// Ready returns for how many items in a row, at most CatchUp, the time has come
// by now and the item is here. So many times Take has one.
func (p *Playout[T]) Ready(now time.Duration) (n int) {
	for n < CatchUp {
		i := p.next + int64(n)
		if due, begun := p.Due(i); !begun || due > now {
			break
		}
		if !p.ring[uint64(i)%playoutWindow].here {
			if n == 0 {
				p.Stats.Waited++
			}
			break
		}
		n++
	}
	return n
}

// Take returns the next item if it is due by now and here.
func (p *Playout[T]) Take(now time.Duration) (Item[T], bool) {
	s := &p.ring[uint64(p.next)%playoutWindow]
	if due, begun := p.Due(p.next); !begun || due > now || !s.here {
		return Item[T]{}, false
	}
	i := Item[T]{p.next, s.value}
	s.here, s.value = false, *new(T)
	p.next++
	p.Stats.Released++
	return i, true
}

// CopyFrom makes p an equal of o. What a value points to is shared.
func (p *Playout[T]) CopyFrom(o *Playout[T]) { *p = *o }
