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
	resyncPackets  = 6  // consecutive packets out of range that restart the clock
	maxBufferTicks = 30 // longest jitter buffer
)

// The modes of correction.
const (
	snap = iota
	blend
)

var corrections = []string{"snap", "blend"}

type client struct {
	env         *predict.Env
	settings    clientSettings
	state       clientState
	bodies      []clientBody
	lastInputs  []sim.Input                             // by player
	inputs      history.Ring[[sim.MaxPlayers]sim.Input] // by tick
	packets     history.Ring[message]                   // by tick
	trail       history.Ring[geom.Pose]                 // drawn poses of the player's cube, by own ticks
	inputSender input.Sender
	authority   localAuthority
	counters    clientCounters
	scratch     clientScratch
}

// clientSettings are the knobs of a client.
type clientSettings struct {
	compression  compressionSettings
	jitterBuffer int // ticks; 0: none
	adaptive     bool
	correction   int
	blendShare   float64
	reliableRest bool
	authority    int // serverAuthority or clientAuthority
	uplinkBudget int // kbit/s
	repeat       input.Repetition
	smoothing    smoothing.Settings
	solver       predict.Solver
	contactOrder predict.ContactOrder
}

// clientState is plain: it is copied by assignment.
type clientState struct {
	inputTick       sim.Tick // tick of the next input
	localTick       sim.Tick // the client's own ticks since its start
	started         bool     // a packet has arrived
	startDelay      int      // ticks until the first packet is applied
	repeats         int      // ticks in a row, up to now, whose inputs are missing
	newest          sim.Tick // tick of the newest packet
	visibleTick     sim.Tick // without a jitter buffer: newest tick that is visible despite smoothing
	outOfRange      int      // consecutive packets out of range
	outOfRangeSince sim.Tick // own tick of the first of them
	fellBehind      bool     // they are early: the client's clock is behind

	delay      sim.Moment // length of the jitter buffer, in whole ticks
	arrivals   playout.Arrivals
	percentile playout.Percentile
	servo      clock.Servo

	stateAges       ageHistogram
	correctionCount int
	correctionSum   float64 // distance by which updates moved bodies, m, summed
	offsetStats     offsetStats
}

// clientBody is a client's knowledge of one body. It is plain.
type clientBody struct {
	appliedTick   sim.Tick         // tick of its newest state
	lastReceived  geom.Pose        // in its newest state
	encoding      predict.Encoding // of its newest state
	atRest        bool             // in its newest state
	divergedTicks uint16           // ticks for which it has rested in another pose
	errorOffset   smoothing.ErrorOffset
	offset        offsetHistory
	claim         localClaim
}

// clientCounters are the counters of a client.
type clientCounters struct {
	packetsReceived, packetsLate, missingPackets, bufferedPackets, missingInputs, missingBaselines, rejectedPayloads predict.Counter
	bufferTicks, clockBehindTicks, stateAgeP50, stateAgeP99, correctionMean, correctionMax                           predict.Counter
	claimedBodies, lostClaims                                                                                        predict.Counter
	offsets                                                                                                          offsetCounters
}

// clientScratch is memory that is reused. It holds nothing from one tick to the next.
type clientScratch struct {
	held     [sim.MaxPlayers]sim.Input // inputs that led to a packet, by player
	received message
	coder    quant.Coder
}

func newClient(env *predict.Env) predict.Client {
	if env.Players > sim.MaxPlayers {
		panic("statesync: more players than any scene has")
	}
	t := env.World.Tick()
	c := &client{
		env:        env,
		state:      clientState{inputTick: t, newest: t, arrivals: playout.Arrivals{SpanTicks: env.World.Rate()}},
		bodies:     make([]clientBody, len(env.World.Bodies())),
		lastInputs: append([]sim.Input(nil), env.LastInputs...),
		inputs:     history.New[[sim.MaxPlayers]sim.Input](historyTicks),
		packets:    history.New[message](historyTicks),
		trail:      history.New[geom.Pose](predict.TrailTicks),
		authority:  newLocalAuthority(env.World),
	}
	for i, b := range env.World.Bodies() {
		c.bodies[i] = clientBody{appliedTick: t, lastReceived: b.Pose, claim: localClaim{previous: b}}
	}
	c.settings.declare(env.Knobs, env.World)
	c.settings.repeat.Time = repeatTime
	c.settings.repeat.Declare(env)
	m := env.Counters
	c.counters.initClaims(m)
	c.inputSender.Declare(env)
	c.counters.init(m)
	return c
}

