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

func (p *path) send(now time.Duration, b []byte) {
	s := p.transmit(now, b)
	if p.report != nil {
		c := p.network.conditions(p.direction)
		s.UsualDelay = c.baseDelay(now, p.seat) + 2*c.Jitter
		p.report(s, b)
	}
}

// transmit decides the outcome of a datagram and puts it in flight.
func (p *path) transmit(now time.Duration, b []byte) Sending {
	if now != p.sendTime {
		p.sendTime, p.sendIndex = now, 0
	}
	index := p.sendIndex
	p.sendIndex++
	p.settle(now)
	c := p.network.conditions(p.direction)
	outcome := p.network.Outcome(p.direction, p.seat, now, index)
	d := scheduledDatagram{sentAt: now, number: p.counters.send(now, len(b))}
	if p.tcp && outcome.Damage != 0 {
		outcome.Lost = true // TCP's own checksum rejects it
	}
	if outcome.Lost {
		p.counters.Lost++
	}
	s := Sending{Number: d.number, SentAt: now, Arrival: now + outcome.Delay, Lost: outcome.Lost}
	if p.tcp {
		arrival, ok := p.sendTCP(c, d, outcome, b)
		if s.Resent, s.Lost = ok && s.Lost, false; ok {
			s.Arrival = arrival
		}
		s.Dropped = !ok
		return s
	}
	p.counters.WireBytes += uint64(len(b) + UDPIPHeaderBytes)
	if outcome.Foreign != 0 {
		p.counters.Foreign++
		s.Foreign = true
		p.schedule(scheduledDatagram{arrival: now + outcome.ForeignDelay, sentAt: now, departedAt: now, foreign: outcome.Foreign}, b)
	}
	departure, ok := p.admit(now, c, len(b)+UDPIPHeaderBytes)
	if !ok && !outcome.Lost {
		p.counters.Dropped++
		s.Dropped = true
	}
	if !ok || outcome.Lost {
		return s
	}
	d.departedAt, d.arrival, d.damage = departure, departure+outcome.Delay, outcome.Damage
	s.Arrival, s.Damaged = d.arrival, d.damage != 0
	p.schedule(d, b)
	if outcome.Duplicated {
		p.counters.Duplicated++
		d.duplicate, d.arrival, d.damage = true, departure+outcome.DuplicateDelay, outcome.DuplicateDamage
		s.Duplicated, s.DuplicateArrival, s.DuplicateDamaged = true, d.arrival, d.damage != 0
		p.schedule(d, b)
	}
	return s
}

// schedule puts a copy of b in flight, damaged or with a foreign checksum if d says so.
func (p *path) schedule(d scheduledDatagram, b []byte) {
	var buffer []byte
	if n := len(p.freeBuffers); n > 0 {
		buffer, p.freeBuffers = p.freeBuffers[n-1][:0], p.freeBuffers[:n-1]
	}
	d.bytes = append(buffer, b...)
	if d.damage != 0 && len(b) > 0 {
		p.counters.Corrupted++
		flipBits(d.bytes, d.damage)
	}
	if d.foreign != 0 {
		makeForeign(d.bytes, d.foreign)
	}
	i := len(p.scheduled)
	for i > 0 && p.scheduled[i-1].arrival > d.arrival {
		i--
	}
	p.scheduled = slices.Insert(p.scheduled, i, d)
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

func (p *path) receive(now time.Duration) (Datagram, bool) {
	if p.lastReceived != nil {
		p.freeBuffers = append(p.freeBuffers, p.lastReceived)
		p.lastReceived = nil
	}
	p.settle(now)
	if len(p.scheduled) == 0 || p.scheduled[0].arrival > now {
		return Datagram{}, false
	}
	d := p.scheduled[0]
	p.scheduled = slices.Delete(p.scheduled, 0, 1)
	p.lastReceived = d.bytes
	received := Datagram{Bytes: d.bytes, ReceivedAt: d.arrival, SentAt: d.sentAt, Number: d.number, IsDuplicate: d.duplicate}
	received.Reordered = !d.duplicate && d.foreign == 0 && d.number < p.counters.newestArrived
	p.counters.receive(&d)
	return received, true
}

func (p *path) copyFrom(o *path) {
	for _, d := range p.scheduled {
		p.freeBuffers = append(p.freeBuffers, d.bytes)
	}
	p.scheduled = p.scheduled[:0]
	for _, d := range o.scheduled {
		var buffer []byte
		if n := len(p.freeBuffers); n > 0 {
			buffer, p.freeBuffers = p.freeBuffers[n-1][:0], p.freeBuffers[:n-1]
		}
		d.bytes = append(buffer, d.bytes...)
		p.scheduled = append(p.scheduled, d)
	}
	p.sendTime, p.sendIndex, p.theoreticalArrival = o.sendTime, o.sendIndex, o.theoreticalArrival
	p.tcp, p.lastArrival, p.ackDue = o.tcp, o.lastArrival, o.ackDue
	p.events = append(p.events[:0], o.events...)
	p.counters = o.counters
}
