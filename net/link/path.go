package link

import (
	"slices"
	"time"
)

// scheduledDatagram is a datagram in flight.
type scheduledDatagram struct {
	arrival    time.Duration
	bytes      []byte
	number     uint64 // in order of sending, from 1
	sentAt     time.Duration
	departedAt time.Duration // when it left the bandwidth limit
	duplicate  bool          // second copy
}

// path carries datagrams in one direction.
type path struct {
	network   *Network
	direction Direction
	seat      int

	scheduled          []scheduledDatagram // by arrival, then by sending
	freeBuffers        [][]byte            // of datagrams received
	lastReceived       []byte              // memory of the last one
	sendTime           time.Duration
	sendIndex          int
	theoreticalArrival time.Duration // end of everything admitted, at the bare rate of the bandwidth limit

	tcp         bool          // lossless and in order; see PairTCP
	lastArrival time.Duration // of a TCP link: when the last datagram arrives; never, if the connection is dead
	reverse     *path         // the other direction
	events      []tcpEvent    // of a TCP link, by time
	ackDue      time.Duration // of a TCP link: when the delayed acknowledgement is sent; 0: none is due

	counters Counters
}

func (l *path) send(now time.Duration, b []byte) {
	if now != l.sendTime {
		l.sendTime, l.sendIndex = now, 0
	}
	index := l.sendIndex
	l.sendIndex++
	l.settle(now)
	c := l.network.conditions(l.direction)
	outcome := l.network.Outcome(l.direction, l.seat, now, index)
	d := scheduledDatagram{sentAt: now, number: l.counters.send(now, len(b))}
	if outcome.Lost {
		l.counters.Lost++
	}
	if l.tcp {
		l.sendTCP(c, d, outcome, b)
		return
	}
	l.counters.WireBytes += uint64(len(b) + UDPIPHeaderBytes)
	departure, ok := l.admit(now, c, len(b)+UDPIPHeaderBytes)
	if !ok && !outcome.Lost {
		l.counters.Dropped++
	}
	if !ok || outcome.Lost {
		return
	}
	d.departedAt, d.arrival = departure, departure+outcome.Delay
	l.schedule(d, b)
	if outcome.Duplicated {
		l.counters.Duplicated++
		d.duplicate, d.arrival = true, departure+outcome.DuplicateDelay
		l.schedule(d, b)
	}
}

// schedule puts a copy of b in flight.
func (l *path) schedule(d scheduledDatagram, b []byte) {
	var buffer []byte
	if n := len(l.freeBuffers); n > 0 {
		buffer, l.freeBuffers = l.freeBuffers[n-1][:0], l.freeBuffers[:n-1]
	}
	d.bytes = append(buffer, b...)
	i := len(l.scheduled)
	for i > 0 && l.scheduled[i-1].arrival > d.arrival {
		i--
	}
	l.scheduled = slices.Insert(l.scheduled, i, d)
}

func (l *path) receive(now time.Duration) (Datagram, bool) {
	if l.lastReceived != nil {
		l.freeBuffers = append(l.freeBuffers, l.lastReceived)
		l.lastReceived = nil
	}
	l.settle(now)
	if len(l.scheduled) == 0 || l.scheduled[0].arrival > now {
		return Datagram{}, false
	}
	d := l.scheduled[0]
	l.scheduled = slices.Delete(l.scheduled, 0, 1)
	l.lastReceived = d.bytes
	l.counters.receive(&d)
	return Datagram{d.bytes, d.arrival, d.sentAt}, true
}

func (l *path) copyFrom(o *path) {
	for _, d := range l.scheduled {
		l.freeBuffers = append(l.freeBuffers, d.bytes)
	}
	l.scheduled = l.scheduled[:0]
	for _, d := range o.scheduled {
		var buffer []byte
		if n := len(l.freeBuffers); n > 0 {
			buffer, l.freeBuffers = l.freeBuffers[n-1][:0], l.freeBuffers[:n-1]
		}
		d.bytes = append(buffer, d.bytes...)
		l.scheduled = append(l.scheduled, d)
	}
	l.sendTime, l.sendIndex, l.theoreticalArrival = o.sendTime, o.sendIndex, o.theoreticalArrival
	l.tcp, l.lastArrival, l.ackDue = o.tcp, o.lastArrival, o.ackDue
	l.events = append(l.events[:0], o.events...)
	l.counters = o.counters
}
