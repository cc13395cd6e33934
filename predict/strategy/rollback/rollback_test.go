package rollback

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/part/desync"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// rig is a server and its clients: one for each player, or a spectator if all players sit at the server.
type rig struct {
	*predicttest.Rig
	s     *server
	c     []*client
	input func(player, tick int) sim.Input
	final []sim.Tick // by client: ticks up to this one have been compared
}

func newRig(t testing.TB, spec, network string, host bool, knobs ...string) *rig {
	t.Helper()
	config := predicttest.Config{Scene: spec, Network: network, AtHost: host, Knobs: knobs}
	if !host {
		config.Clients = predicttest.Scene(t, spec).Players
	}
	r := &rig{Rig: predicttest.New(t, Strategy, config), input: scriptedInput}
	r.s = r.Server.(*server)
	for _, c := range r.Clients {
		r.c = append(r.c, c.Client.(*client))
		r.final = append(r.final, 0)
	}
	return r
}

// run runs ticks. After each it compares every client's worlds of the ticks that have become final with the
// server's, by their checksums.
func (r *rig) run(t *testing.T, ticks int) {
	t.Helper()
	for range ticks {
		r.RunPlayers(1, r.input)
		for i, c := range r.c {
			for ; r.final[i] < min(c.state.final, r.ServerWorld().Tick()); r.final[i]++ { // a watching server may be behind
				at := r.final[i] + 1
				if r.ServerWorld().Tick() >= at+desync.HistoryTicks {
					continue // the server has forgotten it
				}
				if a, b := c.checksums.At(at), r.s.checksums.At(at); a != b || a == 0 {
					t.Fatalf("client %d: tick %d has the checksum %x, at the server %x", i, at, a, b)
				}
			}
		}
	}
}

// requireProgress fails if a client is not ahead of most of the server's ticks with its confirmed world.
func (r *rig) requireProgress(t *testing.T, slack sim.Tick) {
	t.Helper()
	if n := r.Counter("desyncs"); n != 0 {
		t.Errorf("%v desyncs: %s", n, r.c[0].desync.Note)
	}
	if got := r.ServerWorld().Tick(); int(got) != r.Tick {
		t.Errorf("the server has stepped %d of %d ticks", got, r.Tick)
	}
	for i := range r.c {
		if r.final[i]+slack < r.ServerWorld().Tick() {
			t.Errorf("client %d has compared %d of %d ticks", i, r.final[i], r.ServerWorld().Tick())
		}
	}
}

// scriptedInput presses and releases the buttons of each player in another rhythm.
func scriptedInput(player, tick int) sim.Input {
	x := uint64(tick/(13+player)+7*player) * 0x9E3779B97F4A7C15
	return sim.Input{Buttons: sim.Buttons(x>>40) & sim.MoveButtons, Heading: uint8(tick / 30 * 16)}
}

// randomInput returns the input of players who press random keys, actions too.
func randomInput(seed uint64) func(player, tick int) sim.Input {
	chance := rand.New(rand.NewPCG(seed, 5))
	var now [sim.MaxPlayers]sim.Input
	return func(player, tick int) sim.Input {
		in := &now[player]
		if chance.IntN(12) == 0 {
			in.Buttons = sim.Buttons(chance.Uint32()) & sim.MoveButtons
		}
		if chance.IntN(40) == 0 {
			in.Heading = uint8(chance.Uint32())
		}
		if in.Buttons &^= sim.ActionButtons; chance.IntN(90) == 0 {
			in.Buttons |= sim.Buttons(chance.Uint32()) & sim.ActionButtons
		}
		return *in
	}
}

// scenes are scenes in which several players meet, or one player many bodies.
var scenes = []string{
	"two-players", "katamari:cubes=60:players=4", "billiards", "zen", "convoy:players=2", "walker:mounted=1", "turntable", "katamari:cubes=20:players=8",
}

