package rollback

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/quant"
	"ghostcube/sim"
)

// TestMeshAgrees checks that in a mesh all worlds of all clients equal the server's, tick by tick, whatever the
// network, and that nobody stops.
func TestMeshAgrees(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	networks := []string{
		"latency=50ms,jitter=10ms,loss=2%", "latency=150ms", "up.latency=150ms,down.latency=20ms",
		"latency=75ms,loss=25%,duplicate=10%,reorder=10%,reorder-delay=80ms",
		"latency=10ms,far-player=1,far-latency=200ms,jitter=40ms",
	}
	for i, spec := range []string{"two-players", "convoy:players=2", "billiards", "katamari:cubes=20:players=8", "katamari:cubes=60:players=4"} {
		for j, network := range networks {
			if experiment.Brief() && j != i%len(networks) {
				continue
			}
			t.Run(fmt.Sprint(spec, network), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, spec, network, false, "topology", "mesh", "checksum-every", "1")
				r.input = randomInput(uint64(i))
				r.run(t, 400)
				r.SetNetwork("latency=30ms,loss=0,jitter=0,reorder=0,far-player=0,far-latency=0s")
				r.run(t, 120)
				r.requireMesh(t, 12)
				if n := r.Counter("skipped_ticks"); n != 0 {
					t.Errorf("%v ticks skipped", n)
				}
				if n := r.Counter("late_inputs") + r.Counter("input_starved_ticks"); n != 0 {
					t.Errorf("%v inputs were late or missing", n)
				}
				if n := r.Counter("compared_checksums"); n < 250 {
					t.Errorf("%v checksums compared", n)
				}
			})
		}
	}
}

// requireMesh fails if the server or a client is far behind the session.
func (r *rig) requireMesh(t *testing.T, slack int) {
	t.Helper()
	if n := r.Counter("desyncs"); n != 0 {
		t.Errorf("%v desyncs: %s", n, r.c[0].desync.Note)
	}
	if got := int(r.ServerWorld().Tick()); got+slack < r.Tick {
		t.Errorf("the server has stepped %d of %d ticks", got, r.Tick)
	}
	for i, c := range r.c {
		if got := int(c.env.World.Tick()); got+slack < r.Tick {
			t.Errorf("client %d has stepped %d of %d ticks", i, got, r.Tick)
		}
	}
}

// TestMeshFarPeer checks that a player with a long path changes no tick of the others' clocks in a mesh, makes none
// of them skip one, and does not delay what they see of each other: the inputs of near players arrive as early as
// without it.
func TestMeshFarPeer(t *testing.T) {
	type seen struct {
		tick sim.Tick
		ends [3]sim.Tick
	}
	ticks := func(network string) (list []seen) {
		r := newRig(t, "katamari:cubes=9:players=4", network, false, "topology", "mesh")
		for range 600 {
			r.run(t, 1)
			for _, c := range r.c[:3] {
				list = append(list, seen{c.env.World.Tick(), [3]sim.Tick(c.known.end[:3])})
			}
		}
		r.requireMesh(t, 40)
		if n := r.Counter("skipped_ticks"); n != 0 {
			t.Errorf("%s: %v ticks skipped", network, n)
		}
		return list
	}
	near, far := ticks("latency=40ms,jitter=10ms,loss=2%"), ticks("latency=40ms,jitter=10ms,loss=2%,far-player=4,far-latency=300ms")
	for i := range near {
		if near[i] != far[i] {
			t.Fatalf("in tick %d a near client has %v beside a near peer, %v beside a far one", i/3, near[i], far[i])
		}
	}
}

