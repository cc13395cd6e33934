package main

import (
	"math"
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// rideStats are the measurements of a tape with a carrier.
type rideStats struct {
	carriedTicks int     // ticks in which the player's cube stands still on it while it moves
	distance     float64 // metres in them
	winding      winding // of the cube, in them
	final        sim.Body
}

// measureRide follows the player's cube relative to the carrier. The cube rides in the ticks
// in which it moves less than a millimetre relative to a moving floor.
func measureRide(t *testing.T, name string, late int) (r rideStats) {
	var last geom.Vec3
	began := false
	stepTape(t, name, late, func(w *predict.World, _ []sim.Input) {
		b, path := &w.Bodies()[0], &w.Scene().Carriers[0].Path
		if began && w.Tick() > 0 {
			// Where a point of the floor is now that was where the cube was.
			origin := geom.Pose{Rot: geom.Identity}
			then, now := path.Pose(origin, w.Tick()-1, rate), path.Pose(origin, w.Tick(), rate)
			at := now.Pos.Add(now.Rot.Rotate(then.Rot.Inverse().Rotate(last.Sub(then.Pos))))
			if now != then && at.Sub(b.Pose.Pos).Len() < 0.001 && clearance(b) > 0.1 {
				r.carriedTicks++
				r.distance += float64(b.Pose.Pos.Sub(last).Len())
				r.winding.add(b.Pose.Pos)
			}
		}
		last, r.final, began = b.Pose.Pos, *b, true
	})
	t.Logf("%s, %d ticks late: rides for %.1f s and %.1f m, %.2f turns, ends at %.1f, %.1f", name, late,
		float64(r.carriedTicks)/rate, r.distance, r.winding.sum, r.final.Pose.Pos.X, r.final.Pose.Pos.Y)
	return r
}

// TestTurntable checks that the cube comes to rest on the turntable, rides it for more than a
// turn, and ends on the ground next to it.
func TestTurntable(t *testing.T) {
	for _, late := range inputDelays() {
		r := measureRide(t, "turntable", late)
		if r.carriedTicks < 10*rate || r.distance < 22 || r.winding.sum < 1.1 {
			t.Errorf("%d ticks late: %+v", late, r)
		}
		if p := r.final.Pose.Pos; p.Len() < 8.5+0.75 || clearance(&r.final) > 0.02 || !r.final.Asleep {
			t.Errorf("%d ticks late: it ends at %v", late, p)
		}
	}
}

// TestFerry checks that the cube boards the ship before its departure, rests in it to the other
// end, and has left through the door at the end of the tape; also in the fast ship.
func TestFerry(t *testing.T) {
	for name, least := range map[string]struct {
		seconds  int     // of the ride
		distance float64 // metres
		end      float32 // x
	}{"ferry": {9, 39.5, 37}, "fast-ship": {18, 525, 527}} {
		for _, late := range inputDelays() {
			r := measureRide(t, name, late)
			if r.carriedTicks < least.seconds*rate || r.distance < least.distance {
				t.Errorf("%s, %d ticks late: %+v", name, late, r)
			}
			if p := r.final.Pose.Pos; p.X < least.end || p.Y > 1.5 || clearance(&r.final) > 0.02 || !r.final.Asleep {
				t.Errorf("%s, %d ticks late: it ends at %v", name, late, p)
			}
		}
	}
}

// TestBoarding checks that the cube rests on the platform until platform and ship move at
// 45 m/s or more, enters the ship through the door at that speed, rides to the other end, and
// has left through the door at the end of the tape.
func TestBoarding(t *testing.T) {
	for _, late := range inputDelays() {
		slowest, entered, rode := 100.0, 0, 0
		var ended sim.Body
		stepTape(t, "boarding", late, func(w *predict.World, _ []sim.Input) {
			b := &w.Bodies()[0]
			path := &w.Scene().Carriers[0].Path
			x := path.Pose(geom.Pose{}, w.Tick(), rate).Pos.X
			speed := math.Abs(float64(path.Pose(geom.Pose{}, w.Tick()+1, rate).Pos.X-x)) * rate
			aside := geom.Abs(b.Pose.Pos.X - x)
			switch y := b.Pose.Pos.Y; {
			case entered == 0 && y > 2.5+0.75:
				entered = int(w.Tick())
			case entered == 0 && y > 0.25: // it crosses over
				slowest = min(slowest, speed)
				if aside > 2 {
					t.Errorf("%d ticks late, tick %d: %v m beside the door", late, w.Tick(), aside)
				}
			}
			if entered > 0 && speed > 1 && b.Pose.Pos.Y > 3 && aside < 5 {
				rode++
			}
			ended = *b
		})
		labtest.Report(t, entered == 0 || slowest < 45 || rode < 7*rate,
			"%d ticks late: in the ship in tick %d, at %.1f m/s at least, rides %.1f s, ends at %v",
			late, entered, slowest, float64(rode)/rate, ended.Pose.Pos)
		if p := ended.Pose.Pos; p.X < 525 || p.Y > -4 || clearance(&ended) > 0.02 || !ended.Asleep {
			t.Errorf("%d ticks late: it ends at %v", late, p)
		}
	}
}

// TestBoardingFlight checks that the avatar takes off at 45 m/s or more, is high above platform and ship for a
// second or more, lands in the ship at that speed, stands in it for two seconds or more, and takes off again.
func TestBoardingFlight(t *testing.T) {
	for _, late := range inputDelays() {
		slowest, free, aboard, over := 100.0, 0, 0, 0
		stepTape(t, "boarding-flight", late, func(w *predict.World, _ []sim.Input) {
			b := &w.Bodies()[0]
			path := &w.Scene().Carriers[0].Path
			x := path.Pose(geom.Pose{}, w.Tick(), rate).Pos.X
			speed := math.Abs(float64(path.Pose(geom.Pose{}, w.Tick()+1, rate).Pos.X-x)) * rate
			inside := geom.Abs(b.Pose.Pos.X-x) < 4.5 && b.Pose.Pos.Y > 2.5
			switch z := b.Pose.Pos.Z; {
			case aboard == 0 && z > 5:
				free++
				slowest = min(slowest, speed)
			case free > 0 && inside && z < 1.2:
				aboard++
			case aboard > 0 && z > 5:
				over++
			}
		})
		labtest.Report(t, free < rate || slowest < 45 || aboard < 2*rate || over < 2*rate,
			"%d ticks late: free for %d ticks at %.1f m/s at least, aboard for %d, away for %d",
			late, free, slowest, aboard, over)
	}
}

// TestBoardingPilot checks that the ship flies at 40 m/s or more and turns by a right angle or more while the boarder is
// aboard, that the boarder comes from 10 m beside the ship or further, and that it stands and walks in it for ten seconds.
func TestBoardingPilot(t *testing.T) {
	for _, late := range inputDelays() {
		far, aboard, slowest, first, turned := float32(0), 0, float32(100), geom.Vec3{}, float32(1)
		stepTape(t, "boarding-pilot", late, func(w *predict.World, _ []sim.Input) {
			b, ship := &w.Bodies()[0], &w.Bodies()[2]
			p := ship.Pose.Rot.Inverse().Rotate(b.Pose.Pos.Sub(ship.Pose.Pos))
			if speed := ship.Linear.Len(); speed > 40 && aboard == 0 {
				far = max(far, p.Len())
			}
			if geom.Abs(p.X) < 5 && geom.Abs(p.Y) < 3.5 && p.Z < 1.2 {
				if aboard++; aboard == 1 {
					first = ship.Linear.Unit()
				}
				slowest, turned = min(slowest, ship.Linear.Len()), min(turned, first.Dot(ship.Linear.Unit()))
			}
		})
		labtest.Report(t, far < 10 || aboard < 10*rate || slowest < 38 || turned > 0.5,
			"%d ticks late: from %.1f m, aboard for %d ticks, at %.1f m/s at least, the cosine of its turn is %.2f", late, far, aboard, slowest, turned)
	}
}

// TestRover checks that the player drives the rover for 17 s, that it tows three wagons by ten metres or more,
// leaves them behind by ten metres, and walks away from the rover.
func TestRover(t *testing.T) {
	for _, late := range inputDelays() {
		driven, towed, apart, walked := 0, float32(0), float32(0), float32(0)
		stepTape(t, "rover", late, func(w *predict.World, _ []sim.Input) {
			b := w.Bodies()
			wagons := w.Scene().Joints[0].B
			switch rover := w.Scene().Vehicles[0].Body; {
			case w.Operated(0) == rover && w.JointOpen(0):
				apart = max(apart, b[rover].Pose.Pos.Sub(b[wagons].Pose.Pos).Len())
				driven++
			case w.Operated(0) == rover:
				towed = max(towed, b[wagons].Pose.Pos.Sub(w.Scene().Boxes[wagons].Start.Pose.Pos).Len())
				driven++
			case driven > 0:
				walked = max(walked, b[0].Pose.Pos.Sub(b[rover].Pose.Pos).Len())
			}
		})
		labtest.Report(t, driven < 17*rate || towed < 10 || apart < 10 || walked < 5,
			"%d ticks late: drives for %.1f s, tows wagons by %.1f m, leaves them %.1f m behind, walks %.1f m away",
			late, float64(driven)/rate, towed, apart, walked)
	}
}

// playTape runs a tape over a network with one pane and returns the pane's counters.
func playTape(t *testing.T, name, network, spec string) *predict.Counters {
	t.Helper()
	tape := loadTape(t, name)
	if err := tape.Config.Network.Parse(network); err != nil {
		t.Fatal(err)
	}
	l := labtest.Open(t, tape.Config, spec)
	for _, e := range tape.Entries {
		labtest.Tick(t, l, e)
	}
	return l.Panes[0].Counters
}

// TestHandoverIsNotUndone checks that a client that enters a ship from free flight at 50 m/s does not leave its
// frame again while the handover of 15 m is still being applied. With boxes of a margin of 1 m it changes the parent
// four times: it adopts the platform, leaves it, enters and leaves the ship. With the default margin the ship is its parent
// before the platform's is left, and there is one handover only.
func TestHandoverIsNotUndone(t *testing.T) {
	c := playTape(t, "boarding-flight", "latency=100ms", "relative:parent-margin=1")
	if n, way := c.Value("parent_switches"), c.Value("handover_max_m"); n != 4 || way < 10 {
		t.Errorf("%v changes of the parent, want 4; a handover of %v m", n, way)
	}
	if n := playTape(t, "boarding-flight", "latency=100ms", "relative").Value("parent_switches"); n != 3 {
		t.Errorf("%v changes of the parent with the default margin, want 3", n)
	}
}

// TestRewindPredictsCarriers checks that a predicting client predicts the effect of carriers
// on its cube: without loss rewind makes no corrections in the tapes with carriers.
func TestRewindPredictsCarriers(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, name := range []string{"turntable", "ferry", "boarding", "fast-ship"} {
		c := playTape(t, name, "latency=75ms", "rewind")
		if n, one := c.Value("corrections"), c.Value("snapshots"); n != 0 || one < 1000 {
			t.Errorf("%s: %v corrections by %v snapshots", name, n, one)
		}
	}
}

// TestJumpOff checks that the cube jumps half a metre high from the turntable and lands on it
// at least four times, further out each time, and ends on the ground next to it.
func TestJumpOff(t *testing.T) {
	for _, late := range inputDelays() {
		var hops []float32 // where they began, from the middle
		var end float32
		up := false
		stepTape(t, "jump-off", late, func(w *predict.World, _ []sim.Input) {
			b := &w.Bodies()[0]
			p := b.Pose.Pos
			p.Z = 0
			end = p.Len()
			switch c := clearance(b) - 0.12; {
			case c > 0.5 && !up:
				up, hops = true, append(hops, end)
			case c < 0.05:
				up = false
			}
		})
		labtest.Report(t, len(hops) < 4 || !slices.IsSorted(hops[:4]) || hops[3] > 6 || end < 9,
			"%d ticks late: hops at %.1f m, the end at %.1f m", late, hops, end)
	}
}
