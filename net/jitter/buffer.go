// Package jitter holds what arrives early, out of order and unevenly, and
// releases it on time.
//
// A Buffer is the server's queue of Space Engineers: it goes on without what is
// missing, and it repeats. A Playout is the delay of Fiedler's Deterministic
// Lockstep (2014): it waits for what is missing, and repeats nothing. They share
// no rule but that order is kept, so they are two types. Neither knows a clock,
// nor what it holds.
//
// The account of the Space Engineers talk gives an example of thirteen frames
// and no general rule. Where it says nothing, this is chosen:
//
//   - An item that comes before all that wait takes its own place in time, so
//     that the others are not put off; if its place is past, it is next.
//   - An item that comes when the last one was used, but before a frame found
//     nothing, is in time and used in the next frame.
//   - Frames for which nothing was there count for the items missing before
//     the next one. Otherwise a gap would be waited for twice.
//   - Where a gap is longer than the repeats allow, the next item is used at
//     once.
//   - With more items than it keeps, the oldest go. A burst after an outage so
//     becomes a delay of at most that many ticks.
package jitter

// Settings of a Buffer.
type Settings struct {
	Delay    int  // ticks from the arrival of a first item to its use, in [1,256]; Space Engineers: 4
	Most     int  // items kept at most, in [Delay,1024]; 0: twice the delay
	Repeats  int  // for how many ticks in a row the last item may stand in for missing ones; 0: it never does
	KeepLast bool // keep the last item used: the next one goes behind it and waits for 2 ticks, not for Delay
	Ahead    int  // how far, in ticks, an item may be from the last one that had its turn, or the first that waits; 0: 1024
}

// behindLast is the wait behind a kept item, in ticks: it is used once more,
// then it is the new one's turn.
const behindLast = 2

// Item is what is held, and the tick that it is for.
type Item[T any] struct {
	Tick  int64
	Value T
}

// Use says what became of a tick.
type Use uint8

// What became of a tick.
const (
	Nothing  Use = iota // there is no item, and none to repeat
	Fresh               // an item, for the first time
	Repeated            // the item of before, once more
)

// Verdict says what Put did.
type Verdict uint8

// The verdicts.
const (
	Kept  Verdict = iota
	Late          // an item of its tick, or of a later one, has had its turn; dropped
	Again         // it waits already; dropped
	Far           // its tick is further away than Settings.Ahead; dropped
)

// Stats are running totals of one Buffer.
type Stats struct {
	Kept    uint64
	Late    uint64
	Again   uint64
	Far     uint64
	Skipped uint64 // were kept, and dropped for newer ones when there were too many

	Fresh    uint64 // ticks with an item of their own
	Filled   uint64 // ticks that repeated the last item because the next but one had come: a gap
	Starved  uint64 // ticks that found nothing at all, after the first item was used
	Repeated uint64 // of all ticks, those that repeated
}

// Buffer is a queue of items sorted by their ticks. Call Take once in every
// tick of the one who uses them, and Put for whatever comes. The first item is
// believed, whatever its tick; one that is far from it is refused and counted,
// and it is for the caller to Reset where those are all that comes.
type Buffer[T any] struct {
	Stats Stats

	s       Settings
	items   []Item[T] // by tick
	start   int64     // local tick of the first item's turn, if any wait
	last    Item[T]   // the last used
	used    bool      // there is one
	over    int64     // items of ticks up to this one have had their turn
	passed  bool      // there was one
	missing int       // local ticks since then that had no item of their own
}

// NewBuffer returns an empty buffer. Settings out of their ranges panic.
func NewBuffer[T any](s Settings) *Buffer[T] {
	if s.Most == 0 {
		s.Most = 2 * s.Delay
	}
	if s.Ahead == 0 {
		s.Ahead = 1024
	}
	if s.Delay < 1 || s.Delay > 256 || s.Most < s.Delay || s.Most > 1024 || s.Repeats < 0 || s.Ahead < 1 {
		panic("jitter: Settings out of their ranges")
	}
	return &Buffer[T]{s: s, items: make([]Item[T], 0, s.Most+1)}
}

