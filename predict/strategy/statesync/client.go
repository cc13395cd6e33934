package statesync

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

const (
	maxEarlyTicks  = 32 // a packet this early, or twice as late, is out of range
	resyncPackets  = 6  // packets out of range in a row that restart the clock
	maxBufferTicks = 30 // longest jitter buffer
	trailTicks     = 160
)

// The ways to correct a body.
const (
	snap = iota
	blend
)

var corrections = []string{"snap", "blend"}

type client struct {
	env          *predict.Env
	settings     settings
	jitterBuffer int // ticks; 0: none
	adaptive     bool
	correction   int
	share        float64
	smooth       smoothing.Settings
	solver       predict.Solver

	inputSender input.Sender
	inputTick   sim.Tick // of the next own input

	started         bool     // a packet has arrived
	startDelay      int      // ticks until the first packet's turn
	newest          sim.Tick // of the newest packet
	visibleTick     sim.Tick // without a buffer: of the newest packet that smoothing lets show
	outOfRange      int      // packets out of range in a row
	outOfRangeSince sim.Tick // own tick of the first of them
	fellBehind      bool     // they are early: this client is behind
	packets         history.Ring[message]
	scratch         message
	coder           quant.Coder
	inputs          history.Ring[[maxPlayers]sim.Input] // by tick
	lastInputs      []sim.Input
	delay           sim.Moment // of the jitter buffer now, in whole ticks
	arrivals        playout.Arrivals
	percentile      playout.Percentile
	servo           clock.Servo

	appliedTick     []sim.Tick  // by body: of its newest state
	lastReceived    []geom.Pose // by body: as last received
	rest            restTracker
	authority       localAuthority
	stateAges       ageHistogram
	correctionCount int
	correctionSum   float64 // metres, sum
	errorOffsets    []smoothing.ErrorOffset
	offsetStats     offsetStats
	localTick       sim.Tick                // own ticks since the client began
	trail           history.Ring[geom.Pose] // of the player's cube as drawn, by own ticks

	encodings []predict.Encoding // by body: how what was last received came
}

func newClient(env *predict.Env) predict.Client {
	if env.Players > maxPlayers {
		panic("statesync: more players than any scene has")
	}
	n := len(env.World.Bodies())
	c := &client{
		env: env, inputTick: env.World.Tick(), newest: env.World.Tick(),
		packets:      history.New[message](historyTicks),
		inputs:       history.New[[maxPlayers]sim.Input](historyTicks),
		lastInputs:   append([]sim.Input(nil), env.LastInputs...),
		appliedTick:  make([]sim.Tick, n),
		encodings:    make([]predict.Encoding, n),
		errorOffsets: make([]smoothing.ErrorOffset, n),
		offsetStats:  newOffsetStats(n),
		arrivals:     playout.Arrivals{SpanTicks: env.World.Rate()},
		trail:        history.New[geom.Pose](trailTicks),
	}
	for i := range c.appliedTick {
		c.appliedTick[i] = env.World.Tick()
	}
	c.lastReceived = predict.AppendPoses(nil, env.World.Bodies())
	k, m := env.Knobs, env.Counters
	k.Int(&c.jitterBuffer, "jitter-buffer", 5, 0, maxBufferTicks, "ticks that the earliest packets wait for their turn; 0 applies each packet when it arrives")
	k.Bool(&c.adaptive, "adaptive", false, "the jitter buffer becomes as long as 99 of 100 packets of the last 10 s needed, and one tick more")
	k.Choice(&c.correction, "correction", snap, corrections, "a body that the server speaks of is set to what it says, or moved a share of the way")
	k.Float(&c.share, "blend-share", 0.1, 0, 1, "blend: share of the way to what the server says")
	c.settings.declare(k, env.World.Scene())
	c.rest = newRestTracker(n)
	c.authority = newLocalAuthority(env.World)
	declareReliableRest(k, &c.rest.enabled)
	c.authority.declare(k, m)
	k.Smoothing(&c.smooth)
	k.Solver(&c.solver)
	c.inputSender.Declare(env)
	m.Declare("packets_received", "packets that arrived whole")
	m.Declare("packets_late", "packets that arrived after their turn, or without a buffer after a newer one")
	m.Declare("missing_packets", "ticks whose packet had not arrived")
	m.Declare("buffered_packets", "packets that wait for their turn, now")
	m.Declare("missing_inputs", "ticks made with the players' last inputs, because newer ones had not arrived")
	m.Declare("buffer_ticks", "length of the jitter buffer in ticks, now")
	m.Declare("clock_behind_ticks", "ticks by which the client's clock is behind its aim, now")
	m.Declare("state_age_p50_ms", "age of the server's last word of a body that moves, median")
	m.Declare("state_age_p99_ms", "the same, of 99 in 100")
	m.Declare("correction_mean_m", "metres by which an update moved a simulated body that moves, mean")
	m.Declare("correction_max_m", "the same, largest")
	m.Declare("missing_baselines", "updates that could not be used, because what they differ from had not come")
	declareOffsetCounters(m)
	m.Declare("rejected_payloads", "payloads that were no message")
	return c
}

