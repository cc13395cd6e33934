package sim_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// TestSync checks that a State is complete: in every scene and tick, a step after Load equals the
// step that followed the Save, in the same world and in another one.
func TestSync(t *testing.T) {
	t.Parallel()
	for _, name := range goldenScenes() {
		ticks := tickBudget(name, experiment.Pick(300, 600, 600))
		checkSync(t, newScene(t, name), ticks, func(tick sim.Tick) []sim.Input { return []sim.Input{sceneInput(name, tick)} })
	}
}

// checkSync runs a scene for some ticks, each of which has to be the same after a Load, in the same
// world and in another one. It returns the world.
func checkSync(t *testing.T, s sim.Scene, ticks int, inputs func(sim.Tick) []sim.Input) *sim.World {
	t.Helper()
	w, fresh := sim.New(s, 60), sim.New(s, 60)
	var at sim.State
	for range ticks {
		in := inputs(w.Tick())
		w.Save(&at)
		w.Step(in...)
		b1, c1 := w.Hash()
		w.Load(&at)
		w.Step(in...)
		b2, c2 := w.Hash()
		fresh.Load(&at)
		fresh.Step(in...)
		b3, c3 := fresh.Hash()
		if b1 != b2 || c1 != c2 {
			t.Fatalf("%s: tick %d differs after Load", s.Name, w.Tick())
		}
		if b1 != b3 || c1 != c3 {
			t.Fatalf("%s: tick %d differs in another world", s.Name, w.Tick())
		}
	}
	return w
}

// noInputs is the input of a scene without players.
func noInputs(sim.Tick) []sim.Input { return nil }

// goldenScenes are all scenes, and variants in which players walk and fly.
func goldenScenes() []string {
	return append(scene.Names(), "zen:avatar=1", "turntable:aboard=1:avatar=1", "ship:distance=530:jetpack=1")
}

// TestGolden compares every scene with a golden file, to the bit, on any machine: a hash every
// hundred ticks under the scripted player for 600 ticks, then the tick at which all bodies sleep.
// Without GHOSTCUBE_CI it stops after 200 ticks, in large scenes after 100.
func TestGolden(t *testing.T) {
	t.Parallel()
	table := "\n" + golden.Read(t, "golden.txt")
	var b strings.Builder
	for _, name := range goldenScenes() {
		w := newWorld(t, name)
		ticks := 600
		brief := !experiment.Enabled() && !(golden.Adding() && !strings.Contains(table, "\n"+name+" "))
		if brief {
			ticks = max(100, tickBudget(name, ticks))
		}
		for range ticks {
			w.Step(sceneInput(name, w.Tick()))
			if w.Tick()%100 == 0 {
				bodies, cache := w.Hash()
				fmt.Fprintf(&b, "%s %d %016x %016x\n", name, w.Tick(), bodies, cache)
			}
		}
		if brief {
			continue
		}
		for w.Tick() < 3000 && awakeCount(w) > 0 && !hasMotor(w) {
			w.Step()
		}
		bodies, cache := w.Hash()
		fmt.Fprintf(&b, "%s sleeps %d %016x %016x\n", name, w.Tick(), bodies, cache)
	}
	compareGolden(t, "golden.txt", b.String())
}

// hasMotor reports whether a motor keeps a world awake.
func hasMotor(w *sim.World) bool {
	return slices.ContainsFunc(w.Scene().Joints, func(j sim.Joint) bool { return j.MotorSpeed != 0 && j.MaxMotorTorque > 0 })
}

// compareGolden compares text with a golden table. Without GHOSTCUBE_CI the text may lack lines.
func compareGolden(t *testing.T, name, text string) {
	t.Helper()
	if golden.Updating() && !experiment.Enabled() {
		t.Fatal("-update needs GHOSTCUBE_CI=1, or the golden file would be incomplete")
	}
	golden.Table(t, name, strings.FieldsFunc(text, func(r rune) bool { return r == '\n' }), experiment.Enabled() && !golden.Adding(), goldenKey)
}

// goldenKey returns the scene and the tick of a line of a golden file.
func goldenKey(line string) string {
	scene, rest, _ := strings.Cut(line, " ")
	tick, _, _ := strings.Cut(rest, " ")
	return scene + " " + tick
}

// TestGoldenLong is TestGolden for 10,000 ticks of the scripted player. It takes half a minute.
func TestGoldenLong(t *testing.T) {
	t.Parallel()
	if os.Getenv("GHOSTCUBE_LONG") == "" && !golden.Adding() {
		t.Skip("ten thousand ticks of every scene: GHOSTCUBE_LONG=1 runs them, and .ci/long does")
	}
	table := "\n" + golden.Read(t, "golden-long.txt")
	var b strings.Builder
	for _, name := range scene.Names() {
		if golden.Adding() && strings.Contains(table, "\n"+name+" ") {
			continue
		}
		w := newWorld(t, name)
		for range 10000 {
			w.Step(sceneInput(name, w.Tick()))
			if w.Tick()%1000 == 0 {
				bodies, cache := w.Hash()
				fmt.Fprintf(&b, "%s %d %016x %016x\n", name, w.Tick(), bodies, cache)
			}
		}
	}
	compareGolden(t, "golden-long.txt", b.String())
}

