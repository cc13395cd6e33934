package link

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawConditions returns conditions that text can express.
func drawConditions(t *rapid.T, d string) Conditions {
	c := Conditions{}
	duration := func(name string, least, most time.Duration) time.Duration {
		return time.Duration(rapid.Int64Range(int64(least/time.Microsecond), int64(most/time.Microsecond)).Draw(t, d+name)) * time.Microsecond
	}
	has := func(name string) bool { return rapid.Bool().Draw(t, d+"with "+name) }
	probability := func(name string) float64 { return rapid.Float64Range(0, 1).Draw(t, d+name) }
	c.Latency, c.Jitter = duration("latency", 0, maxDuration), duration("jitter", 0, 10*time.Second)
	c.Shape = Shape(rapid.IntRange(0, len(shapeNames)-1).Draw(t, d+"shape"))
	c.Loss, c.Duplicate, c.Burst = probability("loss"), probability("duplicate"), rapid.Float64Range(0, 600).Draw(t, d+"burst")
	c.Corrupt, c.Foreign = probability("corrupt"), probability("foreign")
	if has("reorder") {
		c.Reorder, c.ReorderDelay = probability("reorder"), duration("reorder-delay", time.Microsecond, 10*time.Second)
	}
	if has("spike") {
		c.SpikeChance, c.Spike = probability("spike-chance"), duration("spike", time.Microsecond, 10*time.Second)
	}
	if has("swing") {
		c.SwingEvery, c.Swing, c.SwingLoss = duration("swing-every", time.Millisecond, maxDuration), duration("swing", 0, 10*time.Second), probability("swing-loss")
	}
	if has("pause") {
		c.PauseEvery = duration("pause-every", 0, maxDuration)
		c.Pause = duration("pause", 0, c.PauseEvery)
	}
	if has("outage") {
		c.OutageEvery = duration("outage-every", 0, maxDuration)
		c.Outage = duration("outage", 0, c.OutageEvery)
	}
	if has("bandwidth") {
		c.Bandwidth = rapid.IntRange(1000, 1e9).Draw(t, d+"bandwidth")
		c.Bucket, c.Queue = rapid.IntRange(0, 1e6).Draw(t, d+"bucket"), duration("queue", 0, 10*time.Second)
	}
	if has("trace") {
		var samples []sample
		at := time.Duration(0)
		for range rapid.IntRange(1, 20).Draw(t, d+"samples") {
			samples = append(samples, sample{at: at, delay: duration("delay", 0, maxDuration), lost: has("loss")})
			if at += 20 * ms; has("gap") {
				at += duration("holds", 0, time.Minute)
			}
		}
		var err error
		if c.Trace, err = newTrace(samples, at); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// TestNetworkTextRoundTrip checks that Parse inverts String, and that the seed and the
// blackout are not part of the text.
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
			t.Fatalf("seed %d, blackout %v", again.Seed, again.Blackout)
		}
		again.Seed, again.Blackout = 0, 0
		if !reflect.DeepEqual(w, again) {
			t.Fatalf("%q became %q", text, again.String())
		}
		if (w.Up == w.Down) != (again.Up == again.Down) && w.Up == w.Down {
			t.Fatalf("%q: the directions are no longer equal", text)
		}
	})
}

// FuzzParse parses arbitrary text. Rejected text must leave the network unchanged, with
// an error of bounded length. Accepted text must survive its own text form, with all
// outcomes in bounds.
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
		before := w
		if err := w.Parse(text); err != nil {
			if w != before {
				t.Fatalf("%q was refused, but changed the network", text)
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
			outcome := w.Outcome(d, 0, now, 0)
			if outcome != w.Outcome(d, 0, now, 0) {
				t.Fatalf("%q: two outcomes of one datagram", text)
			}
			// No shape exceeds 36 times its scale.
			const limit = 3*maxDuration + 40*10*time.Second + maxDuration
			if min(outcome.Delay, outcome.DuplicateDelay) < 0 || max(outcome.Delay, outcome.DuplicateDelay) > limit {
				t.Fatalf("%q: %+v", text, outcome)
			}
		}
	})
}
