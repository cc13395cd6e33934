package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
	"ghostcube/smoothing"
)

// claims are one client's claims to bodies, at the server: its authority over them, which counts
// when a packet arrives, and their states, which wait for their turn in a buffer.
type claims struct {
	state    claimsState
	bodies   []claimedBody
	received history.Ring[message] // by the client's ticks
	scratch  claimsScratch
}

// claimsState is plain: it is copied by assignment.
type claimsState struct {
	started     bool
	next        sim.Tick // the client's tick whose states are applied next
	newest      sim.Tick // the client's tick of the newest message
	arrivals    playout.Arrivals
	arrived     int // messages in the span of arrivals
	percentile  playout.Percentile
	delay       sim.Moment // length of the buffer, in whole ticks
	silentTicks int        // ticks since a packet arrived
	joining     bool       // the client has lost everything, and has claimed nothing since
	move        claimsMove
	moveTick    sim.Tick // the server's tick after which move happens, if there is one
	skipped     sim.Tick // ticks before next that a move has left out, and whose states are still to be applied
	guessed     sim.Tick // the newest client tick, plus 1, that was not simulated with the client's input
}

// claimedBody is what one client has sent about one body. It is plain.
type claimedBody struct {
	claimedTick sim.Tick // the client's tick of the newest authority, plus 1
	appliedTick sim.Tick // the client's tick of the newest applied state, plus 1
	renewedTick sim.Tick // the server's tick at which the newest authority arrived
	filledTick  sim.Tick // the newest client tick, plus 1, whose state was filled in
}

type claimsScratch struct {
	message message
	coder   quant.Coder
}

const (
	silenceSeconds = 1 // a client that sends nothing for so long loses its authority
	allLateShare   = 8 // an eighth of a second in which all claims are late resets the clock at once
	leaseSeconds   = 5 // authority that a client does not renew for so long ends

	// Ticks that states may wait beyond the length of the buffer. Both clocks may be a tick and a half off
	// before a servo follows, and a buffer that followed that would move every claimed body by a tick.
	claimSlack = 3

	maxAdaptiveTicks = 6 // longest buffer that is adapted: an outage must not delay all states after it

	moveNoticeTicks = 6 // ticks beyond round trip and buffer for which a move is announced: packets may be lost
)

func newClaims(bodies int) claims {
	return claims{received: history.New[message](historyTicks), bodies: make([]claimedBody, bodies)}
}

// receiveClaims reads the clients' packets: their inputs and their claims.
func (s *server) receiveClaims(peers []predict.Peer) {
	w := s.Env.World
	for i, peer := range peers {
		c := &s.claims[i]
		c.state.silentTicks++
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Player < 0 || len(p.Payload) == 0 {
				continue
			}
			q := &s.Receiver.Queues[i]
			decodeTicks := func() sim.Tick { return q.DecodeOwnTicks(&c.scratch.coder, p.Sequence, w.Tick()) }
			hasStates, err := readUplink(&c.scratch.coder, p.Payload, &c.scratch.message, w.Scene(), decodeTicks)
			if err != nil || hasStates && !q.SetDecodedTick(c.scratch.message.tick) {
				s.counters.rejectedPayloads.Inc()
				continue
			}
			q.AcceptOwnTicks(p.Sequence)
			c.endSilence(w.Rate())
			if hasStates && s.settings.authority == clientAuthority {
				s.addClaim(c, int8(peer.Player))
			}
		}
	}
}

// endSilence counts the arrival of a packet. A client that has sent nothing for a while may have stood still, and all
// that it sends is late then: states from before would hide that for a second, and pass it off as jitter.
func (c *claims) endSilence(rate int) {
	if c.state.silentTicks > rate/allLateShare {
		c.discardArrivals()
	}
	c.state.silentTicks = 0
}

