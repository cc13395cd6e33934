package lab_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// recoveryCases are the panes whose recovery from histories of faults is checked.
var recoveryCases = []struct {
	spec string

	// within is the time after the last fault, in seconds, from which everything works. Lockstep has
	// to step every tick.
	within int

	// late is the longest input delay that may be left, in seconds. Lockstep keeps the delay that its
	// first inputs had. (Over TCP it is not here, because its connection may be dead after an outage:
	// link.PairTCP.)
	late int
}{
	{"noprediction", 1, 0},
	{"rewind", 1, 0},
	{"rewind:server-steps=on-input", 1, 0},
	{"lockstep", 4, 1},
	{"lockstep:follow-clock=on", 4, 1},
	{"snapshot", 1, 0},
	{"snapshot:snapshot-every=6", 1, 0},
	{"snapshot:compression=arithmetic", 1, 0},
	{"statesync", 1, 0},
	{"statesync:authority=client", 1, 0},
	{"animated", 1, 0},
	{"animated:playout=4", 1, 0},
	{"historyoffset", 1, 0},
	{"relative", 1, 0},
}

// TestRecoversFromAnyHistory checks that every strategy works again after a random history of
// freezes, outages, clock faults and network conditions: the server obeys the player, and the client
// shows it.
func TestRecoversFromAnyHistory(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	histories, seconds := soakMinutes(t, 10, 2), 60
	if !experiment.Enabled() {
		histories, seconds = 2, 40
	}
	for _, c := range recoveryCases {
		for n := range histories {
			l := labtest.Open(t, labtest.Config(t, "plain", "latency=50ms", AtClient), c.spec)
			faults := runFaults(t, l, rand.New(rand.NewPCG(16, uint64(n))), seconds)
			if err := checkRecovery(t, l, c.within, c.late); err != nil {
				t.Errorf("%s, history %d: %v\n%s", c.spec, n, err, strings.Join(faults, "\n"))
				break
			}
		}
	}
}

// runFaults runs a session of a random player for some seconds while freezes, outages, clock faults
// and network conditions follow each other at random. Then all faults end, when no datagram is on its
// way that is older than a second. It returns a list of the faults.
func runFaults(t testing.TB, l *Lab, rng *rand.Rand, seconds int) (faults []string) {
	t.Helper()
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	in := []sim.Input{{}}
	lastNetwork := (seconds - 5) * 60
	for n := range seconds * 60 {
		c := Command{Pane: AllPanes}
		switch {
		case rng.IntN(120) == 0:
			c.Verb, c.Value = "freeze", pick("100ms", "400ms", "900ms", "1.5s", "3s", "3s", "7s", "12s")
		case rng.IntN(400) == 0:
			c.Verb, c.Value = "blackout", pick("250ms", "1s", "4s", "11s")
		case rng.IntN(300) == 0:
			c.Verb, c.Name, c.Value = "clock", "skew", pick("10000", "-10000", "500", "off")
		case rng.IntN(300) == 0:
			c.Verb, c.Name, c.Value = "clock", "fps", pick("10", "20", "144", "off")
		case n == lastNetwork:
			c.Verb, c.Value = "network", "latency=125ms,loss=25%"
		case n < lastNetwork && rng.IntN(300) == 0:
			c.Verb, c.Value = "network", pick("perfect", "torture", "loss=100%", "latency=75ms,loss=25%", "latency=1s", "latency=3s,jitter=100ms",
				"latency=125ms,up.outage=8s,up.outage-every=15s", "latency=125ms,down.outage=8s,down.outage-every=15s", "latency=30ms,pause=2s,pause-every=5s")
		}
		e := Entry{Inputs: in}
		if c.Verb != "" {
			e.Commands = []Command{c}
			faults = append(faults, fmt.Sprintf("%.2f s: %s", float64(n)/60, c))
		}
		if rng.IntN(15) == 0 {
			in[0].Buttons = sim.Buttons(rng.Uint32()) & sim.AllButtons
		}
		labtest.Tick(t, l, e)
	}
	labtest.Apply(t, l, "network all - latency=50ms", "clock all skew off", "clock all fps off",
		"freeze all - 1us", "blackout all - 1us") // shorter than a tick: they end those before
	return faults
}

// checkRecovery waits for some seconds and then pushes the cube towards the middle of the scene for
// two seconds, or as much longer as the input may be late.
func checkRecovery(t testing.TB, l *Lab, within, late int) error {
	t.Helper()
	p := l.Panes[0]
	run := func(ticks int, b sim.Buttons) {
		labtest.Hold(t, l, ticks, sim.Input{Buttons: b})
	}
	run(60*within, 0)
	b, sign := sim.Right, float32(1)
	if p.ServerWorld.Bodies()[0].Pose.Pos.X > 0 {
		b, sign = sim.Left, -1
	}
	run(60+60*late, b) // the cube turns round
	v := &p.Clients[0].View
	stepped, shown := p.ServerWorld.Tick(), v.Tick()
	at, drawn := p.ServerWorld.Bodies()[0].Pose.Pos.X, v.Bodies[0].Pos.X
	run(60, b)
	if n := p.ServerWorld.Tick() - stepped; n < 56 || n > 64 {
		return fmt.Errorf("the server makes %d steps in 60 ticks", n)
	}
	if d := (p.ServerWorld.Bodies()[0].Pose.Pos.X - at) * sign; d < 5 {
		return fmt.Errorf("the server's cube moves by %.2f m", d)
	}
	if n := int64(v.Tick()) - int64(shown); n < 40 || n > 95 { // the client may still run slower or faster
		return fmt.Errorf("the view advances by %d ticks in 60", n)
	}
	if d := (v.Bodies[0].Pos.X - drawn) * sign; d < 5 {
		return fmt.Errorf("the drawn cube moves by %.2f m", d)
	}
	if delay := int64(p.ServerWorld.Tick()) - int64(v.Tick()); (delay < -30 || delay > 60) && late == 0 {
		return fmt.Errorf("the display delay is %d ticks", delay)
	}
	return nil
}
