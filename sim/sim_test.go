package sim

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ghostcube/sim/geom"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// scriptedInput is a scripted player: it holds a set of keys for a third of a second
// and turns its heading slowly.
func scriptedInput(t Tick) Input {
	x := (uint64(t)/20 + 1) * 0x9E3779B97F4A7C15
	x ^= x >> 31
	return Input{Buttons: Buttons(x>>7) & AllButtons &^ (Buttons(x>>23) & (Lift | Pull)), Heading: uint8(t / 8)}
}

func newWorld(t testing.TB, name string) *World {
	t.Helper()
	s, err := SceneNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return New(s, 60)
}

// sceneInput is the scripted player of a scene: where there is something to run
// into, it first does so, gathering.
func sceneInput(name string, t Tick) Input {
	switch name {
	case "pile", "heap", "tower", "seesaw", "billiards", "trailer":
		if t < 240 {
			return Input{Buttons: Forward | Buttons(t/60%2)*Pull}
		}
	case "katamari":
		if t > 60 {
			return Input{Buttons: scriptedInput(t).Buttons | Pull, Heading: scriptedInput(t).Heading}
		}
	}
	return scriptedInput(t)
}

// tickBudget is how many of n ticks a test gives a scene: a large one is slow,
// and slower yet on another machine's emulator.
func tickBudget(name string, n int) int {
	switch name {
	case "katamari", "pile", "heap", "fleet", "walker":
		n /= 6
		if testing.Short() {
			n /= 3
		}
	}
	return n
}

// shortTicks is how many of n ticks a test makes do with if tests are to be short,
// as on another machine's emulator.
func shortTicks(n int) int {
	if testing.Short() {
		return n / 6
	}
	return n
}

// TestSync says that a State is whole: in every scene and every tick, a step
// after Load gives the same world as the step that followed the Save, in the
// same world and in another one.
func TestSync(t *testing.T) {
	for _, name := range SceneNames() {
		w, fresh := newWorld(t, name), newWorld(t, name)
		var s State
		for range tickBudget(name, 600) {
			in := scriptedInput(w.Tick())
			w.Save(&s)
			w.Step(in)
			b1, c1 := w.Hash()
			w.Load(&s)
			w.Step(in)
			b2, c2 := w.Hash()
			fresh.Load(&s)
			fresh.Step(in)
			b3, c3 := fresh.Hash()
			if b1 != b2 || c1 != c2 {
				t.Fatalf("%s: tick %d differs after Load", name, w.Tick())
			}
			if b1 != b3 || c1 != c3 {
				t.Fatalf("%s: tick %d differs in another world", name, w.Tick())
			}
		}
	}
}

// TestReplay says that thirty ticks rewound and replayed end in the same bits.
func TestReplay(t *testing.T) {
	for _, name := range SceneNames() {
		w := newWorld(t, name)
		for range max(1, tickBudget(name, 20)) {
			var s State
			w.Save(&s)
			for range 30 {
				w.Step(scriptedInput(w.Tick()))
			}
			b1, c1 := w.Hash()
			w.Load(&s)
			for range 30 {
				w.Step(scriptedInput(w.Tick()))
			}
			if b2, c2 := w.Hash(); b1 != b2 || c1 != c2 {
				t.Fatalf("%s: ticks %d..%d replay to another world", name, s.Tick, w.Tick())
			}
		}
	}
}

// TestGolden says that a scene gives the same bits as when the golden file was
// written, on whatever machine: a hash every hundred ticks under the scripted
// player, then the tick at which all has come to rest.
func TestGolden(t *testing.T) {
	var b strings.Builder
	for _, name := range SceneNames() {
		w := newWorld(t, name)
		for range 600 {
			w.Step(sceneInput(name, w.Tick()))
			if w.Tick()%100 == 0 {
				bodies, cache := w.Hash()
				fmt.Fprintf(&b, "%s %d %016x %016x\n", name, w.Tick(), bodies, cache)
			}
		}
		for w.Tick() < 3000 && awakeCount(w) > 0 && !hasMotor(w) {
			w.Step()
		}
		bodies, cache := w.Hash()
		fmt.Fprintf(&b, "%s sleeps %d %016x %016x\n", name, w.Tick(), bodies, cache)
	}
	compareGolden(t, "golden.txt", b.String())
}

