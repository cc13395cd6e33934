package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
)

// claims is what the server has heard of one client's bodies in hand.
type claims struct {
	received    history.Ring[message] // by the client's ticks
	scratch     message
	coder       quant.Coder
	started     bool
	next        sim.Tick // of the client, whose turn is next
	arrivals    playout.Arrivals
	silentTicks int        // ticks since anything came
	claimedTick []sim.Tick // by body: the client's tick of its newest word of whose it is, and one
	appliedTick []sim.Tick // by body: the same of how it is
	renewedTick []sim.Tick // by body: the server's tick at which it last spoke of it
}

const (
	silenceSeconds = 1 // after which a client that says nothing has nothing in hand
	allLateShare   = 8 // an eighth of a second of late claims only sets the clock at once
	leaseSeconds   = 5 // after which a body of which its holder says nothing is nobody's
)

func newClaims(bodies int) claims {
	return claims{
		received:    history.New[message](historyTicks),
		claimedTick: make([]sim.Tick, bodies), appliedTick: make([]sim.Tick, bodies), renewedTick: make([]sim.Tick, bodies),
	}
}

// receiveClaims takes in what the clients sent: their inputs, and what they have in
// hand.
func (s *server) receiveClaims(peers []predict.Peer) {
	w, m := s.env.World, s.env.Counters
	for i, peer := range peers {
		c := &s.claims[i]
		c.silentTicks++
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Player < 0 || len(p.Payload) == 0 {
				continue
			}
			q := &s.inputReceiver.Queues[i]
			more, err := readUplink(&c.coder, p.Payload, &c.scratch, w.Scene(), func() sim.Tick { return q.Decode(&c.coder, w.Tick()) })
			if err != nil {
				m.Add("rejected_payloads", 1)
				continue
			}
			q.Accept(w.Tick(), m)
			c.silentTicks = 0
			if more && s.authorityMode == clientAuthority {
				s.addClaim(c, int8(peer.Player))
			}
		}
	}
}

// addClaim takes in what a client says it has in hand, and keeps how that is until its
// turn.
func (s *server) addClaim(c *claims, seat int8) {
	m, w := &c.scratch, s.env.World
	if !c.started {
		c.started, c.next = true, m.tick-min(m.tick, sim.Tick(s.claimBuffer))
		c.arrivals = playout.Arrivals{SpanTicks: w.Rate(), AllLateTicks: w.Rate() / allLateShare}
	}
	early := int64(m.tick) - int64(c.next)
	if early >= historyTicks/2 || early <= -historyTicks/2 {
		c.started = false // of another time: begin anew with the next
		s.env.Counters.Add("rejected_payloads", 1)
		return
	}
	c.arrivals.Add(c.next.Moment() - m.tick.Moment())
	for i := range m.updates[:m.updateCount] {
		u := &m.updates[i]
		if m.tick < c.claimedTick[u.body] {
			continue
		}
		has := &s.authorities[u.body]
		switch says := u.authority; {
		case u.missingBaseline || u.body < s.env.Players && u.body != int(seat):
			s.env.Counters.Add("claims_refused", 1)
			continue
		case says.player == sim.NoPlayer:
			if has.player == seat && u.body != int(seat) {
				*has = noAuthority
			}
		case says.player != seat || has.player != seat && says.rank() <= has.rank():
			s.env.Counters.Add("claims_refused", 1)
		default:
			*has = says
		}
		c.claimedTick[u.body], c.renewedTick[u.body] = m.tick+1, w.Tick()
	}
	if early < 0 {
		s.applyStates(c, m, seat, true)
	} else if c.received.Find(m.tick) == nil {
		c.received.Insert(m.tick).copyFrom(m)
	}
}

// consumeInputs sets held to what the players at clients do in this tick: the input
// whose turn it is.
func (s *server) consumeInputs(peers []predict.Peer) {
	m, w := s.env.Counters, s.env.World
	for i, peer := range peers {
		if peer.Player < 0 {
			continue
		}
		c, q := &s.claims[i], &s.inputReceiver.Queues[i]
		if !c.started {
			s.lastInputs[peer.Player] = q.PopNewest(s.inputReceiver.RepeatMissing, m)
			continue
		}
		s.lastInputs[peer.Player] = q.Pop(c.next, s.inputReceiver.RepeatMissing, m)
		if newest, ok := q.NewestTick(); ok {
			q.CountConsumed(newest, w.Rate(), m)
		}
	}
	s.inputReceiver.CountTotals(m)
}

