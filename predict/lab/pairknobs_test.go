package lab_test

import (
	"strconv"

	"ghostcube/predict"
	. "ghostcube/predict/lab"
)

// turnGroup turns two knobs of a group, one of them twice.
func (s *pairSession) turnGroup(g predict.Group) (list []pairCommand) {
	knobs := s.describe()
	var of []*predict.Knob
	for _, k := range knobs.All() {
		if k.Group == g {
			of = append(of, k)
		}
	}
	if len(of) == 0 {
		return nil
	}
	for range 3 {
		list = append(list, s.turn(of[s.rng.IntN(len(of))]))
	}
	return list
}

// turnSwitch gives a knob another value before the session begins or while it runs, and once more then. Knobs that it
// needs are set before.
func (s *pairSession) turnSwitch(name string) (list []pairCommand) {
	knobs := s.describe()
	k := knobs.Lookup(name)
	for range 2 { // what a knob needs may need another
		s.satisfy(knobs, k)
	}
	if s.rng.IntN(2) == 0 {
		s.preset(name, s.knobValue(k))
	} else {
		list = append(list, s.turn(k))
	}
	return append(list, s.turn(k))
}

// satisfy sets a knob of the spec without which another has no effect.
func (s *pairSession) satisfy(knobs *predict.Knobs, k *predict.Knob) {
	lacking := knobs.NoEffect(k)
	for _, other := range knobs.All() {
		before, options := other.Value(), other.Options
		if other.Kind == predict.Bool {
			options = []string{"on"}
		}
		for _, o := range options {
			if lacking == "" || other == k {
				return
			}
			if err := knobs.Set(other.Name, o); err != nil {
				panic(err)
			}
			if knobs.NoEffect(k) != lacking {
				s.preset(other.Name, o)
				return
			}
		}
		if err := knobs.Set(other.Name, before); err != nil {
			panic(err)
		}
	}
}

// turn returns the command that gives a knob of the first pane a random value.
func (s *pairSession) turn(k *predict.Knob) pairCommand {
	c := s.command("set", k.Name, s.knobValue(k))
	c.Pane = 0
	return c
}

// describe returns the knobs of the session's strategy as its spec sets them.
func (s *pairSession) describe() *predict.Knobs {
	strategy, settings, err := ParseSpec(s.spec)
	if err != nil {
		panic(err)
	}
	knobs, _ := Describe(strategy)
	for _, x := range settings {
		if err := knobs.Set(x.Name, x.Value); err != nil {
			panic(err)
		}
	}
	return knobs
}

// knobValue returns a random value of a knob: one of its ends, or any between them.
func (s *pairSession) knobValue(k *predict.Knob) string {
	switch k.Kind {
	case predict.Bool:
		return []string{"off", "on"}[s.rng.IntN(2)]
	case predict.Choice:
		return k.Options[s.rng.IntN(len(k.Options))]
	}
	x := k.Min
	switch s.rng.IntN(4) {
	case 0:
		x = k.Max
	case 1:
		x += (k.Max - k.Min) * s.rng.Float64()
	case 2: // most knobs are far below their largest values
		u := s.rng.Float64()
		x += (k.Max - k.Min) * u * u * u * u
	}
	if k.Kind == predict.Int {
		return strconv.Itoa(int(x))
	}
	if k.Unit == "ms" {
		return strconv.Itoa(int(x)) + "ms"
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}
