package sim_test

import (
	"math"
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// tableScene is a scene of boxes and a table about the origin that rotates at rpm turns per minute.
func tableScene(rpm int, boxes ...sim.Box) sim.Scene {
	s := boxScene(boxes...)
	s.Carriers = []sim.Carrier{{Path: sim.Path{RPM: rpm}, Boxes: []sim.Box{carrierFloor(0, 0, 6, 6)}}}
	return s
}

// TestTurntableCarriesBoxes checks that cubes on a slowly rotating table keep their position and
// orientation relative to it for ten seconds. They neither sink into it nor bounce, and they never
// sleep.
func TestTurntableCarriesBoxes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rpm   int
		least float32 // metres; largest displacement
	}{{1, 0.001}, {6, 0.001}, {-6, 0.001}, {10, 0.004}, {15, 0.010}} {
		for _, r := range []float32{0, 0.5, 1.5, 3, 5} {
			w := sim.New(tableScene(c.rpm, spinWithTable(boxOnFloor(r, 0, cubeHalf, 1), c.rpm)), 60)
			path := &w.Scene().Carriers[0].Path
			for range 30 { // settle
				w.Step()
			}
			back := path.Pose(geom.Pose{Rot: geom.Identity}, w.Tick(), 60).Rot.Inverse()
			from := w.Bodies()[0].Pose
			from.Pos, from.Rot = back.Rotate(from.Pos), back.Mul(from.Rot)
			for range 600 {
				w.Step()
				if z := w.Bodies()[0].Pose.Pos.Z; geom.Abs(z-floorTop-cubeHalf) > 0.003 {
					t.Fatalf("%d rpm, %v m: height %v m in tick %d", c.rpm, r, z, w.Tick())
				}
			}
			want, got := path.Pose(from, w.Tick(), 60), w.Bodies()[0]
			off, rotation := got.Pose.Pos.Sub(want.Pos).Len(), got.Pose.Rot.Mul(want.Rot.Inverse()).Angle()
			t.Logf("%d rpm, %v m: displaced by %.2f mm and %.4f rad", c.rpm, r, 1000*off, rotation)
			if off > c.least || rotation > 0.001 {
				t.Errorf("%d rpm, %v m: displaced by %v m and %v rad", c.rpm, r, off, rotation)
			}
			if got.Asleep {
				t.Errorf("%d rpm, %v m: the cube sleeps", c.rpm, r)
			}
		}
	}
}

// TestCarrierTurnsAndTravels checks that a cube keeps its position on a floor that rotates and
// travels at the same time.
func TestCarrierTurnsAndTravels(t *testing.T) {
	path := sim.Path{RPM: 6, Centre: geom.Vec3{X: 1, Y: 1}, Travel: geom.Vec3{X: 30, Y: 10}, TravelSeconds: 8, WaitSeconds: 1}
	s := boxScene(spinWithTable(boxOnFloor(2, -1, cubeHalf, 1), 6))
	s.Boxes[0].Start.Linear = geom.Vec3{X: geom.TwoPi / 10 * 2, Y: geom.TwoPi / 10}
	s.Carriers = []sim.Carrier{{Path: path, Boxes: []sim.Box{carrierFloor(0, 0, 6, 6)}}}
	w := sim.New(s, 60)
	from := path.Pose(s.Boxes[0].Start.Pose, 0, 60)
	for range 20 * 60 {
		w.Step()
		want, got := path.Pose(from, w.Tick(), 60), w.Bodies()[0].Pose
		if off := got.Pos.Sub(want.Pos).Len(); off > 0.004 || got.Rot.Mul(want.Rot.Inverse()).Angle() > 0.002 {
			t.Fatalf("tick %d: displaced by %v m and %v rad", w.Tick(), off, got.Rot.Mul(want.Rot.Inverse()).Angle())
		}
	}
}

// TestSlidesOffTurntable checks that a flat box on a rotating table keeps its position where
// friction can provide the centripetal force, mu g against w2 r, and slides off elsewhere.
func TestSlidesOffTurntable(t *testing.T) {
	const rpm = 15
	const w2 = (math.Pi / 2) * (math.Pi / 2)
	for _, c := range []struct{ mu, r float32 }{{0.5, 3}, {0.5, 3.6}, {0.5, 4.4}, {0.5, 5}, {0.2, 1.2}, {0.2, 2}} {
		b := spinWithTable(boxOnFloor(c.r, 0, 0.2, c.mu*c.mu), rpm)
		b.Half = geom.Vec3{X: 0.4, Y: 0.4, Z: 0.1}
		b.Start.Pose.Pos.Z = floorTop + 0.1
		s := tableScene(rpm, b)
		s.Damping = 0
		w := sim.New(s, 60)
		for range 360 {
			w.Step()
		}
		p := w.Bodies()[0].Pose.Pos
		off := p.Z < floorTop+0.05
		if slides := c.r*w2 > c.mu*20; slides != off {
			t.Errorf("mu %v at %v m: the box ends at %v", c.mu, c.r, p)
		}
	}
}

