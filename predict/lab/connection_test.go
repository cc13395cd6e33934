package lab_test

import (
	"fmt"
	"testing"

	"ghostcube/internal/experiment"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestJoinRequestMayBeLost checks that a request to join that is sent once does not arrive
// over a link that loses it, and that one that is repeated does.
func TestJoinRequestMayBeLost(t *testing.T) {
	for mode, want := range map[string]float64{"reliable": 1, "unreliable": 0} {
		l := labtest.Open(t, labtest.Config(t, "plain", "latency=20ms", AtClient), "noprediction:messages="+mode)
		labtest.Hold(t, l, 60)
		labtest.Apply(t, l, "condition all up.loss 100%", "rejoin all 1 -")
		labtest.Hold(t, l, 30)
		labtest.Apply(t, l, "condition all up.loss 0")
		labtest.Hold(t, l, 150)
		if n := l.Panes[0].Counters.Value("joins"); n != want {
			t.Errorf("%s: %v joins, want %v", mode, n, want)
		}
	}
}

// TestHitResults checks that the results of all shots reach their shooters at 30 % loss if
// messages are reliable, with the hit that the server decided on, and that some do not if they
// are sent once.
func TestHitResults(t *testing.T) {
	experiment.Skip(t)
	tape := builtInTape(t, "shots")
	for _, strategy := range []string{"noprediction", "rewind", "lockstep", "snapshot"} {
		for _, mode := range []string{"reliable", "unreliable"} {
			l := labtest.Open(t, labtest.Config(t, "two-players", "latency=40ms,loss=30%", AtClient), fmt.Sprintf("%s:messages=%s", strategy, mode))
			for i := range 900 {
				inputs := shooterInputs(tape, i, 11)
				if i > 780 {
					for k := range inputs {
						inputs[k].Shot = sim.Shot{}
					}
				}
				labtest.Tick(t, l, Entry{Inputs: inputs})
			}
			p := l.Panes[0]
			resolved, learned := 0, 0
			for n := p.Shots.FirstIndex(); n < p.Shots.Total(); n++ {
				x := p.Shots.At(n)
				if x.ResolvedTick == 0 {
					continue
				}
				resolved++
				if x.LearnedTick == 0 {
					continue
				}
				learned++
				if x.LearnedBody != x.Result.Body() || x.LearnedTick < x.ResolvedTick {
					t.Errorf("%s: shot %d hit %d, learned in tick %d as %d, resolved in %d", strategy, n, x.Result.Body(), x.LearnedTick, x.LearnedBody, x.ResolvedTick)
				}
			}
			if resolved < 40 || mode == "reliable" && learned != resolved || mode == "unreliable" && (learned < resolved/4 || learned > resolved*9/10) {
				t.Errorf("%s, %s: %d of %d results have arrived", strategy, mode, learned, resolved)
			}
			if got := p.Counters.Value("hit_results"); got != float64(learned) {
				t.Errorf("%s, %s: counted %v, found %d", strategy, mode, got, learned)
			}
		}
	}
}

// TestMessagesChangeNothingElse checks that a pane with messages, without any to send, draws
// and simulates what one without does: only its packets are larger.
func TestMessagesChangeNothingElse(t *testing.T) {
	experiment.Skip(t)
	for _, s := range Strategies {
		l := labtest.Open(t, labtest.Config(t, "zen", "latency=40ms,loss=5%", AtClient), s.Name, s.Name+":messages=reliable")
		for i := range 300 {
			labtest.Tick(t, l, Entry{Inputs: []sim.Input{{Buttons: sim.Buttons(1 + i/40%2)}}})
		}
		a, b := l.Panes[0], l.Panes[1]
		for i := range a.Clients[0].View.Bodies {
			if a.Clients[0].View.Bodies[i] != b.Clients[0].View.Bodies[i] {
				t.Errorf("%s: body %d is drawn elsewhere", s.Name, i)
				break
			}
		}
		sent := func(p *Pane) uint64 { return p.Clients[0].Endpoint.Stats.BytesSent }
		if sent(b) <= sent(a) || b.Counters.Value("rejected_payloads") != a.Counters.Value("rejected_payloads") {
			t.Errorf("%s: %d bytes sent with messages, %d without", s.Name, sent(b), sent(a))
		}
	}
}

// TestBlockMovesNoPacket checks that a block which is sent beside the game changes the outcome of no other packet, lost or
// late: the client draws the same.
func TestBlockMovesNoPacket(t *testing.T) {
	var labs [2]*Lab
	for i := range labs {
		c := labtest.Config(t, "plain", "latency=50ms,jitter=20ms,loss=15%", AtClient)
		labs[i] = labtest.Open(t, c, "noprediction:messages=reliable")
	}
	labtest.Apply(t, labs[1], "block all - 20")
	for tick := range 200 {
		for _, l := range labs {
			labtest.Tick(t, l, Entry{Inputs: []sim.Input{{Buttons: sim.Buttons(1 << (tick / 20 % 4))}}})
		}
		a, b := labs[0].Panes[0].Clients[0].View.Bodies[0], labs[1].Panes[0].Clients[0].View.Bodies[0]
		if a != b {
			t.Fatalf("tick %d: drawn at %v, without a block at %v", tick, b.Pos, a.Pos)
		}
	}
	if n := labs[1].Panes[0].Counters.Value("blocks"); n != 1 {
		t.Errorf("%v blocks have arrived", n)
	}
}

// TestRestartKeepsConnectionKnobs checks that a pane keeps the knobs of its connections when its sides start again.
func TestRestartKeepsConnectionKnobs(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "plain", "perfect", AtClient), "rewind:messages=reliable:block-rate=77")
	labtest.Run(t, l, 20)
	for _, command := range []string{"restart all - -", "scene all zen -", "seed all - 3"} {
		labtest.Apply(t, l, command)
		if got := l.Panes[0].Spec(); got != "rewind:messages=reliable:block-rate=77" {
			t.Errorf("after %s the pane is %s", command, got)
		}
		labtest.Run(t, l, 20)
	}
}