// TestCopyFrom checks that CopyFrom makes an equal world that is independent of the original.
func TestCopyFrom(t *testing.T) {
	a, b := newWorld(t, "zen"), newWorld(t, "zen")
	for range 200 {
		a.Step(scriptedInput(a.Tick()))
	}
	b.CopyFrom(a)
	for range 100 {
		a.Step(scriptedInput(a.Tick()))
		b.Step(scriptedInput(b.Tick()))
	}
	ba, ca := a.Hash()
	if bb, cb := b.Hash(); ba != bb || ca != cb {
		t.Error("the copy diverges")
	}
	b.Step(sim.Input{Buttons: sim.Lift})
	if x, _ := a.Hash(); x != ba {
		t.Error("a step of the copy changed the original")
	}
}

// TestScratchIsNotState checks that a world with new scratch before every step continues with the
// same bits. In the scene with a ship that a player flies, the player on it wakes it: the forces that held it when it fell
// asleep are not kept.
func TestScratchIsNotState(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, name := range append(scene.Names(), "ship:players=2") {
		w, other := newWorld(t, name), newWorld(t, name)
		for range tickBudget(name, 300) {
			in := []sim.Input{scriptedInput(w.Tick())}
			if w.Scene().Players > 1 {
				in = append(in, sim.Input{})
				if w.Tick()%100 > 60 {
					in[1].Buttons = sim.Right
				}
			}
			w.Step(in...)
			other.DropScratch()
			other.Step(in...)
			a, x := w.Hash()
			if b, y := other.Hash(); a != b || x != y {
				t.Fatalf("%s: tick %d differs with new scratch", name, w.Tick())
			}
		}
	}
}

// TestCopyHasResults checks that a copy has the results of the last step.
func TestCopyHasResults(t *testing.T) {
	w, other := newWorld(t, "heap:layers=1"), newWorld(t, "heap:layers=1")
	w.SetKinematic(5, true)
	for range 90 {
		w.Step(scriptedInput(w.Tick()))
	}
	other.CopyFrom(w)
	for i := range w.Bodies() {
		if w.Island(i) != other.Island(i) {
			t.Fatalf("body %d has island %d, %d in the copy", i, w.Island(i), other.Island(i))
		}
		if w.KinematicPenetration(i) != other.KinematicPenetration(i) {
			t.Fatalf("body %d has a penetration of %v m, %v m in the copy", i, w.KinematicPenetration(i), other.KinematicPenetration(i))
		}
	}
}

// TestSolveOrder checks that another order of contacts gives another world, even for a single cube
// on the ground, that the same order gives the same world, and that no body sinks in either.
func TestSolveOrder(t *testing.T) {
	t.Parallel()
	for spec, many := range map[string]bool{"plain": false, "zen": true, "heap:layers=1": true, "katamari:cubes=25": false} {
		run := func(order uint64) (*sim.World, uint64) {
			w := newWorld(t, spec)
			w.Settings.SolveOrderSeed = order
			for range 300 {
				w.Step(sim.Input{Buttons: 1 << (w.Tick() / 40 % 4)}) // roll around
			}
			h, _ := w.Hash()
			return w, h
		}
		_, canonical := run(0)
		w, one := run(1)
		_, again := run(1)
		_, two := run(2)
		if one != again {
			t.Errorf("%s: the same order gives different worlds", spec)
		}
		if one == canonical || one == two && many { // a single contact has only one other order
			t.Errorf("%s: another order gives the same world", spec)
		}
		for i, b := range w.Bodies() {
			if b.Pose.Pos.Z < 0.15 {
				t.Errorf("%s: body %d sank to z = %v", spec, i, b.Pose.Pos.Z)
			}
		}
	}
}

// TestStepAllocatesNothing checks that steps, Save and Load do not allocate.
func TestStepAllocatesNothing(t *testing.T) {
	for i, name := range scene.Names() {
		if i%experiment.Pick(3, 1, 1) != 0 {
			continue
		}
		w := newWorld(t, name)
		for range max(100, tickBudget(name, 600)) { // until falling bodies have landed
			w.Step(scriptedInput(w.Tick()))
		}
		var s sim.State
		w.Save(&s)
		in := []sim.Input{{Buttons: sim.Right}}
		if n := testing.AllocsPerRun(30, func() { w.Save(&s); w.Load(&s); w.Step(in...) }); n != 0 {
			t.Errorf("%s: %v allocations per tick", name, n)
		}
	}
}

