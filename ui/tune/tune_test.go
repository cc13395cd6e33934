package tune

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ghostcube/predict"
)

// must returns a value, or panics.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// testKnobs are knobs of a strategy that there is not.
type testKnobs struct {
	predict.Knobs
	lead, cost, shot  int
	size              int
	dust              int
	factor, idle, far float64
	mode              int
	on                bool
}

// newTestKnobs returns the knobs at their defaults.
func newTestKnobs() *testKnobs {
	k := &testKnobs{}
	group := k.In(predict.InputKnobs)
	group.Int(&k.lead, "lead", 5, 0, 60, "ticks")
	group.Float(&k.factor, "factor", 0.95, 0, 0.999, "share")
	group.Choice(&k.mode, "mode", 0, []string{"none", "one", "two"}, "mode")
	group.Float(&k.far, "far", 3, 0, 100, "mode=two: m")
	k.Needs("far", "mode", "two")
	group.Millis(&k.idle, "idle", 100, 0, 5000, "does nothing, ms")
	group.Bool(&k.on, "on", true, "changes nothing but the noise")
	group.Int(&k.dust, "dust", 4, 1, 8, "changes nothing but the noise")
	group.Int(&k.cost, "cost", 1, 1, 8, "does harm")
	group.Int(&k.size, "size", 256, 16, 4096, "does nothing")
	k.In(predict.ShotKnobs).Int(&k.shot, "shot", 1, 0, 9, "rule")
	return k
}

// newTestProblem returns a problem with a known optimum: lead 12, but the limit allows 10 at most, factor 0.5, mode two with
// far 3, cost 1. The noise of a seed is partly common to all points.
func newTestProblem() (*Problem, *testKnobs) {
	k := newTestKnobs()
	p := &Problem{Space: must(NewSpace(&k.Knobs, nil)), Limits: []Limit{{Most: 20}}, Settings: 2, Seeds: 10, Sessions: 4000, Seed: 1}
	p.Measure = func(_ string, points []Point, seeds int) (all [][]float64, _ error) {
		for _, point := range points {
			for i, level := range point {
				if err := k.Set(p.Space.Knobs[i].Name, p.Space.Knobs[i].Levels[level]); err != nil {
					return nil, err
				}
			}
			mode := []float64{3, 2, math.Abs(k.far-3) / 10}[k.mode]
			value := 0.05*math.Pow(float64(k.lead)-12, 2) + 20*math.Pow(k.factor-0.5, 2) + mode + 0.5*float64(k.cost)
			var values []float64
			for seed := range seeds {
				common := rand.New(rand.NewPCG(uint64(seed), 1)).NormFloat64()
				noise := uint64(k.dust)
				if k.on {
					noise += 100
				}
				own := rand.New(rand.NewPCG(uint64(seed), math.Float64bits(value)+noise))
				for setting := range p.Settings {
					values = append(values, value+float64(setting)+2*common+0.1*own.NormFloat64(), 2*float64(k.lead))
				}
			}
			all = append(all, values)
		}
		return all, nil
	}
	return p, k
}

// text returns the changes of a candidate.
func text(p *Problem, c *Candidate) (list []string) {
	for _, x := range p.Space.Changes(c.Point) {
		list = append(list, x[0]+"="+x[1])
	}
	return list
}

// TestFindsOptimum checks that a search finds a known optimum under a limit and under noise that is larger than the
// differences between neighbours, that knobs stay that change nothing, or nothing but the noise, and that it keeps to its number of sessions.
func TestFindsOptimum(t *testing.T) {
	p, _ := newTestProblem()
	o := must(p.Run())
	if got, want := strings.Join(text(p, o.Best), " "), "lead=10 factor=0.5 mode=two"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if p.Excess(o.Best, o.Start, p.Seeds) != 0 || o.Sessions > p.Sessions || o.Stopped {
		t.Errorf("excess %v, %d of %d sessions", p.Excess(o.Best, o.Start, p.Seeds), o.Sessions, p.Sessions)
	}
	var none []string
	for _, e := range o.Effects {
		if e.None {
			none = append(none, p.Space.Knobs[e.Knob].Name)
		}
	}
	if !slices.Equal(none, []string{"far", "idle", "size"}) {
		t.Errorf("no effect: %v", none)
	}
	if len(o.Undone) != 3 {
		t.Fatalf("%d changes", len(o.Undone))
	}
	for _, e := range o.Undone {
		if d := p.Difference(e.Of, e.Than, 0); d.High >= 0 {
			t.Errorf("%s is worth %+v", p.Space.Knobs[e.Knob].Name, d)
		}
	}
	if d := p.Difference(o.Best, o.Start, 0); math.Abs(d.Mean-(0.05*4+0-0.05*49-20*0.45*0.45-3)) > 0.2 || d.Half() > 0.2 {
		t.Errorf("gain %+v", d)
	}
	if len(o.Front) < 2 {
		t.Errorf("front of %d", len(o.Front))
	}
	for i, c := range o.Front {
		if c.Seeds != p.Seeds || i > 0 && (p.Mean(o.Front[i-1], 0).Mean > p.Mean(c, 0).Mean || p.Mean(o.Front[i-1], 1).Mean < p.Mean(c, 1).Mean) {
			t.Errorf("%d: %v", i, text(p, c))
		}
	}
}

