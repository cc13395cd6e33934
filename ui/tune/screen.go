package tune

import (
	"math"
	"slices"
)

// screen changes each knob alone, to find those that have any effect.
func (s *search) screen() error {
	if _, _, err := s.alone(); err != nil {
		return err
	}
	if err := s.extremes(); err != nil {
		return err
	}
	tried, seeds, err := s.alone()
	if err != nil {
		return err
	}
	if err := s.measure("screening", slices.Concat(tried...), seeds); err != nil {
		return err
	}
	s.seeds = seeds
	near := s.near(tried, seeds)
	if err := s.measure("screening, near", slices.Concat(near...), seeds); err != nil {
		return err
	}
	for i := range near {
		tried[i] = append(tried[i], near[i]...)
	}
	s.levels = make([][]int, len(tried))
	active := 0
	for i, list := range tried {
		e := Effect{Knob: i, From: s.Space.Knobs[i].Levels[s.start.Point[i]], None: true, Than: s.start}
		largest := math.Inf(-1)
		for _, c := range list {
			if sameAs(s.start, c) {
				continue
			}
			if moved := size(s.Problem, c, s.start); moved > largest {
				largest, e.Of, e.To, e.None = moved, c, s.Space.Knobs[i].Levels[c.Point[i]], false
			}
		}
		for _, c := range s.ranked(list, s.start, seeds) {
			s.levels[i] = append(s.levels[i], c.Point[i])
		}
		if !e.None {
			active++
		}
		s.active[i] = !e.None || s.dependent(i)
		s.out.Effects = append(s.out.Effects, e)
	}
	s.best = s.ranked(slices.Concat(append(tried, []*Candidate{s.start})...), s.start, seeds)[0]
	s.report("%d of %d knobs do anything here", active, len(tried))
	return nil
}

// extremes measures every knob at its ends, if there are enough sessions. All settings meet the same outcomes, so a knob without
// an effect gives the same values to the bit, and gets no more sessions. It must have no effect with as many seeds as a screening
// has at best, because some knobs only act on rare events. A knob that starts at an end is also tried at the level next to it: of
// a number of events, say, 0 stands for none.
func (s *search) extremes() error {
	s.active = slices.Repeat([]bool{true}, len(s.Space.Knobs))
	ends := make([][]*Candidate, len(s.Space.Knobs))
	var least []*Candidate
	for i := range s.Space.Knobs {
		k := &s.Space.Knobs[i]
		ends[i] = s.changed(s.start, i, k.ends())
		least = append(least, s.changed(s.start, i, k.spread(fewestLevels))...)
	}
	least = append(least, s.start)
	for seeds := 1; seeds <= min(screeningSeeds[0], s.Seeds); seeds++ {
		var list []*Candidate
		for i := range ends {
			if seeds == 1 || !s.active[i] {
				list = append(list, ends[i]...)
			}
		}
		if len(list) == 0 || s.cost(append(list, s.start), seeds)+s.cost(least, fewestSeeds) > s.left(screeningShare) {
			return nil
		}
		if err := s.measure("extremes", list, seeds); err != nil {
			return err
		}
		if seeds == 1 {
			clear(s.active)
		}
		for i := range ends {
			s.active[i] = s.active[i] || slices.ContainsFunc(ends[i], func(c *Candidate) bool { return !sameAs(s.start, c) })
		}
	}
	return nil
}

