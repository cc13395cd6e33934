package sim_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestAwakeList changes a world at random, between steps and as every caller may, and checks after each step that it
// knows what is awake, and that it equals a world that finds out anew in each step.
func TestAwakeList(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, name := range append(goldenScenes(), "katamari:cubes=100", "heap:layers=1", "ship:distance=530") {
		for seed := range uint64(2) {
			r := rand.New(rand.NewPCG(seed, 1))
			listed, scanned := newChangedWorld(t, name), newChangedWorld(t, name)
			quiet := 0
			for range tickBudget(name, experiment.Pick(300, 300, 600)) {
				if quiet--; quiet < 0 {
					quiet = r.IntN(30)
					for range 1 + r.IntN(3) {
						kind, body, x := r.IntN(changeKinds), r.IntN(len(listed.w.Bodies())), r.Uint32()
						listed.change(kind, body, x)
						scanned.change(kind, body, x)
					}
				}
				in := sceneInput(name, listed.w.Tick())
				if seed == 0 {
					in = sim.Input{}
				}
				listed.w.Step(in)
				sim.ForgetAwake(scanned.w)
				scanned.w.Step(in)
				if err := sim.CheckAwake(listed.w); err != nil {
					t.Fatalf("%s, seed %d, tick %d: %v", name, seed, listed.w.Tick(), err)
				}
				a, x := listed.w.Hash()
				if b, y := scanned.w.Hash(); a != b || x != y {
					t.Fatalf("%s, seed %d: tick %d differs from that of a world that scans all bodies", name, seed, listed.w.Tick())
				}
				for i := range listed.w.Bodies() {
					if listed.w.Island(i) != scanned.w.Island(i) {
						t.Fatalf("%s, seed %d, tick %d: body %d is in another island", name, seed, listed.w.Tick(), i)
					}
				}
			}
		}
	}
}

// changedWorld is a world that changes as callers may change it, beside another one and a saved state.
type changedWorld struct {
	w, other *sim.World
	saved    sim.State
}

func newChangedWorld(t *testing.T, name string) *changedWorld {
	c := &changedWorld{w: newWorld(t, name), other: newWorld(t, name)}
	c.w.Save(&c.saved)
	return c
}

const changeKinds = 15

// change makes one change to a body or to the world. x is a random number.
func (c *changedWorld) change(kind, body int, x uint32) {
	w, b := c.w, c.w.Bodies()[body]
	some := geom.Vec3{X: float32(x&255)/255 - 0.5, Y: float32(x>>8&255)/255 - 0.5, Z: float32(x>>16&255) / 1024}
	switch kind {
	case 0: // wake, or put to sleep
		b.Asleep = !b.Asleep
		w.SetBody(body, b)
	case 1: // move, also in its sleep
		b.Pose.Pos = b.Pose.Pos.Add(some)
		w.SetBody(body, b)
	case 2: // with any speed, also in its sleep
		b.Linear = some.Scale(600)
		w.SetBody(body, b)
	case 3:
		w.Save(&c.saved)
	case 4:
		w.Load(&c.saved)
	case 5:
		c.w, c.other = c.other, w
	case 6:
		c.other.CopyFrom(w)
		c.w, c.other = c.other, w
	case 7:
		w.SetKinematic(body, !w.IsKinematic(body))
	case 8:
		w.DropHiddenState()
	case 9:
		w.DropContacts(body)
	case 10:
		w.SetTick(w.Tick() + sim.Tick(x%32))
	case 11:
		w.PinCarriers(w.Tick().Moment() + sim.Moment(x))
	case 12:
		w.UnpinCarriers()
	case 13:
		a := w.Attachments()
		a.Open = uint64(x) & (1<<len(w.Scene().Couplings) - 1)
		w.SetAttachments(a)
	case 14:
		w.Quantise(&codec.SyncGrid)
	}
}

