package playback

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/part/jointtree"
	"ghostcube/sim"
)

// TestBodyOfATree says that a body that is shown relative to another has the velocities
// that it has in the world, whichever end of it the history is of and whether it turns
// by itself; and that where it would be shown is where it is.
func TestBodyOfATree(t *testing.T) {
	scene, err := sim.SceneNamed("trailer")
	if err != nil {
		t.Fatal(err)
	}
	w := sim.New(scene, 60)
	for range 300 {
		w.Step()
	}
	for _, set := range []struct {
		links string
		pivot int
	}{{"relative", joint}, {"relative", middle}, {"hung", joint}, {"hung", middle}} {
		a, pivot := Animated{rate: 60}, set.pivot
		var k predict.Knobs
		a.linked.how.Declare(&k)
		if err := k.Set("links", set.links); err != nil {
			t.Fatal(err)
		}
		a.linked.scene, a.linked.pivot = &scene, pivot
		a.linked.tree = a.linked.how.Tree(&scene, 0)
		a.linked.loops = jointtree.NewLoops(&scene, a.linked.tree)
		deep := 0
		for i, b := range w.Bodies() {
			a.bodies, a.left, a.linked.poses = append(a.bodies, History{}), append(a.left, false), append(a.linked.poses, b.Pose)
			n := &a.linked.tree.Nodes[i]
			if n.Parent != jointtree.None {
				deep++
				b = n.Local(&w.Bodies()[n.Parent], &b)
				if a.linked.middles() {
					b = n.Middle(b)
				}
			}
			a.bodies[i].last, a.bodies[i].any, a.bodies[i].drawn = sample{300, b}, true, b.Pose
		}
		fast := float32(0)
		for i, b := range w.Bodies() {
			got := a.Body(i)
			if got.Linear.Sub(b.Linear).Len() > 1e-3 || got.Angular.Sub(b.Angular).Len() > 1e-3 || got.Pose != b.Pose {
				t.Errorf("%v, body %d: %+v, want %+v", set, i, got, b)
			}
			if p := a.Late(i); p.Pos.Sub(b.Pose.Pos).Len() > 1e-3 {
				t.Errorf("%v, body %d would be at %v, it is at %v", set, i, p.Pos, b.Pose.Pos)
			}
			fast = max(fast, b.Linear.Len())
		}
		if deep < 6 || fast < 1 {
			t.Errorf("%d bodies have a parent, the fastest goes at %v m/s", deep, fast)
		}
	}
}
