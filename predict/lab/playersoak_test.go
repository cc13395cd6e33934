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
// 60 bodies are left out.
func TestRandomPlayers(t *testing.T) {
	experiment.Skip(t)
	seconds := soakMinutes(t, playerSoakCycle, playerSoakCycle)
	for i := range scene.Templates {
		name := scene.Templates[i].Name
		if built := scene.Templates[i].Build(); os.Getenv("GHOSTCUBE_SOAK") == "" && len(built.Boxes) > 60 {
			continue
		}
		for j, s := range Strategies {
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
func (f *soakSession) openScene(scene, spec string) {
	f.Helper()
	f.lab = New(labtest.Config(f.T, scene, "latency=50ms", AtClient))
	pane, err := f.lab.Open(spec)
	if err != nil {
		f.Skip(err)
	}
	f.pane, f.label = pane, scene+", "+spec
	f.in = make([]sim.Input, f.lab.Players())
}

// badTime makes the ticks of a cycle with faults.
func (f *soakSession) badTime() {
	f.Helper()
	client := func() string { return strconv.Itoa(1 + f.rng.IntN(len(f.pane.Clients))) }
	for i := range (playerSoakCycle - calmSeconds) * 60 {
		f.changeKeys()
		switch {
		case i%300 == 0:
			f.step(f.toAll("network", "", f.randomNetwork()))
		case f.rng.IntN(200) == 0:
			f.step(f.toAll("freeze", client(), f.pick("100ms", "500ms", "1s", "3s")))
		case f.rng.IntN(300) == 0:
			f.step(f.toAll("blackout", "", f.pick("100ms", "500ms", "3s")))
		case f.rng.IntN(300) == 0:
			f.step(f.toAll("clock", client()+".fps", f.pick("10", "20", "50", "144", "off")))
		case f.rng.IntN(300) == 0:
			f.step(f.toAll("clock", client()+".skew", f.pick("500", "-500", "8000", "-8000", "off")))
		case f.rng.IntN(600) == 0:
			f.step(f.toAll("nudge", f.pick("x", "y", "z"), "1"))
		default:
			f.step()
		}
	}
}

// calmTime ends all faults and checks that the session recovers.
func (f *soakSession) calmTime() {
	f.Helper()
	end := []Command{f.toAll("network", "", "latency=50ms")}
	for i := range f.pane.Clients {
		end = append(end, f.toAll("clock", strconv.Itoa(i+1)+".fps", "off"), f.toAll("clock", strconv.Itoa(i+1)+".skew", "off"))
	}
	f.step(end...)
	for range f.recoveryTicks() {
		f.changeKeys()
		f.step()
	}
	starved := f.pane.Counters.Value("input_starved_ticks") + f.pane.Counters.Value("stalled_ticks")
	for range 60 {
		f.changeKeys()
		f.step()
	}
	if d := f.maxDelay(); d > 60 || d < -60 {
		f.Errorf("%s, tick %d: %d ticks after the last fault the view is %d ticks behind the server", f.label, f.tickCount, f.recoveryTicks()+61, d)
	}
	if n := f.pane.Counters.Value("input_starved_ticks") + f.pane.Counters.Value("stalled_ticks") - starved; n > 30 {
		f.Errorf("%s, tick %d: %d ticks after the last fault %v of 60 ticks lacked an input", f.label, f.tickCount, f.recoveryTicks()+1, n)
	}
}

// recoveryTicks returns the number of ticks after the last fault in which nothing is checked.
func (f *soakSession) recoveryTicks() int {
	if f.pane.Strategy.Name == "lockstep" {
		return playerSoakCycle / 3 * 60
	}
	return (calmSeconds-1)*60 - 1
}

// changeKeys changes the keys that the players hold every few ticks. They shoot now and then.
func (f *soakSession) changeKeys() {
	for i := range f.in {
		f.in[i].Shot = sim.Shot{Fired: f.rng.IntN(100) == 0, Yaw: uint16(f.rng.IntN(sim.AimSteps))}
		switch f.rng.IntN(20) {
		case 0, 1:
			f.in[i].Buttons = sim.Buttons(f.rng.Uint32()) & sim.AllButtons
		case 2:
			f.in[i].Heading = uint8(f.rng.Uint32())
		}
	}
}
