package rollback

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
	"ghostcube/smoothing"
)

// guideClient is a client of the guide to rollback. Its methods with comments behind their lines are the guide's
// pseudo-code; the others are what one of its words stands for.
type guideClient struct {
	world     *predict.World
	now       sim.Tick
	me, delay int
	limit     int
	confirmed func() sim.Tick
	acked     sim.Tick
	known     map[guideKey]sim.Input
	newest    []guideKey // by player: the newest known input
	saved     map[sim.Tick]*predict.State
	stepped   map[sim.Tick][]sim.Input
	offset    []smoothing.ErrorOffset
	smoothing smoothing.Settings
	picture   []geom.Pose
	record    strings.Builder // of what it steps again and sends
}

// guideKey names an input.
type guideKey struct {
	t sim.Tick
	p int
}

// guideInput is an input that arrives.
type guideInput struct {
	guideKey
	in sim.Input
}

// guidePacket is what arrives in one packet.
type guidePacket struct {
	lacks  sim.Tick // first tick whose input of the receiver the sender lacks
	inputs []guideInput
}

func (g *guideClient) tick(keys sim.Input, arrived []guidePacket) { // each tick:  # before the first: known[0 .. delay - 1][every p] = no keys
	g.decay()                        // offset = decayed(offset)
	first := g.now                   // first = now
	for _, packet := range arrived { // for each packet that has arrived:
		g.acked = max(g.acked, packet.lacks) // acked = max(acked, first tick whose input of mine the sender lacks)
		for _, x := range packet.inputs {    // for each input of a player p for a tick t in it:
			g.learn(x)                                      // known[t][p] = input
			if x.t < g.now && g.stepped[x.t][x.p] != x.in { // if t < now and stepped[t][p] != input:  # a wrong guess
				first = min(first, x.t) // first = min(first, t)
			}
		}
	}
	if first < g.now { // if first < now:
		drawn := plus(g.pose(), g.offset) // drawn = pose(world) + offset
		g.load(first)                     // world = saved[first]
		for t := first; t < g.now; t++ {  // for t = first .. now - 1:
			g.step(t) // step(t)  # again: no sounds, no spawns
		}
		g.offset = g.minus(drawn, g.pose()) // offset = drawn - pose(world)
	}
	if g.misses(g.own(keys)) { // if known[now + delay][me] is missing:  # sent inputs never change
		g.learn(g.own(keys)) // known[now + delay][me] = keys
	}
	if int(g.now)-int(g.confirmed()) < g.limit { // if now - confirmed < limit:  # confirmed: first tick that can still change
		g.stepNow() // step(now); now = now + 1
	}
	g.send(g.acked, g.end())   // send(known[acked ..][me], saying which inputs of the receiver are missing)
	g.draw(g.pose(), g.offset) // draw(pose(world) + offset)
}

func (g *guideClient) step(t sim.Tick) { // step(t):
	g.saved[t] = g.save()     // saved[t] = world
	g.stepped[t] = g.guess(t) // stepped[t] = known[t][p] of each p, or the last known input of p before t
	g.simulate(g.stepped[t])  // simulate(world, stepped[t])
}

func (g *guideClient) stepNow() {
	g.step(g.now)
	g.now++
}

func (g *guideClient) own(keys sim.Input) guideInput {
	return guideInput{guideKey{g.now + sim.Tick(g.delay), g.me}, keys}
}

func (g *guideClient) misses(x guideInput) bool {
	_, ok := g.known[x.guideKey]
	return !ok
}

func (g *guideClient) learn(x guideInput) {
	if g.known[x.guideKey] = x.in; x.t >= g.newest[x.p].t {
		g.newest[x.p] = x.guideKey
	}
}

func (g *guideClient) guess(t sim.Tick) (inputs []sim.Input) {
	for p, last := range g.newest {
		in, ok := g.known[guideKey{t, p}]
		if !ok {
			in = g.known[last]
		}
		inputs = append(inputs, in)
	}
	return inputs
}

func (g *guideClient) decay() {
	for i := range g.offset {
		g.smoothing.Decay(&g.offset[i], g.world.Rate())
	}
}

