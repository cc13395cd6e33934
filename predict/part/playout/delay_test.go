package playout

import (
	"slices"
	"testing"

	"ghostcube/sim"

	"pgregory.net/rapid"
)

// TestAdapt checks that a delay grows at once and shrinks by no more than it may.
func TestAdapt(t *testing.T) {
	for _, c := range []struct{ delay, wanted, shrink, want sim.Moment }{
		{5, 9, 1, 9}, {9, 5, 1, 8}, {9, 5, 100, 5}, {9, 5, 0, 9}, {9, 9, 1, 9},
	} {
		if got := Adapt(c.delay, c.wanted, c.shrink); got != c.want {
			t.Errorf("%d, wanted %d, shrinking by %d: %d, want %d", c.delay, c.wanted, c.shrink, got, c.want)
		}
	}
}

// TestPeak checks that the delay is the greatest lateness of the last five spans and of the
// current one, and that five have to be seen before a small one is believed.
func TestPeak(t *testing.T) {
	var p Peak
	if w := p.Wanted(Span{}); w != 0 {
		t.Errorf("nothing has arrived, and %d is wanted", w)
	}
	for i, c := range []struct {
		span   Span
		wanted sim.Moment
	}{
		{Span{true, -9, -4}, -4},
		{Span{true, 0, 30}, 30},
		{Span{true, 5, 20}, 30},
		{Span{}, 30},
		{Span{true, 5, 10}, 30},
		{Span{true, 5, 9}, 30},
		{Span{true, 5, 8}, 20}, // the second one is forgotten
	} {
		if p.Confident() != (i >= 5) {
			t.Errorf("after %d spans: confident %v", i, p.Confident())
		}
		p.Add(c.span)
		if w := p.Wanted(Span{}); w != c.wanted {
			t.Errorf("after span %d: %d, want %d", i, w, c.wanted)
		}
	}
	if w := p.Wanted(Span{true, -50, 70}); w != 70 {
		t.Errorf("the current span needs 70, and %d is wanted", w)
	}
	if p.Forget(); p.Wanted(Span{true, 3, 3}) != 3 || !p.Confident() {
		t.Error("it does not forget")
	}
}

// TestPercentile checks which delay arrivals want: that of 99 in 100, measured from the
// earliest of each span, and a tick.
func TestPercentile(t *testing.T) {
	p := Percentile{Percent: 99}
	if p.EndSpan(); p.count != 0 {
		t.Error("a span without packets says something")
	}
	if w, ok := p.Wanted(); ok {
		t.Errorf("nothing has arrived, and %d is wanted", w)
	}
	wanted := func(what string, want sim.Moment) {
		t.Helper()
		p.EndSpan()
		if w, ok := p.Wanted(); !ok || w != want*tick {
			t.Errorf("%s: %d, want %d", what, w, want*tick)
		}
	}
	for range 300 {
		p.Add(-3 * tick)
	}
	for range 3 {
		p.Add(2 * tick) // 1 in 101 is 5 ticks late: not waited for
	}
	wanted("hardly any are late", 1)
	for range 9 {
		p.Add(2 * tick)
	}
	for range 291 {
		p.Add(3 * tick)
	}
	wanted("most are a tick later than the earliest of their span", 2)
	p.Add(100 * tick)
	p.Discard()
	for i := range percentileSpans {
		if p.Confident() != (i >= percentileSpans-2) {
			t.Errorf("after %d spans: confident %v", i+2, p.Confident())
		}
		p.Add(-9 * tick)
		p.Add(9*tick + tick - 1)
		p.EndSpan()
	}
	wanted("half are 18 ticks late, and a little", 19)
	p.Add(900 * tick)
	p.Add(-900 * tick)
	p.Add(900 * tick)
	p.Add(-900 * tick)
	for range percentileSpans {
		p.Add(900 * tick)
		p.Add(-900 * tick)
		p.EndSpan()
	}
	wanted("half are very late", percentileTicks)
}

// TestPercentileInAnyOrder checks that the order in which the packets of a span arrive makes
// no difference, and that the delay is the least that lets as many packets be in time as
// asked for.
func TestPercentileInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		percent := rapid.IntRange(1, 100).Draw(t, "percent")
		late := rapid.SliceOfN(rapid.IntRange(-20, 40), 1, 200).Draw(t, "late")
		p, sorted := Percentile{Percent: percent}, Percentile{Percent: percent}
		for _, l := range late {
			p.Add(sim.Moment(l) * tick)
		}
		slices.Sort(late)
		for _, l := range late {
			sorted.Add(sim.Moment(l) * tick)
		}
		p.EndSpan()
		sorted.EndSpan()
		got, _ := p.Wanted()
		if other, _ := sorted.Wanted(); got != other {
			t.Fatalf("%d, and %d if they arrive in order", got, other)
		}
		want := late[max(len(late)*percent/100-1, 0)] - late[0]
		if got != sim.Moment(want+1)*tick {
			t.Fatalf("%d of %v: %d, want %d and a tick", percent, late, got/tick, want)
		}
	})
}
