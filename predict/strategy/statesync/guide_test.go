package statesync

import (
	"cmp"
	"slices"
	"testing"

	"ghostcube/internal/golden"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// guideServer is the server of the guide to state synchronisation for one client, after its step. Its methods with comments behind
// their lines, and those of guideClient, are the guide's pseudo-code; the others are what one of its words stands for.
type guideServer struct {
	world    *predict.World
	priority []int
	format   *format
	packet   []int // bodies whose states are in it
	room     int   // bits that are left in it
}

// guideClient is the client. It only watches.
type guideClient struct {
	world     *predict.World
	now       sim.Tick
	inputs    map[sim.Tick][]sim.Input
	buffer    map[sim.Tick][]update
	offset    []smoothing.ErrorOffset
	smoothing smoothing.Settings
	round     func(*predict.World)
	picture   []geom.Pose
}

func (g *guideServer) tick() { // server, each tick, after its step, for each client:
	for i := range g.priority { // for each body i:
		g.priority[i] += g.weight(i) // priority[i] = priority[i] + weight(i)
	}
	g.begin()                          // packet = the inputs that the client lacks
	for _, i := range g.byPriority() { // for each body i, the largest priority first:
		if g.size(i) <= g.room { // if state[i] fits into packet:
			g.add(i)          // add state[i] to packet
			g.priority[i] = 0 // priority[i] = 0
		}
	}
	g.send() // send(packet)
}

func (g *guideClient) tick(arrived []*message) { // client, each tick:
	for _, p := range arrived { // for each packet that has arrived:
		g.storeInputs(p)              // inputs[t] = those in it, for each tick t from now on
		g.buffer[p.tick] = p.states() // buffer[its tick] = its states
	}
	g.round(g.world)                    // round(world)  # to the numbers on the wire, as the server does
	g.step(g.inputsOf(g.now))           // step(world, inputs[now] or the last ones)
	g.now++                             // now = now + 1
	g.decay()                           // offset = decayed(offset)
	for _, u := range g.buffer[g.now] { // for each state of a body i in buffer[now]:  # the packet of this tick, no other
		if g.world.Bodies()[u.body] != u.state { // if body[i] != state:  # an equal one stays asleep
			drawn := g.offset[u.body].Apply(g.pose(u.body)) // drawn = pose(i) + offset[i]
			g.world.SetBody(u.body, u.state)                // body[i] = state
			g.absorb(u.body, drawn, g.pose(u.body))         // offset[i] = drawn - pose(i)
		}
	}
	g.draw() // draw(pose(i) + offset[i]) for each body i
}

func (g *guideServer) weight(i int) int {
	switch {
	case i < g.world.Scene().Players:
		return 1_000_000
	case g.world.TouchedBy()[i] != sim.NoPlayer:
		return 100
	}
	return 1
}

func (g *guideServer) begin() { g.packet = g.packet[:0] }

func (g *guideServer) byPriority() (list []int) {
	for i := range g.priority {
		list = append(list, i)
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(g.priority[b], g.priority[a]) })
	return list
}

func (g *guideServer) size(i int) int {
	return plainIndexBits(g.world.Scene()) + g.format.bodyBits(g.world.Bodies()[i].Asleep)
}

func (g *guideServer) add(i int) { g.packet, g.room = append(g.packet, i), g.room-g.size(i) }

func (g *guideServer) send() { slices.Sort(g.packet) }

// states returns the states in a packet.
func (m *message) states() []update { return slices.Clone(m.updates[:m.updateCount]) }

func (g *guideClient) storeInputs(m *message) {
	for i := range m.inputCount {
		if t := m.tick - sim.Tick(m.inputCount-i); t >= g.now {
			g.inputs[t] = nil
			for p := range m.players {
				g.inputs[t] = append(g.inputs[t], m.inputs[p][i])
			}
		}
	}
}

func (g *guideClient) inputsOf(t sim.Tick) []sim.Input {
	for ; g.inputs[t] == nil; t-- {
	}
	return g.inputs[t]
}

func (g *guideClient) step(inputs []sim.Input) { g.world.Step(inputs...) }

