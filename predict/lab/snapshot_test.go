package lab_test

import (
	"math"
	"testing"

	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestSnapshotInterpolationKinds is the article's account of a katamari ball at ten
// snapshots a second, in figures. Cubes that the player holds are drawn nearer to
// where they were on curves than on straight lines, which cut through the ball
// that turns; and extrapolated by 200 ms they are far off, and in the floor more
// than half of the time.
func TestSnapshotInterpolationKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("40 s of 901 cubes, three times")
	}
	tape := builtInTape(t, "katamari-ball")
	straight := measurePathError(t, tape, "snapshot:snapshot-every=6:interpolation=linear")
	curved := measurePathError(t, tape, "snapshot:snapshot-every=6")
	ahead := measurePathError(t, tape, "snapshot:snapshot-every=6:extrapolate=200ms")
	t.Logf("linear: %+v", straight)
	t.Logf("hermite: %+v", curved)
	t.Logf("hermite and 200 ms: %+v", ahead)
	if curved.RMS > 0.5*straight.RMS || straight.RMS > 0.05 {
		t.Errorf("curves are %v m beside the truth, straight lines %v m", curved.RMS, straight.RMS)
	}
	if ahead.RMS < 10*curved.RMS {
		t.Errorf("extrapolated by 200 ms it is %v m beside the truth, and %v m without", ahead.RMS, curved.RMS)
	}
	if straight.InFloorShare > 0.05 || curved.InFloorShare > 0.05 || ahead.InFloorShare < 0.5 {
		t.Errorf("in the floor in %v of the ticks on straight lines, %v on curves, %v extrapolated", straight.InFloorShare, curved.InFloorShare, ahead.InFloorShare)
	}
}

// pathErrorStats says how far a picture is from the truth of the moment that it shows.
type pathErrorStats struct {
	RMS          float64 // of the cubes that a player touches, metres
	InFloorShare float64 // share of ticks in which any cube is more than 5 cm in it
	InFloorMax   float64 // metres
}

// measurePathError plays 40 s of a tape at the host, over 50 ms that lose nothing, and
// looks from its first key on.
func measurePathError(t *testing.T, tape *tape.Tape, spec string) (b pathErrorStats) {
	l := open(t, config(t, tape.Config.Scene, "latency=50ms", AtHost), spec)
	past := map[sim.Tick][]geom.Pose{}
	n, ticks := 0, 0
	for i, e := range tape.Entries[:40*60] {
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
		p := l.Panes[0]
		past[p.ServerWorld.Tick()] = predict.AppendPoses(nil, p.ServerWorld.Bodies())
		v := &p.Clients[0].View
		delete(past, v.Tick-60)
		if i < 300 { // nothing moves before the first key
			continue
		}
		deepest := 0.0
		for j, pose := range v.Bodies {
			deepest = max(deepest, -float64(lowestCorner(pose, p.ServerWorld.Scene().Boxes[j].Half)))
			if v.TouchedBy[j] >= 0 {
				n++
				b.RMS += float64(pose.Pos.Sub(past[v.Tick][j].Pos).LenSq())
			}
		}
		ticks++
		b.InFloorMax = max(b.InFloorMax, deepest)
		if deepest > 0.05 {
			b.InFloorShare++
		}
	}
	b.RMS, b.InFloorShare = math.Sqrt(b.RMS/float64(n)), b.InFloorShare/float64(ticks)
	return b
}

// lowestCorner is the height of a box's lowest corner.
func lowestCorner(p geom.Pose, half geom.Vec3) float32 {
	m := p.Rot.Mat()
	return p.Pos.Z - geom.Abs(m.X.Z*half.X) - geom.Abs(m.Y.Z*half.Y) - geom.Abs(m.Z.Z*half.Z)
}
