package hud

import (
	"testing"

	"ghostcube/render"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// TestCallout promises that the marked body is framed in both pictures of its pane and in no other, that the
// frame contains its centre, and that the text lies in the pane's first picture, for every camera direction
// and size.
func TestCallout(t *testing.T) {
	l := stagetest.Session(t, "latency=75ms", "rewind", "rewind")
	var s HUD
	stagetest.Roll(t, &s, l, 100)
	framed, hidden := 0, 0
	for _, size := range []Rect{{W: 1280, H: 720}, {W: 640, H: 480}, {X: 7, Y: 9, W: 900, H: 1300}} {
		for yaw := 0; yaw < 360; yaw += 45 {
			l.Apply(stage.Show("yaw", []string{"0", "45", "90", "135", "180", "225", "270", "315"}[yaw/45]))
			for body := range l.Panes[0].ServerWorld.Bodies() {
				var f Frame
				s.Compose(&f, l, size, Options{Callout: &Callout{Pane: 1, Body: body, Lines: []string{"first line", "the second, longer line"}}}, 1)
				var views []*stage.Viewport
				for i := range f.Viewports {
					if f.Viewports[i].Pane == 1 {
						views = append(views, &f.Viewports[i])
					}
				}
				var frames, texts []render.Item // a frame is four rectangles; the first is its upper side
				for i := 0; i < len(f.Overlay.Items); i++ {
					if f.Overlay.Items[i].Color == stage.CalloutColor {
						frames = append(frames, f.Overlay.Items[i])
						i += 3
					}
				}
				if len(frames) == 0 {
					t.Fatal("no frame")
				}
				for _, it := range f.Overlay.Items {
					if it.Text == "first line" {
						texts = append(texts, it)
					}
				}
				v := views[0]
				if len(texts) != 1 || texts[0].X < float32(v.X) || texts[0].Y < float32(v.Y) || texts[0].X > float32(v.X+v.W) || texts[0].Y > float32(v.Y+v.H) {
					t.Fatalf("body %d, yaw %d: the text is at %v, outside of %v", body, yaw, texts, *v)
				}
				visible := 0
				for _, v := range views {
					projection := v.Projection()
					x, y, depth := projection.Project(v.Scene.Cubes[body].Pose.Pos)
					if depth < 2 || x < 0 || y < 0 || x >= float32(v.W) || y >= float32(v.H) {
						continue
					}
					x, y = x+float32(v.X), y+float32(v.Y)
					inside := false
					for _, fr := range frames {
						inside = inside || fr.X <= x && x <= fr.X+fr.W && fr.Y <= y && fr.X >= float32(v.X) && fr.X+fr.W <= float32(v.X+v.W)
					}
					if !inside {
						t.Fatalf("body %d, yaw %d, %v: visible at %v, %v and not framed: %v", body, yaw, size, x, y, frames)
					}
					visible++
				}
				framed += visible
				if len(frames) == 1 {
					hidden++
				}
				if len(frames) > 3 {
					t.Fatalf("%d frames", len(frames))
				}
			}
		}
	}
	if framed < 100 || hidden < 10 {
		t.Errorf("%d bodies framed, %d outside of the picture", framed, hidden)
	}
}
