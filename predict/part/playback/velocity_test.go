package playback

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/part/jointtree"
	"ghostcube/predict/part/playout"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestTreeBodyVelocity checks that a body that is interpolated in its parent's frame has its world
// pose and world velocities, with every encoding and pivot.
func TestTreeBodyVelocity(t *testing.T) {
	sc := predicttest.Scene(t, "trailer")
	w := predict.NewWorld(sc, 60)
	for range 300 {
		w.Step()
	}
	for _, set := range []struct {
		links string
		pivot int
	}{{"relative", pivotAnchor}, {"relative", pivotCenter}, {"relative-position", pivotAnchor}, {"relative-position", pivotCenter}} {
		a, pivot := InterpolatedWorld{state: state{rate: 60}}, set.pivot
		var k predict.Knobs
		a.joints.encoding.Declare(&k)
		if err := k.Set("joint-tree", set.links); err != nil {
			t.Fatal(err)
		}
		a.joints.scene, a.joints.pivot = &sc, pivot
		a.joints.tree = a.joints.encoding.Tree(&sc, &sim.Attachments{}, 0)
		a.joints.loops = jointtree.NewLoops(&sc, &sim.Attachments{}, a.joints.tree)
		deep := 0
		for i, b := range w.Bodies() {
			a.bodies, a.excluded, a.joints.poses = append(a.bodies, Interpolator{}), append(a.excluded, false), append(a.joints.poses, b.Pose)
			n := &a.joints.tree.Nodes[i]
			if n.Parent != jointtree.None {
				deep++
				b = n.ToLocal(&w.Bodies()[n.Parent], &b)
				if a.joints.usesCenters() {
					b = n.ToCenter(b)
				}
			}
			a.bodies[i].reached, a.bodies[i].hasReached, a.bodies[i].pose = playout.Item[sim.Body]{Tick: 300, Value: b}, true, b.Pose
		}
		fast := float32(0)
		for i, b := range w.Bodies() {
			got := a.Body(i)
			if got.Linear.Sub(b.Linear).Len() > 1e-3 || got.Angular.Sub(b.Angular).Len() > 1e-3 || got.Pose != b.Pose {
				t.Errorf("%v, body %d: %+v, want %+v", set, i, got, b)
			}
			if p := a.InterpolatedPose(i); p.Pos.Sub(b.Pose.Pos).Len() > 1e-3 {
				t.Errorf("%v, body %d: InterpolatedPose is %v, the drawn position %v", set, i, p.Pos, b.Pose.Pos)
			}
			fast = max(fast, b.Linear.Len())
		}
		if deep < 6 || fast < 1 {
			t.Errorf("%d bodies have a parent, the fastest moves at %v m/s", deep, fast)
		}
	}
}
