package plan

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"

	"pgregory.net/rapid"
)

// TestLinkRoundTrip promises that a link that is written is read as the same link, and written as the same text.
func TestLinkRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[a-z0-9,:=%&+# ;?'"<>é-]{1,12}`)).Draw(t, name)
		}
		name := func(name string) string { return rapid.StringMatching(`([a-z0-9-]{1,8})?`).Draw(t, name) }
		x := &Link{
			Page:  rapid.SampledFrom([]string{"", "https://example.org/lab/", "http://localhost:8080/index.html", "file:///lab/index.html"}).Draw(t, "page"),
			Embed: rapid.Bool().Draw(t, "embed"),
			Knobs: rapid.SampledFrom([]string{"", "latency,2.smooth-factor", "no such knob&"}).Draw(t, "knobs"),
			Show:  rapid.SampledFrom([]string{"", "color=age,split=off", "yaw=-12.5"}).Draw(t, "show"),
		}
		if x.Lesson = name("lesson"); x.Lesson == "" {
			x.At = time.Duration(rapid.IntRange(0, MaxSeconds*1000).Draw(t, "at")) * time.Millisecond
			x.Settings = Settings{
				Scene: text("scene"), Panes: text("panes"),
				Network: rapid.SampledFrom([]string{"", "wifi-bad,loss=5%", "up.trace=us/1,2", "latency=75ms,jitter=1.5ms"}).Draw(t, "network"),
				Seat:    text("seat"), Seed: text("seed"), Rate: text("rate"), Fault: text("fault"), Compare: text("compare"),
				Tape:       rapid.SampledFrom([]string{"", "circle", inlinePrefix + "AAec-_"}).Draw(t, "tape"),
				FaultEvery: time.Duration(rapid.IntRange(0, 1000).Draw(t, "fault-every")) * time.Millisecond,
				Seconds:    float64(rapid.IntRange(0, 400000).Draw(t, "seconds")) / 16,
			}
		}
		line := x.String()
		got, err := ParseLink(line + rapid.SampledFrom([]string{"", "#part", "&utm_source=x", "&"}).Draw(t, "appended"))
		if err != nil || *got != *x || got.String() != line {
			t.Fatalf("%s\n%+v\nis read as\n%+v (%v)", line, x, got, err)
		}
	})
}

// TestLinkOnTheWire promises that Go's own reader of addresses takes a link as it is.
func TestLinkOnTheWire(t *testing.T) {
	x := &Link{Page: "https://example.org/lab/", Settings: Settings{Network: "wifi-bad,loss=5%", Panes: "rewind:lead=5,snapshot", Scene: "a b+c&d#é"}}
	address := must(url.Parse(x.String()))
	q := address.Query()
	if address.Path != "/lab/" || q.Get("network") != x.Settings.Network || q.Get("panes") != x.Settings.Panes || q.Get("scene") != x.Settings.Scene {
		t.Errorf("%s is read as %v", x, q)
	}
}

