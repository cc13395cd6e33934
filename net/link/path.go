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
	damage     uint64        // selects the bits that are flipped; 0: none
	foreign    uint64        // of a datagram of another program: selects its checksum; otherwise 0
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
	report   func(s Sending, datagram []byte) // nil: none
}

func (l *path) send(now time.Duration, b []byte) {
	s := l.transmit(now, b)
	if l.report != nil {
		c := l.network.conditions(l.direction)
		s.UsualDelay = c.baseDelay(now, l.seat) + 2*c.Jitter
		l.report(s, b)
	}
}

// transmit decides the outcome of a datagram and puts it in flight.
func (l *path) transmit(now time.Duration, b []byte) Sending {
	if now != l.sendTime {
		l.sendTime, l.sendIndex = now, 0
	}
	index := l.sendIndex
	l.sendIndex++
	l.settle(now)
	c := l.network.conditions(l.direction)
	outcome := l.network.Outcome(l.direction, l.seat, now, index)
	d := scheduledDatagram{sentAt: now, number: l.counters.send(now, len(b))}
	if l.tcp && outcome.Damage != 0 {
		outcome.Lost = true // TCP's own checksum rejects it
	}
	if outcome.Lost {
		l.counters.Lost++
	}
	s := Sending{Number: d.number, SentAt: now, Arrival: now + outcome.Delay, Lost: outcome.Lost}
	if l.tcp {
		arrival, ok := l.sendTCP(c, d, outcome, b)
		if s.Resent, s.Lost = ok && s.Lost, false; ok {
			s.Arrival = arrival
		}
		s.Dropped = !ok
		return s
	}
	l.counters.WireBytes += uint64(len(b) + UDPIPHeaderBytes)
	if outcome.Foreign != 0 {
		l.counters.Foreign++
		s.Foreign = true
		l.schedule(scheduledDatagram{arrival: now + outcome.ForeignDelay, sentAt: now, departedAt: now, foreign: outcome.Foreign}, b)
	}
	departure, ok := l.admit(now, c, len(b)+UDPIPHeaderBytes)
	if !ok && !outcome.Lost {
		l.counters.Dropped++
		s.Dropped = true
	}
	if !ok || outcome.Lost {
		return s
	}
	d.departedAt, d.arrival, d.damage = departure, departure+outcome.Delay, outcome.Damage
	s.Arrival, s.Damaged = d.arrival, d.damage != 0
	l.schedule(d, b)
	if outcome.Duplicated {
		l.counters.Duplicated++
		d.duplicate, d.arrival, d.damage = true, departure+outcome.DuplicateDelay, outcome.DuplicateDamage
		s.Duplicated, s.DuplicateArrival, s.DuplicateDamaged = true, d.arrival, d.damage != 0
		l.schedule(d, b)
	}
	return s
}

// schedule puts a copy of b in flight, damaged or with a foreign checksum if d says so.
func (l *path) schedule(d scheduledDatagram, b []byte) {
	var buffer []byte
	if n := len(l.freeBuffers); n > 0 {
		buffer, l.freeBuffers = l.freeBuffers[n-1][:0], l.freeBuffers[:n-1]
	}
	d.bytes = append(buffer, b...)
	if d.damage != 0 && len(b) > 0 {
		l.counters.Corrupted++
		flipBits(d.bytes, d.damage)
	}
	if d.foreign != 0 {
		makeForeign(d.bytes, d.foreign)
	}
	i := len(l.scheduled)
	for i > 0 && l.scheduled[i-1].arrival > d.arrival {
		i--
	}
	l.scheduled = slices.Insert(l.scheduled, i, d)
}

// flipBits flips one bit and up to seven others.
func flipBits(b []byte, random uint64) {
	n := uint64(len(b)) * 8
	first := random >> 8 % n
	flip := func(bit uint64) { b[bit/8] ^= 1 << (bit % 8) }
	flip(first)
	for range random >> 5 & 7 {
		random = splitmix64(random)
		flip((first + 1 + random%(n-1)) % n)
	}
}

// makeForeign turns a datagram into one that another program would send: the same bytes
// after the checksum, which the first four bytes are. A CRC is linear, so a program of
// another protocol number has another checksum for the same bytes, and for every other
// checksum there is such a number.
func makeForeign(b []byte, random uint64) {
	mask := uint32(random>>32) | 1
	for i := range min(len(b), 4) {
		b[i] ^= byte(mask >> (8 * i))
	}
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
	received := Datagram{Bytes: d.bytes, ReceivedAt: d.arrival, SentAt: d.sentAt, Number: d.number, IsDuplicate: d.duplicate}
	received.Reordered = !d.duplicate && d.foreign == 0 && d.number < l.counters.newestArrived
	l.counters.receive(&d)
	return received, true
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