// TestShuttleCarriesBoxes checks that cubes on a shuttle whose acceleration is below mu g do not
// slip, there and back, that they sleep while it stops and wake when it starts, and that cubes with
// less friction slip.
func TestShuttleCarriesBoxes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mu    float32
		ride  int // seconds for 40 m: at most 5.77 * 40 / ride2 m/s2
		slips bool
	}{{1, 10, false}, {1, 5, false}, {0.5, 10, false}, {0.1, 10, true}, {0.35, 5, true}} {
		s := boxScene(boxOnFloor(2, 1, 0.2, c.mu*c.mu))
		s.Boxes[0].Half.X, s.Boxes[0].Half.Y = 0.5, 0.5 // cannot tip over
		s.Damping = 0
		s.Carriers = []sim.Carrier{{Path: sim.Path{Travel: geom.Vec3{X: 40}, TravelSeconds: c.ride, WaitSeconds: 2}, Boxes: []sim.Box{carrierFloor(0, 0, 6, 3)}}}
		w := sim.New(s, 60)
		slept, woke, slip := 0, 0, float32(0)
		for range 2 * (2 + c.ride) * 60 {
			before := w.Bodies()[0].Asleep
			w.Step()
			b := w.Bodies()[0]
			switch {
			case b.Asleep && !before:
				slept++
			case before && !b.Asleep:
				woke++
			}
			deck := sim.CarrierBoxPose(w, 0).Pos
			slip = max(slip, geom.Abs(b.Pose.Pos.X-deck.X-2))
			if z := b.Pose.Pos.Z; !c.slips && geom.Abs(z-floorTop-0.2) > 0.003 {
				t.Fatalf("mu %v, %d s: height %v m in tick %d", c.mu, c.ride, z, w.Tick())
			}
		}
		t.Logf("mu %v, %d s: slip of at most %.2f mm, fell asleep %d times, woke %d times", c.mu, c.ride, 1000*slip, slept, woke)
		if c.slips {
			if slip < 0.1 {
				t.Errorf("mu %v, %d s: slip of %v m only", c.mu, c.ride, slip)
			}
			continue
		}
		if slip > 0.005 {
			t.Errorf("mu %v, %d s: slip of %v m", c.mu, c.ride, slip)
		}
		if slept != 2 || woke != 2 {
			t.Errorf("mu %v, %d s: fell asleep %d times and woke %d times, want 2 and 2", c.mu, c.ride, slept, woke)
		}
	}
}

// TestShuttlePushes checks that a moving wall pushes bodies in its way, asleep or not, and that
// none passes through it.
func TestShuttlePushes(t *testing.T) {
	for _, ride := range []int{8, 4, 2} { // top speeds of 9, 19 and 37 m/s
		var boxes []sim.Box
		for i := range 10 { // at many distances, so that some are hit at the worst moment of a tick
			boxes = append(boxes, cube(geom.Vec3{X: 19 + 0.13*float32(i), Y: 0.5*float32(i) - 2.25, Z: cubeHalf}, 0))
		}
		s := boxScene(boxes...)
		s.MaxLinearSpeed = 64
		wall := staticBox(geom.Vec3{Z: 1}, geom.Vec3{X: 0.15, Y: 3, Z: 1}, geom.Identity)
		s.Carriers = []sim.Carrier{{Path: sim.Path{Travel: geom.Vec3{X: 40}, TravelSeconds: ride, WaitSeconds: 1}, Boxes: []sim.Box{wall}}}
		w := sim.New(s, 60)
		for range 60 * (ride + 1) {
			w.Step()
			front := sim.CarrierBoxPose(w, 0).Pos.X
			for i, b := range w.Bodies() {
				if b.Pose.Pos.X < front {
					t.Fatalf("%d s: cube %d is at %v, behind the wall at x = %v", ride, i, b.Pose.Pos, front)
				}
			}
		}
		if x := w.Bodies()[0].Pose.Pos.X; x < 40 {
			t.Errorf("%d s: the cube ends at x = %v", ride, x)
		}
	}
}

