package packet

import (
	"testing"
	"time"

	"ghostcube/net/link"
)

// refusalPair is two ends that exchange a packet each tick.
type refusalPair struct {
	client, server *Endpoint
	up, down       singleConn
	now            time.Duration
}

func newRefusalPair() *refusalPair {
	p := &refusalPair{}
	p.server, p.client = NewEndpoint(splitConn{&p.up, &p.down}), NewEndpoint(splitConn{&p.down, &p.up})
	return p
}

// run exchanges n packets. The client refuses those of the server for which refuse is true. It returns in which of
// the n ticks the server has learned of a refusal.
func (p *refusalPair) run(n int, refuse func(Sequence) bool) (learned []int) {
	for i := range n {
		p.now += tick
		p.server.Update(p.now)
		if p.server.Refused() {
			learned = append(learned, i)
		}
		p.server.Send([]byte("state"))
		p.client.Update(p.now)
		for _, x := range receiveAll(p.client) {
			if refuse(x.Sequence) {
				p.client.Refuse(x.Sequence)
			}
		}
		p.client.Send(nil)
	}
	return learned
}

// TestRefused checks that the server learns once that packets were refused, again only of packets that it has sent
// since, and never without a refusal; and that refused packets are not acknowledged.
func TestRefused(t *testing.T) {
	p := newRefusalPair()
	never := func(Sequence) bool { return false }
	if got := p.run(100, never); len(got) != 0 {
		t.Errorf("refusals in ticks %v", got)
	}
	acked := p.server.Stats.Acked
	if got := p.run(10, func(s Sequence) bool { return s == 103 || s == 104 }); len(got) != 2 || got[0] != 4 || got[1] != 5 {
		t.Errorf("refusals of packets 103 and 104 in ticks %v", got)
	}
	if got := p.run(50, never); len(got) != 0 || p.server.Stats.Acked-acked != 60-2 {
		t.Errorf("refusals in ticks %v, %d packets acknowledged", got, p.server.Stats.Acked-acked)
	}
	// A client that refuses everything is heard although no packet is left to acknowledge.
	if got := p.run(100, func(s Sequence) bool { return s >= 160 }); len(got) != 99 {
		t.Errorf("%d refusals heard of 99", len(got))
	}
}

// TestRefusedReportsOnce checks, at a latency of 50 ms, that refusals of packets that were on their way when the
// first one arrived are not reported again, and that a copy of an endpoint knows of the last report.
func TestRefusedReportsOnce(t *testing.T) {
	network := &link.Network{}
	if err := network.Parse("latency=50ms"); err != nil {
		t.Fatal(err)
	}
	a, b := link.Pair(network, 0)
	client, server := NewEndpoint(a), NewEndpoint(b)
	learned := 0
	for i := range 100 {
		now := time.Duration(i) * tick
		server.Update(now)
		if server.Refused() {
			learned++
			c := NewEndpoint(b)
			if c.CopyFrom(server); !c.Refused() || c.refusalsFrom != server.refusalsFrom {
				t.Error("a copy has forgotten the refusal")
			}
		}
		server.Send([]byte("state"))
		client.Update(now)
		for _, x := range receiveAll(client) {
			if x.Sequence >= 20 && x.Sequence < 30 {
				client.Refuse(x.Sequence)
			}
		}
		client.Send(nil)
	}
	if learned != 2 { // packets 20 to 26 were on their way, those up to 29 are sent after the first report
		t.Errorf("learned %d times that 10 packets in a row were refused, want 2", learned)
	}
}

// TestRefusalBeforeAnother checks that the header after several packets begins at the refused one, and the next
// header acknowledges the others.
func TestRefusalBeforeAnother(t *testing.T) {
	var r receiveState
	r.complete = NewSequenceBuffer[struct{}](historyLen)
	for s := Sequence(10); s < 14; s++ {
		r.observe(s, 0)
		r.markComplete(s, 0)
	}
	r.refuse(12)
	if ack, bits, _ := r.ackFields(0); ack != 12 || bits != 0b110 {
		t.Errorf("acknowledges %d %b", ack, bits)
	}
	r.hasRefused = false
	if ack, bits, _ := r.ackFields(0); ack != 13 || bits != 0b1101 {
		t.Errorf("then %d %b", ack, bits)
	}
}

// TestClockSetBack checks that an endpoint whose clock is set back writes an ack delay of 0, not a negative one.
func TestClockSetBack(t *testing.T) {
	p := newRefusalPair()
	p.run(10, func(Sequence) bool { return false })
	p.client.Update(p.now - time.Second)
	p.client.Send(nil)
	if h, ok := ParseHeader(p.up.bytes); !ok || h.AckDelay != 0 || h.IsFragment {
		t.Errorf("%+v", h)
	}
}
