package rewind

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// hashes are those of a world's bodies and of its contacts.
type hashes [2]uint64

func hashOf(w *predict.World) (h hashes) {
	h[0], h[1] = w.Hash()
	return h
}

// gather drives around in the scene katamari and pulls cubes.
func gather(tick int) sim.Input {
	in := predicttest.DriveAround(tick)
	in.Buttons |= sim.Pull
	return in
}

// err moves the cube of the client's world, which neither side can know, so that a difference is found later.
func (r *rig) err() {
	w := r.ClientWorld()
	b := w.Bodies()[0]
	b.Pose.Pos.X++
	w.SetBody(0, b)
}

// TestChangedBodiesCostOneReplay checks that a client replays once, however long the way is, after the server's bodies
// have been changed in a ball of cubes, and that a client that does not resynchronise goes on correcting.
func TestChangedBodiesCostOneReplay(t *testing.T) {
	experiment.Skip(t)
	for _, network := range []string{"latency=10ms", "latency=200ms"} {
		for _, enabled := range []string{"on", "off"} {
			r := newRig(t, "katamari", network, "resync", enabled)
			r.Run(300, gather)
			r.nudge()
			r.Run(60, gather)
			if n := len(r.Corrections); n == 0 || (n == 1) != (enabled == "on") {
				t.Errorf("%s, resync=%s: %d corrections after the server's cube was moved", network, enabled, n)
			}
		}
	}
}

// TestCorrectionsAgain checks that corrections after the first, until a resynchronisation, are known as such.
func TestCorrectionsAgain(t *testing.T) {
	r := newRig(t, "katamari", "latency=100ms")
	r.Run(300, gather)
	r.err()
	r.Run(90, gather)
	for i, c := range r.Corrections {
		if (c.Cause == predict.Again) != (i > 0) {
			t.Errorf("correction %d has the cause %v", i, c.Cause)
		}
	}
	if len(r.Corrections) < 2 {
		t.Errorf("%d corrections", len(r.Corrections))
	}
}

// TestResyncEndsCorrections checks that after an error in a ball of cubes the client asks once, and that
// its world then equals the server's to the bit, contacts included; without it, corrections go on.
func TestResyncEndsCorrections(t *testing.T) {
	experiment.Skip(t)
	for _, enabled := range []string{"on", "off"} {
		r := newRig(t, "katamari", "latency=75ms", "resync", enabled)
		r.Run(450, gather)
		r.err()
		r.Run(60, gather)
		early := len(r.Corrections)
		r.Run(120, gather)
		late, resyncs := len(r.Corrections)-early, r.Counter("resyncs")
		t.Logf("resync=%s: %d corrections in the second of the fault, %d later, %v resynchronisations", enabled, early, late, resyncs)
		if enabled == "on" && (early == 0 || early > 20 || late != 0 || resyncs != 1) || enabled == "off" && (late < 50 || resyncs != 0) {
			t.Errorf("resync=%s: %d corrections in the second of the fault, %d later, %v resynchronisations", enabled, early, late, resyncs)
		}
	}
}

// TestResyncIsExact checks that all clients equal the server's world to the bit after a fault, also if
// packets are lost and snapshots are rare: the one that asked, and the one that did not.
func TestResyncIsExact(t *testing.T) {
	experiment.Skip(t)
	for _, c := range []struct{ network, every string }{{"latency=75ms", "1"}, {"latency=75ms,loss=25%", "1"}, {"latency=50ms,loss=10%", "4"}} {
		r := &rig{Rig: predicttest.New(t, Strategy, predicttest.Config{
			Scene: "two-players", Network: c.network, Clients: 2, Knobs: []string{"snapshot-every", c.every, "resync", "on"},
		})}
		r.s = r.Server.(*server)
		push := func(player, _ int) sim.Input {
			return sim.Input{Buttons: []sim.Buttons{sim.Right, sim.Left}[player]}
		}
		r.RunPlayers(200, push)
		r.nudge()
		for _, peer := range []int{0, 1} { // one asks because of the fault, in case its first correction is enough
			r.Clients[peer].Client.(*client).resync.hasDiffed, r.Clients[peer].Client.(*client).resync.differed = true, r.ServerWorld().Tick()
		}
		r.RunPlayers(180, push)
		if r.Counter("resyncs") == 0 {
			t.Errorf("%+v: no resynchronisation", c)
		}
		server, remembered := map[sim.Tick]hashes{}, predict.NewWorld(*r.ServerWorld().Scene(), 60)
		equal := [2]int{}
		for range 120 {
			r.RunPlayers(1, push)
			server[r.ServerWorld().Tick()] = hashOf(r.ServerWorld())
			for i := range equal {
				side := r.Clients[i].Client.(*client)
				if past := side.stateHistory.Find(side.receiver.Tick); past != nil {
					if remembered.Load(past); hashOf(remembered) == server[side.receiver.Tick] {
						equal[i]++
					}
				}
			}
		}
		if equal[0] < 100 || equal[1] < 100 {
			t.Errorf("%+v: in %d and %d of 120 ticks a client's world equals the server's", c, equal[0], equal[1])
		}
	}
}

