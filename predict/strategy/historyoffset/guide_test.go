package historyoffset

import (
	"fmt"
	"strings"
	"testing"

	"ghostcube/internal/golden"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// guideClient is a client of the guide to history offset, alone with its body. Its methods with comments behind their
// lines are the guide's pseudo-code; the others are what one of its words stands for.
type guideClient struct {
	world      *predict.World
	now        sim.Tick
	history    map[sim.Tick]*sim.Body
	pending    smoothing.Shift
	tolerances smoothing.Tolerances
	picture    geom.Pose
	record     strings.Builder
}

func (g *guideClient) tick(keys sim.Input, t sim.Tick, s *sim.Body) { // each tick:
	g.step(keys)                         // step(body, input[now] = keys)
	g.now++                              // now = now + 1
	g.history[g.now] = g.plus(g.pending) // history[now] = body + pending  # where it will be when all is applied
	if s != nil {                        // if a newer snapshot has arrived, made with my inputs before tick t:
		g.correct(t, s) // correct(t, my body in it)
	}
	part := g.take(&g.pending) // part = 1/30 of pending; pending = pending - part
	g.set(g.plus(part))        // body = body + part  # in the simulation, not in the picture alone
	g.send(t, g.now)           // send(input[t] .. input[now - 1])  # t: of the newest snapshot
	g.draw()                   // draw(body), and all other bodies between their snapshots
}

func (g *guideClient) correct(t sim.Tick, s *sim.Body) { // correct(t, S):
	g.forget(t)                        // forget history before tick t
	d := g.difference(s, g.history[t]) // d = 0.7 * (S - history[t]), only what exceeds a tolerance
	for u := t; u <= g.now; u++ {      // for u = t .. now:
		d.ApplyTo(g.history[u]) // history[u] = history[u] + d  # the next snapshot does not correct it again
	}
	g.pending.Add(&d) // pending = pending + d
}

func (g *guideClient) step(keys sim.Input) { g.world.Step(keys) }

func (g *guideClient) plus(s smoothing.Shift) *sim.Body {
	b := g.world.Bodies()[0]
	s.ApplyTo(&b)
	return &b
}

func (g *guideClient) take(pending *smoothing.Shift) smoothing.Shift {
	return pending.Take(1 - float32(29)/30)
}

// set moves the body, and leaves it as it is if it does not move.
func (g *guideClient) set(b *sim.Body) {
	if *b != g.world.Bodies()[0] {
		b.Asleep = false
		g.world.SetBody(0, *b)
	}
}

func (g *guideClient) forget(t sim.Tick) {
	for u := range g.history {
		if u < t {
			delete(g.history, u)
		}
	}
}

func (g *guideClient) difference(s, past *sim.Body) smoothing.Shift {
	d, differs := g.tolerances.Correction(s, past, 0.7)
	if differs {
		fmt.Fprintf(&g.record, "correct %.6f m\n", d.Pos.Len())
	}
	return d
}

func (g *guideClient) send(from, end sim.Tick) { fmt.Fprintf(&g.record, "send %d..%d\n", from, end) }

func (g *guideClient) draw() { g.picture = g.world.Bodies()[0].Pose }

// TestGuide runs the guide's pseudo-code beside a client with history offset, with losses and with pushes that the client
// does not foresee. It has to send the same inputs, correct by the same lengths, and simulate the same body, bit for bit.
func TestGuide(t *testing.T) {
	golden.PseudoCode(t, "history-offset", "guide_test.go")
	r := newRig(t, "plain", "latency=75ms,loss=10%", "correct-by", "offset")
	var g *guideClient
	var client strings.Builder
	compared, corrections := sim.Tick(0), 0
	r.Watch(0, func(traffic *predicttest.Traffic) {
		if g == nil {
			return
		}
		var s *sim.Body
		if at := r.c.Log.ComparedTick(); at > compared {
			compared, s = at, r.c.ServerBody()
		}
		for _, payload := range traffic.Sent {
			var c quant.Coder
			c.BeginRead(payload)
			m := input.Message{NewestTick: r.ClientWorld().Tick()}
			if m.Code(&c); c.Err() != nil {
				t.Fatal(c.Err())
			}
			for _, c := range r.Corrections[corrections:] {
				fmt.Fprintf(&client, "correct %.6f m\n", c.Shift)
			}
			fmt.Fprintf(&client, "send %d..%d\n", m.NewestTick+1-sim.Tick(len(m.Inputs)), m.NewestTick+1)
		}
		corrections = len(r.Corrections)
		g.tick(traffic.Input, compared, s)
		if got := r.ClientWorld().Bodies()[0]; got != g.world.Bodies()[0] || r.View().Bodies[0] != g.picture {
			t.Fatalf("tick %d: the guide's body is %+v, the client's %+v", g.now, g.world.Bodies()[0], got)
		}
	})
	r.Run(150, predicttest.DriveAround)
	w := predict.NewWorld(*r.ClientWorld().Scene(), 60)
	w.CopyFrom(r.ClientWorld())
	g = &guideClient{world: w, now: w.Tick(), history: map[sim.Tick]*sim.Body{},
		tolerances: smoothing.Tolerances{Position: 0.05, Rotation: 2, Linear: 0.01, Angular: 0.01}}
	compared = r.c.Log.ComparedTick()
	for at := compared; at <= g.now; at++ {
		b := r.c.Find(at).Body
		g.history[at] = &b
	}
	g.pending, corrections = r.c.Player.Pending, len(r.Corrections)
	for i := range 400 {
		if i%80 == 30 {
			r.Displace(geom.Vec3{X: 0.5, Y: 0.2})
		}
		r.Run(1, predicttest.DriveAround)
	}
	predicttest.SameRecord(t, g.record.String(), client.String())
	if n := strings.Count(client.String(), "correct"); n < 10 || len(g.history) > 40 || r.Counter("clock_jumps") > 0 {
		t.Errorf("%d corrections, %d states remembered, %v jumps of the clock", n, len(g.history), r.Counter("clock_jumps"))
	}
}