func (g *guideClient) pose(i int) geom.Pose { return g.world.Bodies()[i].Pose }

func (g *guideClient) decay() {
	for i := range g.offset {
		g.smoothing.Decay(&g.offset[i], g.world.Rate())
	}
}

func (g *guideClient) absorb(i int, drawn, simulated geom.Pose) {
	g.smoothing.Absorb(&g.offset[i], drawn, simulated)
}

func (g *guideClient) draw() {
	g.picture = g.picture[:0]
	for i := range g.offset {
		g.picture = append(g.picture, g.offset[i].Apply(g.pose(i)))
	}
}

// TestGuide runs the guide's pseudo-code beside a server and its client, at a small budget, with losses and with pushes
// that only the server knows. The guide's server has to choose the same bodies for each packet. Its client receives what the
// client receives, and has to simulate and draw the same poses, bit for bit.
func TestGuide(t *testing.T) {
	golden.PseudoCode(t, "state-sync", "guide_test.go")
	r := newRig(t, "katamari:cubes=40", "latency=55ms,loss=5%", "compression", "quantised-both", "budget", "64",
		"reliable-rest", "off", "congestion", "off")
	s := &guideServer{world: r.ServerWorld(), priority: make([]int, len(r.ServerWorld().Bodies()))}
	var g *guideClient
	applied := 0
	r.Watch(0, func(traffic *predicttest.Traffic) {
		if g == nil {
			return
		}
		var arrived []*message
		for _, payload := range traffic.Received {
			m := &message{}
			m.baselines, m.rate = r.c, 60
			if err := m.read(&quant.Coder{}, payload, r.ClientWorld().Scene(), r.c.state.newest); err != nil {
				t.Fatal(err)
			}
			arrived = append(arrived, m)
		}
		g.tick(arrived)
		applied += len(g.buffer[g.now])
		if got := r.View().Bodies; !slices.Equal(g.picture, got) || !slices.Equal(g.world.Bodies(), r.ClientWorld().Bodies()) {
			t.Fatalf("tick %d: the guide draws %v, the client %v", g.now, g.picture[0], got[0])
		}
	})
	packets := 0
	for i := range 400 {
		if i == 100 {
			g = follow(r)
		}
		if i%60 == 59 {
			r.ChangeBody(5, func(b *sim.Body) { b.Linear.Y += 4 })
		}
		r.run(1)
		var chosen []int
		m := &r.s.scratch.message // that was sent last
		for j := range m.updates[:m.updateCount] {
			chosen = append(chosen, m.updates[j].body)
		}
		s.format, s.room = &m.format, 0
		for _, body := range chosen {
			s.room += s.size(body)
		}
		if s.tick(); !slices.Equal(s.packet, chosen) {
			t.Fatalf("tick %d: the guide sends the bodies %v, the server %v", i, s.packet, chosen)
		}
		if len(chosen) > 0 {
			packets++
		}
	}
	if packets < 300 || applied < 300 {
		t.Errorf("%d packets have states, and %d states are applied", packets, applied)
	}
}

// follow returns a client of the guide that continues as that of a rig.
func follow(r *rig) *guideClient {
	w := predict.NewWorld(*r.ClientWorld().Scene(), r.ClientWorld().Rate())
	w.CopyFrom(r.ClientWorld())
	g := &guideClient{world: w, now: w.Tick(), inputs: map[sim.Tick][]sim.Input{w.Tick() - 1: slices.Clone(r.c.lastInputs)},
		buffer: map[sim.Tick][]update{}, smoothing: r.c.settings.smoothing, round: r.c.settings.compression.quantise}
	for i := range r.c.bodies {
		g.offset = append(g.offset, r.c.bodies[i].errorOffset)
	}
	for t := g.now; t < g.now+maxBufferTicks; t++ {
		if m := r.c.packets.Find(t); m != nil {
			g.buffer[t] = m.states()
		}
		if inputs := r.c.inputs.Find(t); inputs != nil {
			g.inputs[t] = slices.Clone(inputs[:len(r.c.lastInputs)])
		}
	}
	return g
}
