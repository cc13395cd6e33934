package lab_test

import (
	"fmt"
	"strings"
	"testing"

	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
)

// TestRejoin lets a client forget its world and download it again over a lossy link while the other
// player keeps playing, with each strategy that can. Slices have to be repeated. After the download the
// client follows the server again, bodies that moved and came to rest in between included. A fork made
// during the download ends like the original.
func TestRejoin(t *testing.T) {
	joins := 0
	for _, s := range Strategies {
		if !s.Joins {
			continue
		}
		joins++
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			l := labtest.Open(t, labtest.Config(t, "katamari:cubes=324:players=2", "latency=40ms,loss=20%", AtClient), s.Name+":messages=reliable:block-rate=20")
			p := l.Panes[0]
			run := func(l *Lab, n int) {
				for range n {
					var e Entry
					if l.Ticks() < 180 { // then everything comes to rest, before the world has arrived
						e.Inputs = []sim.Input{{Buttons: sim.Right}, {Buttons: sim.Forward}}
					}
					labtest.Tick(t, l, e)
				}
			}
			run(l, 120)
			labtest.Apply(t, l, "rejoin all 1 -")
			run(l, 15)
			if note := p.Clients[0].View.Note; !strings.HasPrefix(note, "joining: ") || p.Counters.Value("joins") != 0 {
				t.Errorf("a quarter of a second after the command: note %q, %v joins", note, p.Counters.Value("joins"))
			}
			before := p.ServerWorld.Bodies()[1].Pose.Pos
			fork := l.Fork()
			run(fork, 885)
			run(l, 260)
			if v := p.ServerWorld.Bodies()[1].Linear.Len(); p.Counters.Value("joins") != 0 || v > 0.01 {
				t.Errorf("%v joins while the other player's cube moves at %v m/s", p.Counters.Value("joins"), v)
			}
			run(l, 625)
			if fork.Hash() != l.Hash() {
				t.Error("a fork during the download ends differently")
			}
			if d := p.ServerWorld.Bodies()[1].Pose.Pos.Sub(before).Len(); d < 1 {
				t.Errorf("the other player has moved by %v m", d)
			}
			c := p.Counters
			if c.Value("joins") != 1 || c.Value("block_slices_resent") == 0 || c.Value("messages_malformed") != 0 || c.Value("messages_unacked") != 0 {
				t.Errorf("%v joins, %v slices resent, %v malformed, %v unacknowledged",
					c.Value("joins"), c.Value("block_slices_resent"), c.Value("messages_malformed"), c.Value("messages_unacked"))
			}
			if n := c.Value("rejected_payloads"); n > 2 { // until a third confirms that the server's tick is far ahead
				t.Errorf("%v payloads rejected", n)
			}
			for i := range p.ServerWorld.Bodies() {
				a, b := p.ServerWorld.Bodies()[i].Pose.Pos, p.Clients[0].World.Bodies()[i].Pose.Pos
				if d := a.Sub(b).Len(); d > 0.2 {
					t.Errorf("body %d is %v m from the server's", i, d)
				}
			}
		})
	}
	if joins < 2 {
		t.Errorf("%d strategies can rejoin", joins)
	}
}

// TestRejoinIsRefused checks the errors of rejoin: of a client that does not exist, of a
// strategy that cannot, and without messages.
func TestRejoinIsRefused(t *testing.T) {
	for spec, want := range map[string]string{
		"rewind":                   "set messages=reliable",
		"lockstep":                 "cannot rejoin: want noprediction or rewind or rollback",
		"rewind:messages=reliable": "",
	} {
		l := labtest.Open(t, labtest.Config(t, "plain", "perfect", AtClient), spec)
		err := l.Apply(Command{Verb: "rejoin", Pane: AllPanes, Name: "1"})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
		if err := l.Apply(Command{Verb: "rejoin", Pane: AllPanes, Name: "2"}); err == nil || !strings.Contains(err.Error(), "1 to 1") {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

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