// applyClaims sets, after a step, the bodies that clients have in hand to what they
// say of them.
func (s *server) applyClaims(peers []predict.Peer) {
	w := s.env.World
	for i, peer := range peers {
		c := &s.claims[i]
		if peer.Player < 0 || !c.started {
			continue
		}
		if m := c.received.Find(c.next); m != nil {
			s.applyStates(c, m, int8(peer.Player), false)
		}
		c.next++
		if span, ended := c.arrivals.Tick(); ended && span.Any {
			c.next -= sim.Tick(span.Min/sim.MomentsPerTick) + sim.Tick(s.claimBuffer) // so that the earliest wait that long
		}
	}
	s.expireLeases(peers)
	for i := range s.authorities {
		w.SetOwner(i, s.authorities[i].player)
	}
}

// applyStates sets the bodies of a message, those that the client has in hand or lets
// go. One that comes late is believed about those that rest. What sleeps here is not
// woken for a body that only has not fallen asleep there: heaps that are in several
// hands, and each wait for the other to be still, would never rest.
func (s *server) applyStates(c *claims, m *message, seat int8, late bool) {
	w := s.env.World
	for i := range m.updates[:m.updateCount] {
		u := &m.updates[i]
		has := s.authorities[u.body].player
		free := has == sim.NoPlayer && u.authority.player == sim.NoPlayer
		if u.missingBaseline || m.tick < c.appliedTick[u.body] || has != seat && !free || late && !u.state.Asleep {
			continue
		}
		c.appliedTick[u.body] = m.tick + 1
		if is := &w.Bodies()[u.body]; staysAsleep(is, &u.state) {
			continue
		}
		w.SetBody(u.body, u.state)
	}
}

// sleepTolerance is how far, in metres, a sleeping body may be from where its holder has
// it awake.
const sleepTolerance = 0.01

// staysAsleep reports whether one body sleeps, and the other is so near and slow that it
// will in the end.
func staysAsleep(sleeper, other *sim.Body) bool {
	return sleeper.Asleep && !other.Asleep && other.Slow() && other.Pose.Pos.Sub(sleeper.Pose.Pos).Len() < sleepTolerance
}

// expireLeases takes out of hands what has not been spoken of for long.
func (s *server) expireLeases(peers []predict.Peer) {
	now, rate := s.env.World.Tick(), sim.Tick(s.env.World.Rate())
	for b := s.env.Players; b < len(s.authorities); b++ {
		has := s.authorities[b].player
		if has == sim.NoPlayer {
			continue
		}
		for i, peer := range peers {
			c := &s.claims[i]
			if peer.Player == int(has) && (now-c.renewedTick[b] > leaseSeconds*rate || c.silentTicks > silenceSeconds*int(rate)) {
				s.authorities[b] = noAuthority
			}
		}
	}
}

// consumedTick is the client's tick that had its turn last, or 0 if none had.
func (c *claims) consumedTick() sim.Tick {
	if !c.started {
		return 0
	}
	return max(c.next, 1) - 1
}

// releaseAll forgets all claims.
func (s *server) releaseAll() {
	for i := range s.authorities {
		s.authorities[i] = noAuthority
		if i < s.env.Players {
			s.authorities[i] = authority{int8(i), true}
		}
	}
	for i := range s.claims {
		s.claims[i].started = false
		s.claims[i].received.Reset()
	}
}

func (c *claims) copyFrom(o *claims) {
	c.received.CopyFrom(&o.received, (*message).copyFrom)
	c.started, c.next, c.arrivals, c.silentTicks = o.started, o.next, o.arrivals, o.silentTicks
	c.claimedTick, c.appliedTick, c.renewedTick = append(c.claimedTick[:0], o.claimedTick...), append(c.appliedTick[:0], o.appliedTick...), append(c.renewedTick[:0], o.renewedTick...)
}