// TestLinkText checks the text of links, and texts that people type.
func TestLinkText(t *testing.T) {
	x := &Link{
		Settings: Settings{Compare: "csp-redundancy", Network: "wifi-bad,loss=5%", Panes: "rewind:lead=5,snapshot", Tape: inlinePrefix + "AA"},
		Show:     "color=age", Embed: true, Knobs: "latency,2.lead",
	}
	x.SetTicks(751, 60)
	want := "?compare=csp-redundancy&panes=rewind:lead=5,snapshot&network=wifi-bad,loss=5%25&show=color=age&at=12.517s" +
		"&embed=1&knobs=latency,2.lead&tape=deflate:AA"
	if got := x.Query(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := (&Link{}).Query(); got != "?" {
		t.Errorf("the link without settings is %q", got)
	}
	for text, want := range map[string]Link{
		"":                          {},
		"?":                         {},
		"compare=a":                 {Settings: Settings{Compare: "a"}},
		"x/?compare=a":              {Settings: Settings{Compare: "a"}},
		"?&compare=a&":              {Settings: Settings{Compare: "a"}},
		"?network=a,loss=5%&seed=7": {Settings: Settings{Network: "a,loss=5%", Seed: "7"}},
		"?network=a,loss=5%,jitter=1ms#x?scene=y":  {Settings: Settings{Network: "a,loss=5%,jitter=1ms"}},
		"?scene=a+b%2Bc&fbclid=zz&utm_medium=x":    {Settings: Settings{Scene: "a b+c"}},
		"https://example.org/lab/":                 {Page: "https://example.org/lab/"},
		"https://example.org/?embed=0&lesson=slow": {Page: "https://example.org/", Lesson: "slow"},
		"javascript://x?seed=1":                    {Settings: Settings{Seed: "1"}},
		"?at=1m30s":                                {At: 90 * time.Second},
	} {
		if got, err := ParseLink(text); err != nil || *got != want {
			t.Errorf("%s: %+v %v, want %+v", text, got, err, want)
		}
	}
}

// TestBadLinks checks that errors name the parameter, its value and what is allowed.
func TestBadLinks(t *testing.T) {
	for text, want := range map[string]string{
		"?compar=a":                      `no parameter "compar" (there are compare, lesson, scene`,
		"?seed=1&seed=1":                 "seed=1: the parameter is given twice",
		"?seed=1&%73eed=2":               "seed=2: the parameter is given twice",
		"?scene=":                        "scene: the parameter has no value",
		"?embed":                         "embed: the parameter has no value",
		"?knobs=":                        "knobs: the parameter has no value",
		"?embed=yes":                     "embed=yes: want 0 or 1",
		"?at=12":                         "at=12: want a time after the start of the session, such as 12.5s, up to 10h0m0s",
		"?at=0s":                         "at=0s: want a time",
		"?at=-1s":                        "at=-1s: want a time",
		"?at=10h0m1s":                    "up to 10h0m0s",
		"?seconds=0":                     "seconds=0: want a number of seconds up to 36000",
		"?seconds=NaN":                   "seconds=NaN: want",
		"?fault-every=5":                 "fault-every=5: want a duration up to 1h0m0s, such as 5s",
		"?fault-every=0s":                "fault-every=0s: want",
		"?show=colour=age":               "show: no display setting \"colour\"",
		"?scene=a%00b":                   `scene="a\x00b": it contains control characters, or is not UTF-8`,
		"?scene=%ff":                     `scene="\xff": it contains control characters`,
		"?lesson=slow&seed=1":            "lesson=slow: a lesson has a session of its own",
		"?lesson=slow&at=1s":             "lesson=slow: a lesson has a session of its own",
		"?tape=../x.tape":                "tape=../x.tape: a link cannot name files",
		"?network=wifi-bad,trace=/etc/x": "network=trace=/etc/x: a link cannot name files",
		"?network=up.trace=x.csv":        "a link cannot name files",
		strings.Repeat("x", MaxLink+1):   "it has 65537 characters: want at most 65536",
	} {
		if x, err := ParseLink(text); err == nil || !strings.Contains(err.Error(), want) || x != nil &&
			!slices.Contains([]string{"lesson", "show", "tape", "network"}, strings.Split(text, "=")[0][1:]) {
			t.Errorf("%.80s: %v %v, want %s", text, x, err, want)
		}
	}
}

// TestLinkMoment promises that the time of a link finds the tick that it was made from.
func TestLinkMoment(t *testing.T) {
	for _, rate := range []int{10, 30, 60, 64, 100, 144, 239, 240} {
		for n := 1; n < 20*rate; n++ {
			var x Link
			if x.SetTicks(n, rate); x.Ticks(rate) != n {
				t.Fatalf("tick %d of %d a second: at=%v is tick %d", n, rate, x.At, x.Ticks(rate))
			}
		}
	}
}

// TestInlineTape promises that a tape in a link is the same tape, what sizes links have, and that what a link cannot
// hold is refused.
func TestInlineTape(t *testing.T) {
	experiment.Skip(t)
	b := newLibrary()
	for _, name := range b.TapeNames() {
		text := must(os.ReadFile("../../assets/tapes/" + name + ".tape"))
		setting := must(InlineTape(text))
		t.Logf("%s: %d bytes are %d characters", name, len(text), len(setting))
		read := must(ParseLink((&Link{Settings: Settings{Tape: setting}}).Query()))
		if got, err := expandTape(read.Settings.Tape); err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %v", name, err)
		}
		asked := must(b.New(Settings{Tape: name}, Settings{}, ""))
		inline := must(b.New(read.Settings, Settings{}, ""))
		if fmt.Sprint(inline.Config, inline.Panes, inline.entries) != fmt.Sprint(asked.Config, asked.Panes, asked.entries) ||
			inline.TapeNote() != "tape in the link" {
			t.Errorf("%s: the tape in a link plans another session; %s", name, inline.TapeNote())
		}
	}
	pack := func(text string) string {
		var packed bytes.Buffer
		w, _ := flate.NewWriterDict(&packed, flate.BestCompression, []byte(tapeDictionary))
		w.Write([]byte(text))
		w.Close()
		return inlinePrefix + base64.RawURLEncoding.EncodeToString(packed.Bytes())
	}
	bomb := pack(strings.Repeat("x", 4<<20))
	whole := pack("ghostcube tape 2\nscene zen\n---\n60 W\nend 60\n")
	for tape, want := range map[string]string{
		bomb:                          "its text is longer than 1048576 bytes",
		whole[:len(whole)-6]:          "it is damaged or cut off",
		inlinePrefix + "!":            "it is damaged or cut off: want DEFLATE data as base64url",
		inlinePrefix:                  "cut off",
		pack("ghostcube tape 2\nx\n"): `in the link: line 2: "x": want version`,
	} {
		if _, err := b.New(Settings{Tape: tape}, Settings{}, ""); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%.40s: %v, want %s", tape, err, want)
		}
	}
	if _, err := InlineTape(make([]byte, maxInlineText+1)); err == nil {
		t.Error("a tape of more than 1 MiB is packed")
	}
}

