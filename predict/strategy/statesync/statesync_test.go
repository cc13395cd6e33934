package statesync

import (
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// rig is a server, where the player sits, and a spectating client.
type rig struct {
	*predicttest.Rig
	c     *client
	s     *server
	input func(tick int) sim.Input
}

func newRig(t testing.TB, scene, network string, knobs ...string) *rig {
	t.Helper()
	r := predicttest.New(t, Strategy, predicttest.Config{Scene: scene, Network: network, AtHost: true, Knobs: knobs})
	return &rig{Rig: r, c: r.Clients[0].Client.(*client), s: r.Server.(*server), input: predicttest.DriveAround}
}

func (r *rig) run(ticks int) { r.Run(ticks, r.input) }

func (r *rig) bytesSent() int { return int(r.Peers[0].Endpoint.Stats.BytesSent) }

// TestNeverAboveBudget checks that from the first tick on no more bytes are sent than the budget
// allows, plus two ticks' worth or one packet with a single body; that at least nine tenths of a
// budget that can be used are used; and that a change of the budget takes effect within a second.
func TestNeverAboveBudget(t *testing.T) {
	t.Parallel()
	budgets := []int{16, 256, 1024, 48, 64, 700}
	if experiment.Brief() {
		budgets = budgets[:2]
	}
	for _, level := range levels {
		for _, budget := range budgets {
			r := newRig(t, "katamari:cubes=200", "latency=30ms,loss=10%", "compression", level, "budget", strconv.Itoa(budget))
			from, saved := 0, max(2*budget*1000/60/8, 200)
			for range 600 {
				r.run(1)
				if limit := budget*1000*(r.Tick-from)/60/8 + saved; r.bytesSent() > limit {
					t.Fatalf("%s, %d kbit/s: %d bytes after %d ticks, at most %d", level, budget, r.bytesSent(), r.Tick, limit)
				}
			}
			want := float64(budget) * 1000 * 10 / 8
			if float64(r.bytesSent()) < 0.9*want && (budget <= 64 || budget == 256 && level != "relative" && level != "delta") { // 64 updates may not fill it
				t.Errorf("%s, %d kbit/s: %d bytes in 10 s, a budget of %v", level, budget, r.bytesSent(), want)
			}
		}
	}
	r := newRig(t, "katamari:cubes=200", "latency=30ms")
	r.run(300)
	for _, budget := range []int{64, 1024, 256} {
		r.SetKnob("budget", strconv.Itoa(budget))
		before := r.bytesSent()
		r.run(60)
		limit := float64(budget) * 1000 / 8
		got := float64(r.bytesSent() - before)
		if got > 1.02*limit+2200 || budget <= 256 && got < 0.9*limit || budget == 1024 && got < 0.4*limit {
			t.Errorf("in the second after the budget changes to %d kbit/s: %v kbit", budget, got*8/1000)
		}
	}
}

// TestNothingStarves checks that bodies at rest with equal priorities are sent in turn, each again
// after as many ticks as all of them need; and that with current priorities the first bodies are
// alcounts sent and the last one never.
func TestNothingStarves(t *testing.T) {
	r := newRig(t, "katamari:cubes=400", "perfect", "inputs", "off")
	r.input = predicttest.NoInput
	r.run(300) // to rest
	sent := make([]int, 401)
	longest := 0
	turn := func() {
		r.run(1)
		for _, u := range r.s.scratch.message.updates[:r.s.scratch.message.updateCount] {
			longest = max(longest, r.Tick-sent[u.body])
			sent[u.body] = r.Tick
		}
	}
	for range 100 {
		turn()
	}
	longest = 0
	for range 200 {
		turn()
	}
	perPacket := r.s.scratch.message.updateCount - 1 // besides the player
	if want := (400 + perPacket - 1) / perPacket; longest < want || longest > want+2 {
		t.Errorf("a body waits %d ticks; %d bodies at %d per packet take %d", longest, 400, perPacket, want)
	}
	r.SetKnob("priority", "current")
	at := r.Tick
	for range 200 {
		turn()
	}
	if sent[1] != r.Tick || sent[400] > at {
		t.Errorf("current priorities: the first body was sent %d ticks ago, the last %d", r.Tick-sent[1], r.Tick-sent[400])
	}
}

// TestPriorities checks that a body of priority 100 is sent 100 times as often as one of priority
// 1, and the player in every packet.
func TestPriorities(t *testing.T) {
	p := newSender(5, 60)
	w := predict.NewWorld(predicttest.Scene(t, "katamari:cubes=4"), 60)
	by := policy{playerPriority: 1_000_000, touchedPriority: 100, otherPriority: 1}
	times := [5]int{}
	touched := w.TouchedBy()
	for range 30_000 {
		for i := range touched {
			touched[i] = sim.NoPlayer
		}
		touched[0], touched[1] = 0, 0
		p.accumulatePriorities(w, make([]bool, 5), &by, 0)
		m := message{format: format{rotationBits: maxRotationBits, quantised: true, velocities: true}}
		p.chooseUpdates(&m, w, 2*(plainIndexBits(w.Scene())+m.format.bodyBits(false)), unowned)
		for _, u := range m.updates[:m.updateCount] {
			times[u.body]++
			p.bodies[u.body].priority = 0
		}
	}
	// The bodies share one place per packet besides the player's, with weights 100, 1, 1 and 1.
	if times[0] != 30_000 || times[1] < 28_800 || times[1] > 29_200 {
		t.Errorf("the player was sent %d times, the touched body %d", times[0], times[1])
	}
	for _, n := range times[2:] {
		if n < 270 || n > 400 {
			t.Errorf("the others were sent %v times", times[2:])
		}
	}
}

// TestFitAndSkip checks that a body that does not fit is skipped and the next one tried, that the
// updates are in the order of the bodies, and that the returned size is the size on the wire.
func TestFitAndSkip(t *testing.T) {
	sc := predicttest.Scene(t, "katamari:cubes=4")
	w := predict.NewWorld(sc, 60)
	for i, asleep := range []bool{false, false, true, false, true} {
		b := w.Bodies()[i]
		b.Asleep = asleep
		w.SetBody(i, b)
	}
	p := newSender(5, 60)
	for i, n := range []int64{10, 40, 20, 50, 30} {
		p.bodies[i].priority = n
	}
	m := message{players: 1, format: format{rotationBits: maxRotationBits, quantised: true, velocities: true}}
	number := plainIndexBits(&sc)
	awake, asleep := number+m.format.bodyBits(false), number+m.format.bodyBits(true)
	p.chooseUpdates(&m, w, awake+asleep+10, unowned) // 3 fits, then 1 does not, 4 does, and 2 does not
	got := []int{}
	for _, u := range m.updates[:m.updateCount] {
		got = append(got, u.body)
	}
	if !slices.Equal(got, []int{3, 4}) {
		t.Errorf("bodies %v are chosen", got)
	}
	var c quant.Coder
	c.BeginMeasure()
	m.code(&c, &sc)
	n := m
	n.updateCount = 0
	full := c.BitsProcessed()
	c.BeginMeasure()
	n.code(&c, &sc)
	if full-c.BitsProcessed() != awake+asleep {
		t.Errorf("%d bits of updates, want %d", full-c.BitsProcessed(), awake+2*asleep)
	}
}

// TestArticleBits compares the sizes of updates with the article's: 117 bits at rest and 222
// moving, with an index of ten bits, and 235 and 427 uncompressed.
func TestArticleBits(t *testing.T) {
	sc := predicttest.Scene(t, "katamari")
	q, f := format{rotationBits: maxRotationBits, quantised: true, velocities: true}, format{rotationBits: maxRotationBits, velocities: true}
	n := plainIndexBits(&sc)
	if got := [4]int{n + q.bodyBits(true), n + q.bodyBits(false), n + f.bodyBits(true), n + f.bodyBits(false)}; got != [4]int{117, 222, 235, 427} {
		t.Errorf("%v", got)
	}
}

// TestShowsEveryTickInOrder checks that with a jitter buffer longer than the jitter the client
// shows every tick once and in order, the player's cube at the server's pose, and that the delay is
// the latency plus the buffer.
func TestShowsEveryTickInOrder(t *testing.T) {
	r := newRig(t, "zen", "latency=50ms,jitter=50ms", "smoothing", "none")
	r.run(240)
	for range 600 {
		before := r.ClientWorld().Tick()
		r.run(1)
		now := r.ClientWorld().Tick()
		if r.Clients[0].Env.SlewPPM == 0 && now != before+1 {
			t.Fatalf("tick %d is shown after tick %d", before, now)
		}
		if off := r.ClientWorld().Bodies()[0].Pose.Pos.Sub(r.ServerPoses[now].Pos).Len(); off > 0.001 {
			t.Fatalf("tick %d: the player's cube is %v m from the server's", now, off)
		}
	}
	if r.Counter("packets_late") > 2 || r.Counter("missing_inputs") > 5 {
		t.Errorf("%v late, %v inputs missing", r.Counter("packets_late"), r.Counter("missing_inputs"))
	}
	for buffer, want := range []int{0: 3, 1: 4, 5: 8, 20: 23} { // three ticks of latency, and the buffer
		if want == 0 {
			continue
		}
		r := newRig(t, "plain", "latency=50ms", "jitter-buffer", strconv.Itoa(buffer))
		r.run(240)
		if late := int(r.ServerWorld().Tick()) - int(r.ClientWorld().Tick()); late != want {
			t.Errorf("buffer %d: the client is %d ticks behind", buffer, late)
		}
	}
}

// TestInputsAreRedundant checks that at 20 % loss hardly any tick is stepped without its inputs,
// although a fifth of the packets is lost.
func TestInputsAreRedundant(t *testing.T) {
	r := newRig(t, "plain", "latency=50ms,loss=20%")
	r.run(1800)
	if n := r.Counter("missing_packets"); n < 250 {
		t.Fatalf("%v packets are missing", n)
	}
	if n := r.Counter("missing_inputs"); n > 5 {
		t.Errorf("%v of 1800 ticks lack their inputs", n)
	}
	r = newRig(t, "plain", "latency=50ms", "inputs", "off")
	r.run(600)
	if n := r.Counter("missing_inputs"); n < 580 {
		t.Errorf("inputs=off: %v of 600 ticks lack their inputs", n)
	}
}

// TestClockFollowsLatency checks that after the latency changes by 200 ms and more, packets again
// wait for the length of the jitter buffer within twelve seconds.
func TestClockFollowsLatency(t *testing.T) {
	r := newRig(t, "zen", "latency=50ms", "congestion", "off")
	r.run(300)
	for _, latency := range []time.Duration{250 * time.Millisecond, 50 * time.Millisecond, 900 * time.Millisecond, 50 * time.Millisecond} {
		r.Network.Down.Latency = latency
		r.run(720)
		late := r.Counter("packets_late")
		r.run(60)
		if n := r.Counter("packets_late") - late; n > 0 {
			t.Errorf("%v: %v packets are late after twelve seconds", latency, n)
		}
		if n := r.Counter("buffered_packets"); n < 4 || n > 7 {
			t.Errorf("%v: %v packets are buffered", latency, n)
		}
	}
}

// TestRecovers checks that half a second after a five-second outage, counted from the first
// packet's turn, no body is drawn 25 cm or more from the server's pose of that tick.
func TestRecovers(t *testing.T) {
	r := newRig(t, "zen", "latency=50ms")
	r.run(300)
	r.Network.Blackout = 10 * time.Second
	r.run(300)
	worst := float32(0)
	for i := range 120 {
		r.run(1)
		var v predict.View
		r.c.View(&v)
		off := v.Bodies[0].Pos.Sub(r.ServerPoses[v.Tick()].Pos).Len()
		worst = max(worst, off)
		if i >= 9+30 && off > 0.25 {
			t.Fatalf("%d ticks after the outage the player's cube is drawn %v m from the server's", i, off)
		}
	}
	if worst < 0.5 {
		t.Errorf("the largest error after the outage is only %v m", worst)
	}
}

// TestCorrectionKeepsDrawnPose checks that a correction does not move the drawn pose in its tick.
func TestCorrectionKeepsDrawnPose(t *testing.T) {
	r := newRig(t, "zen", "latency=50ms")
	r.run(200)
	u := update{body: 3, state: r.ClientWorld().Bodies()[3]}
	u.state.Pose.Pos.X += 0.7
	u.state.Pose.Rot = geom.AxisAngle(geom.Vec3{Z: 1}, 0.5).Mul(u.state.Pose.Rot)
	before := r.c.drawnPose(3)
	r.c.applyUpdate(&u, &message{tick: r.ClientWorld().Tick(), format: format{velocities: true}})
	after := r.c.drawnPose(3)
	if got := r.ClientWorld().Bodies()[3].Pose; got != u.state.Pose {
		t.Errorf("the body is at %v, want %v", got, u.state.Pose)
	}
	if after.Pos.Sub(before.Pos).Len() > 1e-5 || after.Rot.Mul(before.Rot.Inverse()).Angle() > 1e-3 {
		t.Errorf("the body is drawn at %v before and %v after the correction", before, after)
	}
}

// TestLatePacketAtRest checks that of a late packet only sleeping bodies are applied, unless a
// newer state has arrived.
func TestLatePacketAtRest(t *testing.T) {
	r := newRig(t, "zen", "latency=50ms")
	r.run(200)
	now := r.ClientWorld().Tick()
	at := func(asleep bool, tick sim.Tick) bool {
		m := message{tick: tick, updateCount: 1, format: format{velocities: true}}
		u := &m.updates[0]
		u.body, u.state = 4, r.ClientWorld().Bodies()[4]
		u.state.Asleep = asleep
		u.state.Pose.Pos.X += 0.1
		r.c.applyResting(&m)
		return r.ClientWorld().Bodies()[4] == u.state
	}
	r.c.bodies[4].appliedTick = now - 10
	if at(false, now-5) {
		t.Error("a late packet moves an awake body")
	}
	if at(true, now-11) {
		t.Error("a state older than the newest one is applied")
	}
	if !at(true, now-5) {
		t.Error("a late packet does not put a body to sleep")
	}
}

// TestOutOfRangePackets checks that packets out of range are rejected, and that the client follows
// a stream of them: after a quarter of a second if they are ahead, after a second if they are
// behind.
func TestOutOfRangePackets(t *testing.T) {
	r := newRig(t, "plain", "perfect")
	r.run(120)
	of := func(tick sim.Tick) []byte {
		m := message{tick: tick, players: 1, format: format{rotationBits: maxRotationBits}}
		var c quant.Coder
		c.BeginWrite(make([]byte, maxBytes))
		m.code(&c, r.ClientWorld().Scene())
		return slices.Clone(c.FinishWrite())
	}
	far := of(5000)
	was := r.ClientWorld().Tick()
	r.c.receive(far)
	if r.Counter("rejected_payloads") != 1 || r.ClientWorld().Tick() != was {
		t.Errorf("a packet of tick 5000 is accepted at tick %d", was)
	}
	for range 14 {
		r.c.state.localTick++
		r.c.receive(far)
	}
	if r.ClientWorld().Tick() != was {
		t.Errorf("the client follows too early: tick %d", r.ClientWorld().Tick())
	}
	for range 2 {
		r.c.state.localTick++
		r.c.receive(far)
	}
	if r.ClientWorld().Tick() != 4999 {
		t.Errorf("after a quarter of a second the client is at tick %d", r.ClientWorld().Tick())
	}
	for range 62 { // going back takes a second
		r.c.state.localTick++
		r.c.receive(of(1000))
	}
	if r.ClientWorld().Tick() != 999 || r.c.packets.Find(1000) == nil {
		t.Errorf("after a second of tick 1000 the client is at tick %d", r.ClientWorld().Tick())
	}
}

// TestFullMessageFits checks that the longest message fits in maxBytes.
func TestFullMessageFits(t *testing.T) {
	sc := predicttest.Scene(t, "katamari:players=4")
	m := message{tick: 100, inputCount: maxInputs, players: sc.Players, updateCount: maxUpdates, format: format{authority: true, velocities: true, rotationBits: maxRotationBits}}
	for p := range m.inputs {
		for i := range m.inputs[p] {
			m.inputs[p][i] = sim.Input{Buttons: sim.Buttons(i % 4), Heading: uint8(i*7 + p + 1)}
		}
	}
	w := predict.NewWorld(sc, 60)
	for i := range m.updates {
		m.updates[i] = update{body: i * 3, state: w.Bodies()[i*3], authority: authority{int8(i % 4), true}}
		m.updates[i].state.Asleep = false
	}
	var c quant.Coder
	c.BeginWrite(make([]byte, maxBytes))
	m.code(&c, &sc)
	var o message
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	err := o.read(&c, slices.Clone(c.FinishWrite()), &sc, 90)
	o.grids, o.format.grids = nil, nil
	if err != nil || !reflect.DeepEqual(o, m) {
		t.Errorf("the message differs after a round trip, error %v", err)
	}
}

// TestRejectsMalformed checks that messages are rejected if they repeat a body, contain one outside
// the scene or inputs from before the session, or are a byte too long or too short.
func TestRejectsMalformed(t *testing.T) {
	sc := predicttest.Scene(t, "zen")
	w := predict.NewWorld(sc, 60)
	read := func(spoil func(m *message), bytes int) error {
		m := message{tick: 50, inputCount: 3, players: 1, updateCount: 2, format: format{velocities: true, rotationBits: maxRotationBits}}
		m.updates[0], m.updates[1] = update{body: 1, state: w.Bodies()[1]}, update{body: 2, state: w.Bodies()[2]}
		if spoil != nil {
			spoil(&m)
		}
		var c quant.Coder
		c.BeginWrite(make([]byte, maxBytes))
		m.code(&c, &sc)
		b := slices.Clone(c.FinishWrite())
		b = slices.Grow(b, 8)[:len(b)+bytes]
		return m.read(&c, b, &sc, 45)
	}
	if err := read(nil, 0); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(m *message){
		"outside": func(m *message) { m.updates[1].state.Pose.Pos.X = 257 },
		"turned":  func(m *message) { m.updates[1].state.Pose.Rot.X = 1 },
		"early":   func(m *message) { m.tick = 2 },
	} {
		if read(spoil, 0) == nil {
			t.Errorf("%s: the payload is accepted", name)
		}
	}
	if read(nil, 1) == nil || read(nil, -1) == nil {
		t.Error("a payload of another length is accepted")
	}
	// Replace the index of the second body, 2, by that of the first.
	m := message{tick: 50, players: 1, updateCount: 2, format: format{quantised: true, rotationBits: maxRotationBits}}
	m.updates[0], m.updates[1] = update{body: 1, state: w.Bodies()[1]}, update{body: 2, state: w.Bodies()[2]}
	for i := range m.updates[:m.updateCount] {
		m.updates[i].state.Asleep = true
	}
	var c quant.Coder
	c.BeginWrite(make([]byte, maxBytes))
	m.code(&c, &sc)
	b := slices.Clone(c.FinishWrite())
	at := c.BitsProcessed() - m.format.bodyBits(true) - plainIndexBits(&sc) // the second body's index
	for i := range plainIndexBits(&sc) {
		b[(at+i)/8] &^= 1 << ((at + i) % 8)
	}
	b[at/8] |= 1 << (at % 8)
	if m.read(&c, b, &sc, 45) == nil {
		t.Error("a repeated body is accepted")
	}
}

// FuzzRead checks that any bytes are either rejected or decoded to states that the scene allows,
// which encode to the same bytes.
func FuzzRead(f *testing.F) {
	for _, level := range levels {
		r := newRig(f, "katamari:cubes=20", "perfect", "compression", level)
		r.run(100)
		f.Add(slices.Clone(r.s.scratch.coder.FinishWrite()))
	}
	sc := predicttest.Scene(f, "katamari:cubes=20")
	f.Fuzz(func(t *testing.T, b []byte) {
		var c quant.Coder
		var m message
		if m.read(&c, b, &sc, 100) != nil {
			return
		}
		for _, u := range m.updates[:m.updateCount] {
			if u.missingBaseline {
				continue
			}
			if u.body < 0 || u.body > 20 || !(geom.Abs(u.state.Pose.Pos.X) <= sc.HalfWidth) {
				t.Errorf("%+v", u)
			}
		}
		if slices.ContainsFunc(m.updates[:m.updateCount], func(u update) bool { return u.missingBaseline }) {
			return // the baselines are unknown here
		}
		c.BeginWrite(make([]byte, maxBytes))
		m.code(&c, &sc)
		if c.Err() != nil || !slices.Equal(c.FinishWrite(), b) {
			t.Errorf("%x is written back as %x, error %v", b, c.FinishWrite(), c.Err())
		}
	})
}

// TestCongestion checks that over a link of less than the budget the send rate falls to what the
// link carries and the queue stays short, while without congestion control it fills; that the rate
// returns when the link does; and that loss and long latency do not count as congestion.
func TestCongestion(t *testing.T) {
	t.Parallel()
	stats := func(r *rig) *packet.Stats { return &r.Peers[0].Endpoint.Stats }
	links := []int{40, 96, 160}
	if experiment.Brief() {
		links = links[:1]
	}
	for _, kbit := range links {
		network := "latency=30ms,down.bandwidth=" + strconv.Itoa(kbit) + "kbit,down.queue=2s"
		r := newRig(t, "katamari:cubes=200", network)
		r.run(900)
		worst, before := time.Duration(0), r.bytesSent()
		for range 1200 {
			r.run(1)
			worst = max(worst, stats(r).RTT)
		}
		if got := float64(r.bytesSent()-before) * 8 / 20e3; got > 1.05*float64(kbit) || got < 0.5*float64(kbit) {
			t.Errorf("over %d kbit/s: %v kbit/s sent", kbit, got)
		}
		if worst > 900*time.Millisecond {
			t.Errorf("over %d kbit/s: the round trip reaches %v", kbit, worst)
		}
		full := newRig(t, "katamari:cubes=200", network, "congestion", "off")
		full.run(2100)
		if trip := stats(full).RTT; trip < 1500*time.Millisecond {
			t.Errorf("over %d kbit/s without congestion control: the round trip is only %v", kbit, trip)
		}
		r.Network.Down.Bandwidth = 0
		r.run(66 * 60)
		before = r.bytesSent()
		r.run(600)
		if got := float64(r.bytesSent()-before) * 8 / 10e3; got < 240 {
			t.Errorf("after %d kbit/s and more than a minute without a limit: %v kbit/s", kbit, got)
		}
	}
	for _, network := range []string{"latency=300ms", "latency=50ms,loss=30%", "latency=50ms,jitter=40ms,loss=5%"} {
		r := newRig(t, "katamari:cubes=200", network)
		r.run(1800 * len(links) / 3)
		if n := r.Counter("congested_ticks"); n > 0 {
			t.Errorf("%s: %v ticks of congestion", network, n)
		}
	}
}

// TestAnyLossDecodes checks that under loss, delay, duplication and reordering every received
// message decodes to exactly the states that were sent, and never lacks a baseline; that most
// moving bodies are sent as deltas; and that every encoding is used.
func TestAnyLossDecodes(t *testing.T) {
	t.Parallel()
	networks := []string{"perfect", "latency=50ms,loss=40%", "latency=80ms,jitter=80ms,reorder=20%,reorder-delay=200ms,duplicate=10%",
		"latency=100ms,outage=400ms,outage-every=1s", "latency=300ms,jitter=300ms,loss=5%"}
	ticks := 900
	if experiment.Brief() {
		ticks = 600
	}
	for k, level := range levels {
		for i, network := range networks {
			if experiment.Brief() && i != 1+k%4 && (level != "delta" || i != 2) { // each level over one bad network, delta over two
				continue
			}
			r := newRig(t, "katamari:cubes=120", network, "compression", level, "budget", "192", "congestion", "off")
			r.Network.Seed, r.input = uint64(i+1), drivePulling
			var sent [historyTicks]message
			compared, based := 0, 0
			var counts [absolute + 1]int
			var got [historyTicks]sim.Tick
			for range ticks {
				r.run(1)
				m := &r.s.scratch.message
				sent[m.tick%historyTicks].copyFrom(m)
				for at := range sim.Tick(historyTicks) {
					o := &sent[at]
					c := r.c.packets.Find(o.tick)
					if c == nil || got[at] == o.tick || o.tick == 0 {
						continue
					}
					got[at] = o.tick
					if c.updateCount != o.updateCount || c.format != o.format {
						t.Fatalf("%s, %s: tick %d: %d updates, %d sent", level, network, o.tick, c.updateCount, o.updateCount)
					}
					for j := range o.updates[:o.updateCount] {
						a, b := &o.updates[j], &c.updates[j]
						if want := o.format.roundTrip(a.state); a.body != b.body || want != b.state || a.encoding != b.encoding || b.missingBaseline {
							t.Fatalf("%s, %s: tick %d: body %d is sent as %+v and read as %+v", level, network, o.tick, a.body, want, b)
						}
						compared++
						counts[b.encoding]++
						if b.isDelta() {
							based++
						}
					}
				}
			}
			if compared < 4000*ticks/900 {
				t.Errorf("%s, %s: %d updates compared", level, network, compared)
			}
			for encoding, n := range counts {
				if level == "delta" && i == 1 && n == 0 && encoding != absolute {
					t.Errorf("%s, %s: no update has encoding %d", level, network, encoding)
				}
			}
			if share := float64(based) / float64(compared-counts[initialState]); level == "delta" && i == 1 && share < 0.5 || level != "delta" && based > 0 {
				t.Errorf("%s, %s: a share of %v of the updates are deltas", level, network, share)
			}
		}
	}
}

// TestMissingBaseline checks that an update with a missing baseline is lost alone: the other
// updates of its packet are read, and the body is soon sent without a baseline.
func TestMissingBaseline(t *testing.T) {
	r := newRig(t, "katamari:cubes=20", "latency=50ms", "compression", "delta")
	r.run(300)
	r.c.packets.Reset()
	r.run(160)
	lost := r.Counter("missing_baselines")
	if lost == 0 || r.Counter("rejected_payloads") > 0 {
		t.Errorf("%v updates lost, %v packets rejected", lost, r.Counter("rejected_payloads"))
	}
	r.run(100)
	if n := r.Counter("missing_baselines"); n > lost {
		t.Errorf("after three seconds updates are still lost: %v and %v", lost, n-lost)
	}
}

// misplacedBodies counts the bodies that rest at the server and are drawn more than a millimetre
// from the server's pose.
func (r *rig) misplacedBodies() (n int) {
	for i, b := range r.ServerWorld().Bodies() {
		if b.Asleep && r.c.drawnPose(i).Pos.Sub(b.Pose.Pos).Len() > 0.001 {
			n++
		}
	}
	return n
}

// TestReliableRest checks that at 30 % loss no body is misplaced two seconds after all have come to
// rest, and that without reliable-rest some are.
func TestReliableRest(t *testing.T) {
	t.Parallel()
	left := func(commit string) int {
		r := newRig(t, "katamari", "latency=50ms,loss=30%", "compression", "quantised", "budget", "64", "reliable-rest", commit)
		r.input = func(tick int) sim.Input {
			if tick > 600 {
				return sim.Input{}
			}
			in := predicttest.DriveAround(tick)
			in.Buttons |= sim.Lift
			return in
		}
		r.run(600)
		for range 1200 {
			r.run(1)
			if !slices.ContainsFunc(r.ServerWorld().Bodies(), func(b sim.Body) bool { return !b.Asleep }) {
				r.run(120)
				return r.misplacedBodies()
			}
		}
		t.Fatal("the pile does not come to rest")
		return 0
	}
	on, off := left("on"), left("off")
	t.Logf("%d misplaced bodies with reliable-rest, %d without", on, off)
	if on > 0 || off == 0 {
		t.Errorf("%d misplaced bodies with reliable-rest, %d without", on, off)
	}
}

func unowned(int) authority { return noAuthority }

// TestLargeScene checks that the grid covers the bounds of the scene, in both worlds and on the
// wire, with a body that is far out and fast.
func TestLargeScene(t *testing.T) {
	for _, level := range levels {
		r := newRig(t, "ship:distance=530", "latency=30ms", "compression", level, "smoothing", "none")
		w := r.ServerWorld()
		b := w.Bodies()[0]
		b.Pose.Pos = geom.Vec3{X: 500, Y: 300, Z: 20}
		b.Linear = geom.Vec3{X: 10, Y: 50}
		w.SetBody(0, b)
		r.input = predicttest.NoInput
		r.run(90)
		got := r.ClientWorld().Bodies()[0].Pose.Pos
		want := r.ServerPoses[r.ClientWorld().Tick()].Pos
		if off := got.Sub(want).Len(); off > 0.01 || want.X < 500 || want.Y < 320 {
			t.Errorf("%s: the body is at %v, and drawn %v m from the server's", level, want, off)
		}
	}
}
