package jitter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// formatSlots writes a queue as the article draws it: _ for an empty place.
func formatSlots[T any](b *Buffer[T], now int64) string {
	var places []string
	for _, s := range b.AppendSlots(nil, now) {
		if s.Present {
			places = append(places, fmt.Sprint(s.Item.Tick))
		} else {
			places = append(places, "_")
		}
	}
	return strings.Join(places, " ")
}

// TestWorkedExample plays the thirteen frames of the article on Space
// Engineers, and on until input 6 is used: the sorted playout queue of four
// frames with its empty places, late and duplicate inputs dropped, a gap filled
// by repeating, the last input repeated while nothing comes, and what keeping it
// in the queue is worth: input 6 is used in frame 15 and not in frame 17.
func TestWorkedExample(t *testing.T) {
	const none = int64(-1)
	type frame struct {
		used    int64 // tick of the input that is used, or none
		use     PopResult
		arrives int64 // after that
		queue   string
	}
	// The frames from 5 on. Until 11 both variants are the same.
	same := []frame{
		{none, Empty, 2, "_ _ _ 2"},
		{none, Empty, 5, "_ _ 2 5"},
		{none, Empty, 3, "_ 2 3 5"},
		{none, Empty, none, "2 3 5 _"},
		{2, Fresh, 1, "3 5 _ _"}, // 1 is late
		{3, Fresh, none, "5 _ _ _"},
		{3, Repeated, none, "5 _ _ _"}, // 4 is missing
	}
	for name, c := range map[string]struct {
		keep bool
		rest []frame
	}{
		"last input dropped": {false, []frame{
			{5, Fresh, none, "_ _ _ _"},
			{5, Repeated, 6, "_ _ _ 6"},
			{5, Repeated, none, "_ _ 6 _"},
			{5, Repeated, none, "_ 6 _ _"},
			{5, Repeated, none, "6 _ _ _"},
			{6, Fresh, none, "_ _ _ _"},
		}},
		"last input kept": {true, []frame{
			{5, Fresh, none, "5 _ _ _"},
			{5, Repeated, 6, "5 6 _ _"},
			{5, Repeated, none, "6 _ _ _"},
			{6, Fresh, none, "6 _ _ _"},
			{6, Repeated, 6, "6 _ _ _"}, // a duplicate
			{6, Repeated, none, "6 _ _ _"},
		}},
	} {
		b := NewBuffer[string](Settings{Delay: 4, MaxRepeats: 10, KeepLast: c.keep})
		for i, f := range append(slices.Clone(same), c.rest...) {
			now := int64(5 + i)
			got, use := b.Pop(now)
			if use != f.use || f.used != none && (got.Tick != f.used || got.Value != fmt.Sprint(f.used)) {
				t.Errorf("%s: frame %d uses %+v (%d), want %d (%d)", name, now, got, use, f.used, f.use)
			}
			if f.arrives != none {
				b.Push(now, f.arrives, fmt.Sprint(f.arrives))
			}
			if q := formatSlots(b, now); q != f.queue {
				t.Errorf("%s: after frame %d the queue is %q, want %q", name, now, q, f.queue)
			}
		}
		late := uint64(1)
		if c.keep {
			late = 2
		}
		if b.Stats.Late != late || b.Stats.Concealed != 1 || b.Stats.Accepted != 4 || b.Stats.Fresh != 4 {
			t.Errorf("%s: %+v", name, b.Stats)
		}
	}
}

