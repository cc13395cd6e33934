package stage

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// ball is a session of cubes that a player at the server gathers.
func ball(t testing.TB, weather string, specs ...string) *lab.Lab {
	t.Helper()
	c := lab.Config{Scene: "katamari:cubes=200", Rate: 60, Seat: lab.AtHost}
	if err := c.Network.Parse(weather); err != nil {
		t.Fatal(err)
	}
	l := lab.New(c)
	for _, s := range specs {
		if _, err := l.Open(s); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func show(t testing.TB, l *lab.Lab, settings string) {
	t.Helper()
	list, err := lab.ParseDisplay(settings)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if err := l.Do(c); err != nil {
			t.Fatal(err)
		}
	}
}

// gather makes ticks in which the player rolls and pulls.
func gather(t testing.TB, s *Stage, l *lab.Lab, ticks int) {
	t.Helper()
	for range ticks {
		if err := l.Tick(lab.Entry{Inputs: []sim.Input{{Buttons: sim.Pull | sim.Buttons(1<<(l.Ticks()/7%4))}}}); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
	}
}

// TestRamp says that the ramp gets lighter all the way, that shares lie on it as
// they should, and where its ends are.
func TestRamp(t *testing.T) {
	last := -1.0
	for i := range 101 {
		light, _, _ := lab76(seenBy(along(float32(i)/100), perfectEye))
		if light <= last {
			t.Errorf("at %d %% it is no lighter than before: %v, %v", i, light, last)
		}
		last = light
	}
	if along(-1) != ramp[0] || along(0) != ramp[0] || along(1) != ramp[5] || along(7) != ramp[5] || along(0.2) != ramp[1] {
		t.Error("the ramp's ends")
	}
	for _, c := range []struct {
		n    int64
		want float64
	}{{0, 0}, {1, 0}, {2, 1}, {1000, 9.97}, {1_000_000, 19.93}, {priorityMost * 50, 19.93}, {1<<47 - 1, 19.93}} {
		if got := float64(priorityShare(c.n)) * 19.93; math.Abs(got-c.want) > 0.09 {
			t.Errorf("priority %d: %v doublings up the ramp, want %v", c.n, got, c.want)
		}
	}
	before := float32(-1)
	for n := int64(1); n < 1<<20; n += 1 + n/50 {
		if s := priorityShare(n); s < before {
			t.Fatalf("priority %d is lower than a lower one", n)
		} else {
			before = s
		}
	}
	for _, c := range []struct {
		ticks, rate int
		want        float32
	}{{0, 60, 0}, {30, 60, 0.5}, {120, 60, 1}, {60, 120, 0.5}, {9999, 60, 1}} {
		if got := ageShare(c.ticks, c.rate); geom.Abs(got-c.want) > 1e-6 {
			t.Errorf("%d ticks at %d a second: %v", c.ticks, c.rate, got)
		}
	}
}

// TestTellable says that classes can be told apart, and from the ground, by an eye
// that sees all colours and by one that lacks any of the three.
func TestTellable(t *testing.T) {
	ground := render.RGB(render.GroundHue[0], render.GroundHue[1], render.GroundHue[2])
	sets := map[string][]render.Color{
		"codings": append([]render.Color{ground}, codings[:]...),
		"owners":  append([]render.Color{ground, Loose}, owners[:]...),
		"links":   {ground, Loose, rootColor, linked(1), linked(linksMost)},
		"packet":  {headPart, inputPart, updatePart, emptyPart},
	}
	for name, set := range sets {
		for eye, m := range map[string][9]float64{"all": perfectEye, "no red": noRed, "no green": noGreen, "no blue": noBlue} {
			for i, a := range set {
				for _, b := range set[:i] {
					if a == Loose && b == ground {
						continue // as ever: its edges and its shadow tell it
					}
					l1, a1, b1 := lab76(seenBy(a, m))
					l2, a2, b2 := lab76(seenBy(b, m))
					if d := math.Sqrt((l1-l2)*(l1-l2) + (a1-a2)*(a1-a2) + (b1-b2)*(b1-b2)); d < 20 {
						t.Errorf("%s, %s: %v and %v are %.0f apart", name, eye, a, b, d)
					}
				}
			}
		}
	}
}

// Colours as seen by eyes that lack a kind of cone (Machado and others, 2009), and
// CIELAB of what they see.
var (
	perfectEye = [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	noRed      = [9]float64{0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998}
	noGreen    = [9]float64{0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881}
	noBlue     = [9]float64{1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}
)

func seenBy(c render.Color, m [9]float64) (rgb [3]float64) {
	linear := func(u uint8) float64 { return math.Pow(float64(u)/255, 2.2) }
	in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	for i := range rgb {
		rgb[i] = min(max(m[3*i]*in[0]+m[3*i+1]*in[1]+m[3*i+2]*in[2], 0), 1)
	}
	return rgb
}

func lab76(c [3]float64) (l, a, b float64) {
	f := func(x float64) float64 {
		if x > 0.008856 {
			return math.Cbrt(x)
		}
		return 7.787*x + 16./116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
	y := f(0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2])
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return 116*y - 16, 500 * (x - y), 200 * (y - z)
}

// TestTints says that in every tint each body has the colour of what is told of it,
// on both sides of a pane, that a body which is sent in every tick is at the low end
// and one never told of has a colour of its own, and that a tint that is put away
// leaves the picture as it was.
func TestTints(t *testing.T) {
	l := ball(t, "latency=50ms", "statesync:level=delta")
	var s Stage
	gather(t, &s, l, 400)
	n := len(l.Panes[0].ServerWorld.Bodies())
	var told predict.Inspection
	l.Panes[0].Inspect(&told)
	for by, want := range map[string]func(i int) render.Color{
		"priority": func(i int) render.Color { return along(priorityShare(told.Priority[i])) },
		"age":      func(i int) render.Color { return along(ageShare(int(told.Age[i]), 60)) },
		"encoding": func(i int) render.Color { return codings[told.Encoding[i]] },
	} {
		show(t, l, "tint="+by)
		s.Look(l)
		seen := map[render.Color]bool{}
		for _, v := range s.Views(nil, l, 0, 0, 640, 360, 1) {
			for i, c := range v.Scene.Cubes[:n] {
				if c.Color != want(i) {
					t.Fatalf("%s, side %d: body %d is %v, want %v", by, v.Side, i, c.Color, want(i))
				}
				seen[c.Color] = true
			}
			if by == "priority" && v.Scene.Cubes[0].Color != ramp[0] {
				t.Errorf("the player, just sent: %v", v.Scene.Cubes[0].Color)
			}
		}
		if len(seen) < 2 || len(seen) < 3 && by != "encoding" {
			t.Errorf("%s: %d colours", by, len(seen))
		}
	}
	l = ball(t, "latency=250ms", "statesync")
	s = Stage{}
	for range 600 {
		gather(t, &s, l, 1)
		if !slices.Equal(l.Panes[0].Clients[0].World.Owners(), l.Panes[0].ServerWorld.Owners()) && l.Ticks() > 60 {
			break
		}
	}
	plain := fmt.Sprint(s.Views(nil, l, 0, 0, 640, 360, 1))
	show(t, l, "tint=authority")
	s.Look(l)
	if slices.Equal(l.Panes[0].Clients[0].World.Owners(), l.Panes[0].ServerWorld.Owners()) {
		t.Error("both sides know the same: nothing is tested")
	}
	views := s.Views(nil, l, 0, 0, 640, 360, 1)
	for _, x := range []struct {
		v      View
		owners []int8
	}{{views[0], l.Panes[0].Clients[0].World.Owners()}, {views[1], l.Panes[0].ServerWorld.Owners()}} {
		held := 0
		for i, o := range x.owners {
			want := Loose
			if o >= 0 {
				want = owners[o]
				held++
			}
			if x.v.Scene.Cubes[i].Color != want {
				t.Fatalf("body %d of %d is %v", i, o, x.v.Scene.Cubes[i].Color)
			}
		}
		if held < 1 {
			t.Errorf("%d bodies have an owner", held)
		}
	}
	show(t, l, "tint=off")
	s.Look(l)
	if got := fmt.Sprint(s.Views(nil, l, 0, 0, 640, 360, 1)); got != plain {
		t.Error("without a tint it is not as before")
	}

	l = ball(t, "latency=50ms", "statesync")
	var fresh Stage
	show(t, l, "tint=age")
	gather(t, &fresh, l, 2)
	if c := fresh.Views(nil, l, 0, 0, 640, 360, 1)[0].Scene.Cubes[5].Color; c != untold {
		t.Errorf("a body that was not told of: %v", c)
	}
}

// TestLinksAreTinted says that roots are marked, that what hangs on them is coloured by how
// far, and what no joint ties as it is; and that where bodies are not told of so it is said.
func TestLinksAreTinted(t *testing.T) {
	c := lab.Config{Scene: "train:links=12", Rate: 60}
	l := lab.New(c)
	for _, spec := range []string{"animated:links=relative", "historyoffset:dynamic=linked:links=hung", "animated"} {
		if _, err := l.Open(spec); err != nil {
			t.Fatal(err)
		}
	}
	var s Stage
	gather(t, &s, l, 60)
	show(t, l, "tint=links,split=off")
	s.Look(l)
	views := s.Views(nil, l, 0, 0, 640, 360, 1)
	for _, pane := range []int{0, 1} {
		cubes := views[pane].Scene.Cubes
		for i, want := range map[int]render.Color{0: rootColor, 1: ramp[0], 8: ramp[5], 12: ramp[5]} {
			if cubes[i].Color != want {
				t.Errorf("pane %d: body %d is %v, want %v", pane, i, cubes[i].Color, want)
			}
		}
	}
	if w := s.panes[2].untoldWords(&lab.Display{Coloring: lab.ByJointDepth}); w != "has no links" {
		t.Errorf("%q", w)
	}
	if linked(-1) != Loose {
		t.Error("what hangs on nothing")
	}
}

// TestUntoldIsSaid says that what a strategy does not tell leaves its picture as it
// is, and that the caption says so.
func TestUntoldIsSaid(t *testing.T) {
	for spec, want := range map[string]string{
		"statesync": "", "snapshot": "has no priorities", "noprediction": "has no priorities, no ages, no budget",
		"rewind": "has no priorities, no budget", "lockstep": "has no priorities, no ages, no budget",
		"animated": "has no priorities, no budget", "historyoffset": "has no priorities, no budget",
		"relative": "has no priorities, no budget",
	} {
		l := ball(t, "latency=50ms", spec)
		var s Stage
		gather(t, &s, l, 100)
		plain := s.Views(nil, l, 0, 0, 640, 360, 1)[0].Scene.Cubes[7].Color
		show(t, l, "tint=priority,packet=on,ages=on")
		s.Look(l)
		var f Frame
		s.Compose(&f, l, Place{W: 1280, H: 720}, Options{}, 1)
		got := ""
		for _, it := range f.List.Items {
			if strings.HasPrefix(it.Text, "has no") {
				got = it.Text
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
		if c := f.Views[0].Scene.Cubes[7].Color; (c == plain) != (want != "") {
			t.Errorf("%s: body 7 is %v, was %v", spec, c, plain)
		}
	}
}

// TestLegend says that each tint's legend has its words, at any usual size, and that
// without one there is none.
func TestLegend(t *testing.T) {
	l := ball(t, "latency=50ms", "statesync")
	var s Stage
	gather(t, &s, l, 30)
	for settings, want := range map[string][]string{
		"tint=off": {"client"}, "tint=priority": {"priority 1", "1,000,000"}, "tint=age": {"last word 0", "2 s old", "not told yet"},
		"tint=encoding":  {"absolute", "relative to the player", "to an earlier state", "not told yet"},
		"tint=links":     {"root", "joints to it 1", "8 or more", "by itself"},
		"tint=authority": {"player 1's", "nobody's"}, "raw=on": {"player 1's", "nobody's", "simulated"},
	} {
		if settings == "raw=on" {
			settings = "tint=authority,raw=on"
		}
		show(t, l, settings)
		s.Look(l)
		for _, size := range [][2]int{{1280, 720}, {950, 720}, {1920, 1080}, {640, 480}} {
			var f Frame
			s.Compose(&f, l, Place{W: size[0], H: size[1]}, Options{Note: "tape katamari-ball"}, 1)
			var words []string
			for _, it := range f.List.Items {
				words = append(words, it.Text)
			}
			for _, w := range want {
				if !slices.Contains(words, w) {
					t.Errorf("%s, %v: no %q", settings, size, w)
				}
			}
			if settings == "tint=off" && slices.Contains(words, "not told yet") {
				t.Error("a legend without a tint")
			}
		}
		show(t, l, "tint=off,raw=off")
	}
}
