package lab_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"ghostcube/net/link"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/part/validation"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// soakMinutes returns the length of a soak in minutes of session time: GHOSTCUBE_SOAK, or a
// default.
func soakMinutes(t *testing.T, usual, short int) int {
	t.Helper()
	if s := os.Getenv("GHOSTCUBE_SOAK"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if testing.Short() {
		return short
	}
	return usual
}

// soakSession is a session of two players at one pile, with the history of the server's poses.
type soakSession struct {
	*testing.T
	rng         *rand.Rand
	label       string // for messages
	lab         *Lab
	pane        *Pane
	in          []sim.Input
	idle        bool             // no player gives input
	serverPoses [256][]geom.Pose // by tick
	serverTicks [256]sim.Tick
	tickCount   int
}

func (f *soakSession) pick(list ...string) string { return list[f.rng.IntN(len(list))] }

// randomNetwork returns random network conditions.
func (f *soakSession) randomNetwork() string {
	if f.rng.IntN(3) == 0 {
		return f.pick(link.ProfileNames()...)
	}
	return fmt.Sprintf("perfect,latency=%dms,jitter=%dms,shape=%s,loss=%d%%,burst=%d,duplicate=%d%%,reorder=%d%%,reorder-delay=50ms",
		f.rng.IntN(300), f.rng.IntN(60), f.pick("uniform", "uniform-positive", "gamma", "long-tail"), f.rng.IntN(35), f.rng.IntN(8), f.rng.IntN(10), f.rng.IntN(10))
}

// toAll returns a command for all panes.
func (f *soakSession) toAll(verb, name, value string) Command {
	return Command{Verb: verb, Pane: AllPanes, Name: name, Value: value}
}

// randomInputs changes the input of both players at random, mostly towards the pile in the
// middle.
func (f *soakSession) randomInputs() {
	if f.idle {
		clear(f.in)
		return
	}
	for i := range f.in {
		if f.rng.IntN(12) != 0 {
			continue
		}
		if f.rng.IntN(3) == 0 {
			f.in[i].Buttons = sim.Buttons(f.rng.Uint32()) & sim.AllButtons
			continue
		}
		p := f.pane.ServerWorld.Bodies()[i].Pose.Pos
		f.in[i] = sim.Input{Buttons: sim.Buttons(f.rng.Uint32()) & (sim.Lift | sim.Pull)}
		if p.X > 0 {
			f.in[i].Buttons |= sim.Left
		} else {
			f.in[i].Buttons |= sim.Right
		}
		if p.Y > 2 {
			f.in[i].Buttons |= sim.Back
		} else {
			f.in[i].Buttons |= sim.Forward
		}
	}
}

// tick makes a tick with random inputs and checks all worlds.
func (f *soakSession) tick(commands ...Command) {
	f.Helper()
	f.randomInputs()
	f.step(commands...)
}

// step makes a tick, and checks that all bodies are inside the scene and all contacts unique.
func (f *soakSession) step(commands ...Command) {
	f.Helper()
	if err := f.lab.Tick(Entry{Inputs: f.in, Commands: commands}); err != nil {
		f.Fatal(f.label, ": ", err)
	}
	f.tickCount++
	w := f.pane.ServerWorld
	at := w.Tick() % sim.Tick(len(f.serverPoses))
	f.serverPoses[at], f.serverTicks[at] = f.serverPoses[at][:0], w.Tick()
	for _, b := range w.Bodies() {
		f.serverPoses[at] = append(f.serverPoses[at], b.Pose)
	}
	f.checkWorld("the server", w)
	for _, s := range f.pane.Clients {
		f.checkWorld("the client", s.World)
		for i, p := range s.View.Bodies {
			if !p.Pos.IsFinite() || !p.Rot.IsFinite() {
				f.Fatalf("%s, tick %d: body %d is drawn at %v", f.label, f.tickCount, i, p)
			}
		}
	}
}

func (f *soakSession) checkWorld(which string, w *predict.World) {
	f.Helper()
	if err := w.CheckContacts(); err != nil {
		f.Fatalf("%s, %s: %v", f.label, which, err)
	}
	for i := range w.Bodies() {
		if b := &w.Bodies()[i]; !validation.Body(b, w.Scene()) {
			f.Fatalf("%s, tick %d: in %s body %d is %+v", f.label, f.tickCount, which, i, *b)
		}
	}
}

// maxDelay returns the largest display delay, in ticks.
func (f *soakSession) maxDelay() (age int) {
	for _, s := range f.pane.Clients {
		age = max(age, int(f.pane.ServerWorld.Tick())-int(s.View.Tick()))
	}
	return age
}

// maxPathError returns the largest path error of any client in metres, of the drawn and of
// the simulated poses.
func (f *soakSession) maxPathError() (drawn, simulated float32) {
	f.Helper()
	for _, s := range f.pane.Clients {
		at := s.View.Tick() % sim.Tick(len(f.serverPoses))
		if f.serverTicks[at] != s.View.Tick() {
			f.Fatalf("%s: the view claims to show tick %d, the server is at %d", f.label, s.View.Tick(), f.pane.ServerWorld.Tick())
		}
		for i, p := range f.serverPoses[at] {
			drawn = max(drawn, s.View.Bodies[i].Pos.Sub(p.Pos).Len())
			simulated = max(simulated, s.View.Simulated[i].Pos.Sub(p.Pos).Len())
		}
	}
	return drawn, simulated
}

// randomKeys makes each player press other keys every 12 ticks on average.
func (f *soakSession) randomKeys() {
	for i := range f.in {
		if f.rng.IntN(12) == 0 {
			f.in[i] = sim.Input{Buttons: sim.Buttons(f.rng.Uint32()) & sim.Buttons(f.rng.Uint32()|0x30) & sim.AllButtons, Heading: uint8(f.rng.Uint32())}
		}
	}
}
