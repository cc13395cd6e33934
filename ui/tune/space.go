// Package tune searches for settings of a strategy that minimise one measure within limits of others. It runs no session
// and knows no strategy: a function measures the points that it asks for, with seeds that all points share.
//
// First every knob is set to its ends with a few seeds: one that changes no value has no effect and is left out. The others are
// changed alone, with a few seeds, which shows their effects. Combinations of them, pairs and a Latin hypercube (McKay, Beckman
// and Conover, 1979), then pass rungs with more and more seeds, of which the best third reaches the next (successive halving:
// Jamieson and Talwalkar, 2016). Then come neighbours of the best point, which replace it if the paired difference is
// significant. At the end every knob that does not pay goes back to its start.
package tune

import (
	"fmt"
	"slices"
	"strconv"

	"ghostcube/net/link"
	"ghostcube/predict"
)

// Space is the set of settings that a search can choose from.
type Space struct {
	Knobs    []Knob
	Excluded []Exclusion
	settings *predict.Knobs // those of the point that was looked at last
}

// Exclusion is a knob that no search changes.
type Exclusion struct{ Name, Why string }

// Point has the index of a level for each knob of a space.
type Point []int

// NewSpace returns the space of knobs that have the values from which the search starts. A list of names leaves out all
// other knobs. The error of a name that no knob has is a *link.UnknownNameError.
func NewSpace(knobs *predict.Knobs, names []string) (*Space, error) {
	s := &Space{settings: knobs}
	var known []string
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	for _, k := range knobs.All() {
		if why := k.NotSearched(); why != "" {
			if slices.Contains(names, k.Name) {
				return nil, fmt.Errorf("%q is not searched: %s", k.Name, why)
			}
			s.Excluded = append(s.Excluded, Exclusion{k.Name, why})
			continue
		}
		known = append(known, k.Name)
		if len(names) > 0 && !wanted[k.Name] {
			continue
		}
		delete(wanted, k.Name)
		if x := newKnob(knobs, k); len(x.Levels) > 1 {
			s.Knobs = append(s.Knobs, x)
		}
	}
	for _, name := range names {
		if wanted[name] {
			return nil, &link.UnknownNameError{Kind: "knob to search", Name: name, Choices: known}
		}
	}
	return s, nil
}

// Start returns the point from which the search starts.
func (s *Space) Start() Point {
	p := make(Point, len(s.Knobs))
	for i := range s.Knobs {
		p[i] = s.Knobs[i].Start
	}
	return p
}

// Changes returns the knobs of a point that are not at their start, as pairs of name and value.
func (s *Space) Changes(p Point) (list [][2]string) {
	for i, level := range p {
		if k := &s.Knobs[i]; level != k.Start {
			list = append(list, [2]string{k.Name, k.Levels[level]})
		}
	}
	return list
}

// reduced returns a point in which knobs without an effect beside the others are at their start.
func (s *Space) reduced(p Point) Point {
	p = append(Point(nil), p...)
	for again := true; again; {
		again = false
		for i := range p {
			_ = s.settings.Set(s.Knobs[i].Name, s.Knobs[i].Levels[p[i]]) // levels are values of their knob
		}
		for i := range p {
			k := &s.Knobs[i]
			if p[i] != k.Start && s.settings.NoEffect(s.settings.Lookup(k.Name)) != "" {
				p[i], again = k.Start, true
			}
		}
	}
	return p
}

// key returns a text that differs for different points.
func (p Point) key() string {
	var b []byte
	for _, level := range p {
		b = append(strconv.AppendInt(b, int64(level), 10), ' ')
	}
	return string(b)
}

// with returns the point with another level of a knob.
func (p Point) with(knob, level int) Point {
	q := append(Point(nil), p...)
	q[knob] = level
	return q
}
