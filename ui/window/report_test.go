package window

import (
	"bytes"
	"fmt"
	"testing"

	"ghostcube/ui/plan"
)

// TestReportedHashes promises that a test which drives the window learns the hash of the session after each second, and
// that it is the one of the same session without a window.
func TestReportedHashes(t *testing.T) {
	g := playSettings(t, plan.Settings{Compare: "csp-clean"})
	var report bytes.Buffer
	g.Report = &report
	g.runTicks(t, 150)

	l, err := g.session.Plan.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	want, rate := "", l.Config().Rate
	for i := range 150 {
		if err := l.Tick(g.session.Plan.Entry(i)); err != nil {
			t.Fatal(err)
		}
		if (i+1)%rate == 0 {
			want += fmt.Sprintf("hash %d %016x\n", i+1, l.Hash())
		}
	}
	if report.String() != want {
		t.Errorf("reported\n%swant\n%s", &report, want)
	}
}
