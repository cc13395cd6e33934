package window

import (
	"image"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// pixelOf returns the pixel of a body in a picture of the last frame.
func (g *game) pixelOf(t *testing.T, side stage.Side, body int) (x, y int) {
	t.Helper()
	for i := range g.screen.frame.Viewports {
		if v := &g.screen.frame.Viewports[i]; v.Side == side {
			projection := v.Projection()
			px, py, _ := projection.Project(v.Scene.Cubes[body].Pose.Pos)
			return v.X + int(px), v.Y + int(py)
		}
	}
	t.Fatalf("no picture of side %d", side)
	return 0, 0
}

// TestPointerDrags promises that a pointer that is pressed on a body holds it, in the world of the picture that it is in,
// drags it where it goes, and throws it when it is released; that each step is a command of the session; and that a press
// beside all bodies holds nothing.
func TestPointerDrags(t *testing.T) {
	for side, client := range map[stage.Side]int{stage.ServerSide: lab.OnServer, stage.ClientSide: 0} {
		g := newTestGame(t, "rewind")
		g.runTicks(t, 120)
		g.frameOf(windowSize{1280, 720, 1})
		c := &g.controls
		x, y := g.pixelOf(t, side, 0)
		c.holdBody(g, x, y, true, true)
		p := g.session.Lab.Panes[0]
		d, held := p.Drag()
		if !held || d.Client != client || d.Body != 0 {
			t.Fatalf("side %d: dragged %+v, %t", side, d, held)
		}
		for k := range 30 {
			c.holdBody(g, x+4*k, y-4*k, false, true)
			g.runTicks(t, 1)
			g.frameOf(windowSize{1280, 720, 1})
		}
		now, _ := p.Drag()
		if up := now.Target.Z - d.Target.Z; up < 0.5 {
			t.Errorf("side %d: the target is %.2f m higher", side, up)
		}
		if client == lab.OnServer && p.ServerWorld.Bodies()[0].Pose.Pos.Z < 1.2 {
			t.Errorf("the cube has not been lifted: %v", p.ServerWorld.Bodies()[0].Pose.Pos)
		}
		c.holdBody(g, x+120, y-120, false, false)
		g.runTicks(t, 1)
		if _, held := p.Drag(); held || g.session.Grab.Held() {
			t.Errorf("side %d: still held", side)
		}
		c.holdBody(g, 4, g.screen.h/2, true, true)
		if g.session.Grab.Held() {
			t.Errorf("side %d: something is held beside all bodies", side)
		}
	}
}

// TestFingerDrags promises that a finger that rests on a body and then moves throws it, that one that moves at once turns
// the camera, and that one that rests beside all bodies holds nothing.
func TestFingerDrags(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.runTicks(t, 120)
	size := windowSize{1280, 720, 1}
	g.frameOf(size)
	step := func(down ...finger) {
		g.followFingers(down)
		g.applyTouch()
		g.controls.readGrip(g, capture{})
		g.controls.turnByTouch(g)
		g.runTicks(t, 1)
		g.frameOf(size)
	}
	x, y := g.pixelOf(t, stage.ServerSide, 0)
	yaw, at := g.session.Settings().Yaw, image.Pt(x, y)
	step(finger{1, at})
	step(finger{1, at.Add(image.Pt(60, 0))})
	if g.session.Grab.Held() || g.session.Settings().Yaw == yaw {
		t.Errorf("a finger that moves at once: held %t, yaw %v", g.session.Grab.Held(), g.session.Settings().Yaw)
	}
	step()
	x, y = g.pixelOf(t, stage.ServerSide, 0)
	yaw, at = g.session.Settings().Yaw, image.Pt(x, y)
	for range hoverUpdates + 2 {
		step(finger{2, at})
	}
	if !g.session.Grab.Held() {
		t.Fatal("a finger that rests on a body does not hold it")
	}
	for k := range 20 {
		step(finger{2, at.Add(image.Pt(0, -6*k))})
	}
	if z := g.session.Lab.Panes[0].ServerWorld.Bodies()[0].Pose.Pos.Z; z < 1.2 || g.session.Settings().Yaw != yaw {
		t.Errorf("the cube is at a height of %.2f m, yaw %v, want %v", z, g.session.Settings().Yaw, yaw)
	}
	step()
	if g.session.Grab.Held() {
		t.Error("still held")
	}
	for range hoverUpdates + 2 {
		step(finger{3, image.Pt(at.X, 120)})
	}
	if g.session.Grab.Held() {
		t.Error("a finger that rests on the sky holds something")
	}
}
