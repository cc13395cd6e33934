package rollback

import (
	"errors"

	"ghostcube/predict"
	"ghostcube/sim"
)

// maxWatched is the largest number of ticks that a watching server steps in one of its own.
const maxWatched = 8

// watches reports whether the server only watches: the players sit at clients, which send their inputs to each other.
func (s *server) watches(host []sim.Input) bool { return s.settings.topology == mesh && len(host) == 0 }

// watch steps the ticks for which the inputs of all players have arrived, with what their clients have sent. It waits
// for every input, and decides nothing.
func (s *server) watch(peers []predict.Peer) {
	w := s.env.World
	before := w.Tick()
	for range maxWatched {
		record, complete := confirmedTick{}, true
		for p := range s.collectors {
			record.inputs[p], record.asSent[p] = s.collectors[p].at(w.Tick())
			complete = complete && record.asSent[p]
		}
		if !complete {
			break
		}
		s.stepWith(&record)
		if s.env.OnStep != nil {
			s.env.OnStep()
		}
	}
	for i, at := range peers {
		s.sendWatched(&s.peers[i], at, before)
	}
}

// sendWatched tells a client which of its inputs the server lacks, and the checksum of a tick stepped since before.
func (s *server) sendWatched(to *peer, at predict.Peer, before sim.Tick) {
	now, m := s.env.World.Tick(), &s.scratch.down
	m.tick, m.end, m.count = now, now, 0
	for p := range m.runs {
		m.runs[p].asSent, m.runs[p].inputs = true, m.runs[p].inputs[:0]
	}
	if at.Player >= 0 {
		for ok := true; ok && m.end < now+waitingTicks; {
			if _, ok = s.collectors[at.Player].at(m.end); ok {
				m.end++
			}
		}
	}
	m.hasChecksum = false
	if every := sim.Tick(s.settings.checksumEvery); every > 0 {
		m.checksumTick = now - now%every
		m.checksum = s.checksums.At(m.checksumTick)
		m.hasChecksum = m.checksumTick > before && m.checksum != 0
	}
	s.finishSend(to, at)
}

// CannotJoin returns why clients cannot join again in a mesh.
func (s *server) CannotJoin() error {
	if s.settings.topology != mesh {
		return nil
	}
	return errors.New("in a mesh peers have stepped inputs that nobody could give back to a client that lost them: set topology=relay")
}
