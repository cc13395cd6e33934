package jitter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// draw writes a queue as the article draws it: _ for an empty place.
func draw[T any](b *Buffer[T], now int64) string {
	var places []string
	for _, s := range b.Slots(nil, now) {
		if s.Here {
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
		use     Use
		arrives int64 // after that
		queue   string
	}
	// The frames from 5 on. Until 11 both variants are the same.
	same := []frame{
		{none, Nothing, 2, "_ _ _ 2"},
		{none, Nothing, 5, "_ _ 2 5"},
		{none, Nothing, 3, "_ 2 3 5"},
		{none, Nothing, none, "2 3 5 _"},
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
		b := NewBuffer[string](Settings{Delay: 4, Repeats: 10, KeepLast: c.keep})
		for i, f := range append(slices.Clone(same), c.rest...) {
			now := int64(5 + i)
			got, use := b.Take(now)
			if use != f.use || f.used != none && (got.Tick != f.used || got.Value != fmt.Sprint(f.used)) {
				t.Errorf("%s: frame %d uses %+v (%d), want %d (%d)", name, now, got, use, f.used, f.use)
			}
			if f.arrives != none {
				b.Put(now, f.arrives, fmt.Sprint(f.arrives))
			}
			if q := draw(b, now); q != f.queue {
				t.Errorf("%s: after frame %d the queue is %q, want %q", name, now, q, f.queue)
			}
		}
		late := uint64(1)
		if c.keep {
			late = 2
		}
		if b.Stats.Late != late || b.Stats.Filled != 1 || b.Stats.Kept != 4 || b.Stats.Fresh != 4 {
			t.Errorf("%s: %+v", name, b.Stats)
		}
	}
}

// TestRepeatsAreCapped says that the last input stands in for missing ones for
// a while and no longer, so that an avatar whose player is gone stops; and that
// a gap longer than that is not waited out.
func TestRepeatsAreCapped(t *testing.T) {
	b := NewBuffer[int](Settings{Delay: 1, Repeats: 3})
	b.Put(0, 10, 10)
	var uses []Use
	for now := int64(1); now <= 6; now++ {
		_, u := b.Take(now)
		uses = append(uses, u)
	}
	if want := []Use{Fresh, Repeated, Repeated, Repeated, Nothing, Nothing}; !slices.Equal(uses, want) {
		t.Errorf("%v, want %v", uses, want)
	}
	b.Put(6, 17, 17) // five were missing, and five ticks had nothing
	if i, u := b.Take(7); u != Fresh || i.Tick != 17 {
		t.Errorf("%v %v: the ticks without an input do not count for the missing ones", i, u)
	}
	b.Put(7, 100, 100)
	uses = nil
	for now := int64(8); now <= 11; now++ {
		_, u := b.Take(now)
		uses = append(uses, u)
	}
	if want := []Use{Repeated, Repeated, Repeated, Fresh}; !slices.Equal(uses, want) {
		t.Errorf("over a gap of 82: %v, want %v", uses, want)
	}
}

// TestBounds says that ticks far from those in use are refused and counted, in
// both directions and at the ends of the number range, and that a burst leaves
// the newest items and no more of them than Most.
func TestBounds(t *testing.T) {
	b := NewBuffer[int](Settings{Delay: 4, Most: 6, Ahead: 100, Repeats: 2})
	if b.Put(0, 1000, 0) != Kept {
		t.Fatal("the first item is refused")
	}
	for _, tick := range []int64{1101, 899, -1 << 63, 1<<63 - 1, 0} {
		if v := b.Put(0, tick, 0); v != Far {
			t.Errorf("%d: %v before the first use", tick, v)
		}
	}
	for _, tick := range []int64{1100, 900, 1000} {
		want := Kept
		if tick == 1000 {
			want = Again
		}
		if v := b.Put(0, tick, 0); v != want {
			t.Errorf("%d: %v, want %v", tick, v, want)
		}
	}
	for now := int64(1); now <= 10; now++ {
		b.Take(now)
	}
	last, _ := b.Last()
	for _, tick := range []int64{last.Tick + 101, last.Tick - 101, -1 << 63, 1<<63 - 1} {
		if v := b.Put(0, tick, 0); v != Far {
			t.Errorf("%d: %v behind %d", tick, v, last.Tick)
		}
	}
	if b.Stats.Far != 9 {
		t.Errorf("%+v", b.Stats)
	}
	b.Reset()
	for tick := int64(0); tick < 60; tick++ {
		b.Put(11, tick, 0)
	}
	if b.Len() != 6 || b.Stats.Skipped != 54 {
		t.Errorf("%d wait, %+v", b.Len(), b.Stats)
	}
	// Those that were skipped are not filled in, and do not come back.
	if v := b.Put(11, 30, 0); v != Late {
		t.Errorf("a skipped one: %v", v)
	}
	for now := int64(15); now < 21; now++ {
		if i, u := b.Take(now); u != Fresh || i.Tick != 54+now-15 {
			t.Errorf("tick %d: %v %v", now, i, u)
		}
	}
}

// TestReleasedOnTime says that where nothing is lost and nothing comes later
// than the delay, each item is released at the arrival of the first plus the
// delay plus its distance from the first, however they are mixed.
func TestReleasedOnTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Settings{Delay: rapid.IntRange(1, 12).Draw(t, "delay"), Repeats: rapid.IntRange(0, 20).Draw(t, "repeats"),
			KeepLast: rapid.Bool().Draw(t, "keep"), Most: 64}
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
			i, u := b.Take(now)
			if n := now - int64(first+s.Delay); n >= 0 && n < 60 {
				if u != Fresh || i.Tick != base+n || i.Value != n {
					t.Fatalf("tick %d: %v %v, want %d", now, i, u, base+n)
				}
			} else if u == Fresh {
				t.Fatalf("tick %d: %v", now, i)
			}
			for _, n := range arrivals[now] {
				if v := b.Put(now, base+n, n); v != Kept {
					t.Fatalf("%d at %d: %v", n, now, v)
				}
			}
		}
	})
}