// TestCarrierWallsPush checks that boxes without friction at a wall of a carrier move with it, and
// neither sink into it nor bounce off: along a straight path, and on a rotating table, where the
// wall also rotates a long box.
func TestCarrierWallsPush(t *testing.T) {
	v := func(x, y, z float32) geom.Vec3 { return geom.Vec3{X: x, Y: y, Z: z} }
	plank := func(at, half geom.Vec3) sim.Box {
		b := boxAt(at.X, at.Y, at.Z, 0, 0)
		b.Half = half
		return b
	}
	check := func(what string, s sim.Scene, ticks int) {
		s.NoSleep = true
		w := sim.New(s, 60)
		for range ticks {
			w.Step()
			// The position relative to the carrier must not change.
			p := w.Scene().Carriers[0].Path.Pose(s.Boxes[0].Start.Pose, w.Tick(), 60)
			got := w.Bodies()[0].Pose
			d := p.Rot.Inverse().Rotate(got.Pos.Sub(p.Pos))
			if turn := got.Rot.Mul(p.Rot.Inverse()).Angle(); geom.Abs(d.X) > 0.001 || turn > 0.001 {
				t.Fatalf("%s: tick %d: displaced by %v m and %v rad", what, w.Tick(), d, turn)
			}
		}
	}
	s := boxScene(plank(v(0.35, 0, floorTop+0.2), v(0.2, 0.4, 0.2)))
	s.Damping = 0.6
	s.Carriers = []sim.Carrier{{Path: sim.Path{Travel: v(40, 0, 0), TravelSeconds: 8, WaitSeconds: 1},
		Boxes: []sim.Box{carrierFloor(0, 0, 4, 4), staticBox(v(0, 0, 1), v(0.15, 3, 0.8), geom.Identity)}}}
	check("straight", s, 60*5) // during acceleration
	s = boxScene(plank(v(0.25, 3, floorTop+0.2), v(0.1, 0.8, 0.2)))
	s.Carriers = []sim.Carrier{{Path: sim.Path{RPM: -6}, Boxes: []sim.Box{
		carrierFloor(0, 0, 6, 6), staticBox(v(0, 3, 1), v(0.15, 3, 0.8), geom.Identity), // a radial wall
		staticBox(v(1, 3.95, 1), v(1, 0.15, 0.8), geom.Identity), // and a stop that keeps the plank from flying off
	}}}
	s.Boxes[0].Start = spinWithTable(s.Boxes[0], -6).Start
	check("round", s, 600)
}

// TestCarrierPoseFollowsTick checks that a carrier's pose is a function of the tick: after Step,
// Load, SetTick and CopyFrom, and to the bit after whole rounds.
func TestCarrierPoseFollowsTick(t *testing.T) {
	t.Parallel()
	for name, scene := range map[string]sim.Scene{"turntable": turntableScene(6), "ship": shipScene(40, 10)} {
		w, other := sim.New(scene, 60), sim.New(scene, 60)
		check := func(what string, w *sim.World) {
			t.Helper()
			c := &w.Scene().Carriers[0]
			for i := range c.Boxes {
				if got, want := sim.CarrierBoxPose(w, i), c.Path.Pose(c.Boxes[i].Start.Pose, w.Tick(), 60); got != want {
					t.Errorf("%s, %s: box %d is at %v, want %v", name, what, i, got, want)
				}
			}
		}
		var s, after sim.State
		for w.Tick() < 700 {
			if w.Tick() == 550 {
				w.Save(&s)
			}
			w.Step(scriptedInput(w.Tick()))
		}
		late := sim.CarrierBoxPose(w, 0)
		check("stepped", w)
		other.CopyFrom(w)
		check("copied", other)
		other.Step()
		w.Save(&after)
		w.Step()
		bodies, cache := w.Hash()
		if b, c := other.Hash(); b != bodies || c != cache {
			t.Errorf("%s: a copy diverges", name)
		}
		w.Load(&after)
		w.Load(&s)
		check("loaded", w)
		if sim.CarrierBoxPose(w, 0) == late {
			t.Errorf("%s: the carrier does not move", name)
		}
		w.SetTick(700)
		check("relabelled", w)
		if sim.CarrierBoxPose(w, 0) != late {
			t.Errorf("%s: SetTick gives another pose", name)
		}
		p := w.Scene().Carriers[0].Path
		round := sim.Tick(36 * 60)
		if name == "turntable" {
			round = 10 * 60
		}
		box := geom.Pose{Pos: geom.Vec3{X: 1}, Rot: geom.Identity}
		for _, tick := range []sim.Tick{0, 100, 599, 1500} {
			if p.Pose(box, tick, 60) != p.Pose(box, tick+1000*round, 60) {
				t.Errorf("%s: another pose a thousand rounds after tick %d", name, tick)
			}
		}
	}
}

