package stage

import (
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim/geom"
	"ghostcube/ui/stage/stagetest"
)

// TestDragIsDrawn promises a line from the held point of a body to where it is dragged, in the picture of the world in which
// it is held alone, and in one picture of both; and none after the release.
func TestDragIsDrawn(t *testing.T) {
	for _, c := range []struct {
		client int
		split  string
		sides  []Side // that show it
	}{
		{lab.OnServer, "on", []Side{ServerSide}},
		{0, "on", []Side{ClientSide}},
		{lab.OnServer, "off", []Side{Combined}},
	} {
		l := stagetest.Session(t, "latency=75ms", "rewind")
		stagetest.Apply(t, l, Show("split", c.split))
		var s Stage
		stagetest.Roll(t, &s, l, 60)
		d := lab.Drag{Client: c.client, Point: geom.Vec3{Z: 0.5}, Target: geom.Vec3{X: 1, Z: 3}}
		stagetest.Apply(t, l, d.Command(lab.AllPanes))
		stagetest.Roll(t, &s, l, 5)
		lines := func() (sides []Side) {
			for _, side := range []Side{Combined, ClientSide, ServerSide} {
				if (side == Combined) == (c.split == "on") {
					continue
				}
				at := Picture{Side: side, Rect: Rect{W: 640, H: 360}}
				v := s.Viewports(nil, l, []Picture{at}, 1, nil)[0]
				for _, line := range v.Scene.Lines {
					if line.Color == DragColor {
						sides = append(sides, side)
						checkEnds(t, &v, line, l.Panes[0], &d)
					}
				}
			}
			return sides
		}
		if got := lines(); len(got) != 1 || got[0] != c.sides[0] {
			t.Errorf("dragged in the world of %d: the line is in the pictures %v, want %v", c.client, got, c.sides)
		}
		stagetest.Apply(t, l, lab.ReleaseDrag(lab.AllPanes))
		if got := lines(); len(got) > 0 {
			t.Errorf("after the release the line is in the pictures %v", got)
		}
	}
}

// checkEnds checks that a line is drawn from the held point to the target.
func checkEnds(t *testing.T, v *Viewport, line render.Line, p *lab.Pane, d *lab.Drag) {
	t.Helper()
	pose := p.ServerWorld.Bodies()[d.Body].Pose
	if d.Client != lab.OnServer {
		pose = p.Clients[d.Client].View.Bodies[d.Body]
	}
	projection := v.Projection()
	for _, end := range [][2]geom.Vec3{{line.A, pose.Pos.Add(pose.Rot.Rotate(d.Point))}, {line.B, d.Target}} {
		x, y, _ := projection.Project(end[0])
		wx, wy, _ := projection.Project(end[1])
		if geom.Abs(x-wx)+geom.Abs(y-wy) > 1 {
			t.Errorf("the line ends at pixel %v, %v, want %v, %v", x, y, wx, wy)
		}
	}
}

// TestCameraWaitsForDrag promises that the camera stands still while the viewer drags the player's body, so that a point of
// the picture stays a point of the world, and finds the body again without a jump afterwards; and that it follows the player
// while another body is dragged.
func TestCameraWaitsForDrag(t *testing.T) {
	for _, body := range []int{0, 1} {
		l := stagetest.Session(t, "latency=75ms", "rewind")
		var s Stage
		stagetest.Roll(t, &s, l, 120)
		eye := func() geom.Vec3 {
			return s.Viewports(nil, l, []Picture{{Side: Combined, Rect: Rect{W: 640, H: 360}}}, 1, nil)[0].Camera.Eye
		}
		d := lab.Drag{Client: lab.OnServer, Body: body, Target: l.Panes[0].ServerWorld.Bodies()[body].Pose.Pos.Add(geom.Vec3{X: 6, Z: 1})}
		stagetest.Apply(t, l, d.Command(lab.AllPanes))
		before := eye()
		stagetest.Roll(t, &s, l, 60)
		moved := eye().Sub(before).Len()
		if still := moved < 1e-4; still != (body == 0) {
			t.Errorf("body %d is dragged: the camera moves by %.3f m", body, moved)
		}
		stagetest.Apply(t, l, lab.ReleaseDrag(lab.AllPanes))
		fastest, last := float32(0), eye()
		for range 180 {
			stagetest.Roll(t, &s, l, 1)
			fastest, last = max(fastest, eye().Sub(last).Len()), eye()
		}
		if to := l.Panes[0].ServerWorld.Bodies()[0].Pose.Pos; fastest > 0.6 || last.Sub(to).Len() > 20 {
			t.Errorf("body %d: after the release the camera moves by %.2f m in a tick and ends at %v, the player at %v", body, fastest, last, to)
		}
	}
}
