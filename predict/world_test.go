package predict_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

func newWorld(t *testing.T, spec string) *predict.World {
	t.Helper()
	s, err := scene.Named(spec)
	if err != nil {
		t.Fatal(err)
	}
	return predict.NewWorld(s, 60)
}

// push presses keys by which two players run into the pile and pull from it.
func push(tick sim.Tick) []sim.Input {
	buttons := []sim.Buttons{sim.Forward, sim.Forward | sim.Pull, sim.Right | sim.Lift, sim.Back, sim.Left | sim.Pull}
	n := int(tick) / 25
	return []sim.Input{{Buttons: buttons[n%5]}, {Buttons: buttons[(n+2)%5]}}
}

// TestStateHasOwnership checks that a saved world and a copy of a world continue with the same
// owners, bit for bit.
func TestStateHasOwnership(t *testing.T) {
	w := newWorld(t, "katamari:players=2")
	var s predict.State
	owned := false
	for range 30 {
		w.Save(&s)
		copied := newWorld(t, "katamari:players=2")
		copied.CopyFrom(w)
		if !slices.Equal(copied.TouchedBy(), w.TouchedBy()) {
			t.Fatalf("tick %d: a copy reports other players who touch", w.Tick())
		}
		for range 10 {
			w.Step(push(w.Tick())...)
		}
		bodies, cache := w.Hash()
		owners := slices.Clone(w.Owners())
		owned = owned || slices.Contains(owners[2:], 0) && slices.Contains(owners[2:], 1)

		loaded := newWorld(t, "katamari:players=2")
		loaded.Load(&s)
		w.Load(&s)
		for _, other := range []*predict.World{w, loaded, copied} {
			for range 10 {
				other.Step(push(other.Tick())...)
			}
			if b, c := other.Hash(); b != bodies || c != cache || !slices.Equal(other.Owners(), owners) {
				t.Fatalf("tick %d differs after the replay", other.Tick())
			}
		}
	}
	if !owned {
		t.Error("the players never owned cubes at the same time")
	}
}

// TestHashHasOwnership checks that the hashes show the owner of a body and how long its owner has not
// touched it.
func TestHashHasOwnership(t *testing.T) {
	w, other := newWorld(t, "two-players"), newWorld(t, "two-players")
	last := len(w.Bodies()) - 1
	hash := func(w *predict.World) [3]uint64 {
		bodies, cache := w.Hash()
		return [3]uint64{bodies, cache, uint64(w.BodyHash(last))}
	}
	if hash(w) != hash(other) {
		t.Fatal("equal worlds have unequal hashes")
	}
	other.SetOwner(last, 1)
	a, b := hash(w), hash(other)
	if a[0] == b[0] || a[1] != b[1] || a[2] == b[2] {
		t.Errorf("the hashes are %x without an owner and %x with one", a, b)
	}
	w.SetOwner(last, 1)
	w.Step()
	other.Step()
	if hash(w) != hash(other) {
		t.Error("the same owner gives unequal hashes")
	}
	w.SetOwner(last, sim.NoPlayer)
	w.SetOwner(last, 1) // touched just now
	if a, b := hash(w), hash(other); a[0] == b[0] {
		t.Error("the hash does not show when a body was last touched")
	}
}

// TestWorldAllocatesNothing checks that Save, Load and Step of a world in motion allocate nothing.
func TestWorldAllocatesNothing(t *testing.T) {
	w := newWorld(t, "katamari:players=2")
	for range 300 {
		w.Step(push(w.Tick())...)
	}
	var start, end predict.State
	w.Save(&start)
	inputs := push(0)
	if n := testing.AllocsPerRun(30, func() { w.Load(&start); w.Step(inputs...); w.Save(&end) }); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
}

