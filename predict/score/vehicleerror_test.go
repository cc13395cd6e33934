package score

import (
	"math"
	"testing"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestVehiclePathError checks a vehicle that is drawn half a metre beside the path, behind the server or ahead of it,
// and a player who is drawn far from both. What is drawn of other bodies, or before the player drives, does not count.
func TestVehiclePathError(t *testing.T) {
	in := func(tick int) sim.Input {
		switch {
		case tick < 100:
			return sim.Input{}
		case tick == 100:
			return sim.Input{Buttons: sim.Use}
		}
		return sim.Input{Buttons: sim.Right}
	}
	for _, ahead := range []int{-7, 9} {
		w := predict.NewWorld(predicttest.Scene(t, "convoy"), 60)
		var s, copied Score
		var poses [][]sim.Body
		for tick := range 400 {
			poses = append(poses, append([]sim.Body(nil), w.Bodies()...))
			w.Step(in(tick))
		}
		w = predict.NewWorld(predicttest.Scene(t, "convoy"), 60)
		for tick := range 380 {
			v := &predict.View{Own: sim.Tick(max(tick+ahead, 0)).Moment(), Others: sim.Tick(max(tick+ahead, 0)).Moment()}
			for i, b := range poses[max(tick+ahead, 0)] {
				if b.Pose.Pos.X += 5; i == 1 {
					b.Pose.Pos.X -= 4.5
				}
				v.Bodies = append(v.Bodies, b.Pose)
			}
			s.Add(w, v, 0)
			copied.CopyFrom(&s)
			w.Step(in(tick))
			if _, ok := s.VehiclePathError(); ok != (s.vehicleError.count >= 60) || tick <= 100 && s.vehicleError.count > 0 {
				t.Fatalf("tick %d: %d poses", tick, s.vehicleError.count)
			}
		}
		for _, x := range []*Score{&s, &copied} {
			if rms, ok := x.VehiclePathError(); !ok || math.Abs(rms-0.5) > 1e-4 {
				t.Errorf("%d ticks ahead: %v m, want 0.5", ahead, rms)
			}
		}
	}
}
