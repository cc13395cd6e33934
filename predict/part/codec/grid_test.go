package codec

import (
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// TestGridOfScene checks that a scene's grid covers its bounds with the precision asked for, and
// equals the grid of Fiedler's demo where the scene has its bounds.
func TestGridOfScene(t *testing.T) {
	for _, name := range append(scene.Names(), "ship:distance=530", "fleet:fields=100") {
		s := predicttest.Scene(t, name)
		g := GridOf(&s, 4096, quant.SyncRotation)
		if s.HalfWidth == 256 && s.Height == 32 && s.MaxLinearSpeed == 32 && s.MaxAngularSpeed == 16 && g != SyncGrid {
			t.Errorf("%s: not the grid of state synchronisation: %+v", name, g)
		}
		for _, sign := range []float32{-1, 1} {
			b := sim.Body{
				Pose:   geom.Pose{Pos: geom.Vec3{X: sign * s.HalfWidth, Y: -sign * s.HalfWidth, Z: s.Height}, Rot: geom.Identity},
				Linear: geom.Vec3{X: sign * s.MaxLinearSpeed}, Angular: geom.Vec3{Y: sign * s.MaxAngularSpeed},
			}
			got := g.Snap(b)
			const step = 1.0 / 4096
			if d := got.Pose.Pos.Sub(b.Pose.Pos); geom.Abs(d.X) > step || geom.Abs(d.Y) > step || geom.Abs(d.Z) > step {
				t.Errorf("%s: a body at %v arrives at %v", name, b.Pose.Pos, got.Pose.Pos)
			}
			if got.Linear.Sub(b.Linear).Len() > step || got.Angular.Sub(b.Angular).Len() > step {
				t.Errorf("%s: speeds of %v and %v arrive as %v and %v", name, b.Linear, b.Angular, got.Linear, got.Angular)
			}
		}
	}
}
