package predict

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/smoothing"
)

// Kind tells knobs apart by what they hold.
type Kind uint8

// The kinds of knobs.
const (
	Float Kind = iota
	Int
	Bool
	Choice
)

// Knob is one thing that may be tuned while the laboratory runs.
type Knob struct {
	Name     string
	Help     string // a sentence with the unit in it
	Kind     Kind
	Min, Max float64  // of a Float or an Int
	Unit     string   // of a Float: empty, or ms, in which it is a time
	Options  []string // of a Choice

	floats  []*float64
	ints    []*int
	bools   []*bool
	initial string // the value it was declared with
}

// Value returns what the knob is turned to, as text that Set reads back to the
// same value.
func (k *Knob) Value() string {
	switch k.Kind {
	case Float:
		return strconv.FormatFloat(*k.floats[0], 'g', -1, 64) + k.Unit
	case Int:
		return strconv.Itoa(*k.ints[0])
	case Bool:
		if *k.bools[0] {
			return "on"
		}
		return "off"
	}
	return k.Options[*k.ints[0]]
}

// Number returns what a Float or an Int is turned to, the index of a Choice,
// and 0 or 1 for a Bool.
func (k *Knob) Number() float64 {
	switch k.Kind {
	case Float:
		return *k.floats[0]
	case Bool:
		if *k.bools[0] {
			return 1
		}
		return 0
	}
	return float64(*k.ints[0])
}

// Default returns the value that the knob was declared with.
func (k *Knob) Default() string { return k.initial }

// Range says in words what the knob takes.
func (k *Knob) Range() string {
	switch k.Kind {
	case Float, Int:
		return strconv.FormatFloat(k.Min, 'g', -1, 64) + k.Unit + " to " + strconv.FormatFloat(k.Max, 'g', -1, 64) + k.Unit
	case Bool:
		return "on or off"
	}
	return strings.Join(k.Options, ", ")
}

// set turns the knob to the value that text means.
func (k *Knob) set(text string) error {
	switch k.Kind {
	case Float:
		f, err := k.parse(text)
		if err != nil || math.IsNaN(f) || f < k.Min || f > k.Max {
			return k.rangeError(text)
		}
		for _, p := range k.floats {
			*p = f
		}
	case Int:
		n, err := strconv.Atoi(text)
		if err != nil || float64(n) < k.Min || float64(n) > k.Max {
			return k.rangeError(text)
		}
		for _, p := range k.ints {
			*p = n
		}
	case Bool:
		on := slices.Contains([]string{"on", "true", "yes", "1"}, text)
		if !on && !slices.Contains([]string{"off", "false", "no", "0"}, text) {
			return k.rangeError(text)
		}
		for _, p := range k.bools {
			*p = on
		}
	case Choice:
		if text == "off" && !slices.Contains(k.Options, "off") {
			text = "none" // what may be none may be switched off
		}
		i := slices.Index(k.Options, text)
		if i < 0 {
			return &UnknownNameError{"value of " + k.Name, text, k.Options}
		}
		for _, p := range k.ints {
			*p = i
		}
	}
	return nil
}

// parse reads a Float. What is a time may have any unit of time; without one it
// is in milliseconds.
func (k *Knob) parse(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err == nil || k.Unit == "" {
		return f, err
	}
	d, err := time.ParseDuration(text)
	return float64(d) / float64(time.Millisecond), err
}

func (k *Knob) rangeError(text string) error {
	return fmt.Errorf("%s=%s: want %s", k.Name, text, k.Range())
}

// UnknownNameError is the error for a name that nothing answers to.
type UnknownNameError struct {
	Kind, Name string
	Known      []string
}

func (u *UnknownNameError) Error() string {
	return fmt.Sprintf("no %s %q (there are %s)", u.Kind, u.Name, strings.Join(u.Known, ", "))
}

// Names returns what was asked for and what there is, for a hint.
func (u *UnknownNameError) Names() (kind, name string, known []string) {
	return u.Kind, u.Name, u.Known
}

// Knobs are what may be tuned of a strategy, in the manner of package flag: the
// owner keeps a plain variable, Knobs knows its name, its range and its
// meaning. The zero value is empty.
type Knobs struct{ list []*Knob }

// bind returns the knob called name, new or declared before by another half. A
// name declared again joins the knob that stands: one turn moves both.
func (s *Knobs) bind(k Knob) *Knob {
	for _, have := range s.list {
		if have.Name == k.Name {
			if have.Kind != k.Kind {
				panic("predict: two knobs " + k.Name + " of different kinds")
			}
			return have
		}
	}
	s.list = append(s.list, &k)
	return &k
}

// Float declares a knob that holds a real number in [low, high] and sets *p to
// value, or to what the knob is turned to already.
func (s *Knobs) Float(p *float64, name string, value, low, high float64, help string) {
	k := s.bind(Knob{Name: name, Help: help, Kind: Float, Min: low, Max: high})
	if *p = value; len(k.floats) > 0 {
		*p = *k.floats[0]
	}
	k.floats = append(k.floats, p)
	k.setInitial()
}

