package historyoffset

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestReplayIsExact checks that a replay corrects a displacement and a wrong velocity at once, where
// nothing else is near: the remembered states are those of the server from then on. A second correction
// may follow, because a snapshot has no contact impulses.
func TestReplayIsExact(t *testing.T) {
	for _, touch := range []string{"offset", "alone", "island"} {
		r := newRig(t, "plain", "latency=100ms", "replay-touch", touch)
		r.Run(200, predicttest.DriveAround)
		before := len(r.Corrections)
		r.ChangeBody(0, func(b *sim.Body) {
			b.Pose.Pos.X++
			b.Linear.Y += 3
			b.Angular.Z += 2
		})
		r.Run(60, predicttest.DriveAround)
		if n := len(r.Corrections) - before; n > 2 || n == 2 && r.Corrections[before+1].Shift > 0.2 {
			t.Errorf("%s: corrections %+v", touch, r.Corrections[before:])
		}
		offset := -r.c.Log.OwnTick(0)
		for back := range sim.Tick(20) {
			at := r.c.Log.ComparedTick() - back
			server := r.ServerPoses[int64(at)+offset].Pos
			if d := r.c.Find(at).Body.Pose.Pos.Sub(server).Len(); d > 1e-3 {
				t.Errorf("%s: the remembered state of %d ticks ago is %v m off", touch, back, d)
			}
		}
		if r.Counter("replays") < 1 || r.Counter("replayed_ticks") < 10 || r.Counter("replay_offsets") != 0 {
			t.Errorf("%s: %v replays of %v ticks, %v by offset", touch, r.Counter("replays"), r.Counter("replayed_ticks"), r.Counter("replay_offsets"))
		}
	}
}

// TestReplayIsDrawnSmoothly checks that a replay moves the simulated cube at once, and that the drawn
// one follows by the error offset, also beyond the distance from which other corrections snap.
func TestReplayIsDrawnSmoothly(t *testing.T) {
	r := newRig(t, "plain", "latency=100ms")
	r.Run(200, predicttest.NoInput)
	r.Displace(geom.Vec3{X: 3})
	last, lastDrawn := r.c.Body().Pose.Pos, r.c.Drawn().Pos
	jump, drawn := float32(0), float32(0)
	for range 60 {
		r.Run(1, predicttest.NoInput)
		at, atDrawn := r.c.Body().Pose.Pos, r.c.Drawn().Pos
		jump, drawn = max(jump, at.Sub(last).Len()), max(drawn, atDrawn.Sub(lastDrawn).Len())
		last, lastDrawn = at, atDrawn
	}
	if jump < 2.9 || drawn > 0.5 {
		t.Errorf("displaced by 3 m the cube moves by %v m in one tick, and is drawn to move by %v m", jump, drawn)
	}
}

// TestReplayTouching checks the knob for a cube that pushes remote bodies. By offset, a correction is
// not a replay. Alone, the cube is stopped by bodies that stand where they were. In an island they
// move, and there is much less to correct.
func TestReplayTouching(t *testing.T) {
	corrected := map[string]float64{} // metres
	for _, touch := range []string{"offset", "alone", "island"} {
		r := newRig(t, "billiards", "latency=100ms", "replay-touch", touch)
		r.Run(100, predicttest.NoInput)
		r.Run(300, predicttest.Press(sim.Forward))
		byOffset, bodies := r.Counter("replay_offsets"), r.Counter("island_replays")
		if (byOffset > 0) != (touch == "offset") || (bodies > 0) != (touch == "island") {
			t.Errorf("%s: %v corrections by offset, %v replays for other bodies", touch, byOffset, bodies)
		}
		corrected[touch] = r.Counter("correction_mean_m") * r.Counter("corrections")
	}
	if corrected["island"] > corrected["alone"]/2 {
		t.Errorf("sums of all corrections in metres: %v", corrected)
	}
}

// TestIslandFollowsRemoteBodies checks that a body near the cube that the server moves is moved in the
// island as well, although the cube itself agrees, so that it meets the body where the server has it.
func TestIslandFollowsRemoteBodies(t *testing.T) {
	r := newRig(t, "tower:height=1", "latency=100ms")
	r.Run(60, predicttest.NoInput)
	ahead := predicttest.Press(sim.Forward)
	for i := 0; r.ServerWorld().Bodies()[1].Pose.Pos.Sub(r.ServerWorld().Bodies()[0].Pose.Pos).Len() > 3; i++ {
		if r.Run(1, ahead); i > 300 {
			t.Fatal("the cube does not reach the other one")
		}
	}
	corrections := r.Counter("corrections")
	r.ChangeBody(1, func(b *sim.Body) { b.Pose.Pos.Y += 1 })
	r.Run(30, predicttest.NoInput)
	if n := r.Counter("island_replays"); n == 0 {
		t.Errorf("%v replays for other bodies, %v corrections", n, r.Counter("corrections")-corrections)
	}
	r.Run(120, ahead)
	if d := r.Counter("corrections") - corrections; d > 3 {
		t.Errorf("%v corrections after the other body was moved", d)
	}
}