// Put takes in an item that came in the local tick now.
func (b *Buffer[T]) Put(now, tick int64, value T) Verdict {
	switch {
	case b.far(tick):
		b.Stats.Far++
		return Far
	case b.passed && tick <= b.over:
		b.Stats.Late++
		return Late
	}
	i := len(b.items)
	for i > 0 && b.items[i-1].Tick > tick {
		i--
	}
	if i > 0 && b.items[i-1].Tick == tick {
		b.Stats.Again++
		return Again
	}
	b.Stats.Kept++
	switch {
	case len(b.items) == 0 && b.passed && b.missing == 0: // no tick has missed it
		b.start = min(b.start, now+1)
	case len(b.items) == 0:
		b.start = now + int64(b.wait())
	case i == 0: // before all others: they keep their turns if they can
		b.start = min(b.start, max(now+1, b.start-(b.items[0].Tick-tick)))
	}
	b.items = append(b.items, Item[T]{})
	copy(b.items[i+1:], b.items[i:])
	b.items[i] = Item[T]{tick, value}
	if len(b.items) > b.s.Most {
		b.drop() // nothing stands in for it: there is too much already
		b.Stats.Skipped++
	}
	return Kept
}

// far reports whether a tick is too far from the one to measure by.
func (b *Buffer[T]) far(tick int64) bool {
	from := tick
	if b.passed {
		from = b.over
	} else if len(b.items) > 0 {
		from = b.items[0].Tick
	}
	return tick > from && uint64(tick)-uint64(from) > uint64(b.s.Ahead) ||
		tick < from && uint64(from)-uint64(tick) > uint64(b.s.Ahead)
}

// wait is for how many ticks the first item of an empty buffer waits.
func (b *Buffer[T]) wait() int {
	if b.s.KeepLast && b.used {
		return min(behindLast, b.s.Delay)
	}
	return b.s.Delay
}

// Take returns the item for the local tick now, which is one more than at the
// call before.
func (b *Buffer[T]) Take(now int64) (Item[T], Use) {
	if len(b.items) == 0 || now < b.start {
		if b.used && len(b.items) == 0 {
			b.Stats.Starved++
		}
		return b.repeat()
	}
	next := b.items[0]
	if b.used && b.missing < b.s.Repeats && next.Tick-b.over-1 > int64(b.missing) {
		b.Stats.Filled++
		return b.repeat()
	}
	b.drop()
	b.last, b.used = next, true
	b.Stats.Fresh++
	return next, Fresh
}

// repeat answers a tick without an item of its own.
func (b *Buffer[T]) repeat() (Item[T], Use) {
	if !b.used {
		return Item[T]{}, Nothing
	}
	b.missing++
	if b.missing > b.s.Repeats {
		return Item[T]{}, Nothing
	}
	b.Stats.Repeated++
	return b.last, Repeated
}

// drop removes the first item, whose turn is over.
func (b *Buffer[T]) drop() {
	b.over, b.passed, b.missing = b.items[0].Tick, true, 0
	n := copy(b.items, b.items[1:])
	b.items[n] = Item[T]{}
	b.items = b.items[:n]
}

// Len returns how many items wait.
func (b *Buffer[T]) Len() int { return len(b.items) }

// Last returns the item used last, if there is one.
func (b *Buffer[T]) Last() (last Item[T], ok bool) { return b.last, b.used }

// Reset empties the buffer, as for another stream of ticks. The stats go on.
func (b *Buffer[T]) Reset() {
	clear(b.items[:cap(b.items)])
	b.items, b.last, b.used, b.passed, b.missing = b.items[:0], Item[T]{}, false, false, 0
}

// Slot is one place of the queue as it is drawn: an item, or nothing.
type Slot[T any] struct {
	Item Item[T]
	Here bool
	Kept bool // the last item used, which stays
}

// Slots appends the queue after the local tick now to dst: the empty places that
// are before the first item, the items, and empty places up to Delay.
func (b *Buffer[T]) Slots(dst []Slot[T], now int64) []Slot[T] {
	n := len(dst)
	kept := b.s.KeepLast && b.used
	if len(b.items) == 0 && kept {
		dst = append(dst, Slot[T]{b.last, true, true})
	}
	if len(b.items) > 0 {
		for t := now + 1; t < b.start; t++ {
			if s := (Slot[T]{}); kept {
				dst = append(dst, Slot[T]{b.last, true, true})
			} else {
				dst = append(dst, s)
			}
		}
	}
	for _, i := range b.items {
		dst = append(dst, Slot[T]{Item: i, Here: true})
	}
	for len(dst)-n < b.s.Delay {
		dst = append(dst, Slot[T]{})
	}
	return dst
}

// CopyFrom makes b an equal of o. What a value points to is shared.
func (b *Buffer[T]) CopyFrom(o *Buffer[T]) {
	items := b.items
	clear(items[:cap(items)])
	*b = *o
	if cap(items) < cap(o.items) {
		items = make([]Item[T], 0, cap(o.items))
	}
	b.items = append(items[:0], o.items...)
}
