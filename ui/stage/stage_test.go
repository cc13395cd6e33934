package stage

import (
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
	"ghostcube/ui/stage/stagetest"
)

// pictureWidth and pictureHeight are the size of the pictures of views, in pixels.
const pictureWidth, pictureHeight = 640, 360

// views returns the pictures of a session, all of one size. It reuses dst.
func (s *Stage) views(dst []Viewport, l *lab.Lab, share float32) []Viewport {
	return s.Viewports(dst[:0], l, picturesOf(l, pictureWidth, pictureHeight), share, nil)
}

// picturesOf returns a picture of each pane, or of each of its sides, in a size.
func picturesOf(l *lab.Lab, w, h int) (list []Picture) {
	at := Rect{W: w, H: h}
	for i := range l.Panes {
		if SettingsOf(l).Split {
			list = append(list, Picture{i, ClientSide, at}, Picture{i, ServerSide, at})
		} else {
			list = append(list, Picture{i, Combined, at})
		}
	}
	return list
}

// TestGhosts promises that the client's picture has a ghost of each body that differs on the server and of
// the last received snapshot, that the server's picture has none, and that the setting switches them off.
func TestGhosts(t *testing.T) {
	l := stagetest.Session(t, "latency=150ms", "rewind")
	var s Stage
	stagetest.Roll(t, &s, l, 60)
	count := func(v *Viewport) (server, received, solid int) {
		for _, c := range v.Scene.Cubes {
			switch opaque := (render.Color{R: c.Color.R, G: c.Color.G, B: c.Color.B, A: 255}); {
			case c.Ghost() && opaque == ServerColor:
				server++
			case c.Ghost() && opaque == ReceivedColor:
				received++
			case !c.Ghost():
				solid++
			}
		}
		return
	}
	world := l.Panes[0].ServerWorld.Scene()
	all := len(world.Boxes) + len(world.Static)
	views := s.views(nil, l, 1)
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
	if server, received, _ := count(&s.views(nil, l, 1)[0]); server+received != 0 {
		t.Error("there are ghosts while the setting is off")
	}
}

// TestBetweenTicks promises that each side's picture between two ticks interpolates the poses of its cubes.
func TestBetweenTicks(t *testing.T) {
	l := stagetest.Session(t, "latency=100ms", "rewind")
	var s Stage
	sides := func() [2]geom.Vec3 {
		return [2]geom.Vec3{l.Panes[0].Clients[0].View.Bodies[0].Pos, l.Panes[0].ServerWorld.Bodies()[0].Pose.Pos}
	}
	stagetest.Roll(t, &s, l, 59)
	before := sides()
	stagetest.Roll(t, &s, l, 1)
	now := sides()
	for _, share := range []float32{0, 0.25, 1} {
		views := s.views(nil, l, share)
		for side := range now {
			got := views[side].Scene.Cubes[0].Pose.Pos
			if want := before[side].AddScaled(share, now[side].Sub(before[side])); got.Sub(want).Len() > 1e-5 {
				t.Errorf("side %d, share %v: %v, want %v", side, share, got, want)
			}
		}
	}
	if now[0].Sub(now[1]).Len() < 0.1 {
		t.Error("both sides have the cube at the same place: nothing is tested")
	}
}

