package plan

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

func newLibrary() *Library {
	return &Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons}
}

// TestComparisonsOpen says that every built-in comparison has a title of at most MaxTitle
// characters, a tape that exists, and a session that opens and makes a tick.
func TestComparisonsOpen(t *testing.T) {
	experiment.Skip(t)
	b := newLibrary()
	list := must(b.Comparisons())
	for _, c := range list {
		if n := len([]rune(c.Title)); n == 0 || n > MaxTitle {
			t.Errorf("%s: a title of %d characters: %q", c.Name, n, c.Title)
		}
		p, err := b.New(Settings{Compare: c.Name}, Settings{}, "")
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		l, err := p.NewLab()
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if err := l.Tick(p.Entry(0)); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if p.Title() != c.Title || p.TapeName != c.Settings.Tape || p.Ticks(0) < 60 {
			t.Errorf("%s: title %q, tape %s of %d ticks", c.Name, p.Title(), p.TapeName, p.Ticks(0))
		}
	}
}

const goodComparison = `
[source]
author = "A. Author"
title = "A Paper"
year = 2015

[[comparison]]
name = "first"
title = "The first"
headline = "path_error_rms_m"
moment = 8
tape = "circle"
scene = "zen"
network = "latency=75ms"
panes = ["rewind"]

[[comparison]] # line 17
name = "second"
title = "The second"
headline = "corrections"
moment = 2.5
order = "2 < 1"
show = "color=age,packet=on"
source = {author = "B. Author", title = "A Talk", year = 2018}
tape = "circle"
scene = "two-players"
network = "trace=wifi-stall"
rate = 64
seat = "host"
fault-every = "5s"
panes = [
    "rewind",
    "rewind:lead=8",
]
formerly = ["third", "fourth"]
better = "less"
`

// readComparisons reads a file of comparisons.
func readComparisons(text string) ([]Comparison, error) {
	b := newLibrary()
	b.ComparisonFiles = fstest.MapFS{"comparisons/1-test.toml": &fstest.MapFile{Data: []byte(text)}}
	return b.Comparisons()
}

// TestComparisonFields says that every field of a comparison arrives, and that what a file
// leaves out has its default.
func TestComparisonFields(t *testing.T) {
	list := must(readComparisons(goodComparison))
	want := []Comparison{{
		Name: "first", Title: "The first", Headline: "path_error_rms_m", Moment: 8, Show: []lab.Command{stage.Show("headline", "path_error_rms_m")},
		Source:   Source{"A. Author", "A Paper", 2015},
		Settings: Settings{Tape: "circle", Scene: "zen", Network: "latency=75ms", Panes: "rewind", Seat: "client", Rate: "60"},
	}, {
		Name: "second", Title: "The second", Headline: "corrections", Moment: 2.5, Order: []Order{{1, 0}}, Source: Source{"B. Author", "A Talk", 2018},
		Formerly: []string{"third", "fourth"}, Best: &stage.Best{Headline: "corrections", Panes: []int{1}, Counter: stage.Less},
		Show: []lab.Command{stage.Show("headline", "corrections"), stage.Show("color", "age"), stage.Show("packet", "on")},
		Settings: Settings{Tape: "circle", Scene: "two-players", Network: "trace=wifi-stall", Panes: "rewind,rewind:lead=8",
			Seat: "host", Rate: "64", FaultEvery: 5 * time.Second},
	}}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("%+v", list)
	}
	b := newLibrary()
	b.ComparisonFiles = fstest.MapFS{"comparisons/1-test.toml": &fstest.MapFile{Data: []byte(goodComparison)}}
	for name, want := range map[string]string{"first": "[show all split on show all headline path_error_rms_m]",
		"second": "[show all split off show all headline corrections show all color age show all packet on]"} {
		p := must(b.New(Settings{Compare: name}, Settings{}, ""))
		if got := fmt.Sprint(p.Display()); got != want {
			t.Errorf("%s begins with %s, want %s", name, got, want)
		}
	}
	var warned []string
	b.Warn = func(text string) { warned = append(warned, text) }
	if p, text := must(b.New(Settings{Compare: "fourth"}, Settings{}, "")), "comparison fourth has become part of second"; p.Title() != "The second" ||
		p.Settings.Compare != "second" || p.Notice != text || !slices.Equal(warned, []string{text}) {
		t.Errorf("a former name: title %q, settings %+v, notice %q, warnings %q", p.Title(), p.Settings, p.Notice, warned)
	}
	if s := list[1].Source.String(); s != "B. Author, A Talk (2018)" {
		t.Errorf("%q", s)
	}
}

