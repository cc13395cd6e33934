package tune

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// ErrStopped is the error of a measurement that was interrupted. The search ends with the best so far.
var ErrStopped = errors.New("stopped")

// TooFewError is the error of a search that has too few sessions to change each of its knobs alone.
type TooFewError struct{ Least int }

// Error returns how many are enough.
func (e *TooFewError) Error() string { return fmt.Sprintf("want at least %d, or fewer knobs", e.Least) }

// The shares of the sessions that the stages may have used up when they end, and what a rung costs.
const (
	screeningShare = 0.5
	nearShare      = 0.6
	halvingShare   = 0.75
	pruningShare   = 0.12 // that pruning has at least, for its candidates with all seeds
	pruningMost    = 0.3
	pruned         = 8 // candidates for which there are sessions, if those are not more than pruningMost
	kept           = 3 // each rung keeps 1/kept of its candidates
)

// worth is the smallest improvement that a change has to bring, as a share of the start's mean. With many seeds a smaller one can
// be significant, but nobody would see it.
const worth = 0.01

// screeningSeeds are the seeds of the first measurement of a point, fewer if there are not enough sessions.
var screeningSeeds = []int{4, 3, fewestSeeds}

// The fewest that show the effect of a knob, and the levels that it takes if there are enough sessions.
const (
	fewestSeeds  = 2
	fewestLevels = 2
	mostLevels   = 4
)

// Outcome is what a search has found.
type Outcome struct {
	Start, Best *Candidate
	Effects     []Effect     // of every knob alone, from the start
	Undone      []Effect     // of the knobs that Best changes, each back at its start
	Front       []*Candidate // of all that have passed all seeds
	Sessions    int
	Stopped     bool // by ErrStopped
}

// Effect is the change of a knob that moves the measures most.
type Effect struct {
	Knob     int
	From, To string
	Than, Of *Candidate // with From and with To
	None     bool       // no level that was tried changes any measure of any session
}

// search is a search in progress.
type search struct {
	*Problem
	random *rand.Rand
	known  map[string]*Candidate
	all    []*Candidate // in the order in which they came
	start  *Candidate
	best   *Candidate
	used   int     // sessions
	seeds  int     // of the screening
	active []bool  // knobs with an effect, alone or with another one; nil: not known yet
	levels [][]int // of each knob, without the start, the best one first; those that were tried alone
	out    *Outcome
}

// newSearch returns a search that has not begun.
func newSearch(p *Problem) *search {
	s := &search{Problem: p, random: rand.New(rand.NewPCG(p.Seed, 0x7475_6e65)), known: map[string]*Candidate{}, out: &Outcome{}}
	s.start = s.candidate(p.Space.Start())
	s.best = s.start
	return s
}

// Check returns a *TooFewError if Run would.
func (p *Problem) Check() error {
	_, _, err := newSearch(p).alone()
	return err
}

// Run searches. The same problem gives the same outcome.
func (p *Problem) Run() (*Outcome, error) {
	s := newSearch(p)
	var err error
	for _, stage := range []func() error{s.screen, s.halve, s.refine, s.prune, s.undo} {
		if err = stage(); err != nil {
			break
		}
	}
	if errors.Is(err, ErrStopped) && s.start.Seeds > 0 {
		s.out.Stopped, err = true, nil
	}
	s.out.Start, s.out.Best, s.out.Sessions = s.start, s.best, s.used
	var whole []*Candidate
	for _, c := range s.all {
		if c.Seeds == p.Seeds {
			whole = append(whole, c)
		}
	}
	s.out.Front = p.front(whole, p.Seeds)
	return s.out, err
}

// candidate returns the candidate of a point.
func (s *search) candidate(p Point) *Candidate {
	p = s.Space.reduced(p)
	key := p.key()
	c := s.known[key]
	if c == nil {
		c = &Candidate{Point: p, key: key}
		s.known[key] = c
		s.all = append(s.all, c)
	}
	return c
}

// cost returns the sessions that it takes to measure candidates up to a number of seeds.
func (s *search) cost(list []*Candidate, seeds int) (n int) {
	for _, c := range list {
		n += max(seeds-c.Seeds, 0) * s.Settings
	}
	return n
}

// left returns the sessions that are left until a share of all is used up.
func (s *search) left(share float64) int { return int(float64(s.Sessions)*share) - s.used }

// leftToPrune returns the sessions that are left without those that pruning takes.
func (s *search) leftToPrune() int {
	share := float64(pruned*s.Seeds*s.Settings) / float64(s.Sessions)
	return s.left(1 - min(max(share, pruningShare), pruningMost))
}

