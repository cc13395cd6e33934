package reliable

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
)

const tick = time.Second / 60

// rig is a connection over a simulated link.
type rig struct {
	ends      [2]*Connection
	endpoints [2]*packet.Endpoint
	now       time.Duration
}

func newRig(t *testing.T, network string) *rig {
	t.Helper()
	n := &link.Network{Seed: 5}
	if err := n.Parse(network); err != nil {
		t.Fatal(err)
	}
	r := &rig{}
	a, b := link.Pair(n, 0)
	for i, wire := range []*link.End{a, b} {
		r.ends[i], r.endpoints[i] = New(), packet.NewEndpoint(wire)
		r.endpoints[i].SetSideband(r.ends[i], 0)
	}
	return r
}

// step runs a tick: both ends receive, send a packet of a game, and what else is due.
func (r *rig) step() {
	for i, e := range r.endpoints {
		e.Update(r.now)
		e.Send([]byte("game"))
		r.ends[i].Flush(e, r.now)
	}
	r.now += tick
}

// TestMessages checks that reliable messages arrive once and in order at 40 % loss, and that
// unreliable ones arrive at most once and not all of them.
func TestMessages(t *testing.T) {
	for _, unreliable := range []bool{false, true} {
		r := newRig(t, "latency=30ms,jitter=20ms,loss=40%,duplicate=10%")
		r.ends[0].Unreliable = unreliable
		next, received := uint32(0), []uint32{}
		for i := range 1500 {
			if i%4 == 0 && i < 1200 {
				if !r.ends[0].Send(binary.LittleEndian.AppendUint32(nil, next)) {
					t.Fatal("a message is refused")
				}
				next++
			}
			r.step()
			for m, ok := r.ends[1].Receive(); ok; m, ok = r.ends[1].Receive() {
				received = append(received, binary.LittleEndian.Uint32(m))
			}
		}
		seen := map[uint32]bool{}
		for i, n := range received {
			if !unreliable && n != uint32(i) || seen[n] || n >= next {
				t.Fatalf("unreliable %v: message %d arrives as number %d", unreliable, n, i)
			}
			seen[n] = true
		}
		if n := len(received); !unreliable && n != int(next) || unreliable && (n < 100 || n > 250) {
			t.Errorf("unreliable %v: %d of %d messages arrive", unreliable, n, next)
		}
		if s := r.ends[0].Stats(); unreliable != (s.Messages.Resent == 0) || s.Unacked != 0 || s.Malformed != 0 {
			t.Errorf("unreliable %v: %+v", unreliable, s)
		}
	}
}

// TestBlock checks that a block arrives whole at 20 % loss, within the time that its rate
// allows, while the game's packets go on, and that a copy in the middle ends the same.
func TestBlock(t *testing.T) {
	r := newRig(t, "latency=30ms,loss=20%")
	r.ends[0].SetBlockRate(64 * BytesPerKbit * 8)
	block := make([]byte, 100_000)
	for i := range block {
		block[i] = byte(i*7 ^ i>>8)
	}
	if !r.ends[0].SendBlock(block) || r.ends[0].SendBlock(block) {
		t.Fatal("a block is refused, or a second one is not")
	}
	var copied *Connection
	for i := range 600 {
		r.step()
		if i == 60 {
			copied = New()
			copied.CopyFrom(r.ends[1])
			if n, count := copied.SlicesReceived(); n == 0 || n >= count || count != 98 {
				t.Errorf("after a second %d of %d slices", n, count)
			}
			states := r.ends[0].AppendSlices(nil)
			if len(states) != 98 || !slices.Contains(states, predict.SliceSent) || !slices.Contains(states, predict.SliceAcked) || states[97] != predict.SliceWaiting {
				t.Errorf("slices %v", states)
			}
		}
		if got, ok := r.ends[1].ReceiveBlock(); ok {
			if !bytes.Equal(got, block) {
				t.Error("the block arrives changed")
			}
			if i < 95 || i > 240 { // 100 kB at 64 kB/s, and a fifth again
				t.Errorf("the block arrives after %d ticks", i)
			}
			s := r.ends[0].Stats()
			if s.Sent.Resent == 0 || r.ends[1].Stats().Received.Acks > uint64(i)/3+2 {
				t.Errorf("%+v", s)
			}
			return
		}
	}
	t.Error("the block does not arrive")
}

// TestFullPackets checks that messages arrive although every packet of the game fills its
// datagram, so that none has room for them.
func TestFullPackets(t *testing.T) {
	r := newRig(t, "latency=30ms,loss=10%")
	full := make([]byte, packet.MaxDatagram-50)
	received := 0
	for i := range 600 {
		if i%10 == 0 && i < 500 {
			r.ends[0].Send([]byte{byte(i)})
		}
		for k, e := range r.endpoints {
			e.Update(r.now)
			e.Send(full)
			r.ends[k].Flush(e, r.now)
		}
		for _, ok := r.ends[1].Receive(); ok; _, ok = r.ends[1].Receive() {
			received++
		}
		r.now += tick
	}
	if received != 50 {
		t.Errorf("%d of 50 messages arrive", received)
	}
}

// TestUntrusted checks that sidebands of arbitrary bytes are counted and change nothing.
func TestUntrusted(t *testing.T) {
	c := New()
	for i := range 2000 {
		data := make([]byte, i%70)
		for k := range data {
			data[k] = byte(i*31 + k*k*7)
		}
		c.Read(data)
		_ = Fields(data, func(quant.Field) {})
	}
	if c.Stats().Malformed == 0 {
		t.Error("nothing is malformed")
	}
}

// TestFields checks that the fields of a sideband cover its bits.
func TestFields(t *testing.T) {
	c := New()
	c.Send([]byte("hello"))
	c.SendBlock(make([]byte, 3000))
	c.extra = c.blocks.Sender.Write(nil, time.Second, 0)
	data := c.Append(nil, time.Second, 0, 1100)
	bits := 0
	if err := Fields(data, func(f quant.Field) { bits += f.Bits }); err != nil || bits != 8*len(data) {
		t.Errorf("%d bits of %d, %v", bits, 8*len(data), err)
	}
}
