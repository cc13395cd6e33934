package lockstep

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/golden"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// guideClient is a client of the guide to lockstep. Its methods with comments behind their lines are the guide's
// pseudo-code; the others are what one of its words stands for.
type guideClient struct {
	world   *predict.World
	clock   int           // own ticks
	me      int           // player
	input   [][]sim.Input // by player and tick
	start   []int         // by player: clock at the arrival of input 0, or what would have been
	delay   int           // ticks
	acked   int           // own inputs that the server has
	picture []geom.Pose
	record  strings.Builder
}

// guidePacket is what arrives from the server.
type guidePacket struct {
	acked  int           // first own input that the server lacks
	inputs [][]sim.Input // by player
	first  []int         // by player: tick of the first of them
}

func (g *guideClient) tick(keys sim.Input, arrived []guidePacket) { // each tick:
	g.clock++                   // clock = clock + 1
	for _, x := range arrived { // for each packet that has arrived:
		g.acked = x.acked             // acked = its first input of mine that the server lacks
		for p := range g.others(&x) { // for each other player p:
			if g.first(p) { // if input[p] is empty:
				g.begin(p, &x) // start[p] = clock - tick of its first input of p
			}
			g.append(p, &x) // append what follows input[p]  # the rest is known
		}
	}
	g.input[g.me] = append(g.input[g.me], keys) // append keys to input[me]
	for range 4 {                               // at most 4 times:  # several: a stall is over
		now := g.now()     // now = tick of the world
		if !g.ready(now) { // if input[p][now] of any p is missing, or now + start[p] + delay > clock:
			break // break  # wait: repeat nothing, guess nothing
		}
		g.step(g.all(now)) // step(world, input[..][now])
	}
	g.send(g.acked, g.ack()) // send(input[me][acked ..], acknowledging the length of each other input[p])
	g.draw()                 // draw(world)
}

func (g *guideClient) now() int { return int(g.world.Tick()) }

// others yields the other players of whom a packet has inputs.
func (g *guideClient) others(x *guidePacket) func(yield func(p int) bool) {
	return func(yield func(p int) bool) {
		for p := range x.inputs {
			if p != g.me && len(x.inputs[p]) > 0 && !yield(p) {
				return
			}
		}
	}
}

func (g *guideClient) first(p int) bool { return len(g.input[p]) == 0 }

// begin sets the clock of a player by the first packet with inputs.
func (g *guideClient) begin(p int, x *guidePacket) { g.start[p] = g.clock - x.first[p] }

func (g *guideClient) append(p int, x *guidePacket) {
	if known := len(g.input[p]) - x.first[p]; known >= 0 && known < len(x.inputs[p]) {
		g.input[p] = append(g.input[p], x.inputs[p][known:]...)
	}
}

func (g *guideClient) ready(t int) bool {
	for p := range g.input {
		if t >= len(g.input[p]) || p != g.me && t+g.start[p]+g.delay > g.clock {
			return false
		}
	}
	return true
}

func (g *guideClient) all(t int) (inputs []sim.Input) {
	for p := range g.input {
		inputs = append(inputs, g.input[p][t])
	}
	return inputs
}

func (g *guideClient) step(inputs []sim.Input) { g.world.Step(inputs...) }

func (g *guideClient) ack() (ack []int) {
	for p := range g.input {
		if p != g.me {
			ack = append(ack, len(g.input[p]))
		}
	}
	return ack
}

func (g *guideClient) send(from int, ack []int) { g.note(from, len(g.input[g.me]), ack) }

func (g *guideClient) note(from, end int, ack []int) {
	fmt.Fprintf(&g.record, "tick %d: send %d..%d, acknowledge %v\n", g.world.Tick(), from, end, ack)
}

func (g *guideClient) draw() { g.picture = predict.AppendPoses(nil, g.world.Bodies()) }

// TestGuide runs the guide's pseudo-code beside one of two clients from its first tick on, with losses and an outage. It
// receives what the client receives, and has to step the same ticks at the same time, send the same inputs and
// acknowledgements, and get the same world, bit for bit.
func TestGuide(t *testing.T) {
	golden.PseudoCode(t, "lockstep", "guide_test.go")
	r := newRig(t, "two-players", "latency=55ms,loss=10%", false, "catch-up", "4")
	g := &guideClient{world: predict.NewWorld(*r.ClientWorld().Scene(), 60), input: make([][]sim.Input, 2), start: make([]int, 2), delay: 6}
	var client strings.Builder
	stalled := 0 // ticks
	r.Watch(0, func(traffic *predicttest.Traffic) {
		before := g.now()
		g.tick(traffic.Input, g.arrivals(t, traffic.Received))
		if g.now() == before && r.Tick > 100 {
			stalled++
		}
		for _, payload := range traffic.Sent {
			m, near := message{}, sim.Tick(g.now())
			if err := m.read(&quant.Coder{}, payload, true, near, r.ClientWorld().Scene()); err != nil {
				t.Fatal(err)
			}
			own, ack := &m.players[0], int(m.players[1].next)
			fmt.Fprintf(&client, "tick %d: send %d..%d, acknowledge [%d]\n", r.ClientWorld().Tick(), int(own.next)-len(own.inputs), own.next, ack)
		}
		if !slices.Equal(g.world.Bodies(), r.ClientWorld().Bodies()) || !slices.Equal(g.picture, r.View().Bodies) {
			t.Fatalf("tick %d: the guide is at tick %d, the client at %d", r.Tick, g.now(), r.ClientWorld().Tick())
		}
	})
	r.run(250)
	r.SetNetwork("latency=55ms,loss=100%")
	r.run(30)
	r.SetNetwork("latency=55ms,loss=10%")
	r.run(150)
	predicttest.SameRecord(t, g.record.String(), client.String())
	if stalled < 10 || g.now() < 380 {
		t.Errorf("%d stalled ticks, and the world is at tick %d", stalled, g.now())
	}
}

// arrivals returns what payloads of the server contain.
func (g *guideClient) arrivals(t *testing.T, payloads [][]byte) (list []guidePacket) {
	t.Helper()
	for _, payload := range payloads {
		var m message
		if err := m.read(&quant.Coder{}, payload, false, g.world.Tick(), g.world.Scene()); err != nil {
			t.Fatal(err)
		}
		x := guidePacket{acked: int(m.players[g.me].next), inputs: make([][]sim.Input, 2), first: make([]int, 2)}
		for p := range m.players {
			if p != g.me {
				x.inputs[p], x.first[p] = m.players[p].inputs, int(m.players[p].next)-len(m.players[p].inputs)
			}
		}
		list = append(list, x)
	}
	return list
}
