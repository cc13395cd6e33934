package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/sim"
)

// claims is what the server has heard of one client's bodies in hand.
type claims struct {
	ring   history.Ring[message] // by the client's ticks
	spare  message
	coder  quant.Coder
	begun  bool
	next   sim.Tick // of the client, whose turn is next
	span   span
	silent int        // ticks since anything came
	said   []sim.Tick // by body: the client's tick of its newest word of whose it is, and one
	did    []sim.Tick // by body: the same of how it is
	spoke  []sim.Tick // by body: the server's tick at which it last spoke of it
}

const (
	silentSeconds = 1 // after which a client that says nothing has nothing in hand
	lateShare     = 8 // of a second in which all that comes is late; the rest of it is not waited for
	leaseSeconds  = 5 // after which a body of which its holder says nothing is nobody's
)

func newClaims(bodies int) claims {
	return claims{
		ring: history.New[message](keptTicks),
		said: make([]sim.Tick, bodies), did: make([]sim.Tick, bodies), spoke: make([]sim.Tick, bodies),
	}
}

// hearClaims takes in what the clients sent: their inputs, and what they have in
// hand.
func (s *server) hearClaims(peers []predict.Peer) {
	w, m := s.env.World, s.env.Counters
	for i, peer := range peers {
		c := &s.claims[i]
		c.silent++
		for p, ok := peer.Endpoint.Receive(); ok; p, ok = peer.Endpoint.Receive() {
			if peer.Seat < 0 || len(p.Payload) == 0 {
				continue
			}
			q := &s.desk.Queues[i]
			more, err := readUp(&c.coder, p.Payload, &c.spare, w.Scene(), func() sim.Tick { return q.Code(&c.coder, w.Tick()) })
			if err != nil {
				m.Add("refused", 1)
				continue
			}
			q.Accept(w.Tick(), m)
			c.silent = 0
			if more && s.who == touchersWord {
				s.claim(c, int8(peer.Seat))
			}
		}
	}
}

// claim takes in what a client says it has in hand, and keeps how that is until its
// turn.
func (s *server) claim(c *claims, seat int8) {
	m, w := &c.spare, s.env.World
	if !c.begun {
		c.begun, c.next, c.span = true, m.tick-min(m.tick, sim.Tick(s.wait)), span{}
	}
	early := int64(m.tick) - int64(c.next)
	if early >= keptTicks/2 || early <= -keptTicks/2 {
		c.begun = false // of another time: begin anew with the next
		s.env.Counters.Add("refused", 1)
		return
	}
	if !c.span.any || int(early) > c.span.most {
		c.span.any, c.span.most = true, int(early)
	}
	for i := range m.updates[:m.n] {
		u := &m.updates[i]
		if m.tick < c.said[u.body] {
			continue
		}
		has := &s.hands[u.body]
		switch says := u.grip; {
		case u.lost || u.body < s.env.Players && u.body != int(seat):
			s.env.Counters.Add("claims_refused", 1)
			continue
		case says.holder == sim.NoPlayer:
			if has.holder == seat && u.body != int(seat) {
				*has = noGrip
			}
		case says.holder != seat || has.holder != seat && says.rank() <= has.rank():
			s.env.Counters.Add("claims_refused", 1)
		default:
			*has = says
		}
		c.said[u.body], c.spoke[u.body] = m.tick+1, w.Tick()
	}
	if early < 0 {
		s.believe(c, m, seat, true)
	} else if c.ring.At(m.tick) == nil {
		c.ring.Put(m.tick).copyFrom(m)
	}
}

// playClaims sets held to what the players at clients do in this tick: the input
// whose turn it is.
func (s *server) playClaims(peers []predict.Peer) {
	m, w := s.env.Counters, s.env.World
	for i, peer := range peers {
		if peer.Seat < 0 {
			continue
		}
		c, q := &s.claims[i], &s.desk.Queues[i]
		if !c.begun {
			s.held[peer.Seat] = q.TakeNewest(s.desk.Repeat, m)
			continue
		}
		s.held[peer.Seat] = q.Take(c.next, s.desk.Repeat, m)
		if newest, ok := q.Newest(); ok {
			q.Judge(newest, w.Rate(), m)
		}
	}
	s.desk.Total(m)
}

