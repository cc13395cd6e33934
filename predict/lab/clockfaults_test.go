package lab

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// trial is a session in which it is looked at how far each picture of the first
// client is from the server's world of the same tick, and how late it is.
type trial struct {
	*testing.T
	lab   *Lab
	late  []int     // by tick of the session
	apart []float32 // the same, metres; below 0: not known yet
	truth map[sim.Tick]geom.Vec3
	drawn map[sim.Tick][]int // by the server's tick: pictures that wait for it
	poses []geom.Vec3
}

func newTrial(t *testing.T, scene, weather string, seat Seat, spec string) *trial {
	return &trial{T: t, lab: open(t, config(t, scene, weather, seat), spec),
		truth: map[sim.Tick]geom.Vec3{}, drawn: map[sim.Tick][]int{}}
}

func (r *trial) do(verb, name, value string) {
	if err := r.lab.Do(Command{Verb: verb, Pane: All, Name: name, Value: value}); err != nil {
		r.Fatal(err)
	}
}

// run makes ticks in which the player turns a corner every two seconds.
func (r *trial) run(ticks int) {
	for range ticks {
		n := len(r.late)
		in := []sim.Input{{Buttons: []sim.Buttons{sim.Forward, sim.Right, sim.Back, sim.Left}[n/120%4]}}
		if err := r.lab.Tick(Entry{Inputs: in}); err != nil {
			r.Fatal(err)
		}
		p := r.lab.Panes[0]
		v := &p.Clients[0].View
		label := v.Of(0)
		r.late = append(r.late, int(int64(p.ServerWorld.Tick())-int64(label)))
		r.apart, r.poses = append(r.apart, -1), append(r.poses, v.Bodies[0].Pos)
		r.truth[p.ServerWorld.Tick()] = p.ServerWorld.Bodies()[0].Pose.Pos
		r.drawn[label] = append(r.drawn[label], n)
		for _, t := range []sim.Tick{label, p.ServerWorld.Tick()} {
			if at, ok := r.truth[t]; ok {
				for _, i := range r.drawn[t] {
					r.apart[i] = r.poses[i].Sub(at).Len()
				}
				delete(r.drawn, t)
			}
		}
	}
}

// wrong is for how many ticks from one on the picture was later or earlier than
// usual by more than two ticks, or by more than some metres from the truth, until
// it was not for a second.
func (r *trial) wrong(from, usual int, metres float32) int {
	right := from // since when it has been
	for i := from; i < len(r.late) && i < right+60; i++ {
		if d := r.late[i] - usual; d < -2 || d > 2 || r.apart[i] > metres {
			right = i + 1
		}
	}
	return right - from
}

// base runs until the strategy is at work, and returns how late its picture
// usually is.
func (r *trial) base() int {
	r.run(900)
	return r.late[899]
}

// starved makes ticks and returns in how many of them the server had no input.
func (r *trial) starved(ticks int) float64 {
	m := r.lab.Panes[0].Counters
	before := m.Value("starved")
	r.run(ticks)
	return m.Value("starved") - before
}

// exact is whether the picture is to be that of the truth to the bit: of a client
// that predicts its own player, and nobody else is there.
func exact(spec string, seat Seat) bool { return spec == "rewind" && seat == AtClient }

// clocked are the strategies as they are looked at under the faults of a clock.
var clocked = []struct {
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
	{"statesync:authority=toucher", false, 5, 2},
	{"animated", false, 5, 1},
}

