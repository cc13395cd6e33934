package lab_test

import (
	"fmt"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// falseAckSpecs are the strategies, and the knobs that choose another rule for what the other side has.
var falseAckSpecs = []string{
	"noprediction", "noprediction:playout=3", "noprediction:snapshot-every=4", "noprediction:messages=reliable",
	"rewind", "rewind:messages=reliable", "animated", "animated:interest-cutoff=30", "animated:joint-tree=relative", "historyoffset", "relative",
	"snapshot", "snapshot:compression=delta", "snapshot:compression=relative-rotation:snapshot-every=3", "snapshot:compression=arithmetic",
	"statesync", "statesync:compression=relative", "statesync:compression=delta", "statesync:compression=delta:delta-base=offset",
	"statesync:compression=delta:delta-base=sequence", "statesync:authority=client", "statesync:authority=client:compression=delta",
	"lockstep", "lockstep:messages=reliable", "rollback", "rollback:topology=mesh", "rollback:messages=reliable",
}

// TestFalseAcks loses all packets for 0.7 s, in which a cube is moved by a metre and comes to rest, and
// then forges acknowledgements of all that either end has sent. Two seconds later every strategy draws all
// bodies that rest within a centimetre of the server's, refuses nothing, and all messages have arrived.
func TestFalseAcks(t *testing.T) {
	experiment.Skip(t)
	seeds := experiment.Pick[uint64](2, 8, 20)
	for _, spec := range falseAckSpecs {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				checkFalseAcks(t, spec, seed)
			}
		})
	}
}

// checkFalseAcks runs the session of TestFalseAcks with a seed.
func checkFalseAcks(t *testing.T, spec string, seed uint64) {
	t.Helper()
	c := labtest.Config(t, []string{"two-players", "katamari:cubes=20", "train", "plain"}[seed%4], "latency=60ms,jitter=10ms,loss=2%", AtClient)
	c.Network.Seed = seed
	l := labtest.Open(t, c, spec)
	p := l.Panes[0]
	rejected := func() float64 { return p.Counters.Value("rejected_payloads") }
	for range 90 + seed {
		in := make([]sim.Input, l.Players())
		for i := range in {
			in[i] = labtest.Inputs(int(l.Ticks()) + 40*i + int(17*seed))[0]
		}
		labtest.Tick(t, l, Entry{Inputs: in})
	}
	for i := range 30 { // the results of some shots are sent while nothing arrives
		var in sim.Input
		if i%4 == 3 {
			in.Shot = sim.Shot{Fired: true, Yaw: uint16(i)}
		}
		labtest.Hold(t, l, 1, in)
	}
	labtest.Apply(t, l, "blackout all - 700ms")
	if p.Strategy.Motion != predict.FromInputs { // worlds that only inputs reach would differ for ever
		labtest.Apply(t, l, "nudge all x 1")
	}
	labtest.Hold(t, l, 40-int(seed%5))
	labtest.Apply(t, l, fmt.Sprint("attack all forge-acks ", 1+3*seed))
	labtest.Hold(t, l, int(1+3*seed))
	labtest.Hold(t, l, 60)
	resting := make([]bool, len(p.ServerWorld.Bodies())) // for the last second, in which the error offsets decay
	for i, b := range p.ServerWorld.Bodies() {
		resting[i] = b.Asleep
	}
	labtest.Hold(t, l, 60)
	before := rejected()
	worst, body := float32(0), 0
	for i, b := range p.ServerWorld.Bodies() {
		for _, client := range p.Clients {
			if d := client.View.Bodies[i].Pos.Sub(b.Pose.Pos).Len(); resting[i] && d > worst {
				worst, body = d, i
			}
		}
	}
	if n := p.Counters.Value("messages_unacked"); n > 0 {
		t.Errorf("seed %d: %v messages have not arrived", seed, n)
	}
	if results, _ := p.Shots.Learned(); results != p.Shots.Total() && strings.Contains(spec, "messages=reliable") {
		t.Errorf("seed %d: %d results of %d shots have arrived", seed, results, p.Shots.Total())
	}
	tick := p.ServerWorld.Tick()
	labtest.Hold(t, l, 120)
	if n := p.ServerWorld.Tick() - tick; n < 118 {
		t.Errorf("seed %d: the server makes %d ticks in two seconds", seed, n)
	}
	labtest.Report(t, worst > 0.01 || rejected() > before, "seed %d, %s: body %d is drawn %.4f m off, %v payloads refused, then %v",
		seed, c.Scene, body, worst, before, rejected()-before)
}
