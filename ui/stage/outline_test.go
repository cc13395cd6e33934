package stage

import (
	"testing"

	"ghostcube/ui/stage/stagetest"
)

// TestOutlines promises an outline for each body whose simulated pose differs from the drawn one, with
// corners that are projected to those of the simulated body and are not farther away; none for other bodies,
// also between two ticks; and none while the setting is off.
func TestOutlines(t *testing.T) {
	l := stagetest.Katamari(t, "latency=50ms,down.outage=250ms,down.outage-every=2s", "statesync")
	var s Stage
	stagetest.Show(t, l, "simulated=on")
	stagetest.Show(t, l, "ghosts=off") // ghosts have edges too
	outlines := 0
	for range 300 {
		stagetest.RollAndPull(t, &s, l, 1)
		v := &s.views(nil, l, 1)[0]
		client := &l.Panes[0].Clients[0].View
		projection := v.Projection()
		want := 0
		var corners [][3]float32 // x, y in pixels, depth in metres
		for i, pose := range client.Simulated {
			if samePose(pose, client.Bodies[i]) {
				continue
			}
			want++
			half := v.Scene.Cubes[i].Half
			for k := range 8 {
				x, y, depth := projection.Project(Corner(pose, half, k))
				corners = append(corners, [3]float32{x, y, depth})
			}
		}
		if n := len(v.Scene.Lines); n > 9*want || n < 4*want {
			t.Fatalf("%d lines for %d bodies", n, want)
		}
		outlines += want
		for _, line := range v.Scene.Lines {
			x, y, depth := projection.Project(line.A)
			found := false
			for _, c := range corners {
				dx, dy := c[0]-x, c[1]-y
				found = found || dx*dx+dy*dy < 0.01 && depth < c[2] && depth > c[2]-1.5
			}
			if !found && depth > 1 {
				t.Fatalf("a line begins at %v, %v, depth %v m, where no corner is", x, y, depth)
			}
		}
	}
	if outlines < 100 {
		t.Errorf("%d outlines", outlines)
	}
	other := stagetest.Katamari(t, "latency=50ms", "snapshot")
	var fresh Stage
	stagetest.Show(t, other, "simulated=on")
	stagetest.RollAndPull(t, &fresh, other, 200)
	for _, share := range []float32{0, 0.5, 1} {
		if n := len(fresh.views(nil, other, share)[0].Scene.Lines); n != 0 {
			t.Errorf("%d lines where every pose is drawn as simulated, at share %v", n, share)
		}
	}
	stagetest.Show(t, l, "simulated=off")
	stagetest.RollAndPull(t, &s, l, 1)
	if n := len(s.views(nil, l, 1)[0].Scene.Lines); n != 0 {
		t.Errorf("%d lines while the setting is off", n)
	}
}