// Tick takes in what has come, steps the world with what the players did, sets
// right what the packet of that tick speaks of, and sends what the player does.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	c.authority.input, c.authority.input.Shot = in, sim.Shot{}
	if c.jitterBuffer == 0 && c.started {
		c.visibleTick = c.newest
		c.step() // what comes is set right as it comes
		c.restoreResting()
		c.sleepIslands()
	}
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		c.receive(p.Payload)
	}
	switch {
	case c.jitterBuffer == 0 || !c.started:
	case c.startDelay > 0:
		c.startDelay--
	default:
		c.advance()
	}
	c.adjustClock()
	c.updateCounters()
	*c.trail.Insert(c.localTick) = c.drawnPose(max(c.env.Player, 0))
	c.localTick++
	if c.env.Player < 0 || c.fellBehind && c.localTick-c.outOfRangeSince < sim.Tick(c.env.World.Rate()) {
		server.Send(nil) // so that the server's packets are acknowledged
		return
	}
	c.inputSender.Add(c.inputTick, in)
	c.inputTick++
	if c.mayClaim() {
		c.sendClaims(server)
		return
	}
	c.inputSender.Send(server, c.inputTick)
}

// receive takes in a packet: it waits for its turn, or has it at once.
func (c *client) receive(payload []byte) {
	w, m, s := c.env.World, c.env.Counters, &c.scratch
	s.baselines, s.rate = c, w.Rate()
	s.consumedTick = c.inputTick
	if s.read(&c.coder, payload, w.Scene(), c.newest) != nil {
		m.Add("rejected_payloads", 1)
		return
	}
	if !c.started {
		c.startClock(s.tick)
	}
	early := c.ticksEarly(s.tick)
	if early >= maxEarlyTicks || early <= -2*maxEarlyTicks {
		c.receiveOutOfRange(early)
		return
	}
	c.outOfRange, c.fellBehind = 0, false
	m.Add("packets_received", 1)
	c.recordArrival(early)
	late := early < 0
	if c.jitterBuffer == 0 {
		late = s.tick <= c.newest && m.Value("packets_received") > 1
	}
	if c.newest = max(c.newest, s.tick); c.newest == s.tick && s.format.authority {
		c.authority.serverTick, c.authority.consumedTick = s.tick, s.consumedTick
	}
	c.storeInputs(s)
	c.storePacket(s)
	switch {
	case late:
		m.Add("packets_late", 1)
		c.applyResting(s)
	case c.jitterBuffer == 0:
		w.SetTick(s.tick)
		c.applyPacket(s)
	}
}

// baseline is the state of a body in the newest packet that has it, of those that the
// server says it knows to have come. Where one of them has not, or is forgotten,
// nothing is known from there on.
func (c *client) baseline(body int, arrived sim.Tick, heard uint32) (*sim.Body, sim.Tick) {
	for i := sim.Tick(0); i <= min(maxAckOffset, arrived); i++ {
		if heard>>i&1 == 0 {
			continue
		}
		m := c.packets.Find(arrived - i)
		if m == nil {
			return nil, 0
		}
		if u := m.find(body); u != nil {
			return u.knownState(), m.tick
		}
	}
	return nil, 0
}

// playerAt is the state of a player's cube in the packet of a tick, if that has come.
func (c *client) playerAt(p int, t sim.Tick) *sim.Body {
	if m := c.packets.Find(t); m != nil {
		if u := m.find(p); u != nil {
			return u.knownState()
		}
	}
	return nil
}

// ticksEarly returns the number of ticks until the turn of the packet of a tick; below 0 its
// turn is over.
func (c *client) ticksEarly(t sim.Tick) int {
	return int(int64(t) - int64(c.env.World.Tick()) - 1 + int64(c.startDelay))
}

