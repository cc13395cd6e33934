package tune

import (
	"cmp"
	"math"
	"slices"

	"ghostcube/internal/statistics"
)

// Problem is the problem of a search. A session has a value for each measure: first the one to minimise, then one for each
// limit. NaN stands for a missing value.
type Problem struct {
	Space    *Space
	Limits   []Limit
	Settings int    // networks times tapes: sessions of a point with a seed
	Seeds    int    // that a point passes at most
	Sessions int    // of the whole search
	Seed     uint64 // of its random numbers

	// Measure returns the values of points, for each an array of seeds, settings and measures, the last one changing first.
	// It has measured the first seeds of some points before.
	Measure func(stage string, points []Point, seeds int) ([][]float64, error)
	Report  func(text string) // is called after each stage; may be nil
}

// Limit bounds the mean of a measure over the seeds in every setting.
type Limit struct {
	Most    float64
	OfStart bool    // Most is a share of the mean of the start in the same setting
	Margin  float64 // above that, in the unit of the measure
}

// Candidate is a point and its measurements.
type Candidate struct {
	Point  Point
	Seeds  int // that were measured
	values []float64
	key    string
}

// Measured returns a candidate with values that were measured elsewhere, as Problem.Measure returns them.
func Measured(p Point, values []float64, seeds int) *Candidate {
	return &Candidate{Point: p, Seeds: seeds, values: values, key: p.key()}
}

// measures returns the number of measures.
func (p *Problem) measures() int { return 1 + len(p.Limits) }

// MeanIn returns the mean of a measure over the first seeds in a setting; NaN: a session has no value.
func (p *Problem) MeanIn(c *Candidate, measure, setting, seeds int) float64 {
	sum := 0.0
	for seed := range seeds {
		sum += c.values[(seed*p.Settings+setting)*p.measures()+measure]
	}
	return sum / float64(seeds)
}

// bySeed returns a measure of each of the first seeds: the mean over the settings.
func (p *Problem) bySeed(c *Candidate, measure, seeds int) []float64 {
	list := make([]float64, seeds)
	for seed := range seeds {
		for setting := range p.Settings {
			list[seed] += c.values[(seed*p.Settings+setting)*p.measures()+measure]
		}
		list[seed] /= float64(p.Settings)
	}
	return list
}

// Mean returns a measure of a candidate over the seeds that were measured, as the mean over the settings.
func (p *Problem) Mean(c *Candidate, measure int) statistics.Interval {
	return statistics.Mean(p.bySeed(c, measure, c.Seeds))
}

// Difference returns the interval of a measure of a minus that of b, over the seeds that both have. The outcomes of the
// network are the same, so it is narrower than that of two means.
func (p *Problem) Difference(a, b *Candidate, measure int) statistics.Interval {
	n := min(a.Seeds, b.Seeds)
	x, y := p.bySeed(a, measure, n), p.bySeed(b, measure, n)
	for i := range x {
		x[i] -= y[i]
	}
	return statistics.Mean(x)
}

// DifferenceIn is Difference in one setting.
func (p *Problem) DifferenceIn(a, b *Candidate, measure, setting int) statistics.Interval {
	list := make([]float64, min(a.Seeds, b.Seeds))
	for seed := range list {
		i := (seed*p.Settings+setting)*p.measures() + measure
		list[seed] = a.values[i] - b.values[i]
	}
	return statistics.Mean(list)
}

// LimitIn returns the bound of a limit in a setting, over the first seeds of the start.
func (p *Problem) LimitIn(start *Candidate, limit, setting, seeds int) float64 {
	l := p.Limits[limit]
	if l.OfStart {
		return float64(l.Most*p.MeanIn(start, 1+limit, setting, seeds)) + l.Margin
	}
	return l.Most
}

// Over returns the interval by which a candidate is above a limit in a setting, over the first seeds: of paired differences
// if the start sets it.
func (p *Problem) Over(c, start *Candidate, limit, setting, seeds int) statistics.Interval {
	l, list := p.Limits[limit], make([]float64, seeds)
	for seed := range list {
		i := (seed*p.Settings+setting)*p.measures() + 1 + limit
		if list[seed] = c.values[i] - l.Most; l.OfStart {
			list[seed] = c.values[i] - float64(l.Most*start.values[i]) - l.Margin
		}
	}
	return statistics.Mean(list)
}

// Excess returns by how much a candidate is above its limits: the sum of shares of them over limits and settings. It is 0
// if the candidate keeps all, and infinite if it lacks a value. A limit that the start sets is as noisy as the candidate, and
// may be 0, so that a single event in all seeds would be above it: it is kept up to a standard error of the paired difference.
func (p *Problem) Excess(c, start *Candidate, seeds int) float64 {
	return excess(p, c, start, seeds, false)
}

