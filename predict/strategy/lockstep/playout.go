package lockstep

import "time"

// playoutItem is what is held, and the tick that it is for.
type playoutItem[T any] struct {
	Tick  int64
	Value T
}

// pushResult says what Push did.
type pushResult uint8

// The results of Push.
const (
	accepted   pushResult = iota
	late                  // an item of its tick, or of a later one, has had its turn; dropped
	duplicate             // it waits already; dropped
	outOfRange            // its tick is too far away; dropped
)

// playoutCapacity is how many items ahead of the next one a playoutBuffer keeps.
const playoutCapacity = 1024

// playoutStats are running totals of one playoutBuffer.
type playoutStats struct {
	Accepted   uint64
	Late       uint64 // its turn was over
	Duplicates uint64 // was here already
	OutOfRange uint64 // too far ahead to be kept
	Released   uint64
	Stalls     uint64 // calls of Ready at which the next item was due and missing
}

// playoutBuffer releases numbered items in order, each a fixed delay after its time:
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
type playoutBuffer[T any] struct {
	Stats playoutStats

	// Delay is what items are held back after their times, at least 0. If it is
	// adapted it is only where that begins.
	Delay time.Duration

	// Adaptive makes the delay what the latest item of the last ten seconds needed,
	// and the time of one item more. It grows at once, when an item is late, and
	// shrinks by a fiftieth of the time that passes.
	Adaptive bool

	// CompensateDrift moves the times of items with the earliest arrivals of each span, by
	// a two-hundredth of the time that passes at most: the sender's clock is
	// followed, and so is a path that becomes longer or shorter. What is further
	// away than 25 ms is no clock that runs otherwise: one of the two
	// has stood still. That is made up for by a quarter of the time that passes, and
	// what is more than a second at once.
	CompensateDrift bool

	first, next     int64
	rate            int
	firstArrival    time.Duration // when the first item came
	started         bool
	now             time.Duration // of the last call
	currentDelay    time.Duration // in force
	driftCorrection time.Duration // of all times, to follow

	window             lateness                 // that is being looked at
	windowEnd          time.Duration            //
	initialMinLateness time.Duration            // least lateness of the first whole span
	clockDrift         time.Duration            // least lateness of the last one, from the usual
	history            [historyWindows]lateness // of the spans before
	windowsSeen        int                      // spans before
	ring               [playoutCapacity]struct {
		present bool
		value   T
	}
}

// lateness is by how much items came after their times.
type lateness struct {
	any      bool
	min, max time.Duration
}

const (
	windowLength      = 2 * time.Second
	historyWindows    = 5   // that the delay remembers
	shrinkDivisor     = 50  // the delay shrinks by one part in so many
	slewDivisor       = 200 // times move by one part in so many
	fastSlewDivisor   = 4   // by one in so many, if they have to move by more than
	fastSlewThreshold = 25 * time.Millisecond
	stepThreshold     = time.Second // by which they move at once
	maxDelay          = 5 * time.Second
)

// newPlayoutBuffer returns a playout buffer for items numbered from first, at rate of
// them per second, at least 1.
func newPlayoutBuffer[T any](first int64, rate int, delay time.Duration) *playoutBuffer[T] {
	if rate < 1 || delay < 0 {
		panic("lockstep: a playout without a rate, or with a negative delay")
	}
	return &playoutBuffer[T]{Delay: delay, first: first, next: first, rate: rate, currentDelay: delay}
}

// Push takes in item n, which came at the moment now.
func (p *playoutBuffer[T]) Push(now time.Duration, n int64, value T) pushResult {
	switch {
	case n < p.next:
		p.Stats.Late++
		return late
	case uint64(n)-uint64(p.next) >= playoutCapacity:
		p.Stats.OutOfRange++
		return outOfRange
	}
	s := &p.ring[uint64(n)%playoutCapacity]
	if s.present {
		p.Stats.Duplicates++
		return duplicate
	}
	if !p.started {
		p.started, p.firstArrival, p.now, p.windowEnd = true, now, now, now+windowLength
	}
	p.advance(now)
	p.window.add(now - p.firstArrival - p.offset(n))
	s.present, s.value = true, value
	p.Stats.Accepted++
	return accepted
}

// add takes in one more lateness.
func (l *lateness) add(late time.Duration) {
	if !l.any {
		*l = lateness{true, late, late}
		return
	}
	l.min, l.max = min(l.min, late), max(l.max, late)
}

