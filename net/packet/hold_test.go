package packet

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestHold checks that payloads that are held are not acknowledged, that Release delivers them in order from
// the stated number on, with those that arrive until they are read, and that payloads of earlier numbers never
// arrive, also if they are late. A copy delivers the same.
func TestHold(t *testing.T) {
	a, b := newPair(t, "latency=20ms,jitter=15ms", 3)
	now := time.Duration(0)
	send := func() {
		a.Update(now)
		a.Send(fmt.Append(nil, a.next))
		now += tick
		b.Update(now)
	}
	numbers := func(e *Endpoint) (list []Sequence) {
		for _, p := range receiveAll(e) {
			if got := fmt.Sprint(p.Sequence); got != string(p.Payload) {
				t.Fatalf("packet %s has payload %s", got, p.Payload)
			}
			list = append(list, p.Sequence)
		}
		return list
	}
	for range 10 {
		send()
		receiveAll(b)
	}
	first := a.next
	b.Hold(false)
	for range 20 {
		send()
		b.Send(nil)
		if got := numbers(b); len(got) > 0 {
			t.Fatalf("packets %v while the endpoint holds them", got)
		}
	}
	for range 10 { // for the acknowledgements
		a.Update(now)
		for _, s := range a.Acks() {
			if s >= first {
				t.Errorf("packet %d is acknowledged, which was held", s)
			}
		}
		now += tick
	}
	low, ok := b.Expand(uint16(first))
	if !ok || low != first {
		t.Fatalf("Expand returns %d, %v", low, ok)
	}
	if _, ok := b.Expand(uint16(first + 1000)); ok {
		t.Error("a number that no packet has had yet is believed")
	}
	b.Release(first)
	c := NewEndpoint(&recorder{})
	c.CopyFrom(b)
	if x, y := numbers(c), numbers(b); !slices.Equal(x, y) || len(x) < 15 || slices.Min(x) < first {
		t.Errorf("released %v and %v, want all from %d on", x, y, first)
	}
	b.Hold(true)
	send()
	for range 5 {
		now += tick
		b.Update(now)
	}
	b.Release(0)
	if got := numbers(b); len(got) > 0 {
		t.Errorf("packets %v were discarded", got)
	}
	limit := a.next + 3
	b.IgnoreBefore(limit)
	var got []Sequence
	for range 20 {
		send()
		got = append(got, numbers(b)...)
	}
	if len(got) < 10 || slices.Min(got) < limit {
		t.Errorf("received %v, want none before %d", got, limit)
	}
}

// TestIgnoredInInbox checks that a packet of an earlier life that has arrived together with the news of that is not
// received either.
func TestIgnoredInInbox(t *testing.T) {
	a, b := newPair(t, "perfect", 1)
	for range 3 {
		a.Send([]byte{1})
	}
	if b.Update(time.Second); len(b.inbox) < 3 {
		t.Fatal("nothing has arrived")
	}
	b.Receive()
	b.IgnoreBefore(a.next - 1)
	if got := receiveAll(b); len(got) != 1 || got[0].Sequence != a.next-1 {
		t.Errorf("received %v", got)
	}
}

// TestHeldPacketsAreBounded checks that the oldest of too many held packets are dropped.
func TestHeldPacketsAreBounded(t *testing.T) {
	a, b := newPair(t, "perfect", 1)
	now := time.Duration(0)
	b.Hold(false)
	for range 300 {
		a.Update(now)
		a.Send(pattern(40000, 1))
		now += tick
		b.Update(now)
	}
	b.Release(0)
	total, oldest := 0, a.next
	for _, p := range receiveAll(b) {
		total, oldest = total+len(p.Payload), min(oldest, p.Sequence)
	}
	if total > maxHeldBytes || total < maxHeldBytes/2 || oldest < 50 {
		t.Errorf("%d bytes were held, from packet %d on", total, oldest)
	}
}
