package snapshot

import (
	"ghostcube/net/delta"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/playout"
	"ghostcube/predict/part/validation"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

type client struct {
	env                *predict.Env
	settings           settings
	interpolationDelay float64 // milliseconds; 0: automatic
	surviveLosses      int
	adaptive           bool
	catchUp            float64 // milliseconds; 0: playback skips outages
	checks             bool

	inputSender input.Sender
	inputTick   sim.Tick // tick of the next input

	now          int64    // the client's own ticks since its start, its only clock
	expectedTick sim.Tick // close to the tick of the next snapshot
	ticks        validation.Ticks
	buffer       playout.Buffer[snapshot]
	lastReceived []geom.Pose // by body: pose in the newest snapshot

	deltaReader     *delta.Reader // baselines, from level quantised on
	lastArrival     int64         // own tick at which the last snapshot arrived
	noVelocities    bool          // the newest snapshot has no velocities
	abandonedBefore uint64        // incomplete packets counted so far

	clock               playout.Clock // runs from the first snapshot on
	arrivals            playout.Arrivals
	servo               clock.Servo
	ages                playout.Span // greatest ages of the newest snapshot in the present span of arrivals
	peak                playout.Peak // of the spans before
	growth              sim.Moment   // of the adaptive delay beyond the rule
	pace                playout.Pace // of playback with the adaptive delay
	heldTicks           int          // ticks in a row in which snapshots were missing for that pace
	catchingUp          bool         // after an outage
	delay               sim.Moment   // playback delay in force
	backlogAt           int64        // own tick in which the clock was last started by the newest of many snapshots
	started             bool         // a snapshot has been drawn since the clock started
	fromTick            sim.Tick     // tick of the snapshot that interpolation starts from
	newestDisplayedTick sim.Tick     // tick of the newest snapshot that has affected what is drawn
	starvedTicks        int          // ticks in a row without anything to draw

	drawn         []geom.Pose
	touched       []int8
	displayMoment sim.Moment              // of the server, that is drawn
	trail         history.Ring[geom.Pose] // of the player's cube, by own ticks
	counters      clientCounters
	clientScratch
}

// clientScratch is memory of one payload.
type clientScratch struct {
	scratch snapshot
	coder   quant.Coder
}

// clientCounters are what a client counts.
type clientCounters struct {
	interpolationDelay, extrapolation                                        predict.Counter
	snapshotsReceived, incompleteSnapshots, snapshotsLate, bufferedSnapshots predict.Counter
	starvedTicks, starvations, starvationMax, playbackRestarts               predict.Counter
	clockBehindTicks, clockJumps, rejectedPayloads                           predict.Counter
}

func newClient(env *predict.Env) predict.Client {
	at := env.World.Tick()
	c := &client{env: env, inputTick: at, expectedTick: at, displayMoment: at.Moment(), trail: history.New[geom.Pose](predict.TrailTicks)}
	c.deltaReader = delta.NewReader(delta.Quantised, len(env.World.Bodies()))
	k, m := env.Knobs, env.Counters
	c.settings.declare(k)
	group := k.In(predict.InterpolationKnobs)
	group.Millis(&c.interpolationDelay, "interpolation-delay", 0, 0, 3000,
		"delay behind the newest snapshot, ms, at most 62 intervals; 0: by survive-losses and jitter")
	group.Int(&c.surviveLosses, "survive-losses", 2, 0, 20, "automatic delay: consecutive losses that do not stop playback")
	group.Bool(&c.adaptive, "adaptive", true,
		"automatic delay: adapts to the late and lost snapshots of 10 s")
	group.Millis(&c.catchUp, "catch-up", 2000, 0, 10000,
		"adaptive: after an outage playback is faster by what it is behind divided by this, ms; 0: it skips")
	k.Needs("interpolation-delay", "interpolation", "linear", "hermite")
	k.Needs("survive-losses", "interpolation", "linear", "hermite")
	k.Needs("survive-losses", "interpolation-delay", "0ms")
	k.Needs("adaptive", "interpolation", "linear", "hermite")
	k.Needs("adaptive", "interpolation-delay", "0ms")
	k.Needs("catch-up", "adaptive", "on")
	c.inputSender.DeclareWithPlayout(env)
	codec.DeclareChecks(env, &c.checks)
	c.counters.interpolationDelay = m.New("interpolation_delay_ms", "playback delay, ms, now")
	c.counters.extrapolation = m.New("extrapolation_ms", "extrapolation of the drawn bodies, ms, now")
	c.counters.snapshotsReceived = m.New("snapshots_received", "snapshots received completely")
	c.counters.incompleteSnapshots = m.New("incomplete_snapshots", "snapshots given up because a fragment is missing, 256 packets or 5 s later")
	c.counters.snapshotsLate = m.New("snapshots_late", "snapshots that playback had passed")
	c.counters.bufferedSnapshots = m.New("buffered_snapshots", "snapshots in the buffer, now")
	c.counters.starvedTicks = m.New("starved_ticks", "ticks in which playback stood still")
	c.counters.starvations = m.New("starvations", "stops of playback").Of(predict.Starvations)
	c.counters.starvationMax = m.New("starvation_max_ms", "longest stop of playback, ms")
	c.counters.playbackRestarts = m.New("playback_restarts", "restarts of playback after an empty buffer")
	c.counters.clockBehindTicks = m.New("clock_behind_ticks", "ticks by which the client's clock is behind, now").Of(predict.ClockBehind)
	c.counters.clockJumps = m.ClockJumps()
	c.counters.rejectedPayloads = m.Rejected()
	c.drawn = predict.AppendPoses(nil, env.World.Bodies())
	return c
}

// Tick reads the packets, draws this tick, and sends the player's input.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	c.now++
	c.expectedTick++
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		if !c.receive(p.Payload) {
			server.Refuse(p.Sequence)
		}
	}
	c.adjustClock()
	c.counters.incompleteSnapshots.Add(float64(server.Stats.ReassemblyFailures - c.abandonedBefore))
	c.abandonedBefore = server.Stats.ReassemblyFailures
	if c.settings.interpolation == onArrival {
		c.drawNewest()
	} else {
		c.drawInterpolated()
	}
	c.env.Joined = c.env.Joined && !c.started
	*c.trail.Insert(sim.Tick(c.now)) = c.drawn[max(c.env.Player, 0)]
	if c.env.Player < 0 {
		server.Send(nil)
		return
	}
	c.inputSender.Add(c.inputTick, in)
	c.inputTick++
	c.inputSender.SendUnacked(server)
}

