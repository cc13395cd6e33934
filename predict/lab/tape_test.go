package lab

import (
	"bytes"
	"strings"
	"testing"
)

// TestTapeReplays says that a tape gives the same session again, also after a
// round trip through its file form.
func TestTapeReplays(t *testing.T) {
	tape := eventful(t)
	var b bytes.Buffer
	if err := tape.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	again, err := ReadTape(&b)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if again.Cut || len(again.Entries) != len(tape.Entries) {
		t.Fatalf("%d entries of %d", len(again.Entries), len(tape.Entries))
	}
	x, y := play(t, tape), play(t, again)
	if x.Hash() != y.Hash() {
		t.Errorf("%016x, and from its file %016x", x.Hash(), y.Hash())
	}
	if x.Show() != y.Show() || x.Show().Yaw != 33.5 || x.Show().Split {
		t.Errorf("%+v", x.Show())
	}
	c := x.Config()
	if c.Scene != "plain" || c.Seat != AtHost || c.Weather.Seed != 99 || len(x.Panes) != 2 {
		t.Errorf("%+v with %d panes", c, len(x.Panes))
	}
}

// TestReadTapeRefuses says that a damaged tape is refused with the line where
// it is damaged, and one that was cut short is read as far as it goes.
func TestReadTapeRefuses(t *testing.T) {
	const head = "ghostcube tape 1\nscene plain\nrate 60\nseat client\nseed 1\nweather latency=75ms\npane rewind\n---\n"
	for text, want := range map[string]string{
		"":                                    "line 1: this is no tape",
		"GIF89a\x00":                          "line 1: this is no tape",
		"ghostcube tape 2\n":                  "line 1: this is no tape",
		"ghostcube tape 1\nscene plain":       "ends in its head",
		"ghostcube tape 1\n---\n":             "no scene",
		"ghostcube tape 1\nscene plan\n---\n": `no scene "plan"`,
		"ghostcube tape 1\nrate 9000\nscene plain\n---\n":          "10 to 240",
		"ghostcube tape 1\nrate x\n":                               "line 2: rate",
		"ghostcube tape 1\nseat x\n":                               "line 2: no seat",
		"ghostcube tape 1\nseed -1\n":                              "line 2: seed",
		"ghostcube tape 1\nweather x\n":                            "line 2: no weather",
		"ghostcube tape 1\npane x\n":                               "line 2: no strategy",
		"ghostcube tape 1\npane rewind:x=1\n":                      "line 2: no knob",
		"ghostcube tape 1\npanes 2\n":                              "line 2: \"panes\"",
		"ghostcube tape 1\n" + strings.Repeat("pane rewind\n", 5):  "line 6: more than 4",
		head + "x W\nend 1\n":                                      "line 9: \"x\"",
		head + "0 W\nend 0\n":                                      "line 9: \"0\"",
		head + "-5 W\nend 0\n":                                     "line 9",
		head + "99999999 W\n":                                      "line 9",
		head + "10 Q\n":                                            "line 9: keys \"Q\"",
		head + "10 W@256\n":                                        "line 9: keys \"W@256\"",
		head + "10 @5\n":                                           "line 9: keys",
		head + "! jump all x 1\n10\n":                              "line 9: no command",
		head + "= 0123456789abcdef\n10\n":                          "line 9: hashes before the first tick",
		head + "10\n= 0123456789abcde\n":                           "line 10: hash \"0123456789abcde\": want 16 digits",
		head + "10\n= 0123456789abcdeg\n":                          "line 10: hash",
		head + "10\n=\n":                                           "line 10: 0 hashes: want one for each pane, 1 to 4",
		head + "10\n=" + strings.Repeat(" 0123456789abcdef", 5):    "line 10: 5 hashes",
		head + "9\n= 0123456789abcdef\n= 0123456789abcdef\n":       "line 11: hashes of tick 9 once more",
		head + "9\n! restart all - -\n= 0123456789abcdef\nend 9\n": "line 11: hashes between a command and its tick",
		head + "10 W\nend 11\n":                                    "line 10: the tape says that it has 11 ticks, and has 10",
		head + "10 W\nend 10\n5\n":                                 "line 11: \"5\" after the end",
	} {
		tape, err := ReadTape(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
		if tape != nil {
			t.Errorf("%q gives a tape", text)
		}
	}
	tape, err := ReadTape(strings.NewReader(head + "10 W # ten\n\n# nothing\n! nudge all x 1\n5\n"))
	if err != nil || !tape.Cut || len(tape.Entries) != 15 || len(tape.Entries[10].Commands) != 1 {
		t.Errorf("%+v %v", tape, err)
	}
}

// FuzzReadTape says that no file makes the reader panic, and that what it
// accepts it writes and reads again to the same.
func FuzzReadTape(f *testing.F) {
	var b bytes.Buffer
	if err := eventful(f).Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("ghostcube tape 1\nversion 0.1.0\nscene plain\npane rewind\n---\n3 W\n= 0123456789abcdef\n! turn 1 lead 3\n2\n= ffffffffffffffff 0000000000000000\nend 5\n"))
	f.Add([]byte("ghostcube tape 1\nscene plain\n---\n3 W@7\n! show all yaw 3\n2\nend 5\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 10000 {
			return
		}
		tape, err := ReadTape(bytes.NewReader(file))
		if err != nil || len(tape.Entries) > 10000 {
			return
		}
		var one, two bytes.Buffer
		if err := tape.Write(&one); err != nil {
			t.Fatal(err)
		}
		first := one.String()
		again, err := ReadTape(&one)
		if err != nil {
			t.Fatalf("%v\n%s", err, first)
		}
		if err := again.Write(&two); err != nil || two.String() != first {
			t.Fatalf("%v\n%q\n%q", err, first, two.String())
		}
	})
}
