package packet

import (
	"bytes"
	"slices"
	"testing"
	"time"
)

// recordingSideband appends a fixed text and records what arrives.
type recordingSideband struct {
	data      []byte
	sent      []Sequence
	read      [][]byte
	acked     []Sequence
	leastRoom int
}

func (r *recordingSideband) Append(dst []byte, _, _ time.Duration, room int) []byte {
	r.leastRoom = min(r.leastRoom, room)
	return append(dst, r.data[:min(len(r.data), room)]...)
}
func (r *recordingSideband) Sent(s Sequence)             { r.sent = append(r.sent, s) }
func (r *recordingSideband) Read(data []byte)            { r.read = append(r.read, slices.Clone(data)) }
func (r *recordingSideband) Acknowledge(acks []Sequence) { r.acked = append(r.acked, acks...) }

// TestSideband checks that payloads of all sizes and the sideband's data arrive, that packets
// with nothing but such data are not delivered, and that their acknowledgements, and those of
// packets sent while muted, reach the sideband alone.
func TestSideband(t *testing.T) {
	a, b := newPair(t, "latency=20ms", 1)
	up, down := &recordingSideband{data: []byte("from a"), leastRoom: MaxPayload}, &recordingSideband{leastRoom: MaxPayload}
	a.SetSideband(up, 0)
	b.SetSideband(down, 0)
	sizes := []int{1, 100, 1100, maxUnfragmented - 2, maxUnfragmented - 1, maxUnfragmented, 3000, 50000, MaxPayload - 8}
	var want, got [][]byte
	var acked, hidden []Sequence
	now := time.Duration(0)
	step := func(send func()) {
		a.Update(now)
		acked = append(acked, a.Acks()...)
		if send != nil {
			send()
		}
		b.Update(now)
		for _, p := range receiveAll(b) {
			got = append(got, slices.Clone(p.Payload))
		}
		b.Send([]byte{1})
		now += tick
	}
	for i, n := range sizes {
		step(func() {
			payload := pattern(n, byte(i))
			want = append(want, payload)
			a.Send(payload)
		})
		step(func() { a.SendSideband(); hidden = append(hidden, a.next-1) })
		step(func() {
			a.SetMuted(true)
			hidden = append(hidden, a.Send([]byte("not sent")))
			a.SetMuted(false)
		})
	}
	for range 20 {
		step(nil)
	}
	if !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("%d payloads arrive, want %d", len(got), len(want))
	}
	if len(up.sent) != 3*len(sizes) || len(down.read) != len(up.sent) {
		t.Fatalf("%d packets with data sent, %d read", len(up.sent), len(down.read))
	}
	for packet, want := range map[int]string{1: "from a", 3 * 3: "", 3 * 4: "from a"} { // the fourth just fills its datagram
		if got := string(down.read[packet]); got != want {
			t.Errorf("packet %d reads %q, want %q", packet, got, want)
		}
	}
	if len(acked) != len(sizes) || !slices.Equal(up.acked, up.sent) {
		t.Errorf("%d acknowledgements, and %d for the sideband", len(acked), len(up.acked))
	}
	for _, s := range hidden {
		if slices.Contains(acked, s) {
			t.Errorf("the acknowledgement of packet %d, which had no payload, is not hidden", s)
		}
	}
}

// TestSidebandRejects checks that packets whose length of the sideband's data is missing or
// too large are dropped and counted.
func TestSidebandRejects(t *testing.T) {
	in := &scriptedConn{in: [][]byte{
		makeDatagram(0, ""),
		makeDatagram(1, "x"),
		makeDatagram(2, "x\x02\x00"),
		makeDatagram(3, "x\xff\xff"),
		makeDatagram(4, "xy\x01\x00"),
		makeDatagram(5, "z\x00\x00"),
	}}
	e := NewEndpoint(in)
	s := &recordingSideband{}
	e.SetSideband(s, 0)
	e.Update(0)
	got := receiveAll(e)
	if len(got) != 2 || string(got[0].Payload) != "x" || string(got[1].Payload) != "z" || e.Stats.RejectedRange != 4 {
		t.Errorf("%v, %+v", got, e.Stats)
	}
	if len(s.read) != 2 || string(s.read[0]) != "y" || len(s.read[1]) != 0 {
		t.Errorf("read %q", s.read)
	}
}
