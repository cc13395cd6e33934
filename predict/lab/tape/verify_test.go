package tape

import (
	"errors"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
)

// record returns the text of a tape of a session with some entries, with hash checks.
func record(t testing.TB, l *lab.Lab, version string, panes []string, entries []lab.Entry) string {
	t.Helper()
	recording := NewRecording(l, version, panes)
	for _, e := range entries {
		labtest.Tick(t, l, e)
		recording.Ticked(e)
	}
	recording.End()
	return textOf(t, &recording.Tape)
}

// recordEventfulTape returns the text of the eventful tape with hash checks.
func recordEventfulTape(t testing.TB) string {
	t.Helper()
	tape := eventfulTape(t)
	l, err := tape.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	return record(t, l, "1.2.3", tape.Panes, tape.Entries)
}

// playAndVerify runs the session of a tape and verifies its hash checks up to the first that fails.
func playAndVerify(t testing.TB, text string) (failed error) {
	t.Helper()
	tape, err := Read(strings.NewReader(text))
	if err != nil {
		return err
	}
	next := 0
	playTape(t, tape, func(l *lab.Lab) {
		if failed == nil && next < len(tape.HashChecks) && tape.HashChecks[next].Ticks == int(l.Ticks()) {
			failed = tape.Verify(l, next)
			next++
		}
	})
	if failed == nil && (next != len(tape.HashChecks) || next == 0) {
		t.Fatalf("%d of %d checks", next, len(tape.HashChecks))
	}
	return failed
}

// TestVerify checks that a tape with hash checks verifies, that writing it again gives the
// same text, and that the hash checks do not change the session.
func TestVerify(t *testing.T) {
	text := recordEventfulTape(t)
	if err := playAndVerify(t, text); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	tape, err := Read(strings.NewReader(text))
	if err != nil || tape.Version != "1.2.3" || len(tape.HashChecks) != 700/60+1 || tape.LastLine != strings.Count(text, "\n") {
		t.Fatalf("%v, version %q, %d checks, %d lines", err, tape.Version, len(tape.HashChecks), tape.LastLine)
	}
	if again := textOf(t, tape); again != text {
		t.Errorf("written again it is\n%s\nand was\n%s", again, text)
	}
	if a, b := hashAtEnd(t, tape), hashAtEnd(t, eventfulTape(t)); a != b {
		t.Errorf("with hashes it plays to %016x, without to %016x", a, b)
	}
}

// TestVerifyLocatesMismatch checks that a changed input, command or hash is located: in the
// right second of the session, in the first pane that differs, with the line of the hash
// check.
func TestVerifyLocatesMismatch(t *testing.T) {
	lines := strings.SplitAfter(recordEventfulTape(t), "\n")
	after := func(ticks int) (at int) { // index of the line of the hash check after a number of ticks
		n := 0
		for i, l := range lines {
			if strings.HasPrefix(l, "=") {
				if n++; n*60 == ticks {
					return i
				}
			}
		}
		t.Fatalf("no check after %d ticks", ticks)
		return 0
	}
	with := func(at int, old, new string) string {
		changed := append([]string(nil), lines...)
		if changed[at] = strings.Replace(lines[at], old, new, 1); changed[at] == lines[at] {
			t.Fatalf("line %d, %q, has no %q", at+1, lines[at], old)
		}
		return strings.Join(changed, "")
	}
	find := func(from, to int, prefix string) int { // index of the first line with a prefix between two hash checks
		for i := after(from) + 1; i < after(to); i++ {
			if strings.HasPrefix(lines[i], prefix) {
				return i
			}
		}
		t.Fatalf("no %q between ticks %d and %d", prefix, from, to)
		return 0
	}
	steer := after(240) - 1
	second := strings.Fields(lines[after(180)])[2]
	for name, c := range map[string]struct {
		text     string
		from, to int
		pane     int
		spec     string
	}{
		"an input":              {with(steer, lines[steer], strings.Fields(lines[steer])[0]+" WZ@99\n"), 181, 240, 0, "rewind"},
		"a nudge":               {with(find(60, 120, "! nudge all"), "x 1", "x 2"), 61, 120, 0, "rewind"},
		"a knob of pane 2":      {with(find(180, 240, "! switch 2"), "lead=3", "lead=9"), 181, 240, 1, "rewind:lead=9"},
		"a hash of pane 2":      {with(after(180), second, "0123456789abcdef"), 121, 180, 1, "noprediction:snapshot-every=2"},
		"the first hash of all": {with(after(60), strings.Fields(lines[after(60)])[1], "0123456789abcdef"), 1, 60, 0, "rewind"},
		"the seed":              {with(5, "seed 7", "seed 8"), 1, 60, 0, "rewind"},
	} {
		err := playAndVerify(t, c.text)
		var d *Mismatch
		if !errors.As(err, &d) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d.FirstTick != c.from || d.LastTick != c.to || d.Pane != c.pane || !strings.HasPrefix(d.Spec, c.spec) || d.Line != after(c.to)+1 {
			t.Errorf("%s: found %v, want pane %d, %s, ticks %d to %d, line %d", name, err, c.pane+1, c.spec, c.from, c.to, after(c.to)+1)
		}
	}
	less := with(after(180), " "+second, "")
	const tooFew = "hashes of 1 panes after tick 180: the session has 2 panes"
	if err := playAndVerify(t, less); err == nil || errors.As(err, new(*Mismatch)) || !strings.Contains(err.Error(), tooFew) {
		t.Errorf("a hash too few: %v", err)
	}
}

