package predict

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/net/link"
	"ghostcube/smoothing"
)

// Kind is the type of a knob's value.
type Kind uint8

// The kinds of knobs.
const (
	Float Kind = iota
	Int
	Bool
	Choice
)

// Group is what knobs are about. The panel shows each group under its title, in this order.
type Group uint8

// The groups of knobs.
const (
	InputKnobs Group = iota
	PlayoutKnobs
	InterpolationKnobs
	CorrectionKnobs
	SmoothingKnobs
	PacketKnobs
	PriorityKnobs
	PredictedBodyKnobs
	FrameKnobs
	FallbackKnobs
	ShotKnobs
	ConnectionKnobs
	PhysicsKnobs

	groupCount
)

var groupTitles = [groupCount]string{
	InputKnobs:         "Inputs",
	PlayoutKnobs:       "Playout and clock",
	InterpolationKnobs: "Interpolation",
	CorrectionKnobs:    "Corrections",
	SmoothingKnobs:     "Smoothing",
	PacketKnobs:        "Packets and bandwidth",
	PriorityKnobs:      "Priority and interest",
	PredictedBodyKnobs: "Bodies that are predicted",
	FrameKnobs:         "Reference frame",
	FallbackKnobs:      "Fallback to interpolation",
	ShotKnobs:          "Shots",
	ConnectionKnobs:    "Connection",
	PhysicsKnobs:       "Physics",
}

// String returns the title of the group.
func (g Group) String() string { return groupTitles[g] }

// Groups returns all groups in order.
func Groups() (list []Group) {
	for g := range groupCount {
		list = append(list, g)
	}
	return list
}

// Knob is one parameter of a strategy that may be tuned while a session runs.
type Knob struct {
	Name     string
	Group    Group  // under which the panel shows it
	Help     string // one sentence with the unit, at most 110 characters
	Kind     Kind
	Min, Max float64  // inclusive range of a Float or an Int
	Unit     string   // of a Float: empty, or "ms" for a duration
	Options  []string // names of the values of a Choice

	floats  []*float64
	ints    []*int
	bools   []*bool
	restart bool   // a new value starts the pane's sides again
	initial string // the default value, as text
	needs   []need

	changesFormat bool
	notSearched   string // reason; empty: its group says it
}

// need is a setting of other knobs without which a knob has no effect.
type need struct {
	knobs  []string // one of them has to have it
	values []string // texts; empty: any number above 0
}

// Value returns the current value as text, which Set parses back to the same value.
func (k *Knob) Value() string { return string(k.appendValue(nil)) }

// appendValue appends the value as text to dst.
func (k *Knob) appendValue(dst []byte) []byte {
	switch k.Kind {
	case Float:
		return append(strconv.AppendFloat(dst, *k.floats[0], 'g', -1, 64), k.Unit...)
	case Int:
		return strconv.AppendInt(dst, int64(*k.ints[0]), 10)
	case Bool:
		if *k.bools[0] {
			return append(dst, "on"...)
		}
		return append(dst, "off"...)
	}
	return append(dst, k.Options[*k.ints[0]]...)
}

// Number returns the current value of a Float or an Int, the index of a Choice, and 0 or 1 for a
// Bool.
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

// Default returns the value that the knob was declared with, as text.
func (k *Knob) Default() string { return k.initial }

// Range describes the allowed values.
func (k *Knob) Range() string {
	switch k.Kind {
	case Int:
		return strconv.Itoa(int(k.Min)) + " to " + strconv.Itoa(int(k.Max))
	case Float:
		return strconv.FormatFloat(k.Min, 'g', -1, 64) + k.Unit + " to " + strconv.FormatFloat(k.Max, 'g', -1, 64) + k.Unit
	case Bool:
		return "on or off"
	}
	return strings.Join(k.Options, ", ")
}

// set sets the knob to the value that text stands for. On error nothing changes.
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
			text = "none" // "off" selects "none" where a choice has it
		}
		i := slices.Index(k.Options, text)
		if i < 0 {
			return &link.UnknownNameError{Kind: "value of " + k.Name, Name: text, Choices: k.Options}
		}
		for _, p := range k.ints {
			*p = i
		}
	}
	return nil
}

// parse parses a Float. A duration may have any unit of time and is in milliseconds without one.
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

// Knobs are the parameters of a strategy, in the manner of package flag: a side keeps plain
// variables, and Knobs knows their names, ranges and meanings. The zero value is empty.
type Knobs struct {
	list      []*Knob
	smoothing *smoothing.Settings // of the side that declared it first; nil: none
}

// bind returns the knob called k.Name, new or declared before by the other side. A name declared
// again joins the existing knob: setting it sets both variables.
func (k *Knobs) bind(knob Knob) *Knob {
	for _, existing := range k.list {
		if existing.Name == knob.Name {
			if existing.Kind != knob.Kind {
				panic("predict: two knobs " + knob.Name + " of different kinds")
			}
			return existing
		}
	}
	k.list = append(k.list, &knob)
	return &knob
}

