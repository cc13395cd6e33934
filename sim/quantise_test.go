package sim_test

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// TestQuantisedPileRests checks that a pile that is quantised after every tick comes to rest. In
// 10,000 further ticks it does not move by a bit asleep, and by less than 1.5 steps of the grid
// without sleep, supported by the solver alone.
func TestQuantisedPileRests(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	sleeping, awake := "pile", "pile:layers=3"
	if experiment.Long() {
		awake = "pile"
	}
	ticks := experiment.Pick(1000, 4000, 10_000)
	if experiment.Brief() {
		sleeping, awake = "pile:layers=2", "pile:layers=1"
	}
	w := newWorld(t, sleeping)
	run := func(w *sim.World, ticks int) {
		for range ticks {
			w.Step()
			w.Quantise(&codec.SyncGrid)
		}
	}
	run(w, 600)
	before, _ := w.Hash()
	at := append([]sim.Body(nil), w.Bodies()...)
	run(w, ticks)
	for i, b := range w.Bodies() {
		if b != at[i] || !b.Asleep {
			t.Fatalf("%s: body %d changed from %+v to %+v", sleeping, i, at[i], b)
		}
	}
	if after, _ := w.Hash(); after == before {
		t.Error("the hash ignores the tick")
	}

	s := newScene(t, awake)
	s.NoSleep = true
	w = sim.New(s, 60)
	run(w, 600)
	at = append(at[:0], w.Bodies()...)
	run(w, ticks)
	var moved float32
	for i, b := range w.Bodies() {
		moved = max(moved, b.Pose.Pos.Sub(at[i].Pose.Pos).Len())
	}
	if moved > 1.5/4096 {
		t.Errorf("%s: without sleep a body moved by %v m", awake, moved)
	}
}

// TestQuantiseIsIdempotent checks that a second Quantise changes nothing while everything moves,
// and that the first changes a body by no more than the error of the grid.
func TestQuantiseIsIdempotent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "heap:layers=2")
	for range 120 {
		w.Step(sim.Input{Buttons: sim.Forward})
		before := append([]sim.Body(nil), w.Bodies()...)
		w.Quantise(&codec.SyncGrid)
		once, _ := w.Hash()
		for i, b := range w.Bodies() {
			d := b.Pose.Pos.Sub(before[i].Pose.Pos)
			turn := b.Pose.Rot.Mul(before[i].Pose.Rot.Inverse()).Angle()
			if max(geom.Abs(d.X), geom.Abs(d.Y), geom.Abs(d.Z)) > 0.5/4096+1e-6 || turn > 1e-3 {
				t.Fatalf("body %d moved by %v m and rotated by %v rad", i, d, turn)
			}
		}
		w.Quantise(&codec.SyncGrid)
		if twice, _ := w.Hash(); twice != once {
			t.Fatal("a second Quantise changed the world")
		}
	}
}

func BenchmarkQuantise(b *testing.B) {
	for _, name := range scene.Names() {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, name)
			for range 90 {
				w.Step()
			}
			b.ReportAllocs()
			for b.Loop() {
				w.Quantise(&codec.SyncGrid)
			}
		})
	}
}

// TestQuantiseAfterChanges checks that after Quantise every body is on the grid, after steps,
// corrections, Load, CopyFrom and a change of grid.
func TestQuantiseAfterChanges(t *testing.T) {
	t.Parallel()
	w, other := newWorld(t, "zen"), newWorld(t, "zen")
	other.Step(sim.Input{Buttons: sim.Right})
	var s sim.State
	other.Save(&s)
	coarse := codec.SyncGrid
	coarse.Rotation = 9
	grid := &codec.SyncGrid
	for i := range 300 {
		w.Step(sim.Input{Buttons: sim.Forward})
		switch i % 50 {
		case 10:
			b := w.Bodies()[i/50]
			b.Pose.Pos.X += 0.12345
			w.SetBody(i/50, b)
		case 15:
			b := w.Bodies()[9]
			b.Pose.Rot = geom.AxisAngle(geom.Vec3{Z: 1}, float32(i)).Mul(b.Pose.Rot).Unit()
			w.SetBody(9, b)
			w.Quantise(grid)
			b = w.Bodies()[9]
			b.Linear.X += 0.12345
			w.SetBody(9, b)
		case 20:
			w.Load(&s)
		case 30:
			w.CopyFrom(other)
		case 40:
			grid = &coarse
		case 45:
			grid = &codec.SyncGrid
		}
		w.Quantise(grid)
		for j, b := range w.Bodies() {
			if b != grid.Snap(b) {
				t.Fatalf("tick %d: body %d is off the grid: %+v", i, j, b)
			}
		}
	}
}

// TestQuantisedWalker checks that quantising after every tick hardly affects joints: the walker
// walks as far, and anchors stay within 1.5 mm.
func TestQuantisedWalker(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, name := range []string{"walker", "trailer"} {
		w := newWorld(t, name)
		joints := len(w.Scene().Joints)
		var separation float32
		ticks := 1200
		if experiment.Brief() {
			ticks = 300
		}
		for range ticks {
			w.Step()
			w.Quantise(&codec.SyncGrid)
			for i := range joints {
				a, b := w.JointAnchors(i)
				separation = max(separation, b.Sub(a).Len())
			}
		}
		at := w.Bodies()[1].Pose.Pos
		t.Logf("%s: at %v, separation %.3f mm", name, at, 1000*separation)
		if separation > 0.0015 || at.Len() < float32(ticks)/80 {
			t.Errorf("%s: at %v after %d ticks, with a separation of %v mm", name, at, ticks, 1000*separation)
		}
	}
}