// TestSetBody checks that a correction overwrites a body and its sleep and does not change contacts
// of other bodies.
func TestSetBody(t *testing.T) {
	w := newWorld(t, "zen")
	for range 60 {
		w.Step()
	}
	if n := awakeCount(w); n != 0 {
		t.Fatalf("%d bodies are awake after a second without input", n)
	}
	w.Step(sim.Input{Buttons: sim.Forward})
	_, c0 := w.Hash()
	b := w.Bodies()[14]
	b.Pose.Pos.Z += 1
	b.Asleep = false
	w.SetBody(14, b)
	if _, c := w.Hash(); c != c0 {
		t.Error("the contact cache changed")
	}
	if got := w.Bodies()[14]; got != b {
		t.Errorf("the body is %v, want %v", got, b)
	}
	for range 120 {
		w.Step()
	}
	if got := w.Bodies()[14]; got.Pose.Pos.Sub(b.Pose.Pos.Sub(geom.Vec3{Z: 1})).Len() > 0.1 {
		t.Errorf("the body did not fall back: %v", got.Pose.Pos)
	}
	// A body that is moved in its sleep loses its old contacts.
	b = w.Bodies()[10]
	b.Pose.Pos.X += 3
	b.Pose.Pos.Z = 0.2
	b.Asleep = true
	w.SetBody(10, b)
	for range 60 {
		w.Step()
	}
	b.Asleep, b.Linear.Z = false, 0.01
	w.SetBody(10, b)
	for range 60 {
		w.Step()
	}
	if got := w.Bodies()[10]; got.Pose.Pos.Sub(b.Pose.Pos).Len() > 0.02 {
		t.Errorf("a body that was moved in its sleep jumped from %v to %v", b.Pose.Pos, got.Pose.Pos)
	}
}

// TestEnergyNeverGrows checks scenes without input and damping: the energy never exceeds that at
// the start, and does not grow from second to second. Within a second it may grow a little, because
// soft contacts store energy of an impact, which is not in the sum.
func TestEnergyNeverGrows(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pile:layers=3", "heap:layers=3", "tower", "katamari:cubes=25", "zen"} {
		s := newScene(t, name)
		s.Damping = 0
		w := sim.New(s, 60)
		e0 := energy(w)
		second := e0
		for range 900 {
			w.Step()
			e := energy(w)
			if e > e0*(1+1e-5) {
				t.Fatalf("%s: %v J in tick %d, %v J at the start", name, e, w.Tick(), e0)
			}
			if w.Tick()%60 == 0 {
				if e > second*(1+1e-4) {
					t.Errorf("%s: energy grew from %v to %v J in the second before tick %d", name, second, e, w.Tick())
				}
				second = e
			}
		}
		if falls := name != "tower" && name != "zen"; falls && second > 0.9*e0 {
			t.Errorf("%s: %v J at the start, still %v J at the end", name, e0, second)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	for _, name := range scene.Names() {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, name)
			in := make([]sim.Input, 1)
			b.ReportAllocs()
			for b.Loop() {
				in[0] = sceneInput(name, w.Tick())
				w.Step(in...)
			}
		})
	}
}

// BenchmarkAwake steps worlds of cubes on the ground of which some are awake and stay so.
func BenchmarkAwake(b *testing.B) {
	for _, c := range []struct{ awake, bodies int }{{1, 901}, {10, 901}, {100, 901}, {901, 901}, {1, 10001}} {
		b.Run(fmt.Sprintf("%d of %d", c.awake, c.bodies), func(b *testing.B) {
			w := restingWorld(b, c.awake, c.bodies)
			b.ReportAllocs()
			for b.Loop() {
				w.Step()
			}
			if n := awakeCount(w); n != c.awake {
				b.Fatalf("%d bodies are awake, want %d", n, c.awake)
			}
		})
	}
}

// restingWorld returns a world of a player and cubes that lie on the ground apart from each other, some of them awake
// for ever and the others asleep, a second after its start.
func restingWorld(t testing.TB, awake, bodies int) *sim.World {
	t.Helper()
	s := baseScene()
	s.NoSleep = true
	for i := range bodies - 1 {
		s.Boxes = append(s.Boxes, cube(geom.Vec3{X: 2 + float32(i%30), Y: float32(i/30) - float32(bodies/60), Z: cubeHalf}, 0))
	}
	for i := range awake {
		s.Boxes[i].Start.Asleep = false
	}
	w := sim.New(s, 60)
	stepTicks(w, 60, sim.Input{})
	return w
}

func BenchmarkSaveLoad(b *testing.B) {
	for _, name := range scene.Names() {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, name)
			for range 300 {
				w.Step(sceneInput(name, w.Tick()))
			}
			var s sim.State
			b.ReportAllocs()
			for b.Loop() {
				w.Save(&s)
				w.Load(&s)
			}
		})
	}
}
