package codec

import (
	"testing"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// partialPair is a broadcast and a receiver with an area of interest, connected by a link.
type partialPair struct {
	env            *predict.Env
	broadcast      Broadcast
	receiver       Receiver
	server, client *packet.Endpoint
	network        link.Network
	ticks          int
	refused        int // packets that the receiver has refused
}

func newPartialPair(t testing.TB, sc sim.Scene, knobs ...string) *partialPair {
	t.Helper()
	p := &partialPair{env: predicttest.NewEnv(sc, 60, -1), network: link.Network{Seed: 3}}
	a, b := link.Pair(&p.network, 0)
	p.client, p.server = packet.NewEndpoint(a), packet.NewEndpoint(b)
	p.broadcast.DeclareRemote(p.env)
	predicttest.SetKnobs(t, p.env.Knobs, knobs...)
	return p
}

// exchange sends a snapshot and reads what has arrived. It reports whether any was fresh.
func (p *partialPair) exchange(t testing.TB) (fresh bool) {
	t.Helper()
	now := time.Duration(p.ticks) * time.Second / 60
	p.ticks++
	w := p.env.World
	p.receiver.SetPartial(IsPartial(&p.broadcast.area.area, w.Scene()))
	p.server.Update(now)
	peers := []predict.Peer{{Endpoint: p.server, Player: 0}}
	p.broadcast.Acknowledge(peers)
	p.broadcast.RecordStep(w)
	p.broadcast.Send(w, peers, make([]sim.Input, w.Scene().Players))
	p.client.Update(now)
	for x, ok := p.client.Receive(); ok; x, ok = p.client.Receive() {
		isFresh, err := p.receiver.Read(x.Payload, w.Scene(), w.Tick())
		if err != nil || p.receiver.Mismatched() {
			p.client.Refuse(x.Sequence)
			p.refused++
		}
		fresh = fresh || isFresh
	}
	p.client.Send(nil)
	return fresh
}

// TestPartialSnapshots checks, with loss, that a body in a partial snapshot has the server's state of
// that tick; that near bodies are in every snapshot, far ones in fewer, and none beyond the cutoff; and
// that at rest the receiver has the server's state of every body in the area, also after the area has
// been switched off and on.
func TestPartialSnapshots(t *testing.T) {
	for _, x := range []struct {
		scene, radius, cutoff, tree string
		far                         [2]float64 // least and largest share of the far bodies' states that arrives
	}{
		{"fleet:fields=2", "40", "150", "off", [2]float64{0.08, 0.3}},
		{"fleet:fields=2", "40", "60", "off", [2]float64{0, 0}},
		{"trailer", "4", "100", "off", [2]float64{0.03, 0.5}},
		{"trailer", "4", "100", "relative", [2]float64{0.01, 0.5}},
	} {
		p := newPartialPair(t, predicttest.Scene(t, x.scene), "interest-radius", x.radius, "interest-cutoff", x.cutoff, "joint-tree", x.tree)
		p.receiver.SetTree(p.broadcast.tree.encoding.Tree(p.env.World.Scene(), &sim.Attachments{}, 0))
		if err := p.network.Parse("loss=20%"); err != nil {
			t.Fatal(err)
		}
		w := p.env.World
		area := &p.broadcast.area.area
		distanceSq := func(i int) float32 { return w.Bodies()[i].Pose.Pos.Sub(w.Bodies()[0].Pose.Pos).LenSq() }
		band := func(i int) int {
			if area.Interval(distanceSq(i)) > 1 {
				return 1
			}
			return 0
		}
		var received, moving [2]float64 // states of moving bodies, near and far
		for i := range 240 {
			in := sim.Input{Buttons: sim.Forward, Heading: uint8(i / 4)}
			if i > 120 {
				in.Buttons = 0
			}
			w.Step(in)
			for k := range w.Bodies() {
				if !w.Bodies()[k].Asleep {
					moving[band(k)]++
				}
			}
			if r := &p.receiver; p.exchange(t) && r.Tick == w.Tick() {
				for k := range r.Bodies {
					if r.ReceivedAt(k) != r.Tick {
						continue
					}
					got, want := &r.Bodies[k], &w.Bodies()[k]
					if d := predict.Diff(got, want); d.Position > 1e-3 || d.Rotation > 1e-3 || x.tree == "off" && *got != *want {
						t.Fatalf("%s, tick %d: body %d is %+v, want %+v", x.scene, r.Tick, k, *got, *want)
					}
					if !got.Asleep {
						received[band(k)]++
					}
				}
			}
		}
		near, far := received[0]/moving[0], received[1]/moving[1]
		t.Logf("%+v: of %v states of moving bodies %v arrive", x, moving, received)
		if near < 0.6 && x.tree == "off" || far < x.far[0] || far > x.far[1] {
			t.Errorf("%+v: of %v states of moving bodies %v arrive", x, moving, received)
		}
		p.network.Parse("loss=0%") // a whole world has many fragments
		for _, radius := range []string{"0", "30"} {
			predicttest.SetKnobs(t, p.env.Knobs, "interest-radius", radius, "interest-cutoff", radius)
			for range 60 {
				w.Step()
				p.exchange(t)
			}
			for k := range w.Bodies() {
				if w.Bodies()[k].Asleep && !area.Excludes(distanceSq(k)) && p.receiver.Bodies[k] != w.Bodies()[k] && x.tree == "off" {
					t.Fatalf("%+v, then %s m: body %d is %+v, want %+v", x, radius, k, p.receiver.Bodies[k], w.Bodies()[k])
				}
			}
		}
	}
}

// TestBodiesTakeTurns checks that of a world whose moving bodies do not fit a packet every snapshot
// sends what fits, and that all bodies have their turn.
func TestBodiesTakeTurns(t *testing.T) {
	const n = 12000
	sc := predicttest.Scene(t, "katamari:cubes=1")
	for i := range n {
		b := sc.Boxes[1]
		b.Start.Pose.Pos, b.Start.Asleep = geom.Vec3{X: float32(i%100) - 50, Y: float32(i/100%100) - 50, Z: 5 + float32(i/10000)}, false
		sc.Boxes = append(sc.Boxes, b)
	}
	p := newPartialPair(t, sc, "interest-radius", "10")
	most := 0.
	for range 60 {
		p.env.World.SetTick(p.env.World.Tick() + 1)
		p.exchange(t)
		most = max(most, p.env.Counters.Value("waiting_bodies"))
	}
	never := 0
	for i := range p.receiver.Bodies {
		if p.receiver.ReceivedAt(i) == 0 && !p.env.World.Bodies()[i].Asleep {
			never++
		}
	}
	if never > 0 {
		t.Errorf("%d of %d bodies were never sent", never, n)
	}
	p = newPartialPair(t, sc)
	for range 5 {
		p.env.World.SetTick(p.env.World.Tick() + 1)
		p.exchange(t)
		most = max(most, p.env.Counters.Value("waiting_bodies"))
	}
	for i := range p.receiver.Bodies {
		if p.receiver.ReceivedAt(i) == 0 && !p.env.World.Bodies()[i].Asleep {
			never++
		}
	}
	if never > 0 || most == 0 {
		t.Errorf("without an area %d of %d bodies were never sent; %v had to wait", never, n, most)
	}
}

// TestPartialAfterWhole checks that a receiver whose server begins to send partial snapshots knows from then on that it
// has all bodies of the last whole one, before the first partial one arrives and after others did earlier.
func TestPartialAfterWhole(t *testing.T) {
	p := newPartialPair(t, predicttest.Scene(t, "fleet:fields=1"))
	for range 2 {
		for p.exchange(t); !p.exchange(t); {
			p.env.World.Step()
		}
		r := &p.receiver
		r.SetPartial(true)
		for i := range r.Bodies {
			if !r.IsCurrent(i) || r.ReceivedAt(i) != r.Tick {
				t.Fatalf("body %d of the whole snapshot of tick %d is of tick %d", i, r.Tick, r.ReceivedAt(i))
			}
		}
		predicttest.SetKnobs(t, p.env.Knobs, "interest-cutoff", "50")
		for range 30 {
			p.env.World.Step()
			p.exchange(t)
		}
		predicttest.SetKnobs(t, p.env.Knobs, "interest-cutoff", "0")
		p.env.World.Step()
	}
}
