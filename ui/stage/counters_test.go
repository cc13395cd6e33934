package stage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/lab"
)

// TestCountersThatAreReadExist checks that every counter that captions, graphs, panels and measures
// read by its name is one that a strategy declares. A renamed counter would read as 0 otherwise.
func TestCountersThatAreReadExist(t *testing.T) {
	declared := map[string]bool{} // and knobs, which have a Lookup, too
	for _, s := range lab.Strategies {
		knobs, counters := lab.Describe(s)
		for _, k := range knobs.All() {
			declared[k.Name] = true
		}
		for _, c := range counters.All() {
			declared[c.Name] = true
		}
	}
	read := 0
	for _, folder := range []string{".", "../window", "../recorder", "../cli", "../../predict/lab", "../../predict/score"} {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
				continue
			}
			path := filepath.Join(folder, f.Name())
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if name, ok := counterRead(n); ok {
					if read++; !declared[name] {
						t.Errorf("%s reads the counter %q, which no strategy has", path, name)
					}
				}
				return true
			})
		}
	}
	if read < 10 {
		t.Errorf("%d counters are read by name", read)
	}
}

// counterRead returns the name in a call of Value or Lookup with a constant name.
func counterRead(n ast.Node) (name string, ok bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return "", false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "Value" && f.Sel.Name != "Lookup" {
		return "", false
	}
	arg, ok := call.Args[0].(*ast.BasicLit)
	if !ok || arg.Kind != token.STRING {
		return "", false
	}
	name, err := strconv.Unquote(arg.Value)
	return name, err == nil
}

// TestGraphsOfCountedNumbers checks that a graph is known in every strategy that counts its number, and
// in no other, and that the buffer of each strategy that has one fills.
func TestGraphsOfCountedNumbers(t *testing.T) {
	graphs := map[int]string{ReplayGraph: "replayed_ticks", InputBufferGraph: "buffer_depth", EarlyArrivalGraph: "arrival_early_ms clock_behind_ticks"}
	known := map[int]int{}
	for _, strategy := range lab.Strategies {
		l := newSession(t, "latency=75ms", strategy.Name)
		var s Stage
		runTicks(t, &s, l, 120)
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
	if known[ReplayGraph] != 3 || known[InputBufferGraph] < 5 || known[EarlyArrivalGraph] < 5 {
		t.Errorf("strategies with each graph: %v", known)
	}
}

// TestCorrectionsText checks whose corrections a caption names, and that it names those of other
// bodies where they are measured.
func TestCorrectionsText(t *testing.T) {
	m := &predict.Counters{}
	m.New("correction_mean_m", "").Set(0.25)
	if got := (&texts{}).corrections(m, 2).end(); got != "2 corrections of the player's cube, mean 0.25 m" {
		t.Error(got)
	}
	m.New("correction_largest_mean_m", "").Set(1.5)
	if got := (&texts{}).corrections(m, 1).end(); got != "1 correction, mean 1.50 m, player's cube 0.25 m" {
		t.Error(got)
	}
}
