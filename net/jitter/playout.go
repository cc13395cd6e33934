package jitter

import "time"

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
// behind it.
//
// The article's program adds half a tick to the delay, so that an item does
// not fall due in the very moment of a tick; the article does not, nor does
// this. Who wants it asks for it in the delay.
//
// The article leaves two exercises, to adapt the delay to the link and to
// follow a clock that runs faster or slower than one's own. Both are here, and
// both look at how late items come against their times, in spans of two
// seconds. The settings may be changed at any time.
type Playout[T any] struct {
	Stats PlayoutStats

	// Delay is what items are held back after their times, at least 0. If it is
	// adapted it is only where that begins.
	Delay time.Duration

	// Adapt makes the delay what the latest item of the last ten seconds needed,
	// and the time of one item more. It grows at once, when an item is late, and
	// shrinks by a fiftieth of the time that passes.
	Adapt bool

	// Follow moves the times of items with the earliest arrivals of each span, by
	// a two-hundredth of the time that passes at most: the sender's clock is
	// followed, and so is a path that becomes longer or shorter. What is further
	// away than 25 ms is no clock that runs otherwise: one of the two
	// has stood still. That is made up for by a quarter of the time that passes, and
	// what is more than a second at once.
	Follow bool

	first, next int64
	rate        int
	start       time.Duration // when the first item came
	begun       bool
	now         time.Duration // of the last call
	delay       time.Duration // in force
	shift       time.Duration // of all times, to follow

	span    lateness        // that is being looked at
	spanEnd time.Duration   //
	usual   time.Duration   // least lateness of the first whole span
	drift   time.Duration   // least lateness of the last one, from the usual
	worst   [spans]lateness // of the spans before
	seen    int             // spans before
	ring    [playoutWindow]struct {
		here  bool
		value T
	}
}

// lateness is by how much items came after their times.
type lateness struct {
	any         bool
	least, most time.Duration
}

const (
	spanTime  = 2 * time.Second
	spans     = 5   // that the delay remembers
	shrink    = 50  // the delay shrinks by one part in so many
	slew      = 200 // times move by one part in so many
	hurry     = 4   // by one in so many, if they have to move by more than
	farAway   = 25 * time.Millisecond
	resetAway = time.Second // by which they move at once
	mostDelay = 5 * time.Second
)

// NewPlayout returns a playout buffer for items numbered from first, at rate of
// them per second, at least 1.
func NewPlayout[T any](first int64, rate int, delay time.Duration) *Playout[T] {
	if rate < 1 || delay < 0 {
		panic("jitter: a playout without a rate, or with a negative delay")
	}
	return &Playout[T]{Delay: delay, first: first, next: first, rate: rate, delay: delay}
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
		p.begun, p.start, p.now, p.spanEnd = true, now, now, now+spanTime
	}
	p.pass(now)
	p.span.take(now - p.start - p.time(n))
	s.here, s.value = true, value
	p.Stats.Kept++
	return Kept
}

// take takes in one more lateness.
func (l *lateness) take(late time.Duration) {
	if !l.any {
		*l = lateness{true, late, late}
		return
	}
	l.least, l.most = min(l.least, late), max(l.most, late)
}

// pass lets time pass: it closes the span that has ended, and moves the delay
// and the times.
func (p *Playout[T]) pass(now time.Duration) {
	if !p.begun {
		return
	}
	passed := max(now-p.now, 0)
	p.now = now
	if now >= p.spanEnd {
		p.spanEnd = now + spanTime
		p.close()
	}
	target := p.drift
	if away := p.drift - p.shift; p.Follow && away.Abs() > farAway {
		by := min(passed/hurry, away.Abs()-farAway)
		if away < 0 {
			by = -by
		}
		p.retime(by)
		target = p.drift
	}
	if !p.Follow {
		target = 0
	}
	step := passed / slew
	p.shift += min(max(target-p.shift, -step), step)
	if !p.Adapt {
		p.delay = p.Delay
		return
	}
	need := p.span
	for _, w := range p.worst[:min(p.seen, spans)] {
		if w.any {
			need.take(w.most)
		}
	}
	want := min(max(need.most-p.shift+p.time(p.first+1), 0), mostDelay)
	switch {
	case want > p.delay:
		p.delay = want
	case p.seen >= spans: // what is not long enough known could be luck
		p.delay -= min(passed/shrink, p.delay-want)
	}
}

// close ends a span.
func (p *Playout[T]) close() {
	if !p.span.any {
		return
	}
	if p.seen == 0 {
		p.usual = p.span.least
	}
	p.drift = p.span.least - p.usual
	if away := p.drift - p.shift; p.Follow && away.Abs() > resetAway {
		p.retime(away)
		p.worst, p.span = [spans]lateness{}, lateness{} // of other times
		return
	}
	p.worst[p.seen%spans] = p.span
	p.seen++
	p.span = lateness{}
}

// retime moves all times, as if the first item had come later.
func (p *Playout[T]) retime(by time.Duration) {
	p.start += by
	p.drift -= by
	p.span.least -= by
	p.span.most -= by
}

// time returns when item n is due after the first came, but for the delay.
func (p *Playout[T]) time(n int64) time.Duration {
	whole, part := (n-p.first)/int64(p.rate), (n-p.first)%int64(p.rate)
	return time.Duration(whole)*time.Second + time.Duration(part)*time.Second/time.Duration(p.rate)
}

// Due returns when item n is due. It reports false before anything came.
func (p *Playout[T]) Due(n int64) (time.Duration, bool) {
	return p.start + p.time(n) + p.shift + p.delay, p.begun
}

// Held returns the delay in force.
func (p *Playout[T]) Held() time.Duration { return p.delay }

// Drift returns by how much more the earliest items of the last span were late
// than those of the first: the sender's clock runs slower than ours if it
// grows.
func (p *Playout[T]) Drift() time.Duration { return p.drift }

// Ready returns for how many items in a row, at most most, the time has come by
// now and the item is here. So many times Take has one.
func (p *Playout[T]) Ready(now time.Duration, most int) (n int) {
	p.pass(now)
	for n < most {
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

// Overdue reports whether the next item is due by now and missing: whoever
// needs it waits.
func (p *Playout[T]) Overdue(now time.Duration) bool {
	due, begun := p.Due(p.next)
	return begun && due <= now && !p.ring[uint64(p.next)%playoutWindow].here
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