// TestPath checks the stops at both ends, the highest speed and the highest acceleration of a path.
func TestPath(t *testing.T) {
	p := sim.Path{Travel: geom.Vec3{X: 40}, TravelSeconds: 10, WaitSeconds: 8}
	at := func(tick int) float64 { return 40 * sim.PathProgress(&p, sim.Tick(tick), 60) }
	var speed, push float64
	for tick := 1; tick < 36*60; tick++ {
		v, next := (at(tick)-at(tick-1))*60, (at(tick+1)-at(tick))*60
		speed, push = max(speed, math.Abs(v)), max(push, math.Abs(next-v)*60)
		if tick <= 8*60 && at(tick) != 0 || tick >= 18*60 && tick <= 26*60 && at(tick) != 40 {
			t.Fatalf("tick %d: moved by %v m during a stop", tick, at(tick))
		}
	}
	if math.Abs(speed-7.5) > 0.01 || math.Abs(push-2.309) > 0.01 {
		t.Errorf("maxima of %v m/s and %v m/s2", speed, push)
	}
	turn := sim.Path{RPM: 6, Centre: geom.Vec3{X: 1}}
	got := turn.Pose(geom.Pose{Pos: geom.Vec3{X: 3}, Rot: geom.Identity}, 150, 60) // a quarter turn
	if got.Pos.Sub(geom.Vec3{X: 1, Y: 2}).Len() > 1e-6 || geom.Abs(got.Rot.Angle()-geom.HalfPi) > 1e-6 {
		t.Errorf("after a quarter turn: %v", got)
	}
}

// TestSetTickLeavesLoadBehind checks that a body that sleeps on a carrier falls when SetTick moves
// the carrier away.
func TestSetTickLeavesLoadBehind(t *testing.T) {
	s := boxScene(boxOnFloor(0, 0, 0.2, 1))
	s.Carriers = []sim.Carrier{{Path: sim.Path{Travel: geom.Vec3{X: 40}, TravelSeconds: 10, WaitSeconds: 8}, Boxes: []sim.Box{carrierFloor(0, 0, 2, 2)}}}
	w := sim.New(s, 60)
	for range 120 {
		w.Step()
	}
	if !w.Bodies()[0].Asleep {
		t.Fatal("the cube is awake")
	}
	w.SetTick(19 * 60) // the carrier is at the other end
	for range 60 {
		w.Step()
	}
	if b := w.Bodies()[0]; geom.Abs(b.Pose.Pos.Z-0.2) > 0.002 || !b.Asleep {
		t.Errorf("the cube is at %v, asleep %t", b.Pose.Pos, b.Asleep)
	}
}

// TestCarrierVelocity checks that a box at rest on a carrier has the velocity of CarrierVelocity at
// the end of each tick, while the carrier rotates, accelerates and brakes.
func TestCarrierVelocity(t *testing.T) {
	s := boxScene(spinWithTable(boxOnFloor(3, -1, cubeHalf, 1), 6))
	path := sim.Path{RPM: 6, Travel: geom.Vec3{X: 30, Y: 10}, TravelSeconds: 8, WaitSeconds: 1}
	s.Carriers = []sim.Carrier{{Path: path, Boxes: []sim.Box{carrierFloor(0, 0, 6, 6)}}}
	w := sim.New(s, 60)
	for range 9 * 60 {
		w.Step()
		if w.Tick() < 30 {
			continue
		}
		b := &w.Bodies()[0]
		v, spin, bend := w.CarrierVelocity(0, w.Tick().Moment())
		at := b.Pose.Pos
		v.X += -spin*at.Y + bend*at.X
		v.Y += spin*at.X + bend*at.Y
		if off := b.Linear.Sub(v).Len(); off > 0.003 {
			t.Fatalf("tick %d: velocity of the cube %v, of the carrier %v", w.Tick(), b.Linear, v)
		}
		if off := geom.Abs(b.Angular.Z - spin); off > 0.003 {
			t.Fatalf("tick %d: angular velocity of the cube %v, of the carrier %v", w.Tick(), b.Angular.Z, spin)
		}
	}
}
