package gamelog

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// game writes the log of a game whose body goes on with a changing speed, at a server of 60 ticks a second.
type game struct {
	fps     int
	delay   float64 // ticks by which the picture is late
	seconds float64
	offset  func(second float64) float64 // metres by which the picture is off; nil: never
	shows   func(second float64) bool    // there is a frame; nil: always
	split   bool                         // two logs, with a clock
	unit    float64
}

// at returns where the body is at a tick.
func (g *game) at(tick float64) float64 { return tick/60*6 + 2*math.Sin(tick/60*1.7) }

// logs returns the log of the client, or of both, and that of the server.
func (g *game) logs() (client, server string) {
	var c, s strings.Builder
	role, out := "both", &c
	if g.split {
		role, out = "client", &s
		fmt.Fprintln(&s, `{"t":"h","v":1,"role":"server","hz":60,"unit":`+fmt.Sprint(g.unit)+`}`)
	}
	fmt.Fprintf(&c, `{"t":"h","v":1,"role":%q,"hz":60,"fps":%d,"unit":%v,"body":4}`+"\n", role, g.fps, g.unit)
	tick := 0
	serverTo := func(now float64) {
		for ; float64(tick) <= now; tick++ {
			fmt.Fprintf(out, `{"t":"s","k":%d,"b":[[4,%.7f,100,0]]}`+"\n", 1000+tick, g.at(float64(tick))/g.unit)
		}
	}
	for f := range int(g.seconds * float64(g.fps)) {
		second := float64(f) / float64(g.fps)
		serverTo(second*60 + 1e-9)
		if f%g.fps == 0 && g.split {
			fmt.Fprintf(&c, `{"t":"c","us":%d,"k":%.4f}`+"\n", 7_000_000+int(second*1e6), 1000+second*60)
		}
		if g.shows != nil && !g.shows(second) {
			continue
		}
		shown, off := second*60-g.delay, 0.0
		if g.offset != nil {
			off = g.offset(second)
		}
		fmt.Fprintf(&c, `{"t":"v","us":%d,"k":%.6f,"b":[[4,%.7f,100,0]]}`+"\n", 7_000_000+int(second*1e6), max(0, 1000+shown), (g.at(shown)+off)/g.unit)
	}
	serverTo((g.seconds + 1) * 60)
	return c.String(), s.String()
}

