package tune

import "slices"

// combinations returns candidates: the changes that help alone together, the best one first, then pairs of changes, then points
// in which about half of the knobs are at their start. Of every other such point the others have values that help alone.
func (s *search) combinations(count int) (list []*Candidate) {
	var order []int // knobs whose best level helps
	startsAt := s.standing(s.start, s.start, s.seeds)
	helpful := func(knob, level int) (standing, bool) {
		at := s.standing(s.candidate(s.start.Point.with(knob, level)), s.start, s.seeds)
		return at, at.compare(startsAt) < 0 && at.objective < startsAt.objective || at.excess < startsAt.excess
	}
	best := map[int]standing{}
	for i, levels := range s.levels {
		if s.active[i] && len(levels) > 0 {
			if at, helps := helpful(i, levels[0]); helps {
				order, best[i] = append(order, i), at
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return best[a].compare(best[b]) })
	add := func(p Point) {
		if c := s.candidate(p); len(list) < count && c != s.start && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	together := slices.Clone(s.start.Point)
	for _, i := range order {
		together[i] = s.levels[i][0]
		add(together)
	}
	for _, p := range s.pairs() {
		if len(list) < count/2 {
			add(p)
		}
	}
	for tries := 0; len(list) < count && tries < 4; tries++ {
		for i, p := range s.hypercube(count - len(list)) {
			for knob := range p {
				if i%2 == 0 && p[knob] != s.start.Point[knob] {
					if _, helps := best[knob]; helps {
						p[knob] = s.levels[knob][0]
					} else {
						p[knob] = s.start.Point[knob]
					}
				}
			}
			add(p)
		}
	}
	return list
}

// pairs returns points that have two values of which each alone lowers the measure, whether or not it exceeds limits: one can
// make up for what the other one exceeds. Pairs of the best values come first.
func (s *search) pairs() (list []Point) {
	var lower []*Candidate
	startsAt := s.standing(s.start, s.start, s.seeds)
	for i, levels := range s.levels {
		for _, level := range levels {
			c := s.candidate(s.start.Point.with(i, level))
			if s.active[i] && c != s.start && s.standing(c, s.start, s.seeds).objective < startsAt.objective {
				lower = append(lower, c)
			}
		}
	}
	lower = s.ranked(lower, s.start, s.seeds)
	for sum := 1; sum < 2*len(lower); sum++ { // of the two ranks
		for a := range (sum + 1) / 2 {
			if b := sum - a; b < len(lower) {
				if p := joined(lower[a].Point, lower[b].Point, s.start.Point); p != nil {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// joined returns the point with the changes of two others; nil: both change the same knob.
func joined(a, b, start Point) Point {
	p := slices.Clone(a)
	for i, level := range b {
		switch {
		case level == start[i]:
		case p[i] != start[i]:
			return nil
		default:
			p[i] = level
		}
	}
	return p
}

// hypercube returns a Latin hypercube of points: of every knob that does anything, half of the points have the start, and
// the others have all levels equally often.
func (s *search) hypercube(count int) []Point {
	list := make([]Point, count)
	for i := range list {
		list[i] = slices.Clone(s.start.Point)
	}
	for knob, active := range s.active {
		order := s.random.Perm(count)
		levels := len(s.Space.Knobs[knob].Levels)
		shift := s.random.IntN(levels)
		for at, i := range order {
			if active && at*2 >= count {
				list[i][knob] = ((at*2-count)*levels/count + shift) % levels
			}
		}
	}
	return list
}
