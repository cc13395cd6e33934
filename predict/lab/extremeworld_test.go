package lab_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestServersSendAnyWorld throws the server's bodies about: every few ticks one of them, often a
// player's, has several times the largest speeds, or is anywhere in the scene in any orientation. No
// server panics, whatever it has to encode, and no client leaves the scene.
func TestServersSendAnyWorld(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	specs := []string{"snapshot:compression=raw", "snapshot:compression=delta", "statesync:compression=delta", "statesync:compression=relative:authority=client",
		"animated:joint-tree=relative", "historyoffset:joint-tree=relative:joint-root=operated", "relative:joint-tree=relative-position"}
	for _, s := range Strategies {
		specs = append(specs, s.Name)
	}
	ticks := experiment.Pick(60, 300, 600)
	for i, spec := range specs {
		for j, scene := range []string{"ship:platform=1", "two-players", "turntable"} {
			if experiment.Brief() && j != i%3 { // each in one scene
				continue
			}
			f := &soakSession{T: t, rng: rand.New(rand.NewPCG(uint64(i), uint64(j)))}
			f.lab = labtest.Open(t, labtest.Config(t, scene, "latency=50ms", AtClient), spec)
			f.pane, f.in = f.lab.Panes[0], make([]sim.Input, f.lab.Players())
			f.label = fmt.Sprintf("%s, %s", scene, spec)
			for range ticks {
				if f.rng.IntN(3) == 0 {
					f.throwBody()
				}
				f.randomKeys()
				f.step()
			}
		}
	}
}

// throwBody sets a body of the server's world to a random state.
func (s *soakSession) throwBody() {
	w := s.pane.ServerWorld
	f := w.Scene()
	vec := func(x, y, z float32) geom.Vec3 {
		r := func() float32 { return 2*s.rng.Float32() - 1 }
		return geom.Vec3{X: r() * x, Y: r() * y, Z: r() * z}
	}
	i := s.rng.IntN(len(w.Bodies()))
	if s.rng.IntN(2) == 0 {
		i = 0
	}
	v, a := 4*f.MaxLinearSpeed, 16*f.MaxAngularSpeed
	b := w.Bodies()[i]
	b.Asleep, b.Linear, b.Angular = false, vec(v, v, v), vec(a, a, a)
	if s.rng.IntN(3) == 0 {
		q := geom.Quat{X: s.rng.Float32() - 0.5, Y: s.rng.Float32() - 0.5, Z: s.rng.Float32() - 0.5, W: 1}
		b.Pose = geom.Pose{Pos: vec(f.HalfWidth, f.HalfWidth, f.Height/2).Add(geom.Vec3{Z: f.Height / 2}), Rot: q.Unit()}
	}
	w.SetBody(i, b)
}
