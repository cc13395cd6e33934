package stage

import (
	"fmt"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// newSession returns a session in the scene zen on a network.
func newSession(t testing.TB, network string, specs ...string) *lab.Lab {
	t.Helper()
	return openLab(t, lab.Config{Scene: "zen", Rate: 60}, network, specs)
}

// openLab returns a lab on a network with a pane for each spec.
func openLab(t testing.TB, c lab.Config, network string, specs []string) *lab.Lab {
	t.Helper()
	if err := c.Network.Parse(network); err != nil {
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

// Viewports returns the pictures of a session with its display settings, without an overlay. It reuses dst.
func (s *Stage) Viewports(dst []Viewport, l *lab.Lab, x, y, w, h int, share float32) []Viewport {
	return s.viewports(dst[:0], l, appendPaneRects(nil, len(l.Panes), x, y, w, h), share, SettingsOf(l))
}

// runTicks makes ticks in which the player rolls in one direction after the other.
func runTicks(t testing.TB, s *Stage, l *lab.Lab, ticks int) {
	t.Helper()
	for i := range ticks {
		if err := l.Tick(lab.Entry{Inputs: []sim.Input{{Buttons: sim.Buttons(1 << (i / 30 % 4))}}}); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
	}
}

// TestViewportsFillPicture promises that viewports lie inside their rectangle, cover nearly all of it, and do
// not overlap, for any size and number of panes.
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
					t.Fatalf("%d viewports, want %d", len(views), want)
				}
				area := 0
				for i, v := range views {
					area += v.W * v.H
					if v.X < 7 || v.Y < 11 || v.X+v.W > 7+size[0] || v.Y+v.H > 11+size[1] || v.W < 10 || v.H < 10 {
						t.Errorf("%d panes, %v: viewport %d is %d,%d %dx%d", n, size, i, v.X, v.Y, v.W, v.H)
					}
					for _, o := range views[:i] {
						if v.X < o.X+o.W && o.X < v.X+v.W && v.Y < o.Y+o.H && o.Y < v.Y+v.H {
							t.Errorf("%d panes, %v: viewports overlap", n, size)
						}
					}
				}
				if whole := size[0] * size[1]; area < whole*9/10 {
					t.Errorf("%d panes, %v: the viewports cover %d of %d pixels", n, size, area, whole)
				}
			}
		}
	}
}

// TestBetweenCommandsAndTick promises that a session can be drawn before its first tick, and after commands
// have opened, switched, closed or restarted panes without a tick.
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
			t.Errorf("%s: %d viewports of %d panes", after, len(f.Viewports), len(l.Panes))
		}
		for i, v := range f.Viewports {
			if got, want := v.Scene.Cubes[0].Pose.Pos, l.Panes[i].ServerWorld.Bodies()[0].Pose.Pos; got.Sub(want).Len() > 5 {
				t.Errorf("%s: pane %d draws the cube at %v, the server has it at %v", after, i, got, want)
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

// TestNothingIsClipped promises that every text lies inside the picture and that no two texts overlap, at all
// usual sizes and with long specs.
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
					Title:  "Redundant inputs: 25 % loss, before and after, with a long title",
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

// TestGhosts promises that the client's picture has a ghost of each body that differs on the server and of
// the last received snapshot, that the server's picture has none, and that the setting switches them off.
func TestGhosts(t *testing.T) {
	l := newSession(t, "latency=150ms", "rewind")
	var s Stage
	runTicks(t, &s, l, 60)
	count := func(v *Viewport) (server, received, solid int) {
		for _, c := range v.Scene.Cubes {
			switch opaque := (render.Color{R: c.Color.R, G: c.Color.G, B: c.Color.B, A: 255}); {
			case c.Ghost() && opaque == serverColor:
				server++
			case c.Ghost() && opaque == receivedColor:
				received++
			case !c.Ghost():
				solid++
			}
		}
		return
	}
	world := l.Panes[0].ServerWorld.Scene()
	all := len(world.Boxes) + len(world.Static)
	views := s.Viewports(nil, l, 0, 0, 640, 360, 1)
	if server, received, solid := count(&views[0]); server != 1 || received != 1 || solid != all {
		t.Errorf("client: %d ghosts of the server, %d of snapshots, %d opaque boxes of %d", server, received, solid, all)
	}
	if server, received, solid := count(&views[1]); server != 0 || received != 0 || solid != all {
		t.Errorf("server: %d, %d, %d of %d", server, received, solid, all)
	}
	if len(views[0].Scene.Trails) != 1 || len(views[1].Scene.Trails) != 0 {
		t.Error("trails")
	}
	l.Tick(lab.Entry{Commands: []lab.Command{Show("ghosts", "off")}})
	s.Tick(l)
	if server, received, _ := count(&s.Viewports(nil, l, 0, 0, 640, 360, 1)[0]); server+received != 0 {
		t.Error("there are ghosts while the setting is off")
	}
}

// TestBetweenTicks promises that a picture between two ticks interpolates the poses of cubes.
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

// TestCarriersAreDrawn promises that kinematic bodies are drawn at the tick that a picture shows: the
// client's and the server's, each interpolated between two ticks.
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
	client, server := l.Panes[0].Clients[0].View.Tick(), l.Panes[0].ServerWorld.Tick()
	if server-client < 8 {
		t.Fatalf("the client shows tick %d, the server is at %d", client, server)
	}
	for _, share := range []float32{0, 0.5, 1} {
		views := s.Viewports(nil, l, 0, 0, 640, 360, share)
		for i, tick := range []sim.Tick{client, server} {
			path := &world.Carriers[0].Path
			want := smoothing.LerpPose(path.Pose(box, tick-1, 60), path.Pose(box, tick, 60), share)
			got := views[i].Scene.Cubes[table].Pose
			if off := got.Rot.Mul(want.Rot.Inverse()).Angle(); off > 1e-5 || got.Pos.Sub(want.Pos).Len() > 1e-5 {
				t.Errorf("picture %d, share %v: the table is at %v, want %v", i, share, got, want)
			}
		}
	}
}

// TestCarriersAreDrawnBetweenTicks promises that a client whose picture shows a moment between two ticks has
// its kinematic bodies at that moment.
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
		m := v.Carriers
		if m%sim.MomentsPerTick == 0 || m < v.Tick().Moment()-sim.MomentsPerTick/2 || m > v.Tick().Moment()+sim.MomentsPerTick/2 {
			t.Fatalf("the client shows tick %d, kinematic bodies at moment %d", v.Tick(), m)
		}
		want := world.Carriers[0].Path.PoseAt(world.Carriers[0].Boxes[0].Start.Pose, m, 60)
		if got := s.Viewports(nil, l, 0, 0, 640, 360, 1)[2*i].Scene.Cubes[table].Pose; got != want {
			t.Errorf("pane %d: the table is at %v, want %v", i, got, want)
		}
	}
}

