package statesync

import (
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/predict/predicttest"
)

// TestClockRestart checks that if packets suddenly arrive two thirds of a second earlier, out of
// range, the client's clock restarts soon after the last of the old packets, even if packets are
// rare; and that the packets that it could not apply in the meantime become baselines all the same,
// because they are acknowledged. The same holds for packets that suddenly arrive later.
func TestClockRestart(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, knobs := range [][]string{{"budget", "16"}, {"compression", "delta"}, {"compression", "delta", "budget", "48"}} {
		r := newRig(t, "zen", "latency=700ms", append(knobs, "congestion", "off")...)
		r.run(600)
		r.Network.Down.Latency, r.Network.Up.Latency = 0, 0
		r.run(42 + 60)
		if age := int(r.ServerWorld().Tick()) - int(r.ClientWorld().Tick()); age > 12 {
			t.Errorf("%v: the client is %d ticks behind", knobs, age)
		}
		lost := r.Counter("missing_baselines")
		r.run(120)
		if n := r.Counter("missing_baselines") - lost; n > 0 {
			t.Errorf("%v: %v updates could not be used", knobs, n)
		}
		r.Network.Down.Latency = 1300 * time.Millisecond // more than the clock is set back
		r.run(78 + 60 + 180)
		if n := r.Counter("missing_baselines") - lost; n > 0 {
			t.Errorf("%v: when packets arrive later, %v updates could not be used", knobs, n)
		}
		r.input = predicttest.NoInput
		r.run(600)
		if n := r.misplacedBodies(); n > 0 {
			t.Errorf("%v: %d bodies rest elsewhere", knobs, n)
		}
	}
}

// TestBufferAdapts checks that an adaptive jitter buffer is one or two ticks long without jitter,
// however long the latency; that within three seconds of the first jitter it is long enough for no
// more than two packets in a hundred to be late; and that it shrinks again.
func TestBufferAdapts(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	r := newRig(t, "zen", "latency=150ms", "adaptive", "on", "congestion", "off")
	r.run(25 * 60)
	if n := r.Counter("buffer_ticks"); n < 1 || n > 2 {
		t.Fatalf("no jitter: a buffer of %v ticks", n)
	}
	late := func(ticks int) float64 {
		before, all := r.Counter("packets_late"), r.Counter("packets_received")
		r.run(ticks)
		return (r.Counter("packets_late") - before) / (r.Counter("packets_received") - all)
	}
	if n := late(600); n > 0.001 {
		t.Errorf("no jitter: %.1f %% late", 100*n)
	}
	r.SetNetwork("latency=150ms,jitter=80ms")
	r.run(3 * 60)
	long := r.Counter("buffer_ticks")
	if n := late(1200); n > 0.02 || long < 4 || long > 12 {
		t.Errorf("80 ms of jitter: a buffer of %v ticks, %.1f %% late", long, 100*n)
	}
	r.SetNetwork("latency=150ms")
	r.run(25 * 60)
	if n := r.Counter("buffer_ticks"); n < 1 || n > 2 {
		t.Errorf("no jitter again: a buffer of %v ticks", n)
	}
	r.SetKnob("adaptive", "off")
	r.run(120)
	if n := r.Counter("buffer_ticks"); n != 5 {
		t.Errorf("not adaptive: a buffer of %v ticks, want 5", n)
	}
}

// TestAdaptiveBufferFollowsPath checks that an adaptive buffer, which has no tick to spare, has the packets in time while
// the path becomes longer by a tick in a second and shorter again, and while the client's clock is fast: never are more than
// a quarter of a second of ticks in a row without their packet.
func TestAdaptiveBufferFollowsPath(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, network := range []string{"latency=75ms,swing=60ms,swing-every=8s", "latency=75ms,swing=100ms,swing-every=12s"} {
		r := newRig(t, "zen", network, "adaptive", "on", "congestion", "off")
		r.run(5 * 60)
		missing, inRow, most := r.Counter("missing_packets"), 0, 0
		for range 40 * 60 {
			if r.run(1); r.Counter("missing_packets") > missing {
				inRow++
			} else {
				inRow = 0
			}
			missing, most = r.Counter("missing_packets"), max(most, inRow)
		}
		if t.Logf("%s: %d in a row", network, most); most > 15 {
			t.Errorf("%s: %d ticks in a row without a packet", network, most)
		}
	}
}

// TestOutageLeavesClock checks that the clock of a client with authority keeps its pace in an outage in which only two packets
// arrive, 400 ms late, whenever the second of the clock begins.
func TestOutageLeavesClock(t *testing.T) {
	for begin := 0; begin < 60; begin += 15 {
		r := predicttest.New(t, Strategy, predicttest.Config{Scene: "plain", Network: "latency=50ms", Knobs: []string{"authority", "client"}})
		r.Run(240+begin, predicttest.DriveAround)
		r.Network.Down.Latency += 400 * time.Millisecond
		r.Run(2, predicttest.DriveAround)
		r.Network.Down.Loss = 1
		for range 120 {
			if r.Run(1, predicttest.DriveAround); r.Clients[0].Env.SlewPPM != 0 {
				t.Fatalf("begun after %d ticks, the outage changes the pace by %d ppm", begin, r.Clients[0].Env.SlewPPM)
			}
		}
	}
}
