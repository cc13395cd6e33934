package session

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
)

// TestTapeSoFar promises that the tape of a session that goes on is complete, and that it verifies: after a tick and
// commands that no tick has seen, after a second has passed, and while the past is shown. The session's own tape goes on
// undisturbed.
func TestTapeSoFar(t *testing.T) {
	g := newTestSession(t, "rewind", "snapshot")
	g.Platform.InPage = true
	g.Files.DeliverTape()
	if n := len(g.Notices.list); n != 1 || !strings.Contains(g.Notices.list[0].text, "no tick") {
		t.Errorf("notices %v", g.Notices.list)
	}
	check := func(ticks int) {
		t.Helper()
		b, err := g.Files.tapeSoFar()
		if err != nil {
			t.Fatal(err)
		}
		read, err := tape.Read(bytes.NewReader(b))
		if err != nil || read.Truncated || len(read.Entries) != ticks {
			t.Fatalf("%v: %d ticks, want %d: %s", err, len(read.Entries), ticks, b)
		}
		if last := read.HashChecks[len(read.HashChecks)-1]; last.Ticks != ticks {
			t.Errorf("the last hashes are of tick %d of %d", last.Ticks, ticks)
		}
		verify(t, read)
	}
	g.runTicks(t, 1)
	check(1)
	g.in.Inputs = [2]sim.Input{{Buttons: sim.Forward}}
	g.runTicks(t, 30)
	g.Controls.NudgeServer() // on no tick yet
	check(31)
	g.runTicks(t, 29)
	check(60)
	g.runTicks(t, 43)
	g.Past.SeekFully(50)
	check(103)
	g.Past.GoLive()
	g.runTicks(t, 7)
	check(110)
	g.Files.DeliverTape()
	files, err := filepath.Glob(filepath.Join(g.OutDir, "tape-*.tape"))
	if err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}

// TestPageRefusals promises that a page says why it writes no video of two takes, keeps a smaller past than a desktop, and
// drops the tape of a session that has ended.
func TestPageRefusals(t *testing.T) {
	g := newTestSession(t, "rewind")
	g.Platform.InPage = true
	g.runTicks(t, 130)
	g.Past.SeekFully(60)
	g.Controls.NudgeServer() // begins a take
	g.runTicks(t, 10)
	g.Beside.Toggle()
	if g.Beside.take == nil {
		t.Fatal("there is no other take")
	}
	g.Videos.Toggle()
	if last := g.Notices.list[len(g.Notices.list)-1].text; g.Videos.Recording() || !strings.Contains(last, "two takes") {
		t.Errorf("recording %v, notice %q", g.Videos.Recording(), last)
	}
	if err := g.End(); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(g.OutDir, "*.tape")); len(files) != 0 {
		t.Errorf("tapes of sessions that have ended: %v", files)
	}
	if err := g.Start(g.Plan); err != nil || g.Past.Timeline.Budget != PageBudget {
		t.Errorf("%v, a budget of %d bytes", err, g.Past.Timeline.Budget)
	}
}