// addClaim applies the authorities in a client's message, and stores its states until their turn.
func (s *server) addClaim(c *claims, player int8) {
	m, w := &c.scratch.message, s.Env.World
	c.state.joining = false
	if !c.state.started {
		c.state.started, c.state.next = true, m.tick-min(m.tick, sim.Tick(s.settings.claimBuffer))
		c.state.arrivals = playout.Arrivals{SpanTicks: w.Rate(), AllLateTicks: w.Rate() / allLateShare}
		c.state.percentile = playout.Percentile{Percent: onTimePercent}
		c.state.delay = sim.Tick(s.settings.claimBuffer).Moment()
		c.state.move, c.state.skipped, c.state.newest = claimsMove{}, 0, 0
	}
	early := int64(m.tick) - int64(c.state.next)
	if early >= historyTicks/2 || early <= -historyTicks/2 {
		c.state.started = false // the client's clock has jumped: the next message starts anew
		s.counters.rejectedPayloads.Inc()
		return
	}
	late := c.state.next.Moment() - m.tick.Moment()
	if m.tick > c.state.newest { // one that others have overtaken says nothing of the clocks, also if nothing follows it
		c.state.newest = m.tick
		c.state.arrivals.Add(late)
		c.state.arrived++
	}
	c.state.percentile.Add(late)
	for i := range m.updates[:m.updateCount] {
		u := &m.updates[i]
		if m.tick < c.bodies[u.body].claimedTick {
			continue
		}
		current := &s.authorities[u.body]
		switch claimed := u.authority; {
		case u.missingBaseline || u.body < s.Env.Players && u.body != int(player):
			s.counters.claimsRefused.Inc()
			continue
		case claimed.player == sim.NoPlayer:
			if current.player == player && u.body != int(player) {
				*current = noAuthority
			}
		case claimed.player != player || current.player != player && claimed.rank() <= current.rank():
			s.counters.claimsRefused.Inc()
		default:
			*current = claimed
		}
		c.bodies[u.body].claimedTick, c.bodies[u.body].renewedTick = m.tick+1, w.Tick()
	}
	if early < 0 {
		s.applyStates(c, m, player, true)
	} else if c.received.Find(m.tick) == nil {
		c.received.Insert(m.tick).copyFrom(m)
	}
}

// consumeInputs sets Inputs, for players at clients, to the inputs of the client ticks whose
// states are applied in this tick.
func (s *server) consumeInputs(peers []predict.Peer) {
	w := s.Env.World
	for i, peer := range peers {
		if peer.Player < 0 {
			continue
		}
		c, q := &s.claims[i], &s.Receiver.Queues[i]
		if !c.state.started {
			s.Inputs[peer.Player] = q.PopNewest(s.Receiver.RepeatMissing)
			continue
		}
		s.Inputs[peer.Player] = q.Pop(c.state.next, s.Receiver.RepeatMissing)
		if q.Repeats() > 0 || c.state.skipped > 0 {
			c.state.guessed = c.state.next + 1
		}
		if newest, ok := q.NewestTick(); ok {
			q.CountConsumed(newest, w.Rate())
		}
	}
	s.Receiver.CountTotals()
}

// applyClaims applies, after a step, the clients' states whose turn it is.
func (s *server) applyClaims(peers []predict.Peer) {
	w := s.Env.World
	for i, peer := range peers {
		c := &s.claims[i]
		if peer.Player < 0 || !c.state.started {
			continue
		}
		for t := c.state.next - c.state.skipped; t <= c.state.next; t++ {
			if m := c.received.Find(t); m != nil {
				s.applyStates(c, m, int8(peer.Player), false)
			} else {
				s.fillStates(c, t, int8(peer.Player))
			}
		}
		c.state.next, c.state.skipped = c.state.next+1, 0
		notice := sim.MomentOf(peer.Endpoint.Stats.RTT, w.Rate()).Tick() + moveNoticeTicks
		c.moveTick(w.Tick(), notice, sim.Tick(s.settings.claimBuffer).Moment())
	}
	s.expireLeases(peers)
	for i := range s.authorities {
		w.SetOwner(i, s.authorities[i].player)
	}
}

