package positions

import (
	"testing"

	"ghostcube/predict/links"
	"ghostcube/sim"
)

// TestBodyOfATree says that a body that is shown relative to another has the velocities
// that it has in the world, whichever end of it the history is of.
func TestBodyOfATree(t *testing.T) {
	scene, err := sim.SceneNamed("trailer")
	if err != nil {
		t.Fatal(err)
	}
	w := sim.New(scene, 60)
	for range 300 {
		w.Step()
	}
	for _, pivot := range []int{joint, middle} {
		a := Animated{rate: 60}
		a.linked.scene, a.linked.pivot = &scene, pivot
		a.linked.tree = links.New(&scene, links.Largest, 0)
		a.linked.loops = links.NewLoops(&scene, a.linked.tree)
		deep := 0
		for i, b := range w.Bodies() {
			a.bodies, a.left, a.linked.poses = append(a.bodies, History{}), append(a.left, false), append(a.linked.poses, b.Pose)
			n := &a.linked.tree.Nodes[i]
			if n.Parent != links.None {
				deep++
				b = n.Local(&w.Bodies()[n.Parent], &b)
				if pivot == middle {
					b = n.Middle(b)
				}
			}
			a.bodies[i].last, a.bodies[i].any, a.bodies[i].drawn = sample{300, b}, true, b.Pose
		}
		fast := float32(0)
		for i, b := range w.Bodies() {
			got := a.Body(i)
			if got.Linear.Sub(b.Linear).Len() > 1e-3 || got.Angular.Sub(b.Angular).Len() > 1e-3 || got.Pose != b.Pose {
				t.Errorf("pivot %d, body %d: %+v, want %+v", pivot, i, got, b)
			}
			fast = max(fast, b.Linear.Len())
		}
		if deep < 6 || fast < 1 {
			t.Errorf("%d bodies have a parent, the fastest goes at %v m/s", deep, fast)
		}
	}
}
