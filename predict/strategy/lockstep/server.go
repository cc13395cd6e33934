package lockstep

import (
	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/desync"
	"ghostcube/predict/part/hit"
	"ghostcube/sim"
)

type server struct {
	side
	peers []peer
}

// peer is a client as the server sees it.
type peer struct {
	connection
	player   int          // player that the client controls, or -1 for a spectator
	windows  []sendWindow // by player: of the inputs sent to the client, all but its own
	joining  bool         // the client has lost everything and gives no inputs yet
	returned bool         // the client has lost everything at least once
	query    desync.Query
	hasQuery bool
}

func newServer(env *predict.Env) predict.Server {
	s := &server{}
	s.init(env, 0)
	s.lagCompensator = &hit.LagCompensator{}
	s.lagCompensator.Declare(env)
	return s
}

// Tick reads the clients' inputs, adds those of the players at the server, steps the ticks that are
// complete and due, and sends each client the inputs that it lacks.
func (s *server) Tick(host []sim.Input, peers []predict.Peer) {
	for len(s.peers) < len(peers) {
		added := peer{player: peers[len(s.peers)].Player, windows: make([]sendWindow, s.env.Players)}
		for p := range added.windows {
			t := s.streams[p].first
			added.windows[p] = sendWindow{acked: t, sent: t}
		}
		s.peers = append(s.peers, added)
	}
	for p := range s.local {
		s.local[p] = p < len(host)
	}
	overTCP := s.beginTick()
	for i, at := range peers {
		from := &s.peers[i]
		for p, ok := at.Endpoint.Receive(); ok && !from.disconnected; p, ok = at.Endpoint.Receive() {
			s.receive(from, at.Player, &p)
		}
		if from.tick(&s.settings, s.env.World.Rate()) {
			s.counters.disconnects.Inc()
		}
		if (from.disconnected || from.joining) && at.Player >= 0 {
			s.fill(at.Player, s.windowFull)
		}
	}
	for p, in := range host {
		if s.windowFull(p) {
			s.counters.windowFullTicks.Inc()
			continue
		}
		s.streams[p].add(in)
	}
	for p := range s.eventInputs {
		if !s.local[p] {
			s.sampleEvents(p, s.windowFull(p))
		}
	}
	s.lagCompensator.MeasureRoundTrips(peers)
	s.advance()
	for i, at := range peers {
		to := &s.peers[i]
		if to.disconnected {
			continue
		}
		for p := range s.streams {
			if p == at.Player && !to.joining {
				s.addAck(p)
			} else {
				s.addInputs(p, &to.windows[p], overTCP && !to.joining)
			}
		}
		s.addChecksum()
		out := &s.scratch.out
		out.advantage = s.inputAdvantage(at.Player)
		out.hasReply = to.hasQuery && s.checksums.Reply(&to.query, &out.reply)
		to.hasQuery = false
		s.send(at.Endpoint)
		if s.local[0] && i == 0 {
			s.counters.unackedInputs.Set(float64(s.streams[0].next - to.windows[0].acked))
		}
	}
}

// inputAdvantage returns how many more due inputs of a player are buffered than of the player with
// the fewest.
func (s *server) inputAdvantage(player int) int {
	if player < 0 {
		return 0
	}
	fewest := inputHistoryTicks
	for p := range s.playoutBuffers {
		if !s.local[p] {
			fewest = s.playoutBuffers[p].releasable(fewest)
		}
	}
	return min(s.playoutBuffers[player].releasable(fewest+maxAdvantage)-fewest, maxAdvantage)
}

// windowFull reports whether the server can remember no more inputs of a player, because a client has
// not acknowledged the oldest one.
func (s *server) windowFull(p int) bool {
	for i := range s.peers {
		if to := &s.peers[i]; to.player != p && !to.disconnected && !to.windows[p].hasRoom(&s.streams[p]) {
			return true
		}
	}
	return false
}

// receive reads the untrusted payload of a client's packet.
func (s *server) receive(from *peer, player int, at *packet.Packet) {
	w, in := s.env.World, &s.scratch.in
	if in.read(&s.scratch.coder, at.Payload, true, w.Tick(), w.Scene()) != nil {
		s.counters.rejectedPayloads.Inc()
		return
	}
	acksCount := from.connection.receive(at.Sequence)
	from.joining = from.joining && player >= 0
	for p := range in.players {
		r := &in.players[p]
		switch {
		case r.hasInputs && p == player && from.joining && !s.takeOver(from, player, r):
		case r.hasInputs && p == player:
			s.receiveRun(p, r, s.windowFull)
		case !r.hasInputs && (p != player || from.returned):
			if acksCount {
				from.windows[p].acknowledge(&s.streams[p], r.next)
			}
		default:
			s.counters.rejectedPayloads.Inc()
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
