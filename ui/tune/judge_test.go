package tune

import (
	"math"
	"testing"
)

// TestLimits checks the excess over limits, by hand: also over those that are shares of the start's mean.
func TestLimits(t *testing.T) {
	k := newTestKnobs()
	p := &Problem{Space: must(NewSpace(&k.Knobs, nil)), Limits: []Limit{{Most: 10}, {Most: 1.1, OfStart: true}}, Settings: 2}
	start := Measured(p.Space.Start(), []float64{1, 9, 100, 2, 9, 200, 3, 9, 100, 4, 9, 200}, 2)
	same := Measured(p.Space.Start(), []float64{1, 9, 110, 2, 11, 250, 1, 9, 110, 3, 11, 250}, 2)
	if got := p.Excess(start, start, 2); got != 0 {
		t.Errorf("start: %v", got)
	}
	if got, want := p.Excess(same, start, 2), 0.1+30.0/220; math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
	if d := p.Difference(same, start, 0); d.Mean != -0.75 || d.N != 2 {
		t.Errorf("%+v", d)
	}
	if d := p.DifferenceIn(same, start, 2, 1); d.Mean != 50 || d.SD != 0 {
		t.Errorf("%+v", d)
	}
	p.Limits[1].Margin = 30
	if got := p.Excess(same, start, 2); math.Abs(got-0.1) > 1e-9 {
		t.Errorf("with a margin: %v", got)
	}
	p.Limits[1].Margin = 0
	none := Measured(p.Space.Start(), []float64{math.NaN(), 9, 1, 2, 9, 1, 3, 9, 1, 4, 9, 1}, 2)
	if got := p.Excess(none, start, 2); !math.IsInf(got, 1) {
		t.Errorf("without a value: %v", got)
	}
	if front := p.front([]*Candidate{same, start, none}, 2); len(front) != 2 || front[0] != same {
		t.Errorf("front of %d", len(front))
	}
}

// TestLimitOfNoisyStart checks that a single event in ten sessions does not break the limit of a start that had none, since it
// is no evidence, that two do, and that a limit that is a number allows none.
func TestLimitOfNoisyStart(t *testing.T) {
	k := newTestKnobs()
	p := &Problem{Space: must(NewSpace(&k.Knobs, nil)), Limits: []Limit{{Most: 1, OfStart: true}}, Settings: 1}
	with := func(events int) *Candidate {
		var values []float64
		for seed := range 10 {
			n := 0.0
			if seed < events {
				n = 6
			}
			values = append(values, 1, n)
		}
		return Measured(p.Space.Start(), values, 10)
	}
	start := with(0)
	for _, x := range []struct {
		events  int
		keeps   bool
		verdict Verdict
	}{{0, true, Kept}, {1, true, Unclear}, {2, false, Unclear}, {5, false, Exceeded}, {10, false, Exceeded}} {
		c := with(x.events)
		if keeps, verdict := p.Excess(c, start, 10) == 0, p.VerdictIn(c, start, 0, 0); keeps != x.keeps || verdict != x.verdict {
			t.Errorf("%d events: %t, %s", x.events, keeps, verdict)
		}
	}
	p.Limits[0] = Limit{}
	if p.Excess(with(0), start, 10) != 0 || p.Excess(with(1), start, 10) == 0 {
		t.Error("a limit of 0")
	}
}

// TestSurest checks, by hand, that the candidate is chosen that is better with the most certainty, not that of the lowest mean.
func TestSurest(t *testing.T) {
	p, _ := newTestProblem()
	p.Limits, p.Settings, p.Seeds = nil, 1, 4
	s := newSearch(p)
	s.start.values, s.start.Seeds = []float64{10, 11, 12, 13}, 4
	for level, values := range [][]float64{{6, 3, 8, 5}, {7, 8, 9, 10}, {1, 2, 30, 4}} {
		c := s.candidate(s.start.Point.with(0, level))
		c.values, c.Seeds = values, 4
	}
	if got := s.surest(); got.Point[0] != 1 {
		t.Errorf("%v", text(p, got))
	}
}

// TestSurvivors checks that a rung keeps what exceeds a limit by chance.
func TestSurvivors(t *testing.T) {
	p, _ := newTestProblem()
	p.Limits, p.Settings = []Limit{{Most: 1, OfStart: true}}, 1
	s := newSearch(p)
	s.start.values, s.start.Seeds = []float64{10, 5, 10, 5, 10, 5, 10, 5}, 4
	var list []*Candidate
	for level, values := range [][]float64{{9, 5, 9, 5, 9, 5, 9, 5}, {1, 5, 1, 8, 1, 5, 1, 7}, {0, 9, 0, 9, 0, 9, 0, 8}, {10, 5, 10, 5, 10, 5, 10, 5}} {
		c := s.candidate(s.start.Point.with(0, level))
		c.values, c.Seeds = values, 4
		list = append(list, c)
	}
	list = s.ranked(list, s.start, 4)
	if got := s.survivors(list, 4); len(got) != 2 || got[0].Point[0] != 0 || got[1].Point[0] != 1 {
		t.Errorf("%d", len(got))
	}
}