// TestRecoversFromFreeze says that after a client has stood still, for however
// long, its picture is what it was before within seconds: as late as before, and
// as near to the truth; and that after five seconds the server has its inputs as
// before. Lockstep that does not follow the clock stays late.
func TestRecoversFromFreeze(t *testing.T) {
	t.Log("seconds until the picture is right again after a freeze of 0.3, 0.9, 2 and 10 s")
	for _, c := range clocked {
		for _, seat := range []Seat{AtClient, AtHost} {
			r := newTrial(t, "plain", "latency=75ms,jitter=10ms", seat, c.spec)
			usual, metres := r.base(), c.metres
			if exact(c.spec, seat) {
				metres = 0.01 // what is let pass, rolled on
			}
			hungry := r.starved(600)
			line := fmt.Sprintf("%-28s %-6s", c.spec, seat)
			for _, long := range []string{"300ms", "900ms", "2s", "10s"} {
				r.do("freeze", "", long)
				r.run(int(r.lab.Panes[0].ClockFault(0).FrozenUntil) - len(r.late))
				back := len(r.late)
				r.run(300)
				after := r.starved(600)
				r.run(300)
				if after > hungry+20 {
					t.Errorf("%s, %s: five seconds after a freeze of %s %v of 600 ticks have no input, usually %v", c.spec, seat, long, after, hungry)
				}
				took := r.wrong(back, usual, metres)
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

// TestKeepsStep says that for ten minutes with a clock that is 500 ppm fast or slow,
// and at 20 and at 144 frames a second, each strategy stays as late as it was, give or
// take three ticks, and as near to the truth; that no picture of snapshots stands
// still and none begins again; and that all inputs that have to come in their ticks do.
// Lockstep that does not follow the clock stays right, and drifts.
func TestKeepsStep(t *testing.T) {
	minutes := 10
	if testing.Short() {
		minutes = 2
	}
	t.Log("ticks by which the picture is later than usual, least and most; metres from the truth")
	for _, c := range clocked {
		for _, seat := range []Seat{AtClient, AtHost} {
			line := fmt.Sprintf("%-28s %-6s", c.spec, seat)
			for _, fault := range [][2]string{{"skew", "500"}, {"skew", "-500"}, {"fps", "20"}, {"fps", "144"}} {
				r := newTrial(t, "plain", "latency=75ms,jitter=10ms", seat, c.spec)
				usual, metres := r.base(), c.metres
				m := r.lab.Panes[0].Counters
				zero := []string{"starved_ticks", "restarts"}
				if exact(c.spec, seat) {
					zero, metres = []string{"starved", "late_inputs"}, 0
				}
				before := [2]float64{m.Value(zero[0]), m.Value(zero[1])}
				began := len(r.late)
				r.do("clock", fault[0], fault[1])
				ticks := 3600
				if fault[0] == "skew" {
					ticks *= minutes
				}
				r.run(ticks)
				least, most, far := 0, 0, float32(0)
				for i := began + 120; i < len(r.late); i++ {
					least, most = min(least, r.late[i]-usual), max(most, r.late[i]-usual)
					far = max(far, r.apart[i])
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
	for _, c := range clocked {
		for game := range games {
			f := &fight{T: t, chance: rand.New(rand.NewPCG(31, uint64(game)))}
			f.begin(game, c.spec)
			seat := func() string { return f.pick("1", strconv.Itoa(len(f.pane.Clients))) }
			for i := range 2400 {
				switch {
				case i%300 == 299:
					f.play(f.all("weather", "", f.weather()))
				case f.chance.IntN(300) == 0:
					f.play(f.all("clock", seat()+".skew", f.pick("500", "-500", "8000", "-8000", "off")))
				case f.chance.IntN(300) == 0:
					f.play(f.all("clock", seat()+".fps", f.pick("10", "20", "50", "144", "off")))
				case f.chance.IntN(400) == 0:
					f.play(f.all("freeze", seat(), f.pick("100ms", "400ms", "1.2s", "3s", "12s")))
				default:
					f.play()
				}
			}
			f.play(f.all("weather", "", "perfect"), f.all("clock", "skew", "off"), f.all("clock", "fps", "off"), f.all("freeze", "", "1ms"))
			f.rests = true
			for range 1200 {
				f.play()
			}
			shown := make([]sim.Tick, len(f.pane.Clients))
			for i, s := range f.pane.Clients {
				shown[i] = s.View.Tick
			}
			for range 300 {
				f.play()
			}
			for i, s := range f.pane.Clients {
				if went := s.View.Tick - shown[i]; went < 290 || went > 310 {
					t.Errorf("%s: in 300 ticks the picture of seat %d goes on by %d", f.what, i, went)
				}
				for j, b := range f.pane.ServerWorld.Bodies() {
					if d := s.View.Bodies[j].Pos.Sub(b.Pose.Pos).Len(); d > metSimulated {
						t.Errorf("%s: at rest seat %d draws body %d %v m from where it is", f.what, i, j, d)
						break
					}
				}
			}
		}
	}
}