// Millis declares a Float that is a time in milliseconds. As text it is a
// duration, such as 100ms or 1.5s.
func (s *Knobs) Millis(p *float64, name string, value, low, high float64, help string) {
	s.Float(p, name, value, low, high, help)
	k := s.Lookup(name)
	k.Unit, k.initial = "ms", strings.TrimSuffix(k.initial, "ms")+"ms"
}

// Int declares a knob that holds a whole number in [low, high].
func (s *Knobs) Int(p *int, name string, value, low, high int, help string) {
	k := s.bind(Knob{Name: name, Help: help, Kind: Int, Min: float64(low), Max: float64(high)})
	if *p = value; len(k.ints) > 0 {
		*p = *k.ints[0]
	}
	k.ints = append(k.ints, p)
	k.setInitial()
}

// Bool declares a knob that is on or off.
func (s *Knobs) Bool(p *bool, name string, value bool, help string) {
	k := s.bind(Knob{Name: name, Help: help, Kind: Bool})
	if *p = value; len(k.bools) > 0 {
		*p = *k.bools[0]
	}
	k.bools = append(k.bools, p)
	k.setInitial()
}

// Choice declares a knob that is one of the options; *p is its index.
func (s *Knobs) Choice(p *int, name string, value int, options []string, help string) {
	k := s.bind(Knob{Name: name, Help: help, Kind: Choice, Options: options})
	if *p = value; len(k.ints) > 0 {
		*p = *k.ints[0]
	}
	k.ints = append(k.ints, p)
	k.setInitial()
}

func (k *Knob) setInitial() {
	if k.initial == "" {
		k.initial = k.Value()
	}
}

// Smoothing declares the knobs of smoothing, the same for every strategy.
func (s *Knobs) Smoothing(p *smoothing.Settings) {
	*p = smoothing.DefaultSettings
	s.Choice((*int)(&p.Mode), "smoothing", int(p.Mode), smoothing.ModeNames, "how corrections are hidden: not, with one factor, or with two blended by the error")
	s.Float(&p.PositionFactor, "smooth-factor", p.PositionFactor, 0, 0.999, "single: share of the position's offset kept after 1/60 s")
	s.Float(&p.Slerp, "smooth-slerp", p.Slerp, 0, 1, "single: share of the orientation's offset taken away in 1/60 s")
	s.Float(&p.SmallFactor, "smooth-factor-small", p.SmallFactor, 0, 0.999, "two-factor: share of a small offset kept after 1/60 s")
	s.Float(&p.LargeFactor, "smooth-factor-large", p.LargeFactor, 0, 0.999, "two-factor: share of a large offset kept after 1/60 s")
	s.Float(&p.SmallError, "smooth-error-small", p.SmallError, 0, 5, "two-factor: up to this many metres an offset is small")
	s.Float(&p.LargeError, "smooth-error-large", p.LargeError, 0, 5, "two-factor: from this many metres an offset is large")
	s.Float(&p.SmallTurn, "smooth-turn-small", p.SmallTurn, 0, 1, "two-factor: up to this 1-|dot| a turn is small (0.1 is 52 degrees)")
	s.Float(&p.LargeTurn, "smooth-turn-large", p.LargeTurn, 0, 1, "two-factor: from this 1-|dot| a turn is large (0.5 is 120 degrees)")
	s.Float(&p.SnapDistance, "snap-distance", p.SnapDistance, 0.01, 20, "corrections of this many metres or more are not smoothed")
}

// All returns the knobs in the order in which they were declared.
func (s *Knobs) All() []*Knob { return s.list }

// Lookup returns the knob called name, or nil.
func (s *Knobs) Lookup(name string) *Knob {
	for _, k := range s.list {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Set turns the knob called name to the value that text means. What is out of
// range or unknown is refused, and nothing changes.
func (s *Knobs) Set(name, text string) error {
	if k := s.Lookup(name); k != nil {
		return k.set(text)
	}
	var known []string
	for _, k := range s.list {
		known = append(known, k.Name)
	}
	return &UnknownNameError{"knob", name, known}
}

// CopyFrom turns every knob to where it is in o.
func (s *Knobs) CopyFrom(o *Knobs) {
	for _, k := range s.list {
		from := o.Lookup(k.Name)
		if from == nil {
			continue
		}
		for _, p := range k.floats {
			*p = *from.floats[0]
		}
		for _, p := range k.ints {
			*p = *from.ints[0]
		}
		for _, p := range k.bools {
			*p = *from.bools[0]
		}
	}
}

// Changed lists the knobs that are not at their first value, as name=value.
func (s *Knobs) Changed() []string {
	var list []string
	for _, k := range s.list {
		if v := k.Value(); v != k.initial {
			list = append(list, k.Name+"="+v)
		}
	}
	return list
}