// TestMaxRepeats says that the last input stands in for missing ones for
// a while and no longer, so that an avatar whose player is gone stops; and that
// a gap longer than that is not waited out.
func TestMaxRepeats(t *testing.T) {
	b := NewBuffer[int](Settings{Delay: 1, MaxRepeats: 3})
	b.Push(0, 10, 10)
	var uses []PopResult
	for now := int64(1); now <= 6; now++ {
		_, u := b.Pop(now)
		uses = append(uses, u)
	}
	if want := []PopResult{Fresh, Repeated, Repeated, Repeated, Empty, Empty}; !slices.Equal(uses, want) {
		t.Errorf("%v, want %v", uses, want)
	}
	b.Push(6, 17, 17) // five were missing, and five ticks had nothing
	if i, u := b.Pop(7); u != Fresh || i.Tick != 17 {
		t.Errorf("%v %v: the ticks without an input do not count for the missing ones", i, u)
	}
	b.Push(7, 100, 100)
	uses = nil
	for now := int64(8); now <= 11; now++ {
		_, u := b.Pop(now)
		uses = append(uses, u)
	}
	if want := []PopResult{Repeated, Repeated, Repeated, Fresh}; !slices.Equal(uses, want) {
		t.Errorf("over a gap of 82: %v, want %v", uses, want)
	}
}

// TestBounds says that ticks far from those in use are refused and counted, in
// both directions and at the ends of the number range, and that a burst leaves
// the newest items and no more of them than Most.
func TestBounds(t *testing.T) {
	b := NewBuffer[int](Settings{Delay: 4, MaxItems: 6, MaxTickGap: 100, MaxRepeats: 2})
	if b.Push(0, 1000, 0) != Accepted {
		t.Fatal("the first item is refused")
	}
	for _, tick := range []int64{1101, 899, -1 << 63, 1<<63 - 1, 0} {
		if v := b.Push(0, tick, 0); v != OutOfRange {
			t.Errorf("%d: %v before the first use", tick, v)
		}
	}
	for _, tick := range []int64{1100, 900, 1000} {
		want := Accepted
		if tick == 1000 {
			want = Duplicate
		}
		if v := b.Push(0, tick, 0); v != want {
			t.Errorf("%d: %v, want %v", tick, v, want)
		}
	}
	for now := int64(1); now <= 10; now++ {
		b.Pop(now)
	}
	last, _ := b.Last()
	for _, tick := range []int64{last.Tick + 101, last.Tick - 101, -1 << 63, 1<<63 - 1} {
		if v := b.Push(0, tick, 0); v != OutOfRange {
			t.Errorf("%d: %v behind %d", tick, v, last.Tick)
		}
	}
	if b.Stats.OutOfRange != 9 {
		t.Errorf("%+v", b.Stats)
	}
	b.Reset()
	for tick := int64(0); tick < 60; tick++ {
		b.Push(11, tick, 0)
	}
	if b.Len() != 6 || b.Stats.Overflowed != 54 {
		t.Errorf("%d wait, %+v", b.Len(), b.Stats)
	}
	// Those that were skipped are not filled in, and do not come back.
	if v := b.Push(11, 30, 0); v != Late {
		t.Errorf("a skipped one: %v", v)
	}
	for now := int64(15); now < 21; now++ {
		if i, u := b.Pop(now); u != Fresh || i.Tick != 54+now-15 {
			t.Errorf("tick %d: %v %v", now, i, u)
		}
	}
}

// TestReleasedOnTime says that where nothing is lost and nothing comes later
// than the delay, each item is released at the arrival of the first plus the
// delay plus its distance from the first, however they are mixed.
func TestReleasedOnTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Settings{Delay: rapid.IntRange(1, 12).Draw(t, "delay"), MaxRepeats: rapid.IntRange(0, 20).Draw(t, "repeats"),
			KeepLast: rapid.Bool().Draw(t, "keep"), MaxItems: 64}
		base := rapid.Int64Range(-1<<40, 1<<40).Draw(t, "base")
		first := rapid.IntRange(0, 20).Draw(t, "first") // what the link takes for the first one
		// No other may overtake the first, nor come too late for its turn.
		arrivals := map[int64][]int64{int64(first): {0}}
		for i := int64(1); i < 60; i++ {
			at := i + rapid.Int64Range(max(0, int64(first)-i), int64(first+s.Delay-1)).Draw(t, "takes")
			arrivals[at] = append(arrivals[at], i)
		}
		b := NewBuffer[int64](s)
		for now := int64(0); now < 100; now++ {
			i, u := b.Pop(now)
			if n := now - int64(first+s.Delay); n >= 0 && n < 60 {
				if u != Fresh || i.Tick != base+n || i.Value != n {
					t.Fatalf("tick %d: %v %v, want %d", now, i, u, base+n)
				}
			} else if u == Fresh {
				t.Fatalf("tick %d: %v", now, i)
			}
			for _, n := range arrivals[now] {
				if v := b.Push(now, base+n, n); v != Accepted {
					t.Fatalf("%d at %d: %v", n, now, v)
				}
			}
		}
	})
}

