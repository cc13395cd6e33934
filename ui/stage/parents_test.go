package stage

import (
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/sim/geom"
)

// TestParentBoxes says that the box of every vessel is drawn in the client's picture,
// twelve edges round where the vessel is drawn, that of the parent in its own colour; that
// it is so between two ticks; and that there are none where they are not asked for.
func TestParentBoxes(t *testing.T) {
	l := newSession(t, "latency=100ms", "relative")
	for _, c := range []lab.Command{{Verb: "scene", Pane: lab.AllPanes, Name: "ship:platform=1"}, Show("parents", "on")} {
		if err := l.Tick(lab.Entry{Commands: []lab.Command{c}}); err != nil {
			t.Fatal(err)
		}
	}
	var s Stage
	for range 720 { // the ship is under way
		l.Tick(lab.Entry{})
		s.Tick(l)
	}
	world := l.Panes[0].ServerWorld.Scene()
	ship := len(world.Boxes)
	for _, share := range []float32{0.5, 1} {
		views := s.Viewports(nil, l, 0, 0, 640, 360, share)
		lines := views[0].Scene.Lines
		if len(lines) != 24 || len(views[1].Scene.Lines) != 0 {
			t.Fatalf("%d lines, and %d in the server's picture", len(lines), len(views[1].Scene.Lines))
		}
		deck := views[0].Scene.Cubes[ship].Pose.Pos.X
		for vessel, colour := range []any{candidateColor, parentColor} {
			var sum geom.Vec3
			for _, x := range lines[12*vessel : 12*vessel+12] {
				sum = sum.Add(x.A).Add(x.B)
				if any(x.Color) != colour {
					t.Errorf("vessel %d is in %v", vessel, x.Color)
				}
			}
			if middle := sum.Scale(1.0 / 24); geom.Abs(middle.X-deck) > 0.01 {
				t.Errorf("share %v: the box of vessel %d is at %v, the ship at %v", share, vessel, middle.X, deck)
			}
		}
	}
	l.Tick(lab.Entry{Commands: []lab.Command{Show("parents", "off")}})
	s.Tick(l)
	if n := len(s.Viewports(nil, l, 0, 0, 640, 360, 1)[0].Scene.Lines); n != 0 {
		t.Errorf("%d lines that nobody asked for", n)
	}
}
