package session

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/ui/plan"
)

// testSession is a session with what its players want.
type testSession struct {
	*Session
	in Intents
}

// newTestSession returns a session of panes that has started.
func newTestSession(t testing.TB, panes ...string) *testSession {
	t.Helper()
	return playSettings(t, plan.Settings{Panes: strings.Join(panes, ",")})
}

// testPlatform is a machine whose files are where they belong, without a clipboard and a page.
func testPlatform() Platform {
	return Platform{
		Deliver: filepath.ToSlash, Keep: func(string) error { return nil },
		CopyText: func(string) error { return errors.ErrUnsupported }, Address: func() string { return "" },
	}
}

// playSettings returns a session that has started.
func playSettings(t testing.TB, settings plan.Settings) *testSession {
	t.Helper()
	library := &plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons, LessonFiles: assets.Lessons,
		PresetFiles: assets.Presets, TermFile: assets.Terms}
	p, err := library.New(settings, plan.Settings{}, "")
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{OutDir: t.TempDir(), Version: "1.2.3", Library: library, Platform: testPlatform(), PlanComparison: func(name string) (*plan.Plan, error) {
		return library.New(plan.Settings{Compare: name}, plan.Settings{}, "")
	}})
	t.Cleanup(func() { // a video that is still being written would come back into the folder that is being removed
		interrupt := make(chan os.Signal, 1)
		interrupt <- os.Interrupt
		if err := s.Videos.WaitAll(interrupt, io.Discard); err != nil {
			t.Error(err)
		}
	})
	if err := s.Start(p); err != nil {
		t.Fatal(err)
	}
	return &testSession{Session: s}
}

// runTicks makes ticks with the present inputs.
func (g *testSession) runTicks(t *testing.T, n int) {
	t.Helper()
	for range n {
		if err := g.Tick(&g.in); err != nil {
			t.Fatal(err)
		}
	}
}

// setButtons holds buttons down.
func (g *testSession) setButtons(first, second sim.Buttons) {
	g.in.Inputs = g.Controls.Inputs(first, second)
}

// startNext starts the session that has been chosen.
func (g *testSession) startNext(t *testing.T) {
	t.Helper()
	if started, err := g.StartNext(); err != nil || !started {
		t.Fatalf("started %v, %v", started, err)
	}
}

// lastNotice returns the newest notice; empty: there is none.
func (g *testSession) lastNotice() string {
	if n := len(g.Notices.list); n > 0 {
		return g.Notices.list[n-1].text
	}
	return ""
}

// writeTape writes a tape of a scene without a network, and returns its file.
func writeTape(t *testing.T, lines string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hand.tape")
	if err := os.WriteFile(name, []byte("ghostcube tape 2\nscene zen\nnetwork perfect\n---\n"+lines), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// verify runs a tape again and checks its hashes. after is called after each tick.
func verify(t *testing.T, read *tape.Tape, after ...func(l *lab.Lab)) {
	t.Helper()
	l, err := read.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	err = Run(t.Context(), l, lab.EntriesOf(read.Entries), nil, func(made int) error {
		for _, f := range after {
			f(l)
		}
		if next == len(read.HashChecks) || read.HashChecks[next].Ticks != made {
			return nil
		}
		next++
		return read.Verify(l, next-1)
	})
	if err != nil || next == 0 || next != len(read.HashChecks) {
		t.Errorf("%v: %d of %d hash checks", err, next, len(read.HashChecks))
	}
}

// readTape reads a tape from a file.
func readTape(t *testing.T, name string) *tape.Tape {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	read, err := tape.Read(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, b)
	}
	return read
}
