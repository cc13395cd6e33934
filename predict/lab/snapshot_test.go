package lab_test

import (
	"math"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestSnapshotInterpolationKinds measures what the article shows of a katamari ball at ten
// snapshots per second. Hermite interpolation draws the cubes of the ball nearer to their
// paths than linear interpolation, which cuts through the turning ball. Extrapolated by
// 200 ms they are far off, and below the floor more than half of the time.
func TestSnapshotInterpolationKinds(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("runs 40 s of 901 cubes three times")
	}
	tape := builtInTape(t, "katamari-ball")
	straight := measurePathError(t, tape, "snapshot:snapshot-every=6:interpolation=linear")
	curved := measurePathError(t, tape, "snapshot:snapshot-every=6")
	ahead := measurePathError(t, tape, "snapshot:snapshot-every=6:extrapolate=200ms")
	t.Logf("linear: %+v", straight)
	t.Logf("hermite: %+v", curved)
	t.Logf("hermite and 200 ms: %+v", ahead)
	if curved.RMS > 0.5*straight.RMS || straight.RMS > 0.05 {
		t.Errorf("path error of %v m with Hermite, %v m with linear interpolation", curved.RMS, straight.RMS)
	}
	if ahead.RMS < 10*curved.RMS {
		t.Errorf("path error of %v m extrapolated by 200 ms, %v m without", ahead.RMS, curved.RMS)
	}
	if straight.InFloorShare > 0.05 || curved.InFloorShare > 0.05 || ahead.InFloorShare < 0.5 {
		t.Errorf("in the floor in %v of the ticks linear, %v Hermite, %v extrapolated", straight.InFloorShare, curved.InFloorShare, ahead.InFloorShare)
	}
}

// pathErrorStats describes the views of a session.
type pathErrorStats struct {
	RMS          float64 // path error of the cubes that the player touches, m
	InFloorShare float64 // share of ticks in which a cube is more than 5 cm in the floor
	InFloorMax   float64 // deepest penetration of the floor, m
}

// measurePathError runs 40 s of a tape at the host, at 50 ms without loss, and measures from
// the first key press on.
func measurePathError(t *testing.T, tape *tape.Tape, spec string) (b pathErrorStats) {
	l := labtest.Open(t, labtest.Config(t, tape.Config.Scene, "latency=50ms", AtHost), spec)
	past := map[sim.Tick][]geom.Pose{}
	n, ticks := 0, 0
	for i, e := range tape.Entries[:40*60] {
		labtest.Tick(t, l, e)
		p := l.Panes[0]
		past[p.ServerWorld.Tick()] = predict.AppendPoses(nil, p.ServerWorld.Bodies())
		v := &p.Clients[0].View
		delete(past, v.Tick()-60)
		if i < 300 { // nothing moves before the first key
			continue
		}
		deepest := 0.0
		for j, pose := range v.Bodies {
			deepest = max(deepest, -float64(lowestCorner(pose, p.ServerWorld.Scene().Boxes[j].Half)))
			if v.TouchedBy[j] >= 0 {
				n++
				b.RMS += float64(pose.Pos.Sub(past[v.Tick()][j].Pos).LenSq())
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

// lowestCorner returns the height of a box's lowest corner.
func lowestCorner(p geom.Pose, half geom.Vec3) float32 {
	m := p.Rot.Mat()
	return p.Pos.Z - geom.Abs(m.X.Z*half.X) - geom.Abs(m.Y.Z*half.Y) - geom.Abs(m.Z.Z*half.Z)
}