// TestSolverDropsCache checks that the solver drops the contact cache before every tick that drop-cache
// divides, and before no other.
func TestSolverDropsCache(t *testing.T) {
	hashes := map[string]bool{}
	run := func(every int, drops func(t sim.Tick) bool) uint64 {
		w := newWorld(t, "pile:layers=2")
		var k predict.Knobs
		var p predict.Solver
		k.Solver(&p, w)
		p.DropCacheEvery = every
		for range 95 {
			if drops != nil && drops(w.Tick()) {
				w.DropCache()
			}
			p.Step(w, sim.Input{Buttons: sim.Forward})
		}
		bodies, cache := w.Hash()
		return bodies ^ cache
	}
	by := func(n sim.Tick) func(sim.Tick) bool { return func(t sim.Tick) bool { return t%n == 0 } }
	for name, c := range map[string]struct {
		every int
		drops func(sim.Tick) bool
	}{"never": {0, nil}, "30": {30, by(30)}, "7": {7, by(7)}} {
		want := run(0, c.drops)
		if got := run(c.every, nil); got != want {
			t.Errorf("drop-cache=%s: %x, want %x", name, got, want)
		}
		hashes[fmt.Sprint(want)] = true
	}
	if len(hashes) != 3 {
		t.Error("dropping the cache changes nothing")
	}
}

// TestResetView checks that a reset view is empty.
func TestResetView(t *testing.T) {
	poses, flags := make([]geom.Pose, 2), make([]bool, 2)
	v := predict.View{
		Others: 1, Own: 2, Carriers: 3, Bodies: poses, Simulated: poses, LastReceived: poses, Trail: poses,
		Note: "a note", TouchedBy: make([]int8, 2), Predicted: flags, Fallback: flags, Outside: flags,
		Effects: make([]predict.Effect, 2),
	}
	full := reflect.ValueOf(v)
	for i := range full.NumField() {
		if full.Field(i).IsZero() {
			t.Errorf("the test leaves out %s", full.Type().Field(i).Name)
		}
	}
	v.Reset()
	for i, r := 0, reflect.ValueOf(v); i < r.NumField(); i++ {
		if f := r.Field(i); f.Kind() == reflect.Slice && f.Len() > 0 || f.Kind() != reflect.Slice && !f.IsZero() {
			t.Errorf("%s is %v", r.Type().Field(i).Name, f)
		}
	}
}

// TestMaxError checks that the error of a difference is its largest displacement: at once, or by a velocity
// after a time.
func TestMaxError(t *testing.T) {
	for _, c := range []struct {
		d              predict.Difference
		reach, seconds float32
		want           float32
	}{
		{predict.Difference{Position: 0.5}, 2, 0.1, 0.5},
		{predict.Difference{Rotation: 0.5}, 2, 0.1, 1},
		{predict.Difference{Linear: 8, Position: 0.5}, 2, 0.25, 2},
		{predict.Difference{Angular: 8}, 2, 0.25, 4},
		{predict.Difference{Angular: 8, Linear: 20}, 2, 0.25, 5},
	} {
		if got := c.d.MaxError(c.reach, c.seconds); got != c.want {
			t.Errorf("%+v: %v, want %v", c.d, got, c.want)
		}
	}
}

// TestDropHiddenState checks that two worlds with the same bodies and different contacts, sleep counters
// and owners are equal after both have dropped their hidden state, and stay equal.
func TestDropHiddenState(t *testing.T) {
	a, b := newWorld(t, "two-players"), newWorld(t, "two-players")
	push := []sim.Input{{Buttons: sim.Right}, {Buttons: sim.Left}}
	for range 200 {
		a.Step(push...)
	}
	for range 300 {
		b.Step()
	}
	b.SetTick(a.Tick())
	for i, body := range a.Bodies() {
		b.SetBody(i, body)
	}
	same := func() bool {
		v, w := a.Hash()
		x, y := b.Hash()
		return v == x && w == y
	}
	if same() {
		t.Fatal("the worlds do not differ before")
	}
	a.DropHiddenState()
	b.DropHiddenState()
	for i := range 100 {
		if !same() {
			t.Fatalf("the worlds differ %d ticks later", i)
		}
		a.Step(push...)
		b.Step(push...)
	}
}