// TestMeshFarPeerKeepsAhead checks that a client on a slow path steps ahead of the others until its inputs arrive
// there as early as theirs, stays there, and makes no near client run faster or slower. With far-peer=level its inputs
// are late by the length of its path.
func TestMeshFarPeerKeepsAhead(t *testing.T) {
	if experiment.Brief() {
		t.Skip("two sessions of four players")
	}
	for _, mode := range []string{"ahead", "level"} {
		r := newRig(t, "katamari:cubes=9:players=4", "latency=40ms,jitter=10ms,loss=2%,far-player=4,far-latency=200ms", false,
			"topology", "mesh", "far-peer", mode)
		later := func() (n float64) { // by how many ticks the far player's input is older than a near one's, a mean
			for range 300 {
				r.run(t, 1)
				for _, c := range r.c[:3] {
					near := max(c.known.end[(c.env.Player+1)%3], c.known.end[(c.env.Player+2)%3])
					n += float64(int64(near)-int64(c.known.end[3])) / 900
					if c.env.SlewPPM != 0 {
						t.Fatalf("%s: a near client runs at a pace of %d ppm", mode, c.env.SlewPPM)
					}
				}
			}
			return n
		}
		r.run(t, 400)
		if n := later(); n > 2.5 && mode == "ahead" || (n < 11 || n > 14) && mode == "level" {
			t.Errorf("%s: the far player's inputs are %.1f ticks later than those of near ones", mode, n)
		}
		before := r.c[3].env.World.Tick()
		r.run(t, 600)
		if n := r.c[3].env.World.Tick() - before; n < 598 || n > 602 {
			t.Errorf("%s: the far client steps %d ticks in ten seconds", mode, n)
		}
		r.requireMesh(t, 40)
	}
}

// TestMeshFarPeerWithinLimit checks that a client that keeps ahead leaves ticks free below max-rollback, however slow its
// path is, and that near ones do not slow down for it when it is behind.
func TestMeshFarPeerWithinLimit(t *testing.T) {
	r := newRig(t, "katamari:cubes=9:players=3", "latency=20ms,far-player=3,far-latency=250ms", false,
		"topology", "mesh", "max-rollback", "30")
	r.run(t, 900)
	if n := r.Counter("skipped_ticks"); n != 0 {
		t.Errorf("%v ticks skipped", n)
	}
	if n := r.c[2].env.World.Tick() - r.c[0].env.World.Tick(); n < 5 || n > 9 {
		t.Errorf("the far client is %d ticks ahead", n)
	}
	for range 12 { // the near clients together
		r.c[0].step()
		r.c[1].step()
	}
	for range 400 {
		r.run(t, 1)
		if a, b := r.c[0].env.SlewPPM, r.c[1].env.SlewPPM; a != 0 || b != 0 {
			t.Fatalf("near clients run at a pace of %d and %d ppm while the far one is behind", a, b)
		}
	}
	if n := r.c[2].env.World.Tick() - r.c[0].env.World.Tick(); n < 4 || n > 9 {
		t.Errorf("the far client is %d ticks ahead after it was behind", n)
	}
}

// TestMeshFarPeerWithInputDelay checks that an input delay makes a client on a slow path predict as many ticks less, and
// changes neither how far it keeps ahead nor anybody's pace: the inputs of all arrive earlier by the delay.
func TestMeshFarPeerWithInputDelay(t *testing.T) {
	if experiment.Brief() {
		t.Skip("two sessions of three players")
	}
	var ahead, early [2]float64
	for i, delay := range []string{"0", "6"} {
		r := newRig(t, "katamari:cubes=9:players=3", "latency=40ms,jitter=5ms,loss=2%,far-player=3,far-latency=150ms", false,
			"topology", "mesh", "input-delay", delay)
		r.run(t, 400)
		for range 200 {
			r.run(t, 1)
			now := r.c[0].env.World.Tick()
			ahead[i] += float64(int64(r.c[2].env.World.Tick())-int64(now)) / 200
			early[i] += float64(int64(r.c[0].known.end[2])-int64(now)) / 200
			if a, b := r.c[0].env.SlewPPM, r.c[1].env.SlewPPM; a != 0 || b != 0 {
				t.Fatalf("near clients run at a pace of %d and %d ppm", a, b)
			}
		}
		r.requireMesh(t, 40)
		if n := r.Counter("skipped_ticks"); n != 0 {
			t.Errorf("%v ticks skipped", n)
		}
	}
	if d := ahead[1] - ahead[0]; ahead[0] < 5 || d < -1 || d > 1 {
		t.Errorf("the far client is %.1f ticks ahead, with an input delay %.1f", ahead[0], ahead[1])
	}
	if d := early[1] - early[0]; d < 5 || d > 7 {
		t.Errorf("its inputs are %.1f ticks early at a near client, with an input delay of 6 %.1f", early[0], early[1])
	}
}

