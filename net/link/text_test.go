package link

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawConditions makes conditions that a text may ask for.
func drawConditions(t *rapid.T, d string) Conditions {
	c := Conditions{}
	span := func(name string, least, most time.Duration) time.Duration {
		return time.Duration(rapid.Int64Range(int64(least/time.Microsecond), int64(most/time.Microsecond)).Draw(t, d+name)) * time.Microsecond
	}
	some := func(name string) bool { return rapid.Bool().Draw(t, d+"with "+name) }
	share := func(name string) float64 { return rapid.Float64Range(0, 1).Draw(t, d+name) }
	c.Latency, c.Jitter = span("latency", 0, maxDuration), span("jitter", 0, 10*time.Second)
	c.Shape = Shape(rapid.IntRange(0, len(shapeNames)-1).Draw(t, d+"shape"))
	c.Loss, c.Duplicate, c.Burst = share("loss"), share("duplicate"), rapid.Float64Range(0, 600).Draw(t, d+"burst")
	if some("reorder") {
		c.Reorder, c.ReorderDelay = share("reorder"), span("reorder-delay", time.Microsecond, 10*time.Second)
	}
	if some("spike") {
		c.SpikeChance, c.Spike = share("spike-chance"), span("spike", time.Microsecond, 10*time.Second)
	}
	if some("swing") {
		c.SwingEvery, c.Swing, c.SwingLoss = span("swing-every", time.Millisecond, maxDuration), span("swing", 0, 10*time.Second), share("swing-loss")
	}
	if some("pause") {
		c.PauseEvery = span("pause-every", 0, maxDuration)
		c.Pause = span("pause", 0, c.PauseEvery)
	}
	if some("outage") {
		c.OutageEvery = span("outage-every", 0, maxDuration)
		c.Outage = span("outage", 0, c.OutageEvery)
	}
	if some("bandwidth") {
		c.Bandwidth = rapid.IntRange(1000, 1e9).Draw(t, d+"bandwidth")
		c.Bucket, c.Queue = rapid.IntRange(0, 1e6).Draw(t, d+"bucket"), span("queue", 0, 10*time.Second)
	}
	if some("trace") {
		var samples []sample
		at := time.Duration(0)
		for range rapid.IntRange(1, 20).Draw(t, d+"samples") {
			samples = append(samples, sample{at: at, delay: span("delay", 0, maxDuration), lost: some("loss")})
			if at += 20 * ms; some("gap") {
				at += span("holds", 0, time.Minute)
			}
		}
		var err error
		if c.Trace, err = newTrace(samples, at); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// TestNetworkTextRoundTrip says that Parse of String gives the same
// weather, whatever the weather, and that its seed and its forced faults are no
// part of the text.
func TestNetworkTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Network{Up: drawConditions(t, "up."), Down: drawConditions(t, "down.")}
		if rapid.Bool().Draw(t, "both alike") {
			w.Down = w.Up
		}
		text := w.String()
		if strings.ContainsAny(text, " #\n") {
			t.Fatalf("%q would not survive a tape", text)
		}
		again := Network{Seed: 5, Blackout: time.Second, Up: Conditions{Loss: 1}}
		if err := again.Parse(text); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if again.Seed != 5 || again.Blackout != time.Second {
			t.Fatalf("seed %d, dark %v", again.Seed, again.Blackout)
		}
		again.Seed, again.Blackout = 0, 0
		if !reflect.DeepEqual(w, again) {
			t.Fatalf("%q became %q", text, again.String())
		}
		if (w.Up == w.Down) != (again.Up == again.Down) && w.Up == w.Down {
			t.Fatalf("%q: what was alike is not", text)
		}
	})
}

// FuzzParse reads any text. What is refused leaves the weather as it was, in an
// error of bounded length; what is accepted survives its own text, and decides
// every fate within bounds.
func FuzzParse(f *testing.F) {
	for _, p := range Profiles {
		w := Network{Up: p.Up, Down: p.Down}
		f.Add(p.Name, int64(0))
		f.Add(w.String(), int64(time.Hour))
	}
	for _, text := range []string{
		"wifi-bad,up.loss=50%,down.rtt=3us", "bandwidth=1mbit,bucket=3kB,queue=5ms", "swing-every=8s,swing=1s,swing-loss=1e-3",
		"trace=us/20000:5000/-/7,down.trace=none", "loss=0x1p-3,burst=1e2,bandwidth=1_000", "latency=1h,loss=NaN",
	} {
		f.Add(text, int64(tick))
	}
	f.Fuzz(func(t *testing.T, text string, moment int64) {
		w := Network{Seed: 7, Up: Conditions{Loss: 0.1}}
		was := w
		if err := w.Parse(text); err != nil {
			if w != was {
				t.Fatalf("%q was refused, and changed the weather", text)
			}
			if len(err.Error()) > 1500+4*len(text) { // a byte may be quoted as four
				t.Fatalf("%q: an error of %d bytes", text, len(err.Error()))
			}
			return
		}
		again := Network{Seed: 7}
		if err := again.Parse(w.String()); err != nil {
			t.Fatalf("%q became %q: %v", text, w.String(), err)
		}
		if !reflect.DeepEqual(w, again) {
			t.Fatalf("%q became %q and then %q", text, w.String(), again.String())
		}
		now := time.Duration(moment & (1<<52 - 1)) // 52 days
		for _, d := range []Direction{Up, Down} {
			fate := w.Outcome(d, 0, now, 0)
			if fate != w.Outcome(d, 0, now, 0) {
				t.Fatalf("%q: two fates of one datagram", text)
			}
			// No shape goes beyond 36 times its scale.
			if most := 3*maxDuration + 40*10*time.Second + maxDuration; fate.Delay < 0 || fate.DuplicateDelay < 0 || fate.Delay > most || fate.DuplicateDelay > most {
				t.Fatalf("%q: %+v", text, fate)
			}
		}
	})
}