// shelf is the queue as the article describes it: a row of places, some of them
// empty, whose head is taken in each frame.
type shelf struct {
	s       Settings
	row     []place
	last    int64
	used    bool
	over    int64
	passed  bool
	missing int
}

type place struct {
	tick int64
	kind byte // 0 empty, 1 an item, 2 the last used one
}

func (q *shelf) items() (n int) {
	for _, p := range q.row {
		if p.kind == 1 {
			n++
		}
	}
	return n
}

func (q *shelf) repeat() (int64, Use) {
	if !q.used {
		return 0, Nothing
	}
	q.missing++
	if q.missing > q.s.Repeats {
		return 0, Nothing
	}
	return q.last, Repeated
}

func (q *shelf) take() (int64, Use) {
	if len(q.row) == 0 {
		return q.repeat()
	}
	h := q.row[0]
	if h.kind != 1 {
		if h.kind == 0 || q.items() > 0 {
			q.row = q.row[1:]
		}
		return q.repeat()
	}
	if q.used && q.missing < q.s.Repeats && h.tick-q.over-1 > int64(q.missing) {
		return q.repeat()
	}
	q.row = q.row[1:]
	q.last, q.used, q.over, q.passed, q.missing = h.tick, true, h.tick, true, 0
	if len(q.row) == 0 && q.s.KeepLast {
		q.row = []place{{h.tick, 2}}
	}
	return h.tick, Fresh
}

func (q *shelf) put(tick int64) Verdict {
	from, known := q.over, q.passed
	for _, p := range q.row {
		if !known && p.kind == 1 {
			from, known = p.tick, true
		}
	}
	if known && (tick-from > int64(q.s.Ahead) || from-tick > int64(q.s.Ahead)) {
		return Far
	}
	if q.passed && tick <= q.over {
		return Late
	}
	if slices.Contains(q.row, place{tick, 1}) {
		return Again
	}
	if q.items() == 0 && q.passed && q.missing == 0 {
		q.row = []place{{tick, 1}}
		return Kept
	}
	if q.items() == 0 {
		wait, kind := q.s.Delay, byte(0)
		if q.s.KeepLast && q.used {
			wait, kind = min(2, wait), 2
		}
		q.row = nil
		for range wait - 1 {
			q.row = append(q.row, place{q.last, kind})
		}
		q.row = append(q.row, place{tick, 1})
		return Kept
	}
	i := slices.IndexFunc(q.row, func(p place) bool { return p.kind == 1 && p.tick > tick })
	if i < 0 {
		i = len(q.row)
	}
	if lead := slices.IndexFunc(q.row, func(p place) bool { return p.kind == 1 }); i == lead {
		take := int(min(int64(lead), q.row[lead].tick-tick))
		q.row = q.row[take:]
		i -= take
	}
	q.row = slices.Insert(q.row, i, place{tick, 1})
	if q.items() > q.s.Most {
		lead := slices.IndexFunc(q.row, func(p place) bool { return p.kind == 1 })
		q.over, q.passed, q.missing = q.row[lead].tick, true, 0
		q.row = slices.Delete(q.row, lead, lead+1)
	}
	return Kept
}