// setClaims sets, after a step, the bodies that clients have in hand to what they
// say of them.
func (s *server) setClaims(peers []predict.Peer) {
	w := s.env.World
	for i, peer := range peers {
		c := &s.claims[i]
		if peer.Seat < 0 || !c.begun {
			continue
		}
		if m := c.ring.At(c.next); m != nil {
			s.believe(c, m, int8(peer.Seat), false)
		}
		c.next++
		c.span.ticks++
		late := c.span.any && c.span.most < 0 && c.span.ticks >= w.Rate()/lateShare // its clock was set back
		if late || c.span.ticks >= w.Rate() {
			if c.span.any {
				c.next += sim.Tick(c.span.most - s.wait) // so that the earliest wait that long
			}
			c.span = span{}
		}
	}
	s.lapse(peers)
	for i := range s.hands {
		w.SetOwner(i, s.hands[i].holder)
	}
}

// believe sets the bodies of a message, those that the client has in hand or lets
// go. One that comes late is believed about those that rest. What sleeps here is not
// woken for a body that only has not fallen asleep there: heaps that are in several
// hands, and each wait for the other to be still, would never rest.
func (s *server) believe(c *claims, m *message, seat int8, late bool) {
	w := s.env.World
	for i := range m.updates[:m.n] {
		u := &m.updates[i]
		has := s.hands[u.body].holder
		free := has == sim.NoPlayer && u.grip.holder == sim.NoPlayer
		if u.lost || m.tick < c.did[u.body] || has != seat && !free || late && !u.state.Asleep {
			continue
		}
		c.did[u.body] = m.tick + 1
		if is := &w.Bodies()[u.body]; stills(is, &u.state) {
			continue
		}
		w.SetBody(u.body, u.state)
	}
}

// stillMost is how far, in metres, a sleeping body may be from where its holder has
// it awake.
const stillMost = 0.01

// stills reports whether one body sleeps, and the other is so near and slow that it
// will in the end.
func stills(sleeper, other *sim.Body) bool {
	return sleeper.Asleep && !other.Asleep && other.Slow() && other.Pose.Pos.Sub(sleeper.Pose.Pos).Len() < stillMost
}

// lapse takes out of hands what has not been spoken of for long.
func (s *server) lapse(peers []predict.Peer) {
	now, rate := s.env.World.Tick(), sim.Tick(s.env.World.Rate())
	for b := s.env.Players; b < len(s.hands); b++ {
		has := s.hands[b].holder
		if has == sim.NoPlayer {
			continue
		}
		for i, peer := range peers {
			c := &s.claims[i]
			if peer.Seat == int(has) && (now-c.spoke[b] > leaseSeconds*rate || c.silent > silentSeconds*int(rate)) {
				s.hands[b] = noGrip
			}
		}
	}
}

// heard is the client's tick that had its turn last, or 0 if none had.
func (c *claims) heard() sim.Tick {
	if !c.begun {
		return 0
	}
	return max(c.next, 1) - 1
}

// letGo forgets all claims.
func (s *server) letGo() {
	for i := range s.hands {
		s.hands[i] = noGrip
		if i < s.env.Players {
			s.hands[i] = grip{int8(i), true}
		}
	}
	for i := range s.claims {
		s.claims[i].begun = false
		s.claims[i].ring.Forget()
	}
}

func (c *claims) copyFrom(o *claims) {
	c.ring.CopyFrom(&o.ring, (*message).copyFrom)
	c.begun, c.next, c.span, c.silent = o.begun, o.next, o.span, o.silent
	c.said, c.did, c.spoke = append(c.said[:0], o.said...), append(c.did[:0], o.did...), append(c.spoke[:0], o.spoke...)
}