// TestPartsAreDrawn promises that all boxes of a body are drawn at its pose and in its colour, after all
// bodies, and those of its ghost as well.
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

// TestCameraFollows promises that the camera follows the cube without jumps, and jumps when the scene changes.
func TestCameraFollows(t *testing.T) {
	l := newSession(t, "perfect", "rewind")
	var s Stage
	runTicks(t, &s, l, 10)
	last := s.panes[0].follower.target
	for range 200 {
		runTicks(t, &s, l, 1)
		if step := s.panes[0].follower.target.Sub(last).Len(); step > 0.6 {
			t.Fatalf("the camera jumped %v m", step)
		}
		last = s.panes[0].follower.target
	}
	if distance := last.Sub(l.Panes[0].Clients[0].View.Bodies[0].Pos); geom.Abs(distance.X)+geom.Abs(distance.Y) > 4 {
		t.Errorf("the camera is %v away from the cube", distance)
	}
	l.Tick(lab.Entry{Commands: []lab.Command{{Verb: "scene", Pane: lab.AllPanes, Name: "plain"}}})
	s.Tick(l)
	if got := s.panes[0].follower.target; got.Sub(geom.Vec3{Z: 0.975}).Len() > 0.1 {
		t.Errorf("in the new scene the camera looks at %v", got)
	}
}

// TestDeterministic promises that equal sessions give equal lists and scenes.
func TestDeterministic(t *testing.T) {
	picture := func() string {
		l := newSession(t, "torture", "rewind", "noprediction")
		var s Stage
		runTicks(t, &s, l, 200)
		var f Frame
		s.Compose(&f, l, Rect{W: 1280, H: 720}, Options{}, 0.3)
		return fmt.Sprint(f.Overlay.Items, f.Viewports[0].Scene, f.Viewports[1].Camera)
	}
	if first, second := picture(), picture(); first != second {
		t.Error("two runs look different")
	}
}

// TestClientTouchTints promises that cubes take the colour of the player who touches them when the client
// learns of it, and earlier in the server's picture.
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
				if _, known := first[v.Side]; !known && cube.Color != unownedColor {
					first[v.Side] = i
				}
			}
		}
	}
	if d := first[ClientSide] - first[ServerSide]; first[ServerSide] == 0 || d < 59 || d > 62 {
		t.Errorf("coloured at %d on the server and at %d on the client", first[ServerSide], first[ClientSide])
	}
}
