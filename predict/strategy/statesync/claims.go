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
	state    claimsState
	bodies   []claimedBody
	received history.Ring[message] // by the client's ticks
	scratch  claimsScratch
}

// claimsState is plain: it is copied by assignment.
type claimsState struct {
	started     bool
	next        sim.Tick // of the client, whose turn is next
	arrivals    playout.Arrivals
	silentTicks int // ticks since anything came
}

// claimedBody is what one client has said of one body. It is plain.
type claimedBody struct {
	claimedTick sim.Tick // the client's tick of its newest word of whose it is, and one
	appliedTick sim.Tick // the same of how it is
	renewedTick sim.Tick // the server's tick at which it last spoke of it
}

type claimsScratch struct {
	message message
	coder   quant.Coder
}

const (
	silenceSeconds = 1 // after which a client that says nothing has nothing in hand
	allLateShare   = 8 // an eighth of a second of late claims only sets the clock at once
	leaseSeconds   = 5 // after which a body of which its holder says nothing is nobody's
)

func newClaims(bodies int) claims {
	return claims{received: history.New[message](historyTicks), bodies: make([]claimedBody, bodies)}
}

// receiveClaims takes in what the clients sent: their inputs, and what they have in
// hand.
func (s *server) receiveClaims(peers []predict.Peer) {
	w, m := s.env.World, s.env.Counters
	for i, peer := range peers {
		c := &s.claims[i]
		c.state.silentTicks++
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Player < 0 || len(p.Payload) == 0 {
				continue
			}
			q := &s.inputReceiver.Queues[i]
			more, err := readUplink(&c.scratch.coder, p.Payload, &c.scratch.message, w.Scene(), func() sim.Tick { return q.Decode(&c.scratch.coder, w.Tick()) })
			if err != nil {
				m.Add("rejected_payloads", 1)
				continue
			}
			q.Accept(w.Tick(), m)
			c.state.silentTicks = 0
			if more && s.settings.authority == clientAuthority {
				s.addClaim(c, int8(peer.Player))
			}
		}
	}
}

// addClaim takes in what a client says it has in hand, and keeps how that is until its
// turn.
func (s *server) addClaim(c *claims, seat int8) {
	m, w := &c.scratch.message, s.env.World
	if !c.state.started {
		c.state.started, c.state.next = true, m.tick-min(m.tick, sim.Tick(s.settings.claimBuffer))
		c.state.arrivals = playout.Arrivals{SpanTicks: w.Rate(), AllLateTicks: w.Rate() / allLateShare}
	}
	early := int64(m.tick) - int64(c.state.next)
	if early >= historyTicks/2 || early <= -historyTicks/2 {
		c.state.started = false // of another time: begin anew with the next
		s.env.Counters.Add("rejected_payloads", 1)
		return
	}
	c.state.arrivals.Add(c.state.next.Moment() - m.tick.Moment())
	for i := range m.updates[:m.updateCount] {
		u := &m.updates[i]
		if m.tick < c.bodies[u.body].claimedTick {
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
		c.bodies[u.body].claimedTick, c.bodies[u.body].renewedTick = m.tick+1, w.Tick()
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
		if !c.state.started {
			s.lastInputs[peer.Player] = q.PopNewest(s.inputReceiver.RepeatMissing, m)
			continue
		}
		s.lastInputs[peer.Player] = q.Pop(c.state.next, s.inputReceiver.RepeatMissing, m)
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
		if peer.Player < 0 || !c.state.started {
			continue
		}
		if m := c.received.Find(c.state.next); m != nil {
			s.applyStates(c, m, int8(peer.Player), false)
		}
		c.state.next++
		if span, ended := c.state.arrivals.Tick(); ended && span.Any {
			c.state.next -= sim.Tick(span.Min/sim.MomentsPerTick) + sim.Tick(s.settings.claimBuffer) // so that the earliest wait that long
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
		if u.missingBaseline || m.tick < c.bodies[u.body].appliedTick || has != seat && !free || late && !u.state.Asleep {
			continue
		}
		c.bodies[u.body].appliedTick = m.tick + 1
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
			if peer.Player == int(has) && (now-c.bodies[b].renewedTick > leaseSeconds*rate || c.state.silentTicks > silenceSeconds*int(rate)) {
				s.authorities[b] = noAuthority
			}
		}
	}
}

// consumedTick is the client's tick that had its turn last, or 0 if none had.
func (c *claims) consumedTick() sim.Tick {
	if !c.state.started {
		return 0
	}
	return max(c.state.next, 1) - 1
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
		s.claims[i].state.started = false
		s.claims[i].received.Reset()
	}
}

func (c *claims) copyFrom(o *claims) {
	c.state = o.state
	c.bodies = append(c.bodies[:0], o.bodies...)
	c.received.CopyFrom(&o.received, (*message).copyFrom)
}