// moveTick ends the server's tick now: it moves the client's tick that is applied next if its time has come, and
// announces the next move at the end of a span. A client says in which tick of the server its state will count, so it
// has to know of a move a round trip before, or all that it draws meanwhile is said to be where the server will not have
// it. Only where all states come too late, and before any have been measured, the tick moves at once. It moves
// forward only as far as states wait beyond the slack, because the client's clock will come back, and by one tick more
// than usual in each tick, because other players see the steps.
func (c *claims) moveTick(now, notice sim.Tick, shortest sim.Moment) {
	if move := &c.state.move; move.back != 0 && now >= c.state.moveTick {
		if move.back > 0 {
			c.moveBack(int64(move.back))
		} else {
			c.state.next++
			c.state.skipped = 1
			c.discardArrivals()
			move.back++
		}
	}
	span, ended := c.state.arrivals.Tick()
	if !ended {
		return
	}
	few := c.state.arrived < max(c.state.arrivals.AllLateTicks/2, 1) // what something has delayed, while the client sends nothing
	c.state.arrived = 0
	if !span.Any || few && span.Min > 0 {
		return
	}
	_, measured := c.state.percentile.Wanted()
	switch back := c.adaptBuffer(span.Min, shortest); {
	case back == 0 || c.state.move.back != 0 && span.Min <= 0:
	case span.Min > 0 || !measured:
		c.moveBack(back)
	default:
		if back < 0 {
			back += claimSlack
		}
		c.state.move.back = int(min(max(back, -maxMoveForward), maxMoveBack))
		c.state.moveTick = now + min(notice+c.state.delay.Tick()+claimSlack, maxMoveIn)
	}
}

// moveBack sets back the client's tick that is applied next, and measures anew.
func (c *claims) moveBack(ticks int64) {
	before := c.state.next
	c.state.next = sim.Tick(max(int64(before)-ticks, 0))
	c.state.skipped = c.state.next - min(before, c.state.next)
	c.state.move = claimsMove{}
	c.discardArrivals()
}

// discardArrivals measures anew how late states arrive.
func (c *claims) discardArrivals() {
	c.state.arrivals.Discard()
	c.state.percentile.Discard()
	c.state.arrived = 0
}

// announced returns the move that is to come or goes on, seen from the server's tick now.
func (c *claims) announced(now sim.Tick) claimsMove {
	if c.state.move.back == 0 {
		return claimsMove{}
	}
	return claimsMove{c.state.move.back, int(max(c.state.moveTick, now) - now)}
}

// adaptBuffer sets the length of the buffer at the end of a span, whose earliest message was late by earliest,
// and returns by how many ticks to set back the client's tick that is applied next. The buffer is as long as
// nearly all messages of the last ten seconds need, and no shorter than shortest. The tick is set back only if some
// of those messages would come too late, with a tick to spare, and forward only if the earliest waits longer by more
// than the slack. Between, each state is applied the same number of ticks after the client's tick, whatever the two
// clocks do. Of a span whose earliest waits so long the others do not count: the client has caught up, and they were late
// because of that.
func (c *claims) adaptBuffer(earliest, shortest sim.Moment) (back int64) {
	if earliest+c.state.delay < -claimSlack*sim.MomentsPerTick {
		c.state.percentile.Discard()
	}
	c.state.percentile.EndSpan()
	needed, shrink := sim.Moment(0), sim.Moment(0)
	if wanted, ok := c.state.percentile.Wanted(); ok {
		needed = min(wanted-sim.MomentsPerTick, maxAdaptiveTicks*sim.MomentsPerTick) // without the tick more of Wanted
	}
	if c.state.percentile.Confident() {
		shrink = sim.MomentsPerTick
	}
	c.state.delay = playout.Adapt(c.state.delay, max(needed, shortest), shrink)
	back = int64((earliest + c.state.delay) / sim.MomentsPerTick)
	if earliest+needed <= -sim.MomentsPerTick && back >= -claimSlack {
		return 0
	}
	return back
}

// applyStates applies the states of bodies over which the client has authority, or which it
// releases. Of a late message only sleeping bodies count. A body that sleeps here is not woken for
// one that has merely not fallen asleep at the client: piles under the authority of several
// players, each waiting for the others' part to rest, would never come to rest.
func (s *server) applyStates(c *claims, m *message, player int8, late bool) {
	w := s.Env.World
	for i := range m.updates[:m.updateCount] {
		u := &m.updates[i]
		current := s.authorities[u.body].player
		released := current == sim.NoPlayer && u.authority.player == sim.NoPlayer
		if u.missingBaseline || m.tick < c.bodies[u.body].appliedTick || current != player && !released || late && !u.state.Asleep {
			continue
		}
		c.bodies[u.body].appliedTick = m.tick + 1
		if staysAsleep(&w.Bodies()[u.body], &u.state) {
			continue
		}
		w.SetBody(u.body, u.state)
	}
}