// excess is Problem.Excess; certain counts only what the interval says is above a limit.
func excess(p *Problem, c, start *Candidate, seeds int, certain bool) (sum float64) {
	for setting := range p.Settings {
		if math.IsNaN(p.MeanIn(c, 0, setting, seeds)) {
			return math.Inf(1)
		}
		for i := range p.Limits {
			most, over := p.LimitIn(start, i, setting, seeds), p.Over(c, start, i, setting, seeds)
			more := over.Mean
			switch {
			case certain:
				more = over.Low
			case p.Limits[i].OfStart:
				more -= over.SD / math.Sqrt(float64(seeds))
			}
			switch {
			case math.IsNaN(more):
				return math.Inf(1)
			case more <= float64(rounding*max(math.Abs(most), math.Abs(over.Mean))):
			case most != 0:
				sum += more / math.Abs(most)
			default:
				sum += more
			}
		}
	}
	return sum
}

// rounding is the share of a limit or a mean by which sums of the same values in another order may differ.
const rounding = 1e-9

// Verdict is the result of comparing measurements with a limit.
type Verdict string

// Verdicts.
const (
	Kept     Verdict = "kept"
	Unclear  Verdict = "unclear" // the mean is above the limit, by less than the interval
	Exceeded Verdict = "exceeded"
)

// VerdictIn returns the verdict of all seeds on a limit in a setting.
func (p *Problem) VerdictIn(c, start *Candidate, limit, setting int) Verdict {
	seeds := min(c.Seeds, start.Seeds)
	over, slack := p.Over(c, start, limit, setting, seeds), float64(rounding*math.Abs(p.LimitIn(start, limit, setting, seeds)))
	switch {
	case over.Mean <= slack:
		return Kept
	case over.Low <= slack:
		return Unclear
	}
	return Exceeded
}

// standing is how a candidate compares: by its excess, then by the measure to minimise, then by the number of knobs that it
// changes.
type standing struct {
	excess, objective float64
	changes           int
	key               string
}

// standing returns that of a candidate over the first seeds.
func (p *Problem) standing(c, start *Candidate, seeds int) standing {
	return standing{p.Excess(c, start, seeds), statistics.Mean(p.bySeed(c, 0, seeds)).Mean, len(p.Space.Changes(c.Point)), c.key}
}

// compare orders standings, the better one first.
func (s standing) compare(o standing) int {
	return cmp.Or(cmp.Compare(s.excess, o.excess), cmp.Compare(s.objective, o.objective), cmp.Compare(s.changes, o.changes),
		cmp.Compare(s.key, o.key))
}

// ranked returns candidates by their standing over the first seeds, the best one first.
func (p *Problem) ranked(list []*Candidate, start *Candidate, seeds int) []*Candidate {
	return rankedBy(list, func(c *Candidate) standing { return p.standing(c, start, seeds) })
}

// rankedBy returns candidates by a standing.
func rankedBy(list []*Candidate, of func(*Candidate) standing) []*Candidate {
	standings := map[*Candidate]standing{}
	for _, c := range list {
		standings[c] = of(c)
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b *Candidate) int { return standings[a].compare(standings[b]) })
	return list
}

// front returns the candidates for which no other one is at least as good in all measures and better in one, by means over
// the first seeds, ordered by the measure to minimise.
func (p *Problem) front(list []*Candidate, seeds int) (front []*Candidate) {
	means := make([][]float64, len(list))
	for i, c := range list {
		for m := range p.measures() {
			means[i] = append(means[i], statistics.Mean(p.bySeed(c, m, seeds)).Mean)
		}
	}
	order := make([]int, 0, len(list))
	for i := range list {
		if !slices.ContainsFunc(means[i], math.IsNaN) && !slices.ContainsFunc(means, func(o []float64) bool { return dominates(o, means[i]) }) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(slices.Compare(means[a], means[b]), cmp.Compare(len(p.Space.Changes(list[a].Point)), len(p.Space.Changes(list[b].Point))),
			cmp.Compare(list[a].key, list[b].key))
	})
	for i, at := range order {
		if i == 0 || slices.Compare(means[at], means[order[i-1]]) != 0 { // of equal ones that with the fewest changes
			front = append(front, list[at])
		}
	}
	return front
}

// dominates reports whether values are nowhere worse than others and somewhere better.
func dominates(a, b []float64) bool {
	better := false
	for i := range a {
		if !(a[i] <= b[i]) {
			return false
		}
		better = better || a[i] < b[i]
	}
	return better
}
