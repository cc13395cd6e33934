package link

import "time"

// PairTCP returns the two ends of a link that behaves as TCP does over the same
// network: everything arrives, once and in order. A datagram has the same outcome as on
// a link of Pair, so both lose the same ones at the same times. But a lost datagram is
// sent again, and everything sent after it waits for it (head-of-line blocking).
//
// The rule is that of the simulator in Fiedler's networked physics demo (GDC 2015) in
// its TCP mode: a lost datagram arrives four one-way latencies later, two round trips,
// which is also the cost of a retransmission in the article on UDP and TCP. Random
// losses and loss bursts strike a datagram once, never its retransmission. The latency
// is the current one with swing and trace, without jitter.
//
// That simulator has no outages. Here a retransmission that falls into one (an outage,
// a blackout, lost samples of a trace) is repeated after twice the previous interval
// (RFC 6298, 5.5), at least 200 ms as in Linux, at most a minute. After fifteen
// failures (Linux's tcp_retries2) the connection is dead and nothing more arrives.
//
// Duplicates are invisible, and every delay delays all that follows. What a full queue
// would drop waits at the sender. There is no congestion control: the source has none.
// Headers, retransmissions and acknowledgements take bandwidth (tcptraffic.go).
func PairTCP(n *Network, seat int) (client, server *End) {
	client, server = Pair(n, seat)
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

// sendTCP puts a datagram in flight behind all others, and returns when it arrives; ok is false if it
// never does.
func (p *path) sendTCP(c *Conditions, d scheduledDatagram, outcome Outcome, b []byte) (arrival time.Duration, ok bool) {
	if p.lastArrival == never {
		p.counters.Dropped++
		return 0, false
	}
	p.ackDue = 0 // the segment acknowledges what has arrived
	bytes := len(b) + TCPIPHeaderBytes
	d.departedAt = p.charge(d.sentAt, c, bytes)
	var wait time.Duration
	if outcome.Lost {
		var ok bool
		if wait, ok = p.retransmit(c, d.sentAt, bytes); !ok {
			p.lastArrival = never
			p.counters.Dropped++
			return 0, false
		}
	}
	arrival = d.departedAt + wait + outcome.Delay
	p.acknowledge(arrival, arrival >= p.lastArrival, outcome.Lost)
	p.lastArrival = max(p.lastArrival, arrival)
	d.arrival = p.lastArrival
	p.schedule(d, b)
	return d.arrival, true
}

// retransmit charges the retransmissions of a segment that is lost at now, and returns
// how long after that the copy is sent that arrives; false if none does.
func (p *path) retransmit(c *Conditions, now time.Duration, bytes int) (wait time.Duration, ok bool) {
	interval := 4 * c.baseDelay(now, p.seat)
	for range maxRetransmits {
		wait += interval
		p.addEvent(tcpEvent{now + wait, retransmission, bytes})
		if !p.network.isBlackedOut(c, now+wait) {
			return wait, true
		}
		interval = min(max(2*interval, minRTO), maxRTO)
	}
	return 0, false
}