// referenceQueue is the queue as the article describes it: a row of places, some of them
// empty, whose head is taken in each frame.
type referenceQueue struct {
	settings    Settings
	slots       []referenceSlot
	last        int64
	hasLast     bool
	lastTurn    int64
	hadTurn     bool
	missedTicks int
}

type referenceSlot struct {
	tick int64
	kind byte // 0 empty, 1 an item, 2 the last used one
}

func (q *referenceQueue) items() (n int) {
	for _, p := range q.slots {
		if p.kind == 1 {
			n++
		}
	}
	return n
}

func (q *referenceQueue) repeat() (int64, PopResult) {
	if !q.hasLast {
		return 0, Empty
	}
	q.missedTicks++
	if q.missedTicks > q.settings.MaxRepeats {
		return 0, Empty
	}
	return q.last, Repeated
}

func (q *referenceQueue) pop() (int64, PopResult) {
	if len(q.slots) == 0 {
		return q.repeat()
	}
	h := q.slots[0]
	if h.kind != 1 {
		if h.kind == 0 || q.items() > 0 {
			q.slots = q.slots[1:]
		}
		return q.repeat()
	}
	if q.hasLast && q.missedTicks < q.settings.MaxRepeats && h.tick-q.lastTurn-1 > int64(q.missedTicks) {
		return q.repeat()
	}
	q.slots = q.slots[1:]
	q.last, q.hasLast, q.lastTurn, q.hadTurn, q.missedTicks = h.tick, true, h.tick, true, 0
	if len(q.slots) == 0 && q.settings.KeepLast {
		q.slots = []referenceSlot{{h.tick, 2}}
	}
	return h.tick, Fresh
}

func (q *referenceQueue) push(tick int64) PushResult {
	from, known := q.lastTurn, q.hadTurn
	for _, p := range q.slots {
		if !known && p.kind == 1 {
			from, known = p.tick, true
		}
	}
	if known && (tick-from > int64(q.settings.MaxTickGap) || from-tick > int64(q.settings.MaxTickGap)) {
		return OutOfRange
	}
	if q.hadTurn && tick <= q.lastTurn {
		return Late
	}
	if slices.Contains(q.slots, referenceSlot{tick, 1}) {
		return Duplicate
	}
	if q.items() == 0 && q.hadTurn && q.missedTicks == 0 {
		q.slots = []referenceSlot{{tick, 1}}
		return Accepted
	}
	if q.items() == 0 {
		wait, kind := q.settings.Delay, byte(0)
		if q.settings.KeepLast && q.hasLast {
			wait, kind = min(2, wait), 2
		}
		q.slots = nil
		for range wait - 1 {
			q.slots = append(q.slots, referenceSlot{q.last, kind})
		}
		q.slots = append(q.slots, referenceSlot{tick, 1})
		return Accepted
	}
	i := slices.IndexFunc(q.slots, func(p referenceSlot) bool { return p.kind == 1 && p.tick > tick })
	if i < 0 {
		i = len(q.slots)
	}
	if lead := slices.IndexFunc(q.slots, func(p referenceSlot) bool { return p.kind == 1 }); i == lead {
		take := int(min(int64(lead), q.slots[lead].tick-tick))
		q.slots = q.slots[take:]
		i -= take
	}
	q.slots = slices.Insert(q.slots, i, referenceSlot{tick, 1})
	if q.items() > q.settings.MaxItems {
		lead := slices.IndexFunc(q.slots, func(p referenceSlot) bool { return p.kind == 1 })
		q.lastTurn, q.hadTurn, q.missedTicks = q.slots[lead].tick, true, 0
		q.slots = slices.Delete(q.slots, lead, lead+1)
	}
	return Accepted
}

