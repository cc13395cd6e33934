package playback

import (
	"math"
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

const rate = 60

// bodyAt returns a body that moves at 6 m/s along x, 0.1 m per tick, and rotates at half a radian
// per second.
func bodyAt(tick float64) sim.Body {
	s := float32(tick / rate)
	return sim.Body{
		Pose:   geom.Pose{Pos: geom.Vec3{X: 6 * s, Z: 1}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, s/2)},
		Linear: geom.Vec3{X: 6}, Angular: geom.Vec3{Z: 0.5},
	}
}

func addAt(h *Interpolator, t sim.Tick) AddResult {
	b := bodyAt(float64(t))
	return h.Add(t, &b, false)
}

// checkPose checks that the drawn pose is that of a tick, to a hundredth of a millimetre.
func checkPose(t *testing.T, h *Interpolator, tick float64) {
	t.Helper()
	want, got := bodyAt(tick).Pose, h.Pose()
	if d := got.Pos.Sub(want.Pos).Len(); d > 1e-5 {
		t.Errorf("the body is drawn at x = %v, want %v", got.Pos.X, want.Pos.X)
	}
	if a := got.Rot.Mul(want.Rot.Inverse()).Angle(); a > 1e-3 {
		t.Errorf("the drawn orientation is %v rad off", a)
	}
}

func toMoments(ticks float64) sim.Moment { return sim.Moment(math.Round(ticks * sim.MomentsPerTick)) }

// TestExtrapolationStops checks that without a later position a body is extrapolated for the reach,
// to a fraction of a tick, and then stops, even if the reach grows meanwhile; and that it then
// moves to the next position evenly, without a jump.
func TestExtrapolationStops(t *testing.T) {
	for _, reach := range []float64{0, 0.5, 2, 7.25} {
		var h Interpolator
		h.pose = bodyAt(0).Pose
		addAt(&h, 10)
		for tick := 10; tick < 30; tick++ {
			h.Advance(toMoments(float64(tick)), toMoments(reach), rate)
			checkPose(t, &h, min(float64(tick), 10+reach))
			starved, stopped := h.Starved()
			if starved != (tick > 10) || stopped != (tick > 10 && float64(tick) >= 10+reach) {
				t.Errorf("reach %v, tick %d: starved %v, stopped %v", reach, tick, starved, stopped)
			}
		}
		h.Advance(toMoments(30), toMoments(50), rate)
		checkPose(t, &h, 10+reach)
		if f := addAt(&h, 34); f != Stored {
			t.Fatal(f)
		}
		for i := range 5 {
			h.Advance(toMoments(30+float64(i)), toMoments(reach), rate)
			checkPose(t, &h, 10+reach+(24-reach)*float64(i)/4)
			if h.stopped && i < 4 {
				t.Errorf("reach %v: a body that moves counts as stopped", reach)
			}
		}
	}
}

// TestLateIsDropped checks that a position B between A and C is dropped if the body has passed it,
// so that the body moves from A to C, and that the body moves through B if it arrives in time.
func TestLateIsDropped(t *testing.T) {
	b := bodyAt(15)
	b.Pose.Pos.Y = 1 // beside the line from A to C
	for _, c := range []struct {
		displayed float64 // tick, when B arrives
		outcome   AddResult
		y         float32 // at tick 15
	}{{10, Stored, 1}, {12.5, Stored, 1}, {14.9, Stored, 1}, {15.1, Late, 0}, {17, Late, 0}, {20, Late, 0}, {22, Late, 0}} {
		var h Interpolator
		h.pose = bodyAt(0).Pose
		addAt(&h, 10)
		addAt(&h, 20)
		var y float32
		arrived := false
		for i := range 100 {
			m := 10 + float64(i)/5
			if m >= c.displayed && !arrived {
				arrived = true
				if got := h.Add(15, &b, false); got != c.outcome {
					t.Errorf("displayed moment %v: outcome %d, want %d", c.displayed, got, c.outcome)
				}
			}
			h.Advance(toMoments(m), 0, rate)
			if m == 15 {
				y = h.Pose().Pos.Y
			}
		}
		if y != c.y {
			t.Errorf("displayed moment %v: y is %v at tick 15, want %v", c.displayed, y, c.y)
		}
	}
}

