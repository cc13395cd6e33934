package lockstep

import (
	"fmt"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// rig is a server and its clients: one for each player, or a spectator if all players sit at the
// server.
type rig struct {
	*predicttest.Rig
	s     *server
	c     []*client
	input func(player, tick int) sim.Input
}

func newRig(t testing.TB, spec, network string, host bool, knobs ...string) *rig {
	t.Helper()
	return newRigFrom(t, predicttest.Config{Scene: spec, Network: network, AtHost: host, Knobs: knobs})
}

func newRigFrom(t testing.TB, config predicttest.Config) *rig {
	t.Helper()
	if !config.AtHost {
		config.Clients = predicttest.Scene(t, config.Scene).Players
	}
	r := &rig{Rig: predicttest.New(t, Strategy, config), input: scriptedInput}
	r.s = r.Server.(*server)
	for _, c := range r.Clients {
		r.c = append(r.c, c.Client.(*client))
	}
	return r
}

func (r *rig) run(ticks int) { r.RunPlayers(ticks, r.input) }

// scriptedInput presses and releases the buttons of each player in another rhythm.
func scriptedInput(player, tick int) sim.Input {
	x := uint64(tick/(13+player)+7*player) * 0x9E3779B97F4A7C15
	return sim.Input{Buttons: sim.Buttons(x>>40) & sim.MoveButtons, Heading: uint8(tick / 30 * 16)}
}

// requireSync fails if two worlds differ at the newest tick that both sides have stepped, or if
// checksums were hardly ever compared.
func (r *rig) requireSync(t *testing.T) {
	t.Helper()
	if n := r.Counter("compared_checksums"); n < float64(r.Tick)/2 {
		t.Errorf("of %d ticks %v checksums were compared", r.Tick, n)
	}
	r.requireAgreement(t)
}

func (r *rig) requireAgreement(t *testing.T) {
	t.Helper()
	if n := r.Counter("desyncs"); n != 0 {
		t.Errorf("the worlds diverged: %s", r.c[0].state.desync.Note)
	}
	for i, c := range r.c {
		tick := min(c.env.World.Tick(), r.s.env.World.Tick())
		if a, b := c.checksums.At(tick), r.s.checksums.At(tick); a != b || a == 0 {
			t.Errorf("client %d: tick %d has checksum %x, the server %x", i, tick, a, b)
		}
	}
}

// TestStepsOnlyWithInput checks that no side steps a tick without its inputs: over a link that
// loses everything, a side that waits for others stops, and a single player's own side goes on
// alone.
func TestStepsOnlyWithInput(t *testing.T) {
	r := newRig(t, "plain", "loss=100%", true)
	r.run(100)
	if a, b := r.s.env.World.Tick(), r.c[0].env.World.Tick(); a != 100 || b != 0 {
		t.Errorf("player at the server: the server stepped %d ticks, the client %d", a, b)
	}
	r = newRig(t, "plain", "loss=100%", false)
	r.run(100)
	if a, b := r.s.env.World.Tick(), r.c[0].env.World.Tick(); a != 0 || b != 100 {
		t.Errorf("player at the client: the server stepped %d ticks, the client %d", a, b)
	}
	r = newRig(t, "two-players", "loss=100%", false)
	r.run(100)
	for i, c := range r.c {
		if c.env.World.Tick() != 0 || r.s.env.World.Tick() != 0 {
			t.Errorf("player %d stepped ticks without the other's inputs", i)
		}
	}
	if n := r.Counter("stalls"); n != 0 {
		t.Errorf("%v stalls before any input was due", n)
	}
	// The inputs that have arrived are stepped, and no others.
	r = newRig(t, "two-players", "latency=75ms", false)
	r.run(300)
	r.Network.Blackout = time.Hour
	r.run(100)
	for _, w := range []*side{&r.s.side, &r.c[0].side, &r.c[1].side} {
		for p := range w.streams {
			if got, have := w.env.World.Tick(), w.streams[p].next; got > have {
				t.Errorf("side %d stepped tick %d with inputs of player %d up to %d", w.number, got, p, have)
			}
		}
	}
	r.requireSync(t)
}

// TestWorldsAgree checks that all worlds stay the same, tick by tick, whatever the network, the
// transport, the number of players and their seats.
func TestWorldsAgree(t *testing.T) {
	t.Parallel()
	scenes := []string{"plain", "two-players", "zen", "katamari:cubes=100", "katamari:cubes=25:players=4"}
	networks := []string{"torture", "latency=125ms,loss=25%,duplicate=10%,reorder=10%,reorder-delay=80ms", "perfect", "latency=75ms,latency-per-player=40ms"}
	bad, good := 500, 700 // ticks
	if experiment.Brief() {
		bad, good = 250, 400
	}
	for i, spec := range scenes {
		for j, network := range networks {
			if experiment.Brief() && j != i%len(networks) { // each scene over one network
				continue
			}
			for k, host := range []bool{false, true} {
				if (i+j+k)%experiment.Pick(2, 2, 1) != 0 {
					continue
				}
				for _, transport := range []string{"udp", "tcp"} {
					t.Run(fmt.Sprint(spec, network, host, transport), func(t *testing.T) {
						t.Parallel()
						r := newRig(t, spec, network, host, "transport", transport)
						r.run(bad)
						r.Network = link.Network{}
						r.run(good)
						r.requireSync(t)
						if stepped := r.s.env.World.Tick(); int(stepped) < r.Tick-50 {
							t.Errorf("the server has stepped %d ticks of %d", stepped, r.Tick)
						}
					})
				}
			}
		}
	}
}

// TestStalls checks stalls against expectations of the transport. With redundant inputs, a 200 ms
// delay is enough for ten minutes with 25 % loss and 1 s latency. Over TCP a retransmission takes
// four one-way latencies, and a 100 ms delay does not cover it.
func TestStalls(t *testing.T) {
	t.Parallel()
	ticks := 36000
	if experiment.Brief() {
		ticks = 9000
	}
	r := newRig(t, "plain", "latency=1s,loss=25%", true, "playout", "200ms")
	r.run(ticks)
	if n := r.Counter("stalls"); n != 0 {
		t.Errorf("%v stalls at 1 s and 25 %% loss", n)
	}
	r.requireSync(t)
	r = newRig(t, "plain", "latency=50ms,loss=1%", true, "transport", "tcp")
	r.run(ticks)
	few := r.Counter("stalls_per_minute")
	if longest := r.Counter("stall_max_ms"); longest < 80 || longest > 120 || few < 10 || few > 60 {
		t.Errorf("50 ms, 1 %%: %v stalls per minute, the longest %v ms, want about 100 ms: a retransmission takes 200 ms, the delay is 100 ms", few, longest)
	}
	r = newRig(t, "plain", "latency=125ms,loss=5%", true, "transport", "tcp")
	r.run(ticks)
	if many := r.Counter("stalls_per_minute"); many < 3*few || r.Counter("stall_max_ms") < 350 {
		t.Errorf("125 ms, 5 %%: %v stalls per minute, the longest %v ms", many, r.Counter("stall_max_ms"))
	}
	// With a delay as long as a retransmission TCP does not stall.
	r = newRig(t, "plain", "latency=50ms,loss=1%", true, "transport", "tcp", "playout", "250ms")
	r.run(3600)
	if n := r.Counter("stalls"); n != 0 {
		t.Errorf("%v stalls although the delay covers a retransmission", n)
	}
}

// TestCatchUp checks that after a one-second stall at most catch-up ticks are stepped at once until
// the delay is the old one.
func TestCatchUp(t *testing.T) {
	for _, maxCatchUp := range []sim.Tick{4, 1, 16} {
		r := newRig(t, "plain", "latency=30ms", true, "catch-up", fmt.Sprint(maxCatchUp))
		r.run(120)
		behind := r.s.env.World.Tick() - r.c[0].env.World.Tick()
		r.Network.Blackout = 3 * time.Second
		r.run(60)
		fastest := sim.Tick(0)
		for range 120 {
			before := r.c[0].env.World.Tick()
			r.run(1)
			fastest = max(fastest, r.c[0].env.World.Tick()-before)
		}
		if fastest != maxCatchUp {
			t.Errorf("catch-up %d: %d ticks at once", maxCatchUp, fastest)
		}
		if now := r.s.env.World.Tick() - r.c[0].env.World.Tick(); (now == behind) != (maxCatchUp > 1) {
			t.Errorf("catch-up %d: %d ticks behind, %d before the outage", maxCatchUp, now, behind)
		}
		if n := r.Counter("stalls"); n != 1 {
			t.Errorf("%v stalls", n)
		}
	}
}

// TestBandwidthIndependentOfBodies checks that a session sends the same bytes, however many bodies
// the world has.
func TestBandwidthIndependentOfBodies(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	var sent [][2]uint64
	for _, spec := range []string{"plain", "katamari:cubes=9", "katamari:cubes=900"} {
		r := newRig(t, spec, "latency=75ms,loss=10%,jitter=20ms", true)
		r.run(900)
		sent = append(sent, [2]uint64{r.Clients[0].Endpoint.Stats.BytesSent, r.Peers[0].Endpoint.Stats.BytesSent})
	}
	if sent[0] != sent[1] || sent[1] != sent[2] {
		t.Errorf("bytes sent up and down: %v", sent)
	}
}

// TestSlowestPlayer checks that every side waits for the slowest: with players at 0, 100, 200 and
// 300 ms, each player's input takes effect when the farthest player's input of the same tick has
// arrived.
func TestSlowestPlayer(t *testing.T) {
	near := newRig(t, "katamari:cubes=9:players=4", "perfect", false)
	far := newRig(t, "katamari:cubes=9:players=4", "latency-per-player=100ms", false)
	near.run(300)
	far.run(300)
	for i := range near.c {
		late := func(r *rig) int { return int(r.c[i].streams[i].next - r.c[i].env.World.Tick()) }
		// From the farthest player to the server and on to player i, plus 100 ms of delay. The
		// farthest player waits for the second farthest.
		latency := 300 + 100*i
		if i == 3 {
			latency = 300 + 200
		}
		if a, b := late(near), late(far); a < 6 || a > 8 || b < latency*60/1000+6 || b > latency*60/1000+9 {
			t.Errorf("player %d: an input takes %d ticks when all players are near, %d when they are far", i, a, b)
		}
	}
	far.requireSync(t)
}

// TestAlignInputs checks that with align-inputs each client waits only for its own round trip,
// however far the others are.
func TestAlignInputs(t *testing.T) {
	r := newRig(t, "katamari:cubes=9:players=4", "latency-per-player=100ms", false, "align-inputs", "on")
	r.run(1200)
	for i, c := range r.c {
		late := int(c.streams[i].next - c.env.World.Tick())
		if rtt := 200 * i * 60 / 1000; late <= rtt || late > rtt+10 {
			t.Errorf("player %d: an input takes %d ticks, the round trip %d", i, late, rtt)
		}
	}
	if r.Counter("input_pause_ticks") < 6 || r.Counter("stalls") > 3 {
		t.Errorf("%v ticks paused, %v stalls", r.Counter("input_pause_ticks"), r.Counter("stalls"))
	}
	r.requireSync(t)
}

// TestInterruption checks that an interruption of one player's link, longer than inputs are
// remembered, stops all sides without a desync, and that inputs are not delayed for good
// afterwards.
func TestInterruption(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	r := newRig(t, "two-players", "latency=30ms", false)
	r.run(300)
	before := r.c[0].streams[0].next - r.c[0].env.World.Tick()
	ticks := 6000
	if experiment.Brief() {
		ticks = 2400
	}
	noLink := &link.Network{Up: link.Conditions{Loss: 1}, Down: link.Conditions{Loss: 1}}
	a, b := link.Pair(noLink, 1)
	up, down := *r.Clients[1].Endpoint, *r.Peers[1].Endpoint
	*r.Clients[1].Endpoint, *r.Peers[1].Endpoint = *packet.NewEndpoint(a), *packet.NewEndpoint(b)
	r.run(ticks)
	*r.Clients[1].Endpoint, *r.Peers[1].Endpoint = up, down
	r.run(ticks)
	r.requireAgreement(t)
	for i, c := range r.c {
		if late := c.streams[i].next - c.env.World.Tick(); late > before+allowedAdvantage+10 {
			t.Errorf("player %d: an input takes %d ticks, %d before the interruption", i, late, before)
		}
	}
	if stepped := r.s.env.World.Tick(); int(stepped) < r.Tick-ticks-500 {
		t.Errorf("the server has stepped %d ticks of %d", stepped, r.Tick)
	}
}

// TestTransportChanges checks that the transport can change while inputs are in flight: no input is
// lost, and the worlds stay the same.
func TestTransportChanges(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, host := range []bool{true, false} {
		r := newRig(t, "two-players", "latency=100ms,loss=30%,jitter=30ms", host)
		for i := range 20 {
			r.SetKnob("transport", []string{"udp", "tcp"}[i%2])
			r.run(67)
		}
		r.Network = link.Network{}
		r.run(1500)
		r.requireSync(t)
		if stepped := r.s.env.World.Tick(); int(stepped) < r.Tick-20 {
			t.Errorf("host %v: the server has stepped %d ticks of %d", host, stepped, r.Tick)
		}
	}
}

// TestWindowFull checks that a side whose inputs are not acknowledged for longer than they are
// remembered waits, and goes on when the link is back.
func TestWindowFull(t *testing.T) {
	t.Parallel()
	for _, host := range []bool{true, false} {
		r := newRig(t, "plain", "latency=20ms", host)
		r.run(60)
		r.Network.Blackout = 120 * time.Second
		r.run(5000)
		if n := r.Counter("window_full_ticks"); n < 100 {
			t.Errorf("%v ticks with a full window", n)
		}
		r.run(4000)
		r.requireAgreement(t) // the outage is longer than the checksum history
		if a, b := r.s.env.World.Tick(), r.c[0].env.World.Tick(); a < 6000 || b < 6000 {
			t.Errorf("host %v: the server has stepped %d ticks, the client %d", host, a, b)
		}
	}
}

// TestTickWraps checks that 16 bits of a tick on the wire are enough.
func TestTickWraps(t *testing.T) {
	const start = 1<<16 - 300
	again := newRigFrom(t, predicttest.Config{Scene: "two-players", Network: "latency=75ms,loss=20%", Prepare: func(w *predict.World) { w.SetTick(start) }})
	again.run(900)
	again.requireSync(t)
	if stepped := again.s.env.World.Tick(); stepped < start+850 {
		t.Errorf("from tick %d the server stepped to tick %d", start, stepped)
	}
}

// BenchmarkTick measures a tick of both sides with two seconds of unacknowledged inputs, in a scene
// that costs little to step.
func BenchmarkTick(b *testing.B) {
	r := newRig(b, "plain", "latency=1s,loss=25%", true)
	r.run(600)
	b.ReportAllocs()
	for b.Loop() {
		r.run(1)
	}
}

// TestAcknowledgeIsChecked checks that an acknowledgement counts, be it of fewer inputs than the last one, if
// the inputs have been sent and are remembered.
func TestAcknowledgeIsChecked(t *testing.T) {
	s := newInputStream(10)
	w := sendWindow{acked: 10, sent: 10}
	for range 5 {
		s.add(sim.Input{})
	}
	for _, c := range []struct{ tick, want sim.Tick }{{12, 12}, {11, 11}, {16, 11}, {9, 11}, {^sim.Tick(0), 11}, {15, 15}, {10, 10}} {
		if w.acknowledge(&s, c.tick); w.acked != c.want {
			t.Errorf("after an acknowledgement of %d: %d, want %d", c.tick, w.acked, c.want)
		}
	}
	for range inputHistoryTicks {
		s.add(sim.Input{})
	}
	if w.acknowledge(&s, 14); w.acked != 10 {
		t.Error("an acknowledgement of inputs that are forgotten counts")
	}
}

// TestOvertakenAcknowledgements checks that a packet's acknowledgements count unless a newer packet has arrived
// before it, and that one far behind the newest makes that doubtful.
func TestOvertakenAcknowledgements(t *testing.T) {
	var c connection
	for _, x := range []struct {
		sequence packet.Sequence
		counts   bool
	}{{100, true}, {101, true}, {100, false}, {103, true}, {72, false}, {102, false}, {4000, true}, {104, true}, {105, true}, {104, false}} {
		if got := c.receive(x.sequence); got != x.counts {
			t.Errorf("packet %d: %v", x.sequence, got)
		}
	}
}

// TestPendingAfterSwitch checks that a side that has sent inputs over TCP repeats those that are not acknowledged when
// it goes on over UDP, because the other side may not have received them, and sends each once more over TCP.
func TestPendingAfterSwitch(t *testing.T) {
	s := newInputStream(10)
	w := sendWindow{acked: 10, sent: 10}
	for range 8 {
		s.add(sim.Input{})
	}
	pending := func(overTCP bool, from sim.Tick, n int) {
		t.Helper()
		if f, k := w.pending(&s, overTCP); f != from || k != n {
			t.Errorf("over TCP %v: %d inputs from tick %d, want %d from %d", overTCP, k, f, n, from)
		}
	}
	pending(true, 10, 8)
	pending(true, 18, 0)
	w.acknowledge(&s, 13)
	pending(false, 13, 5)
	pending(false, 13, 5)
	w.acknowledge(&s, 15)
	pending(true, 15, 3)
	pending(true, 18, 0)
}

// TestLostAcknowledgements checks that inputs which arrive are stepped on time although for eight
// seconds no acknowledgement does, which leaves more of them unacknowledged than fit a message.
func TestLostAcknowledgements(t *testing.T) {
	r := newRig(t, "plain", "latency=125ms", true)
	r.run(300)
	r.Network.Up.Loss = 1
	r.run(480)
	if n := r.Counter("unacked_inputs"); n < maxInputs+200 {
		t.Fatalf("%v inputs are not acknowledged", n)
	}
	r.Network.Up.Loss = 0
	r.run(300)
	if n, unacked := r.Counter("stalls"), r.Counter("unacked_inputs"); n != 0 || unacked > 20 {
		t.Errorf("%v stalls; %v inputs not acknowledged after the outage", n, unacked)
	}
	r.requireSync(t)
}

// TestCatchUpTicks checks how many ticks a frame steps: as many as the knob says, or three and a sixth of those that
// are due beyond 64, and no more than the bodies of the world allow.
func TestCatchUpTicks(t *testing.T) {
	for _, c := range []struct{ knob, due, bodies, want int }{
		{0, 0, 1, 3}, {0, 69, 1, 3}, {0, 124, 1, 13}, {0, 1800, 99, 64}, {0, 1800, 901, 16}, {0, 124, 901, 13}, {0, 1800, 9000, 3},
		{0, 1800, 0, 64}, {2, 1800, 1, 2}, {64, 1, 9000, 64},
	} {
		s := settings{catchUp: c.knob}
		if got := s.catchUpTicks(c.due, c.bodies); got != c.want {
			t.Errorf("%+v: %d ticks", c, got)
		}
	}
}

// TestBacklogIsSentInParts checks that inputs which do not fit a message are all sent within some ticks
// although nothing is acknowledged, that every third message has the oldest and every third the newest, and
// that an acknowledgement moves on.
func TestBacklogIsSentInParts(t *testing.T) {
	s := newInputStream(10)
	w := sendWindow{acked: 10, sent: 10}
	for range 5*maxInputs + 7 {
		s.add(sim.Input{})
	}
	sent := map[sim.Tick]bool{}
	oldest, newest := 0, 0
	const messages = 3 * 5
	for range messages {
		from, n := w.pending(&s, false)
		for i := range n {
			sent[from+sim.Tick(i)] = true
		}
		if from == w.acked {
			oldest++
		}
		if from+sim.Tick(n) == s.next && n == maxInputs {
			newest++
		}
	}
	if len(sent) != 5*maxInputs+7 || oldest != messages/3 || newest != messages/3 {
		t.Errorf("%d inputs sent; %d messages with the oldest, %d with the newest", len(sent), oldest, newest)
	}
	w.acknowledge(&s, s.next-maxInputs)
	if from, n := w.pending(&s, false); from != w.acked || n != maxInputs {
		t.Errorf("after an acknowledgement %d inputs from %d on", n, from)
	}
}
