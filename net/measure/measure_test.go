package measure

import (
	"math"
	"strings"
	"testing"
	"time"

	"ghostcube/net/link"
)

// otherClock is a wire whose user has another clock.
type otherClock struct {
	link.Wire
	offset time.Duration
	drift  float64
}

func (w *otherClock) of(now time.Duration) time.Duration {
	return now + w.offset + time.Duration(w.drift*float64(now))
}

// measured is a wire of the echo that turns its times into those of the other clock. now is that of the link.
type measuredWire struct {
	*otherClock
	now time.Duration
}

func (w *measuredWire) Send(_ time.Duration, b []byte) error { return w.Wire.Send(w.now, b) }

func (w *measuredWire) Receive(time.Duration) (link.Datagram, bool) {
	d, ok := w.Wire.Receive(w.now)
	d.ReceivedAt = w.of(d.ReceivedAt)
	return d, ok
}

// measure measures a simulated link for a minute at 60 probes a second, with a clock at the other end that is hours away
// and 80 ppm faster.
func measure(t *testing.T, conditions string) (*Result, *link.End) {
	t.Helper()
	n := &link.Network{}
	if err := n.Parse(conditions); err != nil {
		t.Fatal(err)
	}
	client, server := link.Pair(n, 0)
	p := NewProber(client, Config{Count: 3600, Interval: 16667 * time.Microsecond, Size: 100})
	var e Echo
	far := &measuredWire{otherClock: &otherClock{Wire: server, offset: 5 * time.Hour, drift: 80e-6}}
	for now := time.Duration(0); p.Progress(now) < 1; now += time.Millisecond {
		far.now = now
		if err := e.Tick(far.of(now), far); err != nil {
			t.Fatal(err)
		}
		if err := p.Tick(now); err != nil {
			t.Fatal(err)
		}
	}
	return p.Result(), client
}

// near fails if a figure is not within five per cent of another, or within some units of it.
func near(t *testing.T, what string, got, want, slack float64) {
	t.Helper()
	if math.Abs(got-want) > max(math.Abs(want)/20, slack) {
		t.Errorf("%s: %.4g, want %.4g", what, got, want)
	}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

// TestKnownConditions measures links of known conditions: figures are within five per cent of what the link did, and the
// drift of the other clock within 3 ppm.
func TestKnownConditions(t *testing.T) {
	for _, conditions := range []string{
		"latency=40ms",
		"latency=75ms,jitter=10ms,loss=5%",
		"up.latency=20ms,down.latency=60ms,jitter=5ms,shape=gamma,up.loss=10%,down.loss=3%,burst=4",
		"latency=30ms,reorder=5%,reorder-delay=40ms",
	} {
		t.Run(conditions, func(t *testing.T) {
			r, end := measure(t, conditions)
			up, down := end.Counters(link.Up), end.Counters(link.Down)
			near(t, "round trip", ms(r.RoundTrip.Mean), ms(up.Delay.Mean()+down.Delay.Mean()), 1)
			near(t, "drift", r.Drift, 80e-6, 3e-6)
			for _, x := range []struct {
				name string
				got  *Direction
				did  *link.Counters
			}{{"up", &r.Up, up}, {"down", &r.Down, down}} {
				// The probes after the measured ones are in the counters, but not in the result.
				near(t, x.name+" lost", x.got.LossRatio(), float64(x.did.Lost)/float64(x.did.Sent), 0.002)
				near(t, x.name+" deviation", ms(x.got.Delay.Deviation), ms(x.did.Delay.Deviation()), 0.6)
				near(t, x.name+" reordered", float64(x.got.Reordered)/float64(x.got.Sent), float64(x.did.Reordered)/float64(x.did.Sent), 0.004)
			}
			if strings.Contains(conditions, "burst=4") {
				near(t, "burst", r.Up.MeanBurst(), 4, 0.5)
			}
		})
	}
}

// TestTraceReplays writes a measurement as traces, and measures links with those: the figures are the same.
func TestTraceReplays(t *testing.T) {
	first, _ := measure(t, "latency=40ms,jitter=8ms,shape=gamma,up.loss=6%,down.loss=3%,burst=3")
	text := func(d *Direction) string {
		var b strings.Builder
		if err := d.WriteTrace(&b, "a test\nof two lines"); err != nil {
			t.Fatal(err)
		}
		trace, err := link.ReadTrace(strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		return trace.String()
	}
	again, _ := measure(t, "up.trace="+text(&first.Up)+",down.trace="+text(&first.Down))
	near(t, "round trip", ms(again.RoundTrip.Mean), ms(first.RoundTrip.Mean), 1)
	near(t, "up lost", again.Up.LossRatio(), first.Up.LossRatio(), 0.002)
	// Answers do not leave at the times of the samples, so that some are met twice and some not at all.
	near(t, "down lost", again.Down.LossRatio(), first.Down.LossRatio(), 0.006)
	near(t, "up deviation", ms(again.Up.Delay.Deviation), ms(first.Up.Delay.Deviation), 0.3)
	near(t, "down deviation", ms(again.Down.Delay.Deviation), ms(first.Down.Delay.Deviation), 0.3)
	near(t, "burst", again.Up.MeanBurst(), first.Up.MeanBurst(), 0.2)
}

// TestLongTrace checks that a long measurement is thinned out and keeps its losses.
func TestLongTrace(t *testing.T) {
	d := Direction{}
	for i := range 30_000 {
		d.samples = append(d.samples, sample{time.Duration(i) * 10 * time.Millisecond, 30 * time.Millisecond, uint32(i)*2654435761>>22 < 205})
	}
	var b strings.Builder
	if err := d.WriteTrace(&b, "long"); err != nil {
		t.Fatal(err)
	}
	trace, err := link.ReadTrace(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got := trace.Length(); got < 299*time.Second || got > 301*time.Second {
		t.Errorf("a trace of %v, want five minutes", got)
	}
	near(t, "lost", float64(strings.Count(b.String(), ",,1"))/float64(trace.Samples()), 205.0/1024, 0.02)
}

// FuzzProber gives a Prober and an Echo any bytes: neither panics, and a result can be made of it.
func FuzzProber(f *testing.F) {
	echo := make([]byte, MinSize)
	echo[0] = kindEcho
	f.Add(echo, echo)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		w := &fake{in: [][]byte{a, b}}
		p := NewProber(w, Config{Count: 3, Interval: time.Millisecond, Size: 100})
		p.Tick(0)
		p.Tick(time.Millisecond)
		w.in = [][]byte{a, b}
		p.Tick(2 * time.Millisecond)
		r := p.Result()
		var text strings.Builder
		r.Up.WriteTrace(&text, "")
		var e Echo
		e.Tick(0, &fake{in: [][]byte{a, b}})
	})
}

// fake is a wire that delivers a list of datagrams.
type fake struct{ in [][]byte }

func (f *fake) Send(time.Duration, []byte) error { return nil }

func (f *fake) Receive(time.Duration) (d link.Datagram, ok bool) {
	if len(f.in) > 0 {
		d, ok = link.Datagram{Bytes: f.in[0]}, true
		f.in = f.in[1:]
	}
	return d, ok
}