// TestOutOfOrder checks that a body passes its positions in the order of their ticks, whatever
// their order of arrival, and that a second position of a tick is dropped.
func TestOutOfOrder(t *testing.T) {
	var h Interpolator
	h.pose = bodyAt(0).Pose
	for _, tick := range []sim.Tick{12, 10, 16, 11, 18, 14} {
		if f := addAt(&h, tick); f != Stored {
			t.Errorf("tick %d: outcome %d", tick, f)
		}
	}
	for _, tick := range []sim.Tick{10, 14, 18} {
		if f := addAt(&h, tick); f != Duplicate {
			t.Errorf("tick %d again: outcome %d", tick, f)
		}
	}
	for i := range 40 {
		m := 10 + float64(i)/5
		h.Advance(toMoments(m), 0, rate)
		checkPose(t, &h, m)
	}
}

// TestExpired checks that a position that arrives after its validity is dropped, although no
// later one has arrived, and that it is used with keepExpired.
func TestExpired(t *testing.T) {
	for _, keep := range []bool{false, true} {
		var h Interpolator
		h.pose = bodyAt(0).Pose
		addAt(&h, 10)
		h.Advance(toMoments(15), toMoments(1), rate)
		b := bodyAt(14)
		if f := h.Add(14, &b, keep); (f == Expired) == keep {
			t.Errorf("keep %v: outcome %d", keep, f)
		}
		h.Advance(toMoments(15), toMoments(1), rate)
		want := 11.0
		if keep {
			want = 15
		}
		checkPose(t, &h, want)
	}
}

// TestRestIsTwoSamples checks that a body that stays the same takes two positions, however long it
// rests; that it starts to move when the server's body did; and that AddSame adds the position that
// was the newest at its tick.
func TestRestIsTwoSamples(t *testing.T) {
	var h Interpolator
	rest := bodyAt(0)
	rest.Asleep = true
	for tick := sim.Tick(1); tick <= 1000; tick++ {
		h.Add(tick, &rest, false)
		h.Advance((tick - min(tick, 4)).Moment(), 0, rate)
	}
	if h.pending.Len() > 2 {
		t.Errorf("%d pending positions", h.pending.Len())
	}
	b := bodyAt(6)
	h.Add(1006, &b, false)
	if f := h.AddSame(1005, false); f != Stored { // an older snapshot, from which the body is missing
		t.Error(f)
	}
	for m := 997.0; m <= 1006; m += 0.25 {
		h.Advance(toMoments(m), 0, rate)
		want := float32(max(m-1005, 0) * 0.6)
		if d := geom.Abs(h.Pose().Pos.X - want); d > 1e-5 {
			t.Errorf("at moment %v the body is at x = %v, want %v", m, h.Pose().Pos.X, want)
		}
	}
}

// TestComesToRest checks that a body comes to rest at the tick of its first position at rest,
// however many equal ones arrive before it gets there.
func TestComesToRest(t *testing.T) {
	for _, reached := range []float64{8, 9, 10} {
		var h Interpolator
		h.pose = bodyAt(0).Pose
		for tick := sim.Tick(8); tick <= 10; tick++ {
			addAt(&h, tick)
		}
		h.Advance(toMoments(reached), 0, rate)
		rest := bodyAt(11)
		rest.Linear, rest.Angular, rest.Asleep = geom.Vec3{}, geom.Vec3{}, true
		for tick := sim.Tick(11); tick <= 30; tick++ {
			h.Add(tick, &rest, false)
		}
		for m := reached; m <= 30; m += 0.5 {
			h.Advance(toMoments(m), 0, rate)
			checkPose(t, &h, min(m, 11))
		}
	}
}

