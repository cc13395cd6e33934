package tape

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// recordEventfulTape returns the text of the eventful tape with hash checks.
func recordEventfulTape(t testing.TB) string {
	t.Helper()
	tape := eventfulTape(t)
	l, err := tape.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	recording := NewRecording(l, "1.2.3", tape.Panes)
	for _, e := range tape.Entries {
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
		recording.Ticked(e)
	}
	recording.End()
	var b strings.Builder
	if err := recording.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// playAndVerify runs the session of a tape and verifies all of its hash checks.
func playAndVerify(t testing.TB, text string) error {
	t.Helper()
	tape, err := Read(strings.NewReader(text))
	if err != nil {
		return err
	}
	l, err := tape.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	next := 0
	for i, e := range tape.Entries {
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
		if next < len(tape.HashChecks) && tape.HashChecks[next].Ticks == i+1 {
			if err := tape.Verify(l, next); err != nil {
				return err
			}
			next++
		}
	}
	if next != len(tape.HashChecks) || next == 0 {
		t.Fatalf("%d of %d checks", next, len(tape.HashChecks))
	}
	return nil
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
	var b bytes.Buffer
	if err := tape.Write(&b); err != nil || b.String() != text {
		t.Errorf("%v: written again it is\n%s\nand was\n%s", err, b.String(), text)
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

// open returns a lab with one pane.
func open(t testing.TB, scene, network string) *lab.Lab {
	t.Helper()
	c := lab.Config{Scene: scene, Rate: 60}
	if err := c.Network.Parse(network); err != nil {
		t.Fatal(err)
	}
	l := lab.New(c)
	if _, err := l.Open("rewind"); err != nil {
		t.Fatal(err)
	}
	return l
}

// scriptedInputs returns the input of a scripted player who keeps changing keys.
func scriptedInputs(tick int) []sim.Input {
	if tick < 30 {
		return []sim.Input{{}}
	}
	x := uint64(tick/17) * 0x9E3779B97F4A7C15
	return []sim.Input{{Buttons: sim.Buttons(x>>40) & sim.MoveButtons &^ sim.Buttons(x>>20&0x30), Heading: uint8(tick / 16 * 16)}}
}

// TestTapeIsSmall checks that a minute of one pane takes a few kilobytes, with hash checks,
// because equal ticks are written once.
func TestTapeIsSmall(t *testing.T) {
	l := open(t, "zen", "wifi-bad")
	recording := NewRecording(l, "0.1.0", []string{"rewind"})
	for i := range 3600 {
		e := lab.Entry{Inputs: scriptedInputs(i)}
		if err := l.Tick(e); err != nil {
			t.Fatal(err)
		}
		recording.Ticked(e)
	}
	recording.End()
	var b bytes.Buffer
	if err := recording.Write(&b); err != nil || b.Len() > 6000 {
		t.Errorf("%v: %d bytes", err, b.Len())
	}
}

// TestOneHashCheckPerTick checks that a writer leaves out a hash check before the first tick
// and a second one after the same tick, because readers refuse them.
func TestOneHashCheckPerTick(t *testing.T) {
	l := open(t, "plain", "perfect")
	var b strings.Builder
	w := NewWriter(&b, "", l.Config(), []string{"rewind"})
	w.HashCheck(NewHashCheck(l))
	for range 3 {
		if err := l.Tick(lab.Entry{}); err != nil {
			t.Fatal(err)
		}
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
