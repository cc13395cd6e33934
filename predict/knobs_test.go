package predict

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ghostcube/net/link"
	"ghostcube/sim"
	"ghostcube/smoothing"
)

// TestKnobs checks that setting a knob sets every variable that joined the name; a value that is
// unknown or out of range is an error and changes nothing.
func TestKnobs(t *testing.T) {
	var k Knobs
	var f1, f2 float64
	var n int
	var b bool
	var c int
	k.In(InputKnobs).Float(&f1, "keep", 0.9, 0, 1, "a share")
	k.In(InputKnobs).Int(&n, "lead", 5, 0, 60, "ticks")
	k.In(InputKnobs).Bool(&b, "redundant", true, "or not")
	k.In(InputKnobs).Choice(&c, "smoothing", 1, []string{"none", "single"}, "how")
	if err := k.Set("keep", "0.25"); err != nil || f1 != 0.25 {
		t.Fatalf("%v %v", f1, err)
	}
	k.In(InputKnobs).Float(&f2, "keep", 0.9, 0, 1, "a share") // the other side, later
	if f2 != 0.25 {
		t.Errorf("joining a knob that was set gives %v", f2)
	}
	for _, x := range []struct {
		name, value string
		ok          bool
	}{
		{"keep", "1", true}, {"keep", "1.1", false}, {"keep", "-0.1", false}, {"keep", "NaN", false}, {"keep", "x", false}, {"keep", "", false},
		{"lead", "60", true}, {"lead", "61", false}, {"lead", "-1", false}, {"lead", "2.5", false}, {"lead", "99999999999999999999", false},
		{"redundant", "off", true}, {"redundant", "yes", true}, {"redundant", "maybe", false},
		{"smoothing", "none", true}, {"smoothing", "single", true}, {"smoothing", "off", true}, {"smoothing", "2", false},
		{"kepe", "1", false},
	} {
		before := knobValues(&k)
		err := k.Set(x.name, x.value)
		if (err == nil) != x.ok {
			t.Errorf("%s=%s: %v", x.name, x.value, err)
		}
		if err != nil && !slices.Equal(before, knobValues(&k)) {
			t.Errorf("%s=%s is an error and changes %v to %v", x.name, x.value, before, knobValues(&k))
		}
	}
	if f1 != 1 || f2 != 1 || n != 60 || !b || c != 0 {
		t.Errorf("%v %v %v %v %v", f1, f2, n, b, c)
	}
	if got := k.Changed(); !slices.Equal(got, []string{"keep=1", "lead=60", "smoothing=none"}) {
		t.Errorf("changed: %v", got)
	}
	var u *link.UnknownNameError
	if err := k.Set("kepe", "1"); !errors.As(err, &u) || !slices.Contains(u.Choices, "keep") {
		t.Errorf("%v", err)
	}
	if err := k.Set("keep", "7"); err == nil || !strings.Contains(err.Error(), "0 to 1") {
		t.Errorf("%v does not name the range", err)
	}
	var copy Knobs
	var g float64
	copy.In(InputKnobs).Float(&g, "keep", 0.9, 0, 1, "a share")
	copy.CopyFrom(&k)
	if g != 1 {
		t.Errorf("copied %v", g)
	}
}

// TestMillis checks that a knob that is a duration reads any unit of time, is in milliseconds
// without one, and reads back what it writes.
func TestMillis(t *testing.T) {
	var k Knobs
	var ms, again float64
	k.In(InputKnobs).Millis(&ms, "playout", 100, 0, 2000, "how long")
	k.In(InputKnobs).Millis(&again, "playout", 100, 0, 2000, "how long") // the other side
	if x := k.Lookup("playout"); ms != 100 || x.Value() != "100ms" || x.Default() != "100ms" || x.Range() != "0ms to 2000ms" || len(k.Changed()) != 0 {
		t.Errorf("%v %q %q %q %v", ms, x.Value(), x.Default(), x.Range(), k.Changed())
	}
	for text, want := range map[string]float64{"85ms": 85, "1.5s": 1500, "12.5": 12.5, "16666us": 16.666} {
		if err := k.Set("playout", text); err != nil || ms != want || again != want {
			t.Errorf("%s: %v, %v and %v", text, err, ms, again)
		}
		if err := k.Set("playout", k.Lookup("playout").Value()); err != nil || ms != want {
			t.Errorf("%s reads back as %v, %v", text, ms, err)
		}
	}
	for _, text := range []string{"2001ms", "-1ms", "3s", "ms", "1 s", "NaN", "fast"} {
		if err := k.Set("playout", text); err == nil {
			t.Errorf("%q is accepted as %v", text, ms)
		}
	}
}

func knobValues(k *Knobs) (list []string) {
	for _, x := range k.All() {
		list = append(list, x.Name+"="+x.Value())
	}
	return list
}

