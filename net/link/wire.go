// Package link is a simulated connection between two ends: latency, jitter,
// loss, duplicates, reordering, bursts, bandwidth.
//
// It knows neither sockets nor the wall clock: the caller says what time it
// is, and everything else follows from a seed. What happens to a datagram is
// its fate, a hash of the seed, the direction, the seat, the moment it is sent,
// and its place among those sent at that moment. It does not depend on the
// datagram's content or on what was sent before, so several strategies that
// share a weather meet the same losses and the same delays at the same moments,
// however many packets each of them sends. Only a bandwidth limit looks at
// sizes, and is meant to: size is part of what a strategy costs.
package link

import (
	"slices"
	"time"
)

// Wire is one end of a connection: of a simulated link, or a socket.
type Wire interface {
	// Send puts a datagram on its way. The bytes are copied.
	Send(now time.Duration, datagram []byte) error

	// Receive returns the next datagram that has arrived by now. Its bytes are
	// valid until the next call of Receive.
	Receive(now time.Duration) (d Datagram, ok bool)
}

// Datagram is what a Wire carries.
type Datagram struct {
	Bytes []byte
	At    time.Duration // when it arrived, at or before the now of Receive
}

// HeaderBytes is what IPv4 and UDP put before every datagram, and what the
// meters charge for it.
const HeaderBytes = 28

// End is one end of a simulated link.
type End struct{ out, in *lane }

// Pair returns the two ends of a link under w for one seat. Links of different
// seats meet different fates.
func Pair(w *Weather, seat int) (client, server *End) {
	up := &lane{weather: w, direction: Up, seat: seat}
	down := &lane{weather: w, direction: Down, seat: seat}
	return &End{up, down}, &End{down, up}
}

// Send puts a datagram on its way. It never fails.
func (e *End) Send(now time.Duration, b []byte) error {
	e.out.send(now, b)
	return nil
}

// Receive returns the next datagram that has arrived by now.
func (e *End) Receive(now time.Duration) (Datagram, bool) { return e.in.receive(now) }

// CopyFrom makes the link of this end, both lanes of it, carry what the link
// of o carries. Its weather stays its own.
func (e *End) CopyFrom(o *End) {
	e.out.copyFrom(o.out)
	e.in.copyFrom(o.in)
}

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
	free    time.Duration // when the bandwidth limit lets the next datagram begin
}

func (l *lane) send(now time.Duration, b []byte) {
	if now != l.moment {
		l.moment, l.place = now, 0
	}
	place := l.place
	l.place++
	c := l.weather.toward(l.direction)
	leave, ok := l.transmit(now, c, len(b))
	if !ok {
		return
	}
	f := l.weather.Fate(l.direction, l.seat, now, place)
	if f.Lost {
		return
	}
	l.launch(leave+f.Delay, b)
	if f.Twice {
		l.launch(leave+f.Again, b)
	}
}

// transmit returns when the last byte of n has left under a bandwidth limit,
// or false where the queue before it is full.
func (l *lane) transmit(now time.Duration, c *Conditions, n int) (time.Duration, bool) {
	if c.Bandwidth <= 0 {
		return now, true
	}
	start := max(now, l.free)
	if start-now > c.Queue {
		return 0, false
	}
	bits := int64(n+HeaderBytes) * 8
	l.free = start + time.Duration(bits*int64(time.Second)/int64(c.Bandwidth))
	return l.free, true
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
}
