package lab_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/net/link"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// TestLockstepSoak runs lockstep over random networks, in random scenes, with one to four
// players at either seat and random input, and checks that worlds never diverge. The network
// changes every half minute, the session every two minutes. GHOSTCUBE_SOAK is the length in
// minutes of session time; 6 if it is not set.
func TestLockstepSoak(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	minutes := soakMinutes(t, 6, 2)
	chance := rand.New(rand.NewPCG(11, 12))
	pick := func(list ...string) string { return list[chance.IntN(len(list))] }
	network := func() string {
		if chance.IntN(3) == 0 {
			return pick(link.ProfileNames()...)
		}
		return fmt.Sprintf("perfect,latency=%dms,jitter=%dms,shape=%s,loss=%d%%,burst=%d,duplicate=%d%%,latency-per-player=%dms,reorder=%d%%,reorder-delay=50ms",
			chance.IntN(300), chance.IntN(60), pick("uniform", "uniform-positive", "gamma", "long-tail"),
			chance.IntN(35), chance.IntN(8), chance.IntN(10), chance.IntN(80), chance.IntN(10))
	}
	checks, stalls, ticks := 0.0, 0.0, 0
	for game := 0; ticks < minutes*3600; game++ {
		scene := pick("plain", "zen", "tower", "two-players", "two-players",
			"katamari:cubes=16:players=2", "katamari:cubes=25:players=3", "katamari:cubes=9:players=4", "pile:layers=1")
		seat := Seat(chance.IntN(2))
		spec := fmt.Sprintf("lockstep:transport=%s:playout=%dms:adaptive=%s:follow-clock=%s:skew=%d:contact-order=%s", pick("udp", "udp", "tcp"),
			chance.IntN(300), pick("on", "off"), pick("on", "off"), chance.IntN(1001)-500, pick("fixed", "tick-seed"))
		c := labtest.Config(t, scene, network(), seat)
		c.Network.Seed = uint64(game)
		what := fmt.Sprintf("game %d, %s, %s, %s", game, scene, seat, spec)
		l := labtest.Open(t, c, spec)
		p := l.Panes[0]
		in := make([]sim.Input, l.Players())
		play := func(commands ...Command) {
			for i := range in {
				if chance.IntN(12) == 0 {
					in[i].Buttons = sim.Buttons(chance.Uint32()) & sim.MoveButtons
				}
				if chance.IntN(40) == 0 {
					in[i].Heading = uint8(chance.Uint32())
				}
			}
			labtest.Tick(t, l, Entry{Inputs: in, Commands: commands})
			ticks++
		}
		for i := range 7200 {
			switch {
			case i%1800 == 1799:
				play(Command{Verb: "network", Pane: AllPanes, Value: network()})
			case i%1800 == 900 && chance.IntN(3) == 0:
				play(Command{Verb: "blackout", Pane: AllPanes, Value: pick("250ms", "2s", "5s")})
			case i%1800 == 600 && chance.IntN(3) == 0:
				play(Command{Verb: "set", Pane: AllPanes, Name: "transport", Value: pick("udp", "tcp")})
			default:
				play()
			}
		}
		// At the end the network is perfect, so that everything arrives and all catch up.
		play(
			Command{Verb: "network", Pane: AllPanes, Value: "perfect"},
			Command{Verb: "set", Pane: AllPanes, Name: "skew", Value: "0"},
			Command{Verb: "set", Pane: AllPanes, Name: "transport", Value: "udp"},
			Command{Verb: "set", Pane: AllPanes, Name: "adaptive", Value: "off"})
		for range 2400 {
			play()
		}
		if n := p.Counters.Value("desyncs"); n != 0 {
			t.Errorf("%s: %s", what, p.Clients[0].View.Note)
		}
		for i, s := range p.Clients {
			if late := int64(p.ServerWorld.Tick()) - int64(s.World.Tick()); late < -120 || late > 120 {
				t.Errorf("%s: at the end client %d is %d ticks behind", what, i, late)
			}
		}
		if n := p.Counters.Value("compared_checksums"); n < 1000 {
			t.Errorf("%s: only %v checksums were compared", what, n)
		}
		checks += p.Counters.Value("compared_checksums")
		stalls += p.Counters.Value("stalls")
	}
	t.Logf("%d minutes: %.0f checksums compared, none differs; %.0f stalls", ticks/3600, checks, stalls)
}

