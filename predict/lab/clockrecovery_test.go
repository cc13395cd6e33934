package lab_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// viewRecorder is a session in which it is looked at how far each picture of the first
// client is from the server's world of the same tick, and how late it is.
type viewRecorder struct {
	*testing.T
	lab             *Lab
	delays          []int     // by tick of the session
	errors          []float32 // the same, metres; below 0: not known yet
	serverPositions map[sim.Tick]geom.Vec3
	waiting         map[sim.Tick][]int // by the server's tick: pictures that wait for it
	drawnPositions  []geom.Vec3
}

func newViewRecorder(t *testing.T, scene, weather string, seat Seat, spec string) *viewRecorder {
	return &viewRecorder{T: t, lab: open(t, config(t, scene, weather, seat), spec),
		serverPositions: map[sim.Tick]geom.Vec3{}, waiting: map[sim.Tick][]int{}}
}

func (r *viewRecorder) apply(verb, name, value string) {
	if err := r.lab.Apply(Command{Verb: verb, Pane: AllPanes, Name: name, Value: value}); err != nil {
		r.Fatal(err)
	}
}

// run makes ticks in which the player turns a corner every two seconds.
func (r *viewRecorder) run(ticks int) {
	for range ticks {
		n := len(r.delays)
		in := []sim.Input{{Buttons: []sim.Buttons{sim.Forward, sim.Right, sim.Back, sim.Left}[n/120%4]}}
		if err := r.lab.Tick(Entry{Inputs: in}); err != nil {
			r.Fatal(err)
		}
		p := r.lab.Panes[0]
		v := &p.Clients[0].View
		label := v.TickOf(0)
		r.delays = append(r.delays, int(int64(p.ServerWorld.Tick())-int64(label)))
		r.errors, r.drawnPositions = append(r.errors, -1), append(r.drawnPositions, v.Bodies[0].Pos)
		r.serverPositions[p.ServerWorld.Tick()] = p.ServerWorld.Bodies()[0].Pose.Pos
		r.waiting[label] = append(r.waiting[label], n)
		for _, t := range []sim.Tick{label, p.ServerWorld.Tick()} {
			if at, ok := r.serverPositions[t]; ok {
				for _, i := range r.waiting[t] {
					r.errors[i] = r.drawnPositions[i].Sub(at).Len()
				}
				delete(r.waiting, t)
			}
		}
	}
}

// recoveryTicks is for how many ticks from one on the picture was later or earlier than
// usual by more than two ticks, or by more than some metres from the truth, until
// it was not for a second.
func (r *viewRecorder) recoveryTicks(from, usual int, metres float32) int {
	right := from // since when it has been
	for i := from; i < len(r.delays) && i < right+60; i++ {
		if d := r.delays[i] - usual; d < -2 || d > 2 || r.errors[i] > metres {
			right = i + 1
		}
	}
	return right - from
}

// usualDelay runs until the strategy is at work, and returns how late its picture
// usually is.
func (r *viewRecorder) usualDelay() int {
	r.run(900)
	return r.delays[899]
}

// countStarved makes ticks and returns in how many of them the server had no input.
func (r *viewRecorder) countStarved(ticks int) float64 {
	m := r.lab.Panes[0].Counters
	before := m.Value("input_starved_ticks")
	r.run(ticks)
	return m.Value("input_starved_ticks") - before
}

// expectsExact is whether the picture is to be that of the truth to the bit: of a client
// that predicts its own player, and nobody else is there.
func expectsExact(spec string, seat Seat) bool { return spec == "rewind" && seat == AtClient }

// clockFaultCases are the strategies as they are looked at under the faults of a clock.
var clockFaultCases = []struct {
	spec   string
	waits  bool    // by design: it stays as late as a fault has made it
	within int     // seconds in which it has recovered from any freeze
	metres float32 // from the truth that its picture may be at the corners, with no fault or with one
}{
	{"noprediction", false, 1, 0.01},
	{"rewind", false, 5, 0.75}, // of who only watches; for a player it is exact
	{"lockstep", true, 0, 0.01},
	{"lockstep:follow-clock=on", false, 7, 0.01},
	{"snapshot", false, 5, 0.02},
	{"snapshot:snapshot-every=6", false, 5, 0.5},
	{"statesync", false, 5, 0.02},
	{"statesync:authority=client", false, 5, 2},
	{"animated", false, 5, 1},
}

// TestRecoversFromFreeze says that after a client has stood still, for however
// long, its picture is what it was before within seconds: as late as before, and
// as near to the truth; and that after five seconds the server has its inputs as
// before. Lockstep that does not follow the clock stays late.
func TestRecoversFromFreeze(t *testing.T) {
	t.Log("seconds until the picture is right again after a freeze of 0.3, 0.9, 2 and 10 s")
	for _, c := range clockFaultCases {
		for _, seat := range []Seat{AtClient, AtHost} {
			r := newViewRecorder(t, "plain", "latency=75ms,jitter=10ms", seat, c.spec)
			usual, metres := r.usualDelay(), c.metres
			if expectsExact(c.spec, seat) {
				metres = 0.01 // what is let pass, rolled on
			}
			hungry := r.countStarved(600)
			line := fmt.Sprintf("%-28s %-6s", c.spec, seat)
			for _, long := range []string{"300ms", "900ms", "2s", "10s"} {
				r.apply("freeze", "", long)
				r.run(int(r.lab.Panes[0].ClockFault(0).FrozenUntil) - len(r.delays))
				back := len(r.delays)
				r.run(300)
				after := r.countStarved(600)
				r.run(300)
				if after > hungry+20 {
					t.Errorf("%s, %s: five seconds after a freeze of %s %v of 600 ticks have no input, usually %v", c.spec, seat, long, after, hungry)
				}
				took := r.recoveryTicks(back, usual, metres)
				if c.waits {
					line += "     -"
					continue
				}
				line += fmt.Sprintf(" %5.1f", float64(took)/60)
				if took > c.within*60 {
					t.Errorf("%s, %s: %d ticks after a freeze of %s the picture is still wrong", c.spec, seat, took, long)
				}
			}
			t.Log(line)
		}
	}
}

