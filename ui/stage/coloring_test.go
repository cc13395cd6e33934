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
	"ghostcube/sim/geom"
	"ghostcube/ui/stage/stagetest"
)

// TestRamp promises that lightness grows all along the ramp, and holds the scales and ends of priority and age.
func TestRamp(t *testing.T) {
	previous := -1.0
	for i := range 101 {
		light, _, _ := cielab(simulateVision(RampColor(float32(i)/100), normalVision))
		if light <= previous {
			t.Errorf("at %d %% the lightness %v does not exceed %v", i, light, previous)
		}
		previous = light
	}
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

// TestPalette promises that no two meanings share a colour, and that colours that appear together differ from each
// other and from the ground, with normal colour vision and with each of the three deficiencies.
func TestPalette(t *testing.T) {
	named := map[string]render.Color{
		"player 1": PlayerColors[0], "player 2": PlayerColors[1], "player 3": PlayerColors[2], "player 4": PlayerColors[3],
		"server": ServerColor, "received": ReceivedColor, "simulated": SimulatedColor, "unowned": UnownedColor, "static": staticColor, "carrier": carrierColor,
		"unknown": UnknownColor, "fallback": FallbackColor, "predicted": PredictedColor, "interpolated": InterpolatedColor, "root": RootColor,
		"absolute": EncodingColors[predict.Absolute], "relative": EncodingColors[predict.RelativeToPlayer], "delta": EncodingColors[predict.DeltaEncoded],
		"no error": ErrorRamp[0], "1 cm": ErrorRamp[1], "10 cm": ErrorRamp[2], "1 m": ErrorRamp[3],
		"low": colorRamp[0], "high": colorRamp[len(colorRamp)-1],
		"parent": ParentColor, "candidate": CandidateColor, "open joint": OpenJointColor,
		"hit": HitColor, "miss": MissColor, "unrewound": UnrewoundColor, "callout": CalloutColor, "focus": FocusColor,
		"text": TextColor, "dim text": DimTextColor, "alert": AlertColor, "background": BackgroundColor, "empty": EmptyColor, "key": KeyDownColor,
		"gridline": GridlineColor, "event": EventColor, "curve": CurveColor, "explain": ExplainColor,
		"notice": NoticeColor, "best bar": BestBarColor, "bar": BarColor, "bar background": BarBackground,
		"header": HeaderColor, "input": InputColor, "update": UpdateColor, "index": IndexColor, "rotation": RotationColor,
		"snapshot": LaneColors[predict.Snapshots], "fragment": LaneColors[predict.Fragments], "messages": LaneColors[predict.Messages],
		"waiting": WaitingColor, "own": OwnInputColor, "missing": MissingColor, "repeated": RepeatedColor, "late": LateInputColor, "unmeasured": unmeasuredColor,
	}
	for i, c := range StageColors[1 : len(StageColors)-1] {
		named[fmt.Sprint("stage ", i+1)] = c
	}
	meaning := map[render.Color]string{}
	for name, c := range named {
		c.A = 255
		if other, taken := meaning[c]; taken {
			t.Errorf("%s and %s share the colour %v", name, other, c)
		}
		meaning[c] = name
	}
	named["ground"] = render.RGB(render.GroundColor[0], render.GroundColor[1], render.GroundColor[2])
	for _, set := range []struct {
		apart float64 // in CIELAB
		names string
	}{
		{20, "ground,player 1,player 2,player 3,player 4"},
		{20, "unowned,player 1,player 2,player 3,player 4"},
		{15, "server,received,simulated,ground,unowned,static,carrier,player 1,player 2"},
		{20, "ground,player 1,player 2,unowned,unknown,server"},
		{19, "fallback,player 1,player 2,unowned,unknown,server"},
		{20, "unknown,no error,1 cm,10 cm,1 m"}, {15, "ground,1 cm,10 cm,1 m"}, {19, "static,1 cm,10 cm,1 m"}, {19, "server,10 cm,1 m"},
		{20, "ground,root,low,high"}, {20, "unowned,root,low,high"},
		{19, "ground,predicted,interpolated,server,received"},
		{19, "ground,absolute,relative,delta,unknown,server"},
		{15, "ground,parent,candidate,player 1,server,received,unowned"},
		{19, "ground,hit,miss,unrewound,player 1,server"},
		{19, "header,input,update,index,rotation,empty"},
		{17, "header,input,update,snapshot,fragment,messages,alert,background"},
		{19, "empty,own,missing,repeated,late,waiting"},
		{19, "best bar,bar,bar background"}, {17, "text,alert,explain,background"},
		{14, "unmeasured,stage 1,stage 2,stage 3,stage 4,stage 5,stage 6,stage 7"},
	} {
		names := strings.Split(set.names, ",")
		for eye, m := range map[string][9]float64{"normal": normalVision, "protanopia": protanopia, "deuteranopia": deuteranopia, "tritanopia": tritanopia} {
			for i, a := range names {
				for _, b := range names[:i] {
					if a == "static" && b == "ground" || a == "carrier" && b == "ground" || a == "unowned" && b == "ground" {
						continue // edges and shadow distinguish these
					}
					l1, a1, b1 := cielab(simulateVision(named[a], m))
					l2, a2, b2 := cielab(simulateVision(named[b], m))
					if d := math.Sqrt((l1-l2)*(l1-l2) + (a1-a2)*(a1-a2) + (b1-b2)*(b1-b2)); d < set.apart {
						t.Errorf("%s: %s and %s are %.0f apart, want %v", eye, a, b, d, set.apart)
					}
				}
			}
		}
	}
}

// Colour vision without one kind of cone, as matrices on linear RGB (Machado and others, 2009).
var (
	normalVision = [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	protanopia   = [9]float64{0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998}
	deuteranopia = [9]float64{0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881}
	tritanopia   = [9]float64{1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}
)

// simulateVision returns a colour as linear RGB through a matrix of colour vision.
func simulateVision(c render.Color, m [9]float64) (rgb [3]float64) {
	linear := func(u uint8) float64 { return math.Pow(float64(u)/255, 2.2) }
	in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	for i := range rgb {
		rgb[i] = min(max(m[3*i]*in[0]+m[3*i+1]*in[1]+m[3*i+2]*in[2], 0), 1)
	}
	return rgb
}

// cielab converts linear RGB to CIELAB.
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

// TestColorings promises that every colouring gives each body the colour of its data on both sides of a pane,
// that a body sent in every tick is at the low end of the priorities, that one never received has its own
// colour, and that switching a colouring off restores the picture.
func TestColorings(t *testing.T) {
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
	c := lab.Config{Scene: "train:rods=12", Rate: 60}
	l := lab.New(c)
	for _, spec := range []string{"animated:joint-tree=relative", "historyoffset:predicted-bodies=joint-tree:joint-tree=relative-position", "animated"} {
		if _, err := l.Open(spec); err != nil {
			t.Fatal(err)
		}
	}
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
