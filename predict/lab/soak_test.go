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

func (s *soakSession) pick(list ...string) string { return list[s.rng.IntN(len(list))] }

// randomNetwork returns random network conditions.
func (s *soakSession) randomNetwork() string {
	if s.rng.IntN(3) == 0 {
		return s.pick(link.ProfileNames()...)
	}
	return fmt.Sprintf("perfect,latency=%dms,jitter=%dms,shape=%s,loss=%d%%,burst=%d,duplicate=%d%%,reorder=%d%%,reorder-delay=50ms",
		s.rng.IntN(300), s.rng.IntN(60), s.pick("uniform", "uniform-positive", "gamma", "long-tail"), s.rng.IntN(35), s.rng.IntN(8), s.rng.IntN(10), s.rng.IntN(10))
}

// toAll returns a command for all panes.
func (s *soakSession) toAll(verb, name, value string) Command {
	return Command{Verb: verb, Pane: AllPanes, Name: name, Value: value}
}

// randomInputs changes the input of both players at random, mostly towards the pile in the
// middle.
func (s *soakSession) randomInputs() {
	if s.idle {
		clear(s.in)
		return
	}
	for i := range s.in {
		if s.rng.IntN(12) != 0 {
			continue
		}
		if s.rng.IntN(3) == 0 {
			s.in[i].Buttons = sim.Buttons(s.rng.Uint32()) & sim.AllButtons
			continue
		}
		p := s.pane.ServerWorld.Bodies()[i].Pose.Pos
		s.in[i] = sim.Input{Buttons: sim.Buttons(s.rng.Uint32()) & (sim.Lift | sim.Pull)}
		if p.X > 0 {
			s.in[i].Buttons |= sim.Left
		} else {
			s.in[i].Buttons |= sim.Right
		}
		if p.Y > 2 {
			s.in[i].Buttons |= sim.Back
		} else {
			s.in[i].Buttons |= sim.Forward
		}
	}
}

// tick makes a tick with random inputs and checks all worlds.
func (s *soakSession) tick(commands ...Command) {
	s.Helper()
	s.randomInputs()
	s.step(commands...)
}

// step makes a tick, and checks that all bodies are inside the scene and all contacts unique.
func (s *soakSession) step(commands ...Command) {
	s.Helper()
	if err := s.lab.Tick(Entry{Inputs: s.in, Commands: commands}); err != nil {
		s.Fatal(s.label, ": ", err)
	}
	s.tickCount++
	w := s.pane.ServerWorld
	at := w.Tick() % sim.Tick(len(s.serverPoses))
	s.serverPoses[at], s.serverTicks[at] = s.serverPoses[at][:0], w.Tick()
	for _, b := range w.Bodies() {
		s.serverPoses[at] = append(s.serverPoses[at], b.Pose)
	}
	s.checkWorld("the server", w)
	for _, f := range s.pane.Clients {
		s.checkWorld("the client", f.World)
		for i, p := range f.View.Bodies {
			if !p.Pos.IsFinite() || !p.Rot.IsFinite() {
				s.Fatalf("%s, tick %d: body %d is drawn at %v", s.label, s.tickCount, i, p)
			}
		}
	}
}

func (s *soakSession) checkWorld(which string, w *predict.World) {
	s.Helper()
	if err := w.CheckContacts(); err != nil {
		s.Fatalf("%s, %s: %v", s.label, which, err)
	}
	for i := range w.Bodies() {
		if b := &w.Bodies()[i]; !validation.Body(b, w.Scene()) {
			s.Fatalf("%s, tick %d: in %s body %d is %+v", s.label, s.tickCount, which, i, *b)
		}
	}
}

// maxDelay returns the largest display delay, in ticks.
func (s *soakSession) maxDelay() (age int) {
	for _, f := range s.pane.Clients {
		age = max(age, int(s.pane.ServerWorld.Tick())-int(f.View.Tick()))
	}
	return age
}

// maxPathError returns the largest path error of any client in metres, of the drawn and of
// the simulated poses. Between two ticks the server's path is the straight line that is drawn
// there. All bodies are compared at the moment of the others: with client authority the server
// has not yet reached the moment of the client's own.
func (s *soakSession) maxPathError() (drawn, simulated float32) {
	s.Helper()
	for _, f := range s.pane.Clients {
		at := f.View.Others
		for i, p := range f.View.Bodies {
			pos := s.serverPosition(at.Tick(), i)
			if between := at - at.Tick().Moment(); between != 0 {
				next := s.serverPosition(at.Tick()+1, i)
				pos = pos.AddScaled(float32(between.Ticks()), next.Sub(pos))
			}
			drawn = max(drawn, p.Pos.Sub(pos).Len())
			simulated = max(simulated, f.View.Simulated[i].Pos.Sub(pos).Len())
		}
	}
	return drawn, simulated
}

// serverPosition returns the position that a body had at the server.
func (s *soakSession) serverPosition(tick sim.Tick, body int) geom.Vec3 {
	s.Helper()
	at := tick % sim.Tick(len(s.serverPoses))
	if s.serverTicks[at] != tick {
		s.Fatalf("%s: the view claims to show tick %d, the server is at %d", s.label, tick, s.pane.ServerWorld.Tick())
	}
	return s.serverPoses[at][body].Pos
}

// randomKeys makes each player press other keys every 12 ticks on average.
func (s *soakSession) randomKeys() {
	for i := range s.in {
		if s.rng.IntN(12) == 0 {
			s.in[i] = sim.Input{Buttons: sim.Buttons(s.rng.Uint32()) & sim.Buttons(s.rng.Uint32()|0x30) & sim.AllButtons, Heading: uint8(s.rng.Uint32())}
		}
	}
}