// TestSkewAndFrameRate says that for ten minutes with a clock that is 500 ppm fast or slow,
// and at 20 and at 144 frames a second, each strategy stays as late as it was, give or
// take three ticks, and as near to the truth; that no picture of snapshots stands
// still and none begins again; and that all inputs that have to come in their ticks do.
// Lockstep that does not follow the clock stays right, and drifts.
func TestSkewAndFrameRate(t *testing.T) {
	minutes := 10
	if testing.Short() {
		minutes = 2
	}
	t.Log("ticks by which the picture is later than usual, least and most; metres from the truth")
	for _, c := range clockFaultCases {
		for _, seat := range []Seat{AtClient, AtHost} {
			line := fmt.Sprintf("%-28s %-6s", c.spec, seat)
			for _, fault := range [][2]string{{"skew", "500"}, {"skew", "-500"}, {"fps", "20"}, {"fps", "144"}} {
				r := newViewRecorder(t, "plain", "latency=75ms,jitter=10ms", seat, c.spec)
				usual, metres := r.usualDelay(), c.metres
				m := r.lab.Panes[0].Counters
				zero := []string{"starved_ticks", "playback_restarts"}
				if expectsExact(c.spec, seat) {
					zero, metres = []string{"input_starved_ticks", "late_inputs"}, 0
				}
				before := [2]float64{m.Value(zero[0]), m.Value(zero[1])}
				began := len(r.delays)
				r.apply("clock", fault[0], fault[1])
				ticks := 3600
				if fault[0] == "skew" {
					ticks *= minutes
				}
				r.run(ticks)
				least, most, far := 0, 0, float32(0)
				for i := began + 120; i < len(r.delays); i++ {
					least, most = min(least, r.delays[i]-usual), max(most, r.delays[i]-usual)
					far = max(far, r.errors[i])
				}
				line += fmt.Sprintf("  %s=%s %+d %+d %.2f", fault[0], fault[1], least, most, far)
				what := fmt.Sprintf("%s, %s, %s=%s", c.spec, seat, fault[0], fault[1])
				if (least < -3 || most > 3) && !(c.waits && fault[0] == "skew") {
					t.Errorf("%s: the picture is by %d to %d ticks later than usual", what, least, most)
				}
				if far > metres {
					t.Errorf("%s: %v m from the truth, want at most %v", what, far, metres)
				}
				for i, name := range zero {
					if n := m.Value(name) - before[i]; n != 0 {
						t.Errorf("%s: %s are %v", what, name, n)
					}
				}
			}
			t.Log(line)
		}
	}
}

// TestClockSoak has two players play on with clients whose clocks, programs and
// links go wrong at random, each by itself, for 40 s. It says that no strategy comes
// to harm: when all is well again, all pictures go on, and at rest they are the truth.
func TestClockSoak(t *testing.T) {
	games := 4
	if testing.Short() {
		games = 1
	}
	for _, c := range clockFaultCases {
		for game := range games {
			f := &soakSession{T: t, rng: rand.New(rand.NewPCG(31, uint64(game)))}
			f.start(game, c.spec)
			seat := func() string { return f.pick("1", strconv.Itoa(len(f.pane.Clients))) }
			for i := range 2400 {
				switch {
				case i%300 == 299:
					f.tick(f.toAll("network", "", f.randomNetwork()))
				case f.rng.IntN(300) == 0:
					f.tick(f.toAll("clock", seat()+".skew", f.pick("500", "-500", "8000", "-8000", "off")))
				case f.rng.IntN(300) == 0:
					f.tick(f.toAll("clock", seat()+".fps", f.pick("10", "20", "50", "144", "off")))
				case f.rng.IntN(400) == 0:
					f.tick(f.toAll("freeze", seat(), f.pick("100ms", "400ms", "1.2s", "3s", "12s")))
				default:
					f.tick()
				}
			}
			f.tick(f.toAll("network", "", "perfect"), f.toAll("clock", "skew", "off"), f.toAll("clock", "fps", "off"), f.toAll("freeze", "", "1ms"))
			f.idle = true
			for range 1200 {
				f.tick()
			}
			shown := make([]sim.Tick, len(f.pane.Clients))
			for i, s := range f.pane.Clients {
				shown[i] = s.View.Tick
			}
			for range 300 {
				f.tick()
			}
			for i, s := range f.pane.Clients {
				if went := s.View.Tick - shown[i]; went < 290 || went > 310 {
					t.Errorf("%s: in 300 ticks the picture of seat %d goes on by %d", f.label, i, went)
				}
				for j, b := range f.pane.ServerWorld.Bodies() {
					if d := s.View.Bodies[j].Pos.Sub(b.Pose.Pos).Len(); d > convergedSimulated {
						t.Errorf("%s: at rest seat %d draws body %d %v m from where it is", f.label, i, j, d)
						break
					}
				}
			}
		}
	}
}
