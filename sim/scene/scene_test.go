package scene

import (
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

func newWorld(t testing.TB, spec string) *sim.World {
	t.Helper()
	s, err := Named(spec)
	if err != nil {
		t.Fatal(err)
	}
	return sim.New(s, 60)
}

// scriptedInput is a scripted player: it presses a set of buttons for a third of a second and turns
// its heading slowly.
func scriptedInput(t sim.Tick) sim.Input {
	x := (uint64(t)/20 + 1) * 0x9E3779B97F4A7C15
	x ^= x >> 31
	return sim.Input{Buttons: sim.Buttons(x>>7) & sim.MoveButtons &^ (sim.Buttons(x>>23) & (sim.Lift | sim.Pull)), Heading: uint8(t / 8)}
}

// shortTicks returns the number of ticks, of n, that a test runs.
func shortTicks(n int) int {
	if experiment.Brief() {
		return n / 6
	}
	return n
}

// awakeCount returns the number of awake bodies.
func awakeCount(w *sim.World) (n int) {
	for _, b := range w.Bodies() {
		if !b.Asleep {
			n++
		}
	}
	return n
}

// maxJointSeparation returns the largest separation of a joint's anchors in metres.
func maxJointSeparation(w *sim.World) (worst float32) {
	for i := range w.Scene().Joints {
		a, b := w.JointAnchors(i)
		worst = max(worst, b.Sub(a).Len())
	}
	return worst
}

// maxHingeMisalignment returns the largest angle between the axes of a hinge in rad.
func maxHingeMisalignment(w *sim.World) (worst float32) {
	axis := func(body int, start geom.Vec3) geom.Vec3 {
		if body == sim.WorldBody {
			return start
		}
		return w.Bodies()[body].Pose.Rot.Rotate(w.Scene().Boxes[body].Start.Pose.Rot.Inverse().Rotate(start))
	}
	for _, j := range w.Scene().Joints {
		if j.Hinge {
			worst = max(worst, axis(j.A, j.Axis).Cross(axis(j.B, j.Axis)).Len())
		}
	}
	return worst
}

// axisOf returns an axis of a body in the world frame.
func axisOf(w *sim.World, body, axis int) geom.Vec3 {
	m := w.Bodies()[body].Pose.Rot.Mat()
	return m.Col(axis)
}

// TestFastShip checks that the ship reaches 50 m/s on its longest path, within the bounds of the
// world, and that the cubes in it keep their positions.
func TestFastShip(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "ship:distance=530")
	path := &w.Scene().Carriers[0].Path
	var fastest, farthest float32
	from := make([]geom.Vec3, 7)
	for i := range from {
		from[i] = w.Bodies()[i].Pose.Pos
	}
	for range 60 * 2 * (path.TravelSeconds + path.WaitSeconds) {
		w.Step()
		at := path.Pose(geom.Pose{Rot: geom.Identity}, w.Tick(), 60).Pos
		speed := path.Pose(geom.Pose{Rot: geom.Identity}, w.Tick()+1, 60).Pos.Sub(at).Len() * 60
		fastest = max(fastest, speed)
		farthest = max(farthest, at.X)
		for i := 1; i < 7; i++ {
			if off := w.Bodies()[i].Pose.Pos.Sub(at).Sub(from[i]).Len(); off > 0.05 {
				t.Fatalf("cube %d is displaced by %v m in tick %d, at %v m/s", i, off, w.Tick(), speed)
			}
		}
	}
	if fastest < 49 || fastest > 51 || farthest < 529 || farthest > w.Scene().HalfWidth-50 {
		t.Errorf("up to %v m/s and x = %v m in a world of %v m", fastest, farthest, w.Scene().HalfWidth)
	}
}

// TestSeesaw checks that the plank balances three cubes against three, tips with one cube fewer,
// and throws cubes when the player falls onto the other end.
func TestSeesaw(t *testing.T) {
	const plank = 1
	w := newWorld(t, "seesaw")
	for range 3600 {
		w.Step()
	}
	if z := axisOf(w, plank, 0).Z; geom.Abs(z) > 0.005 || awakeCount(w) > 0 {
		t.Errorf("with equal weights: slope %v, %d bodies are awake", z, awakeCount(w))
	}
	b := w.Bodies()[plank+1]
	b.Pose.Pos.X, b.Pose.Pos.Z, b.Asleep = -7, cubeHalf, false
	w.SetBody(plank+1, b)
	p := w.Bodies()[plank]
	p.Asleep = false
	w.SetBody(plank, p)
	for range 600 {
		w.Step()
	}
	if z := axisOf(w, plank, 0).Z; z > -0.1 {
		t.Errorf("with one cube fewer on the left: slope %v", z)
	}
	b = w.Bodies()[0]
	b.Pose.Pos, b.Asleep = geom.Vec3{X: -3, Z: 6}, false
	w.SetBody(0, b)
	var highest, off float32
	for range 180 {
		w.Step()
		for i := plank + 4; i < plank+7; i++ {
			highest = max(highest, w.Bodies()[i].Pose.Pos.Z)
		}
		off = max(off, maxJointSeparation(w))
	}
	if highest < 2 {
		t.Errorf("the cubes flew to %v m only", highest)
	}
	if off > 0.001 {
		t.Errorf("the axle has a separation of %v m", off)
	}
}

