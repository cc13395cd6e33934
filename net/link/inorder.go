package link

import "time"

// PairInOrder returns the two ends of a link as TCP makes one of the same
// weather: everything arrives, once, in the order in which it was sent. A
// datagram meets the fate that it would have met on a link of Pair, so both
// lose the same ones at the same moments; but what is lost is sent again, and
// all that was sent after it waits for it to arrive (head-of-line blocking).
//
// The rule for what is lost is that of the simulator of Fiedler's networked
// physics demo (GDC 2015), in its TCP mode: it arrives four one-way latencies
// later, which is two round trips, the cost of a retransmission that the
// article on UDP and TCP names too. So luck, single or in bursts, strikes a
// datagram once: its copy is not lost again. The latency counted is that of
// the moment, with its swing and its trace and without its jitter.
//
// That simulator knows no stretch of time in which all is lost. Here a copy
// that falls into one (an outage, a forced one, a dark stretch of a trace) is
// sent again after twice as long as before (RFC 6298, 5.5), 200 ms at least, as
// in Linux, and a minute at most. After fifteen in vain (Linux's
// tcp_retries2) the connection is dead, and nothing more arrives on it.
//
// Duplicates do not show, and what is late for any reason delays all that
// follows. What a full queue before a bandwidth limit would drop waits with the
// sender. Copies sent again take no bandwidth, and there is no congestion
// control: the source has neither.
func PairInOrder(w *Network, seat int) (client, server *End) {
	client, server = Pair(w, seat)
	client.InOrder(true)
	server.InOrder(true)
	return client, server
}

const (
	leastResend = 200 * time.Millisecond
	mostResend  = time.Minute
	resends     = 15
	never       = time.Duration(1<<63 - 1)
)

// sendInOrder puts a datagram on its way behind all others.
func (l *lane) sendInOrder(c *Conditions, f flight, fate Outcome, b []byte) {
	var wait time.Duration
	if ok := l.tail != never; fate.Lost && ok {
		if wait, ok = l.weather.resend(c, f.sent, l.seat); !ok {
			l.tail = never
		}
	}
	if l.tail == never {
		l.meter.Dropped++
		return
	}
	f.left = l.leave(f.sent, c, len(b))
	l.tail = max(l.tail, f.left+wait+fate.Delay)
	f.due = l.tail
	l.launch(f, b)
}

// resend returns how long after now, when its first copy was lost, the copy of
// a datagram is sent that arrives; or false if none does.
func (w *Network) resend(c *Conditions, now time.Duration, seat int) (wait time.Duration, ok bool) {
	step := 4 * c.base(now, seat)
	for range resends {
		wait += step
		if !w.blackout(c, now+wait) {
			return wait, true
		}
		step = min(max(2*step, leastResend), mostResend)
	}
	return 0, false
}