// TestTruncatedTapes checks that a tape that is cut anywhere is refused with a line, or read
// as truncated, but never taken for complete.
func TestTruncatedTapes(t *testing.T) {
	experiment.Skip(t)
	text := strings.TrimSuffix(recordEventfulTape(t), "\n")
	refused, truncated := 0, 0
	for n := range len(text) {
		tape, err := Read(strings.NewReader(text[:n]))
		switch {
		case err != nil:
			refused++
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("%d bytes: %v", n, err)
			}
		case tape.Truncated:
			truncated++
			if want := strings.Count(strings.TrimSuffix(text[:n], "\n"), "\n") + 1; tape.LastLine != want {
				t.Fatalf("%d bytes: last line %d, want %d", n, tape.LastLine, want)
			}
		default:
			t.Fatalf("cut to %d of %d bytes it is taken for complete: ...%q", n, len(text), text[max(0, n-30):n])
		}
	}
	if refused < 100 || truncated < 100 {
		t.Errorf("%d refused, %d truncated", refused, truncated)
	}
}

// TestTapeIsSmall checks that a minute of one pane takes a few kilobytes, with hash checks,
// because equal ticks are written once.
func TestTapeIsSmall(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "zen", "wifi-bad", lab.AtClient), "rewind")
	var entries []lab.Entry
	for i := range 3600 {
		entries = append(entries, lab.Entry{Inputs: labtest.Inputs(i)})
	}
	if text := record(t, l, "0.1.0", []string{"rewind"}, entries); len(text) > 6000 {
		t.Errorf("%d bytes", len(text))
	}
}

// TestOneHashCheckPerTick checks that a writer leaves out a hash check before the first tick
// and a second one after the same tick, because readers refuse them.
func TestOneHashCheckPerTick(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "plain", "perfect", lab.AtClient), "rewind")
	var b strings.Builder
	w := NewWriter(&b, "", l.Config(), []string{"rewind"})
	w.HashCheck(NewHashCheck(l))
	for range 3 {
		labtest.Tick(t, l, lab.Entry{})
		w.Add(lab.Entry{})
		w.HashCheck(NewHashCheck(l))
		w.HashCheck(NewHashCheck(l))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tape, err := Read(strings.NewReader(b.String()))
	if err != nil || len(tape.HashChecks) != 3 || tape.HashChecks[2].Ticks != 3 {
		t.Fatalf("%v, %+v:\n%s", err, tape, b.String())
	}
	if err := playAndVerify(t, b.String()); err != nil {
		t.Error(err)
	}
}
