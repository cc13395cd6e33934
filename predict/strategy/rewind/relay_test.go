package rewind

import (
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestRelayedInputs checks that a client that gets the waiting inputs of another player with each
// snapshot is never corrected because of that player, also if packets are lost; and that one that does
// not get them is.
func TestRelayedInputs(t *testing.T) {
	for _, c := range []struct{ network, relay string }{{"latency=75ms", "on"}, {"latency=75ms,jitter=10ms,loss=5%", "on"}, {"latency=75ms", "off"}} {
		r := predicttest.New(t, Strategy, predicttest.Config{
			Scene: "two-players", Network: c.network, Clients: 2, Knobs: []string{"relay", c.relay, "resync", "off"},
		})
		r.RunPlayers(220, func(player, tick int) sim.Input { return predicttest.DriveAround(tick + 13*player) })
		corrections, repredictions := len(r.Corrections), r.Counter("repredictions")
		if c.relay == "on" && (corrections > 0 || repredictions < 20) || c.relay == "off" && (corrections < 15 || repredictions > 0) {
			t.Errorf("%+v: %d corrections, %v replays because of inputs", c, corrections, repredictions)
		}
	}
}

// FuzzHeader reads any bytes as the header of a snapshot: no more than its limits come out.
func FuzzHeader(f *testing.F) {
	f.Add([]byte{0xff, 3, 0xff, 0xff, 0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, payload []byte) {
		var c quant.Coder
		var h resyncHeader
		var relayed input.Relayed
		c.BeginRead(payload)
		h.code(&c)
		relayed.Code(&c, sim.MaxPlayers)
		for p := range sim.MaxPlayers {
			if n := len(relayed.Of(p)); n > 64 {
				t.Errorf("%d inputs", n)
			}
		}
	})
}

// TestRemoteInputEnds checks that a client predicts the last known input of another player across the ticks
// that it is ahead of the server, and not much longer if no snapshot arrives, and that the next snapshot
// makes up for that. Snapshots may be sent in every tick or less often.
func TestRemoteInputEnds(t *testing.T) {
	repeat := input.Repetition{Enabled: true, Time: 50, Rate: 60} // three ticks
	held := sim.Input{Buttons: sim.Right}
	for _, every := range []sim.Tick{1, 4} {
		r := remoteInputs{known: history.New[knownInputs](64), last: make([]sim.Input, 2)}
		now := sim.Tick(20)
		for ; now <= 40; now++ {
			if now%every == 0 {
				r.update(now-12, now, []sim.Input{{}, held}, 0)
			}
		}
		arrived := now - 1 // tick 40
		for t0 := arrived - 12; t0 < arrived+20; t0++ {
			want := held
			if t0 > arrived+every+3 {
				want = sim.Input{}
			}
			if got := r.at(t0, 1, repeat); got != want {
				t.Errorf("every %d ticks: the input of tick %d is %v, want %v", every, t0, got, want)
			}
		}
		r.update(48, 60, []sim.Input{{}, held}, 0)
		if got := r.at(59, 1, repeat); got != held {
			t.Errorf("every %d ticks: after the outage %v", every, got)
		}
	}
}

// TestPastInputsHaveNoGap checks that a client that joins gets the inputs of the last ticks only as far back as the
// server knows all of them: those before a gap would move to other ticks.
func TestPastInputsHaveNoGap(t *testing.T) {
	const now = 30
	r := relayServer{enabled: true, past: history.New[[sim.MaxPlayers]sim.Input](64)}
	r.join(0, now-10)
	for tick := sim.Tick(now - 10); tick < now; tick++ {
		if tick != now-6 {
			r.record(tick, []sim.Input{{Heading: uint8(tick)}})
		}
	}
	var c quant.Coder
	c.BeginWrite(make([]byte, 256))
	r.write(&c, now, 0, 1, []predict.Peer{{Player: 0}}, nil)
	if n := r.relayed.Past(0); n != 5 || r.relayed.Of(0)[0].Heading != now-5 {
		t.Errorf("%d inputs from that of tick %d on, want 5 from %d on", n, r.relayed.Of(0)[0].Heading, now-5)
	}
}