// GroupKnobs declares knobs of a group.
type GroupKnobs struct {
	knobs *Knobs
	group Group
}

// In returns what declares the knobs of a group.
func (k *Knobs) In(group Group) GroupKnobs { return GroupKnobs{k, group} }

// Float declares a knob that is a real number in [low, high] and sets *p to value, or to the knob's
// current value if the name is declared already.
func (g GroupKnobs) Float(p *float64, name string, value, low, high float64, help string) {
	k := g.knobs.bind(Knob{Name: name, Group: g.group, Help: help, Kind: Float, Min: low, Max: high})
	if *p = value; len(k.floats) > 0 {
		*p = *k.floats[0]
	}
	k.floats = append(k.floats, p)
	k.setInitial()
}

// Millis declares a Float that is a duration in milliseconds. As text it has a unit, such as 100ms
// or 1.5s.
func (g GroupKnobs) Millis(p *float64, name string, value, low, high float64, help string) {
	g.Float(p, name, value, low, high, help)
	k := g.knobs.Lookup(name)
	k.Unit, k.initial = "ms", strings.TrimSuffix(k.initial, "ms")+"ms"
}

// Int declares a knob that is a whole number in [low, high].
func (g GroupKnobs) Int(p *int, name string, value, low, high int, help string) {
	k := g.knobs.bind(Knob{Name: name, Group: g.group, Help: help, Kind: Int, Min: float64(low), Max: float64(high)})
	if *p = value; len(k.ints) > 0 {
		*p = *k.ints[0]
	}
	k.ints = append(k.ints, p)
	k.setInitial()
}

// Bool declares a knob that is on or off.
func (g GroupKnobs) Bool(p *bool, name string, value bool, help string) {
	k := g.knobs.bind(Knob{Name: name, Group: g.group, Help: help, Kind: Bool})
	if *p = value; len(k.bools) > 0 {
		*p = *k.bools[0]
	}
	k.bools = append(k.bools, p)
	k.setInitial()
}