// TestFewReplaysAmongOthers checks that a cube that pushes others is not replayed for every small error of its velocity, and
// that it does so alone.
func TestFewReplaysAmongOthers(t *testing.T) {
	if experiment.Brief() {
		t.Skip("an experiment: set GHOSTCUBE_CI=1 to run it")
	}
	replays := func(scene, tolerance string) float64 {
		r := newRig(t, scene, "latency=100ms", "island-velocity-tolerance", tolerance)
		r.Run(60, predicttest.NoInput)
		r.Run(240, predicttest.DriveAround)
		return r.Counter("replays")
	}
	if some, all := replays("pile:layers=1", "0.2"), replays("pile:layers=1", "0"); some == 0 || some > 0.7*all {
		t.Errorf("%v replays among others, %v without tolerance", some, all)
	}
	if some, all := replays("plain", "0.2"), replays("plain", "0"); some != all {
		t.Errorf("%v replays alone, %v without tolerance", some, all)
	}
}

// TestReplayRefuses checks where a replay is impossible: with a predicted chain outside an island or of more
// bodies than an island may have, and with carriers at the client's own tick.
func TestReplayRefuses(t *testing.T) {
	for _, c := range []struct {
		scene string
		knobs []string
	}{
		{"train", []string{"replay-touch", "alone"}},
		{"train", []string{"island-max", "7"}},
		{"ship", []string{"carriers", "predicted"}},
	} {
		r := newRig(t, c.scene, "latency=100ms", c.knobs...)
		r.Run(100, predicttest.NoInput)
		replays, corrections := r.Counter("replays"), r.Counter("corrections")
		r.Displace(geom.Vec3{X: 1})
		r.Run(60, predicttest.NoInput)
		if r.Counter("replays") != replays || r.Counter("corrections") < corrections+3 {
			t.Errorf("%s: %v replays, %v corrections", c.scene, r.Counter("replays")-replays, r.Counter("corrections")-corrections)
		}
	}
}

// TestReplaysFork checks that a copy made in the middle of an island continues exactly as the original,
// in a scene that the local world contains whole and in one that it does not.
func TestReplaysFork(t *testing.T) {
	experiment.Skip(t)
	for _, scene := range []string{"billiards", "pile:layers=3"} {
		network := "latency=80ms,loss=10%"
		a, b := newRig(t, scene, network), newRig(t, scene, network)
		for a.Run(60, predicttest.NoInput); a.Counter("island_bodies") < 4; a.Run(1, predicttest.Press(sim.Forward)) {
			if a.Tick > 500 {
				t.Fatalf("%s: no island", scene)
			}
		}
		b.Run(50, predicttest.Press(sim.Right)) // leaves other bodies in the local world
		b.CopyFrom(a.Rig)
		for range 60 {
			a.Run(1, predicttest.Press(sim.Forward))
			b.Run(1, predicttest.Press(sim.Forward))
			if *a.c.Body() != *b.c.Body() || a.Counter("replayed_ticks") != b.Counter("replayed_ticks") {
				t.Fatalf("%s, tick %d: the copy differs", scene, a.Tick)
			}
		}
	}
}

// replayRig returns a rig whose cube is in the middle of a pile.
func replayRig(t testing.TB, touch string) *rig {
	r := newRig(t, "pile:layers=3", "latency=125ms", "replay-touch", touch)
	r.Run(60, predicttest.NoInput)
	r.Run(50, predicttest.Press(sim.Forward))
	return r
}

// replayTwenty replays the last twenty ticks.
func replayTwenty(t testing.TB, r *rig) {
	in := r.c.Snapshot()
	if _, ok := r.c.Replay.Run(r.ClientWorld().Tick()-20, &in.Bodies[0], in.Bodies, in.LastInputs, func(sim.Tick, *sim.Body) {}); !ok {
		t.Fatal("no replay")
	}
}

// BenchmarkReplay measures a replay of twenty ticks in the middle of a pile of 270 cubes, alone and in
// an island, and the same ticks of the whole world, as rewind replays them.
func BenchmarkReplay(b *testing.B) {
	for _, touch := range []string{"alone", "island"} {
		b.Run(touch, func(b *testing.B) {
			r := replayRig(b, touch)
			b.ReportAllocs()
			for b.Loop() {
				replayTwenty(b, r)
			}
			b.ReportMetric(r.Counter("island_bodies"), "bodies")
		})
	}
	b.Run("rewind", func(b *testing.B) {
		w := replayRig(b, "alone").ServerWorld()
		var past, state predict.State
		w.Save(&past)
		b.ReportAllocs()
		for b.Loop() {
			w.Load(&past)
			for range 20 {
				w.Step(sim.Input{Buttons: sim.Forward})
				w.Save(&state)
			}
		}
		b.ReportMetric(float64(len(w.Bodies())-1), "bodies")
	})
}