func (g *guideClient) save() *predict.State {
	s := &predict.State{}
	g.world.Save(s)
	return s
}

func (g *guideClient) load(t sim.Tick) {
	fmt.Fprintf(&g.record, "again %d..%d\n", t, g.now)
	g.world.Load(g.saved[t])
}

func (g *guideClient) simulate(inputs []sim.Input) { g.world.Step(inputs...) }

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

func (g *guideClient) end() sim.Tick { return g.newest[g.me].t + 1 }

func (g *guideClient) send(from, end sim.Tick) { fmt.Fprintf(&g.record, "send %d..%d\n", from, end) }

// follow returns a client of the guide that continues as the first one of a rig.
func follow(r *rig) *guideClient {
	c, w := r.c[0], predict.NewWorld(*r.ClientWorld().Scene(), r.ClientWorld().Rate())
	w.CopyFrom(r.ClientWorld())
	g := &guideClient{world: w, now: w.Tick(), delay: c.state.delay, limit: c.settings.maxRollback, smoothing: c.settings.smoothing,
		acked: c.known.confirmed, known: map[guideKey]sim.Input{}, newest: make([]guideKey, c.env.Players),
		saved: map[sim.Tick]*predict.State{}, stepped: map[sim.Tick][]sim.Input{}, offset: slices.Clone(c.errorOffsets)}
	g.confirmed = func() sim.Tick { return g.acked } // the server says which ticks it has stepped, and needs no older input
	for t := g.acked - 1; t < max(g.now, c.own.next); t++ {
		for p := range g.newest {
			in, ok := c.known.at(t, p)
			if p == g.me && t < c.own.next {
				in, ok = c.own.at(t), true
			}
			if ok {
				g.learn(guideInput{guideKey{t, p}, in})
			}
		}
		if t < g.now {
			s := &predict.State{}
			s.CopyFrom(c.worlds.Find(t))
			g.saved[t], g.stepped[t] = s, slices.Clone(c.stepped.Find(t)[:len(g.newest)])
		}
	}
	return g
}

// arrival returns what a payload of the server says. The guide's client knows its own inputs already.
func (g *guideClient) arrival(t *testing.T, payload []byte) (packet guidePacket) {
	t.Helper()
	var c quant.Coder
	c.BeginRead(payload)
	m := downMessage{runs: resizeRuns(nil, len(g.newest))}
	if m.code(&c, g.now, len(g.offset)); c.Err() != nil {
		t.Fatal(c.Err())
	}
	first := m.end - sim.Tick(m.count)
	for p, run := range m.runs {
		for i, in := range run.inputs {
			if at := first + sim.Tick(i); at >= g.acked {
				packet.inputs = append(packet.inputs, guideInput{guideKey{at, p}, in})
			}
		}
	}
	if first <= g.acked {
		packet.lacks = m.end
	}
	return packet
}