// TestCarriersAreDrawn promises that kinematic bodies are drawn at the tick that a picture shows: the
// client's and the server's, each interpolated between two ticks.
func TestCarriersAreDrawn(t *testing.T) {
	l := stagetest.Session(t, "latency=150ms", "noprediction")
	for _, c := range []lab.Command{{Verb: "scene", Pane: lab.AllPanes, Name: "turntable"}, Show("split", "on")} {
		if err := l.Tick(lab.Entry{Commands: []lab.Command{c}}); err != nil {
			t.Fatal(err)
		}
	}
	var s Stage
	stagetest.Roll(t, &s, l, 120)
	world, table := l.Panes[0].ServerWorld.Scene(), len(l.Panes[0].ServerWorld.Bodies())
	box := world.Carriers[0].Boxes[0].Start.Pose
	client, server := l.Panes[0].Clients[0].View.Tick(), l.Panes[0].ServerWorld.Tick()
	if server-client < 8 {
		t.Fatalf("the client shows tick %d, the server is at %d", client, server)
	}
	for _, share := range []float32{0, 0.5, 1} {
		views := s.views(nil, l, share)
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
	l := stagetest.Session(t, "latency=110ms", "historyoffset", "animated")
	if err := l.Tick(lab.Entry{Commands: []lab.Command{{Verb: "scene", Pane: lab.AllPanes, Name: "turntable"}}}); err != nil {
		t.Fatal(err)
	}
	var s Stage
	stagetest.Roll(t, &s, l, 120)
	world, table := l.Panes[0].ServerWorld.Scene(), len(l.Panes[0].ServerWorld.Bodies())
	for i, p := range l.Panes {
		v := &p.Clients[0].View
		m := v.Carriers
		if m%sim.MomentsPerTick == 0 || m < v.Tick().Moment()-sim.MomentsPerTick/2 || m > v.Tick().Moment()+sim.MomentsPerTick/2 {
			t.Fatalf("the client shows tick %d, kinematic bodies at moment %d", v.Tick(), m)
		}
		want := world.Carriers[0].Path.PoseAt(world.Carriers[0].Boxes[0].Start.Pose, m, 60)
		if got := s.views(nil, l, 1)[2*i].Scene.Cubes[table].Pose; got != want {
			t.Errorf("pane %d: the table is at %v, want %v", i, got, want)
		}
	}
}

// TestPartsAreDrawn promises that all boxes of a body are drawn at its pose and in its colour, after all
// bodies, and those of its ghost as well.
func TestPartsAreDrawn(t *testing.T) {
	l := stagetest.Session(t, "latency=150ms", "noprediction")
	if err := l.Tick(lab.Entry{Commands: []lab.Command{{Verb: "scene", Pane: lab.AllPanes, Name: "trailer"}}}); err != nil {
		t.Fatal(err)
	}
	var s Stage
	stagetest.Roll(t, &s, l, 120)
	world, drawn := l.Panes[0].ServerWorld.Scene(), l.Panes[0].Clients[0].View.Bodies
	cubes := s.views(nil, l, 1)[0].Scene.Cubes
	k := len(world.Boxes)
	for i, b := range world.Boxes {
		for _, p := range b.SubShapes {
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
		if c.Ghost() && c.Half == world.Boxes[1].SubShapes[0].Half {
			ghosts++
		}
	}
	if bodies == len(world.Boxes) || ghosts != 1 {
		t.Errorf("%d boxes of %d bodies, %d ghosts of the tractor's cab", bodies, len(world.Boxes), ghosts)
	}
}

// TestCameraFollows promises that the camera follows the cube without jumps, and jumps when the scene changes.
func TestCameraFollows(t *testing.T) {
	l := stagetest.Session(t, "perfect", "rewind")
	var s Stage
	stagetest.Roll(t, &s, l, 10)
	last := s.panes[0].follower.target
	for range 200 {
		stagetest.Roll(t, &s, l, 1)
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

// TestClientTouchTints promises that cubes take the colour of the player who touches them when the client
// learns of it, and earlier in the server's picture.
func TestClientTouchTints(t *testing.T) {
	l := stagetest.Open(t, lab.Config{Scene: "katamari:cubes=100", Rate: 60}, "perfect", "snapshot:interpolation-delay=1s")
	var s Stage
	first := map[Side]int{}
	var views []Viewport
	for i := range 300 {
		if err := l.Tick(lab.Entry{Inputs: []sim.Input{{Buttons: sim.Pull}}}); err != nil {
			t.Fatal(err)
		}
		s.Tick(l)
		views = s.views(views, l, 1)
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