// TestMeshPace checks that in a mesh a client that is ahead slows down, by five per cent at most, until all step the same ticks
// at the same time, and that nobody slows down for ever: after that all run at the session's pace.
func TestMeshPace(t *testing.T) {
	experiment.Skip(t)
	for _, network := range []string{"latency=60ms", "latency=60ms,jitter=15ms,loss=5%", "latency=20ms,latency-per-player=60ms"} {
		r := newRig(t, "katamari:cubes=9:players=4", network, false, "topology", "mesh", "far-peer", "level")
		r.run(t, 60)
		for range 20 { // one client is ahead by twenty ticks
			r.c[2].step()
		}
		spread := func() (n sim.Tick) {
			first, last := r.c[0].env.World.Tick(), sim.Tick(0)
			for _, c := range r.c {
				first, last = min(first, c.env.World.Tick()), max(last, c.env.World.Tick())
			}
			return last - first
		}
		for range 900 {
			r.RunPlayers(1, r.input)
			for i, c := range r.c {
				if ppm := c.env.SlewPPM; ppm > 0 || ppm < -maxLeadPPM {
					t.Fatalf("%s: client %d runs at a pace of %d ppm", network, i, ppm)
				}
			}
		}
		if n := spread(); n > 3 {
			t.Errorf("%s: the clients are %d ticks apart after 15 s", network, n)
		}
		before := r.Tick - int(r.c[0].env.World.Tick())
		r.RunPlayers(600, r.input)
		if lost := r.Tick - int(r.c[0].env.World.Tick()) - before; lost > 2 {
			t.Errorf("%s: %d ticks lost in ten seconds without a reason", network, lost)
		}
	}
}

// TestMeshWaitsAndRecovers checks that the others stop at max-rollback while a client is frozen, say whom they wait for,
// and that all step together again afterwards. An outage of all links does the same to all.
func TestMeshWaitsAndRecovers(t *testing.T) {
	r := newRig(t, "katamari:cubes=9:players=4", "latency=50ms,loss=2%", false, "topology", "mesh", "checksum-every", "1")
	r.run(t, 120)
	r.Network.Blackout = r.Now() + 3*time.Second
	r.run(t, 170)
	if note := r.View().Note; !strings.Contains(note, "max-rollback reached, waits for player ") {
		t.Errorf("the note is %q in an outage of three seconds", note)
	}
	for i, c := range r.c {
		if n := c.env.World.Tick() - c.known.confirmed; n != maxRollbackTicks {
			t.Errorf("client %d is %d ticks beyond the confirmed ones", i, n)
		}
	}
	r.run(t, 120)
	skipped := r.Counter("skipped_ticks")
	r.run(t, 300)
	if n := r.Counter("skipped_ticks") - skipped; n != 0 || skipped == 0 {
		t.Errorf("%v ticks skipped after the outage, %v before", n, skipped)
	}
	r.requireMesh(t, 150)
}

// TestMeshLocatesDesync is TestLocatesDesync in a mesh, where the server compares without deciding anything.
func TestMeshLocatesDesync(t *testing.T) {
	r := newRig(t, "katamari:cubes=64:players=2", "latency=75ms,loss=10%", false, "topology", "mesh", "checksum-every", "7")
	r.input = func(int, int) sim.Input { return sim.Input{} }
	r.run(t, 200)
	at := r.ServerWorld().Tick() + 1
	r.ChangeBody(20, func(b *sim.Body) { b.Pose.Pos.Z += 1e-4 })
	r.RunPlayers(300, r.input)
	for i, c := range r.c {
		if tick, first, ok := c.desync.Located(); !ok || tick != at || first != 20 {
			t.Errorf("client %d: body 20 differs from tick %d on; located: tick %d, body %d, %v", i, at, tick, first, ok)
		}
	}
}