// TestWorldsAgree checks that after their confirmation all worlds of a client equal the server's, tick by tick,
// whatever the network, and that the server steps in every tick.
func TestWorldsAgree(t *testing.T) {
	t.Parallel()
	networks := []string{
		"latency=50ms,jitter=10ms,loss=2%", "latency=150ms",
		"latency=75ms,loss=25%,duplicate=10%,reorder=10%,reorder-delay=80ms",
		"latency=10ms,latency-per-player=80ms,jitter=40ms",
	}
	for i, spec := range scenes {
		if experiment.Brief() && i%4 != 0 {
			continue
		}
		for j, network := range networks {
			if experiment.Brief() && j != i/2 {
				continue
			}
			for k, host := range []bool{false, true} {
				if experiment.Brief() && host != (i == 4) || !experiment.Long() && !experiment.Brief() && (i+j+k)%2 == 1 {
					continue
				}
				t.Run(fmt.Sprint(spec, network, host), func(t *testing.T) {
					t.Parallel()
					r := newRig(t, spec, network, host)
					r.input = randomInput(uint64(i))
					r.run(t, 400)
					r.SetNetwork("latency=30ms,loss=0,jitter=0,reorder=0,latency-per-player=0")
					r.run(t, 120)
					r.requireProgress(t, 10)
				})
			}
		}
	}
}

// TestAllScenes is TestWorldsAgree for 1000 s of random players, in all scenes; in .ci/run for 200 s.
func TestAllScenes(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	seconds := experiment.Pick(100, 100, 1000)
	names := append(scene.Names(), "katamari:cubes=100:players=4", "katamari:cubes=25:players=3")
	for i, spec := range names {
		for _, network := range []string{"latency=15ms,jitter=9ms,shape=long-tail,loss=2%,burst=8", "latency=150ms,jitter=20ms,loss=5%"} {
			t.Run(spec+" "+network, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, spec, network, false)
				r.input = randomInput(uint64(i))
				r.run(t, 60*seconds/(2*len(names)))
				r.requireProgress(t, 60)
			})
		}
	}
}

// TestRollbackRestoresEverything is a sync test: in every tick the client rolls back as far as it can, with large scenes
// in some ticks, and steps again with the same inputs. Its world must be the same as before: when all of it is
// stepped, and when an input is changed and changed back, so that what it influences is stepped twice.
func TestRollbackRestoresEverything(t *testing.T) {
	t.Parallel()
	specs, ticks := append(scene.Names(), "katamari:cubes=60:players=4", "convoy:players=2", "ship:players=2"), experiment.Pick(70, 105, 300)
	if experiment.Brief() {
		specs = append(scenes, "trailer", "train", "ship:platform=1", "seesaw")
	}
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, spec, "perfect", false)
			r.input = randomInput(3)
			changed := 0
			for i := range ticks {
				r.RunPlayers(1, r.input)
				w, depth := r.c[0].env.World, sim.Tick(maxRollbackTicks)
				if large := len(w.Bodies()) > 80; large && experiment.Brief() && i%5 != 0 {
					continue
				} else if large && i%30 != 5 {
					depth = 8
				}
				if w.Tick() >= depth && r.restores(t, w.Tick()-depth, i%len(r.c)) {
					changed++
				}
			}
			if changed == 0 && spec != "ship:players=2" {
				t.Error("no input changes anything")
			}
		})
	}
}

// restores fails if the first client's world is another one after replays from a past tick on. It reports whether another
// input of a player in that tick gave another world.
func (r *rig) restores(t *testing.T, first sim.Tick, player int) (changed bool) {
	t.Helper()
	c := r.c[0]
	w := c.env.World
	now := w.Tick()
	bodies, cache := w.Hash()
	require := func(what string) {
		t.Helper()
		if b, k := w.Hash(); w.Tick() != now || b != bodies || k != cache {
			t.Fatalf("at tick %d a replay of %d ticks %s gives another world", now, now-first, what)
		}
	}
	c.replayAll(first, now)
	require("of all bodies")
	in := c.inputAt(first, player)
	in.Buttons ^= sim.Left | sim.Forward
	known := c.known.insert(first)
	before := *known
	known.inputs[player], known.known[player] = in, true
	c.replay(first)
	b, _ := w.Hash()
	*known = before
	c.replay(first)
	require("with an input that is changed and changed back")
	return b != bodies
}

