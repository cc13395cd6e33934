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
	resyncPackets  = 6  // consecutive packets out of range that restart the clock
	maxBufferTicks = 30 // longest jitter buffer
)

// The modes of correction.
const (
	snap = iota
	blend
	velocityCorrection
	predictiveInterpolation
)

var corrections = []string{"snap", "blend", "velocity", "predictive"}

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
	observed    observed
	counters    clientCounters
	scratch     clientScratch
}

// clientSettings are the knobs of a client.
type clientSettings struct {
	compression    compressionSettings
	jitterBuffer   int // ticks; 0: none
	adaptive       bool
	correction     int
	blendShare     float64
	correctionTime float64 // milliseconds
	reliableRest   bool
	authority      int // serverAuthority or clientAuthority
	uplinkBudget   int // kbit/s
	repeat         input.Repetition
	smoothing      smoothing.Settings
	solver         predict.Solver
	contactOrder   predict.ContactOrder
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
	reckoning       int      // algorithm of dead reckoning in the newest applied packet
	missedTicks     int      // ticks that the client has not made, because it stood still, since a packet was in range
	roundTrip       sim.Tick // the longest since then

	delay      sim.Moment // length of the jitter buffer, in whole ticks
	arrivals   playout.Arrivals
	arrived    int // packets in its span
	percentile playout.Percentile
	lateRun    playout.Span // of the packets in a row, up to now, that were late
	lateCount  int          // number of them
	servo      clock.Servo
	gain       sim.Moment // by how much the client's clock has moved ahead since the first packet

	stateAges       ageHistogram
	correctionCount int
	correctionSum   float64 // distance by which updates moved bodies, m, summed
	offsetStats     offsetStats

	steering   bool       // in the last step
	lead       sim.Moment // by which bodies are ahead of the client's world
	rttSeconds float32    // smoothed round trip
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
	reckoned      reckonedBody
	steered       steered
}

// clientCounters are the counters of a client.
type clientCounters struct {
	packetsReceived, packetsLate, missingPackets, bufferedPackets, missingInputs, missingBaselines, rejectedPayloads predict.Counter
	bufferTicks, clockBehindTicks, clockJumps, stateAgeP50, stateAgeP99, correctionMean, correctionMax               predict.Counter
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
	c.settings.repeat.Declare(env)
	m := env.Counters
	c.counters.initClaims(m)
	c.observed.declare(env)
	c.inputSender.Declare(env)
	c.counters.init(m)
	return c
}

func (c *clientCounters) init(m *predict.Counters) {
	c.packetsReceived = m.New("packets_received", "packets received completely")
	c.packetsLate = m.New("packets_late", "packets that arrived after their tick")
	c.missingPackets = m.New("missing_packets", "ticks whose packet was late or lost")
	c.bufferedPackets = m.New("buffered_packets", "packets in the jitter buffer, now")
	c.missingInputs = m.New("missing_inputs", "ticks stepped with a player's last input").Of(predict.LateInputs)
	c.bufferTicks = m.New("buffer_ticks", "length of the jitter buffer, ticks, now")
	c.clockBehindTicks = m.New("clock_behind_ticks", "ticks by which the client's clock is behind, now").Of(predict.ClockBehind)
	c.clockJumps = m.ClockJumps()
	c.stateAgeP50 = m.New("state_age_p50_ms", "median age of a moving body's newest state, ms")
	c.stateAgeP99 = m.New("state_age_p99_ms", "99th percentile of the age of a moving body's newest state, ms")
	c.correctionMean = m.New("correction_mean_m", "mean shift of a moving body by an update, m")
	c.correctionMax = m.New("correction_max_m", "largest shift of a moving body by an update, m")
	c.missingBaselines = m.New("missing_baselines", "updates not decoded because their baseline was missing")
	c.offsets.init(m)
	c.rejectedPayloads = m.Rejected()
}

func (s *clientSettings) declare(k *predict.Knobs, w *predict.World) {
	group := k.In(predict.PlayoutKnobs)
	group.Int(&s.jitterBuffer, "jitter-buffer", 5, 0, maxBufferTicks,
		"ticks that the earliest packets wait; 0: each applies on arrival")
	group.Bool(&s.adaptive, "adaptive", false, "adapt the jitter buffer to 99 % of the packets of 10 s, plus one tick")
	group = k.In(predict.CorrectionKnobs)
	group.Choice(&s.correction, "correction", snap, corrections,
		"set bodies to received states, move them a share of the way, or steer them by velocity in two ways")
	k.Needs("correction", "send", "priority")
	group.Float(&s.blendShare, "blend-share", 0.1, 0, 1, "blend: share of the way to the received state")
	k.Needs("blend-share", "correction", "blend")
	declareSteering(k, &s.correctionTime)
	s.compression.declare(k, w.Scene())
	declareReliableRest(k, &s.reliableRest)
	declareAuthority(k, &s.authority)
	k.In(predict.PacketKnobs).Int(&s.uplinkBudget, "uplink-budget", 256, 16, 4096,
		"authority=client: send rate of each client, kbit/s")
	k.Needs("uplink-budget", "authority", "client")
	k.Smoothing(&s.smoothing)
	k.ContactOrder(&s.contactOrder)
	k.Solver(&s.solver, w)
}

// Tick reads the packets, steps the world with the players' inputs, applies the packet of the tick,
// and sends the player's input.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	c.authority.input, c.authority.input.Shot = in, sim.Shot{}
	c.setLead(server.Stats.RTT)
	if c.env.Joined && !c.join(server) {
		server.Send(nil)
		return
	}
	if c.settings.jitterBuffer == 0 && c.state.started {
		c.state.visibleTick = c.state.newest
		c.step() // receive applies packets at once
		c.restoreResting()
		c.sleepIslands()
	}
	c.skipMissed()
	if rtt := sim.Tick(server.Stats.RTT.Seconds() * float64(c.env.World.Rate())); c.state.outOfRange == 0 || rtt > c.state.roundTrip {
		c.state.roundTrip = rtt
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
	c.drawObserved()
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

// step steps the world with the players' inputs of the tick. If these have not arrived, it repeats
// the last ones for as long as the server repeats a player's. If the server says so it extrapolates instead.
func (c *client) step() {
	w := c.env.World
	if c.state.reckoning != notReckoned {
		c.reckon()
		return
	}
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
	c.steer()
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
	} else if c.state.reckoning == notReckoned {
		c.counters.missingPackets.Inc()
	}
	c.restoreResting()
	c.sleepIslands()
}

// drawnPose returns the pose in which a body is drawn.
func (c *client) drawnPose(i int) geom.Pose {
	return c.bodies[i].errorOffset.Apply(c.env.World.Bodies()[i].Pose)
}

// View draws the simulated world with the error offsets.
func (c *client) View(v *predict.View) {
	w := c.env.World
	v.ShowTick(w.Tick())
	v.Others += c.state.lead
	for i, b := range w.Bodies() {
		v.Simulated = append(v.Simulated, b.Pose)
		v.Bodies = append(v.Bodies, c.observed.Drawn(i, c.drawnPose(i)))
	}
	if c.state.reckoning == notReckoned {
		v.TouchedBy = append(v.TouchedBy, w.TouchedBy()...)
	}
	c.viewObserved(v)
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
	c.observed.copyFrom(&o.observed)
}
