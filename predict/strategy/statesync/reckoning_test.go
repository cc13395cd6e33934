package statesync

import (
	"slices"
	"testing"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// reckoned are the knobs of dead reckoning by an algorithm, with others.
func reckoned(algorithm string, more ...string) []string {
	return append([]string{"send", "dead-reckoning", "dr-algorithm", algorithm, "smoothing", "none"}, more...)
}

// TestReckoningKeepsThreshold checks that without loss no body is ever shown farther from its pose at
// the server than the thresholds, by any algorithm, that far fewer updates are sent than there are bodies in all
// ticks, and fewer the better the algorithm.
func TestReckoningKeepsThreshold(t *testing.T) {
	t.Parallel()
	updates := map[string]float64{}
	for _, algorithm := range reckonings {
		r := newRig(t, "zen", "latency=40ms,jitter=30ms", reckoned(algorithm, "dr-threshold", "0.1", "dr-rotation", "8", "budget", "4096")...)
		var past [][]sim.Body // by tick
		for range 900 {
			r.run(1)
			past = append(past, slices.Clone(r.ServerWorld().Bodies()))
			now := r.ClientWorld().Tick()
			if r.Tick < 30 {
				continue
			}
			for i, b := range r.ClientWorld().Bodies() {
				server := past[now-1][i].Pose
				off, turned := b.Pose.Pos.Sub(server.Pos).Len(), b.Pose.Rot.Mul(server.Rot.Inverse()).Angle()
				if off > 0.1005 || turned > 8.1*geom.TwoPi/360 {
					t.Fatalf("%s, tick %d: body %d is %v m and %v rad off", algorithm, now, i, off, turned)
				}
			}
		}
		if updates[algorithm] = r.Counter("updates"); r.Counter("packets_late") > 0 {
			t.Errorf("%v packets are late", r.Counter("packets_late"))
		}
	}
	t.Log(updates)
	if n := updates["velocity"]; n > 900*25/10 || n > 0.8*updates["static"] || n < 50 || updates["acceleration"] > n {
		t.Errorf("updates by algorithm: %v", updates)
	}
}

// TestReckoningWorstFirst checks that of bodies that are extrapolated wrongly those have the highest priority that are
// off by most, and that one outside the area of interest is not sent, however far it is off.
func TestReckoningWorstFirst(t *testing.T) {
	w := predict.NewWorld(predicttest.Scene(t, "katamari:cubes=9"), 60)
	by, knobs, p := policy{}, &predict.Knobs{}, newSender(10, 60)
	by.declare(knobs)
	predicttest.SetKnobs(t, knobs, "send", "dead-reckoning", "dr-threshold", "0.1", "interest-radius", "200", "interest-cutoff", "200")
	far := w.Bodies()[9]
	far.Pose.Pos.X += 300
	w.SetBody(9, far)
	f := format{}
	by.reckoning.format(&f)
	p.state.reckoning = f.reckoning
	for i, b := range w.Bodies() {
		b.Pose.Pos.Y += float32(i) / 4
		p.bodies[i].reckoned = reckonedBody{known: true, tick: w.Tick(), state: b}
		w.TouchedBy()[i] = sim.NoPlayer
	}
	changed := make([]bool, 10)
	p.accumulatePriorities(w, changed, &by, 0)
	p.excludeReckoned(w, &by, &f, &packet.Stats{})
	for i := 2; i < 9; i++ {
		if p.bodies[i].priority <= p.bodies[i-1].priority {
			t.Errorf("body %d is off by %d cm and has priority %d, the one before %d", i, 25*i, p.bodies[i].priority, p.bodies[i-1].priority)
		}
	}
	if n := p.bodies[9].priority; n != notSent {
		t.Errorf("a body outside the area of interest has priority %d", n)
	}
}

// TestReckoningHeartbeat checks that of bodies at rest one update is sent in each heartbeat, and
// otherwise ten packets a second with nothing in them.
func TestReckoningHeartbeat(t *testing.T) {
	r := newRig(t, "zen", "latency=40ms", reckoned("velocity", "heartbeat", "2s")...)
	still := func(int) sim.Input { return sim.Input{} }
	r.Run(240, still) // all have come to rest
	updates, packets := r.Counter("updates"), r.Counter("packets")
	r.Run(1200, still)
	if n := r.Counter("updates") - updates; n != 10*float64(len(r.ServerWorld().Bodies())) {
		t.Errorf("%v updates in ten heartbeats", n)
	}
	if n := r.Counter("packets") - packets; n < 200 || n > 230 {
		t.Errorf("%v packets in 20 s", n)
	}
}

// TestReckoningRepairsLoss checks that a lost update is sent again within a round trip or two, long before the
// heartbeat: at 40 % loss a body that has been moved to another place of rest is there after a second.
func TestReckoningRepairsLoss(t *testing.T) {
	r := newRig(t, "plain", "latency=40ms,loss=40%", reckoned("velocity", "heartbeat", "10s")...)
	still := func(int) sim.Input { return sim.Input{} }
	r.Run(120, still)
	for trial := range 20 {
		r.Displace(geom.Vec3{X: 1.5})
		r.Run(100, still)
		if d := r.Distance(0); d > 0.01 {
			t.Errorf("trial %d: after 1.7 s the body is %v m off", trial, d)
		}
	}
}

// TestReckoningCountsLateUpdates checks that updates that arrive after their tick, or after newer ones, are
// applied unless their body has a newer one: what the sender takes for received is what the client extrapolates.
func TestReckoningCountsLateUpdates(t *testing.T) {
	r := newRig(t, "zen", "latency=20ms,jitter=120ms", reckoned("velocity", "jitter-buffer", "1", "dr-threshold", "0.1")...)
	checked := 0
	for range 900 {
		r.run(1)
		p := &r.s.senders[0]
		for i := range p.bodies {
			sent, got := &p.bodies[i].reckoned, &r.c.bodies[i].reckoned
			acknowledged := sent.known && p.bodies[i].baseline.tick == sent.tick
			if acknowledged && sent.tick <= r.ClientWorld().Tick() { // and not in the jitter buffer
				if checked++; got.tick != sent.tick || got.state != sent.state {
					t.Fatalf("tick %d: body %d is extrapolated from tick %d and acknowledged at %d", r.Tick, i, got.tick, sent.tick)
				}
			}
		}
	}
	if late := r.Counter("packets_late"); late < 50 || checked < 1000 {
		t.Errorf("%v packets were late, %d states compared", late, checked)
	}
}

// TestReckoningSwitches checks that the knobs can be turned at any time: the client simulates and extrapolates
// in turn, and is right after each change.
func TestReckoningSwitches(t *testing.T) {
	r := newRig(t, "two-players", "latency=40ms,loss=5%", "smoothing", "none")
	for i, send := range []string{"priority", "dead-reckoning", "priority", "dead-reckoning", "dead-reckoning"} {
		r.SetKnob("send", send)
		r.SetKnob("dr-algorithm", reckonings[i%len(reckonings)])
		r.run(240)
		if extrapolates := r.c.state.reckoning != notReckoned; extrapolates != (send == "dead-reckoning") {
			t.Errorf("%s: the client extrapolates: %t", send, extrapolates)
		}
	}
	r.Run(400, func(int) sim.Input { return sim.Input{} })
	for i, b := range r.ServerWorld().Bodies() {
		if d := r.Distance(i); b.Asleep && d > 0.001 {
			t.Errorf("at rest body %d is %v m off", i, d)
		}
	}
}

// TestReckoningFollowsFall checks that a falling body needs few updates if its acceleration is sent, and many if only
// its velocity is. The simulation falls farther than the parabola, by half a tick of its velocity.
func TestReckoningFollowsFall(t *testing.T) {
	updates := map[string]float64{}
	for _, algorithm := range []string{"velocity", "acceleration"} {
		r := newRig(t, "plain", "latency=20ms", reckoned(algorithm, "dr-threshold", "0.05")...)
		r.Run(120, func(int) sim.Input { return sim.Input{} })
		r.ChangeBody(0, func(b *sim.Body) { b.Pose.Pos.Z, b.Linear = 10, geom.Vec3{X: 3, Z: 5} })
		r.Run(10, func(int) sim.Input { return sim.Input{} }) // the throw itself is no fall
		before := r.Counter("updates")
		r.Run(60, func(int) sim.Input { return sim.Input{} })
		updates[algorithm] = r.Counter("updates") - before
	}
	if updates["acceleration"] > 3 || updates["velocity"] < 10 {
		t.Errorf("updates of a falling body: %v", updates)
	}
}

// TestReckoningMessage checks the packet: the algorithm takes the place of the inputs, and only the format
// with accelerations carries them; a packet that is relative as well is rejected.
func TestReckoningMessage(t *testing.T) {
	sc := predicttest.Scene(t, "zen")
	for algorithm := reckonStatic; algorithm <= reckonAcceleration; algorithm++ {
		f := format{quantised: true, velocities: true, rotationBits: maxRotationBits, reckoning: algorithm, grids: defaultGrids}
		m := message{tick: 50, inputCount: 7, players: 1, updateCount: 1, format: f}
		m.updates[0] = update{body: 3, encoding: absolute, state: f.roundTrip(sc.Boxes[3].Start), acceleration: geom.Vec3{X: -9.8125, Z: 31}}
		m.updates[0].state.Asleep = false
		var c quant.Coder
		c.BeginWrite(make([]byte, maxBytes))
		m.code(&c, &sc)
		var got message
		if err := got.read(&c, slices.Clone(c.FinishWrite()), &sc, 45); err != nil || got.inputCount != 0 || got.format.reckoning != algorithm {
			t.Fatalf("%s: error %v, %+v", reckonings[algorithm-1], err, got.format)
		}
		if want := m.updates[0].acceleration; (got.updates[0].acceleration == want) != (algorithm == reckonAcceleration) {
			t.Errorf("%s: acceleration %v, want %v", reckonings[algorithm-1], got.updates[0].acceleration, want)
		}
		m.format.relative = true
		c.BeginWrite(make([]byte, maxBytes))
		m.code(&c, &sc)
		if got.read(&c, slices.Clone(c.FinishWrite()), &sc, 45) == nil {
			t.Errorf("%s: a relative packet is accepted", reckonings[algorithm-1])
		}
	}
}

// TestReckoningLeavesVehicles checks that drivers and carriers are not sent: their poses follow.
func TestReckoningLeavesVehicles(t *testing.T) {
	r := newRig(t, "turntable", "latency=20ms", reckoned("velocity", "heartbeat", "200ms")...)
	r.run(300)
	for i := range r.ServerWorld().Bodies() {
		if known := r.s.senders[0].bodies[i].reckoned.known; known == r.ServerWorld().IsKinematic(i) {
			t.Errorf("body %d is sent: %t", i, known)
		}
	}
}