// card returns the score of the game's log.
func (g *game) card(t *testing.T) *Card {
	t.Helper()
	text, other := g.logs()
	client, err := NewReader("client.jsonl", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	states := client
	if g.split {
		if states, err = NewReader("server.jsonl", strings.NewReader(other)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Score(client, states, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// value returns a measure, and NaN if it has no value.
func (c *Card) value(name string) float64 {
	for _, m := range c.Measures {
		if m.Name == name && m.OK {
			return m.Value
		}
	}
	return math.NaN()
}

// TestKnownScores scores games whose faults are known, at several rates of frames, in one log and in two: a picture that is
// late has a delay but no path error, one with an offset has that path error, a jump is a pop, and a picture that stays is
// frozen.
func TestKnownScores(t *testing.T) {
	once := func(from, to float64) func(float64) bool {
		return func(s float64) bool { return s >= from && s < to }
	}
	rates := []int{20, 30, 60, 75, 144, 240}
	if experiment.Brief() {
		rates = []int{20, 60, 144}
	}
	for _, fps := range rates {
		for _, split := range []bool{false, true} {
			name := fmt.Sprintf("%d frames a second, split %v", fps, split)
			near := func(c *Card, measure string, want, tolerance float64) {
				t.Helper()
				if got := c.value(measure); !(math.Abs(got-want) <= tolerance) {
					t.Errorf("%s: %s is %v, want %v within %v (%v)", name, measure, got, want, tolerance, c.Notes)
				}
			}
			tick := 1000.0/60 + 1100/float64(fps) // a log that is read by the order of its lines knows no better
			bend := 6.0 / 8 / float64(fps*fps)    // a path that is sampled has corners
			late := &game{fps: fps, delay: 6, seconds: 12, split: split, unit: 1}
			c := late.card(t)
			near(c, "path_error_max_m", 0, 0.001+bend)
			near(c, "pops_per_minute", 0, 0)
			near(c, "freeze_percent", 0, 0)
			near(c, "display_delay_ms", 100, tick)
			near(c, "nominal_delay_mean_ms", 100, tick)
			if c.Views < 10*fps || len(c.Notes) != 2 { // no key presses, no datagrams
				t.Errorf("%s: %d frames, notes %q", name, c.Views, c.Notes)
			}

			off := &game{fps: fps, delay: 6, seconds: 12, split: split, unit: 0.01, offset: func(float64) float64 { return 0.25 }}
			c = off.card(t)
			near(c, "path_error_rms_m", 0.25, 0.001+bend)
			near(c, "pops_per_minute", 0, 0)

			ahead := &game{fps: fps, delay: -5, seconds: 12, split: split, unit: 1}
			c = ahead.card(t)
			near(c, "path_error_max_m", 0, 0.001+bend)
			near(c, "display_delay_ms", -1000.0/12, tick)

			jump := &game{fps: fps, delay: 6, seconds: 12, split: split, unit: 1, offset: func(s float64) float64 {
				if once(9.25, 100)(s) {
					return 0.8
				}
				return 0
			}}
			c = jump.card(t)
			near(c, "pops_per_minute", 60.0/11, 0.3)
			near(c, "largest_pop_m", 0.8, 0.15)

			// The body is fast at 9.24 s.
			frozen := &game{fps: fps, delay: 6, seconds: 12, split: split, unit: 1, shows: func(s float64) bool { return !once(9.05, 9.45)(s) }}
			c = frozen.card(t)
			near(c, "longest_freeze_ms", 400, 2500/float64(min(fps, 60)))
		}
	}
}

// TestLateLines checks that frames and ticks that are written in bursts, and times that are off by half a frame, are no
// pops: a log is written by threads.
func TestLateLines(t *testing.T) {
	g := &game{fps: 60, delay: 6, seconds: 12, unit: 1}
	text, _ := g.logs()
	lines := strings.SplitAfter(text, "\n")
	for i := 2; i+8 < len(lines); i += 8 { // s v s v ... to s s s s v v v v
		var s, v []string
		for _, l := range lines[i : i+8] {
			if strings.Contains(l, `"s"`) {
				s = append(s, l)
			} else {
				v = append(v, l)
			}
		}
		copy(lines[i:], append(s, v...))
	}
	r, err := NewReader("log", strings.NewReader(strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Score(r, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e, p := c.value("path_error_max_m"), c.value("pops_per_minute"); !(e < 0.001) || p > 0 {
		t.Errorf("path error %v m, pops %v a minute", e, p)
	}
}

// TestNoClock checks that two logs without lines c have path error and pops, but nothing that needs the server's present.
func TestNoClock(t *testing.T) {
	g := &game{fps: 60, delay: 6, seconds: 12, split: true, unit: 1}
	text, other := g.logs()
	var lines []string
	for line := range strings.Lines(text) {
		if !strings.Contains(line, `"t":"c"`) {
			lines = append(lines, line)
		}
	}
	client, _ := NewReader("client", strings.NewReader(strings.Join(lines, "")))
	server, _ := NewReader("server", strings.NewReader(other))
	c, err := Score(client, server, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e, p := c.value("path_error_max_m"), c.value("pops_per_minute"); !(e < 0.001) || p != 0 {
		t.Errorf("path error %v m, pops %v a minute", e, p)
	}
	for _, name := range needsClock {
		if v := c.value(name); v == v {
			t.Errorf("%s is %v, want no value", name, v)
		}
	}
}

// TestKeyToScreen checks that a press ends with the frame that contains its input, or with the first motion where frames do
// not say what they contain.
func TestKeyToScreen(t *testing.T) {
	for _, known := range []bool{true, false} {
		var b strings.Builder
		b.WriteString(head)
		at, in := 0.0, 0
		var due []int // frames in which a press shows
		for f := range 700 {
			us := f * 1e6 / 60
			fmt.Fprintf(&b, `{"t":"s","k":%d,"b":[[1,%v,0,0]]}`+"\n", f, at)
			switch {
			case f%100 == 50 && f < 600:
				fmt.Fprintf(&b, `{"t":"i","us":%d,"id":%d,"keys":"D"}`+"\n", us, f)
				due = append(due, f+7)
			case f%100 == 60:
				fmt.Fprintf(&b, `{"t":"i","us":%d,"id":%d,"keys":""}`+"\n", us, f)
			}
			if len(due) > 0 && f >= due[len(due)-1] {
				in = due[len(due)-1] - 7
				if f%100 >= 57 && f%100 < 70 {
					at += 0.05
				}
			}
			fmt.Fprintf(&b, `{"t":"v","us":%d,"k":%d,"b":[[1,%v,0,0]]`, us, f, at)
			if known && in > 0 {
				fmt.Fprintf(&b, `,"in":%d`, in)
			}
			b.WriteString("}\n")
		}
		r, err := NewReader("log", strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		c, err := Score(r, r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.value("key_to_screen_ms"); math.Abs(got-7000.0/60) > 0.1 || c.Presses != 3 {
			t.Errorf("known %v: key to screen %v ms of %d presses, want 116.7", known, got, c.Presses)
		}
	}
}

// TestPairs checks that logs that do not belong together are refused.
func TestPairs(t *testing.T) {
	reader := func(head string) *Reader {
		r, err := NewReader("log", strings.NewReader(head))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	client, server := `{"t":"h","v":1,"role":"client","hz":60,"body":1}`, `{"t":"h","v":1,"role":"server","hz":60}`
	for _, c := range []struct{ client, server, want string }{
		{client, "", "field role"}, {server, client, "no line of the server"}, {client, client, "field role"}, {server, server, "field role"},
		{client, `{"t":"h","v":1,"role":"server","hz":30}`, "field hz: 30: want 60"},
		{client, `{"t":"h","v":1,"role":"server","hz":60,"unit":0.01}`, "field unit"},
		{client, server, "no line of the server"}, {head, "", "no line of the server"},
		{head + `{"t":"s","k":1,"b":[]}` + "\n" + `{"t":"v","us":1,"k":1,"b":[[1,0,0,0]]}`, "", "body 1, the player's, is never"},
	} {
		a := reader(c.client)
		b := a
		if c.server != "" {
			b = reader(c.server)
		}
		if _, err := Score(a, b, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: error %v, want %s", c.client, c.server, err, c.want)
		}
	}
}

// FuzzScoreOfTwo checks that two logs, whatever they say of their clocks, are scored or refused.
func FuzzScoreOfTwo(f *testing.F) {
	a, b := (&game{fps: 60, delay: 6, seconds: 0.2, split: true, unit: 1}).logs()
	f.Add(a, b)
	f.Add(strings.ReplaceAll(a, `"k":10`, `"k":9990`), b)
	f.Add(a, strings.ReplaceAll(b, `"k":10`, `"k":9990`))
	f.Add(strings.ReplaceAll(a, `"fps":60`, `"fps":240`), strings.ReplaceAll(b, `"k":10`, `"k":0`))
	f.Fuzz(func(t *testing.T, client, server string) {
		c, err := NewReader("client", strings.NewReader(client))
		if err != nil {
			return
		}
		s, err := NewReader("server", strings.NewReader(server))
		if err != nil {
			return
		}
		var r Recording
		card, err := Score(c, s, &r)
		if err != nil {
			return
		}
		for _, m := range card.Measures {
			if m.OK && (math.IsNaN(m.Value) || math.IsInf(m.Value, 0)) {
				t.Errorf("%s is %v", m.Name, m.Value)
			}
		}
		if _, err := r.Network(); err != nil && strings.Contains(err.Error(), "\n") {
			t.Error(err)
		}
		r.Inputs()
	})
}
