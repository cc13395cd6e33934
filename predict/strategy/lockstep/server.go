package lockstep

import (
	"ghostcube/predict"
	"ghostcube/predict/part/hit"
	"ghostcube/sim"
)

type server struct {
	side
	peers []peer
}

// peer is what the server knows of one client.
type peer struct {
	seat  int        // the player that it drives, or -1
	links []delivery // by player whose inputs it gets: all but its own
	ask   question
	asks  bool
}

func newServer(env *predict.Env) predict.Server {
	s := &server{}
	s.start(env, 0)
	s.shots = &hit.Judge{}
	s.shots.Declare(env)
	return s
}

// Tick takes in the clients' inputs and those made here, steps what can be
// stepped, and passes on to each client the inputs that it has not.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	for len(s.peers) < len(peers) {
		n := peer{seat: peers[len(s.peers)].Seat, links: make([]delivery, s.env.Players)}
		for p := range n.links {
			t := s.streams[p].first
			n.links[p] = delivery{known: t, sent: t}
		}
		s.peers = append(s.peers, n)
	}
	for p := range s.own {
		s.own[p] = p < len(host)
	}
	stream := s.begin()
	for i, at := range peers {
		for p, ok := at.Endpoint.Receive(); ok; p, ok = at.Endpoint.Receive() {
			s.read(&s.peers[i], at.Seat, p.Payload)
		}
	}
	for p, in := range host {
		if s.full(p) {
			s.env.Counters.Add("window_full_ticks", 1)
			continue
		}
		s.streams[p].add(in)
	}
	s.advance()
	for i, at := range peers {
		to := &s.peers[i]
		for p := range s.streams {
			if p == at.Seat {
				s.confirm(p)
			} else {
				s.fill(p, &to.links[p], stream)
			}
		}
		s.check()
		s.out.early = s.early(at.Seat)
		s.out.answers = to.asks && s.past.reply(&to.ask, &s.out.answer)
		to.asks = false
		s.send(at.Endpoint)
		if s.own[0] && i == 0 {
			s.env.Counters.Set("unacked_inputs", float64(s.streams[0].next-to.links[0].known))
		}
	}
}

// early returns by how many due inputs a player is ahead of the one who has the
// fewest here.
func (s *server) early(player int) int {
	if player < 0 {
		return 0
	}
	now, least := s.now(), kept
	for p, q := range s.waiting {
		if !s.own[p] {
			least = min(least, q.Ready(now, least))
		}
	}
	return min(s.waiting[player].Ready(now, least+mostEarly)-least, mostEarly)
}

// full reports whether no more inputs of a player can be kept, because some
// client has not acknowledged the oldest.
func (s *server) full(p int) bool {
	for i := range s.peers {
		if to := &s.peers[i]; to.seat != p && !to.links[p].room(&s.streams[p]) {
			return true
		}
	}
	return false
}

// read takes in one payload of a client, which may be anything.
func (s *server) read(from *peer, seat int, payload []byte) {
	w, m := s.env.World, s.env.Counters
	if s.in.read(&s.coder, payload, true, w.Tick(), w.Scene()) != nil {
		m.Add("refused", 1)
		return
	}
	for p := range s.in.runs {
		r := &s.in.runs[p]
		switch {
		case r.passed && p == seat:
			s.take(p, r, s.full)
		case !r.passed && p != seat:
			from.links[p].acknowledge(&s.streams[p], r.next)
		default:
			m.Add("refused", 1)
		}
	}
	if s.in.asks {
		from.ask, from.asks = s.in.ask, true
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.side.copyFrom(&o.side)
	s.shots.CopyFrom(o.shots)
	s.peers = s.peers[:0]
	for _, p := range o.peers {
		p.links = append([]delivery(nil), p.links...)
		s.peers = append(s.peers, p)
	}
}
