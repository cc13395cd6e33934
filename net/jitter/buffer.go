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
	Delay      int  // ticks from the arrival of a first item to its use, in [1,256]; Space Engineers: 4
	MaxItems   int  // items kept at most, in [Delay,1024]; 0: twice the delay
	MaxRepeats int  // for how many ticks in a row the last item may stand in for missing ones; 0: it never does
	KeepLast   bool // keep the last item used: the next one goes behind it and waits for 2 ticks, not for Delay
	MaxTickGap int  // how far, in ticks, an item may be from the last one that had its turn, or the first that waits; 0: 1024
}

// keepLastDelay is the wait behind a kept item, in ticks: it is used once more,
// then it is the new one's turn.
const keepLastDelay = 2

// Item is what is held, and the tick that it is for.
type Item[T any] struct {
	Tick  int64
	Value T
}

// PopResult says what became of a tick.
type PopResult uint8

// What became of a tick.
const (
	Empty    PopResult = iota // there is no item, and none to repeat
	Fresh                     // an item, for the first time
	Repeated                  // the item of before, once more
)

// PushResult says what Put did.
type PushResult uint8

// The verdicts.
const (
	Accepted   PushResult = iota
	Late                  // an item of its tick, or of a later one, has had its turn; dropped
	Duplicate             // it waits already; dropped
	OutOfRange            // its tick is further away than Settings.Ahead; dropped
)

// Stats are running totals of one Buffer.
type Stats struct {
	Accepted   uint64
	Late       uint64
	Duplicates uint64
	OutOfRange uint64
	Overflowed uint64 // were kept, and dropped for newer ones when there were too many

	Fresh     uint64 // ticks with an item of their own
	Concealed uint64 // ticks that repeated the last item because the next but one had come: a gap
	Starved   uint64 // ticks that found nothing at all, after the first item was used
	Repeated  uint64 // of all ticks, those that repeated
}

// Buffer is a queue of items sorted by their ticks. Call Take once in every
// tick of the one who uses them, and Put for whatever comes. The first item is
// believed, whatever its tick; one that is far from it is refused and counted,
// and it is for the caller to Reset where those are all that comes.
type Buffer[T any] struct {
	Stats Stats

	settings    Settings
	items       []Item[T] // by tick
	playoutTick int64     // local tick of the first item's turn, if any wait
	last        Item[T]   // the last used
	hasLast     bool      // there is one
	lastTurn    int64     // items of ticks up to this one have had their turn
	hadTurn     bool      // there was one
	missedTicks int       // local ticks since then that had no item of their own
}

// NewBuffer returns an empty buffer. Settings out of their ranges panic.
func NewBuffer[T any](s Settings) *Buffer[T] {
	if s.MaxItems == 0 {
		s.MaxItems = 2 * s.Delay
	}
	if s.MaxTickGap == 0 {
		s.MaxTickGap = 1024
	}
	if s.Delay < 1 || s.Delay > 256 || s.MaxItems < s.Delay || s.MaxItems > 1024 || s.MaxRepeats < 0 || s.MaxTickGap < 1 {
		panic("jitter: Settings out of their ranges")
	}
	return &Buffer[T]{settings: s, items: make([]Item[T], 0, s.MaxItems+1)}
}

// Push takes in an item that came in the local tick now.
func (b *Buffer[T]) Push(now, tick int64, value T) PushResult {
	switch {
	case b.outOfRange(tick):
		b.Stats.OutOfRange++
		return OutOfRange
	case b.hadTurn && tick <= b.lastTurn:
		b.Stats.Late++
		return Late
	}
	i := len(b.items)
	for i > 0 && b.items[i-1].Tick > tick {
		i--
	}
	if i > 0 && b.items[i-1].Tick == tick {
		b.Stats.Duplicates++
		return Duplicate
	}
	b.Stats.Accepted++
	switch {
	case len(b.items) == 0 && b.hadTurn && b.missedTicks == 0: // no tick has missed it
		b.playoutTick = min(b.playoutTick, now+1)
	case len(b.items) == 0:
		b.playoutTick = now + int64(b.initialDelay())
	case i == 0: // before all others: they keep their turns if they can
		b.playoutTick = min(b.playoutTick, max(now+1, b.playoutTick-(b.items[0].Tick-tick)))
	}
	b.items = append(b.items, Item[T]{})
	copy(b.items[i+1:], b.items[i:])
	b.items[i] = Item[T]{tick, value}
	if len(b.items) > b.settings.MaxItems {
		b.dropFirst() // nothing stands in for it: there is too much already
		b.Stats.Overflowed++
	}
	return Accepted
}