// hasMotor reports whether something in a world never rests.
func hasMotor(w *World) bool {
	return slices.ContainsFunc(w.joints, func(j joint) bool { return j.MotorSpeed != 0 && j.MaxMotorTorque > 0 })
}

// compareGolden holds text against a golden file, line by line.
func compareGolden(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, lines := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(got), len(lines)) {
		if got[i] != lines[i] {
			t.Fatalf("line %d is\n%s\nthe golden file has\n%s", i+1, got[i], lines[i])
		}
	}
	if len(got) != len(lines) {
		t.Fatalf("%d lines, the golden file has %d", len(got), len(lines))
	}
}

// TestGoldenLong says the same of ten thousand ticks, in which the scripted
// player never rests. It takes half a minute.
func TestGoldenLong(t *testing.T) {
	if os.Getenv("GHOSTCUBE_LONG") == "" {
		t.Skip("ten thousand ticks of every scene: GHOSTCUBE_LONG=1 runs them, and .ci/long does")
	}
	var b strings.Builder
	for _, name := range SceneNames() {
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

func awakeCount(w *World) int {
	n := 0
	for i := range w.state.Bodies {
		if !w.state.Bodies[i].Asleep {
			n++
		}
	}
	return n
}

// TestOneUlp says that the hash sees the smallest change of anything in the
// state, in the tick it happens.
func TestOneUlp(t *testing.T) {
	w := newWorld(t, "zen")
	for range 90 {
		w.Step(Input{Buttons: Forward})
	}
	var s State
	w.Save(&s)
	if len(s.manifolds) == 0 {
		t.Fatal("nothing touches")
	}
	b0, c0 := w.Hash()
	change := func(what string, f func(s *State), body bool) {
		t.Helper()
		var x State
		x.CopyFrom(&s)
		f(&x)
		w.Load(&x)
		if b, c := w.Hash(); (b != b0) != body || (c != c0) == body {
			t.Errorf("%s: bodies differ %t, cache differs %t", what, b != b0, c != c0)
		}
	}
	up := func(f *float32) { *f = nextUp(*f) }
	change("nothing but the tick", func(s *State) { s.Tick++ }, true)
	change("position", func(s *State) { up(&s.Bodies[3].Pose.Pos.Y) }, true)
	change("rotation", func(s *State) { up(&s.Bodies[3].Pose.Rot.W) }, true)
	change("velocity", func(s *State) { up(&s.Bodies[0].Linear.Z) }, true)
	change("spin", func(s *State) { up(&s.Bodies[0].Angular.X) }, true)
	change("sleep", func(s *State) { s.Bodies[5].Asleep = !s.Bodies[5].Asleep }, true)
	change("rest", func(s *State) { s.slowTicks[0]++ }, true)
	change("impulse", func(s *State) { up(&s.manifolds[0].points[0].normalImpulse) }, false)
	change("gap", func(s *State) { up(&s.manifolds[0].points[0].separation) }, false)
	change("friction", func(s *State) { up(&s.manifolds[0].frictionImpulse.X) }, false)
	change("twist", func(s *State) { up(&s.manifolds[0].twistImpulse) }, false)
}

func nextUp(f float32) float32 {
	if f == 0 {
		return 1e-45
	}
	return f + f*1.2e-7
}

// TestCopies says that CopyFrom gives an equal that goes its own way.
func TestCopies(t *testing.T) {
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
		t.Error("the copy went another way")
	}
	b.Step(Input{Buttons: Lift})
	if x, _ := a.Hash(); x != ba {
		t.Error("a step of the copy changed the original")
	}
}

// TestScratchIsDropped says that scratch is no state: a world whose scratch is made
// anew before every step goes on to the same bits, and so does a copy of it.
func TestScratchIsDropped(t *testing.T) {
	for _, name := range SceneNames() {
		w, other := newWorld(t, name), newWorld(t, name)
		for range tickBudget(name, 300) {
			in := scriptedInput(w.Tick())
			w.Step(in)
			other.scratch = newScratch(len(other.state.Bodies))
			other.Step(in)
			a, x := w.Hash()
			if b, y := other.Hash(); a != b || x != y {
				t.Fatalf("%s: tick %d differs without its scratch", name, w.Tick())
			}
		}
	}
}

// TestCopyHasResults says that a copy answers what a caller may ask of the last step as the
// original does.
func TestCopyHasResults(t *testing.T) {
	w, other := newWorld(t, "heap:layers=1"), newWorld(t, "heap:layers=1")
	w.SetKinematic(5, true)
	for range 90 {
		w.Step(scriptedInput(w.Tick()))
	}
	other.CopyFrom(w)
	for i := range w.Bodies() {
		if w.Island(i) != other.Island(i) {
			t.Fatalf("body %d is of island %d, in the copy of %d", i, w.Island(i), other.Island(i))
		}
		if w.KinematicPenetration(i) != other.KinematicPenetration(i) {
			t.Fatalf("body %d is %v m deep, in the copy %v m", i, w.KinematicPenetration(i), other.KinematicPenetration(i))
		}
	}
}

// TestOrder says that another order of contacts gives another world, also
// where a single cube rolls on the ground, that the same order gives the same
// one, and that both are right: nothing sinks.
func TestOrder(t *testing.T) {
	for scene, many := range map[string]bool{"plain": false, "zen": true, "heap:layers=1": true, "katamari:cubes=25": false} {
		run := func(order uint64) (*World, uint64) {
			w := newWorld(t, scene)
			w.Settings.SolveOrderSeed = order
			for range 300 {
				w.Step(Input{Buttons: 1 << (w.Tick() / 40 % 4)}) // roll about
			}
			h, _ := w.Hash()
			return w, h
		}
		_, canonical := run(0)
		w, one := run(1)
		_, again := run(1)
		_, two := run(2)
		if one != again {
			t.Errorf("%s: the same order gave two worlds", scene)
		}
		if one == canonical || one == two && many { // one contact has no two orders of contacts
			t.Errorf("%s: another order gave the same world", scene)
		}
		for i, b := range w.Bodies() {
			if b.Pose.Pos.Z < 0.15 {
				t.Errorf("%s: body %d sank to %v", scene, i, b.Pose.Pos.Z)
			}
		}
	}
}

// TestStepAllocatesNothing holds the steady state of a step and of Save and
// Load to no allocation.
func TestStepAllocatesNothing(t *testing.T) {
	for _, name := range SceneNames() {
		w := newWorld(t, name)
		for range max(150, tickBudget(name, 600)) { // until all that falls has landed
			w.Step(scriptedInput(w.Tick()))
		}
		var s State
		w.Save(&s)
		in := []Input{{Buttons: Right}}
		if n := testing.AllocsPerRun(30, func() { w.Save(&s); w.Load(&s); w.Step(in...); w.TouchedBy() }); n != 0 {
			t.Errorf("%s: %v allocations a tick", name, n)
		}
	}
}

// TestSetBody says what a correction does: it overwrites the body and its
// sleep, wakes what is not asleep, and leaves the contacts of others alone.
func TestSetBody(t *testing.T) {
	w := newWorld(t, "zen")
	for range 60 {
		w.Step()
	}
	if n := awakeCount(w); n != 0 {
		t.Fatalf("%d bodies are awake after a second of nothing", n)
	}
	w.Step(Input{Buttons: Forward})
	_, c0 := w.Hash()
	b := w.Bodies()[14]
	b.Pose.Pos.Z += 1
	b.Asleep = false
	w.SetBody(14, b)
	if _, c := w.Hash(); c != c0 {
		t.Error("the contact cache changed")
	}
	if got := w.Bodies()[14]; got != b {
		t.Errorf("the body is %v, not %v", got, b)
	}
	for range 120 {
		w.Step()
	}
	if got := w.Bodies()[14]; got.Pose.Pos.Sub(b.Pose.Pos.Sub(geom.Vec3{Z: 1})).Len() > 0.1 {
		t.Errorf("it did not fall back: %v", got.Pose.Pos)
	}
	// A body that is put elsewhere in its sleep does not drag its old contacts along.
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
		t.Errorf("a body moved in its sleep jumped from %v to %v", b.Pose.Pos, got.Pose.Pos)
	}
}

func BenchmarkStep(b *testing.B) {
	for _, name := range SceneNames() {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, name)
			in := make([]Input, 1)
			b.ReportAllocs()
			for b.Loop() {
				in[0] = sceneInput(name, w.Tick())
				w.Step(in...)
			}
		})
	}
}

func BenchmarkSaveLoad(b *testing.B) {
	for _, name := range SceneNames() {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, name)
			for range 300 {
				w.Step(sceneInput(name, w.Tick()))
			}
			var s State
			b.ReportAllocs()
			for b.Loop() {
				w.Save(&s)
				w.Load(&s)
			}
		})
	}
}