// TestResyncSurvivesRollback checks that a server that simulates again drops its hidden state again in
// the tick in which it did: its world is that of one to which no input is late.
func TestResyncSurvivesRollback(t *testing.T) {
	experiment.Skip(t)
	r := newRig(t, "pile:layers=2", lateNetwork, "lead", "1", "late-inputs", "resimulate")
	want := predict.NewWorld(*r.ServerWorld().Scene(), 60)
	known, dropped := map[sim.Tick]sim.Input{}, map[sim.Tick]bool{}
	for range 420 {
		r.s.resync.asked = r.Tick%50 == 49
		r.run(1)
		if r.s.resync.hasResync {
			dropped[r.s.resync.tick] = true
		}
		if r.Tick == 360 {
			r.SetNetwork("latency=5ms")
		}
		for at := r.ClientWorld().Tick() - 1; at != ^sim.Tick(0); at-- {
			if _, ok := known[at]; ok {
				break
			}
			known[at] = r.c.inputHistory.Find(at).input
		}
	}
	for want.Tick() < r.ServerWorld().Tick() {
		want.Step(known[want.Tick()])
		if dropped[want.Tick()] {
			want.DropHiddenState()
		}
	}
	if len(dropped) < 6 || r.Counter("server_rollbacks") < 5 || hashOf(want) != hashOf(r.ServerWorld()) {
		t.Errorf("%d resynchronisations, %v rollbacks, same world: %v", len(dropped), r.Counter("server_rollbacks"), hashOf(want) == hashOf(r.ServerWorld()))
	}
}

// TestResyncWaits checks that a client whose world differs for another reason than hidden state asks ever
// less often, and that a server does not obey more than four requests a second.
func TestResyncWaits(t *testing.T) {
	var c resyncClient
	c.enabled = true
	asked := 0
	for tick := sim.Tick(1); tick < 3600; tick++ {
		if c.differs(tick, 60); c.asking {
			asked++
			c.announced(resyncHeader{recent: true}, tick+10)
		}
	}
	if asked < 4 || asked > 8 {
		t.Errorf("a client that differs in every tick of a minute asks %d times", asked)
	}
	for tick := sim.Tick(3700); tick < 3702; tick++ {
		c.differs(tick, 60)
	}
	if !c.asking {
		t.Error("after a second without differences it does not ask for two new ones")
	}
	r := newRig(t, "plain", "perfect")
	for range 300 {
		r.s.resync.ask(r.ServerWorld().Tick())
		r.run(1)
	}
	if n := r.Counter("resyncs"); n < 15 || n > 20 {
		t.Errorf("%v resynchronisations in five seconds of requests", n)
	}
}

// TestJoinedClientWaits checks that a client that has just joined asks for no resynchronisation in its first second, that
// it asks after that if it still differs, and that an older resynchronisation is none of its own.
func TestJoinedClientWaits(t *testing.T) {
	var c resyncClient
	c.enabled = true
	c.joined(1000)
	if _, ok := c.announced(resyncHeader{recent: true, age: 20}, 1005); ok {
		t.Error("it takes part in a resynchronisation before it joined")
	}
	for tick := sim.Tick(1001); tick < 1060; tick++ {
		if c.differs(tick, 60); c.asking {
			t.Fatalf("it asks %d ticks after it joined", tick-1000)
		}
	}
	if c.differs(1060, 60); !c.asking {
		t.Error("it does not ask after a second")
	}
}

// TestRequestPayloads checks that a server takes a request behind a message of inputs and alone, once for
// each resynchronisation, and refuses one about a tick to come or with bytes behind it.
func TestRequestPayloads(t *testing.T) {
	r := newRig(t, "plain", "perfect")
	r.run(100)
	now := r.ServerWorld().Tick()
	payload := func(state sim.Tick) []byte {
		var c quant.Coder
		c.BeginWrite(make([]byte, 8))
		codeAsk(&c, state, state)
		return append([]byte(nil), c.FinishWrite()...)
	}
	q := &r.s.Receiver.Queues[0]
	for _, c := range []struct {
		name     string
		payload  []byte
		player   int
		accepted bool
	}{
		{"of a spectator", payload(now), -1, true}, {"of a player", payload(now - 5), 0, true},
		{"about a tick to come", payload(now + 1), 0, false}, {"too long", append(payload(now), 0), -1, false}, {"too short", payload(now)[:1], -1, false},
	} {
		r.s.resync.asked = false
		before := r.Counter("rejected_payloads")
		r.s.read(&packet.Packet{Payload: c.payload}, c.player, q)
		if r.s.resync.asked != c.accepted || (r.Counter("rejected_payloads") > before) == c.accepted {
			t.Errorf("a request %s: accepted %v, %v payloads rejected", c.name, r.s.resync.asked, r.Counter("rejected_payloads")-before)
		}
	}
	r.s.resync.asked, r.s.resync.hasResync, r.s.resync.tick = false, true, now
	if r.s.read(&packet.Packet{Payload: payload(now - 1)}, -1, q); r.s.resync.asked {
		t.Error("a request from before the last resynchronisation counts")
	}
}