// TestBufferIsTheShelf runs a buffer beside the article's row of places, under
// any arrivals: every verdict, every use and every drawn queue is the same.
func TestBufferIsTheShelf(t *testing.T) { rapid.Check(t, bufferIsTheShelf) }

func bufferIsTheShelf(t *rapid.T) {
	s := Settings{Delay: rapid.IntRange(1, 8).Draw(t, "delay"), Repeats: rapid.IntRange(0, 6).Draw(t, "repeats"),
		KeepLast: rapid.Bool().Draw(t, "keep"), Ahead: rapid.SampledFrom([]int{5, 40}).Draw(t, "ahead")}
	s.Most = s.Delay + rapid.IntRange(0, 6).Draw(t, "more")
	b, q := NewBuffer[int64](s), &shelf{s: s}
	base := rapid.Int64Range(-100, 100).Draw(t, "base")
	for now := range int64(rapid.IntRange(1, 80).Draw(t, "frames")) {
		item, use := b.Take(now)
		tick, want := q.take()
		if use != want || use != Nothing && (item.Tick != tick || item.Value != tick) {
			t.Fatalf("frame %d uses %v (%d), want %d (%d)", now, item, use, tick, want)
		}
		for range rapid.IntRange(0, 3).Draw(t, "arrivals") {
			tick := base + now + rapid.Int64Range(-8, 3).Draw(t, "tick")
			if rapid.IntRange(0, 30).Draw(t, "jump") == 0 {
				tick += rapid.Int64Range(-60, 60).Draw(t, "by")
			}
			if got, want := b.Put(now, tick, tick), q.put(tick); got != want {
				t.Fatalf("frame %d: %d is %v, want %v", now, tick, got, want)
			}
		}
		var row []string
		for _, p := range q.row {
			row = append(row, map[bool]string{true: fmt.Sprint(p.tick), false: "_"}[p.kind != 0])
		}
		if q.items() == 0 && !(s.KeepLast && q.used) {
			row = nil
		}
		for len(row) < s.Delay {
			row = append(row, "_")
		}
		if got, want := draw(b, now), strings.Join(row, " "); got != want {
			t.Fatalf("after frame %d: %q, want %q", now, got, want)
		}
	}
	n := b.Stats
	if n.Kept != n.Fresh+n.Skipped+uint64(b.Len()) {
		t.Fatalf("%d wait, %+v", b.Len(), n)
	}
}

// TestBufferCopyFrom says that a copy goes on as its model does, and apart
// from it.
func TestBufferCopyFrom(t *testing.T) {
	s := Settings{Delay: 3, Repeats: 5, KeepLast: true}
	a, b := NewBuffer[int](s), NewBuffer[int](Settings{Delay: 1})
	for now := range int64(20) {
		a.Take(now)
		a.Put(now, now-now%3, int(now))
	}
	b.CopyFrom(a)
	a.Put(20, 21, 21)
	if b.Len() == a.Len() {
		t.Fatal("the copy shares its memory")
	}
	b.Put(20, 21, 21)
	for now := int64(21); now < 40; now++ {
		x, u := a.Take(now)
		y, v := b.Take(now)
		if x != y || u != v || a.Stats != b.Stats {
			t.Fatalf("%d: %v %v, %v %v", now, x, u, y, v)
		}
	}
}

func TestBufferAllocatesNothing(t *testing.T) {
	b := NewBuffer[[8]byte](Settings{Delay: 4, Repeats: 5})
	now := int64(0)
	if n := testing.AllocsPerRun(1000, func() {
		now++
		b.Take(now)
		b.Put(now, now^1, [8]byte{})
		b.Put(now, now+3, [8]byte{})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkBuffer(b *testing.B) {
	q := NewBuffer[[8]byte](Settings{Delay: 4, Repeats: 10, KeepLast: true})
	b.ReportAllocs()
	now := int64(0)
	for b.Loop() {
		now++
		q.Take(now)
		q.Put(now, now^1, [8]byte{})
	}
}