// TestBilliards checks that the player moves most of the pucks, that none leaves the table, and
// that all come to rest.
func TestBilliards(t *testing.T) {
	w := newWorld(t, "billiards")
	n := len(w.Bodies())
	for range 240 {
		w.Step(sim.Input{Buttons: sim.Forward})
	}
	moved := 0
	for i := 1; i < n; i++ {
		if p := w.Bodies()[i].Pose.Pos; p.Sub(w.Scene().Boxes[i].Start.Pose.Pos).Len() > 0.3 {
			moved++
		}
	}
	if moved < n/2 {
		t.Errorf("%d of %d pucks moved", moved, n-1)
	}
	for range 1200 {
		w.Step()
	}
	for i := 1; i < n; i++ {
		if p := w.Bodies()[i].Pose.Pos; geom.Abs(p.X) > 5 || geom.Abs(p.Y) > 10 {
			t.Errorf("puck %d is at %v", i, p)
		}
	}
	if awakeCount(w) != 0 {
		t.Errorf("%d bodies are awake", awakeCount(w))
	}
}

// TestTrailer checks that the tractor drives in circles for five minutes, pulls its trailer with
// all cubes in it, and keeps its joints within a millimetre.
func TestTrailer(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, name := range []string{"trailer", "trailer:speed=4"} {
		w := newWorld(t, name)
		bed, cubes := 6, len(w.Bodies())-6
		if len(w.Scene().Boxes[bed].SubShapes) != 6 {
			t.Fatalf("%s: body %d is not the trailer", name, bed)
		}
		var separation, distance float32
		low, high := geom.Vec3{}, geom.Vec3{}
		ticks := shortTicks(5 * 60 * 60)
		for range ticks {
			before := w.Bodies()[1].Pose.Pos
			w.Step()
			now := w.Bodies()[1].Pose.Pos
			distance += now.Sub(before).Len()
			low = geom.Vec3{X: min(low.X, now.X), Y: min(low.Y, now.Y)}
			high = geom.Vec3{X: max(high.X, now.X), Y: max(high.Y, now.Y)}
			separation = max(separation, maxJointSeparation(w))
		}
		t.Logf("%s: %v m within %v by %v m, separation %.3f mm", name, distance, high.X-low.X, high.Y-low.Y, 1000*separation)
		if separation > 0.001 {
			t.Errorf("%s: a separation of %v mm", name, 1000*separation)
		}
		if distance < float32(ticks/60) || high.X-low.X > 60 || high.Y-low.Y > 60 {
			t.Errorf("%s: drove %v m within %v by %v m", name, distance, high.X-low.X, high.Y-low.Y)
		}
		at := w.Bodies()[bed].Pose
		for i := cubes; i < len(w.Bodies()); i++ {
			p := at.Rot.Inverse().Rotate(w.Bodies()[i].Pose.Pos.Sub(at.Pos))
			if geom.Abs(p.X) > 1.5 || geom.Abs(p.Y) > 0.8 || p.Z < 0.2 || p.Z > 0.8 {
				t.Errorf("%s: cube %d is at %v relative to the trailer", name, i, p)
			}
		}
	}
}

