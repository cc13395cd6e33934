package lab

import (
	"testing"
	"time"

	"ghostcube/net/link"
)

// newJoining returns a pane whose only client has been killed, and has asked for the world.
func newJoining(t *testing.T) (*Pane, *connection) {
	l := New(Config{Scene: "plain", Rate: 60, Seat: AtClient})
	p, err := l.Open("rewind:messages=reliable")
	if err != nil {
		t.Fatal(err)
	}
	p.rejoin(0)
	return p, &p.connections[0]
}

// TestMalformedWorldIsAskedForAgain checks that a client which has got a malformed world counts it and asks once more.
func TestMalformedWorldIsAskedForAgain(t *testing.T) {
	p, c := newJoining(t)
	if c.join.asking {
		t.Fatal("the first request is not sent")
	}
	p.receiveWorld(0, []byte{worldBlock, c.join.life, 0, 0, 0xff})
	if !c.join.asking || !c.join.waiting || p.malformedBlocks != 1 {
		t.Errorf("%+v, %d malformed blocks", c.join, p.malformedBlocks)
	}
}

// TestRequestWaits checks that a request that the server has not answered waits while another block is on its way to the
// client, and when the client is killed again.
func TestRequestWaits(t *testing.T) {
	p, c := newJoining(t)
	c.join.wanted, c.join.wantedLife = true, 1
	if !c.server.SendBlock([]byte{1, 2, 3}) {
		t.Fatal("the block is not sent")
	}
	if p.serve(0); !c.join.wanted {
		t.Error("the world replaces a block that is on its way")
	}
	if p.rejoin(0); !c.join.wanted || c.join.wantedLife != 1 || c.join.life != 2 {
		t.Errorf("after the next life has begun: %+v", c.join)
	}
}

// TestPeerLinkBuffers checks that a client whose program does not read receives from its peers into a buffer, as from the
// server, and that a copy has what waits there.
func TestPeerLinkBuffers(t *testing.T) {
	var network link.Network
	atB, atA := link.PeerPair(&network, 0, 1)
	_, other := link.PeerPair(&network, 0, 1)
	l, copied := newPeerLink(atA), newPeerLink(other)
	const count, size = 5, 100
	for range count {
		_ = atB.Send(0, make([]byte, size))
	}
	l.wait(time.Second)
	copied.copyFrom(l)
	for _, x := range []*peerLink{l, copied} {
		if n := x.arrivals.bufferedBytes; n != count*(size+datagramOverhead) {
			t.Errorf("%d bytes are buffered", n)
		}
		n := 0
		for _, ok := x.arrivals.Receive(time.Second); ok; _, ok = x.arrivals.Receive(time.Second) {
			n++
		}
		if n != count {
			t.Errorf("%d datagrams, want %d", n, count)
		}
	}
	(*peerLink)(nil).wait(time.Second)
}
