package trace

import (
	"fmt"
	"testing"
	"time"
	"unsafe"

	"ghostcube/net/link"
	"ghostcube/net/packet"
)

// TestRecordSize promises a compact record.
func TestRecordSize(t *testing.T) {
	if n := unsafe.Sizeof(Record{}); n > 48 {
		t.Errorf("a record has %d bytes", n)
	}
}

// fill sends datagrams with numbers from first to last, a number of them each tick of 1/60 s, of a size that
// depends on the number.
func fill(l *Log, first, last, perTick int) {
	b := make([]byte, packet.MaxDatagram)
	for n := first; n <= last; n++ {
		at := time.Duration(n/perTick) * time.Second / 60
		b[0], b[1], b[2] = byte(n), byte(n>>8), byte(n>>16)
		sending := link.Sending{Number: uint64(n), SentAt: at, Arrival: at + time.Second}
		header := &packet.Header{Sequence: uint16(n)}
		l.Flow(0, link.Down).AddSending(Sent{Header: header, Sending: sending}, b[:3+n%900])
	}
}

// check compares all that a flow remembers with what fill sent.
func check(f *Flow, last int) error {
	for i := f.First(); i < f.Total(); i++ {
		n := last - (f.Total() - 1 - i)
		if r := f.At(i); int(r.Number) != n || int(r.Size) != 3+n%900 {
			return fmt.Errorf("record %d of %d is %+v, want number %d", i, f.Total(), *r, n)
		}
		if b, ok := f.AppendBytes(nil, i); ok && (len(b) != 3+n%900 || b[0] != byte(n) || b[1] != byte(n>>8) || b[2] != byte(n>>16)) {
			return fmt.Errorf("bytes of record %d: %d, %v", i, len(b), b[:3])
		}
	}
	return nil
}

// TestBounds fills a log for two hours of a session at 60 datagrams a second, and for a minute at 2400, and checks
// that its memory stays bounded, that it remembers what it promises, and that it then allocates nothing.
func TestBounds(t *testing.T) {
	for _, c := range []struct{ perTick, count int }{{1, 2 * 3600 * 60}, {40, 60 * 60 * 40}} {
		var l Log
		f := l.Flow(0, link.Down)
		next := 1
		for next < c.count {
			fill(&l, next, next+c.count/50, c.perTick)
			next += c.count/50 + 1
			if err := check(f, next-1); err != nil {
				t.Fatal(err)
			}
		}
		now := f.At(f.Total() - 1).SentAt
		tooYoung := now-f.At(f.First()).SentAt < MaxAge
		tooMany := len(f.ring) > 4*int(MaxAge/time.Second)*60*c.perTick
		if len(f.ring) > MaxRecords || len(f.bytes) > MaxBytes || len(f.ring) != MaxRecords && (tooYoung || tooMany) {
			t.Errorf("%d records with %d bytes since %v, now %v", len(f.ring), len(f.bytes), f.At(f.First()).SentAt, now)
		}
		if len(f.bytes) < MaxBytes && now-f.At(f.firstKept).SentAt < MaxAge {
			t.Errorf("%d bytes since %v, now %v", len(f.bytes), f.At(f.firstKept).SentAt, now)
		}
		if n := testing.AllocsPerRun(1000, func() {
			fill(&l, next, next, c.perTick)
			next++
		}); n > 1 { // fill's own buffer
			t.Errorf("%v allocations for a datagram", n)
		}
	}
}

// TestQueries looks for records by time, sequence and packet.
func TestQueries(t *testing.T) {
	var l Log
	fill(&l, 1, 600, 1)
	f := l.Flow(0, link.Down)
	first, end := f.Span(5*time.Second, 6*time.Second)
	if end-first != 60 || f.At(first).Number != 300 || f.At(end-1).Number != 359 {
		t.Errorf("%d to %d", first, end)
	}
	if i, ok := f.Find(400, 10*time.Second); !ok || f.At(i).Number != 400 {
		t.Error(i, ok)
	}
	if i, ok := f.Find(400, 6*time.Second); ok {
		t.Error("found before it was sent", i)
	}
	at := 20 * time.Second
	for id := range 3 {
		header := &packet.Header{Sequence: 1000, IsFragment: true, FragmentID: id, FragmentCount: 3}
		sending := link.Sending{Number: uint64(601 + id), SentAt: at}
		l.Flow(0, link.Down).AddSending(Sent{Header: header, Sending: sending}, nil)
	}
	for i := 600; i < 603; i++ {
		if first, end := f.PacketOf(i); first != 600 || end != 603 {
			t.Errorf("datagram %d is of %d to %d", i, first, end)
		}
	}
	if first, end := f.PacketOf(599); first != 599 || end != 600 {
		t.Error(first, end)
	}

	// The strategy restarts: numbers begin again, and an arrival from before changes nothing.
	l.Flow(0, link.Down).AddSending(Sent{Header: &packet.Header{}, Sending: link.Sending{Number: 1, SentAt: at}}, nil)
	l.Flow(0, link.Down).AddArrival(link.Datagram{Number: 500}, packet.Accepted)
	l.Flow(0, link.Down).AddArrival(link.Datagram{Number: 1, Reordered: true}, packet.Stale)
	for i := range f.Total() {
		if r := f.At(i); r.Flags.Has(Received) != (i == 603) || i == 603 && (!r.Flags.Has(Reordered) || r.Result != packet.Stale) {
			t.Errorf("%+v", *r)
		}
	}
}