// TestWalker checks that the walker walks straight on at 1.1 m/s, upright, with anchors within a
// millimetre and hinges within 0.02 rad, and that it stands still without its motor.
func TestWalker(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	w := newWorld(t, "walker")
	const frame = 1
	var separation, misalignment float32
	ticks := shortTicks(3600)
	for range ticks {
		w.Step()
		separation, misalignment = max(separation, maxJointSeparation(w)), max(misalignment, maxHingeMisalignment(w))
		if up := axisOf(w, frame, 2).Z; up < 0.998 {
			t.Fatalf("the cosine of the frame's tilt is %v in tick %d", up, w.Tick())
		}
	}
	at := w.Bodies()[frame].Pose.Pos
	t.Logf("walked to %v; separation %.3f mm, misalignment %.4f rad", at, 1000*separation, misalignment)
	if far := float32(ticks) / 60; at.X > -far || at.X < -1.25*far || geom.Abs(at.Y) > 5 {
		t.Errorf("walked to %[2]v in %[1]v s", far, at)
	}
	if separation > 0.001 || misalignment > 0.02 {
		t.Errorf("separation of %v mm, misalignment of %v rad", 1000*separation, misalignment)
	}
	s := *w.Scene()
	s.Joints = append([]sim.Joint(nil), s.Joints...)
	s.Joints[0].MotorSpeed = 0
	w = sim.New(s, 60)
	for range 300 {
		w.Step()
	}
	if at := w.Bodies()[frame].Pose.Pos; awakeCount(w) > 0 || at.Sub(s.Boxes[frame].Start.Pose.Pos).Len() > 0.1 {
		t.Errorf("without a motor: at %v, %d bodies are awake", at, awakeCount(w))
	}
}

// TestWalkerCarriesPlayer checks that a player fixed to the frame moves as fast as the walker
// alone, upright, and that its input does not damage the joints.
func TestWalkerCarriesPlayer(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	w := newWorld(t, "walker:mounted=1")
	ticks, start := shortTicks(1200), float32(0)
	for i := range 60 + ticks {
		if i == 60 { // the walker has reached its speed
			start = w.Bodies()[0].Pose.Pos.X
		}
		w.Step()
		if off := maxJointSeparation(w); off > 0.001 || axisOf(w, 0, 2).Z < 0.995 {
			t.Fatalf("tick %d: separation of %v m, the cosine of the player's tilt is %v", w.Tick(), off, axisOf(w, 0, 2).Z)
		}
	}
	if x, far := w.Bodies()[0].Pose.Pos.X-start, float32(ticks)/60; x > -far || x < -1.25*far {
		t.Errorf("the player moved by %[2]v m in %[1]v s", far, x)
	}
	separation := float32(0)
	for range shortTicks(600) {
		w.Step(sim.Input{Buttons: sim.Forward})
		separation = max(separation, maxJointSeparation(w))
	}
	if separation > 0.02 {
		t.Errorf("the player's push separates joints by %v m", separation)
	}
}

// TestTrain checks that chains of any length follow the player, with joint separations of a few
// centimetres at 20 m/s, and rest when the player does.
func TestTrain(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"train:rods=1", "train", "train:rods=32"} {
		w := newWorld(t, name)
		separation, fast := float32(0), float32(0)
		for i := range shortTicks(1200) {
			w.Step(scriptedInput(sim.Tick(i)))
			separation, fast = max(separation, maxJointSeparation(w)), max(fast, w.Bodies()[0].Linear.Len())
		}
		if separation > 0.05 || fast < 5 {
			t.Errorf("%s: separation of %v m, at up to %v m/s", name, separation, fast)
		}
		for range 900 {
			w.Step()
		}
		if n := awakeCount(w); n > 0 {
			t.Errorf("%s: %d bodies are awake", name, n)
		}
	}
}

// TestRamming checks that walker and trailer survive a player at full speed who then presses Lift
// or Pull beside them: joints separate by less than two centimetres, no body becomes faster than
// the player was, and a few seconds later the joints are as before.
func TestRamming(t *testing.T) {
	t.Parallel()
	names := []string{"trailer", "walker"}
	if experiment.Brief() {
		names = names[:1]
	}
	for _, name := range names {
		for _, buttons := range []sim.Buttons{0, sim.Lift | sim.Forward, sim.Pull} {
			w := newWorld(t, name)
			b := w.Bodies()[0]
			b.Pose.Pos, b.Linear = geom.Vec3{X: -2, Y: -5, Z: 1.2}, geom.Vec3{Y: 32}
			w.SetBody(0, b)
			var separation, fastest float32
			for i := range 600 {
				in := sim.Input{Buttons: buttons}
				if i > 360 {
					in = sim.Input{}
				}
				w.Step(in)
				separation = max(separation, maxJointSeparation(w))
				for k := w.Scene().Players; k < len(w.Bodies()); k++ {
					if v := w.Bodies()[k].Linear.Len(); !(v <= fastest) {
						fastest = v
					}
				}
			}
			if !(separation < 0.02) || !(fastest < 33) {
				t.Errorf("%s, buttons %v: separation of up to %v m, a body reached %v m/s", name, buttons, separation, fastest)
			}
			if g := maxJointSeparation(w); g > 0.001 {
				t.Errorf("%s, buttons %v: a separation of %v m remains", name, buttons, g)
			}
		}
	}
}