// changed returns the candidates that have some levels of a knob beside the rest of another one, without that one.
func (s *search) changed(from *Candidate, knob int, levels []int) (list []*Candidate) {
	for _, level := range levels {
		if c := s.candidate(from.Point.with(knob, level)); c != from && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// dependent reports whether a knob has no effect because of the value of another one, which a combination may change.
func (s *search) dependent(knob int) bool {
	return len(s.changed(s.start, knob, s.Space.Knobs[knob].ends())) == 0
}

// sameAs reports whether a candidate has the values of another one, which has at least as many, in all its sessions.
func sameAs(other, c *Candidate) bool {
	return slices.Equal(c.values, other.values[:len(c.values)]) // NaN, a missing value, differs from every value
}

// near returns, by knob, candidates with the levels next to the best one, which may be the start, of knobs that have an effect: if
// all levels far from the start do harm, one next to it may still help. There are fewer if there are too few sessions.
func (s *search) near(tried [][]*Candidate, seeds int) [][]*Candidate {
	lists := make([][]*Candidate, len(tried))
	left := s.left(nearShare)
	for i, list := range tried {
		k := &s.Space.Knobs[i]
		if !k.Ordered || !slices.ContainsFunc(list, func(c *Candidate) bool { return !sameAs(s.start, c) }) {
			continue
		}
		best := s.ranked(append([]*Candidate{s.start}, list...), s.start, seeds)[0].Point[i]
		for _, level := range []int{best - 1, best + 1} {
			if level < 0 || level >= len(k.Levels) || level == k.Start {
				continue
			}
			c := s.candidate(s.start.Point.with(i, level))
			if cost := s.cost([]*Candidate{c}, seeds); c != s.start && !slices.Contains(list, c) && cost <= left {
				lists[i], left = append(lists[i], c), left-cost
			}
		}
	}
	return lists
}

// size returns how much a candidate changes the measures from the start: the sum of the differences of the means, each as a share
// of the larger mean. The measure to minimise counts a thousand times as much as the others.
func size(p *Problem, c, start *Candidate) float64 {
	total, weight := 0.0, 1.0
	for m := range p.measures() {
		a, b := p.Mean(c, m).Mean, p.Mean(start, m).Mean
		if most := max(math.Abs(a), math.Abs(b)); most > 0 {
			total += float64(weight * math.Abs(a-b) / most)
		}
		weight = 1e-3
	}
	if math.IsNaN(total) {
		return math.Inf(1) // a value is missing now
	}
	return total
}

// alone returns candidates that change each knob alone, by knob, and the number of seeds for them. There are fewer of both
// if there are too few sessions.
func (s *search) alone() (tried [][]*Candidate, seeds int, err error) {
	for _, most := range []int{mostLevels, 3, fewestLevels} {
		tried = tried[:0]
		for i := range s.Space.Knobs {
			if s.active == nil || s.active[i] {
				tried = append(tried, s.changed(s.start, i, s.Space.Knobs[i].spread(most)))
			} else {
				tried = append(tried, nil)
			}
		}
		for _, seeds = range screeningSeeds {
			seeds = min(seeds, s.Seeds)
			if s.cost(append(slices.Concat(tried...), s.start), seeds) <= s.left(screeningShare) {
				return tried, seeds, nil
			}
		}
	}
	least := s.used + int(math.Ceil(float64(s.cost(append(slices.Concat(tried...), s.start), seeds))/screeningShare))
	return nil, 0, &TooFewError{least}
}

// ends returns the first and the last level, each replaced by its neighbour if it is the start; of a choice, all but the start.
func (k *Knob) ends() []int {
	last := len(k.Levels) - 1
	if !k.Ordered || last < 2 {
		return k.spread(last)
	}
	levels := []int{0, last}
	switch k.Start {
	case 0:
		levels[0] = 1
	case last:
		levels[1] = last - 1
	}
	return levels
}

// spread returns up to a number of levels other than the start, far from and near to it; of a choice all.
func (k *Knob) spread(most int) (list []int) {
	last := len(k.Levels) - 1
	if !k.Ordered {
		for i := range k.Levels {
			if i != k.Start {
				list = append(list, i)
			}
		}
		return list
	}
	for _, i := range []int{(k.Start + 1) / 2, (k.Start + last) / 2, 0, last, (k.Start*3 + 2) / 4, (k.Start*3 + last) / 4, k.Start - 1, k.Start + 1} {
		if i >= 0 && i <= last && i != k.Start && !slices.Contains(list, i) && len(list) < most {
			list = append(list, i)
		}
	}
	return list
}
