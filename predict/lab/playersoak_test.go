package lab_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// playerSoakCycle is the length of a cycle of TestRandomPlayers in seconds: bad networks and faults,
// then calmSeconds without any.
const (
	playerSoakCycle = 20
	calmSeconds     = 5
)

// TestRandomPlayers lets random players push, pull, lift and shoot in every scene with every
// strategy, over random networks with freezes, blackouts, slow frames and nudges. No side may
// panic, every body stays inside the scene on every side, and after calmSeconds without faults
// the view is at most a second from the server and the server uses the players' inputs. Lockstep, which
// has to step every tick, gets a third of the time with faults in addition.
// GHOSTCUBE_SOAK is the length in seconds of each scene and strategy; without it, scenes of more than
// 60 bodies are left out, and the others have a third of the strategies each.
func TestRandomPlayers(t *testing.T) {
	experiment.Skip(t)
	seconds := soakMinutes(t, playerSoakCycle, playerSoakCycle)
	for i := range scene.Templates {
		name := scene.Templates[i].Name
		if built := scene.Templates[i].Build(); os.Getenv("GHOSTCUBE_SOAK") == "" && len(built.Boxes) > 60 {
			continue
		}
		for j, s := range Strategies {
			if os.Getenv("GHOSTCUBE_SOAK") == "" && (i+j)%3 != 0 {
				continue
			}
			t.Run(name+"/"+s.Name, func(t *testing.T) {
				t.Parallel()
				f := &soakSession{T: t, rng: rand.New(rand.NewPCG(uint64(i), uint64(j)))}
				f.openScene(name, s.Name)
				for f.tickCount < seconds*60 {
					f.badTime()
					f.calmTime()
				}
			})
		}
	}
}

// openScene opens a session of a scene. A scene that the strategy refuses skips the test.
func (s *soakSession) openScene(scene, spec string) {
	s.Helper()
	s.lab = New(labtest.Config(s.T, scene, "latency=50ms", AtClient))
	pane, err := s.lab.Open(spec)
	if err != nil {
		s.Skip(err)
	}
	s.pane, s.label = pane, scene+", "+spec
	s.in = make([]sim.Input, s.lab.Players())
}

// badTime makes the ticks of a cycle with faults.
func (s *soakSession) badTime() {
	s.Helper()
	client := func() string { return strconv.Itoa(1 + s.rng.IntN(len(s.pane.Clients))) }
	for i := range (playerSoakCycle - calmSeconds) * 60 {
		s.changeKeys()
		switch {
		case i%300 == 0:
			s.step(s.toAll("network", "", s.randomNetwork()))
		case s.rng.IntN(200) == 0:
			s.step(s.toAll("freeze", client(), s.pick("100ms", "500ms", "1s", "3s")))
		case s.rng.IntN(300) == 0:
			s.step(s.toAll("blackout", "", s.pick("100ms", "500ms", "3s")))
		case s.rng.IntN(300) == 0:
			s.step(s.toAll("clock", client()+".fps", s.pick("10", "20", "50", "144", "off")))
		case s.rng.IntN(300) == 0:
			s.step(s.toAll("clock", client()+".skew", s.pick("500", "-500", "8000", "-8000", "off")))
		case s.rng.IntN(600) == 0:
			s.step(s.toAll("nudge", s.pick("x", "y", "z"), "1"))
		default:
			s.step()
		}
	}
}

// calmTime ends all faults and checks that the session recovers.
func (s *soakSession) calmTime() {
	s.Helper()
	end := []Command{s.toAll("network", "", "latency=50ms")}
	for i := range s.pane.Clients {
		end = append(end, s.toAll("clock", strconv.Itoa(i+1)+".fps", "off"), s.toAll("clock", strconv.Itoa(i+1)+".skew", "off"))
	}
	s.step(end...)
	for range s.recoveryTicks() {
		s.changeKeys()
		s.step()
	}
	starved := s.pane.Counters.Value("input_starved_ticks") + s.pane.Counters.Value("stalled_ticks")
	for range 60 {
		s.changeKeys()
		s.step()
	}
	if d := s.maxDelay(); d > 60 || d < -60 {
		s.Errorf("%s, tick %d: %d ticks after the last fault the view is %d ticks behind the server", s.label, s.tickCount, s.recoveryTicks()+61, d)
	}
	if n := s.pane.Counters.Value("input_starved_ticks") + s.pane.Counters.Value("stalled_ticks") - starved; n > 30 {
		s.Errorf("%s, tick %d: %d ticks after the last fault %v of 60 ticks lacked an input", s.label, s.tickCount, s.recoveryTicks()+1, n)
	}
}

// recoveryTicks returns the number of ticks after the last fault in which nothing is checked.
func (s *soakSession) recoveryTicks() int {
	if s.pane.Strategy.Name == "lockstep" {
		return playerSoakCycle / 3 * 60
	}
	return (calmSeconds-1)*60 - 1
}

// changeKeys changes the keys that the players hold every few ticks. They shoot now and then.
func (s *soakSession) changeKeys() {
	for i := range s.in {
		s.in[i].Shot = sim.Shot{Fired: s.rng.IntN(100) == 0, Yaw: uint16(s.rng.IntN(sim.AimSteps))}
		switch s.rng.IntN(20) {
		case 0, 1:
			s.in[i].Buttons = sim.Buttons(s.rng.Uint32()) & sim.AllButtons
		case 2:
			s.in[i].Heading = uint8(s.rng.Uint32())
		}
	}
}
