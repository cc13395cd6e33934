package link

import (
	"slices"
	"time"
)

// flight is a datagram on its way.
type flight struct {
	due    time.Duration
	bytes  []byte
	number uint64        // of sending, from 1
	sent   time.Duration // when it was sent,
	left   time.Duration // and when the bandwidth limit had let it out
	again  bool          // it is a second copy
}

// lane carries datagrams one way.
type lane struct {
	weather   *Network
	direction Direction
	seat      int

	flights []flight // by due, and of those due at once the one sent first
	spare   [][]byte // memory of those that have landed
	last    []byte   // memory of the one received last
	moment  time.Duration
	place   int
	free    time.Duration // when all that was let through would have left at the bandwidth limit's bare rate

	inOrder bool          // nothing is lost, and nothing overtakes; see PairInOrder
	tail    time.Duration // of such a lane: when the last one arrives; never, if the connection is dead

	meter Counters
}

func (l *lane) send(now time.Duration, b []byte) {
	if now != l.moment {
		l.moment, l.place = now, 0
	}
	place := l.place
	l.place++
	c := l.weather.toward(l.direction)
	fate := l.weather.Outcome(l.direction, l.seat, now, place)
	f := flight{sent: now, number: l.meter.send(now, len(b))}
	if fate.Lost {
		l.meter.Lost++
	}
	if l.inOrder {
		l.sendInOrder(c, f, fate, b)
		return
	}
	leave, ok := l.transmit(now, c, len(b))
	if !ok && !fate.Lost {
		l.meter.Dropped++
	}
	if !ok || fate.Lost {
		return
	}
	f.left, f.due = leave, leave+fate.Delay
	l.launch(f, b)
	if fate.Duplicated {
		l.meter.Duplicated++
		f.again, f.due = true, leave+fate.DuplicateDelay
		l.launch(f, b)
	}
}

// launch puts a datagram on its way with a copy of the bytes b.
func (l *lane) launch(f flight, b []byte) {
	var m []byte
	if n := len(l.spare); n > 0 {
		m, l.spare = l.spare[n-1][:0], l.spare[:n-1]
	}
	f.bytes = append(m, b...)
	i := len(l.flights)
	for i > 0 && l.flights[i-1].due > f.due {
		i--
	}
	l.flights = slices.Insert(l.flights, i, f)
}

func (l *lane) receive(now time.Duration) (Datagram, bool) {
	if l.last != nil {
		l.spare = append(l.spare, l.last)
		l.last = nil
	}
	if len(l.flights) == 0 || l.flights[0].due > now {
		return Datagram{}, false
	}
	f := l.flights[0]
	l.flights = slices.Delete(l.flights, 0, 1)
	l.last = f.bytes
	l.meter.receive(&f)
	return Datagram{f.bytes, f.due, f.sent}, true
}

func (l *lane) copyFrom(o *lane) {
	for _, f := range l.flights {
		l.spare = append(l.spare, f.bytes)
	}
	l.flights = l.flights[:0]
	for _, f := range o.flights {
		var m []byte
		if n := len(l.spare); n > 0 {
			m, l.spare = l.spare[n-1][:0], l.spare[:n-1]
		}
		f.bytes = append(m, f.bytes...)
		l.flights = append(l.flights, f)
	}
	l.moment, l.place, l.free = o.moment, o.place, o.free
	l.inOrder, l.tail = o.inOrder, o.tail
	l.meter = o.meter
}