// TestLargeWorld checks that the fleet has 10,000 bodies within its bounds, that most of them sleep
// throughout, and that its bars rotate.
func TestLargeWorld(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	w := newWorld(t, "fleet")
	if n := len(w.Bodies()); n != 10000 {
		t.Errorf("%d bodies, want 10000", n)
	}
	near := 0
	for i := range w.Bodies() {
		p := w.Bodies()[i].Pose.Pos
		if geom.Abs(p.X) > w.Scene().HalfWidth-40 || geom.Abs(p.Y) > w.Scene().HalfWidth-40 {
			t.Fatalf("body %d is at %v in a world of %v m", i, p, w.Scene().HalfWidth)
		}
		if p.Len() < 50 {
			near++
		}
	}
	if near > 400 {
		t.Errorf("%d bodies are within 50 m", near)
	}
	for range shortTicks(1200) {
		w.Step()
		if n := awakeCount(w); n > 600 {
			t.Fatalf("%d bodies are awake", n)
		}
	}
	for _, j := range w.Scene().Joints {
		if spin := w.Bodies()[j.B].Angular.Z; geom.Abs(spin-1.5) > 0.01 {
			t.Errorf("bar %d rotates at %v rad/s", j.B, spin)
		}
	}
	if g := maxJointSeparation(w); g > 0.001 {
		t.Errorf("separation of %v m", g)
	}
}

// TestHauler checks that the sled keeps the cubes in their bays while the player drives it at full
// force, on straights and around corners, and that it stands still afterwards.
func TestHauler(t *testing.T) {
	w := newWorld(t, "hauler:cargo=3")
	start := slices.Clone(w.Bodies())
	for tick := range 900 {
		in := sim.Input{}
		if tick < 600 {
			in = sim.Input{Buttons: []sim.Buttons{sim.Right, sim.Forward, sim.Left | sim.Forward, sim.Back}[tick/45%4]}
		}
		w.Step(in)
		at := w.Bodies()[0].Pose
		for i := 1; i <= 3; i++ {
			p := at.Rot.Inverse().Rotate(w.Bodies()[i].Pose.Pos.Sub(at.Pos))
			if off := p.Sub(start[i].Pose.Pos.Sub(start[0].Pose.Pos)); off.Len() > 0.12 {
				t.Fatalf("tick %d: cube %d is displaced by %v m in the sled", tick, i, off)
			}
		}
	}
	if way := w.Bodies()[0].Pose.Pos.Sub(start[0].Pose.Pos).Len(); way < 10 || awakeCount(w) > 0 {
		t.Errorf("the sled moved by %v m, %d bodies are awake", way, awakeCount(w))
	}
	if z := w.Bodies()[0].Pose.Pos.Z; geom.Abs(z-start[0].Pose.Pos.Z) > 0.01 {
		t.Errorf("the sled is at z = %v", z)
	}
}

// TestTurntableCarriesPlayer checks that a player that starts on the table rotates with it.
func TestTurntableCarriesPlayer(t *testing.T) {
	w := newWorld(t, "turntable:rpm=12:aboard=1")
	for range 75 { // a quarter turn
		w.Step()
	}
	if p := w.Bodies()[0].Pose.Pos; p.Sub(geom.Vec3{X: 2.8, Z: floorTop + playerHalf}).Len() > 0.03 {
		t.Errorf("the player is at %v", p)
	}
}

// TestPileAndHeapComeToRest checks that the pile stands, cube upon cube, and that pile and heap
// come to rest above the ground and sleep.
func TestPileAndHeapComeToRest(t *testing.T) {
	t.Parallel()
	layers := ":layers=10"
	if experiment.Brief() {
		layers = ":layers=2"
	}
	for _, name := range []string{"pile", "heap"} {
		w := newWorld(t, name+layers)
		for range 900 {
			w.Step()
		}
		if n := awakeCount(w); n != 0 {
			t.Errorf("%s: %d bodies are awake after 15 s", name, n)
		}
		standing := 0
		for i, b := range w.Bodies() {
			start := w.Scene().Boxes[i].Start.Pose.Pos
			if b.Pose.Pos.Z < 0.19 {
				t.Errorf("%s: body %d is at %v", name, i, b.Pose.Pos)
			}
			layer := float32((i - 1) / (columnsX * columnsY))
			at := geom.Vec3{X: start.X, Y: start.Y, Z: 0.2 + 0.4*layer}
			if d := b.Pose.Pos.Sub(at); i > 0 && geom.Abs(d.X) < 0.2 && geom.Abs(d.Y) < 0.2 && geom.Abs(d.Z) < 0.19 {
				standing++
			}
		}
		if n := len(w.Bodies()) - 1; name == "pile" && standing != n {
			t.Errorf("%d of %d cubes stand", standing, n)
		}
	}
}