// TestSearchSparesInertKnobs checks that a knob that does nothing takes two sessions, so that one that does something gets
// more, and that a knob that only does something beside another one is searched beside it.
func TestSearchSparesInertKnobs(t *testing.T) {
	p, k := newTestProblem()
	err := k.Set("far", "20")
	p.Space, p.Settings = must(NewSpace(&k.Knobs, nil)), 1
	sessions, combined, inner := map[string]int{}, false, p.Measure
	known := map[string]int{}
	p.Measure = func(stage string, points []Point, seeds int) ([][]float64, error) {
		for _, point := range points {
			changes := p.Space.Changes(point)
			combined = combined || stage == "rung 1" && slices.ContainsFunc(changes, func(c [2]string) bool { return c[0] == "far" })
			if len(changes) == 1 {
				sessions[changes[0][0]] += seeds - known[point.key()]
				known[point.key()] = seeds
			}
		}
		return inner(stage, points, seeds)
	}
	o := must(p.Run())
	if err != nil || sessions["idle"] != 8 || sessions["size"] != 8 || sessions["lead"] < 16 {
		t.Errorf("%v, %v", err, sessions)
	}
	got := strings.Join(text(p, o.Best), " ")
	far, err := strconv.ParseFloat(strings.TrimPrefix(got, "lead=10 factor=0.5 mode=two far="), 64)
	if err != nil || far > 7 || !combined {
		t.Errorf("%s, %t", got, combined)
	}
}

// TestSearchTakesBackDust checks that a change goes back that is clear and of no use: worth half a percent in every session.
func TestSearchTakesBackDust(t *testing.T) {
	p, k := newTestProblem()
	p.Space, p.Limits, p.Settings = must(NewSpace(&k.Knobs, []string{"dust", "on"})), nil, 1
	p.Measure = func(_ string, points []Point, seeds int) (all [][]float64, _ error) {
		for _, point := range points {
			value := 100.0
			if point[0] != p.Space.Knobs[0].Start {
				value -= 5
			}
			if point[1] != p.Space.Knobs[1].Start {
				value -= 0.5
			}
			all = append(all, slices.Repeat([]float64{value}, seeds))
		}
		return all, nil
	}
	if o := must(p.Run()); len(p.Space.Changes(o.Best.Point)) != 1 || o.Best.Point[0] == o.Start.Point[0] {
		t.Errorf("%v of %s, %s", text(p, o.Best), p.Space.Knobs[0].Name, p.Space.Knobs[1].Name)
	}
}

// TestSearchPrunesWithFewSessions checks that a search whose sessions end before the last rung still measures its best with all
// seeds, and reverts changes without effect.
func TestSearchPrunesWithFewSessions(t *testing.T) {
	for sessions := 220; sessions < 900; sessions += 40 {
		p, _ := newTestProblem()
		p.Sessions = sessions
		o := must(p.Run())
		if o.Best.Seeds != p.Seeds || o.Sessions > sessions {
			t.Errorf("%d of %d: %d seeds, %v", o.Sessions, sessions, o.Best.Seeds, text(p, o.Best))
		}
	}
}

// TestSearchRepeats checks that the same problem gives the same search, and another seed another one.
func TestSearchRepeats(t *testing.T) {
	var trails []string
	for _, seed := range []uint64{1, 1, 2} {
		p, _ := newTestProblem()
		p.Seed, p.Sessions = seed, 1500
		trail, inner := "", p.Measure
		p.Measure = func(stage string, points []Point, seeds int) ([][]float64, error) {
			trail += fmt.Sprintln(stage, seeds, points)
			return inner(stage, points, seeds)
		}
		must(p.Run())
		trails = append(trails, trail)
	}
	if trails[0] != trails[1] || trails[0] == trails[2] {
		t.Errorf("equal searches: %t, %t", trails[0] == trails[1], trails[0] == trails[2])
	}
}

