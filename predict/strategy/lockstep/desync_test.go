package lockstep

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/part/desync"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestLocatesDesync changes one body in one tick and checks that the client locates that tick and
// that body, even over a bad link.
func TestLocatesDesync(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	rounds := 12
	if experiment.Brief() {
		rounds = 4
	}
	for n := range rounds {
		network := []string{"latency=75ms", "latency=75ms,loss=40%", "latency=1s,loss=25%"}[n%3]
		host := n%2 == 0
		r := newRig(t, "katamari:cubes=64", network, host) // cubes that do not touch each other
		r.run(200 + random.IntN(100))
		w := r.s.env.World
		body := 1 + random.IntN(len(w.Bodies())-1)
		for !isIsolated(w, body) {
			body = 1 + random.IntN(len(w.Bodies())-1)
		}
		if n%4 == 3 {
			w = r.c[0].env.World
		}
		at := w.Tick() + 1
		b := w.Bodies()[body]
		b.Pose.Pos.Z += 1e-4
		b.Asleep = false
		w.SetBody(body, b)
		r.run(700)
		j := &r.c[0].state.desync
		if tick, first, ok := j.Located(); !ok || tick != at || first != body {
			t.Errorf("%s: body %d differs from tick %d on; located: tick %d, body %d, %v", network, body, at, tick, first, ok)
		}
		if got := []float64{r.Counter("desyncs"), r.Counter("desync_tick"), r.Counter("desync_body")}; !slices.Equal(got, []float64{1, float64(at), float64(body)}) {
			t.Errorf("desyncs, desync_tick and desync_body are %v", got)
		}
		if want := fmt.Sprintf("worlds differ since server tick %d: body %d", at, body); len(j.Note) < len(want) || j.Note[:len(want)] != want {
			t.Errorf("the note is %q, want %q", j.Note, want)
		}
	}
}

// isIsolated reports whether no other body is near a body.
func isIsolated(w *predict.World, body int) bool {
	for i, b := range w.Bodies() {
		if i != body && b.Pose.Pos.Sub(w.Bodies()[body].Pose.Pos).Len() < 0.9 {
			return false
		}
	}
	return true
}

// TestContactOrder is the article's experiment: if each side solves contacts in its own order, the
// worlds diverge as soon as cubes touch; with the same seed on all sides, taken from the tick, they
// stay the same.
func TestContactOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, "katamari:cubes=100", "latency=75ms", true, "contact-order", "own-seed")
	r.run(600)
	differs, _, located := r.c[0].state.desync.Located()
	if r.Counter("desyncs") != 1 || !located {
		t.Fatalf("%v desyncs, located: %v", r.Counter("desyncs"), located)
	}
	// The first tick that differs is one with contacts.
	w := predict.NewWorld(*r.s.env.World.Scene(), 60)
	for w.Tick() < differs {
		if w.ContactPointCount() > 4*100 && w.Tick()+1 < differs {
			t.Fatalf("the player has contacts at tick %d, the worlds diverge at %d", w.Tick(), differs)
		}
		w.Step(scriptedInput(0, int(w.Tick())))
	}
	r = newRig(t, "katamari:cubes=100", "latency=75ms", true, "contact-order", "tick-seed")
	r.run(600)
	r.requireSync(t)
	fixed := newRig(t, "katamari:cubes=100", "latency=75ms", true)
	fixed.run(600)
	if a, b := r.s.env.World.Bodies()[0], fixed.s.env.World.Bodies()[0]; a == b {
		t.Error("the seed changes no contact order")
	}
}

// BenchmarkChecksum measures the checksum of a tick with 901 bodies.
func BenchmarkChecksum(b *testing.B) {
	sc := predicttest.Scene(b, "katamari")
	w := predict.NewWorld(sc, 60)
	for range 120 {
		w.Step(sim.Input{Buttons: sim.Pull})
	}
	r := desync.NewHistory(len(w.Bodies()))
	b.ReportAllocs()
	for b.Loop() {
		r.Record(w)
	}
}