func (k *clientCounters) init(m *predict.Counters) {
	k.packetsReceived = m.New("packets_received", "packets received completely")
	k.packetsLate = m.New("packets_late", "packets that arrived after their tick, or without a jitter buffer after a newer one")
	k.missingPackets = m.New("missing_packets", "ticks whose packet had not arrived in time")
	k.bufferedPackets = m.New("buffered_packets", "packets waiting in the jitter buffer, now")
	k.missingInputs = m.New("missing_inputs", "ticks stepped with the players' last inputs because newer ones had not arrived")
	k.bufferTicks = m.New("buffer_ticks", "length of the jitter buffer, ticks, now")
	k.clockBehindTicks = m.New("clock_behind_ticks", "ticks by which the client's clock is behind its target, now")
	k.stateAgeP50 = m.New("state_age_p50_ms", "median age of the newest state of a moving body, ms")
	k.stateAgeP99 = m.New("state_age_p99_ms", "99th percentile of the age of the newest state of a moving body, ms")
	k.correctionMean = m.New("correction_mean_m", "mean distance by which an update shifted a moving simulated body, m")
	k.correctionMax = m.New("correction_max_m", "largest distance by which an update shifted a moving simulated body, m")
	k.missingBaselines = m.New("missing_baselines", "updates that could not be decoded because their baseline had not arrived")
	k.offsets.init(m)
	k.rejectedPayloads = m.Rejected()
}

func (s *clientSettings) declare(k *predict.Knobs, w *predict.World) {
	k.Int(&s.jitterBuffer, "jitter-buffer", 5, 0, maxBufferTicks, "ticks that the earliest packets wait before they apply; 0 applies each packet when it arrives")
	k.Bool(&s.adaptive, "adaptive", false, "adapt the jitter buffer: long enough for 99 % of the last 10 s' packets, plus one tick")
	k.Choice(&s.correction, "correction", snap, corrections, "set bodies to the received states, or move them a share of the way there")
	k.Float(&s.blendShare, "blend-share", 0.1, 0, 1, "blend: share of the way to the received state")
	k.Needs("blend-share", "correction", "blend")
	s.compression.declare(k, w.Scene())
	declareReliableRest(k, &s.reliableRest)
	declareAuthority(k, &s.authority)
	k.Int(&s.uplinkBudget, "uplink-budget", 256, 16, 4096, "authority=client: send rate of each client, including the headers of IP and UDP, kbit/s")
	k.Needs("uplink-budget", "authority", "client")
	k.Smoothing(&s.smoothing)
	k.ContactOrder(&s.contactOrder)
	k.Solver(&s.solver, w)
}

// Tick reads the packets, steps the world with the players' inputs, applies the packet of the tick,
// and sends the player's input.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	c.authority.input, c.authority.input.Shot = in, sim.Shot{}
	if c.settings.jitterBuffer == 0 && c.state.started {
		c.state.visibleTick = c.state.newest
		c.step() // receive applies packets at once
		c.restoreResting()
		c.sleepIslands()
	}
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		if !c.receive(p.Payload) {
			server.Refuse(p.Sequence)
		}
	}
	switch {
	case c.settings.jitterBuffer == 0 || !c.state.started:
	case c.state.startDelay > 0:
		c.state.startDelay--
	default:
		c.advance()
	}
	c.adjustClock()
	c.updateCounters()
	*c.trail.Insert(c.state.localTick) = c.drawnPose(max(c.env.Player, 0))
	c.state.localTick++
	if c.env.Player < 0 || c.state.fellBehind && c.state.localTick-c.state.outOfRangeSince < sim.Tick(c.env.World.Rate()) {
		server.Send(nil) // carries acknowledgements
		return
	}
	c.inputSender.Add(c.state.inputTick, in)
	c.state.inputTick++
	if c.mayClaim() {
		c.sendClaims(server)
		return
	}
	c.sendInputs(server)
}

