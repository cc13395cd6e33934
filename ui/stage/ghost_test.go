package stage

import (
	"testing"

	"ghostcube/render"
	"ghostcube/sim/geom"
)

// TestGhostsAppearWithTheDifference promises that a ghost nearer than 3 cm to its body is hidden, however it
// differs, that a ghost grows stronger with the difference, and that only few ghosts show their edges.
func TestGhostsAppearWithTheDifference(t *testing.T) {
	half := geom.Vec3{X: 0.5, Y: 0.5, Z: 0.5}
	body := geom.Pose{Pos: geom.Vec3{X: 1, Z: 0.5}, Rot: geom.Identity}
	for _, c := range []struct {
		moved, turned float32
		drawn         bool
	}{{0, 0, false}, {0.028, 0, false}, {0, 0.03, false}, {0.02, 0.02, true}, {0.032, 0, true}, {0, 0.05, true}, {1, 0, true}} {
		ghost := geom.Pose{Pos: body.Pos.Add(geom.Vec3{Y: c.moved}), Rot: geom.AxisAngle(geom.Vec3{Z: 1}, c.turned)}
		if _, drawn := ghostAlpha(body, ghost, half); drawn != c.drawn {
			t.Errorf("moved %v m and turned %v: drawn %v", c.moved, c.turned, drawn)
		}
	}
	previous := uint8(0)
	for i := range 30 {
		alpha, _ := ghostAlpha(body, geom.Pose{Pos: body.Pos.Add(geom.Vec3{X: 0.03 + 0.004*float32(i)}), Rot: body.Rot}, half)
		if alpha < previous || alpha == 255 {
			t.Errorf("at %d mm the strength is %d, after %d", 30+4*i, alpha, previous)
		}
		previous = alpha
	}
	for _, n := range []int{1, maxGhostsWithEdges, maxGhostsWithEdges + 1} {
		v := Viewport{Camera: render.Orbit(body.Pos, 20, 30, 8)}
		for range n {
			v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: body, Half: half, Color: ServerColor})
		}
		if v.addGhostEdges(0); (len(v.Scene.Lines) > 0) != (n <= maxGhostsWithEdges) || len(v.Scene.Lines) > 3*n {
			t.Errorf("%d ghosts have %d edges", n, len(v.Scene.Lines))
		}
	}
}
