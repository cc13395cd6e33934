package link

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func readTrace(t *testing.T, text string) *Trace {
	t.Helper()
	x, err := ReadTrace(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return x
}

// TestTraceReadsUnits checks that a trace does not depend on the units and order of its
// columns, comments, carriage returns or the start time, and that an RTT is halved.
func TestTraceReadsUnits(t *testing.T) {
	const want = "us/20000:25100/25300/-/30000:24000"
	for _, text := range []string{
		"0,25.1,0\n0.02,25.3,0\n0.04,25,1\n0.06,24,0\n0.09,0,1\n",
		"\uFEFF# a comment\r\n\r\n0.00, 25.1, 0\r\n0.02,25.3,0\r\n0.04,,1\r\n0.06,24,0\r\n0.09,0,1",
		"Time_s,Delay_ms,Lost\n0,25.1,0\n0.02,25.3,0\n# a gap\n0.04,,1\n0.06,24,0\n0.09,,1",
		"lost,rtt_ms,time_ms\n0,50.2,1700000000000\n0,50.6,1700000000020\n1,,1700000000040\n0,48,1700000000060\n1,,1700000000090",
		"delay_us,lost,time_us\n25100,0,5\n25300,0,20005\n,1,40005\n24000,0,60005\n,1,90005",
		"rtt_s,lost,time_s\n0.0502,0,1700000000\n0.0506,0,1700000000.02\n,1,1700000000.04\n0.048,0,1700000000.06\n,1,1700000000.09",
		"time_s,delay_s,lost\n0,0.0251,0\n0.02,0.0253,0\n0.04,,1\n0.06,0.024,0\n0.09,,1",
		"rtt_us,lost,time_us\n50200,0,5\n50600,0,20005\n,1,40005\n48000,0,60005\n,1,90005",
	} {
		x := readTrace(t, text)
		if got := x.String(); got != want+"/-" || x.Samples() != 5 || x.Length() != 120*ms {
			t.Errorf("%q: %s, %d samples of %v", text, got, x.Samples(), x.Length())
		}
	}
	// A lost sample has the delay of the one before it, or else of the next.
	x := readTrace(t, "0,,1\n1,7,0\n2,,1\n3,9,0\n")
	for i, want := range []time.Duration{7 * ms, 7 * ms, 7 * ms, 9 * ms} {
		if got, lost := x.at(time.Duration(i) * time.Second); got != want || lost != (i%2 == 0) {
			t.Errorf("sample %d: %v, lost: %t", i, got, lost)
		}
	}
	// Two columns, and a single sample.
	if got := readTrace(t, "3,7\n").String(); got != "us/1000000:7000" {
		t.Error(got)
	}
	if got := readTrace(t, "time_ms,rtt_ms\n3,7\n4,8").String(); got != "us/1000:3500/4000" {
		t.Error(got)
	}
}

// TestTraceRefuses checks that an error names the line and the column.
func TestTraceRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "no samples",
		"# nothing\n\n":                     "no samples",
		"time_s,delay_ms\n":                 "no samples",
		"time_s,delay_ms,lost\n0,5,2":       "line 2, column 3 (lost): \"2\": want 0 or 1",
		"time_s,delay_ms,lost\n\n0,x,0":     "line 3, column 2 (delay_ms): \"x\": want 0 to 1m0s",
		"0,-1,0":                            "line 1, column 2 (delay_ms)",
		"0,NaN,0":                           "line 1, column 2 (delay_ms)",
		"0,Inf,0":                           "line 1, column 2 (delay_ms)",
		"0,60001,0":                         "line 1, column 2 (delay_ms)",
		"0,,0":                              "line 1, column 2 (delay_ms): empty, but the sample is not lost",
		"0,":                                "line 1, column 2 (delay_ms): empty",
		"0,5\n0,5":                          "line 2, column 1 (time_s): \"0\": want a time at least a microsecond after",
		"1,5\n0.5,5":                        "line 2, column 1 (time_s): \"0.5\": want a time at least a microsecond after",
		"0.0000001,5\n0.0000002,5":          "at least a microsecond after",
		"0,5\n3600,5":                       "line 2, column 1 (time_s): \"3600\": want less than 1h0m0s",
		"-1,5":                              "line 1, column 1 (time_s)",
		"0,5\nNaN,6":                        "line 2, column 1 (time_s)",
		"1e300,5":                           "line 1, column 1 (time_s)",
		"0":                                 "line 1: 1 columns, want 2",
		"0,5,0,9":                           "line 1: 4 columns, want 3",
		"0,5\n1":                            "line 2: 1 columns, want 2",
		"time_s,lost\n0,1":                  "want a time column and a delay or rtt column",
		"time_s,delay_ms,rtt_ms":            "line 1, column 3 (rtt_ms): a second column of this kind",
		"time_s,delay":                      `line 1, column 2: no trace column "delay" (there are time_s,`,
		"0,5\n" + strings.Repeat("9", 2000): "line 2: longer than 1024 bytes",
	} {
		_, err := ReadTrace(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q in it", text, err, want)
		}
	}
	var long strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&long, "0.%04d,%d.5\n", i, 20+i%7)
	}
	const want = "at most 28672 are allowed: shorten or thin out the trace"
	if _, err := ReadTrace(strings.NewReader(long.String())); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// TestTraceIsApplied checks that a datagram meets the last sample at or before the time