// startClock starts the clock with the packet of tick t, which waits for the length of the
// jitter buffer.
func (c *client) startClock(t sim.Tick) {
	c.started, c.startDelay, c.delay = true, c.jitterBuffer, sim.Tick(c.jitterBuffer).Moment()
	c.arrivals = playout.Arrivals{SpanTicks: c.env.World.Rate()}
	c.percentile = playout.Percentile{Percent: onTimePercent}
	c.newest = min(c.newest, t)
	c.env.World.SetTick(max(t, 1) - 1)
	c.servo = clock.Servo{}
	c.servo.Sync(0, c.env.World.Rate())
}

// receiveOutOfRange counts a packet whose turn is too far away. If for a second only such
// packets arrive, resyncPackets or more, the clock starts anew with the next. If the client
// is behind, because it stood still, a quarter of a second is enough. It sends no inputs
// then: their ticks follow the clock, and the server, which receives only the low bits of
// the ticks, would take them for others. The packet is stored all the same, because the
// server knows that it has arrived, and may use it as a baseline.
func (c *client) receiveOutOfRange(early int) {
	c.env.Counters.Add("rejected_payloads", 1)
	c.storePacket(&c.scratch)
	if c.outOfRange++; c.outOfRange == 1 {
		c.outOfRangeSince = c.localTick
	}
	c.fellBehind = early > 0
	wait := c.env.World.Rate()
	if c.fellBehind {
		wait /= 4
	}
	if c.outOfRange >= resyncPackets && c.localTick-c.outOfRangeSince >= sim.Tick(wait) {
		if c.fellBehind {
			c.inputTick += sim.Tick(early - int(c.delay.Tick()))
			c.authority.consumedTick = 0
		}
		c.started, c.outOfRange, c.fellBehind = false, 0, false
		c.inputs.Reset()
		clear(c.appliedTick)
	}
}

// storePacket stores a packet for its turn, and as a baseline, unless it is too old for both.
func (c *client) storePacket(s *message) {
	if s.tick+historyTicks > c.newest {
		c.packets.Insert(s.tick).copyFrom(s)
	}
}

// storeInputs keeps the inputs of a packet.
func (c *client) storeInputs(s *message) {
	for i := range s.inputCount {
		t := s.tick - sim.Tick(s.inputCount-i)
		if t < c.env.World.Tick() && c.jitterBuffer > 0 {
			continue // its step is made
		}
		did := c.inputs.Insert(t)
		for p := range c.lastInputs {
			did[p] = s.inputs[p][i]
		}
	}
	if c.jitterBuffer == 0 && s.inputCount > 0 && s.tick == c.newest {
		for p := range c.lastInputs {
			c.lastInputs[p] = s.inputs[p][s.inputCount-1]
		}
	}
}

// step steps the world with what the players did, or did last if that has not
// come.
func (c *client) step() {
	w := c.env.World
	if did := c.inputs.Find(w.Tick()); did != nil {
		copy(c.lastInputs, did[:])
	} else {
		c.env.Counters.Add("missing_inputs", 1)
	}
	if c.mayClaim() {
		c.lastInputs[c.env.Player] = c.authority.input
	}
	c.settings.quantise(w)
	c.solver.Step(w, c.lastInputs...)
	c.updateClaims()
	c.decayOffsets()
}

// advance makes a tick of the world, and applies the packet whose turn it is.
func (c *client) advance() {
	c.step()
	if s := c.packets.Find(c.env.World.Tick()); s != nil {
		c.applyPacket(s)
	} else {
		c.env.Counters.Add("missing_packets", 1)
	}
	c.restoreResting()
	c.sleepIslands()
}

// applyPacket sets the bodies of a packet right.
func (c *client) applyPacket(s *message) {
	for i := range s.updates[:s.updateCount] {
		if u := &s.updates[i]; !u.missingBaseline {
			c.applyUpdate(u, s)
		} else {
			c.env.Counters.Add("missing_baselines", 1)
		}
	}
}

// applyResting takes from a packet that is late the bodies that rest: where they rest
// is true later, too, unless something newer is known of them.
func (c *client) applyResting(s *message) {
	for i := range s.updates[:s.updateCount] {
		if u := &s.updates[i]; !u.missingBaseline && u.state.Asleep && s.tick > c.appliedTick[u.body] {
			c.applyUpdate(u, s)
		}
	}
}