// TestValuesReadBack checks that each knob's text sets it to the same value, and its default text
// to its default.
func TestValuesReadBack(t *testing.T) {
	var k Knobs
	var s smoothing.Settings
	k.Smoothing(&s)
	if s != smoothing.DefaultSettings {
		t.Errorf("%+v", s)
	}
	for _, v := range []string{"0.123456789012345", "1e-06", "0.5"} {
		if err := k.Set("smooth-factor-small", v); err != nil {
			t.Fatal(err)
		}
		before := s.SmallFactor
		if err := k.Set("smooth-factor-small", k.Lookup("smooth-factor-small").Value()); err != nil || s.SmallFactor != before {
			t.Errorf("%s: %v then %v", v, before, s.SmallFactor)
		}
	}
	for _, x := range k.All() {
		if err := k.Set(x.Name, x.Default()); err != nil {
			t.Error(err)
		}
		if x.Help == "" || x.Range() == "" {
			t.Errorf("%s has no help or no range", x.Name)
		}
	}
	if s != smoothing.DefaultSettings || len(k.Changed()) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestCounters(t *testing.T) {
	var m, c Counters
	corrections, depth := m.New("corrections", "how many"), m.New("depth", "ticks")
	again := m.New("corrections", "again")
	corrections.Add(2)
	again.Inc()
	depth.Set(7)
	depth.Max(3)
	c.CopyFrom(&m)
	depth.Max(8)
	if len(m.All()) != 2 || corrections.Value() != 3 || m.Value("corrections") != 3 || c.Value("depth") != 7 || depth.Value() != 8 || m.Value("none") != 0 {
		t.Errorf("%+v %+v", m, c)
	}
	if again := m.New("depth", "again"); again.Value() != 8 {
		t.Errorf("declared again it is %v", again.Value())
	}
	if v, ok := m.Lookup("depth"); v != 8 || !ok {
		t.Errorf("depth: %v, %v", v, ok)
	}
	if v, ok := m.Lookup("none"); v != 0 || ok {
		t.Errorf("none: %v, %v", v, ok)
	}
}

// TestBothSidesShareKnobs checks that a knob that both sides declare is one: each value reaches the
// variables of both, of every kind.
func TestBothSidesShareKnobs(t *testing.T) {
	var k Knobs
	var floats [2]float64
	var ints, choices [2]int
	var bools [2]bool
	for side := range 2 {
		k.In(InputKnobs).Float(&floats[side], "float", 1, 0, 10, "a number")
		k.In(InputKnobs).Int(&ints[side], "int", 1, 0, 10, "a whole number")
		k.In(InputKnobs).Bool(&bools[side], "bool", false, "a switch")
		k.In(InputKnobs).Choice(&choices[side], "choice", 0, []string{"a", "b", "c"}, "a choice")
	}
	for name, value := range map[string]string{"float": "2.5", "int": "7", "bool": "on", "choice": "c"} {
		if err := k.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if len(k.All()) != 4 || floats != [2]float64{2.5, 2.5} || ints != [2]int{7, 7} || bools != [2]bool{true, true} || choices != [2]int{2, 2} {
		t.Errorf("%v %v %v %v", floats, ints, bools, choices)
	}
}

// TestNoEffect checks that a knob names a setting that it needs and lacks, and names none otherwise.
func TestNoEffect(t *testing.T) {
	var k Knobs
	var n, m, other int
	var on bool
	var mode int
	k.In(InputKnobs).Int(&n, "limit", 1, 0, 10, "a limit")
	k.In(InputKnobs).Bool(&on, "enabled", false, "a switch")
	k.In(InputKnobs).Choice(&mode, "mode", 0, []string{"a", "b", "c"}, "a choice")
	k.In(InputKnobs).Int(&m, "count", 0, 0, 10, "a count")
	k.In(InputKnobs).Int(&other, "another", 0, 0, 10, "another count")
	for range 2 { // by both sides
		k.Needs("limit", "enabled", "on")
		k.Needs("limit", "mode", "b", "c")
		k.NeedsAny("limit", "count", "another")
		k.Needs("limit", "missing", "x")
	}
	limit := k.Lookup("limit")
	for _, c := range []struct{ name, value, want string }{
		{"limit", "2", "no effect without enabled=on"},
		{"enabled", "on", "no effect without mode=b or c"},
		{"mode", "c", "no effect without count or another above 0"},
		{"count", "3", ""},
		{"enabled", "off", "no effect without enabled=on"},
	} {
		if err := k.Set(c.name, c.value); err != nil {
			t.Fatal(err)
		}
		if got := k.NoEffect(limit); got != c.want {
			t.Errorf("with %s=%s: %q, want %q", c.name, c.value, got, c.want)
		}
	}
	if got := limit.Range(); got != "0 to 10" {
		t.Error(got)
	}
}

// TestTickOf checks that a predicted body is shown at the view's own moment and every other one at that of
// the others.
func TestTickOf(t *testing.T) {
	v := View{Others: sim.Tick(90).Moment(), Own: sim.Tick(101).Moment(), Predicted: []bool{true, false}}
	for body, want := range []sim.Tick{101, 90, 90} {
		if got := v.TickOf(body); got != want {
			t.Errorf("body %d is shown at tick %d, want %d", body, got, want)
		}
	}
}
