package stage

import (
	"fmt"
	"strings"
	"testing"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

func newSession(t testing.TB, weather string, specs ...string) *lab.Lab {
	t.Helper()
	c := lab.Config{Scene: "zen", Rate: 60}
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

func runTicks(t testing.TB, s *Stage, l *lab.Lab, ticks int) {
	t.Helper()
	for i := range ticks {
		if err := l.Tick(lab.Entry{Inputs: []sim.Input{{Buttons: sim.Buttons(1 << (i / 30 % 4))}}}); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
	}
}

// TestViewportsFillPicture says that the pictures of a session lie side by side, inside
// their place, without covering each other, whatever its size and their number.
func TestViewportsFillPicture(t *testing.T) {
	for n := 1; n <= 4; n++ {
		for _, split := range []string{"on", "off"} {
			for _, size := range [][2]int{{1280, 720}, {640, 360}, {1920, 1080}, {321, 243}, {500, 900}} {
				l := newSession(t, "csp-25-loss", []string{"rewind", "noprediction", "rewind", "rewind"}[:n]...)
				l.Tick(lab.Entry{Commands: []lab.Command{Show("split", split)}})
				var s Stage
				runTicks(t, &s, l, 3)
				views := s.Viewports(nil, l, 7, 11, size[0], size[1], 1)
				want := n
				if split == "on" {
					want = 2 * n
				}
				if len(views) != want {
					t.Fatalf("%d views, want %d", len(views), want)
				}
				area := 0
				for i, v := range views {
					area += v.W * v.H
					if v.X < 7 || v.Y < 11 || v.X+v.W > 7+size[0] || v.Y+v.H > 11+size[1] || v.W < 10 || v.H < 10 {
						t.Errorf("%d panes, %v: view %d is %d,%d %dx%d", n, size, i, v.X, v.Y, v.W, v.H)
					}
					for _, o := range views[:i] {
						if v.X < o.X+o.W && o.X < v.X+v.W && v.Y < o.Y+o.H && o.Y < v.Y+v.H {
							t.Errorf("%d panes, %v: views cover each other", n, size)
						}
					}
				}
				if whole := size[0] * size[1]; area < whole*9/10 {
					t.Errorf("%d panes, %v: the views cover %d of %d pixels", n, size, area, whole)
				}
			}
		}
	}
}

// TestBetweenCommandsAndTick says that a session can be drawn at any moment:
// before its first tick, and when commands have opened panes, switched or
// closed them, or begun it anew while it stands still.
func TestBetweenCommandsAndTick(t *testing.T) {
	l := newSession(t, "bursty", "rewind")
	l.Apply(Show("split", "off"))
	var s Stage
	var f Frame
	draw := func(after string) {
		t.Helper()
		s.Refresh(l)
		s.Compose(&f, l, Rect{W: 640, H: 360}, Options{}, 0.5)
		if len(f.Viewports) != len(l.Panes) {
			t.Errorf("%s: %d views of %d panes", after, len(f.Viewports), len(l.Panes))
		}
		for i, v := range f.Viewports {
			if got, want := v.Scene.Cubes[0].Pose.Pos, l.Panes[i].ServerWorld.Bodies()[0].Pose.Pos; got.Sub(want).Len() > 5 {
				t.Errorf("%s: pane %d draws the cube at %v, and it is at %v", after, i, got, want)
			}
		}
	}
	draw("opening")
	runTicks(t, &s, l, 200)
	draw("200 ticks")
	for _, c := range []lab.Command{
		{Verb: "open", Pane: lab.AllPanes, Name: "noprediction"},
		{Verb: "open", Pane: lab.AllPanes, Name: "rewind"},
		{Verb: "switch", Pane: 0, Name: "noprediction"},
		{Verb: "close", Pane: 1},
		{Verb: "scene", Pane: lab.AllPanes, Name: "plain"},
		{Verb: "scene", Pane: lab.AllPanes, Name: "zen"},
		{Verb: "restart", Pane: lab.AllPanes},
	} {
		if err := l.Apply(c); err != nil {
			t.Fatal(err)
		}
		draw(c.Verb + " " + c.Name)
	}
	runTicks(t, &s, l, 60)
	l.Apply(lab.Command{Verb: "restart", Pane: lab.AllPanes})
	draw("restart")
	if got, want := f.Viewports[0].Camera, l.Panes[0].ServerWorld.Bodies()[0].Pose.Pos; got.Target.Sub(want).Len() > 3 {
		t.Errorf("the camera looks at %v after a restart", got.Target)
	}
}

// TestNothingIsClipped says that every text lies inside the picture, and that
// no two texts cover each other, at all usual sizes and with long specs.
func TestNothingIsClipped(t *testing.T) {
	specs := []string{
		"rewind:contact-order=reordered:smoothing=none:snapshot-every=32:redundant=off:lead=9:corrections=off",
		"noprediction", "rewind:smoothing=single:smooth-factor=0.75", "rewind",
	}
	for n := 1; n <= 4; n++ {
		for _, split := range []string{"on", "off"} {
			for _, size := range [][2]int{{1280, 720}, {960, 540}, {1920, 1080}, {2560, 1440}, {900, 600}} {
				l := newSession(t, "wifi-bad", specs[:n]...)
				l.Tick(lab.Entry{Commands: []lab.Command{Show("split", split)}})
				var s Stage
				runTicks(t, &s, l, 90)
				var f Frame
				s.Compose(&f, l, Rect{W: size[0], H: size[1]}, Options{
					Title:  "a quarter of all packets lost, before and after inputs are sent again and again",
					Footer: "tape circle", Input: sim.Input{Buttons: sim.AllButtons}, HighlightFocus: true,
				}, 1)
				type box struct {
					x0, y0, x1, y1 float32
					text           string
				}
				var boxes []box
				for _, it := range f.Overlay.Items {
					if it.Kind != render.TextKind || it.Text == "" {
						continue
					}
					b := box{it.X, it.Y - 0.7*float32(it.Font.Size), it.X + it.Font.Width(it.Text), it.Y + 0.2*float32(it.Font.Size), it.Text}
					if b.x0 < 0 || b.y0 < 0 || b.x1 > float32(size[0]) || b.y1 > float32(size[1]) {
						t.Errorf("%d panes, split %s, %v: %q lies at %v", n, split, size, it.Text, b)
					}
					for _, o := range boxes {
						if b.x0 < o.x1 && o.x0 < b.x1 && b.y0 < o.y1 && o.y0 < b.y1 {
							t.Errorf("%d panes, split %s, %v: %q covers %q", n, split, size, b.text, o.text)
						}
					}
					boxes = append(boxes, b)
				}
				if len(boxes) < 8 {
					t.Errorf("only %d texts", len(boxes))
				}
			}
		}
	}
}

// TestGhosts says who is seen where: the client's picture has a ghost for what
// is elsewhere at the server and for the last snapshot, the server's has none,
// and ghosts can be put away.
func TestGhosts(t *testing.T) {
	l := newSession(t, "latency=150ms", "rewind")
	var s Stage
	runTicks(t, &s, l, 60)
	count := func(v *Viewport) (server, last, solid int) {
		for _, c := range v.Scene.Cubes {
			switch bare := (render.Color{R: c.Color.R, G: c.Color.G, B: c.Color.B, A: 255}); {
			case c.Ghost() && bare == ServerColor:
				server++
			case c.Ghost() && bare == ReceivedColor:
				last++
			case !c.Ghost():
				solid++
			}
		}
		return
	}
	world := l.Panes[0].ServerWorld.Scene()
	all := len(world.Boxes) + len(world.Static)
	views := s.Viewports(nil, l, 0, 0, 640, 360, 1)
	if server, last, solid := count(&views[0]); server != 1 || last != 1 || solid != all {
		t.Errorf("client: %d of the server's ghosts, %d snapshots, %d solid of %d", server, last, solid, all)
	}
	if server, last, solid := count(&views[1]); server != 0 || last != 0 || solid != all {
		t.Errorf("server: %d, %d, %d of %d", server, last, solid, all)
	}
	if len(views[0].Scene.Trails) != 1 || len(views[1].Scene.Trails) != 0 {
		t.Error("trails")
	}
	l.Tick(lab.Entry{Commands: []lab.Command{Show("ghosts", "off")}})
	s.Tick(l)
	if server, last, _ := count(&s.Viewports(nil, l, 0, 0, 640, 360, 1)[0]); server+last != 0 {
		t.Error("ghosts that were put away are seen")
	}
}

// TestBetweenTicks says that a picture between two ticks shows the cubes
// between their poses.
func TestBetweenTicks(t *testing.T) {
	l := newSession(t, "perfect", "rewind")
	var s Stage
	runTicks(t, &s, l, 59)
	before := l.Panes[0].Clients[0].View.Bodies[0].Pos
	runTicks(t, &s, l, 1)
	now := l.Panes[0].Clients[0].View.Bodies[0].Pos
	for _, share := range []float32{0, 0.25, 1} {
		got := s.Viewports(nil, l, 0, 0, 640, 360, share)[0].Scene.Cubes[0].Pose.Pos
		if want := before.AddScaled(share, now.Sub(before)); got.Sub(want).Len() > 1e-5 {
			t.Errorf("share %v: %v, want %v", share, got, want)
		}
	}
}

// TestCarriersAreDrawn says that what moves by itself is drawn where it is at
// the tick that a picture shows: the client's own in its picture, the server's
// in the server's, and between two ticks in between.
func TestCarriersAreDrawn(t *testing.T) {
	l := newSession(t, "latency=150ms", "noprediction")
	for _, c := range []lab.Command{{Verb: "scene", Pane: lab.AllPanes, Name: "turntable"}, Show("split", "on")} {
		if err := l.Tick(lab.Entry{Commands: []lab.Command{c}}); err != nil {
			t.Fatal(err)
		}
	}
	var s Stage
	runTicks(t, &s, l, 120)
	world, table := l.Panes[0].ServerWorld.Scene(), len(l.Panes[0].ServerWorld.Bodies())
	box := world.Carriers[0].Boxes[0].Start.Pose
	client, server := l.Panes[0].Clients[0].View.Tick, l.Panes[0].ServerWorld.Tick()
	if server-client < 8 {
		t.Fatalf("the client shows tick %d, the server is at %d", client, server)
	}
	for _, share := range []float32{0, 0.5, 1} {
		views := s.Viewports(nil, l, 0, 0, 640, 360, share)
		for i, tick := range []sim.Tick{client, server} {
			path := &world.Carriers[0].Path
			want := geom.LerpPose(path.Pose(box, tick-1, 60), path.Pose(box, tick, 60), share)
			got := views[i].Scene.Cubes[table].Pose
			if off := got.Rot.Mul(want.Rot.Inverse()).Angle(); off > 1e-5 || got.Pos.Sub(want.Pos).Len() > 1e-5 {
				t.Errorf("picture %d, share %v: it is at %v, want %v", i, share, got, want)
			}
		}
	}
}

// TestCarriersAreDrawnBetweenTicks says that a picture of a moment between two ticks
// has carriers where they are at that moment.
func TestCarriersAreDrawnBetweenTicks(t *testing.T) {
	l := newSession(t, "latency=110ms", "historyoffset", "animated")
	if err := l.Tick(lab.Entry{Commands: []lab.Command{{Verb: "scene", Pane: lab.AllPanes, Name: "turntable"}}}); err != nil {
		t.Fatal(err)
	}
	var s Stage
	runTicks(t, &s, l, 120)
	world, table := l.Panes[0].ServerWorld.Scene(), len(l.Panes[0].ServerWorld.Bodies())
	for i, p := range l.Panes {
		v := &p.Clients[0].View
		m := v.CarrierMoment()
		if m%sim.MomentsPerTick == 0 || m < v.Tick.Moment()-sim.MomentsPerTick/2 || m > v.Tick.Moment()+sim.MomentsPerTick/2 {
			t.Fatalf("it shows tick %d, carriers at %d", v.Tick, m)
		}
		want := world.Carriers[0].Path.PoseAt(world.Carriers[0].Boxes[0].Start.Pose, m, 60)
		if got := s.Viewports(nil, l, 0, 0, 640, 360, 1)[2*i].Scene.Cubes[table].Pose; got != want {
			t.Errorf("pane %d: the table is at %v, want %v", i, got, want)
		}
	}
}

// TestPartsAreDrawn says that all boxes of a body are drawn where the body is, in
// its colour and behind all bodies, and those of its ghost with it.
func TestPartsAreDrawn(t *testing.T) {
	l := newSession(t, "latency=150ms", "noprediction")
	if err := l.Tick(lab.Entry{Commands: []lab.Command{{Verb: "scene", Pane: lab.AllPanes, Name: "trailer"}}}); err != nil {
		t.Fatal(err)
	}
	var s Stage
	runTicks(t, &s, l, 120)
	world, drawn := l.Panes[0].ServerWorld.Scene(), l.Panes[0].Clients[0].View.Bodies
	cubes := s.Viewports(nil, l, 0, 0, 640, 360, 1)[0].Scene.Cubes
	k := len(world.Boxes)
	for i, b := range world.Boxes {
		for _, p := range b.Parts {
			c := cubes[k]
			want := drawn[i].Pos.Add(drawn[i].Rot.Rotate(p.Pose.Pos))
			if c.Half != p.Half || c.Color != cubes[i].Color || c.Pose.Pos.Sub(want).Len() > 1e-4 {
				t.Fatalf("a part of body %d is %+v, want it at %v", i, c, want)
			}
			k++
		}
	}
	bodies, ghosts := k, 0
	for _, c := range cubes[k:] {
		if c.Ghost() && c.Half == world.Boxes[1].Parts[0].Half {
			ghosts++
		}
	}
	if bodies == len(world.Boxes) || ghosts != 1 {
		t.Errorf("%d boxes of %d bodies, %d ghosts of the tractor's cab", bodies, len(world.Boxes), ghosts)
	}
}

// TestCameraFollows says that the camera comes after the cube without jumping,
// and jumps when the scene changes.
func TestCameraFollows(t *testing.T) {
	l := newSession(t, "perfect", "rewind")
	var s Stage
	runTicks(t, &s, l, 10)
	last := s.panes[0].cameraTarget
	for range 200 {
		runTicks(t, &s, l, 1)
		if step := s.panes[0].cameraTarget.Sub(last).Len(); step > 0.6 {
			t.Fatalf("the camera jumped %v m", step)
		}
		last = s.panes[0].cameraTarget
	}
	if away := last.Sub(l.Panes[0].Clients[0].View.Bodies[0].Pos); geom.Abs(away.X)+geom.Abs(away.Y) > 4 {
		t.Errorf("the camera lost the cube by %v", away)
	}
	l.Tick(lab.Entry{Commands: []lab.Command{{Verb: "scene", Pane: lab.AllPanes, Name: "plain"}}})
	s.Tick(l)
	if got := s.panes[0].cameraTarget; got.Sub(geom.Vec3{Z: 0.975}).Len() > 0.1 {
		t.Errorf("in the new scene the camera looks at %v", got)
	}
}

// TestGraphs says what the graphs hold: the error now with a mark where a
// correction was, bits per second as sent.
func TestGraphs(t *testing.T) {
	l := newSession(t, "latency=75ms", "rewind")
	var s Stage
	runTicks(t, &s, l, 300)
	l.Tick(lab.Entry{Commands: []lab.Command{{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"}}})
	s.Tick(l)
	runTicks(t, &s, l, 60)
	g := s.Graph(0, LagErrorGraph)
	marks := 0
	for i := range g.Len() {
		if _, m := g.At(i); m {
			marks++
		}
	}
	if marks == 0 || marks != int(l.Panes[0].Counters.Value("corrections")) {
		t.Errorf("%d marks for %v corrections", marks, l.Panes[0].Counters.Value("corrections"))
	}
	if g.Len() != 300 || g.Last() != float32(l.Panes[0].Score.LagError()) {
		t.Errorf("%d values, the last %v", g.Len(), g.Last())
	}
	sent := l.Panes[0].Clients[0].Endpoint.Stats
	mean := float64(sent.BytesSent) * 8 / 361 * 60 / 1000
	if up := float64(s.Graph(0, UplinkGraph).Last()); up < 0.7*mean || up > 1.4*mean {
		t.Errorf("%v kbit/s up, %v on average", up, mean)
	}
	if rtt := s.Graph(0, RTTGraph).Last(); rtt < 149 || rtt > 151 {
		t.Errorf("round trip %v ms", rtt)
	}
	for _, c := range []struct{ least, v, want float32 }{{0.1, 0, 0.1}, {0.1, 0.3, 0.5}, {0.1, 700, 1000}} {
		var g Graph
		g.Add(c.v, false)
		if got := g.ScaleMax(c.least); got != c.want {
			t.Errorf("a graph of %v ends at %v, want %v", c.v, got, c.want)
		}
	}
}

// TestCaptionShowsMissedInputs says that where one pane's inputs miss their
// ticks, the captions of all panes say how many are in time, and elsewhere none
// does.
func TestCaptionShowsMissedInputs(t *testing.T) {
	for weather, want := range map[string]int{"csp-25-loss": 2, "csp-75ms": 0} {
		l := newSession(t, weather, "rewind:redundant=off", "rewind")
		var s Stage
		runTicks(t, &s, l, 400)
		var f Frame
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
		told := 0
		for _, it := range f.Overlay.Items {
			if strings.HasSuffix(it.Text, "% of inputs used in time") {
				told++
			}
		}
		if told != want {
			t.Errorf("%s: %d captions tell", weather, told)
		}
	}
}

// TestNetworkText says that every weather is told in words.
func TestNetworkText(t *testing.T) {
	for _, p := range link.Profiles {
		w := link.Network{Up: p.Up, Down: p.Down}
		if s := NetworkText(&w); s == "" || strings.Contains(s, "%!") {
			t.Errorf("%s: %q", p.Name, s)
		}
	}
	w := link.Network{}
	if got := NetworkText(&w); got != "a perfect link" {
		t.Error(got)
	}
	w.Parse("swing-every=8s,swing=40ms")
	if got := NetworkText(&w); got != "swings" {
		t.Error(got)
	}
	w.Parse("latency=5ms,trace=us/20000:5012/4980/-")
	if got := NetworkText(&w); got != "5 ms one way, a trace of 60ms" {
		t.Error(got)
	}
	w.Parse("latency=75ms,up.loss=25%")
	if got := NetworkText(&w); got != "up: 75 ms one way, 25 % lost / down: 75 ms one way" {
		t.Error(got)
	}
}

// TestDeterministic says that the same session gives the same lists and
// scenes.
func TestDeterministic(t *testing.T) {
	shot := func() string {
		l := newSession(t, "torture", "rewind", "noprediction")
		var s Stage
		runTicks(t, &s, l, 200)
		var f Frame
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 0.3)
		return fmt.Sprint(f.Overlay.Items, f.Viewports[0].Scene, f.Viewports[1].Camera)
	}
	if first, second := shot(), shot(); first != second {
		t.Error("two runs look different")
	}
}

// TestClientTouchTints says that the client's cubes turn to a player's colour
// when the client learns that they are touched, and the server's before.
func TestClientTouchTints(t *testing.T) {
	c := lab.Config{Scene: "katamari:cubes=100", Rate: 60}
	l := lab.New(c)
	if _, err := l.Open("snapshot:interpolation-delay=1s"); err != nil {
		t.Fatal(err)
	}
	var s Stage
	first := map[Side]int{}
	var views []Viewport
	for i := range 300 {
		if err := l.Tick(lab.Entry{Inputs: []sim.Input{{Buttons: sim.Pull}}}); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
		views = s.Viewports(views, l, 0, 0, 640, 360, 1)
		for _, v := range views {
			for _, cube := range v.Scene.Cubes[1:len(l.Panes[0].ServerWorld.Bodies())] {
				if _, known := first[v.Side]; !known && cube.Color != UnownedColor {
					first[v.Side] = i
				}
			}
		}
	}
	if d := first[ClientSide] - first[ServerSide]; first[ServerSide] == 0 || d < 59 || d > 62 {
		t.Errorf("coloured at %d on the server and at %d on the client", first[ServerSide], first[ClientSide])
	}
}

// TestClockFaultIsShown says that a pane says what is wrong with its client's machine,
// and only while it is.
func TestClockFaultIsShown(t *testing.T) {
	l := newSession(t, "perfect", "rewind")
	told := func() string {
		s, f := &Stage{}, Frame{}
		runTicks(t, s, l, 1)
		s.Compose(&f, l, Rect{W: 900, H: 600}, Options{}, 1)
		var b strings.Builder
		for i := range f.Overlay.Items {
			b.WriteString(f.Overlay.Items[i].Text + "\n")
		}
		return b.String()
	}
	const want = "clock +500 ppm, 20 frames a second"
	if strings.Contains(told(), "ppm") {
		t.Error("it tells of a fault that is none")
	}
	for _, set := range [][2]string{{"skew", "500"}, {"fps", "20"}} {
		if err := l.Apply(lab.Command{Verb: "clock", Pane: lab.AllPanes, Name: set[0], Value: set[1]}); err != nil {
			t.Fatal(err)
		}
	}
	if s := told(); !strings.Contains(s, want) {
		t.Errorf("it says\n%swant %q", s, want)
	}
}

// TestFallbackIsShown says that a cube whose prediction is switched off has another
// colour in the client's picture until it is back, and the legend says so; and that the
// server's is as ever.
func TestFallbackIsShown(t *testing.T) {
	l := newSession(t, "latency=100ms", "historyoffset:fallback-corrections=3")
	setDisplay(t, l, "split=on")
	var s Stage
	look := func() (mine, servers render.Color, told bool) {
		var f Frame
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 1)
		for _, it := range f.Overlay.Items {
			told = told || it.Kind == render.TextKind && it.Text == "switched"
		}
		return f.Viewports[0].Scene.Cubes[0].Color, f.Viewports[1].Scene.Cubes[0].Color, told
	}
	if err := l.Apply(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: "plain"}); err != nil {
		t.Fatal(err)
	}
	still := func(ticks int) {
		for range ticks {
			if err := l.Tick(lab.Entry{}); err != nil {
				t.Fatal(err)
			}
			s.Tick(l)
		}
	}
	still(120)
	if mine, servers, told := look(); mine != ClientColor || servers != ServerColor || !told {
		t.Errorf("predicted it is %v, the server's %v; the legend tells: %v", mine, servers, told)
	}
	for range 20 {
		if err := l.Apply(lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "0.3"}); err != nil {
			t.Fatal(err)
		}
		still(4)
	}
	if mine, servers, _ := look(); mine != ClientColor.Mix(FallbackColor, fallbackTintShare) || servers != ServerColor {
		t.Errorf("switched off it is %v, the server's %v", mine, servers)
	}
	still(240)
	if mine, _, _ := look(); mine != ClientColor {
		t.Errorf("back it is %v", mine)
	}
}

// TestSignedGraph says that a number that is also below zero has its line in the
// middle, and that its scale reaches as far down as up.
func TestSignedGraph(t *testing.T) {
	for _, signed := range []bool{true, false} {
		g := Graph{Signed: signed}
		for _, v := range []float32{0, 3, -7, 1} {
			g.Add(v, false)
		}
		if top := g.ScaleMax(1); top != 10 {
			t.Errorf("a scale up to %v", top)
		}
		var list render.DrawList
		DrawGraph(&list, &g, 0, 100, 300, 42, 10, 1)
		zero := float32(141)
		if signed {
			zero = 121
		}
		if line := list.Items[0]; line.Y != zero {
			t.Errorf("signed %v: zero lies at %v", signed, line.Y)
		}
		if n := len(list.Items[1].Points); n != 4 {
			t.Fatalf("%d points", n)
		}
		for i, p := range list.Items[1].Points {
			v, _ := g.At(i)
			if p.Y < 100 || p.Y > 142 || signed && (p.Y > zero) != (v < 0) {
				t.Errorf("signed %v: %v lies at %v", signed, v, p.Y)
			}
		}
	}
}
