//go:build !js || headless

package cli

import (
	"os"
	"path/filepath"
	"testing"

	"ghostcube/predict/lab/tape"
)

// TestTapeHoldsTrace checks that the tape of a session with a trace contains the trace: it
// gives the same hash without the trace's file.
func TestTapeHoldsTrace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stairs.csv")
	need(os.WriteFile(file, []byte("time_ms,rtt_ms,lost\n0,40,0\n100,90,0\n200,,1\n260,300,0\n400,40,0\n"), 0o600))
	p := testProgram(t)
	session := must(p.newPlan(SessionFlags{Network: "lan,loss=2%,trace=" + file, Seconds: 10}, "circle"))
	run := func(from *tape.Tape) uint64 {
		l := must(from.NewLab())
		for _, e := range from.Entries {
			need(l.Tick(e))
		}
		return l.Hash()
	}
	taped := &tape.Tape{Config: session.Config, Panes: session.Panes, Entries: session.Entries(600).All()}
	saved := filepath.Join(t.TempDir(), "stairs.tape")
	out := must(os.Create(saved))
	need(taped.Write(out))
	need(out.Close())
	first := run(taped)
	need(os.Remove(file))
	again := must(p.library.LoadTape(saved))
	if got := run(again); got != first {
		t.Errorf("%x, and from the tape %x", first, got)
	}
	again.Config.Network.Up.Trace = nil
	if run(again) == first {
		t.Error("the trace changes nothing")
	}
}

// TestExampleTraces checks that the built-in traces can be read and begin with a description.
func TestExampleTraces(t *testing.T) {
	p := testProgram(t)
	names := p.library.TraceNames()
	if len(names) < 2 {
		t.Fatal(names)
	}
	for _, name := range names {
		if _, err := p.library.LoadTrace(name); err != nil {
			t.Error(err)
		}
		if firstComment(p.Traces, "traces/"+name+".csv") == "" {
			t.Errorf("%s does not say what it is", name)
		}
	}
}
