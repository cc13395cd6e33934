//go:build !js || headless

package cli

import (
	"strings"
	"testing"
)

// TestNumbersOfCounters promises counters without powers of ten, and a mean with the decimals of its interval, which has two
// significant digits: -7.4074 ±1.8e+02 says less than -7 ±178.
func TestNumbersOfCounters(t *testing.T) {
	for v, want := range map[float64]string{0: "0", -3: "-3", 12.34567: "12.346", 695110: "695110", 1e6: "1000000", 0.0000123: "0.000012"} {
		if got := counterText(v); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
	interval := func(mean, half float64) string {
		low, high := mean-half, mean+half
		return (&seedMeasure{digits: -1, meanInterval: meanInterval{Mean: &mean, Low: &low, High: &high, N: 3}}).text()
	}
	for _, c := range []struct {
		mean, half float64
		want       string
	}{{-7.4074, 178.3, "-7 ±178"}, {59.667, 13.71, "60 ±14"}, {0.0046627, 0.00761, "0.0047 ±0.0076"}, {1234567.8, 0.5, "1234567.80 ±0.50"}, {4, 0, "4 ±0"}} {
		if got := interval(c.mean, c.half); got != c.want {
			t.Errorf("%v and %v are %s, want %s", c.mean, c.half, got, c.want)
		}
	}
}

// TestBriefTable checks that the table has what a pane has counted beside its corrections, which are 0 where the inputs of
// others are relayed, and that Markdown has the same rows.
func TestBriefTable(t *testing.T) {
	counter := func(name string, v float64) seedMeasure {
		return seedMeasure{name: name, title: name, digits: -1, meanInterval: newMeanInterval([]float64{v})}
	}
	for _, c := range []struct {
		repredicted float64
		markdown    bool
		want        string
	}{
		{118, false, "corrections    0\n  repredictions  118\n"},
		{0, false, "corrections  0\n"},
		{118, true, "|  | rewind |\n|---|---:|\n| **DELAY** |  |\n"},
		{118, true, "| **SIMULATION** |  |\n| corrections | 0 |\n| repredictions | 118 |\n"},
	} {
		s := &seedsResult{heading: "zen", single: true, markdown: c.markdown, Panes: []seedsPane{{Spec: "rewind", Hashes: []string{"1"},
			Counters: seedMeasures{counter("corrections", 0), counter("repredictions", c.repredicted)}}}}
		var out strings.Builder
		need(s.writeBrief(&out))
		text := out.String()
		for strings.Contains(text, "   ") && !c.markdown {
			text = strings.ReplaceAll(text, "   ", "  ")
		}
		want := c.want
		for strings.Contains(want, "   ") && !c.markdown {
			want = strings.ReplaceAll(want, "   ", "  ")
		}
		if !strings.Contains(text, want) || c.repredicted == 0 && strings.Contains(text, "repredictions") {
			t.Errorf("%+v:\n%s", c, text)
		}
	}
}