// TestOnlyInequalityRollsBack checks that inputs which equal their predictions cause no rollback, and that one
// change of a remote input causes one rollback, as deep as the way from that player to this one.
func TestOnlyInequalityRollsBack(t *testing.T) {
	r := newRig(t, "two-players", "latency=50ms", false)
	held := sim.Forward
	r.input = func(player, tick int) sim.Input {
		if player == 0 {
			return sim.Input{Buttons: sim.Right}
		}
		return sim.Input{Buttons: held}
	}
	r.run(t, 120)
	before, ticks := r.Counter("rollbacks"), r.Counter("rolled_back_ticks")
	r.run(t, 120)
	if n := r.Counter("rollbacks") - before; n != 0 {
		t.Errorf("%v rollbacks while no input changes", n)
	}
	held = sim.Back
	r.run(t, 60)
	// 100 ms are six ticks; the packet is sent and read within a tick each.
	if n, depth := r.Counter("rollbacks")-before, r.Counter("rolled_back_ticks")-ticks; n != 1 || depth < 6 || depth > 8 {
		t.Errorf("one change of an input: %v rollbacks of %v ticks", n, depth)
	}
}

// TestNoWaitBelowLimit checks that no client skips a tick while the round trip and the lead fit into max-rollback,
// and that beyond the limit it skips ticks, says so, does not lose the pending rollback, and recovers.
func TestNoWaitBelowLimit(t *testing.T) {
	experiment.Skip(t)
	r := newRig(t, "two-players", "latency=150ms,jitter=20ms,loss=5%", false)
	r.run(t, 900)
	if n := r.Counter("skipped_ticks"); n != 0 {
		t.Errorf("%v ticks skipped at 150 ms", n)
	}
	r.SetKnob("max-rollback", "12")
	r.run(t, 300)
	skipped := r.Counter("skipped_ticks")
	if skipped == 0 {
		t.Error("no tick skipped although the round trip is longer than max-rollback")
	}
	for i, c := range r.c {
		if n := int64(c.env.World.Tick()) - int64(c.known.confirmed); n > 12 {
			t.Errorf("client %d is %d ticks beyond the last confirmed one", i, n)
		}
	}
	r.SetKnob("max-rollback", "60")
	r.run(t, 120)
	r.Network.Blackout = r.Now() + 2*time.Second
	r.run(t, 110)
	if note := r.View().Note; !strings.Contains(note, "max-rollback") {
		t.Errorf("the note is %q in an outage of two seconds", note)
	}
	r.run(t, 240)
	skipped = r.Counter("skipped_ticks")
	r.run(t, 300)
	if n := r.Counter("skipped_ticks") - skipped; n != 0 {
		t.Errorf("%v ticks skipped four seconds after an outage", n)
	}
	r.requireProgress(t, 40)
}

// TestRecoversFromOutage checks that a client that has heard nothing for half a minute takes in the inputs of that
// time, steps them, and is in time again. The server remembers them for 68 s.
func TestRecoversFromOutage(t *testing.T) {
	experiment.Skip(t)
	r := newRig(t, "two-players", "latency=50ms", false)
	r.run(t, 120)
	r.Network.Blackout = r.Now() + 30*time.Second
	r.run(t, 1800)
	if n := r.final[0]; n > 130 {
		t.Errorf("tick %d is final although nothing has arrived since tick 120", n)
	}
	r.run(t, 240)
	late := r.Counter("late_inputs")
	r.run(t, 120)
	if n := r.Counter("late_inputs") - late; n != 0 {
		t.Errorf("%v inputs are late four seconds after the outage", n)
	}
	r.requireProgress(t, 10)
}

