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
	player   int          // the player that it drives, or -1
	windows  []sendWindow // by player whose inputs it gets: all but its own
	query    checksumQuery
	hasQuery bool
}

func newServer(env *predict.Env) predict.Server {
	s := &server{}
	s.init(env, 0)
	s.lagCompensator = &hit.LagCompensator{}
	s.lagCompensator.Declare(env)
	return s
}

// Tick takes in the clients' inputs and those made here, steps what can be
// stepped, and passes on to each client the inputs that it has not.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	for len(s.peers) < len(peers) {
		n := peer{player: peers[len(s.peers)].Player, windows: make([]sendWindow, s.env.Players)}
		for p := range n.windows {
			t := s.streams[p].first
			n.windows[p] = sendWindow{acked: t, sent: t}
		}
		s.peers = append(s.peers, n)
	}
	for p := range s.local {
		s.local[p] = p < len(host)
	}
	stream := s.beginTick()
	for i, at := range peers {
		for p, ok := at.Endpoint.Receive(); ok; p, ok = at.Endpoint.Receive() {
			s.receive(&s.peers[i], at.Player, p.Payload)
		}
	}
	for p, in := range host {
		if s.windowFull(p) {
			s.env.Counters.Add("window_full_ticks", 1)
			continue
		}
		s.streams[p].add(in)
	}
	s.advance()
	for i, at := range peers {
		to := &s.peers[i]
		for p := range s.streams {
			if p == at.Player {
				s.addAck(p)
			} else {
				s.addInputs(p, &to.windows[p], stream)
			}
		}
		s.addChecksum()
		out := &s.scratch.out
		out.advantage = s.inputAdvantage(at.Player)
		out.hasReply = to.hasQuery && s.checksums.reply(&to.query, &out.reply)
		to.hasQuery = false
		s.send(at.Endpoint)
		if s.local[0] && i == 0 {
			s.env.Counters.Set("unacked_inputs", float64(s.streams[0].next-to.windows[0].acked))
		}
	}
}

// inputAdvantage returns how many more due inputs of a player wait here than of the player
// with the fewest.
func (s *server) inputAdvantage(player int) int {
	if player < 0 {
		return 0
	}
	least := inputHistoryTicks
	for p := range s.playoutBuffers {
		if !s.local[p] {
			least = s.playoutBuffers[p].releasable(least)
		}
	}
	return min(s.playoutBuffers[player].releasable(least+maxAdvantage)-least, maxAdvantage)
}

// windowFull reports whether no more inputs of a player can be kept, because some
// client has not acknowledged the oldest.
func (s *server) windowFull(p int) bool {
	for i := range s.peers {
		if to := &s.peers[i]; to.player != p && !to.windows[p].hasRoom(&s.streams[p]) {
			return true
		}
	}
	return false
}

// receive takes in one payload of a client, which may be anything.
func (s *server) receive(from *peer, seat int, payload []byte) {
	w, m, in := s.env.World, s.env.Counters, &s.scratch.in
	if in.read(&s.scratch.coder, payload, true, w.Tick(), w.Scene()) != nil {
		m.Add("rejected_payloads", 1)
		return
	}
	for p := range in.players {
		r := &in.players[p]
		switch {
		case r.hasInputs && p == seat:
			s.receiveInputs(p, r, s.windowFull)
		case !r.hasInputs && p != seat:
			from.windows[p].acknowledge(&s.streams[p], r.next)
		default:
			m.Add("rejected_payloads", 1)
		}
	}
	if in.hasQuery {
		from.query, from.hasQuery = in.query, true
	}
}

func (s *server) CopyFrom(from predict.Server) {
	o := from.(*server)
	s.side.copyFrom(&o.side)
	s.peers = s.peers[:0]
	for _, p := range o.peers {
		p.windows = append([]sendWindow(nil), p.windows...)
		s.peers = append(s.peers, p)
	}
}
