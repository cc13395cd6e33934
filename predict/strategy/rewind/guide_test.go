package rewind

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/golden"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// guideClient is a client of the guide to prediction. Its methods with comments behind their lines are the guide's
// pseudo-code; the others are what one of its words stands for.
type guideClient struct {
	world     *predict.World
	now       sim.Tick
	newest    sim.Tick // of the newest snapshot
	trip      sim.Tick // ticks
	lead      sim.Tick
	behind    int64 // ticks, when a snapshot has arrived
	input     map[sim.Tick]sim.Input
	history   map[sim.Tick]*predict.State
	offset    []smoothing.ErrorOffset
	smoothing smoothing.Settings
	picture   []geom.Pose
	record    strings.Builder // of what it sends and replays
}

// guideSnapshot is what arrives from the server.
type guideSnapshot struct {
	n           sim.Tick
	bodies      []sim.Body
	attachments sim.Attachments
	held        []sim.Input
}

func (g *guideClient) tick(keys sim.Input, s *guideSnapshot) { // each tick:  # at first now = newest = 0, and nothing is sent
	g.input[g.now] = keys           // input[now] = keys
	g.history[g.now] = g.save()     // history[now] = world
	g.step(g.input[g.now])          // step(world, input[now])
	g.now++                         // now = now + 1
	g.decay()                       // offset = decayed(offset)
	if s != nil && s.n > g.newest { // if a snapshot has arrived that is newer than newest:  # of several, the newest
		g.steer(s.n + g.trip + g.lead - g.now) // steer(its tick + round trip + lead - now)  # by the pace; at first, or by over a second: jump
		g.correct(s.n, s)                      // correct(its tick, its state)
	}
	g.send(g.newest, g.now)    // send(input[newest] .. input[now - 1])  # at most the last 64
	g.draw(g.pose(), g.offset) // draw(pose(world) + offset)
}

func (g *guideClient) correct(n sim.Tick, s *guideSnapshot) { // correct(n, S):  # S: the server's state before tick n
	g.newest = n    // newest = n
	g.forget(n)     // forget input and history before tick n
	if n >= g.now { // if n >= now:  # the clock is behind
		g.now = n // now = n
	} else if g.history[n] == nil || g.close(g.history[n], s) { // else if history[n] is missing, or close(history[n], S):
		return // return  # nothing to compare with, or as predicted
	}
	drawn := plus(g.pose(), g.offset) // drawn = pose(world) + offset
	g.load(g.history[n], s)           // world = S
	for t := n; t < g.now; t++ {      // for t = n .. now - 1:
		g.history[t] = g.save() // history[t] = world
		g.step(g.input[t])      // step(world, input[t])  # replayed: no sounds, no spawns
	}
	g.offset = g.minus(drawn, g.pose()) // offset = drawn - pose(world)  # the picture does not jump
}

// steer notes by how many ticks the guide's client is behind its aim, which the strategy's client keeps.
func (g *guideClient) steer(behind sim.Tick) { g.behind = int64(int32(behind)) }

func (g *guideClient) save() *predict.State {
	s := &predict.State{}
	g.world.Save(s)
	return s
}

func (g *guideClient) step(in sim.Input) { g.world.Step(in) }

func (g *guideClient) decay() {
	for i := range g.offset {
		g.smoothing.Decay(&g.offset[i], g.world.Rate())
	}
}

func (g *guideClient) forget(n sim.Tick) {
	for t := range g.history {
		if t < n {
			delete(g.history, t)
			delete(g.input, t)
		}
	}
}

// close compares poses with the tolerances of the published program.
func (g *guideClient) close(past *predict.State, s *guideSnapshot) bool {
	for i := range s.bodies {
		a, b := &s.bodies[i].Pose, &past.Bodies[i].Pose
		if a.Pos.Sub(b.Pos).Len() > 0.000316 || 1-geom.Abs(a.Rot.Dot(b.Rot)) > 0.00001 {
			return false
		}
	}
	return true
}

// load takes over the server's state, which has no contacts: the world keeps those that it had in that tick.
func (g *guideClient) load(past *predict.State, s *guideSnapshot) {
	g.note("correct", s.n, g.now)
	if past != nil {
		g.world.Load(past)
	}
	g.world.SetAttachments(s.attachments)
	g.world.SetHeldActions(s.held)
	for i, b := range s.bodies {
		if g.world.Bodies()[i] != b {
			g.world.SetBody(i, b)
		}
	}
	g.world.SetTick(s.n)
}

func (g *guideClient) pose() []geom.Pose { return predict.AppendPoses(nil, g.world.Bodies()) }

func plus(poses []geom.Pose, offset []smoothing.ErrorOffset) (sum []geom.Pose) {
	for i, p := range poses {
		sum = append(sum, offset[i].Apply(p))
	}
	return sum
}

func (g *guideClient) minus(drawn, simulated []geom.Pose) []smoothing.ErrorOffset {
	offset := slices.Clone(g.offset)
	for i := range offset {
		g.smoothing.Absorb(&offset[i], drawn[i], simulated[i])
	}
	return offset
}

