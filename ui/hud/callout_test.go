package hud

import (
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/render"
	"ghostcube/ui/stage"
	"ghostcube/ui/stage/stagetest"
)

// TestCallout promises that the marked body is framed in both pictures of its pane and in no other, that the
// frame contains its centre, and that the text lies in the pane's first picture, for every camera direction
// and size.
func TestCallout(t *testing.T) {
	experiment.Skip(t)
	l := stagetest.Session(t, "latency=75ms", "rewind", "rewind")
	var s HUD
	stagetest.Roll(t, &s, l, 100)
	framed, hidden := 0, 0
	for _, size := range []Rect{{W: 1280, H: 720}, {W: 640, H: 480}, {X: 7, Y: 9, W: 900, H: 1300}} {
		for yaw := 0; yaw < 360; yaw += 45 {
			l.Apply(stage.Show("yaw", strconv.Itoa(yaw)))
			for body := range l.Panes[0].ServerWorld.Bodies() {
				var f Frame
				s.Compose(&f, l, size, Options{Callout: &Callout{Pane: 1, Body: body, Lines: []string{"first line", "the second, longer line"}}}, 1)
				var views []*stage.Viewport
				for i := range f.Viewports {
					if f.Viewports[i].Pane == 1 {
						views = append(views, &f.Viewports[i])
					}
				}
				var frames []render.Item // a frame is four rectangles; the first is its upper side
				for i := 0; i < len(f.Overlay.Items); i++ {
					if f.Overlay.Items[i].Color == stage.CalloutColor {
						frames = append(frames, f.Overlay.Items[i])
						i += 3
					}
				}
				if len(frames) == 0 {
					t.Fatal("no frame")
				}
				inside := f.count(func(it *render.Item) bool { return it.Text == "first line" && views[0].Contains(it.X, it.Y) })
				if all := strings.Count(f.texts(), "first line\n"); inside != 1 || all != 1 {
					t.Fatalf("body %d, yaw %d: %d of %d texts are in %v", body, yaw, inside, all, *views[0])
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