// receive reads a payload, and reports whether it is well-formed. The packet waits in the jitter
// buffer, or is applied at once without one.
func (c *client) receive(payload []byte) (ok bool) {
	w, s := c.env.World, &c.scratch.received
	s.baselines, s.rate = c, w.Rate()
	s.consumedTick = c.state.inputTick
	if s.read(&c.scratch.coder, payload, w.Scene(), c.state.newest) != nil {
		c.counters.rejectedPayloads.Inc()
		return false
	}
	first := !c.state.started
	if first {
		c.startClock(s.tick)
	}
	early := c.ticksEarly(s.tick)
	if early >= maxEarlyTicks || early <= -2*maxEarlyTicks {
		c.receiveOutOfRange(early)
		return true
	}
	c.state.outOfRange, c.state.fellBehind = 0, false
	c.counters.packetsReceived.Inc()
	c.recordArrival(early)
	late := early < 0
	if c.settings.jitterBuffer == 0 {
		late = s.tick <= c.state.newest && !first
	}
	if c.state.newest = max(c.state.newest, s.tick); c.state.newest == s.tick && s.format.authority {
		c.authority.serverTick, c.authority.consumedTick = s.tick, s.consumedTick
	}
	c.storeInputs(s)
	c.storePacket(s)
	switch {
	case late:
		c.counters.packetsLate.Inc()
		c.applyResting(s)
	case c.settings.jitterBuffer == 0:
		w.SetTick(s.tick)
		c.applyPacket(s)
	}
	return true
}

// baseline returns the state of a body in the newest acknowledged packet that contains it. If an
// acknowledged packet is missing or forgotten, the states before it are unknown.
func (c *client) baseline(body int, ackedTick sim.Tick, ackBits uint32) (*sim.Body, sim.Tick) {
	for i := sim.Tick(0); i <= min(maxAckOffset, ackedTick); i++ {
		if ackBits>>i&1 == 0 {
			continue
		}
		m := c.packets.Find(ackedTick - i)
		if m == nil {
			return nil, 0
		}
		if u := m.find(body); u != nil {
			return u.knownState(), m.tick
		}
	}
	return nil, 0
}

// baselineAt returns the state of a body in the packet of a tick, or nil.
func (c *client) baselineAt(body int, t sim.Tick) *sim.Body {
	if m := c.packets.Find(t); m != nil {
		if u := m.find(body); u != nil {
			return u.knownState()
		}
	}
	return nil
}

// playerAt returns the state of a player's cube in the packet of a tick, or nil.
func (c *client) playerAt(p int, t sim.Tick) *sim.Body { return c.baselineAt(p, t) }

// ticksEarly returns the number of ticks until the packet of a tick is applied. It is negative if
// its tick is over.
func (c *client) ticksEarly(t sim.Tick) int {
	return int(int64(t) - int64(c.env.World.Tick()) - 1 + int64(c.state.startDelay))
}

// startClock starts the clock with the packet of tick t, which waits for the length of the jitter
// buffer.
func (c *client) startClock(t sim.Tick) {
	c.state.started, c.state.startDelay, c.state.delay = true, c.settings.jitterBuffer, sim.Tick(c.settings.jitterBuffer).Moment()
	c.state.arrivals = playout.Arrivals{SpanTicks: c.env.World.Rate()}
	c.state.percentile = playout.Percentile{Percent: onTimePercent}
	c.state.newest = min(c.state.newest, t)
	c.env.World.SetTick(max(t, 1) - 1)
	c.state.servo = clock.Servo{}
	c.state.servo.Sync(0, c.env.World.Rate())
}