// Choice declares a knob that is one of the options; *p is its index.
func (g GroupKnobs) Choice(p *int, name string, value int, options []string, help string) {
	k := g.knobs.bind(Knob{Name: name, Group: g.group, Help: help, Kind: Choice, Options: options})
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

// Smoothing declares the knobs of smoothing, which are the same for every strategy.
func (k *Knobs) Smoothing(p *smoothing.Settings) {
	*p = smoothing.DefaultSettings
	if k.smoothing == nil {
		k.smoothing = p
	}
	group := k.In(SmoothingKnobs)
	group.Choice((*int)(&p.Mode), "smoothing", int(p.Mode), smoothing.ModeNames,
		"decay of error offsets: none, by one factor, or by two that the error's size blends")
	group.Float(&p.PositionFactor, "smooth-factor", p.PositionFactor, 0, 0.999, "single: share of position offsets kept every 1/60 s")
	group.Float(&p.Slerp, "smooth-slerp", p.Slerp, 0, 1, "single: share of rotation offsets removed every 1/60 s")
	group.Float(&p.SmallFactor, "smooth-factor-small", p.SmallFactor, 0, 0.999, "two-factor: share of small offsets kept every 1/60 s")
	group.Float(&p.LargeFactor, "smooth-factor-large", p.LargeFactor, 0, 0.999, "two-factor: share of large offsets kept every 1/60 s")
	group.Float(&p.SmallError, "smooth-error-small", p.SmallError, 0, 5, "two-factor: offsets up to this length are small, m")
	group.Float(&p.LargeError, "smooth-error-large", p.LargeError, 0, 5, "two-factor: offsets from this length on are large, m")
	group.Float(&p.SmallTurn, "smooth-turn-small", p.SmallTurn, 0, 1, "two-factor: rotations up to this 1-|dot| are small (0.1: 52 degrees)")
	group.Float(&p.LargeTurn, "smooth-turn-large", p.LargeTurn, 0, 1, "two-factor: rotations from this 1-|dot| on are large (0.5: 120 degrees)")
	group.Float(&p.SnapDistance, "snap-distance", p.SnapDistance, 0.01, 512, "shortest correction that is not smoothed, m")
	group.Float(&p.MaxSpeed, "smooth-speed", p.MaxSpeed, 0, 100,
		"two-factor: speed at which offsets shrink at most, m/s, or if longer by their length in a second; 0: no limit")
	k.Needs("smooth-speed", "smoothing", "two-factor")
	for _, name := range []string{"smooth-factor", "smooth-slerp"} {
		k.Needs(name, "smoothing", "single")
	}
	for _, name := range []string{"smooth-factor", "smooth-error", "smooth-turn"} {
		k.Needs(name+"-small", "smoothing", "two-factor")
		k.Needs(name+"-large", "smoothing", "two-factor")
	}
	k.Needs("snap-distance", "smoothing", "single", "two-factor")
}

// SmoothingSettings returns the present settings of smoothing; ok is false if the strategy does not smooth.
func (k *Knobs) SmoothingSettings() (settings smoothing.Settings, ok bool) {
	if k.smoothing == nil {
		return settings, false
	}
	return *k.smoothing, true
}

// All returns the knobs in the order in which they were declared.
func (k *Knobs) All() []*Knob { return k.list }

// Needs declares that the knob called name has an effect only while another knob has one of some values,
// as text, or without values while it is a number above 0.
func (k *Knobs) Needs(name, other string, values ...string) {
	k.addNeed(name, need{[]string{other}, values})
}

// RestartsSides declares that the sides have to start again when the knob called name changes, because they cannot
// change it while they run.
func (k *Knobs) RestartsSides(name string) { k.Lookup(name).restart = true }

// Restarts reports whether the sides have to start again when the knob changes.
func (k *Knob) Restarts() bool { return k.restart }

// NeedsAny declares that the knob called name has an effect only while one of other knobs is above 0.
func (k *Knobs) NeedsAny(name string, others ...string) { k.addNeed(name, need{others, nil}) }

func (k *Knobs) addNeed(name string, n need) {
	knob := k.Lookup(name)
	for _, existing := range knob.needs {
		if slices.Equal(existing.knobs, n.knobs) {
			return // declared by the other side
		}
	}
	knob.needs = append(knob.needs, n)
}

// ChangesFormat declares that knobs change the format of the server's packets, and that the packets do not say so. Of
// a number it counts only whether it is 0.
func (k *Knobs) ChangesFormat(names ...string) {
	for _, name := range names {
		k.Lookup(name).changesFormat = true
	}
}

// Format returns a text of all settings that change the format of the server's packets. A client cannot read packets
// that were sent while it was another.
func (k *Knobs) Format() (text string) {
	for _, knob := range k.list {
		if !knob.changesFormat || k.NoEffect(knob) != "" {
			continue
		}
		value := knob.Value()
		if knob.Kind == Float || knob.Kind == Int {
			value = strconv.FormatBool(knob.Number() != 0)
		}
		text += knob.Name + "=" + value + " "
	}
	return text
}

// NoEffect says why a knob has no effect with the present settings, by one that it lacks, such as "no
// effect without smoothing=single", and is empty if it has one.
func (k *Knobs) NoEffect(knob *Knob) string {
	for _, n := range knob.needs {
		if !k.unmet(n) {
			continue
		}
		names := strings.Join(n.knobs, " or ")
		if len(n.values) == 0 {
			return "no effect without " + names + " above 0"
		}
		return "no effect without " + names + "=" + strings.Join(n.values, " or ")
	}
	return ""
}

// unmet reports whether the knobs that a knob needs exist and lack the value.
func (k *Knobs) unmet(n need) bool {
	for _, name := range n.knobs {
		other := k.Lookup(name)
		if other == nil || len(n.values) == 0 && other.Number() > 0 || slices.Contains(n.values, other.Value()) {
			return false
		}
	}
	return true
}

// Lookup returns the knob called name, or nil.
func (k *Knobs) Lookup(name string) *Knob {
	for _, knob := range k.list {
		if knob.Name == name {
			return knob
		}
	}
	return nil
}

// Set sets the knob called name to the value that text stands for. If the name is unknown or the
// value out of range it returns an error, and nothing changes.
func (k *Knobs) Set(name, text string) error {
	if knob := k.Lookup(name); knob != nil {
		return knob.set(text)
	}
	var known []string
	for _, knob := range k.list {
		known = append(known, knob.Name)
	}
	return &link.UnknownNameError{Kind: "knob", Name: name, Choices: known}
}

// CopyFrom sets every knob to its value in o, or to the nearest in its range, which may be another one in another scene.
func (k *Knobs) CopyFrom(o *Knobs) {
	for _, knob := range k.list {
		from := o.Lookup(knob.Name)
		if from == nil {
			continue
		}
		for _, p := range knob.floats {
			*p = min(max(*from.floats[0], knob.Min), knob.Max)
		}
		for _, p := range knob.ints {
			*p = *from.ints[0]
			if knob.Kind == Int {
				*p = min(max(*p, int(knob.Min)), int(knob.Max))
			}
		}
		for _, p := range knob.bools {
			*p = *from.bools[0]
		}
	}
}

// AppendChanged appends the knobs that differ from their defaults to dst, as name=value with a separator between two
// of them.
func (k *Knobs) AppendChanged(dst []byte, separator string) []byte {
	first := len(dst)
	for _, knob := range k.list {
		start := len(dst)
		if start > first {
			dst = append(dst, separator...)
		}
		dst = append(append(dst, knob.Name...), '=')
		value := len(dst)
		if dst = knob.appendValue(dst); string(dst[value:]) == knob.initial {
			dst = dst[:start]
		}
	}
	return dst
}

// Changed lists the knobs that differ from their defaults, as name=value.
func (k *Knobs) Changed() []string {
	var list []string
	for _, knob := range k.list {
		if v := knob.Value(); v != knob.initial {
			list = append(list, knob.Name+"="+v)
		}
	}
	return list
}
