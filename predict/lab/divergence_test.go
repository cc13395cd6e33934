package lab

import (
	"testing"

	"ghostcube/sim"
)

// worldPair is two worlds that go the same way, the guess some ticks ahead.
type worldPair struct {
	server, client *sim.World
	divergenceDetector
}

func newWorldPair(t *testing.T, ahead int) *worldPair {
	t.Helper()
	scene, err := sim.SceneNamed("zen")
	if err != nil {
		t.Fatal(err)
	}
	p := &worldPair{server: sim.New(scene, 60), client: sim.New(scene, 60)}
	for range ahead {
		p.client.Step(sim.Input{Buttons: sim.Forward})
	}
	for range -ahead {
		p.server.Step(sim.Input{Buttons: sim.Forward})
	}
	return p
}

// step steps both worlds, and makes the guess differ when it comes to a tick.
func (p *worldPair) step(at sim.Tick, change func(w *sim.World)) {
	p.server.Step(sim.Input{Buttons: sim.Forward})
	p.client.Step(sim.Input{Buttons: sim.Forward})
	if p.client.Tick() == at {
		change(p.client)
	}
	p.compare(p.server, p.client)
}

// TestDivergence says that the first tick, body and fields that differ are
// found, whichever world is ahead and whatever follows, that a copy finds the
// same, and that nothing is found where nothing differs.
func TestDivergence(t *testing.T) {
	changed := func(body int, f func(b *sim.Body)) func(w *sim.World) {
		return func(w *sim.World) {
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
			change := func(*sim.World) {}
			if c.change != nil {
				change = changed(c.body, c.change)
			}
			for range 140 {
				p.step(at, change)
			}
			q := newWorldPair(t, 0)
			q.server.CopyFrom(p.server)
			q.client.CopyFrom(p.client)
			q.copyFrom(&p.divergenceDetector, q.server, q.client, p.client)
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

// TestWorldIsNotComparedWithItself says that a world that was ahead and is behind is not
// compared with what it was itself.
func TestWorldIsNotComparedWithItself(t *testing.T) {
	p := newWorldPair(t, 10)
	p.compare(p.server, p.client)
	b := p.client.Bodies()[0]
	b.Pose.Pos.X++
	p.client.SetBody(0, b)
	p.server.SetTick(20)
	if p.compare(p.server, p.client); p.found {
		t.Errorf("%+v", p.first)
	}
}

// TestStrategyDivergence holds what the lab finds against what lockstep's own
// checksums find; and says that without loss rewind never parts, that with another
// order of contacts it does, and that a strategy that does not simulate has no
// such thing.
func TestStrategyDivergence(t *testing.T) {
	for _, panes := range [][]string{{"lockstep:contact-order=own-seed", "lockstep"}, {"rewind:contact-order=reordered", "rewind", "noprediction"}} {
		checkDivergence(t, panes)
	}
}

// checkDivergence is a session of panes of which the first one's worlds part and
// the others' do not.
func checkDivergence(t *testing.T, panes []string) {
	t.Helper()
	l := open(t, config(t, "zen", "latency=75ms", AtClient), panes...)
	in := []sim.Input{{Buttons: sim.Forward}}
	for i := range 900 {
		in[0].Buttons = sim.Forward
		if i/60%2 == 1 {
			in[0].Buttons = sim.Left
		}
		if err := l.Tick(Entry{Inputs: in}); err != nil {
			t.Fatal(err)
		}
	}
	m := l.Panes[0].Counters
	d, ok := l.Panes[0].Divergence()
	if sums := m.Value("desyncs") > 0; !ok || d.Fields == "" || sums != (l.Panes[0].Strategy.Name == "lockstep") ||
		sums && (float64(d.Tick) != m.Value("desync_tick") || float64(d.Body) != m.Value("desync_body")) {
		t.Errorf("%+v, %v; by its checksums it is tick %v, body %v", d, ok, m.Value("desync_tick"), m.Value("desync_body"))
	}
	for i, p := range l.Panes {
		want := i == 0
		if d, ok := p.Divergence(); ok != want {
			t.Errorf("%s: %+v, %v", p.Spec(), d, ok)
		}
		for _, m := range p.Measures(nil) {
			switch m.Name {
			case "first_divergent_tick", "first_divergent_body":
				if m.OK != want {
					t.Errorf("%s: %+v", p.Spec(), m)
				}
			case "resimulated_ticks_per_minute":
				if rewinds := p.Strategy.Name == "rewind"; m.OK != rewinds || m.Value != p.Counters.Value("replayed_ticks")*4 {
					t.Errorf("%s: %+v", p.Spec(), m)
				}
			case "up_packets_per_second":
				if n := float64(p.Clients[0].Endpoint.Stats.PacketsSent) / 15; m.Value != n || !m.OK {
					t.Errorf("%s: %+v, want %v", p.Spec(), m, n)
				}
			case "down_kbit_per_second":
				if n := float64(p.ServerStats().BytesSent) * 8 / 1000 / 15; m.Value != n || n == 0 {
					t.Errorf("%s: %+v, want %v", p.Spec(), m, n)
				}
			}
		}
	}
}

// BenchmarkDivergence is one tick of two worlds of 901 bodies that do not
// differ, all awake or asleep.
func BenchmarkDivergence(b *testing.B) {
	scene, err := sim.SceneNamed("katamari")
	if err != nil {
		b.Fatal(err)
	}
	truth, guess := sim.New(scene, 60), sim.New(scene, 60)
	var d divergenceDetector
	tick := sim.Tick(0)
	look := func() {
		truth.SetTick(tick)
		guess.SetTick(tick + 10)
		d.compare(truth, guess)
		tick++
	}
	for range 200 {
		look()
	}
	b.ReportAllocs()
	for b.Loop() {
		look()
	}
	if d.found {
		b.Fatal(d.first)
	}
}
