package cli

import (
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
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
	list := comparisons(t)
	lines := make([][]string, len(list))
	t.Run("play", func(t *testing.T) {
		for i := range list {
			t.Run(list[i].Name, func(t *testing.T) {
				t.Parallel()
				r := runComparison(&list[i])
				if r.err != nil {
					t.Fatal(r.err)
				}
				lines[i] = r.digests
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

// mixHash adds a number to a running digest.
func mixHash(h *uint64, word uint64) {
	x := (*h ^ word) * 0x9E3779B97F4A7C15
	*h = x ^ x>>32
}