// TestSearchNearStart checks that a search with few sessions finds a value beside the start where all that are far from it do harm.
func TestSearchNearStart(t *testing.T) {
	p, k := newTestProblem()
	p.Space, p.Limits, p.Settings, p.Sessions = must(NewSpace(&k.Knobs, []string{"lead"})), nil, 1, 26
	start := p.Space.Knobs[0].Start
	p.Measure = func(_ string, points []Point, seeds int) (all [][]float64, _ error) {
		for _, point := range points {
			all = append(all, slices.Repeat([]float64{math.Abs(float64(point[0]-start) - 1)}, seeds))
		}
		return all, nil
	}
	for _, level := range p.Space.Knobs[0].spread(4) {
		if level == start+1 {
			t.Fatal("the value is tried anyway")
		}
	}
	if o := must(p.Run()); o.Best.Point[0] != start+1 {
		t.Errorf("%v", text(p, o.Best))
	}
}

// TestSearchWithoutSolution checks that limits that nothing keeps are approached, and that the start stays if nothing is
// better.
func TestSearchWithoutSolution(t *testing.T) {
	p, _ := newTestProblem()
	p.Limits = []Limit{{Most: -1}}
	if o := must(p.Run()); p.Excess(o.Best, o.Start, o.Best.Seeds) <= 0 || !slices.Contains(text(p, o.Best), "lead=0") {
		t.Errorf("%v", text(p, o.Best))
	}
	var k *testKnobs
	p, k = newTestProblem()
	for name, value := range map[string]string{"factor": "0.5", "mode": "two", "lead": "10"} {
		if err := k.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	p.Space = must(NewSpace(&k.Knobs, nil))
	if o := must(p.Run()); len(text(p, o.Best)) != 0 {
		t.Errorf("%v", text(p, o.Best))
	}
}

// TestSearchStops checks that an interrupted search has the best so far, in every stage, and that too few sessions are an
// error that says how many are enough.
func TestSearchStops(t *testing.T) {
	for calls := range 8 {
		p, _ := newTestProblem()
		inner, n := p.Measure, 0
		p.Measure = func(stage string, points []Point, seeds int) ([][]float64, error) {
			if n++; n > calls {
				return nil, ErrStopped
			}
			return inner(stage, points, seeds)
		}
		o, err := p.Run()
		if calls == 0 {
			if !errors.Is(err, ErrStopped) {
				t.Errorf("%v", err)
			}
			continue
		}
		if err != nil || n > calls && !o.Stopped || p.standing(o.Best, o.Start, o.Best.Seeds).compare(p.standing(o.Start, o.Start, o.Best.Seeds)) > 0 {
			t.Errorf("after %d: %v", calls, err)
		}
	}
	p, _ := newTestProblem()
	p.Sessions = 10
	_, err := p.Run()
	var few *TooFewError
	if !errors.As(err, &few) || !errors.As(p.Check(), &few) {
		t.Fatalf("%v, %v", err, p.Check())
	}
	p.Sessions = few.Least
	if _, err := p.Run(); err != nil {
		t.Errorf("with %d: %v", few.Least, err)
	}
}

// TestSpace checks the levels of knobs, exclusions, chosen names, and that a knob without an effect beside the others goes
// back to its start.
func TestSpace(t *testing.T) {
	k := newTestKnobs()
	s := must(NewSpace(&k.Knobs, nil))
	for name, want := range map[string]string{
		"lead":   "0 1 2 3 4 5 6 7 10 15 20 30 50 60",
		"factor": "0 0.5 0.7 0.8 0.85 0.9 0.93 0.95 0.97 0.98 0.985 0.99 0.993 0.995 0.998 0.999",
		"mode":   "none one two",
		"on":     "off on",
		"cost":   "1 2 3 4 5 6 7 8",
		"size":   "16 20 50 70 100 150 200 256 300 500 700 1000 1500 2000 4096",
	} {
		i := slices.IndexFunc(s.Knobs, func(k Knob) bool { return k.Name == name })
		if got := strings.Join(s.Knobs[i].Levels, " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if s.Knobs[i].Levels[s.Knobs[i].Start] != k.Lookup(name).Default() {
			t.Errorf("%s starts at %s", name, s.Knobs[i].Levels[s.Knobs[i].Start])
		}
	}
	if !slices.Equal(s.Excluded, []Exclusion{{"shot", "a rule of the game"}}) {
		t.Errorf("%v", s.Excluded)
	}
	far := slices.IndexFunc(s.Knobs, func(k Knob) bool { return k.Name == "far" })
	mode := far - 1
	p := s.Start().with(far, 0)
	if q := s.reduced(p); q[far] != s.Knobs[far].Start {
		t.Errorf("%v", q)
	}
	if q := s.reduced(p.with(mode, 2)); q[far] != 0 || q[mode] != 2 {
		t.Errorf("%v", q)
	}
	if one := must(NewSpace(&k.Knobs, []string{"lead"})); len(one.Knobs) != 1 || one.Knobs[0].Name != "lead" {
		t.Errorf("%+v", one.Knobs)
	}
	if _, err := NewSpace(&k.Knobs, []string{"shot"}); err == nil || !strings.Contains(err.Error(), `"shot"`) {
		t.Errorf("%v", err)
	}
}

// TestSearchOfRareKnobs checks that a search finds a knob that acts on an event that the first seeds lack, and one that acts only
// beside the best value of another knob, although no rule says so.
func TestSearchOfRareKnobs(t *testing.T) {
	p, k := newTestProblem()
	p.Space, p.Settings = must(NewSpace(&k.Knobs, nil)), 1
	inner, at := p.Measure, func(name string) int {
		return slices.IndexFunc(p.Space.Knobs, func(k Knob) bool { return k.Name == name })
	}
	idle, size, lead := at("idle"), at("size"), at("lead")
	p.Measure = func(stage string, points []Point, seeds int) ([][]float64, error) {
		all, err := inner(stage, points, seeds)
		for i, point := range points {
			for seed := 3; seed < seeds && point[idle] < p.Space.Knobs[idle].Start; seed++ {
				all[i][seed*2] -= 3
			}
			for seed := 0; seed < seeds && point[size] < p.Space.Knobs[size].Start && point[lead] > p.Space.Knobs[lead].Start+1; seed++ {
				all[i][seed*2]--
			}
		}
		return all, err
	}
	o := must(p.Run())
	for _, name := range []string{"idle", "size"} {
		if i := at(name); o.Best.Point[i] >= p.Space.Knobs[i].Start {
			t.Errorf("%s is not found: %v", name, text(p, o.Best))
		}
	}
}

// TestSearchRefinesUnderManyLimits checks that sessions are left to refine the best settings where limits are so many that no
// settings are worse than others in every measure.
func TestSearchRefinesUnderManyLimits(t *testing.T) {
	p, _ := newTestProblem()
	inner, stages := p.Measure, map[string]bool{}
	p.Limits, p.Settings, p.Sessions = slices.Repeat([]Limit{{Most: 1}}, 8), 1, 1500
	p.Measure = func(stage string, points []Point, seeds int) (all [][]float64, _ error) {
		stages[stage] = true
		two, err := inner(stage, points, seeds)
		for i, point := range points {
			random := rand.New(rand.NewPCG(1, uint64(len(point.key()))+math.Float64bits(two[i][0])))
			var values []float64
			for seed := range seeds {
				values = append(values, two[i][seed*2])
				for range p.Limits {
					values = append(values, random.Float64())
				}
			}
			all = append(all, values)
		}
		return all, err
	}
	if must(p.Run()); !stages["refining 1"] {
		t.Errorf("%v", stages)
	}
}

// TestSearchOfPairs checks that a search finds two changes of which one makes up for the limit that the other one exceeds, where
// no step leads from one to the other, and all other changes do harm.
func TestSearchOfPairs(t *testing.T) {
	p, _ := newTestProblem()
	p.Limits, p.Settings, p.Sessions = []Limit{{Most: 0}}, 1, 1000
	at := func(name string) int {
		return slices.IndexFunc(p.Space.Knobs, func(k Knob) bool { return k.Name == name })
	}
	lead, idle, start := at("lead"), at("idle"), p.Space.Start()
	p.Measure = func(_ string, points []Point, seeds int) (all [][]float64, _ error) {
		for _, point := range points {
			value, over := 20.0, 0.0
			for i := range point {
				switch steps := point[i] - start[i]; {
				case i == idle && steps < 0:
					value, over = value-0.1, over-1
				case i == lead && steps > 1:
					value, over = value-3, over+1
				case steps != 0:
					value += 5
				}
			}
			all = append(all, slices.Repeat([]float64{value, over}, seeds))
		}
		return all, nil
	}
	if o := must(p.Run()); len(p.Space.Changes(o.Best.Point)) != 2 || o.Best.Point[lead] <= start[lead] || o.Best.Point[idle] >= start[idle] {
		t.Errorf("%v", text(p, o.Best))
	}
}