// outOfRange reports whether a tick is too far from the one to measure by.
func (b *Buffer[T]) outOfRange(tick int64) bool {
	from := tick
	if b.hadTurn {
		from = b.lastTurn
	} else if len(b.items) > 0 {
		from = b.items[0].Tick
	}
	return tick > from && uint64(tick)-uint64(from) > uint64(b.settings.MaxTickGap) ||
		tick < from && uint64(from)-uint64(tick) > uint64(b.settings.MaxTickGap)
}

// initialDelay is for how many ticks the first item of an empty buffer waits.
func (b *Buffer[T]) initialDelay() int {
	if b.settings.KeepLast && b.hasLast {
		return min(keepLastDelay, b.settings.Delay)
	}
	return b.settings.Delay
}

// Pop returns the item for the local tick now, which is one more than at the
// call before.
func (b *Buffer[T]) Pop(now int64) (Item[T], PopResult) {
	if len(b.items) == 0 || now < b.playoutTick {
		if b.hasLast && len(b.items) == 0 {
			b.Stats.Starved++
		}
		return b.repeat()
	}
	next := b.items[0]
	if b.hasLast && b.missedTicks < b.settings.MaxRepeats && next.Tick-b.lastTurn-1 > int64(b.missedTicks) {
		b.Stats.Concealed++
		return b.repeat()
	}
	b.dropFirst()
	b.last, b.hasLast = next, true
	b.Stats.Fresh++
	return next, Fresh
}

// repeat answers a tick without an item of its own.
func (b *Buffer[T]) repeat() (Item[T], PopResult) {
	if !b.hasLast {
		return Item[T]{}, Empty
	}
	b.missedTicks++
	if b.missedTicks > b.settings.MaxRepeats {
		return Item[T]{}, Empty
	}
	b.Stats.Repeated++
	return b.last, Repeated
}

// dropFirst removes the first item, whose turn is over.
func (b *Buffer[T]) dropFirst() {
	b.lastTurn, b.hadTurn, b.missedTicks = b.items[0].Tick, true, 0
	n := copy(b.items, b.items[1:])
	b.items[n] = Item[T]{}
	b.items = b.items[:n]
}

// Len returns how many items wait.
func (b *Buffer[T]) Len() int { return len(b.items) }

// Last returns the item used last, if there is one.
func (b *Buffer[T]) Last() (last Item[T], ok bool) { return b.last, b.hasLast }

// Reset empties the buffer, as for another stream of ticks. The stats go on.
func (b *Buffer[T]) Reset() {
	clear(b.items[:cap(b.items)])
	b.items, b.last, b.hasLast, b.hadTurn, b.missedTicks = b.items[:0], Item[T]{}, false, false, 0
}

// Slot is one place of the queue as it is drawn: an item, or nothing.
type Slot[T any] struct {
	Item     Item[T]
	Present  bool
	Repeated bool // the last item used, which stays
}

// AppendSlots appends the queue after the local tick now to dst: the empty places that
// are before the first item, the items, and empty places up to Delay.
func (b *Buffer[T]) AppendSlots(dst []Slot[T], now int64) []Slot[T] {
	n := len(dst)
	kept := b.settings.KeepLast && b.hasLast
	if len(b.items) == 0 && kept {
		dst = append(dst, Slot[T]{b.last, true, true})
	}
	if len(b.items) > 0 {
		for t := now + 1; t < b.playoutTick; t++ {
			if s := (Slot[T]{}); kept {
				dst = append(dst, Slot[T]{b.last, true, true})
			} else {
				dst = append(dst, s)
			}
		}
	}
	for _, i := range b.items {
		dst = append(dst, Slot[T]{Item: i, Present: true})
	}
	for len(dst)-n < b.settings.Delay {
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
