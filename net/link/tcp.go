package link

import "time"

// PairTCP returns the two ends of a link as TCP makes one of the same
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
func PairTCP(w *Network, seat int) (client, server *End) {
	client, server = Pair(w, seat)
	client.SetTCP(true)
	server.SetTCP(true)
	return client, server
}

const (
	minRTO         = 200 * time.Millisecond
	maxRTO         = time.Minute
	maxRetransmits = 15
	never          = time.Duration(1<<63 - 1)
)

// sendTCP puts a datagram on its way behind all others.
func (l *path) sendTCP(c *Conditions, f scheduledDatagram, fate Outcome, b []byte) {
	var wait time.Duration
	if ok := l.lastArrival != never; fate.Lost && ok {
		if wait, ok = l.network.retransmitDelay(c, f.sentAt, l.seat); !ok {
			l.lastArrival = never
		}
	}
	if l.lastArrival == never {
		l.counters.Dropped++
		return
	}
	f.departedAt = l.departure(f.sentAt, c, len(b))
	l.lastArrival = max(l.lastArrival, f.departedAt+wait+fate.Delay)
	f.arrival = l.lastArrival
	l.schedule(f, b)
}

// retransmitDelay returns how long after now, when its first copy was lost, the copy of
// a datagram is sent that arrives; or false if none does.
func (w *Network) retransmitDelay(c *Conditions, now time.Duration, seat int) (wait time.Duration, ok bool) {
	step := 4 * c.baseDelay(now, seat)
	for range maxRetransmits {
		wait += step
		if !w.isBlackedOut(c, now+wait) {
			return wait, true
		}
		step = min(max(2*step, minRTO), maxRTO)
	}
	return 0, false
}