func (g *guideClient) draw(poses []geom.Pose, offset []smoothing.ErrorOffset) {
	g.picture = plus(poses, offset)
}

func (g *guideClient) send(from, end sim.Tick) { g.note("send", from, end) }

func (g *guideClient) note(what string, from, end sim.Tick) {
	fmt.Fprintf(&g.record, "%s %d..%d\n", what, from, end)
}

// TestGuide runs the guide's pseudo-code beside a client, over a bad network and with pushes that no client foresees. It
// receives what the client receives, and has to send the same inputs, go back to the same ticks, and simulate and draw
// the same poses, bit for bit.
func TestGuide(t *testing.T) {
	golden.PseudoCode(t, "prediction", "guide_test.go")
	r := newRig(t, "zen", "latency=75ms,loss=10%", "resync", "off")
	var g *guideClient
	var client strings.Builder // what the client sends and replays
	corrections, newest := 0, sim.Tick(0)
	r.Watch(0, func(traffic *predicttest.Traffic) {
		if g == nil {
			return
		}
		var s *guideSnapshot
		if c := &r.c.receiver; c.Tick > newest {
			newest = c.Tick
			s = &guideSnapshot{c.Tick, slices.Clone(c.Bodies), c.Attachments, slices.Clone(c.LastInputs)}
		}
		if g.tick(traffic.Input, s); g.behind < -2 || g.behind > 2 {
			t.Fatalf("tick %d: %d ticks behind the aim that the guide names", g.now, g.behind)
		}
		for _, c := range r.Corrections[corrections:] {
			fmt.Fprintf(&client, "correct %d..%d\n", c.Tick, int(c.Tick)+c.ReplayedTicks)
		}
		corrections = len(r.Corrections)
		for _, payload := range traffic.Sent {
			from, end := sentInputs(t, payload, r.ClientWorld().Tick())
			fmt.Fprintf(&client, "send %d..%d\n", from, end)
		}
		if got := r.View().Bodies; !slices.Equal(g.picture, got) || !slices.Equal(g.world.Bodies(), r.ClientWorld().Bodies()) {
			t.Fatalf("tick %d: the guide draws %v, the client %v", g.now, g.picture[0], got[0])
		}
		if h := &r.c.stateHistory; len(g.history) != int(g.now-h.oldest) {
			t.Fatalf("tick %d: the guide remembers %d ticks, the client %d", g.now, len(g.history), g.now-h.oldest)
		}
	})
	r.run(120) // until the clock keeps its pace
	g, newest = follow(r), r.c.receiver.Tick
	for i := range 300 {
		if i%60 == 30 {
			r.nudge()
		}
		r.run(1)
	}
	predicttest.SameRecord(t, g.record.String(), client.String())
	if n := strings.Count(client.String(), "correct"); n < 5 || r.Counter("clock_jumps") > 0 {
		t.Errorf("%d corrections, %v jumps of the clock", n, r.Counter("clock_jumps"))
	}
	ahead := &guideSnapshot{g.now + 3, slices.Clone(r.c.receiver.Bodies), r.c.receiver.Attachments, slices.Clone(r.c.receiver.LastInputs)}
	r.c.receiver.Tick = ahead.n
	r.c.correct(packet.Packet{})
	g.correct(ahead.n, ahead)
	g.draw(g.pose(), g.offset)
	if w := r.ClientWorld(); w.Tick() != g.now || !slices.Equal(g.world.Bodies(), w.Bodies()) || !slices.Equal(g.picture, r.View().Bodies) {
		t.Errorf("a state ahead of the client: the guide is in tick %d, the client in %d", g.now, w.Tick())
	}
}

// follow returns a client of the guide that continues as that of a rig.
func follow(r *rig) *guideClient {
	w := predict.NewWorld(*r.ClientWorld().Scene(), r.ClientWorld().Rate())
	w.CopyFrom(r.ClientWorld())
	g := &guideClient{world: w, now: w.Tick(), newest: r.c.receiver.Tick, smoothing: r.c.smoothing, trip: 9, lead: 5,
		input: map[sim.Tick]sim.Input{}, history: map[sim.Tick]*predict.State{}, offset: slices.Clone(r.c.errorOffsets)}
	for i := g.newest; i < g.now; i++ {
		s := &predict.State{}
		s.CopyFrom(r.c.stateHistory.Find(i))
		g.history[i], g.input[i] = s, r.c.inputHistory.Find(i).input
	}
	return g
}

// sentInputs returns the ticks of the inputs in a payload.
func sentInputs(t *testing.T, payload []byte, now sim.Tick) (from, end sim.Tick) {
	t.Helper()
	var c quant.Coder
	c.BeginRead(payload)
	m := input.Message{NewestTick: now}
	if m.Code(&c); c.Err() != nil {
		t.Fatal(c.Err())
	}
	return m.NewestTick + 1 - sim.Tick(len(m.Inputs)), m.NewestTick + 1
}