// TestGuide runs the guide's pseudo-code beside one of two clients, over a bad network. It receives what the client
// receives, and has to step the same ticks again, send the same inputs, and simulate and draw the same poses, bit for bit.
// In an outage both reach the limit.
func TestGuide(t *testing.T) {
	experiment.Skip(t)
	golden.PseudoCode(t, "rollback", "guide_test.go")
	for _, delay := range []string{"3", "0"} {
		if delay == "0" && experiment.Brief() {
			continue
		}
		r := newRig(t, "two-players", "latency=75ms,loss=5%", false, "input-delay", delay, "repeat-time", "1000ms", "max-rollback", "20")
		var g *guideClient
		var client strings.Builder
		stepped := 0.0 // again, so far
		r.Watch(1, func(*predicttest.Traffic) { stepped = r.Counter("rolled_back_ticks") })
		r.Watch(0, func(traffic *predicttest.Traffic) {
			if g == nil {
				return
			}
			now, arrived := g.now, []guidePacket(nil)
			for _, payload := range traffic.Received {
				arrived = append(arrived, g.arrival(t, payload))
			}
			g.tick(traffic.Input, arrived)
			if n := r.Counter("rolled_back_ticks") - stepped; n > 0 {
				fmt.Fprintf(&client, "again %d..%d\n", now-sim.Tick(n), now)
				stepped += n
			}
			for _, payload := range traffic.Sent {
				var c quant.Coder
				c.BeginRead(payload)
				m := upMessage{}
				if m.code(&c, now); c.Err() != nil {
					t.Fatal(c.Err())
				}
				if len(m.inputs) == 0 {
					m.next = m.confirmed
				}
				fmt.Fprintf(&client, "send %d..%d\n", m.next-sim.Tick(len(m.inputs)), m.next)
			}
			if got := r.View().Bodies; !slices.Equal(g.picture, got) || !slices.Equal(g.world.Bodies(), r.ClientWorld().Bodies()) {
				t.Fatalf("tick %d: the guide draws %v, the client %v", g.now, g.picture[0], got[0])
			}
		})
		r.RunPlayers(150, r.input) // until the clock keeps its pace
		g = follow(r)
		r.RunPlayers(200, r.input)
		before := g.now
		r.SetNetwork("latency=75ms,loss=100%")
		if r.RunPlayers(40, r.input); g.now > before+20 {
			t.Errorf("the guide steps %d ticks in an outage of 40", g.now-before)
		}
		r.SetNetwork("latency=75ms,loss=5%")
		r.RunPlayers(100, r.input)
		predicttest.SameRecord(t, g.record.String(), client.String())
		if n := strings.Count(client.String(), "again"); n < 10 || r.Counter("clock_jumps") > 0 {
			t.Errorf("delay %s: %d rollbacks, %v jumps of the clock", delay, n, r.Counter("clock_jumps"))
		}
	}
}

// TestGuideMesh lets two clients of the guide play with each other from the first tick on, without a server: with an input
// delay, losses, and an outage of one direction in which both reach the limit. Neither may wait for ever, as
// both do if they send their inputs from their own first unconfirmed tick on. The ticks that both have confirmed are equal.
func TestGuideMesh(t *testing.T) {
	sc, err := scene.Named("katamari:cubes=4:players=2")
	if err != nil {
		t.Fatal(err)
	}
	const delay, limit, trip, ticks, outage, outageEnds = 2, 12, 5, 240, 90, 130
	var clients [2]*guideClient
	var sent [2][ticks]guidePacket // by sender and time
	for me := range clients {
		g := &guideClient{world: predict.NewWorld(sc, 60), me: me, delay: delay, limit: limit, known: map[guideKey]sim.Input{},
			newest: make([]guideKey, 2), saved: map[sim.Tick]*predict.State{}, stepped: map[sim.Tick][]sim.Input{},
			offset: make([]smoothing.ErrorOffset, len(sc.Boxes))}
		for p := range g.newest {
			for i := range sim.Tick(delay) {
				g.learn(guideInput{guideKey{i, p}, sim.Input{}})
			}
		}
		g.confirmed = func() sim.Tick { return min(g.newest[0].t, g.newest[1].t) + 1 } // nobody moves an input
		clients[me] = g
	}
	for now := range ticks {
		for me, g := range clients {
			var arrived []guidePacket
			if at := now - trip; at >= 0 && (at+me)%4 != 0 && (me == 0 || at < outage || at >= outageEnds) {
				arrived = append(arrived, sent[1-me][at])
			}
			g.tick(sim.Input{Buttons: sim.Buttons(now/20+me) % 16}, arrived)
			packet := guidePacket{lacks: g.newest[1-me].t + 1}
			for i := g.acked; i < g.end(); i++ {
				packet.inputs = append(packet.inputs, guideInput{guideKey{i, me}, g.known[guideKey{i, me}]})
			}
			sent[me][now] = packet
		}
	}
	a, b := clients[0], clients[1]
	both := min(a.confirmed(), b.confirmed(), a.now-1, b.now-1)
	if both < ticks-(outageEnds-outage)-limit || a.now > ticks-20 || !strings.Contains(a.record.String(), "again") {
		t.Errorf("after %d ticks the clients are at %d and %d, and both have confirmed %d", ticks, a.now, b.now, both)
	}
	for i := sim.Tick(1); i <= both; i++ {
		if !slices.Equal(a.saved[i].Bodies, b.saved[i].Bodies) {
			t.Fatalf("the worlds differ in tick %d", i)
		}
	}
}
