package stage

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage/stagetest"
)

// checkLightness promises that lightness grows all along a ramp.
func checkLightness(t *testing.T, ramp []render.Color) {
	previous := -1.0
	for i := range 101 {
		light, _, _ := cielab(simulateVision(MixRamp(ramp, float32(i)/100), normalVision))
		if light <= previous {
			t.Errorf("at %d %% the lightness %v does not exceed %v", i, light, previous)
		}
		previous = light
	}
}

// TestRamp promises that lightness grows all along the ramp, and holds the scales and ends of priority and age.
func TestRamp(t *testing.T) {
	checkLightness(t, colorRamp[:])
	if RampColor(-1) != colorRamp[0] || RampColor(0) != colorRamp[0] || RampColor(1) != colorRamp[5] || RampColor(7) != colorRamp[5] ||
		RampColor(0.2) != colorRamp[1] {
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
	for bits, want := range map[float32]float32{0: 0, MinBodyBits: 0, 506: 0.5, MaxBodyBits: 1, 1e9: 1} {
		if got := bitsFraction(bits); geom.Abs(got-want) > 0.01 {
			t.Errorf("%v bits a second: %v", bits, got)
		}
	}
	share := float32(-1)
	for n := int64(1); n < 1<<20; n += 1 + n/50 {
		if s := priorityFraction(n); s < share {
			t.Fatalf("priority %d is lower on the ramp than a lower priority", n)
		} else {
			share = s
		}
	}
	for _, c := range []struct {
		ticks, rate int
		want        float32
	}{{0, 60, 0}, {30, 60, 0.5}, {120, 60, 1}, {60, 120, 0.5}, {9999, 60, 1}} {
		if got := AgeFraction(c.ticks, c.rate); geom.Abs(got-c.want) > 1e-6 {
			t.Errorf("%d ticks at %d a second: %v", c.ticks, c.rate, got)
		}
	}
}

// TestColorings promises that every colouring gives each body the colour of its data on both sides of a pane,
// that a body sent in every tick is at the low end of the priorities, that one never received has its own
// colour, and that switching a colouring off restores the picture.
func TestColorings(t *testing.T) {
	experiment.Skip(t)
	l := stagetest.Katamari(t, "latency=50ms", "statesync:compression=delta")
	var s Stage
	stagetest.RollAndPull(t, &s, l, 400)
	n := len(l.Panes[0].ServerWorld.Bodies())
	var data predict.Inspection
	l.Panes[0].Inspect(&data)
	for by, want := range map[string]func(i int) render.Color{
		"priority": func(i int) render.Color { return RampColor(priorityFraction(data.Priority[i])) },
		"age":      func(i int) render.Color { return RampColor(AgeFraction(int(data.Age[i]), 60)) },
		"encoding": func(i int) render.Color { return EncodingColors[data.Encoding[i]] },
		"bits": func(i int) render.Color {
			if data.BodyBits[i] < 1 {
				return UnknownColor
			}
			return RampColor(bitsFraction(data.BodyBits[i]))
		},
	} {
		stagetest.Show(t, l, "color="+by)
		s.Refresh(l)
		colors := map[render.Color]bool{}
		for _, v := range s.views(nil, l, 1) {
			for i, c := range v.Scene.Cubes[:n] {
				if c.Color != want(i) {
					t.Fatalf("%s, side %d: body %d is %v, want %v", by, v.Side, i, c.Color, want(i))
				}
				colors[c.Color] = true
			}
			if by == "priority" && v.Scene.Cubes[0].Color != colorRamp[0] {
				t.Errorf("the player, which was just sent, is %v", v.Scene.Cubes[0].Color)
			}
		}
		if len(colors) < 2 || len(colors) < 3 && by != "encoding" {
			t.Errorf("%s: %d colours", by, len(colors))
		}
	}
	l = stagetest.Katamari(t, "latency=50ms", "animated:interest-radius=3:interest-cutoff=8")
	s = Stage{}
	stagetest.RollAndPull(t, &s, l, 60)
	stagetest.Show(t, l, "color=rate")
	s.Refresh(l)
	l.Panes[0].Inspect(&data)
	for _, v := range s.views(nil, l, 1) {
		outside, slow := 0, 0
		for i, c := range v.Scene.Cubes[:n] {
			want := UnknownColor
			if data.Interval[i] > 0 {
				want = RampColor(rateFraction(int(data.Interval[i])))
			}
			if c.Color != want {
				t.Fatalf("rate, side %d: body %d is %v, want %v", v.Side, i, c.Color, want)
			}
			if data.Interval[i] == 0 {
				outside++
			} else if data.Interval[i] > 1 {
				slow++
			}
		}
		if outside < 20 || slow < 50 || v.Scene.Cubes[0].Color != colorRamp[len(colorRamp)-1] {
			t.Errorf("rate: %d bodies are outside and %d at a lower rate; the player is %v", outside, slow, v.Scene.Cubes[0].Color)
		}
	}
	l = stagetest.Katamari(t, "latency=250ms", "statesync")
	s = Stage{}
	for range 600 {
		stagetest.RollAndPull(t, &s, l, 1)
		if !slices.Equal(l.Panes[0].Clients[0].World.Owners(), l.Panes[0].ServerWorld.Owners()) && l.Ticks() > 60 {
			break
		}
	}
	plain := fmt.Sprint(s.views(nil, l, 1))
	stagetest.Show(t, l, "color=authority")
	s.Refresh(l)
	if slices.Equal(l.Panes[0].Clients[0].World.Owners(), l.Panes[0].ServerWorld.Owners()) {
		t.Error("both sides know the same owners: nothing is tested")
	}
	views := s.views(nil, l, 1)
	for _, x := range []struct {
		v      Viewport
		owners []int8
	}{{views[0], l.Panes[0].Clients[0].World.Owners()}, {views[1], l.Panes[0].ServerWorld.Owners()}} {
		owned := 0
		for i, o := range x.owners {
			want := UnownedColor
			if o >= 0 {
				want = PlayerColors[o]
				owned++
			}
			if x.v.Scene.Cubes[i].Color != want {
				t.Fatalf("body %d of %d is %v", i, o, x.v.Scene.Cubes[i].Color)
			}
		}
		if owned < 1 {
			t.Errorf("%d bodies have an owner", owned)
		}
	}
	stagetest.Show(t, l, "color=off")
	s.Refresh(l)
	if got := fmt.Sprint(s.views(nil, l, 1)); got != plain {
		t.Error("without a colouring the picture is not as before")
	}

	l = stagetest.Katamari(t, "latency=50ms", "statesync")
	var fresh Stage
	stagetest.Show(t, l, "color=age")
	stagetest.RollAndPull(t, &fresh, l, 2)
	if c := fresh.views(nil, l, 1)[0].Scene.Cubes[5].Color; c != UnknownColor {
		t.Errorf("a body that was never received is %v", c)
	}
}

// TestJointDepthColors promises that roots have their own colour, that other bodies of a joint tree are
// coloured by their depth.
func TestJointDepthColors(t *testing.T) {
	l := stagetest.Open(t, lab.Config{Scene: "train:rods=12", Rate: 60}, "perfect",
		"animated:joint-tree=relative", "historyoffset:predicted-bodies=joint-tree:joint-tree=relative-position", "animated")
	var s Stage
	stagetest.RollAndPull(t, &s, l, 60)
	stagetest.Show(t, l, "color=joint-depth,split=off")
	s.Refresh(l)
	views := s.views(nil, l, 1)
	for _, pane := range []int{0, 1} {
		cubes := views[pane].Scene.Cubes
		for i, want := range map[int]render.Color{0: RootColor, 1: colorRamp[0], 8: colorRamp[5], 12: colorRamp[5]} {
			if cubes[i].Color != want {
				t.Errorf("pane %d: body %d is %v, want %v", pane, i, cubes[i].Color, want)
			}
		}
	}
	if jointDepthColor(-1) != UnownedColor {
		t.Error("a body without joints")
	}
}
