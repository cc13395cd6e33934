// Package stagetest opens sessions for the tests of packages that draw them.
package stagetest

import (
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/sim"
)

// Session returns a session in the scene zen on a network.
func Session(t testing.TB, network string, specs ...string) *lab.Lab {
	t.Helper()
	return Open(t, lab.Config{Scene: "zen", Rate: 60}, network, specs...)
}

// Katamari returns a session with 200 cubes that a player on the server can pull.
func Katamari(t testing.TB, network string, specs ...string) *lab.Lab {
	t.Helper()
	return Open(t, lab.Config{Scene: "katamari:cubes=200", Rate: 60, Seat: lab.AtHost}, network, specs...)
}

// Open returns a session on a network with a pane for each spec.
func Open(t testing.TB, c lab.Config, network string, specs ...string) *lab.Lab {
	t.Helper()
	if err := c.Network.Parse(network); err != nil {
		t.Fatal(err)
	}
	l := lab.New(c)
	for _, s := range specs {
		if _, err := l.Open(s); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// Show applies display settings such as color=age,split=off.
func Show(t testing.TB, l *lab.Lab, settings string) {
	t.Helper()
	for setting := range strings.SplitSeq(settings, ",") {
		name, value, _ := strings.Cut(setting, "=")
		Apply(t, l, lab.Command{Verb: "show", Pane: lab.AllPanes, Name: name, Value: value})
	}
}

// Apply applies a command between two ticks.
func Apply(t testing.TB, l *lab.Lab, c lab.Command) {
	t.Helper()
	if err := l.Apply(c); err != nil {
		t.Fatal(err)
	}
}

// Follower is what follows a session by one call of Tick a tick.
type Follower interface{ Tick(*lab.Lab) }

// Roll makes ticks in which the player rolls in one direction after the other.
func Roll(t testing.TB, s Follower, l *lab.Lab, ticks int) {
	t.Helper()
	for i := range ticks {
		tick(t, s, l, sim.Input{Buttons: sim.Buttons(1 << (i / 30 % 4))})
	}
}

// RollAndPull makes ticks in which the player rolls and pulls cubes.
func RollAndPull(t testing.TB, s Follower, l *lab.Lab, ticks int) {
	t.Helper()
	for range ticks {
		tick(t, s, l, sim.Input{Buttons: sim.Pull | sim.Buttons(1<<(l.Ticks()/7%4))})
	}
}

// Rest makes ticks without buttons, the first of them with a shot.
func Rest(t testing.TB, s Follower, l *lab.Lab, ticks int, shot sim.Shot) {
	t.Helper()
	for i := range ticks {
		in := sim.Input{}
		if i == 0 {
			in.Shot = shot
		}
		tick(t, s, l, in)
	}
}

func tick(t testing.TB, s Follower, l *lab.Lab, in sim.Input) {
	t.Helper()
	if err := l.Tick(lab.Entry{Inputs: []sim.Input{in}}); err != nil {
		t.Fatal(err)
	}
	s.Tick(l)
}
