package probe

import (
	"math"
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// worldPair is two worlds under the same input; the client's may be ahead.
type worldPair struct {
	server, client *predict.World
	grid           sim.Grid
	DivergenceDetector
}

func newWorldPair(t *testing.T, ahead int) *worldPair {
	t.Helper()
	sc, err := scene.Named("zen")
	if err != nil {
		t.Fatal(err)
	}
	p := &worldPair{server: predict.NewWorld(sc, 60), client: predict.NewWorld(sc, 60)}
	for range ahead {
		p.client.Step(sim.Input{Buttons: sim.Forward})
	}
	for range -ahead {
		p.server.Step(sim.Input{Buttons: sim.Forward})
	}
	return p
}

// step steps both worlds, and changes the client's world when it reaches a tick.
func (p *worldPair) step(at sim.Tick, change func(w *predict.World)) {
	p.server.Step(sim.Input{Buttons: sim.Forward})
	p.client.Step(sim.Input{Buttons: sim.Forward})
	if p.client.Tick() == at {
		change(p.client)
	}
	p.Compare(p.server, p.client, p.grid)
}

// TestDivergence checks that the first tick, body and fields that differ are found,
// whichever world is ahead; that a copy finds the same; and that equal worlds do not
// diverge.
func TestDivergence(t *testing.T) {
	changed := func(body int, f func(b *sim.Body)) func(w *predict.World) {
		return func(w *predict.World) {
			b := w.Bodies()[body]
			f(&b)
			w.SetBody(body, b)
		}
	}
	for _, ahead := range []int{0, 11, -7, 90} {
		for _, c := range []struct {
			body   int
			fields string
			change func(b *sim.Body)
		}{
			{0, "position", func(b *sim.Body) { b.Pose.Pos.Z += 1e-6 }},
			{3, "rotation", func(b *sim.Body) { b.Pose.Rot = b.Pose.Rot.Neg() }},
			{2, "linear", func(b *sim.Body) { b.Linear.Y += 1e-6 }},
			{1, "angular", func(b *sim.Body) { b.Angular.X += 1e-3 }},
			{1, "asleep", func(b *sim.Body) { b.Asleep = !b.Asleep }},
			{4, "position, linear", func(b *sim.Body) { b.Pose.Pos.X, b.Linear.X = 1, 5 }},
			{0, "", nil},
		} {
			p := newWorldPair(t, ahead)
			at := sim.Tick(150)
			change := func(*predict.World) {}
			if c.change != nil {
				change = changed(c.body, c.change)
			}
			for range 140 {
				p.step(at, change)
			}
			q := newWorldPair(t, 0)
			q.server.CopyFrom(p.server)
			q.client.CopyFrom(p.client)
			q.CopyFrom(&p.DivergenceDetector, q.server, q.client, p.client)
			for _, x := range []*worldPair{p, q} {
				for range 60 {
					x.step(at, change)
				}
				want := Divergence{at, c.body, c.fields}
				if c.change == nil {
					want = Divergence{}
				}
				if x.found != (c.change != nil) || x.first != want {
					t.Errorf("%d ticks ahead: %v, %+v; want %+v", ahead, x.found, x.first, want)
				}
			}
		}
	}
}

// TestDivergenceFarBehind checks that the divergence is found when the distance between the
// worlds has grown to many seconds, whichever is ahead, and that a history beyond its limit
// stops growing.
func TestDivergenceFarBehind(t *testing.T) {
	for _, ahead := range []int{700, -700} {
		p := newWorldPair(t, 0)
		first, second := p.client, p.server
		if ahead < 0 {
			first, second = second, first
		}
		change := func(w *predict.World) {
			if w == p.client && w.Tick() == 650 {
				b := w.Bodies()[1]
				b.Linear.X++
				w.SetBody(1, b)
			}
		}
		for _, w := range []*predict.World{first, second} {
			for range 700 {
				w.Step(sim.Input{Buttons: sim.Forward})
				change(w)
				p.Compare(p.server, p.client, p.grid)
			}
		}
		if want := (Divergence{650, 1, "linear"}); !p.found || p.first != want {
			t.Errorf("%d ticks ahead: %v, %+v; want %+v", ahead, p.found, p.first, want)
		}
	}
	var d DivergenceDetector
	if d.grow(1<<30, 901); len(d.history)*901 > maxHistoryHashes || len(d.history) < 4096 {
		t.Errorf("a history of %d ticks", len(d.history))
	}
}

// testGrid is a grid of positions, in steps per metre.
type testGrid float32

func (g testGrid) Snap(b sim.Body) sim.Body {
	for _, x := range []*float32{&b.Pose.Pos.X, &b.Pose.Pos.Y, &b.Pose.Pos.Z} {
		*x = float32(math.Round(float64(*x*float32(g)))) / float32(g)
	}
	return b
}

// TestDivergenceOnGrid checks, with a resting body, that states that are equal on the grid do not
// diverge and others do, and that a state is never compared with one on another grid.
func TestDivergenceOnGrid(t *testing.T) {
	for _, ahead := range []int{0, 5, -5} {
		for _, c := range []struct {
			metres float32
			then   testGrid // after 20 ticks on 16 steps per metre
			found  bool
		}{{0.001, 17, false}, {0.1, 17, true}, {0.001, 4096, true}} {
			p := newWorldPair(t, ahead)
			for i, w := range []*predict.World{p.server, p.client} {
				b := w.Bodies()[3]
				b.Pose.Pos.X = 8 + float32(i)*c.metres
				w.SetBody(3, b)
			}
			for i := range 40 {
				if p.grid = testGrid(16); i >= 20 {
					p.grid = c.then
				}
				p.step(0, nil)
			}
			if p.found != c.found || c.found && (p.first.Body != 3 || p.first.Fields != "position") {
				t.Errorf("%v m, %d ticks ahead: %v, %+v", c.metres, ahead, p.found, p.first)
			}
		}
	}
	p := newWorldPair(t, 5)
	p.grid = testGrid(1 << 12)
	p.step(0, nil)
	p.grid = testGrid(1)
	for range 5 {
		p.step(0, nil)
	}
	if p.found {
		t.Errorf("a state is compared with one on another grid: %+v", p.first)
	}
}

// TestWorldIsNotComparedWithItself checks that a world that was ahead and falls behind is
// not compared with its own past.
func TestWorldIsNotComparedWithItself(t *testing.T) {
	p := newWorldPair(t, 10)
	p.Compare(p.server, p.client, p.grid)
	b := p.client.Bodies()[0]
	b.Pose.Pos.X++
	p.client.SetBody(0, b)
	p.server.SetTick(20)
	if p.Compare(p.server, p.client, p.grid); p.found {
		t.Errorf("%+v", p.first)
	}
}

// BenchmarkDivergence compares two equal worlds of 901 bodies for one tick.
func BenchmarkDivergence(b *testing.B) {
	sc, err := scene.Named("katamari")
	if err != nil {
		b.Fatal(err)
	}
	server, client := predict.NewWorld(sc, 60), predict.NewWorld(sc, 60)
	var d DivergenceDetector
	tick := sim.Tick(0)
	compare := func() {
		server.SetTick(tick)
		client.SetTick(tick + 10)
		d.Compare(server, client, nil)
		tick++
	}
	for range 200 {
		compare()
	}
	b.ReportAllocs()
	for b.Loop() {
		compare()
	}
	if d.found {
		b.Fatal(d.first)
	}
}