// TestBufferMatchesReference runs a buffer beside the article's row of places, under
// any arrivals: every verdict, every use and every drawn queue is the same.
func TestBufferMatchesReference(t *testing.T) { rapid.Check(t, bufferMatchesReference) }

func bufferMatchesReference(t *rapid.T) {
	s := Settings{Delay: rapid.IntRange(1, 8).Draw(t, "delay"), MaxRepeats: rapid.IntRange(0, 6).Draw(t, "repeats"),
		KeepLast: rapid.Bool().Draw(t, "keep"), MaxTickGap: rapid.SampledFrom([]int{5, 40}).Draw(t, "ahead")}
	s.MaxItems = s.Delay + rapid.IntRange(0, 6).Draw(t, "more")
	b, q := NewBuffer[int64](s), &referenceQueue{settings: s}
	base := rapid.Int64Range(-100, 100).Draw(t, "base")
	for now := range int64(rapid.IntRange(1, 80).Draw(t, "frames")) {
		item, use := b.Pop(now)
		tick, want := q.pop()
		if use != want || use != Empty && (item.Tick != tick || item.Value != tick) {
			t.Fatalf("frame %d uses %v (%d), want %d (%d)", now, item, use, tick, want)
		}
		for range rapid.IntRange(0, 3).Draw(t, "arrivals") {
			tick := base + now + rapid.Int64Range(-8, 3).Draw(t, "tick")
			if rapid.IntRange(0, 30).Draw(t, "jump") == 0 {
				tick += rapid.Int64Range(-60, 60).Draw(t, "by")
			}
			if got, want := b.Push(now, tick, tick), q.push(tick); got != want {
				t.Fatalf("frame %d: %d is %v, want %v", now, tick, got, want)
			}
		}
		var row []string
		for _, p := range q.slots {
			row = append(row, map[bool]string{true: fmt.Sprint(p.tick), false: "_"}[p.kind != 0])
		}
		if q.items() == 0 && !(s.KeepLast && q.hasLast) {
			row = nil
		}
		for len(row) < s.Delay {
			row = append(row, "_")
		}
		if got, want := formatSlots(b, now), strings.Join(row, " "); got != want {
			t.Fatalf("after frame %d: %q, want %q", now, got, want)
		}
	}
	n := b.Stats
	if n.Accepted != n.Fresh+n.Overflowed+uint64(b.Len()) {
		t.Fatalf("%d wait, %+v", b.Len(), n)
	}
}

// TestBufferCopyFrom says that a copy goes on as its model does, and apart
// from it.
func TestBufferCopyFrom(t *testing.T) {
	s := Settings{Delay: 3, MaxRepeats: 5, KeepLast: true}
	a, b := NewBuffer[int](s), NewBuffer[int](Settings{Delay: 1})
	for now := range int64(20) {
		a.Pop(now)
		a.Push(now, now-now%3, int(now))
	}
	b.CopyFrom(a)
	a.Push(20, 21, 21)
	if b.Len() == a.Len() {
		t.Fatal("the copy shares its memory")
	}
	b.Push(20, 21, 21)
	for now := int64(21); now < 40; now++ {
		x, u := a.Pop(now)
		y, v := b.Pop(now)
		if x != y || u != v || a.Stats != b.Stats {
			t.Fatalf("%d: %v %v, %v %v", now, x, u, y, v)
		}
	}
}

func TestBufferAllocatesNothing(t *testing.T) {
	b := NewBuffer[[8]byte](Settings{Delay: 4, MaxRepeats: 5})
	now := int64(0)
	if n := testing.AllocsPerRun(1000, func() {
		now++
		b.Pop(now)
		b.Push(now, now^1, [8]byte{})
		b.Push(now, now+3, [8]byte{})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkBuffer(b *testing.B) {
	q := NewBuffer[[8]byte](Settings{Delay: 4, MaxRepeats: 10, KeepLast: true})
	b.ReportAllocs()
	now := int64(0)
	for b.Loop() {
		now++
		q.Pop(now)
		q.Push(now, now^1, [8]byte{})
	}
}