// maxSilence is how many ticks without a snapshot make the client forget its baselines: the
// sequence numbers wrap, and none of the old ones can be a baseline any more.
const maxSilence = 1 << 14

// receive processes a payload, and reports whether it is a snapshot that the client believes.
func (c *client) receive(payload []byte) (ok bool) {
	s := &c.scratch
	if c.now-c.lastArrival > maxSilence {
		c.deltaReader = delta.NewReader(delta.Quantised, len(c.env.World.Bodies()))
	}
	s.checks = c.checks
	if s.read(&c.coder, payload, c.env.World.Scene(), c.expectedTick, c.deltaReader) != nil || !c.ticks.Believe(s.tick, sim.Tick(c.now)) {
		c.counters.rejectedPayloads.Inc()
		return false
	}
	c.counters.snapshotsReceived.Inc()
	c.lastArrival = c.now
	if c.clock.Running() && c.tooLate(s.tick) {
		c.restart()
	}
	if c.clock.Running() {
		c.recordArrival(s.tick)
	}
	late := c.started && s.tick <= c.fromTick
	if newest := c.buffer.Newest(); newest == nil || s.tick > newest.Tick {
		c.recordAge()
		c.expectedTick, c.noVelocities = s.tick, !s.velocities
		c.lastReceived = c.lastReceived[:0]
		for i := range s.bodies {
			c.lastReceived = append(c.lastReceived, s.bodies[i].pose)
		}
	}
	tick := s.tick
	if late || !c.store(s) {
		c.counters.snapshotsLate.Inc()
		return true
	}
	if !c.clock.Running() {
		c.startClock(tick)
		c.recordArrival(tick)
	}
	return true
}

// drawNewest draws the newest snapshot as it is.
func (c *client) drawNewest() {
	c.counters.interpolationDelay.Set(0)
	c.counters.bufferedSnapshots.Set(0)
	if newest := c.buffer.Newest(); newest != nil {
		c.starvedTicks = 0
		c.drawBetween(&newest.Value, &newest.Value, 0, newest.Tick.Moment())
	}
}

// drawInterpolated draws the display moment if it lies between two snapshots. Otherwise playback
// stops.
func (c *client) drawInterpolated() {
	stops := c.adaptDelay()
	c.counters.interpolationDelay.Set(c.delay.Millis(c.env.World.Rate()))
	if !c.clock.Running() {
		c.countStarvation()
		return
	}
	at := c.playoutMoment()
	start, end, waiting := c.bracket(at, c.longestGap())
	c.counters.bufferedSnapshots.Set(float64(waiting))
	switch {
	case start == nil && c.started:
		c.restart() // the snapshot that it started from is no longer buffered
		c.countStarvation()
		return
	case start == nil:
		c.countStarvation() // no snapshot is due yet
		return
	case at == start.tick.Moment():
		c.drawBetween(start, start, 0, at)
	case end == nil:
		c.fromTick = start.tick
		c.countStarvation()
		return
	default:
		c.drawBetween(start, end, float32(float64(at-start.tick.Moment())/float64((end.tick-start.tick).Moment())), at)
	}
	if stops {
		c.countStarvation()
	} else {
		c.starvedTicks = 0
	}
}

// countStarvation counts a tick without anything to draw. Ticks before the first snapshot do not
// count.
func (c *client) countStarvation() {
	if len(c.touched) == 0 {
		return
	}
	if c.starvedTicks == 0 {
		c.counters.starvations.Inc()
	}
	c.starvedTicks++
	c.counters.starvedTicks.Inc()
	c.counters.starvationMax.Max(sim.Tick(c.starvedTicks).Moment().Millis(c.env.World.Rate()))
}

