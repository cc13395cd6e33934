package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
)

// TestAddressFollowsSession promises that a page is told the address, the title and the state of its session whenever one of them
// changes, that a session that begins has a way back to the one before, and that what happens in a session has none.
func TestAddressFollowsSession(t *testing.T) {
	g := playSettings(t, plan.Settings{Compare: "csp-redundancy"})
	g.Platform.InPage = true
	var calls []string
	g.Platform.SetAddress = func(query string, another bool) { calls = append(calls, fmt.Sprint(query, " ", another)) }
	g.Platform.Describe = func(title, state string) { calls = append(calls, title+" = "+strings.TrimPrefix(state, title)) }
	update := func(want ...string) {
		t.Helper()
		calls = nil
		g.Links.addressAt = time.Time{}
		g.Links.UpdateAddress()
		if !slices.Equal(calls, want) {
			t.Errorf("the page is told %q, want %q", calls, want)
		}
	}
	const redundancy, clean = "Redundant inputs at 25 % loss: without and with", "Prediction and rewind at 75 ms, no loss: no corrections"
	update("?compare=csp-redundancy false", redundancy+" = , playing")
	update()
	g.runTicks(t, 8*64)
	g.Paused = true
	update("?compare=csp-redundancy&at=8s false", redundancy+" = , paused at 8.00 s; pops per minute: 291 in pane 1, 0 in pane 2")
	start := func(name string) {
		t.Helper()
		g.StartComparison(name)
		if _, err := g.StartNext(); err != nil {
			t.Fatal(err)
		}
	}
	start("csp-clean")
	update("?compare=csp-clean true", clean+" = , playing")
	start("csp-clean")
	update()
	g.Do(stage.Show("graphs", "off"))
	update("?compare=csp-clean&show=graphs=off false")
}