// it is sent, and that the trace repeats.
func TestTraceIsApplied(t *testing.T) {
	x := readTrace(t, "0,10\n0.02,20\n0.05,5\n0.06,30")
	w := &Network{Up: Conditions{Latency: 1 * ms, Trace: x}}
	const round = 70 * ms
	for _, c := range []struct{ at, want time.Duration }{
		{0, 11 * ms}, {19999 * time.Microsecond, 11 * ms}, {20 * ms, 21 * ms}, {49 * ms, 21 * ms}, {50 * ms, 6 * ms},
		{60 * ms, 31 * ms}, {69 * ms, 31 * ms}, {round, 11 * ms}, {400000*round + 55*ms, 6 * ms},
	} {
		if f := w.Outcome(Up, 0, c.at, 0); f.Delay != c.want || f.Lost {
			t.Errorf("at %v: %+v, want %v", c.at, f, c.want)
		}
	}
	if f := w.Outcome(Down, 0, 0, 0); f.Delay != 0 {
		t.Errorf("the other direction: %v", f.Delay)
	}
}

// TestTraceAddsToConditions checks that a trace is the same for every seat, that its
// delays are added to the others, and that a datagram is lost if the trace or the other
// conditions lose it.
func TestTraceAddsToConditions(t *testing.T) {
	x := readTrace(t, "0,10,0\n0.1,40,0\n0.2,,1\n0.25,20,0\n")
	plain, with := &Network{Seed: 5}, &Network{Seed: 5}
	if err := plain.Parse("latency=20ms,jitter=5ms,shape=gamma,loss=10%,duplicate=3%"); err != nil {
		t.Fatal(err)
	}
	with.Up, with.Down = plain.Up, plain.Down
	with.Up.Trace, with.Down.Trace = x, x
	lostByTrace := 0
	for i := range 20000 {
		now := time.Duration(i) * tick
		for _, d := range []Direction{Up, Down} {
			delay, lost := x.at(now)
			a, b := plain.Outcome(d, i%3, now, 0), with.Outcome(d, i%3, now, 0)
			if b.Lost != (a.Lost || lost) || b.Delay != a.Delay+delay || b.Duplicated != a.Duplicated || b.Duplicated && b.DuplicateDelay != a.DuplicateDelay+delay {
				t.Fatalf("at %v: %+v without the trace, %+v with it (%v, lost: %t)", now, a, b, delay, lost)
			}
			if lost {
				lostByTrace++
			}
		}
	}
	if lostByTrace < 40000/7 || lostByTrace > 40000/5 { // 50 ms of 300
		t.Errorf("%d of 40000 were lost by the trace", lostByTrace)
	}
}