// drawBetween draws the bodies between two snapshots, at a share in [0,1] of the time from one
// to the other, which is the server's moment at. Who touches a body is as in the first.
func (c *client) drawBetween(start, end *snapshot, share float32, at sim.Moment) {
	c.started, c.fromTick, c.newestDisplayedTick = true, start.tick, start.tick
	if share > 0 {
		c.newestDisplayedTick = end.tick
	}
	rate := c.env.World.Rate()
	between := float32(end.tick-start.tick) / float32(rate)
	extrapolation := 0.0 // ms
	if c.settings.interpolation != onArrival && start.velocities && end.velocities {
		extrapolation = c.settings.extrapolate
	}
	c.counters.extrapolation.Set(extrapolation)
	at += sim.MomentOfMillis(extrapolation, rate)
	ahead := float32(extrapolation / 1000)
	curved := c.settings.interpolation == hermite && start.velocities && end.velocities
	c.displayMoment = at
	c.drawn, c.touched = c.drawn[:0], c.touched[:0]
	for i := range start.bodies {
		a, b := &start.bodies[i], &end.bodies[i]
		from, to := a.pose.Pos.AddScaled(ahead, a.linear), b.pose.Pos.AddScaled(ahead, b.linear)
		var p geom.Pose
		if curved {
			p.Pos = smoothing.Hermite(from, a.linear.Scale(between), to, b.linear.Scale(between), share)
		} else {
			p.Pos = smoothing.Lerp(from, to, share)
		}
		p.Rot = smoothing.LerpRotation(a.pose.Rot, b.pose.Rot, share)
		c.drawn = append(c.drawn, p)
		c.touched = append(c.touched, a.touched)
	}
}

// View shows the interpolated poses. Nothing is smoothed, so Simulated equals Bodies.
func (c *client) View(v *predict.View) {
	v.Others = c.displayMoment
	v.Carriers = v.Tick().Moment()
	v.Bodies = append(v.Bodies, c.drawn...)
	v.Simulated = append(v.Simulated, c.drawn...)
	v.LastReceived = append(v.LastReceived, c.lastReceived...)
	v.TouchedBy = append(v.TouchedBy, c.touched...)
	for t := max(c.now-predict.TrailTicks, 0); t < c.now; t++ {
		if p := c.trail.Find(sim.Tick(t)); p != nil {
			v.Trail = append(v.Trail, *p)
		}
	}
}

// inspect reports by how many ticks the drawn state, or the state that would be drawn without
// starvation, is ahead of the snapshot that it starts from. All bodies have the same age.
func (c *client) inspect(l *predict.Inspection) {
	first, end := c.fromTick+1, sim.Tick(0)
	if newest := c.buffer.Newest(); newest != nil {
		end = newest.Tick + 1
	}
	l.AddBuffer(predict.JitterBuffer, first, max(first, end), 0, c.buffer.Has)
	c.inputSender.InspectUnacked(l)
	if !c.started {
		return
	}
	age := int64(c.displayMoment.NearestTick()) - int64(c.fromTick) + int64(c.starvedTicks)
	if c.settings.interpolation == onArrival {
		age = int64(c.expectedTick) - int64(c.fromTick)
	}
	for range c.drawn {
		l.Age = append(l.Age, int32(max(age, 0)))
	}
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.settings, c.interpolationDelay, c.surviveLosses = o.settings, o.interpolationDelay, o.surviveLosses
	c.adaptive, c.catchUp, c.checks = o.adaptive, o.catchUp, o.checks
	c.inputSender.CopyFrom(&o.inputSender)
	c.inputTick, c.now, c.expectedTick, c.ticks = o.inputTick, o.now, o.expectedTick, o.ticks
	c.buffer.CopyFrom(&o.buffer, (*snapshot).copyFrom)
	c.clock, c.arrivals, c.servo = o.clock, o.arrivals, o.servo
	c.ages, c.peak, c.growth, c.pace, c.delay, c.catchingUp = o.ages, o.peak, o.growth, o.pace, o.delay, o.catchingUp
	c.heldTicks = o.heldTicks
	c.started, c.fromTick, c.starvedTicks = o.started, o.fromTick, o.starvedTicks
	c.newestDisplayedTick, c.backlogAt = o.newestDisplayedTick, o.backlogAt
	c.deltaReader.CopyFrom(o.deltaReader)
	c.lastArrival, c.noVelocities, c.abandonedBefore = o.lastArrival, o.noVelocities, o.abandonedBefore
	c.lastReceived = append(c.lastReceived[:0], o.lastReceived...)
	c.trail.CopyFrom(&o.trail, history.CopyValue[geom.Pose])
	c.drawn, c.touched, c.displayMoment = append(c.drawn[:0], o.drawn...), append(c.touched[:0], o.touched...), o.displayMoment
}
