// Package labtest runs sessions of the laboratory in tests: it opens them, plays a
// scripted player, and checks the promises that every strategy makes.
//
// A strategy's own test calls Transcript, HostDelay and InputLatency with the figures that
// are its own. The conformance tests of package lab run every strategy of the list.
package labtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/golden"
	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// Config returns a configuration at 60 ticks per second with the seed 7. network is a
// profile or a list of conditions.
func Config(t testing.TB, scene, network string, seat lab.Seat) lab.Config {
	t.Helper()
	c := lab.Config{Scene: scene, Rate: 60, Seat: seat}
	c.Network.Seed = 7
	if err := c.Network.Parse(network); err != nil {
		t.Fatal(err)
	}
	return c
}

// Open returns a session with a pane for each spec.
func Open(t testing.TB, c lab.Config, specs ...string) *lab.Lab {
	t.Helper()
	l := lab.New(c)
	for _, s := range specs {
		if _, err := l.Open(s); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// Tick makes a tick of a session, whose commands must not be refused.
func Tick(t testing.TB, l *lab.Lab, e lab.Entry) {
	t.Helper()
	if err := l.Tick(e); err != nil {
		t.Fatal(err)
	}
}

// Hold makes some ticks of a session in which the players' inputs stay the same.
func Hold(t testing.TB, l *lab.Lab, ticks int, in ...sim.Input) {
	t.Helper()
	for range ticks {
		Tick(t, l, lab.Entry{Inputs: in})
	}
}

// Apply applies commands, such as "nudge all x 1", between two ticks.
func Apply(t testing.TB, l *lab.Lab, commands ...string) {
	t.Helper()
	for _, text := range commands {
		c, err := lab.ParseCommand(text)
		if err == nil {
			err = l.Apply(c)
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

// Report logs what a test has measured, as an error if it is wrong.
func Report(t testing.TB, wrong bool, format string, args ...any) {
	t.Helper()
	if t.Logf(format, args...); wrong {
		t.Fail()
	}
}

// Inputs returns the input of a scripted player who keeps changing keys.
func Inputs(tick int) []sim.Input {
	if tick < 30 {
		return []sim.Input{{}}
	}
	x := uint64(tick/17) * 0x9E3779B97F4A7C15
	return []sim.Input{{Buttons: sim.Buttons(x>>40) & sim.MoveButtons &^ sim.Buttons(x>>20&0x30), Heading: uint8(tick / 16 * 16)}}
}

// Run advances a session by some ticks with the scripted player's input. It checks the contacts of
// all worlds after each tick.
func Run(t testing.TB, l *lab.Lab, ticks int) {
	t.Helper()
	for range ticks {
		Tick(t, l, lab.Entry{Inputs: Inputs(int(l.Ticks()))})
		CheckContacts(t, l)
	}
}

// CheckContacts checks that no world of a session has two contacts of one pair of shapes.
func CheckContacts(t testing.TB, l *lab.Lab) {
	t.Helper()
	for i, p := range l.Panes {
		if err := p.ServerWorld.CheckContacts(); err != nil {
			t.Fatalf("pane %d, the server's world: %v", i, err)
		}
		for j, c := range p.Clients {
			if err := c.World.CheckContacts(); err != nil {
				t.Fatalf("pane %d, the world of client %d: %v", i, j, err)
			}
		}
	}
}

// Transcript compares a bad minute of a strategy with testdata/transcript.txt: its counters
// every five seconds, at 250 ms one way and 10 % loss, with a forced fault every five
// seconds. With -short it compares the first twenty seconds.
func Transcript(t *testing.T, spec string) {
	t.Helper()
	l := Open(t, Config(t, "zen", "csp-250ms-10", lab.AtClient), spec)
	var b strings.Builder
	ticks, compare := 3600, golden.Compare
	if testing.Short() {
		ticks, compare = 1200, golden.CompareStart
	}
	for i := range ticks {
		e := lab.Entry{Inputs: Inputs(i)}
		if i%300 == 299 {
			e.Commands = []lab.Command{{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"}}
		}
		Tick(t, l, e)
		if i%300 == 298 {
			p := l.Panes[0]
			fmt.Fprintf(&b, "tick %d\n", i+1)
			fmt.Fprintf(&b, "  lag error %.4f m\n", p.Score.LagError())
			fmt.Fprintf(&b, "  pops %d\n", int(p.Score.PopsPerMinute()*float64(p.Score.Ticks)/3600+0.5))
			for _, c := range p.Counters.All() {
				fmt.Fprintf(&b, "  %s %.6g\n", c.Name, c.Value)
			}
		}
	}
	compare(t, "transcript.txt", b.String())
}

// HostDelay checks that input at the host moves the server's world in its tick, and that
// the client, a spectator at 75 ms one way, shows it want ticks later, give or take one: the
// latency of four and a half ticks and the strategy's playout delay.
func HostDelay(t *testing.T, spec string, want int) {
	t.Helper()
	l := Open(t, Config(t, "plain", "latency=75ms", lab.AtHost), spec)
	Hold(t, l, 120)
	before := l.Panes[0].ServerWorld.Bodies()[0].Pose
	Hold(t, l, 1, sim.Input{Buttons: sim.Lift})
	if l.Panes[0].ServerWorld.Bodies()[0].Pose == before {
		t.Error("the server's world does not respond")
	}
	if n := l.Panes[0].Counters.Value("input_packets"); n != 0 {
		t.Errorf("a spectator sends %v input packets", n)
	}
	late := 0
	for l.Panes[0].Clients[0].View.Bodies[0].Pos.Sub(before.Pos).Len() < 1e-3 && late < 60 {
		Hold(t, l, 1, sim.Input{Buttons: sim.Lift})
		late++
	}
	if late < want-1 || late > want+1 {
		t.Errorf("the client shows it %d ticks later, want about %d", late, want)
	}
}

// InputLatency checks the ticks from a key press to the first view that shows it, over a
// network without latency, at 75 ms and at 250 ms one way. The measurement must not change
// the session.
func InputLatency(t *testing.T, spec string, perfect, at75, at250 int) {
	t.Helper()
	for _, c := range []struct {
		network string
		want    int
	}{{"perfect", perfect}, {"latency=75ms", at75}, {"latency=250ms", at250}} {
		l := Open(t, Config(t, "plain", c.network, lab.AtClient), spec)
		entries := make([]lab.Entry, 300)
		for i := range entries {
			entries[i].Inputs = []sim.Input{{}}
			if i >= 120 {
				entries[i].Inputs = []sim.Input{{Buttons: sim.Right}}
			}
		}
		first := lab.EntriesOf(entries).FirstKeyPress(0)
		if first != 120 {
			t.Fatalf("the first key press is at %d", first)
		}
		for _, e := range entries[:first] {
			Tick(t, l, e)
		}
		hash := l.Hash()
		if got := l.MeasureInputLatency(entries[first:]); !slices.Equal(got, []int{c.want}) {
			t.Errorf("%s: %v ticks, want %d", c.network, got, c.want)
		}
		if l.Hash() != hash {
			t.Error("the measurement changed the session")
		}
	}
}
