package message

import (
	"fmt"
	"testing"
)

// TestMaliciousChannelData checks that invalid sections are counted and change nothing,
// and that messages beyond the window are dropped.
func TestMaliciousChannelData(t *testing.T) {
	message := func(id int) []byte { return packBits(0, 1, 1, 1, 0, 5, id, 16, 1, 7, 'x', 8, 0, 1) }
	c := NewChannel(Config{})
	setStartID(c, c, 70000)
	for range 300 {
		c.Send([]byte("m"))
	}
	sent := uint64(0)
	for range 3 {
		writeChannel(c, 0, 1000)
		sent = c.Stats.Sent
	}
	before := fmt.Sprintf("%+v", struct {
		a, b, c uint64
		slots   [Window]incoming
	}{c.oldestUnackedID, c.peerReceiveID, c.nextReceiveID, c.receiveQueue})
	bad := map[string][]byte{
		"nothing":                          {},
		"receive id of an unsent message":  packBits(1, 1, int(70000+sent+1)&0xffff, 16, 0, 2),
		"receive id beyond the window":     packBits(1, 1, (70000+Window+1)&0xffff, 16, 0, 2),
		"receive id beyond the queue":      packBits(1, 1, (70000+301)&0xffff, 16, 0, 2),
		"a message longer than allowed":    packBits(0, 1, 1, 1, 0, 5, 70000&0xffff, 16, 65, 7, 0, 32, 0, 32, 0, 32),
		"a distance beyond the window":     packBits(0, 1, 1, 1, 1, 5, 70000&0xffff, 16, 0, 7, 0, 1, 255, 8, 0, 7, 0, 1),
		"more messages than there are":     packBits(0, 1, 1, 1, 31, 5, 70000&0xffff, 16, 0, 7, 1, 1),
		"more unreliable than there are":   packBits(0, 2, 1, 1, 31, 5, 0, 7),
		"a valid message before a bad one": append(message(70000 & 0xffff)[:4], 0xff),
	}
	n := uint64(0)
	for name, b := range bad {
		n++
		if readChannel(c, b) || c.Stats.Malformed != n {
			t.Errorf("%s is accepted: % x", name, b)
		}
	}
	if after := fmt.Sprintf("%+v", struct {
		a, b, c uint64
		slots   [Window]incoming
	}{c.oldestUnackedID, c.peerReceiveID, c.nextReceiveID, c.receiveQueue}); after != before {
		t.Errorf("%s\n%s", before, after)
	}
	one := NewChannel(Config{QueueLen: 1}) // the next message would reuse the slot of this one
	one.Send([]byte("m"))
	writeChannel(one, 0, 1000)
	if readChannel(one, packBits(1, 1, 2, 16, 0, 2)) || one.UnackedCount() != 1 {
		t.Error("an unsent message counts as received")
	}
	for _, x := range []struct {
		id   int
		want Stats
	}{{70000 - 1, Stats{Duplicates: 1}}, {70000 - 32768, Stats{Duplicates: 2}}, {70000 + Window, Stats{Duplicates: 2, OutOfWindow: 1}},
		{70000 + 32767, Stats{Duplicates: 2, OutOfWindow: 2}}, {70000 + Window - 1, Stats{Duplicates: 2, OutOfWindow: 2, Received: 1}}} {
		if !readChannel(c, message(x.id&0xffff)) {
			t.Fatal("a valid section is rejected")
		}
		if got := (Stats{Duplicates: c.Stats.Duplicates, OutOfWindow: c.Stats.OutOfWindow, Received: c.Stats.Received}); got != x.want {
			t.Errorf("id %d: %+v, want %+v", x.id, got, x.want)
		}
	}
	if _, ok := c.Receive(); ok {
		t.Error("a message is received before the missing ones")
	}
}

// FuzzRead feeds a channel with messages in flight arbitrary bytes. It must not believe
// anything impossible or store more than allowed, and a rejected section must change
// nothing but the counter.
func FuzzRead(f *testing.F) {
	f.Add([]byte{})
	c := NewChannel(Config{})
	for i := range 40 {
		c.Send(fmt.Append(nil, i))
		c.SendUnreliable(fmt.Append(nil, i))
	}
	f.Add(writeChannel(c, 0, 4000))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := NewChannel(Config{MaxBytes: MaxBytes, QueueLen: 100})
		setStartID(c, c, 1<<20-30)
		for range 100 {
			c.Send([]byte("abc"))
		}
		sent := c.oldestUnackedID
		writeChannel(c, 0, 1000)
		sent += c.Stats.Sent
		c.PacketSent(1)
		if !readChannel(c, b) {
			if c.Stats.Malformed != 1 || c.Stats.Received+c.Stats.OutOfWindow+c.Stats.Duplicates != 0 || c.peerReceiveID != 1<<20-30 {
				t.Errorf("rejected, but %+v", c.Stats)
			}
			return
		}
		if c.oldestUnackedID > sent || c.peerReceiveID > sent {
			t.Errorf("receive id %d, sent %d", c.peerReceiveID, sent)
		}
		n := 0
		for _, m := range append(receiveAll(c.ReceiveUnreliable), receiveAll(c.Receive)...) {
			n += len(m)
		}
		if n > len(b) {
			t.Errorf("%d bytes out of %d", n, len(b))
		}
		if c.Stats.Received+c.Stats.OutOfWindow+c.Stats.Duplicates > MaxPerPacket || c.Stats.UnreliableReceived > MaxPerPacket {
			t.Errorf("%+v", c.Stats)
		}
	})
}