// TestLockstepGolden compares the server's and the client's worlds of 900 ticks, or 300 with -short, with the
// golden file, over TCP and UDP and over a bad link: they are the same on every machine. Each
// line digests the hashes of all ticks so far.
func TestLockstepGolden(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "katamari:cubes=100", "latency=75ms,jitter=20ms,loss=10%", AtHost),
		"lockstep", "lockstep:transport=tcp:contact-order=tick-seed")
	var b strings.Builder
	var sums [2][2]uint64
	ticks, compare := 900, golden.Compare
	if testing.Short() {
		ticks, compare = 300, golden.CompareStart
	}
	for i := range ticks {
		labtest.Tick(t, l, Entry{Inputs: labtest.Inputs(i)})
		for k, p := range l.Panes {
			for j, w := range []*predict.World{p.ServerWorld, p.Clients[0].World} {
				bodies, cache := w.Hash()
				for _, x := range []uint64{uint64(w.Tick()), bodies, cache} {
					sums[k][j] = (sums[k][j] ^ x) * 0x9E3779B97F4A7C15
					sums[k][j] ^= sums[k][j] >> 29
				}
			}
		}
		if i%100 == 99 {
			for k, transport := range []string{"udp", "tcp"} {
				fmt.Fprintf(&b, "%d %s: server %016x, client %016x\n", i+1, transport, sums[k][0], sums[k][1])
			}
		}
	}
	compare(t, "lockstep-ticks.txt", b.String())
}

// TestLockstepSwitch checks that a switch to lockstep stalls the server's world only until
// the first inputs arrive, and not at all if the player sits at the host.
func TestLockstepSwitch(t *testing.T) {
	t.Parallel()
	for _, seat := range []Seat{AtClient, AtHost} {
		l := labtest.Open(t, labtest.Config(t, "plain", "latency=75ms", seat), "rewind")
		in := []sim.Input{{Buttons: sim.Forward}}
		stood := 0
		for i := range 300 {
			if i == 150 {
				labtest.Apply(t, l, "switch 1 lockstep -")
			}
			was := l.Panes[0].ServerWorld.Tick()
			labtest.Tick(t, l, Entry{Inputs: in})
			if l.Panes[0].ServerWorld.Tick() == was {
				stood++
			}
		}
		// 75 ms of latency and 100 ms of playout delay.
		if want := map[Seat]int{AtClient: 11, AtHost: 0}[seat]; stood != want || l.Panes[0].Counters.Value("stalls") != 0 {
			t.Errorf("%s: the server stalled for %d ticks, want %d; %v stalls", seat, stood, want, l.Panes[0].Counters.Value("stalls"))
		}
	}
}

// TestLockstepCatchesUp checks that a client makes up for the ticks that its clock has counted
// while its program was frozen or ran few frames, at most catch-up of them in a frame, that
// these ticks are counted, and that afterwards both sides are as far apart as before.
func TestLockstepCatchesUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault   string
		catchUp string
		behind  int      // ticks by which the client's clock is ahead of its world after 120 ticks
		most    sim.Tick // stepped in one frame
		counted float64  // ticks that catch up in these 120 ticks, and afterwards
	}{
		{"freeze all - 2s", "4", 120, 4, 120},
		{"freeze all - 2s", "2", 120, 2, 120},
		{"clock all fps 20", "4", 0, 3, 80},
		{"clock all fps 10", "8", 0, 6, 100},
		{"clock all fps 10", "4", 40, 4, 60 + 40},
	} {
		for _, seat := range []Seat{AtHost, AtClient} {
			l := labtest.Open(t, labtest.Config(t, "plain", "latency=75ms", seat), "lockstep:catch-up="+c.catchUp)
			p := l.Panes[0]
			world := p.Clients[0].World
			most := sim.Tick(0)
			run := func(ticks int) {
				for range ticks {
					before := world.Tick()
					labtest.Run(t, l, 1)
					most = max(most, world.Tick()-before)
				}
			}
			behind := func(w *predict.World) int { return int(l.Ticks()) - int(w.Tick()) }
			run(120)
			client, server := behind(world), behind(p.ServerWorld)
			if n := p.Counters.Value("catch_up_ticks"); n != 0 {
				t.Errorf("%s: %v ticks catch up without a fault", seat, n)
			}
			labtest.Apply(t, l, c.fault)
			run(120)
			if got := behind(world) - client; got < c.behind || got > c.behind+5 {
				t.Errorf("%s, %s, catch-up=%s: %d ticks behind, want %d", seat, c.fault, c.catchUp, got, c.behind)
			}
			labtest.Apply(t, l, "clock all fps off")
			run(150)
			if a, b := behind(world), behind(p.ServerWorld); a != client || b != server {
				t.Errorf("%s, %s, catch-up=%s: afterwards the client is %d ticks behind, the server %d; want %d and %d", seat, c.fault, c.catchUp, a, b, client, server)
			}
			if most != c.most {
				t.Errorf("%s, %s, catch-up=%s: up to %d ticks are stepped in a frame, want %d", seat, c.fault, c.catchUp, most, c.most)
			}
			if seat == AtClient {
				continue // the server catches up, too
			}
			if n := p.Counters.Value("catch_up_ticks"); n < c.counted-6 || n > c.counted+6 || p.Counters.Value("stalls") != 0 {
				t.Errorf("%s, catch-up=%s: %v ticks catch up, want %v; %v stalls", c.fault, c.catchUp, n, c.counted, p.Counters.Value("stalls"))
			}
		}
	}
}

