package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
)

const comparisonTable = "comparisons.txt" // in testdata

// TestComparisonsStayTheSame compares the first 8 seconds of every pane of every comparison
// with a table: digests of worlds and drawn poses, of all datagrams, and of the score. No
// digest covers a name, so renaming does not change the table.
func TestComparisonsStayTheSame(t *testing.T) {
	experiment.Skip(t)
	if testing.Short() {
		t.Skip("runs all comparisons")
	}
	list, err := newProgram(testEnvironment(nil, t.Output(), t.Output())).library.Comparisons()
	if err != nil {
		t.Fatal(err)
	}
	lines := make([][]string, len(list))
	t.Run("play", func(t *testing.T) {
		for i := range list {
			t.Run(list[i].Name, func(t *testing.T) {
				t.Parallel()
				lines[i] = comparisonDigests(t, list[i].Name, 8)
			})
		}
	})
	got := slices.Concat(lines...)
	if golden.Updating() {
		golden.Write(t, comparisonTable, strings.Join(got, "\n")+"\n")
	}
	want := strings.Split(strings.TrimSpace(golden.Read(t, comparisonTable)), "\n")
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("the table lacks   %s", line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("the table has %s", line)
		}
	}
}

// comparisonDigests runs a comparison and returns a line of the table for each pane.
func comparisonDigests(t *testing.T, name string, seconds float64) (lines []string) {
	p := newProgram(testEnvironment(nil, t.Output(), t.Output()))
	session, err := p.newPlan(SessionFlags{Compare: name, Seconds: seconds}, "")
	if err != nil {
		t.Fatal(err)
	}
	l := lab.New(session.Config)
	sent := map[*lab.Pane]*uint64{}
	l.Tap = func(p *lab.Pane, seat int, d link.Direction, now time.Duration, datagram []byte) {
		h := sent[p]
		if h == nil {
			h = new(uint64)
			sent[p] = h
		}
		mixHash(h, uint64(seat)<<8|uint64(d))
		mixHash(h, uint64(now))
		mixHash(h, uint64(len(datagram)))
		for _, b := range datagram {
			mixHash(h, uint64(b))
		}
	}
	for _, spec := range session.Panes {
		if _, err := l.Open(spec); err != nil {
			t.Fatal(err)
		}
	}
	for i := range session.Ticks(0) {
		if err := l.Tick(session.Entry(i)); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range l.Panes {
		var scored uint64
		for _, m := range p.Measures(nil) {
			known := uint64(0)
			if m.OK {
				known = 1 + math.Float64bits(m.Value)
			}
			mixHash(&scored, known)
		}
		lines = append(lines, fmt.Sprintf("%s %d world %016x sent %016x score %016x", name, i+1, p.Hash(), *sent[p], scored))
	}
	return lines
}

// mixHash adds a number to a running digest.
func mixHash(h *uint64, word uint64) {
	x := (*h ^ word) * 0x9E3779B97F4A7C15
	*h = x ^ x>>32
}
