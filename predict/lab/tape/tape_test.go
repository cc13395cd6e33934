package tape

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// eventfulTape returns testdata/eventful.tape, which has every kind of command.
func eventfulTape(t testing.TB) *Tape {
	t.Helper()
	return readTape(t, "eventful.tape")
}

// readTape reads a tape in testdata.
func readTape(t testing.TB, name string) *Tape {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tape, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

// textOf returns the text of a tape.
func textOf(t testing.TB, tape *Tape) string {
	t.Helper()
	var b strings.Builder
	if err := tape.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rewritten returns a tape that is made of the text of another, and that text.
func rewritten(t testing.TB, tape *Tape) (again *Tape, text string) {
	t.Helper()
	text = textOf(t, tape)
	again, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return again, text
}

// playTape runs the session of a tape and calls each after every tick.
func playTape(t testing.TB, tape *Tape, each func(l *lab.Lab)) *lab.Lab {
	t.Helper()
	l, err := tape.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range tape.Entries {
		labtest.Tick(t, l, e)
		each(l)
	}
	return l
}

// hashAtEnd runs the session of a tape and returns its hash.
func hashAtEnd(t testing.TB, tape *Tape) uint64 {
	t.Helper()
	return playTape(t, tape, func(*lab.Lab) {}).Hash()
}

// TestGolden checks that the eventful tape gives the hashes of the golden file, on every
// machine.
func TestGolden(t *testing.T) {
	var b strings.Builder
	playTape(t, eventfulTape(t), func(l *lab.Lab) {
		if n := l.Ticks(); n%50 == 0 {
			fmt.Fprintf(&b, "%d %016x\n", n, l.Hash())
		}
	})
	golden.Compare(t, "eventful.txt", b.String())
}

// TestImpactBesidePlatform plays two seconds in which the player's cube, pulling and lifting beside
// the platform of the ship, ends a tick at more than twice the largest speed relative to its parent.
// The server of relative sends that, and both worlds stay inside the scene.
func TestImpactBesidePlatform(t *testing.T) {
	tape := readTape(t, "impact.tape")
	fastest := float32(0)
	playTape(t, tape, func(l *lab.Lab) {
		w := l.Panes[0].ServerWorld
		fastest = max(fastest, w.Bodies()[0].Angular.Len()/w.Scene().MaxAngularSpeed, w.Bodies()[0].Linear.Len()/w.Scene().MaxLinearSpeed)
	})
	if fastest < 2 {
		t.Errorf("the cube reaches only %v times the largest speed", fastest)
	}
}

// TestTapeReplays checks that a tape gives the same session again, also after it has been
// written and read.
func TestTapeReplays(t *testing.T) {
	tape := eventfulTape(t)
	again, _ := rewritten(t, tape)
	if again.Truncated || len(again.Entries) != len(tape.Entries) {
		t.Fatalf("%d entries of %d", len(again.Entries), len(tape.Entries))
	}
	ignore := func(*lab.Lab) {}
	x, y := playTape(t, tape, ignore), playTape(t, again, ignore)
	if x.Hash() != y.Hash() {
		t.Errorf("%016x, and from its file %016x", x.Hash(), y.Hash())
	}
	want := []lab.DisplaySetting{{Name: "yaw", Value: "33.5"}, {Name: "split", Value: "off"}}
	if !slices.Equal(x.Display(), want) || !slices.Equal(y.Display(), want) {
		t.Errorf("display settings %v, and from its file %v, want %v", x.Display(), y.Display(), want)
	}
	if x.Focus() != 1 || y.Focus() != 1 {
		t.Errorf("focus on pane %d, and from its file on pane %d, want 2", x.Focus()+1, y.Focus()+1)
	}
	c := x.Config()
	if c.Scene != "plain" || c.Seat != lab.AtHost || c.Network.Seed != 99 || len(x.Panes) != 2 {
		t.Errorf("%+v with %d panes", c, len(x.Panes))
	}
}

// TestBadTapes checks that a damaged tape is refused with the line of the damage, and that a
// truncated tape is read up to its end, and so is the longest.
func TestBadTapes(t *testing.T) {
	experiment.Skip(t)
	const head = "ghostcube tape 2\nscene plain\nrate 60\nseat client\nseed 1\nnetwork latency=75ms\npane rewind\n---\n"
	for text, want := range map[string]string{
		"":                                    "line 1: not a tape",
		"GIF89a\x00":                          "line 1: not a tape",
		`{"t":"h","v":1}`:                     "ghostcube score and --tape read game logs",
		"ghostcube tape 1\nversion 0.1.0\n":   `line 1: the tape begins with "ghostcube tape 1": only Ghostcube 0.1.0 reads it`,
		"ghostcube tape 3\n":                  "line 1: not a tape",
		"ghostcube tape 2\nscene plain":       "line 2: the tape ends before its header does",
		"ghostcube tape 2\n---\n":             "no scene",
		"ghostcube tape 2\nscene plan\n---\n": `no scene "plan"`,
		"ghostcube tape 2\nrate 9000\nscene plain\n---\n":          "10 to 240",
		"ghostcube tape 2\nrate x\n":                               "line 2: rate",
		"ghostcube tape 2\nseat x\n":                               "line 2: no seat",
		"ghostcube tape 2\nseed -1\n":                              "line 2: seed",
		"ghostcube tape 2\nnetwork x\n":                            "line 2: no network",
		"ghostcube tape 2\npane x\n":                               "line 2: no strategy",
		"ghostcube tape 2\npane rewind:x=1\n":                      "line 2: no knob",
		"ghostcube tape 2\npanes 2\n":                              "line 2: \"panes\"",
		"ghostcube tape 2\n" + strings.Repeat("pane rewind\n", 5):  "line 6: more than 4",
		head + "x W\nend 1\n":                                      "line 9: \"x\"",
		head + "0 W\nend 0\n":                                      "line 9: \"0\"",
		head + "-5 W\nend 0\n":                                     "line 9",
		head + "99999999 W\n":                                      "line 9",
		head + "10 Q\n":                                            "line 9: input \"Q\"",
		head + "10 W@256\n":                                        "line 9: input \"W@256\"",
		head + "10 @5\n":                                           "line 9: input",
		head + "1 W*4096\n":                                        "line 9: shot \"4096\": yaw: want 0 to 4095",
		head + "1 W*\n":                                            "line 9: shot \"\": yaw",
		head + "1 W*-3\n":                                          "line 9: shot \"-3\": yaw",
		head + "1 W*3-\n":                                          "line 9: shot \"3-\": pitch",
		head + "1 W*3+1024\n":                                      "line 9: shot \"3+1024\": pitch: want -1023 to +1023",
		head + "1 W*3+1+2\n":                                       "line 9: shot",
		head + "1 *3\n":                                            "line 9: input \"\"",
		head + "1 W*3@5\n":                                         "line 9: shot",
		head + "! jump all x 1\n10\n":                              "line 9: no command",
		head + "= 0123456789abcdef\n10\n":                          "line 9: a hash check before the first tick",
		head + "10\n= 0123456789abcde\n":                           "line 10: hash \"0123456789abcde\": want 16 hexadecimal digits",
		head + "10\n= 0123456":                                     "want 16 hexadecimal digits; the line has no end: the tape may be cut off",
		head + "10\n= 0123456789abcdeg\n":                          "line 10: hash",
		head + "10\n=\n":                                           "line 10: 0 hashes: want one for each pane, 1 to 4",
		head + "10\n=" + strings.Repeat(" 0123456789abcdef", 5):    "line 10: 5 hashes",
		head + "9\n= 0123456789abcdef\n= 0123456789abcdef\n":       "line 11: a second hash check of tick 9",
		head + "9\n! restart all - -\n= 0123456789abcdef\nend 9\n": "line 11: a hash check between a command and its tick",
		head + "10 W\nend 11\n":                                    "line 10: the tape has 10 ticks, but its last line says 11",
		head + "10 W\nend 10\n5\n":                                 "line 11: \"5\" after the last line",
		head + "10 W\n5 " + strings.Repeat("x", 1<<16):             "line 10: longer than 65535 bytes, the longest line of a tape",
		"ghostcube tape 2\nnetwork " + strings.Repeat("x", 1<<16):  "line 2: longer than 65535 bytes",
		strings.Repeat("x", 1<<16):                                 "line 1: longer than 65535 bytes",
	} {
		tape, err := Read(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.1000q: %v, want %q in it", text, err, want)
		}
		if tape != nil {
			t.Errorf("%q gives a tape", text)
		}
	}
	tape, err := Read(strings.NewReader(head + "10 W # ten\n\n# nothing\n! nudge all x 1\n5\n"))
	if err != nil || !tape.Truncated || len(tape.Entries) != 15 || len(tape.Entries[10].Commands) != 1 {
		t.Errorf("%+v %v", tape, err)
	}
	if tape, err := Read(strings.NewReader(fmt.Sprintf("%s%d W\n", head, maxTicks))); err != nil || len(tape.Entries) != maxTicks {
		t.Errorf("the longest tape: %v", err)
	}
}

// FuzzReadTape checks that no file makes the reader panic, and that a tape which is read,
// written, read and written again is the same text.
func FuzzReadTape(f *testing.F) {
	f.Add([]byte(textOf(f, eventfulTape(f))))
	f.Add([]byte("ghostcube tape 2\nversion 0.1.0\nscene plain\npane rewind\n---\n" +
		"3 W\n= 0123456789abcdef\n! set 1 lead 3\n2\n= ffffffffffffffff 0000000000000000\nend 5\n"))
	f.Add([]byte("ghostcube tape 2\nscene plain\n---\n1 -\n1")) // an empty input, written and left out
	f.Add([]byte("ghostcube tape 2\nscene plain\n---\n3 W@7*5\n2 -*4095-1023\n1 D*0+7\nend 6\n"))
	f.Add([]byte("ghostcube tape 2\nscene plain\n---\n3 W@7\n! show all yaw 3\n2\nend 5\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 10000 {
			return
		}
		tape, err := Read(bytes.NewReader(file))
		if err != nil || len(tape.Entries) > 10000 {
			return
		}
		again, text := rewritten(t, tape)
		if second := textOf(t, again); second != text {
			t.Fatalf("%q\n%q", text, second)
		}
	})
}

// TestTapeKeepsShots checks that shots survive writing and reading, that equal shots in
// consecutive ticks are all kept, and that the view time a client adds is not on the tape.
func TestTapeKeepsShots(t *testing.T) {
	tape := &Tape{Config: lab.Config{Scene: "plain", Rate: 60}}
	for _, s := range []sim.Shot{
		{}, {Fired: true}, {Fired: true, Yaw: 4095, Pitch: -1023},
		{Fired: true, Yaw: 7, Pitch: 1023}, {Fired: true, Yaw: 7, Pitch: 1023}, {},
	} {
		tape.Entries = append(tape.Entries, lab.Entry{Inputs: []sim.Input{{Buttons: sim.Lift, Heading: 9, Shot: s}}})
	}
	again, text := rewritten(t, tape)
	for _, line := range []string{"1 U@9\n", "1 U@9*0\n", "1 U@9*4095-1023\n", "2 U@9*7+1023\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is not in\n%s", line, text)
		}
	}
	for i := range tape.Entries {
		if got, want := again.Entries[i].Inputs[0], tape.Entries[i].Inputs[0]; got != want {
			t.Errorf("tick %d: %+v, want %+v", i, got, want)
		}
	}
	if s := formatInput(sim.Input{Shot: sim.Shot{Fired: true, HasViewTime: true, ViewTime: 9, Ahead: 3}}); s != "-*0" {
		t.Errorf("%q", s)
	}
}