// fillStates fills in the states of client tick t, which have not arrived, for bodies of which newer ones have. The server has
// simulated such a body from its last state on. As far as it did so without the client's inputs the body may be anywhere by
// now, while the newer state tells nearly where it is at the client.
func (s *server) fillStates(c *claims, t sim.Tick, player int8) {
	for newer := t + 1; newer <= min(c.state.newest, t+maxBufferTicks); newer++ {
		m := c.received.Find(newer)
		if m == nil {
			continue
		}
		for i := range m.updates[:m.updateCount] {
			u, body := &m.updates[i], &c.bodies[m.updates[i].body]
			if body.filledTick > t || body.appliedTick > min(t, c.state.guessed) || u.missingBaseline || u.state.Asleep || s.authorities[u.body].player != player {
				continue
			}
			body.filledTick = t + 1
			s.Env.World.SetBody(u.body, c.between(u, newer, t, s.Env.World.Rate()))
		}
	}
}

// between returns the state at client tick t of a body whose newer state is in u: on a curve from its last applied state, or,
// if that is forgotten, as if nothing had touched it since.
func (c *claims) between(u *update, newer, t sim.Tick, rate int) sim.Body {
	from := max(c.bodies[u.body].appliedTick, 1) - 1
	seconds := func(ticks sim.Tick) float32 { return float32(ticks) / float32(rate) }
	if m := c.received.Find(from); m != nil && newer-from <= maxBufferTicks {
		if last := m.find(u.body); last != nil && !last.state.Asleep {
			share := seconds(t-from) / seconds(newer-from)
			b := smoothing.LerpBody(&last.state, &u.state, share)
			b.Pose = smoothing.HermitePose(&last.state, &u.state, seconds(newer-from), share)
			return b
		}
	}
	return extrapolate(&u.state, -seconds(newer-t))
}

// sleepTolerance is the distance in metres within which a sleeping body is not woken for an awake
// one.
const sleepTolerance = 0.01

// staysAsleep reports whether the first body sleeps, and the second is awake but so near and slow
// that it will fall asleep there too.
func staysAsleep(sleeper, other *sim.Body) bool {
	return sleeper.Asleep && !other.Asleep && other.Slow() && other.Pose.Pos.Sub(sleeper.Pose.Pos).Len() < sleepTolerance
}

// expireLeases ends authorities that have not been renewed for too long.
func (s *server) expireLeases(peers []predict.Peer) {
	now, rate := s.Env.World.Tick(), sim.Tick(s.Env.World.Rate())
	for b := s.Env.Players; b < len(s.authorities); b++ {
		player := s.authorities[b].player
		if player == sim.NoPlayer {
			continue
		}
		for i, peer := range peers {
			c := &s.claims[i]
			if peer.Player == int(player) && (now-c.bodies[b].renewedTick > leaseSeconds*rate || c.state.silentTicks > silenceSeconds*int(rate)) {
				s.authorities[b] = noAuthority
			}
		}
	}
}

// consumedTick returns the newest client tick that the server has consumed, or 0 before the first.
func (c *claims) consumedTick() sim.Tick {
	if !c.state.started {
		return 0
	}
	return max(c.state.next, 1) - 1
}

// releaseAll ends all authorities but each player's over its own cube, and forgets all claims.
func (s *server) releaseAll() {
	for i := range s.authorities {
		s.authorities[i] = noAuthority
		if i < s.Env.Players {
			s.authorities[i] = authority{int8(i), true}
		}
	}
	for i := range s.claims {
		s.claims[i].state.started = false
		s.claims[i].received.Reset()
	}
}

func (c *claims) copyFrom(o *claims) {
	c.state = o.state
	c.bodies = append(c.bodies[:0], o.bodies...)
	c.received.CopyFrom(&o.received, (*message).copyFrom)
}
