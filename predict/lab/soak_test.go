package lab

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"ghostcube/net/link"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// soakMinutes is for how many minutes of play a soak goes on: as GHOSTCUBE_SOAK
// says, or a few.
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

// fight is a session of two players at one pile whose past is remembered.
type fight struct {
	*testing.T
	chance *rand.Rand
	what   string // for a reader
	lab    *Lab
	pane   *Pane
	in     []sim.Input
	rests  bool             // nobody touches a key any more
	past   [256][]geom.Pose // the true poses, by tick
	ticks  [256]sim.Tick
	made   int
}

func (f *fight) pick(list ...string) string { return list[f.chance.IntN(len(list))] }

// weather is any weather.
func (f *fight) weather() string {
	if f.chance.IntN(3) == 0 {
		return f.pick(link.ProfileNames()...)
	}
	return fmt.Sprintf("perfect,latency=%dms,jitter=%dms,shape=%s,loss=%d%%,burst=%d,dup=%d%%,reorder=%d%%,reorder-by=50ms",
		f.chance.IntN(300), f.chance.IntN(60), f.pick("uniform", "later", "gamma", "long-tail"), f.chance.IntN(35), f.chance.IntN(8), f.chance.IntN(10), f.chance.IntN(10))
}

// all is a command to all panes.
func (f *fight) all(verb, name, value string) Command {
	return Command{Verb: verb, Pane: All, Name: name, Value: value}
}

// keys has both players do something else now and then: mostly towards the
// middle, where the pile is.
func (f *fight) keys() {
	if f.rests {
		clear(f.in)
		return
	}
	for i := range f.in {
		if f.chance.IntN(12) != 0 {
			continue
		}
		if f.chance.IntN(3) == 0 {
			f.in[i].Buttons = sim.Buttons(f.chance.Uint32()) & sim.AllButtons
			continue
		}
		p := f.pane.ServerWorld.Bodies()[i].Pose.Pos
		f.in[i] = sim.Input{Buttons: sim.Buttons(f.chance.Uint32()) & (sim.Lift | sim.Pull)}
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

// play makes a tick, and looks whether all bodies are where bodies can be.
func (f *fight) play(commands ...Command) {
	f.Helper()
	f.keys()
	if err := f.lab.Tick(Entry{Inputs: f.in, Commands: commands}); err != nil {
		f.Fatal(f.what, ": ", err)
	}
	f.made++
	w := f.pane.ServerWorld
	at := w.Tick() % sim.Tick(len(f.past))
	f.past[at], f.ticks[at] = f.past[at][:0], w.Tick()
	for _, b := range w.Bodies() {
		f.past[at] = append(f.past[at], b.Pose)
	}
	f.sane("the truth", w)
	for _, s := range f.pane.Clients {
		f.sane("the guess", s.World)
		for i, p := range s.View.Bodies {
			if !p.Pos.Finite() || !p.Rot.Finite() {
				f.Fatalf("%s, tick %d: body %d is drawn at %v", f.what, f.made, i, p)
			}
		}
	}
}

func (f *fight) sane(which string, w *sim.World) {
	f.Helper()
	for i := range w.Bodies() {
		if b := &w.Bodies()[i]; !codec.Plausible(b, w.Scene()) {
			f.Fatalf("%s, tick %d: in %s body %d is %+v", f.what, f.made, which, i, *b)
		}
	}
}

// age is how many ticks the oldest picture is behind the truth.
func (f *fight) age() (age int) {
	for _, s := range f.pane.Clients {
		age = max(age, int(f.pane.ServerWorld.Tick())-int(s.View.Tick))
	}
	return age
}

// apart is how far the picture of any seat is from the truth of the tick that it
// claims to show, as drawn and as simulated, in metres.
func (f *fight) apart() (drawn, simulated float32) {
	f.Helper()
	for _, s := range f.pane.Clients {
		at := s.View.Tick % sim.Tick(len(f.past))
		if f.ticks[at] != s.View.Tick {
			f.Fatalf("%s: the picture claims to show tick %d, the truth is at %d", f.what, s.View.Tick, f.pane.ServerWorld.Tick())
		}
		for i, p := range f.past[at] {
			drawn = max(drawn, s.View.Bodies[i].Pos.Sub(p.Pos).Len())
			simulated = max(simulated, s.View.Simulated[i].Pos.Sub(p.Pos).Len())
		}
	}
	return drawn, simulated
}
