package stage

import (
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage/stagetest"
)

// TestParentBoxes promises that the client's picture has the twelve edges of every parent box, around the
// drawn body and in the colour of parent or candidate, also between two ticks; and that there are none while
// the setting is off.
func TestParentBoxes(t *testing.T) {
	l := stagetest.Session(t, "latency=100ms", "relative")
	for _, c := range []lab.Command{{Verb: "scene", Pane: lab.AllPanes, Name: "ship:platform=1"}, Show("parents", "on"), Show("ghosts", "off")} {
		if err := l.Tick(lab.Entry{Commands: []lab.Command{c}}); err != nil {
			t.Fatal(err)
		}
	}
	var s Stage
	stagetest.Rest(t, &s, l, 720, sim.Shot{}) // until the ship moves
	world := l.Panes[0].ServerWorld.Scene()
	ship := len(world.Boxes)
	for _, share := range []float32{0.5, 1} {
		views := s.views(nil, l, share)
		lines := views[0].Scene.Lines
		if len(lines) != 24 || len(views[1].Scene.Lines) != 0 {
			t.Fatalf("%d lines, and %d in the server's picture", len(lines), len(views[1].Scene.Lines))
		}
		deck := views[0].Scene.Cubes[ship].Pose.Pos.X
		for box, color := range []render.Color{CandidateColor, ParentColor} {
			var sum geom.Vec3
			for _, x := range lines[12*box : 12*box+12] {
				sum = sum.Add(x.A).Add(x.B)
				if x.Color != color {
					t.Errorf("box %d is %v", box, x.Color)
				}
			}
			if center := sum.Scale(1.0 / 24); geom.Abs(center.X-deck) > 0.01 {
				t.Errorf("share %v: box %d is at %v, the ship at %v", share, box, center.X, deck)
			}
		}
	}
	l.Tick(lab.Entry{Commands: []lab.Command{Show("parents", "off")}})
	s.Tick(l)
	if n := len(s.views(nil, l, 1)[0].Scene.Lines); n != 0 {
		t.Errorf("%d lines while the setting is off", n)
	}
}
