package link

import (
	"slices"
	"time"
)

// scheduledDatagram is a datagram on its way.
type scheduledDatagram struct {
	arrival    time.Duration
	bytes      []byte
	number     uint64        // of sending, from 1
	sentAt     time.Duration // when it was sent,
	departedAt time.Duration // and when the bandwidth limit had let it out
	duplicate  bool          // it is a second copy
}

// path carries datagrams one way.
type path struct {
	network   *Network
	direction Direction
	seat      int

	scheduled          []scheduledDatagram // by due, and of those due at once the one sent first
	freeBuffers        [][]byte            // memory of those that have landed
	lastReceived       []byte              // memory of the one received last
	sendTime           time.Duration
	sendIndex          int
	theoreticalArrival time.Duration // when all that was let through would have left at the bandwidth limit's bare rate

	tcp         bool          // nothing is lost, and nothing overtakes; see PairInOrder
	lastArrival time.Duration // of such a lane: when the last one arrives; never, if the connection is dead

	counters Counters
}

func (l *path) send(now time.Duration, b []byte) {
	if now != l.sendTime {
		l.sendTime, l.sendIndex = now, 0
	}
	place := l.sendIndex
	l.sendIndex++
	c := l.network.conditions(l.direction)
	fate := l.network.Outcome(l.direction, l.seat, now, place)
	f := scheduledDatagram{sentAt: now, number: l.counters.send(now, len(b))}
	if fate.Lost {
		l.counters.Lost++
	}
	if l.tcp {
		l.sendTCP(c, f, fate, b)
		return
	}
	leave, ok := l.admit(now, c, len(b))
	if !ok && !fate.Lost {
		l.counters.Dropped++
	}
	if !ok || fate.Lost {
		return
	}
	f.departedAt, f.arrival = leave, leave+fate.Delay
	l.schedule(f, b)
	if fate.Duplicated {
		l.counters.Duplicated++
		f.duplicate, f.arrival = true, leave+fate.DuplicateDelay
		l.schedule(f, b)
	}
}

// schedule puts a datagram on its way with a copy of the bytes b.
func (l *path) schedule(f scheduledDatagram, b []byte) {
	var m []byte
	if n := len(l.freeBuffers); n > 0 {
		m, l.freeBuffers = l.freeBuffers[n-1][:0], l.freeBuffers[:n-1]
	}
	f.bytes = append(m, b...)
	i := len(l.scheduled)
	for i > 0 && l.scheduled[i-1].arrival > f.arrival {
		i--
	}
	l.scheduled = slices.Insert(l.scheduled, i, f)
}

func (l *path) receive(now time.Duration) (Datagram, bool) {
	if l.lastReceived != nil {
		l.freeBuffers = append(l.freeBuffers, l.lastReceived)
		l.lastReceived = nil
	}
	if len(l.scheduled) == 0 || l.scheduled[0].arrival > now {
		return Datagram{}, false
	}
	f := l.scheduled[0]
	l.scheduled = slices.Delete(l.scheduled, 0, 1)
	l.lastReceived = f.bytes
	l.counters.receive(&f)
	return Datagram{f.bytes, f.arrival, f.sentAt}, true
}

func (l *path) copyFrom(o *path) {
	for _, f := range l.scheduled {
		l.freeBuffers = append(l.freeBuffers, f.bytes)
	}
	l.scheduled = l.scheduled[:0]
	for _, f := range o.scheduled {
		var m []byte
		if n := len(l.freeBuffers); n > 0 {
			m, l.freeBuffers = l.freeBuffers[n-1][:0], l.freeBuffers[:n-1]
		}
		f.bytes = append(m, f.bytes...)
		l.scheduled = append(l.scheduled, f)
	}
	l.sendTime, l.sendIndex, l.theoreticalArrival = o.sendTime, o.sendIndex, o.theoreticalArrival
	l.tcp, l.lastArrival = o.tcp, o.lastArrival
	l.counters = o.counters
}