// TestMeshNeverMovesInputs checks that the input of a tick is what its player's client has sampled for it, at all
// clients and, by the checksums, at the server, however late it arrives there.
func TestMeshNeverMovesInputs(t *testing.T) {
	r := newRig(t, "two-players", "latency=40ms", false, "topology", "mesh", "input-delay", "2")
	r.run(t, 100)
	r.SetNetwork("latency=350ms,loss=20%")
	for range 300 {
		r.run(t, 1)
		for tick := r.c[0].known.confirmed - 1; tick > 120; tick -= 7 {
			if in, ok := r.c[0].known.at(tick, 1); ok && in != r.c[1].own.at(tick) {
				t.Fatalf("tick %d: %+v, its player's client has %+v", tick, in, r.c[1].own.at(tick))
			}
		}
	}
	if n := r.Counter("late_inputs"); n != 0 {
		t.Errorf("%v inputs are late for a server that waits", n)
	}
	r.run(t, 60)
	r.requireMesh(t, 80)
}

// TestMeshRejectsMalformed checks that random payloads of peers and impossible ones are counted and change nothing.
func TestMeshRejectsMalformed(t *testing.T) {
	r := newRig(t, "two-players", "latency=30ms", false, "topology", "mesh")
	r.run(t, 200)
	c, random := r.c[0], rand.New(rand.NewPCG(3, 4))
	var coder quant.Coder
	send := func(m peerMessage) bool {
		coder.BeginWrite(make([]byte, 512))
		m.code(&coder, m.tick)
		return c.readPeer(1, finishWrite(&coder))
	}
	now, known := c.env.World.Tick(), c.known
	if send(peerMessage{tick: now, lacks: c.own.next + 1}) {
		t.Error("a peer has inputs that were not sent")
	}
	end := c.known.end[1]
	for _, m := range []peerMessage{
		{tick: now, lacks: now, next: end + 20, inputs: make([]sim.Input, 3)},                // a gap
		{tick: now, lacks: now, next: end, inputs: []sim.Input{{Buttons: sim.Lift}}},         // another input than before
		{tick: now, lacks: now, next: end - 5, inputs: []sim.Input{{Buttons: sim.Lift}, {}}}, // likewise
	} {
		if send(m); c.known.end[1] != end || c.state.hasWrong {
			t.Errorf("%+v changes what is known", m)
		}
	}
	accepted := 0
	for range 20000 {
		b := make([]byte, random.IntN(60))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		if c.readPeer(1, b) {
			accepted++
		}
	}
	if accepted > 400 {
		t.Errorf("%d of 20000 random payloads are accepted", accepted)
	}
	if got := c.known.end[1]; got > known.end[1]+maxUnacked {
		t.Errorf("random payloads have %d inputs", got-known.end[1])
	}
}

// FuzzPeerMessage checks that any payload of a peer that can be read is written back to one that reads the same.
func FuzzPeerMessage(f *testing.F) {
	r := newRig(f, "two-players", "latency=30ms", false, "topology", "mesh")
	var c quant.Coder
	write := func(m *peerMessage) []byte {
		c.BeginWrite(make([]byte, maxUpBytes))
		m.code(&c, 0)
		return finishWrite(&c)
	}
	for range 3 {
		r.RunPlayers(50, r.input)
		f.Add(write(&r.c[0].scratch.peer))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		read := func(b []byte) (m peerMessage, err error) {
			c.BeginRead(b)
			m.code(&c, 1<<20)
			return m, finishRead(&c, b)
		}
		m, err := read(b)
		if err != nil {
			return
		}
		if again, err := read(write(&m)); err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("%+v is read as %+v: %v", m, again, err)
		}
	})
}