// TestPairs compares the pairs that the broad phase finds with those of all shapes that overlap, while boxes of very
// different sizes fall asleep, wake and move.
func TestPairs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 2))
		any := func(low, high float32) float32 { return low + float32(r.Float32()*(high-low)) }
		s := baseScene()
		for i := range 160 {
			b := cube(geom.Vec3{X: any(-12, 12), Y: any(-12, 12), Z: any(0.5, 6)}, any(0, 3))
			b.Half = geom.Vec3{X: any(0.1, 0.5), Y: any(0.1, 0.5), Z: any(0.1, 0.5)}
			if i%8 == 0 {
				b.Half.X = any(1, 6)
			}
			b.Start.Linear = geom.Vec3{X: any(-9, 9), Y: any(-9, 9)}
			b.Start.Asleep = r.IntN(3) > 0
			if i%20 == 19 {
				s.Static = append(s.Static, b)
			} else {
				s.Boxes = append(s.Boxes, b)
			}
		}
		w := sim.New(s, 60)
		for range 60 {
			if err := sim.CheckPairs(w); err != nil {
				t.Fatalf("seed %d, tick %d: %v", seed, w.Tick(), err)
			}
			w.Step()
			b := w.Bodies()[r.IntN(len(w.Bodies()))]
			b.Asleep = r.IntN(2) == 0
			w.SetBody(r.IntN(len(w.Bodies())), b)
		}
	}
}

// TestWakingByContact checks which contacts of a sleeping body remain in the step in which another body wakes it: those
// before that contact in the order of contacts. The others are found again a step later, because pairs of sleepers
// are not looked for.
func TestWakingByContact(t *testing.T) {
	at := func(x, y float32) sim.Box { return boxAt(x, y, cubeHalf, cubeHalf, 1) }
	w := sim.New(boxScene(at(-0.405, 0), at(0, 3), at(0, 0), at(0.405, 0)), 60)
	stepTicks(w, 60, sim.Input{})
	if n := awakeCount(w); n != 0 {
		t.Fatalf("%d bodies are awake after a second", n)
	}
	b := w.Bodies()[1]
	b.Pose.Pos.Y, b.Linear.Y, b.Asleep = 0.405, -0.3, false
	w.SetBody(1, b)
	w.Step()
	if got, want := w.AppendContactPairs(nil), []sim.BodyPair{{A: 0, B: 2}, {A: 1, B: 2}}; !slices.Equal(got, want) {
		t.Errorf("the contacts of awake bodies are %v, want %v", got, want)
	}
	w.Step()
	if got, want := w.AppendContactPairs(nil), []sim.BodyPair{{A: 0, B: 2}, {A: 1, B: 2}, {A: 2, B: 3}}; !slices.Equal(got, want) {
		t.Errorf("a step later they are %v, want %v", got, want)
	}
}

// TestChanges checks that Changes grows with every change from outside that bodies can tell, and with no other.
func TestChanges(t *testing.T) {
	w, other := newWorld(t, "convoy"), newWorld(t, "convoy")
	stepTicks(w, 30, sim.Input{Buttons: sim.Forward})
	var saved sim.State
	w.Save(&saved)
	for _, c := range []struct {
		what  string
		grows bool
		do    func()
	}{
		{"steps", false, func() { stepTicks(w, 90, sceneInput("convoy", w.Tick())) }},
		{"an equal body", false, func() { w.SetBody(0, w.Bodies()[0]) }},
		{"SetBody", true, func() { b := w.Bodies()[0]; b.Linear.X++; w.SetBody(0, b) }},
		{"sleep", true, func() { b := w.Bodies()[0]; b.Asleep = !b.Asleep; w.SetBody(0, b) }},
		{"DropHiddenState", false, w.DropHiddenState},
		{"Load", true, func() { w.Load(&saved) }},
		{"Load of the same", false, func() { w.Load(&saved) }},
		{"Quantise", true, func() { w.Quantise(&codec.SyncGrid) }},
		{"another Quantise", false, func() { w.Quantise(&codec.SyncGrid) }},
		{"equal attachments", false, func() { w.SetAttachments(w.Attachments()) }},
		{"SetAttachments", true, func() { a := w.Attachments(); a.Open ^= 1; w.SetAttachments(a) }},
	} {
		before := w.Changes()
		c.do()
		if grew := w.Changes() > before; grew != c.grows {
			t.Errorf("%s: from %d to %d, want it to grow: %t", c.what, before, w.Changes(), c.grows)
		}
	}
	if other.CopyFrom(w); other.Changes() != w.Changes() {
		t.Errorf("%d in a copy, want %d", other.Changes(), w.Changes())
	}
}
