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

// newKatamari is a session of cubes that a player at the server gathers.
func newKatamari(t testing.TB, weather string, specs ...string) *lab.Lab {
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

// setDisplay applies show commands such as color=age,split=off.
func setDisplay(t testing.TB, l *lab.Lab, settings string) {
	t.Helper()
	list, err := ParseShow(settings)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		if err := l.Apply(c); err != nil {
			t.Fatal(err)
		}
	}
}

// rollAndPull makes ticks in which the player rolls and pulls.
func rollAndPull(t testing.TB, s *Stage, l *lab.Lab, ticks int) {
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
		light, _, _ := cielab(simulateVision(rampColor(float32(i)/100), normalVision))
		if light <= last {
			t.Errorf("at %d %% it is no lighter than before: %v, %v", i, light, last)
		}
		last = light
	}
	if rampColor(-1) != colorRamp[0] || rampColor(0) != colorRamp[0] || rampColor(1) != colorRamp[5] || rampColor(7) != colorRamp[5] || rampColor(0.2) != colorRamp[1] {
		t.Error("the ramp's ends")
	}
	for _, c := range []struct {
		n    int64
		want float64
	}{{0, 0}, {1, 0}, {2, 1}, {1000, 9.97}, {1_000_000, 19.93}, {maxPriority * 50, 19.93}, {1<<47 - 1, 19.93}} {
		if got := float64(priorityFraction(c.n)) * 19.93; math.Abs(got-c.want) > 0.09 {
			t.Errorf("priority %d: %v doublings up the ramp, want %v", c.n, got, c.want)
		}
	}
	before := float32(-1)
	for n := int64(1); n < 1<<20; n += 1 + n/50 {
		if s := priorityFraction(n); s < before {
			t.Fatalf("priority %d is lower than a lower one", n)
		} else {
			before = s
		}
	}
	for _, c := range []struct {
		ticks, rate int
		want        float32
	}{{0, 60, 0}, {30, 60, 0.5}, {120, 60, 1}, {60, 120, 0.5}, {9999, 60, 1}} {
		if got := ageFraction(c.ticks, c.rate); geom.Abs(got-c.want) > 1e-6 {
			t.Errorf("%d ticks at %d a second: %v", c.ticks, c.rate, got)
		}
	}
}