// receiveOutOfRange counts a packet whose tick is too far from the client's clock. If for a second
// only such packets arrive, at least resyncPackets of them, the next one restarts the clock. If the
// client is behind, because it was suspended, a quarter of a second is enough. Meanwhile it sends no
// inputs: their ticks follow its clock, and the server, which receives only the low bits of the
// ticks, would take them for others. The packet is stored all the same, because it is acknowledged
// and may become a baseline.
func (c *client) receiveOutOfRange(early int) {
	c.counters.rejectedPayloads.Inc()
	c.storePacket(&c.scratch.received)
	if c.state.outOfRange++; c.state.outOfRange == 1 {
		c.state.outOfRangeSince = c.state.localTick
	}
	c.state.fellBehind = early > 0
	wait := c.env.World.Rate()
	if c.state.fellBehind {
		wait /= 4
	}
	if c.state.outOfRange >= resyncPackets && c.state.localTick-c.state.outOfRangeSince >= sim.Tick(wait) {
		if c.state.fellBehind {
			c.state.inputTick += sim.Tick(early - int(c.state.delay.Tick()))
			c.authority.consumedTick = 0
		}
		c.state.started, c.state.outOfRange, c.state.fellBehind = false, 0, false
		c.inputs.Reset()
		for i := range c.bodies {
			c.bodies[i].appliedTick = 0
		}
	}
}

// storePacket stores a packet in the jitter buffer and as a baseline, unless it is too old for both.
func (c *client) storePacket(s *message) {
	if s.tick+historyTicks > c.state.newest {
		c.packets.Insert(s.tick).copyFrom(s)
	}
}

// storeInputs stores the inputs of a packet.
func (c *client) storeInputs(s *message) {
	for i := range s.inputCount {
		t := s.tick - sim.Tick(s.inputCount-i)
		if t < c.env.World.Tick() && c.settings.jitterBuffer > 0 {
			continue // already stepped
		}
		inputs := c.inputs.Insert(t)
		for p := range c.lastInputs {
			inputs[p] = s.inputs[p][i]
		}
	}
	if c.settings.jitterBuffer == 0 && s.inputCount > 0 && s.tick == c.state.newest {
		for p := range c.lastInputs {
			c.lastInputs[p] = s.inputs[p][s.inputCount-1]
		}
		c.state.repeats = 0
	}
}

// step steps the world with the players' inputs of the tick. If these have not arrived, it repeats
// the last ones for as long as the server repeats a player's.
func (c *client) step() {
	w := c.env.World
	if inputs := c.inputs.Find(w.Tick()); inputs != nil {
		copy(c.lastInputs, inputs[:])
		c.state.repeats = 0
	} else if c.counters.missingInputs.Inc(); c.state.started {
		c.state.repeats++
		for p := range c.lastInputs {
			c.lastInputs[p] = c.settings.repeat.Input(c.lastInputs[p], c.state.repeats)
		}
	}
	if c.mayClaim() {
		c.lastInputs[c.env.Player] = c.authority.input
	}
	c.settings.compression.quantise(w)
	c.settings.contactOrder.Apply(w)
	before := w.Attachments()
	c.settings.solver.Step(w, c.lastInputs...)
	if c.mayClaim() && w.Attachments().Vehicle[c.env.Player] != before.Vehicle[c.env.Player] {
		c.authority.enteredTick = c.state.inputTick + 1
	}
	c.updateClaims()
	c.decayOffsets()
}

// advance steps the world and applies the packet of the new tick.
func (c *client) advance() {
	c.step()
	if s := c.packets.Find(c.env.World.Tick()); s != nil {
		c.applyPacket(s)
	} else {
		c.counters.missingPackets.Inc()
	}
	c.restoreResting()
	c.sleepIslands()
}

// applyPacket applies the attachments and all updates of a packet.
func (c *client) applyPacket(s *message) {
	c.applyAttachments(s)
	for i := range s.updates[:s.updateCount] {
		if u := &s.updates[i]; !u.missingBaseline {
			c.applyUpdate(u, s)
		} else {
			c.counters.missingBaselines.Inc()
		}
	}
}

// applyAttachments applies the attachments of a packet. A client with authority keeps its own vehicle until
// the server has used the input that entered or left it.
func (c *client) applyAttachments(s *message) {
	w := c.env.World
	a := s.attachments
	if p := c.env.Player; c.mayClaim() && c.authority.consumedTick <= c.authority.enteredTick {
		a.Vehicle[p] = w.Attachments().Vehicle[p]
		if !a.Valid(w.Scene()) {
			a = s.attachments // another player has entered it first
		}
	}
	w.SetAttachments(a)
	if n := s.inputCount; n > 0 && !c.mayClaim() {
		for p := range c.lastInputs {
			c.scratch.held[p] = s.inputs[p][n-1]
		}
		w.SetHeldActions(c.scratch.held[:len(c.lastInputs)])
	}
}