// TestBadComparisons says that a comparison with an unknown key, a bad value or a missing
// one is refused, with file and line.
func TestBadComparisons(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`name = "second"`, ``, "1-test.toml: line 17: name: it is missing"},
		{`name = "second"`, `name = "first"`, "line 18: name=first: another comparison has this name"},
		{`better = "less"`, `better = "fewer"`, "line 36: better=fewer: want less or more, beside an order"},
		{`order = "2 < 1"`, ``, "line 36: better=less: want less or more, beside an order"},
		{`"fourth"`, `"first"`, "line 35: formerly=first: another comparison has this name"},
		{`"fourth"`, `""`, "line 35: formerly: want lower-case letters"},
		{`name = "second"`, `name = "Second one"`, "line 18: name=Second one: want lower-case letters"},
		{`title = "The second"`, ``, "line 17: title: it is missing"},
		{`title = "The second"`, `title = "` + strings.Repeat("long", 16) + `"`, "line 19: title: it has 64 characters: want one line of at most 60"},
		{`headline = "corrections"`, `headlin = "corrections"`, `line 20: no key "headlin" (there are name, title, headline, moment, order, better, show, source,`},
		{`headline = "corrections"`, `headline = "correctons"`, `line 20: headline: no headline "correctons" (`},
		{`headline = "corrections"`, ``, "line 17: headline: it is missing"},
		{`moment = 2.5`, ``, "line 17: moment=0: want seconds, more than 1"},
		{`moment = 2.5`, `moment = 61`, "line 21: moment=61: want seconds, more than 1"},
		{`order = "2 < 1"`, `order = "2 < 3"`, "line 22: order=2 < 3: want two or more different panes from 1 to 2"},
		{`order = "2 < 1"`, `order = "2"`, "line 22: order=2: want two or more different panes"},
		{`order = "2 < 1"`, `order = "1 < 1"`, "line 22: order=1 < 1: want two or more different panes"},
		{`headline = "corrections"`, `seed = 5`, `line 20: no key "seed"`},
		{`show = "color=age,packet=on"`, `show = "color"`, `line 23: show: "color": want a display setting and its value`},
		{`show = "color=age,packet=on"`, `show = "color=age,packet=2"`, `line 23: show: `},
		{`show = "color=age,packet=on"`, `show = "colour=age"`, `line 23: show: `},
		{`source = {author = "B. Author", title = "A Talk", year = 2018}`, `source = {author = "B. Author"}`, "line 24: source: want author, title and year"},
		{`source = {author = "B. Author", title = "A Talk", year = 2018}`, `source = {authr = "B. Author"}`,
			`line 24: no key "authr" (there are author, title, year)`},
		{`year = 2015`, ``, "line 2: source: want author, title and year"},
		{`year = 2015`, `year = "2015"`, "line 5, column 8"},
		{"tape = \"circle\"\nscene = \"two-players\"", "tape = \"circel\"\nscene = \"two-players\"", `line 25: tape: no tape "circel"`},
		{`scene = "two-players"`, `scene = "two-player"`, `line 26: scene: no scene "two-player"`},
		{`network = "trace=wifi-stall"`, `network = "trace=wifi-stal"`, `line 27: network: no trace "wifi-stal"`},
		{`network = "trace=wifi-stall"`, `network = "latensy=1ms"`, `line 27: network: no `},
		{`network = "trace=wifi-stall"`, ``, "line 17: network: it is missing"},
		{`rate = 64`, `rate = 9`, "line 28: rate=9: want a whole number from 10 to 240"},
		{`rate = 64`, `rate = 6.4`, "line 28, column 8: comparison.rate: want a whole number, not a number with a point"},
		{`seat = "host"`, `seat = "table"`, `line 29: seat: no seat "table"`},
		{`fault-every = "5s"`, `fault-every = "soon"`, "line 30: fault-every=soon: want a duration such as 5s"},
		{`fault-every = "5s"`, `fault-every = "1ms"`, "line 30: fault-every=1ms: want a duration from one tick"},
		{`"rewind:lead=8"`, `"rewind:lead=800"`, "line 31: panes: lead=800"},
		{`"rewind:lead=8"`, `"rewnid"`, `line 31: panes: no strategy or preset "rewnid"`},
		{`"rewind:lead=8"`, `"rewind", "rewind", "rewind", "rewind"`, "line 31: panes: 5 panes: want 1 to 4"},
		{`[[comparison]] # line 17`, `[[comparisons]] # line 17`, `line 17: no key "comparisons" (there are source, comparison)`},
		{`[[comparison]] # line 17`, `[[comparison] # line 17`, "line 17, column"},
	} {
		text := strings.Replace(goodComparison, c.old, c.new, 1)
		if text == goodComparison {
			t.Fatalf("%q is not in the file", c.old)
		}
		list, err := readComparisons(text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "1-test.toml: line ") || list != nil {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
}

// TestSettingsFile says that a settings file gives what it says, that bad ones are refused
// with their line, and that a value may be refused before any session needs it.
func TestSettingsFile(t *testing.T) {
	good := "scene = \"plain\"\npanes = [\"noprediction\", \"rewind\"]\nseed = 5\nrate = 50\nseconds = 3.5\nfault = \"2.skew=100\"\n"
	s, err := newLibrary().ReadSettings("my.toml", []byte(good))
	if want := (Settings{Scene: "plain", Panes: "noprediction,rewind", Seed: "5", Rate: "50", Seconds: 3.5, Fault: "2.skew=100"}); err != nil || s != want {
		t.Errorf("%+v, %v", s, err)
	}
	for text, want := range map[string]string{
		"scene = \"zen\"\nwether = \"perfect\"": `my.toml: line 2: no key "wether" ` +
			`(there are scene, panes, network, seat, rate, fault-every, fault, tape, seed, seconds, compare)`,
		"seed = \"many\"":                             "my.toml: line 1, column 8",
		"scene = = \"zen\"":                           "my.toml: line 1, column",
		"\nfault-every = \"soon\"":                    "my.toml: line 2: fault-every=soon",
		"\n\nscene = \"zne\"":                         `my.toml: line 3: scene: no scene "zne"`,
		"panes = [\"rewind\", \"rewnid\"]":            `my.toml: line 1: panes: no strategy or preset "rewnid"`,
		"seconds = -1":                                "my.toml: line 1: seconds=-1",
		"tape = \"circel\"":                           `my.toml: line 1: tape: no tape "circel"`,
		"compare = \"predicton\"":                     `my.toml: line 1: compare: no comparison "predicton"`,
		"compare = \"prediction\"\ntape = \"circle\"": "my.toml: line 2: tape: a comparison has its own tape",
	} {
		if _, err := newLibrary().ReadSettings("my.toml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestPrecedence checks the order of the sources of settings: asked for, comparison, tape,
// file, defaults. A tape that is asked for replaces the comparison of the file.
func TestPrecedence(t *testing.T) {
	file := Settings{Scene: "plain", Network: "latency=20ms", Seed: "5", Rate: "50", Seat: "host", Compare: "prediction"}
	for _, c := range []struct {
		asked, file Settings
		tape        string
		want        string
	}{
		{Settings{}, Settings{}, "", "zen 60 client 1 rewind -"},
		{Settings{}, Settings{}, "idle", "zen 60 client 1 rewind idle"},
		{Settings{}, file, "", "zen 60 client 5 noprediction,rewind circle"},
		{Settings{Compare: "csp-clean"}, file, "", "zen 64 client 5 rewind circle"},
		{Settings{Compare: "csp-clean", Rate: "30", Panes: "lockstep"}, file, "", "zen 30 client 5 lockstep circle"},
		{Settings{Tape: "ferry"}, file, "", "ship 60 client 1 rewind ferry"},
		{Settings{Tape: "ferry", Seed: "9"}, file, "", "ship 60 client 9 rewind ferry"},
		{Settings{Panes: " lockstep , snapshot"}, Settings{Tape: "ferry"}, "", "ship 60 client 1 lockstep,snapshot ferry"},
		{Settings{Compare: "csp-clean"}, Settings{Tape: "ferry"}, "", "zen 64 client 1 rewind circle"},
	} {
		p, err := newLibrary().New(c.asked, c.file, c.tape)
		if err != nil {
			t.Errorf("%+v: %v", c.asked, err)
			continue
		}
		tape := p.TapeName
		if tape == "" {
			tape = "-"
		}
		l := must(p.NewLab())
		k := l.Config()
		got := []string{k.Scene, strconv.Itoa(k.Rate), k.Seat.String(), strconv.FormatUint(k.Network.Seed, 10), strings.Join(p.Panes, ","), tape}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%+v over %+v: %s, want %s", c.asked, c.file, s, c.want)
		}
	}
	_, err := newLibrary().New(Settings{Compare: "csp-clean", Tape: "ferry"}, Settings{}, "")
	var bad *SettingError
	if !errors.As(err, &bad) || bad.Name != "compare" {
		t.Errorf("comparison and tape: %v", err)
	}
}

// TestTitleStaysTrue promises that a comparison has its title with other seeds and lengths, and with no other setting of
// anybody's. It has caught a video of lockstep alone titled "without and with prediction".
func TestTitleStaysTrue(t *testing.T) {
	experiment.Skip(t)
	for _, c := range []struct {
		asked, file Settings
		want        bool
	}{
		{Settings{}, Settings{}, true},
		{Settings{Seed: "8", Seconds: 3, Network: "latency=75ms"}, Settings{Seat: "host", Seed: "9"}, true},
		{Settings{Panes: "lockstep"}, Settings{}, false},
		{Settings{Network: "lan"}, Settings{}, false},
		{Settings{Scene: "plain"}, Settings{}, false},
		{Settings{Rate: "30"}, Settings{}, false},
		{Settings{Fault: "skew=500"}, Settings{}, false},
		{Settings{}, Settings{FaultEvery: time.Second}, false},
	} {
		c.asked.Compare = "prediction"
		p, err := newLibrary().New(c.asked, c.file, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Title() != ""; got != c.want {
			t.Errorf("%+v over %+v: the title is %q", c.asked, c.file, p.Title())
		}
	}
}

// TestEntries says that a tape that is too short begins again with its inputs alone, and
// that forced faults come on top of it.
func TestEntries(t *testing.T) {
	b := newLibrary()
	const short = "ghostcube tape 2\nscene plain\npane rewind\n---\n! blackout all - 1s\n2 W\n3 D\nend 5\n"
	b.Tapes = fstest.MapFS{"tapes/short.tape": &fstest.MapFile{Data: []byte(short)}}
	settings := Settings{Tape: "short", Seconds: 0.2, FaultEvery: 100 * time.Millisecond, Fault: "freeze=1s@90ms"}
	p := must(b.New(settings, Settings{}, ""))
	if n := p.Ticks(60); n != 12 {
		t.Fatalf("%d ticks", n)
	}
	for i, e := range p.Entries(12).All() {
		want := sim.Forward
		if i%5 >= 2 {
			want = sim.Right
		}
		var verbs []string
		for _, c := range e.Commands {
			verbs = append(verbs, c.Verb)
		}
		wantVerbs := map[int][]string{0: {"blackout"}, 6: {"nudge", "freeze"}}[i]
		if e.Inputs[0].Buttons != want || !slices.Equal(verbs, wantVerbs) {
			t.Errorf("tick %d: %v with %v, want %v with %v", i, e.Inputs[0].Buttons, verbs, want, wantVerbs)
		}
	}
	none := must(b.New(Settings{}, Settings{}, ""))
	if e := none.Entry(7); len(e.Inputs) != 1 || e.Inputs[0] != (sim.Input{}) || none.Ticks(2) != 120 || none.TapeNote() != "" {
		t.Errorf("without a tape: %+v", e)
	}
}

// TestInlineTraces checks that the name of a trace becomes its text, in every direction, and that text, none
// and other conditions stay as they are.
func TestInlineTraces(t *testing.T) {
	library := newLibrary()
	trace := must(library.LoadTrace("wifi-stall"))
	for network, want := range map[string]string{
		"latency=5ms,loss=1%":                  "latency=5ms,loss=1%",
		"trace=none,up.trace=us/20000:5012/-":  "trace=none,up.trace=us/20000:5012/-",
		"wifi-good, down.trace = wifi-stall":   "wifi-good,down.trace=" + trace.String(),
		"trace=wifi-stall,up.trace=wifi-stall": "trace=" + trace.String() + ",up.trace=" + trace.String(),
	} {
		if got, err := library.InlineTraces(network); err != nil || got != want {
			t.Errorf("%s becomes %.80s, %v", network, got, err)
		}
	}
	if _, err := library.InlineTraces("trace=wifi-stal"); err == nil {
		t.Error("an unknown trace is accepted")
	}
}

// TestLargeSceneWithoutPanes checks that a scene with more bodies than the default strategy can send starts
// with another strategy and says so, and that panes that are asked for are not replaced.
func TestLargeSceneWithoutPanes(t *testing.T) {
	experiment.Skip(t)
	var warnings []string
	b := newLibrary()
	b.Warn = func(text string) { warnings = append(warnings, text) }
	for _, c := range []struct {
		asked, file Settings
		panes       string
		notice      bool
	}{
		{asked: Settings{Scene: "fleet"}, panes: lab.FallbackSpec, notice: true},
		{file: Settings{Scene: "fleet"}, panes: lab.FallbackSpec, notice: true},
		{asked: Settings{Scene: "plain"}, panes: lab.DefaultSpec},
		{asked: Settings{Scene: "fleet", Panes: "rewind"}, panes: "rewind"},
		{asked: Settings{Scene: "fleet"}, file: Settings{Panes: "rewind"}, panes: "rewind"},
		{asked: Settings{Scene: "fleet", Compare: "csp-clean"}, panes: "rewind"},
	} {
		warnings = nil
		p, err := b.New(c.asked, c.file, "")
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		if strings.Join(p.Panes, ",") != c.panes || (p.Notice != "") != c.notice || (len(warnings) == 1) != c.notice {
			t.Errorf("%+v: panes %v, notice %q, warnings %q", c, p.Panes, p.Notice, warnings)
		}
		if !c.notice {
			continue
		}
		if !strings.Contains(p.Notice, "10000 bodies") {
			t.Errorf("the notice is %q", p.Notice)
		}
		if _, err := p.NewLab(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestUnreasonableSettings checks that a settings file with far too many names, nested or side by side, is refused at
// once; the decoder took up to a minute for them.
func TestUnreasonableSettings(t *testing.T) {
	for name, text := range map[string]string{
		"dots": "a" + strings.Repeat(".a", 30000) + " = 1", "a dotted table": "[a" + strings.Repeat(".a", 30000) + "]", "tables": strings.Repeat("[[a]]\n", 10000),
		"an inline table": "network = {" + strings.Repeat("a = 1, ", 9000) + "b = 1}", "nested tables": "a = " +
			strings.Repeat("{a = ", 9000) + "1" + strings.Repeat("}", 9000),
		"a list of tables": "panes = [" + strings.Repeat("{a = 1}, ", 6000) + "]",
	} {
		start := time.Now()
		_, err := newLibrary().ReadSettings("my.toml", []byte(text))
		if err == nil || !regexp.MustCompile(`^my\.toml: line \d+: want at most 200 names of keys and tables$`).MatchString(err.Error()) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

// must returns what a test cannot do without. The trace of the panic names its line.
func must[T any](value T, err error) T {
	need(err)
	return value
}

// need ends a test that cannot go on after an error.
func need(err error) {
	if err != nil {
		panic(err)
	}
}

// TestComparisonsTakeLittleMemory checks that a library does not make the sides of a strategy for each pane of each comparison:
// the program reads all comparisons when it starts.
func TestComparisonsTakeLittleMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := newLibrary().Comparisons(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > 40 {
		t.Errorf("reading the comparisons takes %d MiB, want at most 40", n)
	}
}

// TestShownEntries promises that display settings that are asked for replace those of the tape's first tick, and a title also those
// of later ticks, and that the tape stays as it is.
func TestShownEntries(t *testing.T) {
	b := newLibrary()
	const text = "ghostcube tape 2\nscene zen\nrate 60\npane rewind\n---\n! show all title Mine\n! show all yaw 5\n30 W\n" +
		"! show all title Later\n! show all yaw 7\n30\nend 60\n"
	b.Dropped = map[string][]byte{"mine.tape": []byte(text)}
	p := must(b.New(Settings{Tape: "mine.tape"}, Settings{}, ""))
	for _, c := range []struct{ title, want string }{{"Yours", "Yours"}, {"", "Later"}} {
		var further []lab.Command
		if c.title != "" {
			further = []lab.Command{stage.ShowTitle(c.title), stage.Show("yaw", "3")}
		}
		show := stage.DefaultSettings
		for i, e := range p.ShownEntries(60, further) {
			for _, x := range e.Commands {
				show.Apply(x)
			}
			if i == 0 && c.title != "" && (string(show.Title) != c.title || show.Yaw != 3) {
				t.Errorf("tick 0 has title %q and yaw %v", show.Title, show.Yaw)
			}
		}
		if string(show.Title) != c.want || show.Yaw != 7 {
			t.Errorf("title %q and yaw %v at the end, want %s and 7", show.Title, show.Yaw, c.want)
		}
	}
}

// TestLinkOfLongTape promises that a link holds no hashes of its tape, and no more of it than the session has.
func TestLinkOfLongTape(t *testing.T) {
	var text strings.Builder
	text.WriteString("ghostcube tape 2\nscene zen\nrate 60\npane rewind\n---\n")
	for i := range 100 {
		fmt.Fprintf(&text, "%d %c\n= %016x\n", 60, "WASD"[i%4], uint64(i)*0x9e3779b97f4a7c15)
	}
	text.WriteString("end 6000\n")
	b := newLibrary()
	b.Dropped = map[string][]byte{"mine.tape": []byte(text.String())}
	for seconds, ticks := range map[float64]int{0: 6000, 9: 540} {
		x := must(b.LinkTo(must(b.New(Settings{Tape: "mine.tape", Seconds: seconds}, Settings{}, ""))))
		got := must(newLibrary().ReadTape(x.Settings.Tape))
		if len(got.Entries) != ticks || len(got.HashChecks) > 0 || len(x.String()) > 400 {
			t.Errorf("%v s: %d ticks, %d hashes, a link of %d characters", seconds, len(got.Entries), len(got.HashChecks), len(x.String()))
		}
	}
}