// TestKeepsUnsteppedInputs checks that a client ignores a message with so many inputs that they would overwrite those of ticks
// not yet stepped, and accepts the largest one that does not.
func TestKeepsUnsteppedInputs(t *testing.T) {
	r := newRig(t, "two-players", "latency=50ms", false)
	r.run(t, 60)
	c := r.c[0]
	most := c.env.World.Tick() + knownTicks/2
	for _, end := range []sim.Tick{most + 1, most} {
		before := c.known.confirmed
		m := downMessage{end: end, count: int(end - before), runs: make([]run, 2)}
		for p := range m.runs {
			m.runs[p].inputs = make([]sim.Input, m.count)
		}
		c.confirm(&m)
		if taken := c.known.confirmed > before; taken != (end == most) {
			t.Errorf("%d ticks ahead of the world: taken in %v", end-c.env.World.Tick(), taken)
		}
	}
}

// TestLocatesDesync changes one body in one tick and checks that the client locates that tick and that body, and
// that no desync is reported before.
func TestLocatesDesync(t *testing.T) {
	t.Parallel()
	for i, network := range []string{"latency=75ms", "latency=75ms,loss=30%", "latency=200ms,loss=10%"} {
		r := newRig(t, "katamari:cubes=64", network, false, "checksum-every", fmt.Sprint(1+9*i))
		r.input = func(int, int) sim.Input { return sim.Input{} }
		r.run(t, 200)
		body := 20 + i
		at := r.ServerWorld().Tick() + 1
		r.ChangeBody(body, func(b *sim.Body) { b.Pose.Pos.Z += 1e-4 })
		r.RunPlayers(300, r.input)
		tick, first, ok := r.c[0].desync.Located()
		if !ok || tick != at || first != body || r.Counter("desyncs") != 1 {
			t.Errorf("%s: body %d differs from tick %d on; located: tick %d, body %d, %v; %v desyncs",
				network, body, at, tick, first, ok, r.Counter("desyncs"))
		}
		if want := fmt.Sprintf("worlds differ since server tick %d: body %d", at, body); !strings.HasPrefix(r.View().Note, want) {
			t.Errorf("the note is %q, want %q", r.View().Note, want)
		}
	}
}

// TestChecksumsWaitForConfirmation checks that a checksum of a tick that the client has only predicted causes no
// false desync.
func TestChecksumsWaitForConfirmation(t *testing.T) {
	experiment.Skip(t)
	r := newRig(t, "two-players", "latency=5ms,latency-per-player=150ms,jitter=60ms", false, "checksum-every", "1")
	r.input = randomInput(9)
	r.run(t, 900)
	if n := r.Counter("compared_checksums"); n < 800 {
		t.Errorf("%v checksums compared", n)
	}
	r.requireProgress(t, 40)
}

// TestSmoothing checks that the drawn remote cube jumps less in a rollback than the simulated one.
func TestSmoothing(t *testing.T) {
	experiment.Skip(t)
	r := newRig(t, "two-players", "latency=40ms", false)
	r.input = func(player, tick int) sim.Input {
		return sim.Input{Buttons: []sim.Buttons{sim.Left, sim.Right}[tick/60%2]}
	}
	r.run(t, 60)
	simulated, drawn := float32(0), float32(0)
	before := predict.View{}
	for range 240 {
		before.CopyFrom(r.View())
		r.run(t, 1)
		now := r.View()
		simulated = max(simulated, now.Simulated[1].Pos.Sub(before.Simulated[1].Pos).Len())
		drawn = max(drawn, now.Bodies[1].Pos.Sub(before.Bodies[1].Pos).Len())
	}
	if simulated < 0.1 || drawn > 0.8*simulated {
		t.Errorf("in a tick the remote cube moves by up to %v m, drawn by %v m", simulated, drawn)
	}
}

// TestReplaysSelectively checks that a rollback steps only what can differ, and everything after a change from outside.
func TestReplaysSelectively(t *testing.T) {
	r := newRig(t, "two-players", "latency=60ms", false)
	r.run(t, 120)
	c := r.c[0]
	w := c.env.World
	now := w.Tick()
	if !c.replaySelected(now-5, now) || w.Tick() != now {
		t.Error("a replay is not selective")
	}
	b := w.Bodies()[1]
	b.Linear.X++
	w.SetBody(1, b)
	if c.replaySelected(now-5, now) {
		t.Error("a replay is selective after a change from outside")
	}
}