// applyResting applies the updates of sleeping bodies in a late packet. They are still valid, unless
// a newer state has arrived.
func (c *client) applyResting(s *message) {
	for i := range s.updates[:s.updateCount] {
		if u := &s.updates[i]; !u.missingBaseline && u.state.Asleep && s.tick > c.bodies[u.body].appliedTick {
			c.applyUpdate(u, s)
		}
	}
}

// applyUpdate applies an update to the simulated body.
func (c *client) applyUpdate(u *update, s *message) {
	if !c.acceptsUpdate(u, s) {
		return
	}
	w, body := c.env.World, &c.bodies[u.body]
	simulated, b := &w.Bodies()[u.body], u.state
	body.appliedTick, body.lastReceived, body.encoding = s.tick, b.Pose, u.encodingClass()
	body.recordRest(b.Asleep)
	if c.authority.claimedIslands[w.Island(u.body)] && staysAsleep(&b, simulated) {
		// Put to sleep here beside a claimed body that is about to fall asleep, it would be woken
		// again in the next tick.
		return
	}
	if !s.format.velocities && !b.Asleep {
		b.Linear, b.Angular = simulated.Linear, simulated.Angular
	}
	if c.settings.correction == blend && !b.Asleep {
		b = smoothing.LerpBody(simulated, &b, float32(c.settings.blendShare))
	}
	if !b.Asleep && *simulated != b {
		c.state.correctionCount++
		distance := float64(b.Pose.Pos.Sub(simulated.Pose.Pos).Len())
		c.state.correctionSum += distance
		c.counters.correctionMean.Set(c.state.correctionSum / float64(c.state.correctionCount))
		c.counters.correctionMax.Max(distance)
	}
	c.correctBody(u.body, b)
}

// correctBody sets a simulated body. Its error offset absorbs the jump of the drawn pose.
func (c *client) correctBody(i int, b sim.Body) {
	w, body := c.env.World, &c.bodies[i]
	if w.Bodies()[i] == b {
		return
	}
	drawn := c.drawnPose(i)
	w.SetBody(i, b)
	c.settings.smoothing.Absorb(&body.errorOffset, drawn, b.Pose)
	body.recordCorrection(drawn.Pos.Sub(b.Pose.Pos).Len(), &c.settings.smoothing, c.state.localTick, &c.counters.offsets)
}

// drawnPose returns the pose in which a body is drawn.
func (c *client) drawnPose(i int) geom.Pose {
	return c.bodies[i].errorOffset.Apply(c.env.World.Bodies()[i].Pose)
}

// View draws the simulated world with the error offsets.
func (c *client) View(v *predict.View) {
	w := c.env.World
	v.ShowTick(w.Tick())
	for i, b := range w.Bodies() {
		v.Simulated = append(v.Simulated, b.Pose)
		v.Bodies = append(v.Bodies, c.drawnPose(i))
	}
	v.TouchedBy = append(v.TouchedBy, w.TouchedBy()...)
	if c.mayClaim() {
		for i := range c.bodies {
			v.Predicted = append(v.Predicted, c.bodies[i].claim.active)
		}
		v.Own = c.predictedTick().Moment()
	}
	if c.state.started {
		for i := range c.bodies {
			v.LastReceived = append(v.LastReceived, c.bodies[i].lastReceived)
		}
	}
	for back := min(c.state.localTick, predict.TrailTicks); back > 0; back-- {
		if p := c.trail.Find(c.state.localTick - back); p != nil {
			v.Trail = append(v.Trail, *p)
		}
	}
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.settings, c.state = o.settings, o.state
	c.bodies = append(c.bodies[:0], o.bodies...)
	c.lastInputs = append(c.lastInputs[:0], o.lastInputs...)
	c.inputs.CopyFrom(&o.inputs, history.CopyValue[[sim.MaxPlayers]sim.Input])
	c.packets.CopyFrom(&o.packets, (*message).copyFrom)
	c.trail.CopyFrom(&o.trail, history.CopyValue[geom.Pose])
	c.inputSender.CopyFrom(&o.inputSender)
	c.authority.copyFrom(&o.authority)
}
