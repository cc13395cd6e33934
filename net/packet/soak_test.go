package packet

import (
	"encoding/binary"
	"os"
	"strconv"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// soakCounts are the totals of a soak.
type soakCounts struct {
	packets, delivered, acked                      int
	corrupt, deliveredTwice, falseAcks, ackedTwice int
}

// soak sends a packet each way in every tick over a network and counts what arrives.
func soak(t *testing.T, n *soakCounts, seed uint64, ticks int, network string, largest int) {
	a, b := newPair(t, network, seed)
	ends := [2]*Endpoint{a, b}
	starts := [2]Sequence{Sequence(seed*977) & 0xffff, Sequence(65536 - 100 - seed)}
	var delivered, acked [2][]bool // by packet, in order of sending; delivered: at the other end
	for i, e := range ends {
		e.next = starts[i]
		delivered[i], acked[i] = make([]bool, ticks), make([]bool, ticks)
	}
	buffer := make([]byte, max(largest, 8))
	fill := func(from, id int) []byte { // payload unique to the packet
		size := 8 + (id*7919+from*13)%(max(largest, 9)-8)
		p := buffer[:size]
		x := uint64(id)<<1 | uint64(from)
		for i := 0; i+8 <= size; i += 8 {
			binary.LittleEndian.PutUint64(p[i:], x)
			x = x*6364136223846793005 + 1442695040888963407
		}
		for i := size &^ 7; i < size; i++ {
			p[i] = byte(id + i)
		}
		return p
	}
	for i := range ticks {
		for k, e := range ends {
			e.Update(time.Duration(i) * tick)
			for p, ok := e.Receive(); ok; p, ok = e.Receive() {
				n.delivered++
				id := -1
				if len(p.Payload) >= 8 {
					id = int(binary.LittleEndian.Uint64(p.Payload) >> 1)
				}
				if id < 0 || id >= ticks || string(p.Payload) != string(fill(1-k, id)) {
					n.corrupt++
					continue
				}
				if delivered[1-k][id] {
					n.deliveredTwice++
				}
				delivered[1-k][id] = true
			}
			for _, q := range e.Acks() {
				n.acked++
				id := int(q - starts[k])
				if !delivered[k][id] {
					n.falseAcks++
				}
				if acked[k][id] {
					n.ackedTwice++
				}
				acked[k][id] = true
			}
			e.Send(fill(k, i))
		}
	}
	n.packets += 2 * ticks
}

// TestSoak sends packets both ways under 50 % loss, 30 % duplication, reordering by up
// to 200 packets and 1 % damage, for a hundred seeds, with sequence numbers about to
// wrap. There must be no false or repeated acknowledgement, and no packet delivered
// twice or damaged. Fragmented packets have a soak of their own with less loss, which
// few of them would survive.
//
// GHOSTCUBE_SOAK is the number of packets that each side sends per seed; 70000 is more
// than a wrap and takes about ten seconds.
func TestSoak(t *testing.T) {
	seeds, ticks := uint64(100), 2000
	if experiment.Brief() {
		seeds = 10
	}
	if v := os.Getenv("GHOSTCUBE_SOAK"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1000 {
			t.Fatalf("GHOSTCUBE_SOAK=%s: want a number of packets from 1000", v)
		}
		ticks = n
	}
	for _, c := range []struct {
		name, network string
		largest       int
		part          int     // divides ticks, for similar run times
		least         float64 // minimum share of packets delivered
	}{
		{"small", "loss=50%,duplicate=30%,latency=1700ms,jitter=1700ms,corrupt=1%", 64, 1, 0.45},
		{"fragments", "loss=10%,duplicate=30%,latency=300ms,jitter=300ms,corrupt=1%", 8 * FragmentBytes, 10, 0.5},
		{"clean", "perfect", 300, 4, 1},
	} {
		var n soakCounts
		for seed := range seeds {
			soak(t, &n, seed, ticks/c.part, c.network, c.largest)
		}
		t.Logf("%s: %d seeds, %+v", c.name, seeds, n)
		if n.corrupt+n.deliveredTwice+n.falseAcks+n.ackedTwice != 0 {
			t.Errorf("%s: %+v", c.name, n)
		}
		if slack := float64(2 * seeds); float64(n.delivered) < c.least*float64(n.packets)-slack || n.acked < n.delivered/10 {
			t.Errorf("%s: only %d of %d delivered and %d acked", c.name, n.delivered, n.packets, n.acked)
		}
	}
}
