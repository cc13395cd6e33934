package hud

import (
	"slices"
	"strings"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/ui/stage/stagetest"
)

// TestQuantitiesAreCounted checks that every quantity that the interface asks for has a counter in some strategy.
func TestQuantitiesAreCounted(t *testing.T) {
	for q := predict.LateInputs; q <= predict.ClockBehind; q++ {
		if !slices.ContainsFunc(lab.Strategies, func(s *predict.Strategy) bool {
			_, counters := lab.Describe(s)
			_, ok := counters.Sum(q)
			return ok
		}) {
			t.Errorf("no strategy counts quantity %d", q)
		}
	}
}

// TestGraphsOfCountedNumbers checks that a graph is known in every strategy that counts its number, and
// in no other, and that the buffer of each strategy that has one fills.
func TestGraphsOfCountedNumbers(t *testing.T) {
	graphs := map[int]string{
		ReplayGraph: "replayed_ticks rolled_back_ticks", InputBufferGraph: "buffer_depth",
		EarlyArrivalGraph: "arrival_early_ms clock_behind_ticks",
	}
	known := map[int]int{}
	for _, strategy := range lab.Strategies {
		l := stagetest.Session(t, "latency=75ms", strategy.Name)
		var s HUD
		stagetest.Roll(t, &s, l, 120)
		for which := range GraphCount {
			names, optional := graphs[which]
			counted := !optional
			for _, name := range strings.Fields(names) {
				_, ok := l.Panes[0].Counters.Lookup(name)
				counted = counted || ok
			}
			g := s.Graph(0, which)
			if g.Known != counted {
				t.Errorf("%s: the graph %q is known: %v, but it is counted: %v", strategy.Name, g.Title, g.Known, counted)
			}
			if optional && g.Known {
				known[which]++
			}
			if which == InputBufferGraph && g.Known && strategy.Name == "lockstep" && g.Last() < 5 {
				t.Errorf("%s: %v inputs wait, want those of 100 ms", strategy.Name, g.Last())
			}
		}
	}
	if known[ReplayGraph] != 4 || known[InputBufferGraph] < 5 || known[EarlyArrivalGraph] < 5 {
		t.Errorf("strategies with each graph: %v", known)
	}
}

// TestCorrectionsText checks whose corrections a caption names, and that it names those of other
// bodies where they are measured.
func TestCorrectionsText(t *testing.T) {
	m := &predict.Counters{}
	m.New("mean", "").Of(predict.MeanCorrection).Set(0.25)
	if got := (&texts{}).corrections(m, 2).end(); got != "2 corrections of the player's cube, mean 0.25 m" {
		t.Error(got)
	}
	m.New("largest", "").Of(predict.MeanLargestCorrection).Set(1.5)
	if got := (&texts{}).corrections(m, 1).end(); got != "1 correction, mean 1.50 m, player's cube 0.25 m" {
		t.Error(got)
	}
}