// TestLockstepFreezeKeepsDelay checks that inputs which have waited in the receive buffer of a frozen program
// do not count as late: an adaptive delay does not grow.
func TestLockstepFreezeKeepsDelay(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "plain", "latency=75ms,jitter=20ms", AtHost), "lockstep:adaptive=on")
	labtest.Run(t, l, 300)
	delay := func() float64 { return l.Panes[0].Counters.Value("playout_delay_ms") }
	before := delay()
	labtest.Apply(t, l, "freeze all - 2s")
	labtest.Run(t, l, 180)
	if after := delay(); after > before+20 || before > 100 {
		t.Errorf("the delay is %v ms, %v before the freeze", after, before)
	}
}

// TestLockstepFaults checks that a forced fault in the server's world is reported as a desync
// with its tick and body.
func TestLockstepFaults(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "zen", "latency=75ms,loss=10%", AtHost), "lockstep")
	labtest.Run(t, l, 200)
	labtest.Apply(t, l, "nudge all x 0.5")
	labtest.Run(t, l, 201)
	m := l.Panes[0].Counters
	if m.Value("desyncs") != 1 || m.Value("desync_tick") != 201 || m.Value("desync_body") != 0 {
		t.Errorf("%v desyncs, tick %v, body %v", m.Value("desyncs"), m.Value("desync_tick"), m.Value("desync_body"))
	}
	if note := l.Panes[0].Clients[0].View.Note; !strings.HasPrefix(note, "worlds differ since server tick 201: body 0") {
		t.Errorf("the view's note is %q", note)
	}
}

// TestLockstepAfterOutage checks that both sides have caught up with the session's clock within two seconds
// after an outage of 30 s, in every scene of less than 100 bodies; that the client says so meanwhile if its
// world is behind; that a frame steps no more ticks than its bodies allow; and that the worlds agree.
func TestLockstepAfterOutage(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	scenes := []string{"plain", "two-players"}
	if experiment.Enabled() {
		scenes = nil
		for i := range scene.Templates {
			if s := &scene.Templates[i]; len(s.Build().Boxes) < 100 && i%experiment.Pick(1, 3, 1) == 0 {
				scenes = append(scenes, s.Name)
			}
		}
	}
	for _, name := range scenes {
		for _, seat := range []Seat{AtClient, AtHost} {
			l := labtest.Open(t, labtest.Config(t, name, "latency=100ms,jitter=20ms,loss=5%", seat), "lockstep")
			p := l.Panes[0]
			behind := func() int {
				tick := p.ServerWorld.Tick()
				for _, c := range p.Clients {
					tick = min(tick, c.World.Tick())
				}
				return int(l.Ticks()) - int(tick)
			}
			labtest.Run(t, l, 200)
			usual := behind()
			labtest.Apply(t, l, "blackout all - 30s")
			labtest.Run(t, l, 1800)
			if seat == AtHost && p.Clients[0].View.Note != "waiting for input" {
				t.Errorf("%s: in the outage the pane says %q", name, p.Clients[0].View.Note)
			}
			noted, most, ticks := 0, 0, 0
			for ; behind() > usual+1 && ticks < 600; ticks++ {
				before := p.Clients[0].World.Tick()
				labtest.Run(t, l, 1)
				most = max(most, int(p.Clients[0].World.Tick()-before))
				if strings.HasPrefix(p.Clients[0].View.Note, "catching up, ") {
					noted++
				}
			}
			if ticks > 120 || most > 64 {
				t.Errorf("%s, %s: right again after %d ticks, at most %d of them in a frame", name, seat, ticks, most)
			}
			if seat == AtHost && (noted < 20 || most < 30) {
				t.Errorf("%s: the pane says %d times that it catches up, by %d ticks in a frame", name, noted, most)
			}
			compared := p.Counters.Value("compared_checksums")
			labtest.Run(t, l, 60)
			if compared = p.Counters.Value("compared_checksums") - compared; p.Counters.Value("desyncs") != 0 || compared < 30 {
				t.Errorf("%s, %s: desync %v; %v checksums compared afterwards", name, seat, p.Counters.Value("desyncs"), compared)
			}
		}
	}
}