// TestDisplayNeverGoesBack checks that the display moment is the delay behind the arriving
// positions, and that it stops while the delay grows or the positions become later.
func TestDisplayNeverGoesBack(t *testing.T) {
	var a InterpolatedWorld
	server, last := sim.Tick(1000), sim.Moment(0)
	run := func(ticks int, transit sim.Tick, delay sim.Moment) {
		for range ticks {
			server++
			a.now += sim.MomentsPerTick
			a.clock.FollowMean(server-transit, a.now, rate*sim.MomentsPerTick)
			if a.DisplayClock.Advance(delay); a.displayMoment < last {
				t.Fatalf("the display moment goes back from %d to %d", last, a.displayMoment)
			}
			last = a.displayMoment
		}
	}
	run(1, 10, 4*sim.MomentsPerTick)
	if want := (server - 14).Moment(); last != want {
		t.Errorf("at first the display moment is %d, want %d", last, want)
	}
	run(300, 10, 20*sim.MomentsPerTick)
	if want := (server - 30).Moment(); last != want {
		t.Errorf("with a longer delay the display moment is %d, want %d", last, want)
	}
	run(20, 40, 20*sim.MomentsPerTick)
	run(300, 4, 4*sim.MomentsPerTick)
}

// TestDisplayIsEven checks that positions that arrive up to seven ticks late, one by one, move the display
// moment evenly: by a tick and no more than a fiftieth of one beside it.
func TestDisplayIsEven(t *testing.T) {
	var a InterpolatedWorld
	last := sim.Moment(0)
	for i := range 900 {
		late := sim.Tick(uint64(i) * 0x9E3779B97F4A7C15 >> 61)
		a.now += sim.MomentsPerTick
		a.clock.FollowMean(sim.Tick(1000+i)-late, a.now, rate*sim.MomentsPerTick)
		a.DisplayClock.Advance(4 * sim.MomentsPerTick)
		if off := a.displayMoment - last - sim.MomentsPerTick; i > 120 && max(off, -off) > sim.MomentsPerTick/50 {
			t.Fatalf("tick %d: %.3f of a tick beside one", i, off.Ticks())
		}
		last = a.displayMoment
	}
}

// TestCurve checks that on curves a body passes its positions with the velocities that it had
// there: a point on a circle, sent ten times a second, stays within 0.2 mm of it, while straight
// lines leave it by a centimetre.
func TestCurve(t *testing.T) {
	swing := func(tick float64) sim.Body {
		a := float32(tick / rate * 3) // 3 rad/s
		turn := geom.AxisAngle(geom.Vec3{Z: 1}, a)
		p := turn.Rotate(geom.Vec3{X: 1})
		return sim.Body{Pose: geom.Pose{Pos: p, Rot: turn}, Linear: geom.Vec3{Z: 3}.Cross(p), Angular: geom.Vec3{Z: 3}}
	}
	for _, c := range []struct {
		curved   bool
		min, max float64 // m off the circle, worst
	}{{true, 0, 2e-4}, {false, 0.01, 0.02}} {
		h := Interpolator{useCurve: c.curved}
		worst := 0.0
		for m := 0.0; m < 120; m += 0.25 {
			if n := int(m); m == math.Floor(m) && n%6 == 0 {
				b := swing(float64(n + 6))
				h.Add(sim.Tick(n+6), &b, false)
			}
			h.Advance(toMoments(m), 0, rate)
			if m < 12 {
				continue
			}
			p := h.Pose()
			worst = max(worst, float64(geom.Abs(p.Pos.Len()-1)))
			if off := p.Pos.Sub(p.Rot.Rotate(geom.Vec3{X: 1})).Len(); c.curved && off > 2e-4 {
				t.Fatalf("at moment %v the orientation puts the point %v m off", m, off)
			}
		}
		if worst > c.max || worst < c.min {
			t.Errorf("curve %v: the point is %v m off the circle", c.curved, worst)
		}
	}
}