// TestColorsAreDistinguishable says that classes can be told apart, and from the ground, by an eye
// that sees all colours and by one that lacks any of the three.
func TestColorsAreDistinguishable(t *testing.T) {
	ground := render.RGB(render.GroundColor[0], render.GroundColor[1], render.GroundColor[2])
	sets := map[string][]render.Color{
		"codings":     append([]render.Color{ground}, encodingColors[:]...),
		"owners":      append([]render.Color{ground, UnownedColor}, ownerColors[:]...),
		"joint-depth": {ground, UnownedColor, rootColor, jointDepthColor(1), jointDepthColor(maxJointDepth)},
		"packet":      {headerColor, inputColor, updateColor, emptyColor},
	}
	for name, set := range sets {
		for eye, m := range map[string][9]float64{"all": normalVision, "no red": protanopia, "no green": deuteranopia, "no blue": tritanopia} {
			for i, a := range set {
				for _, b := range set[:i] {
					if a == UnownedColor && b == ground {
						continue // as ever: its edges and its shadow tell it
					}
					l1, a1, b1 := cielab(simulateVision(a, m))
					l2, a2, b2 := cielab(simulateVision(b, m))
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
	normalVision = [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	protanopia   = [9]float64{0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998}
	deuteranopia = [9]float64{0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881}
	tritanopia   = [9]float64{1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}
)

func simulateVision(c render.Color, m [9]float64) (rgb [3]float64) {
	linear := func(u uint8) float64 { return math.Pow(float64(u)/255, 2.2) }
	in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	for i := range rgb {
		rgb[i] = min(max(m[3*i]*in[0]+m[3*i+1]*in[1]+m[3*i+2]*in[2], 0), 1)
	}
	return rgb
}

func cielab(c [3]float64) (l, a, b float64) {
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

// TestColorings says that in every tint each body has the colour of what is told of it,
// on both sides of a pane, that a body which is sent in every tick is at the low end
// and one never told of has a colour of its own, and that a tint that is put away
// leaves the picture as it was.
func TestColorings(t *testing.T) {
	l := newKatamari(t, "latency=50ms", "statesync:compression=delta")
	var s Stage
	rollAndPull(t, &s, l, 400)
	n := len(l.Panes[0].ServerWorld.Bodies())
	var told predict.Inspection
	l.Panes[0].Inspect(&told)
	for by, want := range map[string]func(i int) render.Color{
		"priority": func(i int) render.Color { return rampColor(priorityFraction(told.Priority[i])) },
		"age":      func(i int) render.Color { return rampColor(ageFraction(int(told.Age[i]), 60)) },
		"encoding": func(i int) render.Color { return encodingColors[told.Encoding[i]] },
	} {
		setDisplay(t, l, "color="+by)
		s.Refresh(l)
		seen := map[render.Color]bool{}
		for _, v := range s.Viewports(nil, l, 0, 0, 640, 360, 1) {
			for i, c := range v.Scene.Cubes[:n] {
				if c.Color != want(i) {
					t.Fatalf("%s, side %d: body %d is %v, want %v", by, v.Side, i, c.Color, want(i))
				}
				seen[c.Color] = true
			}
			if by == "priority" && v.Scene.Cubes[0].Color != colorRamp[0] {
				t.Errorf("the player, just sent: %v", v.Scene.Cubes[0].Color)
			}
		}
		if len(seen) < 2 || len(seen) < 3 && by != "encoding" {
			t.Errorf("%s: %d colours", by, len(seen))
		}
	}
	l = newKatamari(t, "latency=250ms", "statesync")
	s = Stage{}
	for range 600 {
		rollAndPull(t, &s, l, 1)
		if !slices.Equal(l.Panes[0].Clients[0].World.Owners(), l.Panes[0].ServerWorld.Owners()) && l.Ticks() > 60 {
			break
		}
	}
	plain := fmt.Sprint(s.Viewports(nil, l, 0, 0, 640, 360, 1))
	setDisplay(t, l, "color=authority")
	s.Refresh(l)
	if slices.Equal(l.Panes[0].Clients[0].World.Owners(), l.Panes[0].ServerWorld.Owners()) {
		t.Error("both sides know the same: nothing is tested")
	}
	views := s.Viewports(nil, l, 0, 0, 640, 360, 1)
	for _, x := range []struct {
		v      Viewport
		owners []int8
	}{{views[0], l.Panes[0].Clients[0].World.Owners()}, {views[1], l.Panes[0].ServerWorld.Owners()}} {
		held := 0
		for i, o := range x.owners {
			want := UnownedColor
			if o >= 0 {
				want = ownerColors[o]
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
	setDisplay(t, l, "color=off")
	s.Refresh(l)
	if got := fmt.Sprint(s.Viewports(nil, l, 0, 0, 640, 360, 1)); got != plain {
		t.Error("without a tint it is not as before")
	}

	l = newKatamari(t, "latency=50ms", "statesync")
	var fresh Stage
	setDisplay(t, l, "color=age")
	rollAndPull(t, &fresh, l, 2)
	if c := fresh.Viewports(nil, l, 0, 0, 640, 360, 1)[0].Scene.Cubes[5].Color; c != neverReceivedColor {
		t.Errorf("a body that was not told of: %v", c)
	}
}

// TestJointDepthColors says that roots are marked, that what hangs on them is coloured by how
// far, and what no joint ties as it is; and that where bodies are not told of so it is said.
func TestJointDepthColors(t *testing.T) {
	c := lab.Config{Scene: "train:rods=12", Rate: 60}
	l := lab.New(c)
	for _, spec := range []string{"animated:joint-tree=relative", "historyoffset:predicted-bodies=joint-tree:joint-tree=relative-position", "animated"} {
		if _, err := l.Open(spec); err != nil {
			t.Fatal(err)
		}
	}
	var s Stage
	rollAndPull(t, &s, l, 60)
	setDisplay(t, l, "color=joint-depth,split=off")
	s.Refresh(l)
	views := s.Viewports(nil, l, 0, 0, 640, 360, 1)
	for _, pane := range []int{0, 1} {
		cubes := views[pane].Scene.Cubes
		for i, want := range map[int]render.Color{0: rootColor, 1: colorRamp[0], 8: colorRamp[5], 12: colorRamp[5]} {
			if cubes[i].Color != want {
				t.Errorf("pane %d: body %d is %v, want %v", pane, i, cubes[i].Color, want)
			}
		}
	}
	if w := s.panes[2].missingText(&Settings{Coloring: ByJointDepth}); w != "has no joint depths" {
		t.Errorf("%q", w)
	}
	if jointDepthColor(-1) != UnownedColor {
		t.Error("what hangs on nothing")
	}
}

// TestMissingDataIsShown says that what a strategy does not tell leaves its picture as it
// is, and that the caption says so.
func TestMissingDataIsShown(t *testing.T) {
	for spec, want := range map[string]string{
		"statesync": "", "snapshot": "has no priorities", "noprediction": "has no priorities, no ages, no budget",
		"rewind": "has no priorities, no budget", "lockstep": "has no priorities, no ages, no budget",
		"animated": "has no priorities, no budget", "historyoffset": "has no priorities, no budget",
		"relative": "has no priorities, no budget",
	} {
		l := newKatamari(t, "latency=50ms", spec)
		var s Stage
		rollAndPull(t, &s, l, 100)
		plain := s.Viewports(nil, l, 0, 0, 640, 360, 1)[0].Scene.Cubes[7].Color
		setDisplay(t, l, "color=priority,packet=on,ages=on")
		s.Refresh(l)
		var f Frame
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
		got := ""
		for _, it := range f.Overlay.Items {
			if strings.HasPrefix(it.Text, "has no") {
				got = it.Text
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
		if c := f.Viewports[0].Scene.Cubes[7].Color; (c == plain) != (want != "") {
			t.Errorf("%s: body 7 is %v, was %v", spec, c, plain)
		}
	}
}

// TestLegend says that each tint's legend has its words, at any usual size, and that
// without one there is none.
func TestLegend(t *testing.T) {
	l := newKatamari(t, "latency=50ms", "statesync")
	var s Stage
	rollAndPull(t, &s, l, 30)
	for settings, want := range map[string][]string{
		"color=off": {"client"}, "color=priority": {"priority 1", "1,000,000"}, "color=age": {"last word 0", "2 s old", "not told yet"},
		"color=encoding":    {"absolute", "relative to the player", "to an earlier state", "not told yet"},
		"color=joint-depth": {"root", "joints to it 1", "8 or more", "by itself"},
		"color=authority":   {"player 1's", "nobody's"}, "simulated=on": {"player 1's", "nobody's", "simulated"},
	} {
		if settings == "simulated=on" {
			settings = "color=authority,simulated=on"
		}
		setDisplay(t, l, settings)
		s.Refresh(l)
		for _, size := range [][2]int{{1280, 720}, {950, 720}, {1920, 1080}, {640, 480}} {
			var f Frame
			s.Compose(&f, l, Rect{W: size[0], H: size[1]}, Options{Footer: "tape katamari-ball"}, 1)
			var words []string
			for _, it := range f.Overlay.Items {
				words = append(words, it.Text)
			}
			for _, w := range want {
				if !slices.Contains(words, w) {
					t.Errorf("%s, %v: no %q", settings, size, w)
				}
			}
			if settings == "color=off" && slices.Contains(words, "not told yet") {
				t.Error("a legend without a tint")
			}
		}
		setDisplay(t, l, "color=off,simulated=off")
	}
}
