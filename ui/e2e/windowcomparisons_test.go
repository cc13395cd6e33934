//go:build e2e && !headless

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/ui/plan"
)

// comparisonFolder is the environment variable with the folder for the screenshots of TestWindowComparisons.
const comparisonFolder = "GHOSTCUBE_COMPARISON_SHOTS"

// TestWindowComparisons finds eight comparisons, drawn at random, in the panel's list and clicks each. It promises that each is
// shown and comes to its moment, and reports how long after the click, which depends on the machine.
func TestWindowComparisons(t *testing.T) {
	folder := os.Getenv(comparisonFolder)
	if folder == "" && !experiment.Long() {
		t.Skip("a part of .ci/long")
	}
	library := plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons}
	list, err := library.Comparisons()
	if err != nil {
		t.Fatal(err)
	}
	d := startWindow(t, "--size", "1280x720")
	for n, k := range rand.New(rand.NewPCG(34, 8)).Perm(len(list))[:8] {
		c := &list[k]
		d.openPage("Compare")
		d.tap("filter comparisons")
		d.xdotool(typing(c.Name)...)
		for range 3 { // the list is as it remains
			d.waitFrames()
		}
		d.waitUntil("comparison in the list", func(s windowState) bool { _, listed := s.controls["compare "+c.Name]; return listed })
		start := time.Now()
		d.click("compare " + c.Name)
		p, err := library.New(plan.Settings{Compare: c.Name}, plan.Settings{}, "")
		if err != nil {
			t.Fatal(err)
		}
		moment := int(c.Moment * float64(p.Config.Rate))
		first := d.waitUntil("its picture", func(s windowState) bool { // the button is below the comparison that is shown
			return s.controls["from the start"].Min.Y > s.controls["compare "+c.Name].Max.Y && s.tick > 1
		})
		shown := time.Since(start)
		d.waitUntil("its moment", func(s windowState) bool { return s.tick >= moment })
		t.Logf("%s: tick %d of %d is shown %.1f s after the click, the moment after %.1f s", c.Name, first.tick, moment, shown.Seconds(),
			time.Since(start).Seconds())
		if folder != "" {
			d.shot(filepath.Join(folder, fmt.Sprintf("%d-%s.png", n+1, c.Name)))
		}
	}
	d.interrupt()
}