// advance lets time pass: it closes the span that has ended, and moves the delay
// and the times.
func (p *playoutBuffer[T]) advance(now time.Duration) {
	if !p.started {
		return
	}
	passed := max(now-p.now, 0)
	p.now = now
	if now >= p.windowEnd {
		p.windowEnd = now + windowLength
		p.closeWindow()
	}
	target := p.clockDrift
	if away := p.clockDrift - p.driftCorrection; p.CompensateDrift && away.Abs() > fastSlewThreshold {
		by := min(passed/fastSlewDivisor, away.Abs()-fastSlewThreshold)
		if away < 0 {
			by = -by
		}
		p.stepClock(by)
		target = p.clockDrift
	}
	if !p.CompensateDrift {
		target = 0
	}
	step := passed / slewDivisor
	p.driftCorrection += min(max(target-p.driftCorrection, -step), step)
	if !p.Adaptive {
		p.currentDelay = p.Delay
		return
	}
	need := p.window
	for _, w := range p.history[:min(p.windowsSeen, historyWindows)] {
		if w.any {
			need.add(w.max)
		}
	}
	want := min(max(need.max-p.driftCorrection+p.offset(p.first+1), 0), maxDelay)
	switch {
	case want > p.currentDelay:
		p.currentDelay = want
	case p.windowsSeen >= historyWindows: // what is not long enough known could be luck
		p.currentDelay -= min(passed/shrinkDivisor, p.currentDelay-want)
	}
}

// closeWindow ends a span.
func (p *playoutBuffer[T]) closeWindow() {
	if !p.window.any {
		return
	}
	if p.windowsSeen == 0 {
		p.initialMinLateness = p.window.min
	}
	p.clockDrift = p.window.min - p.initialMinLateness
	if away := p.clockDrift - p.driftCorrection; p.CompensateDrift && away.Abs() > stepThreshold {
		p.stepClock(away)
		p.history, p.window = [historyWindows]lateness{}, lateness{} // of other times
		return
	}
	p.history[p.windowsSeen%historyWindows] = p.window
	p.windowsSeen++
	p.window = lateness{}
}

// stepClock moves all times, as if the first item had come later.
func (p *playoutBuffer[T]) stepClock(by time.Duration) {
	p.firstArrival += by
	p.clockDrift -= by
	p.window.min -= by
	p.window.max -= by
}

// offset returns when item n is due after the first came, but for the delay.
func (p *playoutBuffer[T]) offset(n int64) time.Duration {
	whole, part := (n-p.first)/int64(p.rate), (n-p.first)%int64(p.rate)
	return time.Duration(whole)*time.Second + time.Duration(part)*time.Second/time.Duration(p.rate)
}

// DueTime returns when item n is due. It reports false before anything came.
func (p *playoutBuffer[T]) DueTime(n int64) (time.Duration, bool) {
	return p.firstArrival + p.offset(n) + p.driftCorrection + p.currentDelay, p.started
}

// CurrentDelay returns the delay in force.
func (p *playoutBuffer[T]) CurrentDelay() time.Duration { return p.currentDelay }

// ClockDrift returns by how much more the earliest items of the last span were late
// than those of the first: the sender's clock runs slower than ours if it
// grows.
func (p *playoutBuffer[T]) ClockDrift() time.Duration { return p.clockDrift }

// CountReleasable returns for how many items in a row, at most most, the time has come by
// now and the item is here. So many times Take has one.
func (p *playoutBuffer[T]) CountReleasable(now time.Duration, most int) (n int) {
	p.advance(now)
	for n < most {
		i := p.next + int64(n)
		if due, begun := p.DueTime(i); !begun || due > now {
			break
		}
		if !p.ring[uint64(i)%playoutCapacity].present {
			if n == 0 {
				p.Stats.Stalls++
			}
			break
		}
		n++
	}
	return n
}

// Stalled reports whether the next item is due by now and missing: whoever
// needs it waits.
func (p *playoutBuffer[T]) Stalled(now time.Duration) bool {
	due, begun := p.DueTime(p.next)
	return begun && due <= now && !p.ring[uint64(p.next)%playoutCapacity].present
}

// Pop returns the next item if it is due by now and here.
func (p *playoutBuffer[T]) Pop(now time.Duration) (playoutItem[T], bool) {
	s := &p.ring[uint64(p.next)%playoutCapacity]
	if due, begun := p.DueTime(p.next); !begun || due > now || !s.present {
		return playoutItem[T]{}, false
	}
	i := playoutItem[T]{p.next, s.value}
	s.present, s.value = false, *new(T)
	p.next++
	p.Stats.Released++
	return i, true
}

// CopyFrom makes p an equal of o. What a value points to is shared.
func (p *playoutBuffer[T]) CopyFrom(o *playoutBuffer[T]) { *p = *o }