// TestOldTapeLink promises that links with tapes keep their meaning: a later program reads this one.
func TestOldTapeLink(t *testing.T) {
	const old = "deflate:opW7kK0G2wcOBTMDhXAXUMiCrLY04AIEAAD__w"
	const want = "ghostcube tape 2\nversion 0.1.0\n" +
		"scene zen\nrate 60\nseat client\nseed 1\nnetwork latency=75ms\npane rewind\n" +
		"---\n30 W\n60 WD@64\nend 90\n"
	if text, err := expandTape(old); err != nil || string(text) != want {
		setting, _ := InlineTape([]byte(want))
		t.Errorf("%v: %s; today it would be %s", err, text, setting)
	}
}

// FuzzParseLink checks that no link makes the reader panic, and that a link that is read, written and read is the same.
func FuzzParseLink(f *testing.F) {
	for _, s := range []string{
		"?compare=csp-redundancy", "https://example.org/?scene=zen&network=wifi-bad,loss=5%&panes=rewind:lead=5,snapshot&seed=1&at=12.5s",
		"?lesson=smoothing&embed=1", "?fault=fps=20,2.freeze=2s@10s&fault-every=5s&seconds=1e1", "?tape=deflate:AA&show=color=age", "?x=%", "?%=%41",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, err := ParseLink(text)
		if err != nil {
			return
		}
		line := x.String()
		again, err := ParseLink(line)
		if err != nil || *again != *x || again.String() != line {
			t.Fatalf("%q is read as %+v, its text %q as %+v (%v)", text, x, line, again, err)
		}
	})
}

// FuzzInlineTape checks that no tape in a link makes the reader panic or reads more than its bound.
func FuzzInlineTape(f *testing.F) {
	setting, err := InlineTape([]byte("ghostcube tape 2\nscene zen\n---\n60 W\nend 60\n"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(setting)
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 300)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	f.Add(inlinePrefix + base64.RawURLEncoding.EncodeToString(noise))
	f.Fuzz(func(t *testing.T, setting string) {
		text, err := expandTape(setting)
		if err != nil {
			return
		}
		if len(text) > maxInlineText {
			t.Fatalf("%d bytes", len(text))
		}
		packed := must(InlineTape(text))
		if again, err := expandTape(packed); err != nil || !bytes.Equal(again, text) {
			t.Fatalf("%v: %q, want %q", err, again, text)
		}
	})
}
