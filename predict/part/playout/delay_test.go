package playout

import (
	"testing"

	"ghostcube/sim"
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
