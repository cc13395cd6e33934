//go:build !js || headless

package cli

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/predict/score"
)

const comparisonTable = "comparisons.txt" // in testdata

// TestComparisonsStayTheSame compares the first 8 seconds of every pane of every comparison
// with a table: digests of worlds and drawn poses, of all datagrams, and of the measures that the table's first line names. No
// digest covers a name, so renaming does not change the table. Those that isPlayed leaves out it plays if the table lacks them.
func TestComparisonsStayTheSame(t *testing.T) {
	table := golden.Read(t, comparisonTable)
	list := comparisons(t)
	lines := make([][]string, len(list))
	t.Run("play", func(t *testing.T) {
		for i := range list {
			if !isPlayed(&list[i]) {
				if lines[i] = linesOf(table, list[i].Name); lines[i] != nil {
					continue
				}
			}
			t.Run(list[i].Name, func(t *testing.T) {
				t.Parallel()
				r := runComparison(&list[i])
				need(r.err)
				lines[i] = r.digests
			})
		}
	})
	head, _, _ := strings.Cut(table, "\n")
	if golden.Updating() {
		head = measuresLine()
	}
	golden.Table(t, comparisonTable, slices.Concat([]string{head}, slices.Concat(lines...)), experiment.Enabled(), func(line string) string {
		fields := strings.Fields(line)
		return fields[0] + " " + fields[1] // the comparison and the pane
	})
}

// linesOf returns the lines of a comparison in a table.
func linesOf(table, name string) (lines []string) {
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, name+" ") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// measuresLine returns the first line of the table: the names of all measures.
func measuresLine() string {
	line := "measures of-the-score"
	for _, d := range score.Definitions {
		line += " " + strings.Join(measureNames(d), " ")
	}
	return line
}

// digestedMeasures are the names of the measures that the table's digests cover. A new one is not among them until -update.
var digestedMeasures = sync.OnceValue(func() map[string]bool {
	line := measuresLine()
	if b, err := os.ReadFile("testdata/" + comparisonTable); err == nil && !golden.Updating() {
		line, _, _ = strings.Cut(string(b), "\n")
	}
	names := map[string]bool{}
	for _, name := range strings.Fields(line)[2:] {
		names[name] = true
	}
	return names
})

// mixHash adds a number to a running digest.
func mixHash(h *uint64, word uint64) {
	x := (*h ^ word) * 0x9E3779B97F4A7C15
	*h = x ^ x>>32
}
