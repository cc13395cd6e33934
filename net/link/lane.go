package link

import (
	"slices"
	"time"
)

// flight is a datagram on its way.
type flight struct {
	due   time.Duration
	order int // of sending, to tell apart those due at once
	bytes []byte
}

// lane carries datagrams one way.
type lane struct {
	weather   *Weather
	direction Direction
	seat      int

	flights []flight // by due, then order
	spare   [][]byte // memory of those that have landed
	last    []byte   // memory of the one received last
	order   int
	moment  time.Duration
	place   int
	free    time.Duration // when all that was let through would have left at the bandwidth limit's bare rate

	inOrder bool          // nothing is lost, and nothing overtakes; see PairInOrder
	tail    time.Duration // of such a lane: when the last one arrives; never, if the connection is dead
}

func (l *lane) send(now time.Duration, b []byte) {
	if now != l.moment {
		l.moment, l.place = now, 0
	}
	place := l.place
	l.place++
	c := l.weather.toward(l.direction)
	f := l.weather.Fate(l.direction, l.seat, now, place)
	if l.inOrder {
		l.sendInOrder(now, c, f, b)
		return
	}
	leave, ok := l.transmit(now, c, len(b))
	if !ok || f.Lost {
		return
	}
	l.launch(leave+f.Delay, b)
	if f.Twice {
		l.launch(leave+f.Again, b)
	}
}

func (l *lane) launch(due time.Duration, b []byte) {
	var m []byte
	if n := len(l.spare); n > 0 {
		m, l.spare = l.spare[n-1][:0], l.spare[:n-1]
	}
	f := flight{due, l.order, append(m, b...)}
	l.order++
	i := len(l.flights)
	for i > 0 && l.flights[i-1].due > due {
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
	return Datagram{f.bytes, f.due}, true
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
	l.order, l.moment, l.place, l.free = o.order, o.moment, o.place, o.free
	l.inOrder, l.tail = o.inOrder, o.tail
}
