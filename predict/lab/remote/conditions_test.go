package remote

import (
	"testing"
	"time"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
)

// TestConditions checks that a network over a wire delays and loses in both directions, beside what the wire does.
func TestConditions(t *testing.T) {
	var perfect, over link.Network
	if err := over.Parse("latency=30ms,up.loss=50%"); err != nil {
		t.Fatal(err)
	}
	if err := perfect.Parse("latency=10ms"); err != nil {
		t.Fatal(err)
	}
	client, server := link.Pair(&perfect, 0)
	var left error
	c := NewConditions(over, &end{Wire: client, err: &left}, false)
	up, down := 0, 0
	for now := time.Duration(0); now < 2*time.Second; now += time.Millisecond {
		if now < time.Second {
			c.Send(now, []byte{1})
			server.Send(now, []byte{2})
		}
		c.Pump(now)
		for d, ok := c.Receive(now); ok; d, ok = c.Receive(now) {
			if down++; down == 1 && (now < 40*time.Millisecond || now > 41*time.Millisecond || d.ReceivedAt > now) {
				t.Errorf("the first arrives at %v, at %v by itself", now, d.ReceivedAt)
			}
		}
		for _, ok := server.Receive(now); ok; _, ok = server.Receive(now) {
			if up++; up == 1 && (now < 40*time.Millisecond || now > 45*time.Millisecond) {
				t.Errorf("the first arrives at the server at %v", now)
			}
		}
	}
	if down != 1000 || up < 400 || up > 600 {
		t.Errorf("%d of 1000 have arrived from the server, %d at it", down, up)
	}
}

// TestConditionsOverPath checks that conditions over a wire also delay datagrams of direct paths, until these are closed.
func TestConditionsOverPath(t *testing.T) {
	var perfect, over link.Network
	if err := over.Parse("latency=30ms"); err != nil {
		t.Fatal(err)
	}
	if err := perfect.Parse("latency=10ms"); err != nil {
		t.Fatal(err)
	}
	c := NewConditions(over, &end{Wire: lab.CutWire{}, err: new(error)}, false)
	own, other := link.PeerPair(&perfect, 0, 1)
	p := c.Over(&path{end{Wire: own, err: new(error)}, &meeting{both: true}}, 1)
	p.Send(0, []byte{1})
	other.Send(0, []byte{2})
	var there, back time.Duration
	for now := time.Duration(0); now < 100*time.Millisecond; now += time.Millisecond {
		c.Pump(now)
		if _, ok := p.Receive(now); ok {
			back = now
		}
		if _, ok := other.Receive(now); ok {
			there = now
		}
	}
	if there < 40*time.Millisecond || there > 42*time.Millisecond || back < 40*time.Millisecond || back > 42*time.Millisecond || !p.IsOpen(0) {
		t.Errorf("there %v, back %v", there, back)
	}
	if p.Close(); len(c.paths) != 0 {
		t.Error("a closed path is still pumped")
	}
}