// measure measures candidates up to a number of seeds, the start among them.
func (s *search) measure(stage string, list []*Candidate, seeds int) error {
	var points []Point
	var missing []*Candidate
	for _, c := range append([]*Candidate{s.start}, list...) {
		if c.Seeds < seeds && !slices.Contains(missing, c) {
			points, missing = append(points, c.Point), append(missing, c)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	used := s.cost(missing, seeds)
	values, err := s.Measure(stage, points, seeds)
	if err != nil {
		return err
	}
	s.used += used
	for i, c := range missing {
		c.values, c.Seeds = values[i], seeds
	}
	return nil
}

// report reports the result of a stage.
func (s *search) report(format string, args ...any) {
	if s.Report != nil {
		s.Report(fmt.Sprintf(format, args...) + fmt.Sprintf("; %d of %d sessions", s.used, s.Sessions))
	}
}

// halve measures combinations of knobs with more and more seeds, and keeps a third of each rung, and of its front what leaves
// enough sessions to refine the best one.
func (s *search) halve() error {
	rungs := []int{s.seeds}
	for n := s.seeds * 2; n < s.Seeds; n *= 2 {
		rungs = append(rungs, n)
	}
	rungs = slices.Compact(append(rungs, s.Seeds))
	price, share := 0.0, 1.0 // of one candidate that begins
	for i, n := range rungs {
		more := n
		if i > 0 {
			more -= rungs[i-1]
		}
		price += float64(share * float64(more*s.Settings))
		share /= kept
	}
	count := int(float64(min(s.left(halvingShare), s.leftToPrune())) / price)
	list := []*Candidate{s.start}
	for _, c := range append([]*Candidate{s.best}, s.combinations(count)...) {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	for i, seeds := range rungs {
		for len(list) > 1 && s.cost(list, seeds) > s.leftToPrune() {
			list = list[:len(list)-1]
		}
		if s.cost(list, seeds) > s.leftToPrune() {
			break
		}
		if err := s.measure(fmt.Sprintf("rung %d", i+1), list, seeds); err != nil {
			return err
		}
		list = s.ranked(list, s.start, seeds)
		s.best = list[0]
		s.report("rung %d: %d settings with %d seeds", i+1, len(list), seeds)
		best := s.survivors(list, seeds)
		for _, c := range s.front(list, seeds) {
			if more := append(slices.Clip(best), c); !slices.Contains(best, c) && i+1 < len(rungs) &&
				s.cost(more, rungs[i+1]) <= s.left(halvingShare) { // with many limits nearly all are on the front
				best = more
			}
		}
		list = best
	}
	return nil
}

// survivors returns the third of ranked candidates that goes on: half of them the first, half those that are best if a limit
// counts that is certainly exceeded alone. With few seeds chance decides about limits, of which there are many.
func (s *search) survivors(list []*Candidate, seeds int) []*Candidate {
	count := (len(list) + kept - 1) / kept
	best := slices.Clone(list[:(count+1)/2])
	for _, c := range rankedBy(list, func(c *Candidate) standing {
		at := s.standing(c, s.start, seeds)
		at.excess = excess(s.Problem, c, s.start, seeds, true)
		return at
	}) {
		if len(best) < count && !slices.Contains(best, c) {
			best = append(best, c)
		}
	}
	return best
}

// refine moves to neighbours of the best candidate as long as one is better over all seeds, and the paired difference says
// so.
func (s *search) refine() error {
	if s.leftToPrune() < s.cost([]*Candidate{s.best, s.start}, s.Seeds) {
		return nil
	}
	if err := s.measure("refining", []*Candidate{s.best}, s.Seeds); err != nil {
		return err
	}
	woken, err := s.wake()
	if err != nil {
		return err
	}
	for step := 1; ; step++ {
		list := append(woken, slices.DeleteFunc(s.neighbours(), func(c *Candidate) bool { return slices.Contains(woken, c) })...)
		few := min(s.Seeds, screeningSeeds[0])
		for len(list) > 0 && s.cost(list, few)+len(list)/kept*(s.Seeds-few)*s.Settings > s.leftToPrune() {
			list = list[:len(list)-1]
		}
		if len(list) == 0 {
			return nil
		}
		stage := fmt.Sprintf("refining %d", step)
		if err := s.measure(stage, list, few); err != nil {
			return err
		}
		list = s.ranked(list, s.start, few)
		list = list[:(len(list)+kept-1)/kept]
		if err := s.measure(stage, list, s.Seeds); err != nil {
			return err
		}
		list = s.ranked(list, s.start, s.Seeds)
		woken = nil
		if next := slices.IndexFunc(list, func(c *Candidate) bool { return s.better(c, s.best) }); next >= 0 {
			s.best = list[next]
		} else if woken, err = s.wake(); err != nil || len(woken) == 0 {
			s.report("refined in %d steps", step-1)
			return err
		}
	}
}

// wake measures knobs that did nothing alone beside the best candidate, at their ends with one seed, and searches from now on
// those that do something there: inputs that wait too long are skipped later or sooner only if some do. It returns the
// candidates that have values of them.
func (s *search) wake() (woken []*Candidate, err error) {
	if s.best == s.start {
		return nil, nil
	}
	ends := make([][]*Candidate, len(s.Space.Knobs))
	for i := range ends {
		if !s.active[i] {
			ends[i] = s.changed(s.best, i, s.Space.Knobs[i].ends())
		}
	}
	list := slices.Concat(ends...)
	if s.cost(list, 1) > s.leftToPrune()/2 {
		return nil, nil
	}
	if err := s.measure("waking", list, 1); err != nil {
		return nil, err
	}
	for i := range ends {
		if slices.ContainsFunc(ends[i], func(c *Candidate) bool { return !sameAs(s.best, c) }) {
			s.active[i] = true
			woken = append(woken, s.changed(s.best, i, s.Space.Knobs[i].spread(mostLevels))...)
		}
	}
	return woken, nil
}

// better reports whether a candidate exceeds the limits less than another one, or has a lower value, by more than the
// interval of the paired difference.
func (s *search) better(a, b *Candidate) bool {
	x, y := s.Excess(a, s.start, s.Seeds), s.Excess(b, s.start, s.Seeds)
	if x != y {
		return x < y
	}
	return s.Difference(a, b, 0).High < 0
}

// neighbours returns the candidates that differ from the best one by the next level of a knob, or by any other level of a
// choice.
func (s *search) neighbours() (list []*Candidate) {
	for i := range s.Space.Knobs {
		k := &s.Space.Knobs[i]
		for level := range k.Levels {
			apart := level - s.best.Point[i]
			if !s.active[i] || apart == 0 || k.Ordered && apart*apart > 1 {
				continue
			}
			if c := s.candidate(s.best.Point.with(i, level)); c != s.best && !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	return list
}

// surest returns the candidate with all seeds that is better than the start with the most certainty: of those that exceed the
// limits least that whose interval ends lowest. The lowest mean of hundreds is often low by chance. It is the best one if
// none is better than the start.
func (s *search) surest() *Candidate {
	var list []*Candidate
	for _, c := range s.all {
		if c.Seeds == s.Seeds && c != s.start && s.better(c, s.start) {
			list = append(list, c)
		}
	}
	list = rankedBy(list, func(c *Candidate) standing {
		at := s.standing(c, s.start, s.Seeds)
		at.objective = s.Difference(c, s.start, 0).High
		return at
	})
	return append(list, s.best)[0]
}

// prune puts knobs back to their start, as long as nothing is worse than the best candidate by more than the interval of the
// paired difference and a share of the start: those whose change is worth less beside the others, all at once or else one
// after the other. If all changes together are worth less, or those that are left, the start stays.
func (s *search) prune() error {
	if s.cost([]*Candidate{s.best, s.start}, s.Seeds) > s.left(1) {
		return nil
	}
	if err := s.measure("pruning", []*Candidate{s.best}, s.Seeds); err != nil {
		return err
	}
	s.best = s.surest()
	full, least := s.best, float64(worth*math.Abs(s.Mean(s.start, 0).Mean))
	worthy := func(a, b *Candidate) bool {
		return s.Excess(b, s.start, s.Seeds) > s.Excess(a, s.start, s.Seeds) || s.Difference(a, b, 0).Mean < -least
	}
	pays := func(c *Candidate) bool { return s.better(full, c) && worthy(full, c) } // what c has at its start
	for {
		list := s.undoing()
		for len(list) > 0 && s.cost(list, s.Seeds) > s.left(1) {
			list = list[:len(list)-1]
		}
		if err := s.measure("pruning", list, s.Seeds); err != nil {
			return err
		}
		list = slices.DeleteFunc(list, pays)
		if len(list) == 0 {
			if !pays(s.start) || !worthy(s.best, s.start) {
				s.best = s.start
			}
			return nil
		}
		together := slices.Clone(s.best.Point)
		for _, c := range list {
			for i, level := range c.Point {
				if level == s.start.Point[i] {
					together[i] = level
				}
			}
		}
		all := s.candidate(together)
		if s.cost([]*Candidate{all}, s.Seeds) <= s.left(1) {
			if err := s.measure("pruning", []*Candidate{all}, s.Seeds); err != nil {
				return err
			}
		}
		if s.best = s.ranked(list, s.start, s.Seeds)[0]; all.Seeds == s.Seeds && !pays(all) {
			s.best = all
		}
	}
}

// undoing returns the candidates that differ from the best one by a knob that is at its start.
func (s *search) undoing() (list []*Candidate) {
	for i, level := range s.best.Point {
		if start := s.start.Point[i]; level != start {
			if c := s.candidate(s.best.Point.with(i, start)); !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	return list
}

// undo measures the effect of each change of the best candidate.
func (s *search) undo() error {
	for i, level := range s.best.Point {
		start := s.start.Point[i]
		if level == start {
			continue
		}
		c := s.candidate(s.best.Point.with(i, start))
		if c.Seeds < s.best.Seeds {
			if s.cost([]*Candidate{c}, s.best.Seeds) > s.left(1) {
				continue
			}
			if err := s.measure("effects", []*Candidate{c}, s.best.Seeds); err != nil {
				return err
			}
		}
		k := &s.Space.Knobs[i]
		s.out.Undone = append(s.out.Undone, Effect{Knob: i, From: k.Levels[start], To: k.Levels[level], Than: c, Of: s.best})
	}
	s.report("changed knobs: %d", len(s.Space.Changes(s.best.Point)))
	return nil
}