// TestTraceInNetworkText checks that a network's text contains its traces in full, that
// equal traces of both directions are shared, and that Summary shortens them.
func TestTraceInNetworkText(t *testing.T) {
	var w Network
	if err := w.Parse("cable,trace=us/20000:5012/4980/-,down.loss=0"); err != nil {
		t.Fatal(err)
	}
	if w.Up.Trace == nil || w.Up.Trace != w.Down.Trace {
		t.Fatalf("%v and %v", w.Up.Trace, w.Down.Trace)
	}
	var again Network
	if err := again.Parse(w.String()); err != nil {
		t.Fatal(err)
	}
	if again.Up.Trace == nil || again.Up.Trace.String() != "us/20000:5012/4980/-" {
		t.Errorf("%q became %q", w.String(), again.String())
	}
	if got := w.Summary(); !strings.Contains(got, ",trace=3 samples of 60ms (") || strings.Contains(got, "4980") {
		t.Error(got)
	}
	if err := w.Parse(w.String() + ",up.trace=none"); err != nil || w.Up.Trace != nil || w.Down.Trace == nil {
		t.Errorf("%v, %+v", err, w)
	}
	if got := w.String(); !strings.Contains(got, "down.trace=us/20000:5012/4980/-") || strings.Contains(got, "up.trace") {
		t.Error(got)
	}
	for text, want := range map[string]string{
		"trace=":                  "want none, or samples",
		"trace=wifi.csv":          "want none, or samples",
		"trace=us/":               "want none, or samples",
		"trace=us/5":              "want a duration first",
		"trace=us/0:5":            "want a duration of 1 to",
		"trace=us/x:5":            "want a duration of 1 to",
		"trace=us/10:5/x":         "sample 2",
		"trace=us/10:60000001":    "sample 1",
		"trace=us/10:-5":          "sample 1",
		"trace=us/3600000000:5/6": "longer than 1h0m0s",
		"trace=us/9:" + strings.Repeat("1/", 20000) + "1": "28672",
	} {
		if err := new(Network).Parse(text); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 250 {
			t.Errorf("%.40q: %v, want %q in it", text, err, want)
		}
	}
}

// FuzzReadTrace reads arbitrary text. An accepted trace must be within bounds, have a
// delay at every time, and survive its own text form.
func FuzzReadTrace(f *testing.F) {
	f.Add("time_s,delay_ms,lost\n0,25.1,0\n0.02,,1\n# x\n0.04,3,0\n", int64(20*ms))
	f.Add("lost,rtt_us,time_us\n1,,9\n0,7,10\n", int64(0))
	f.Add("0,1\n1,2", int64(time.Hour))
	f.Fuzz(func(t *testing.T, text string, moment int64) {
		x, err := ReadTrace(strings.NewReader(text))
		if err != nil {
			if len(err.Error()) > 400 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		if len(x.String()) > maxTraceText || x.Length() <= 0 || x.Length() > maxTraceLength || x.Samples() > len(text) {
			t.Fatalf("%d samples of %v, %d bytes", x.Samples(), x.Length(), len(x.String()))
		}
		if delay, _ := x.at(time.Duration(moment & (1<<62 - 1))); delay < 0 || delay > maxDuration {
			t.Fatalf("a delay of %v", delay)
		}
		again, err := parseTrace(x.String())
		if err != nil {
			t.Fatalf("%q: %v", x.String(), err)
		}
		if again.String() != x.String() || again.Length() != x.Length() || again.Samples() != x.Samples() {
			t.Fatalf("%q became %q", x.String(), again.String())
		}
		for i := range again.samples {
			if again.samples[i] != x.samples[i] {
				t.Fatalf("sample %d: %+v became %+v", i, x.samples[i], again.samples[i])
			}
		}
	})
}