// applyUpdate sets one body right.
func (c *client) applyUpdate(u *update, s *message) {
	if !c.acceptsUpdate(u, s) {
		return
	}
	w := c.env.World
	is, b := &w.Bodies()[u.body], u.state
	c.appliedTick[u.body] = s.tick
	c.lastReceived[u.body], c.encodings[u.body] = b.Pose, u.encodingClass()
	c.rest.recordState(u.body, b.Asleep)
	if c.authority.claimedIslands[w.Island(u.body)] && staysAsleep(&b, is) {
		// Put to sleep in every tick, beside a body in hand that is about to fall
		// asleep, both would be woken again in every next one.
		return
	}
	if !s.format.velocities && !b.Asleep {
		b.Linear, b.Angular = is.Linear, is.Angular
	}
	if c.correction == blend && !b.Asleep {
		b = smoothing.LerpBody(is, &b, float32(c.share))
	}
	if !b.Asleep && *is != b {
		c.correctionCount++
		by := float64(b.Pose.Pos.Sub(is.Pose.Pos).Len())
		c.correctionSum += by
		c.env.Counters.Set("correction_mean_m", c.correctionSum/float64(c.correctionCount))
		c.env.Counters.Set("correction_max_m", max(c.env.Counters.Value("correction_max_m"), by))
	}
	c.correctBody(u.body, b)
}

// correctBody sets a body, and lets its offset take up the jump.
func (c *client) correctBody(i int, b sim.Body) {
	w := c.env.World
	if w.Bodies()[i] == b {
		return
	}
	drawn := c.drawnPose(i)
	w.SetBody(i, b)
	c.smooth.Absorb(&c.errorOffsets[i], drawn, b.Pose)
	c.offsetStats.recordCorrection(i, drawn.Pos.Sub(b.Pose.Pos).Len(), &c.errorOffsets[i], &c.smooth, c.localTick, c.env.Counters)
}

// drawnPose is where a body is drawn.
func (c *client) drawnPose(i int) geom.Pose {
	return c.errorOffsets[i].Apply(c.env.World.Bodies()[i].Pose)
}

// View draws the world as it is simulated, with the offsets.
func (c *client) View(v *predict.View) {
	w := c.env.World
	v.ShowTick(w.Tick())
	for i, b := range w.Bodies() {
		v.Simulated = append(v.Simulated, b.Pose)
		v.Bodies = append(v.Bodies, c.drawnPose(i))
	}
	v.TouchedBy = append(v.TouchedBy, w.TouchedBy()...)
	if c.mayClaim() {
		v.Predicted, v.Own = append(v.Predicted, c.authority.claimed...), c.predictedTick().Moment()
	}
	if c.started {
		v.LastReceived = append(v.LastReceived, c.lastReceived...)
	}
	for back := min(c.localTick, trailTicks); back > 0; back-- {
		if p := c.trail.Find(c.localTick - back); p != nil {
			v.Trail = append(v.Trail, *p)
		}
	}
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.settings, c.jitterBuffer, c.correction, c.share = o.settings, o.jitterBuffer, o.correction, o.share
	c.smooth, c.solver = o.smooth, o.solver
	c.inputSender.CopyFrom(&o.inputSender)
	c.inputTick, c.started, c.startDelay, c.newest, c.visibleTick = o.inputTick, o.started, o.startDelay, o.newest, o.visibleTick
	c.outOfRange, c.outOfRangeSince, c.fellBehind = o.outOfRange, o.outOfRangeSince, o.fellBehind
	c.packets.CopyFrom(&o.packets, (*message).copyFrom)
	c.inputs.CopyFrom(&o.inputs, history.CopyValue[[maxPlayers]sim.Input])
	c.lastInputs = append(c.lastInputs[:0], o.lastInputs...)
	c.delay, c.adaptive = o.delay, o.adaptive
	c.arrivals, c.percentile, c.servo = o.arrivals, o.percentile, o.servo
	c.appliedTick = append(c.appliedTick[:0], o.appliedTick...)
	c.lastReceived = append(c.lastReceived[:0], o.lastReceived...)
	c.encodings = append(c.encodings[:0], o.encodings...)
	c.rest.copyFrom(&o.rest)
	c.authority.copyFrom(&o.authority)
	c.stateAges, c.correctionCount, c.correctionSum = o.stateAges, o.correctionCount, o.correctionSum
	c.errorOffsets = append(c.errorOffsets[:0], o.errorOffsets...)
	c.offsetStats.copyFrom(&o.offsetStats)
	c.localTick = o.localTick
	c.trail.CopyFrom(&o.trail, history.CopyValue[geom.Pose])
}
