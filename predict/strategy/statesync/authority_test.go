package statesync

import (
	"slices"
	"testing"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/playout"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// claimServer is a server with two clients, whose claims reach it without a link.
type claimServer struct {
	server *server
	peers  []predict.Peer
	tick   [2]sim.Tick // of the clients
}

func newClaimServer(t *testing.T) *claimServer {
	t.Helper()
	env := predicttest.NewEnv(predicttest.Scene(t, "two-players"), 60, -1)
	k := &claimServer{server: newServer(env).(*server), tick: [2]sim.Tick{100, 500}}
	if err := env.Knobs.Set("authority", "client"); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		k.peers = append(k.peers, predict.Peer{Endpoint: packet.NewEndpoint(nil), Player: i})
	}
	k.server.addPeers(len(k.peers))
	return k
}

// claim adds a client's claim to a body, with its authority and state, of the client's present tick
// less ago.
func (s *claimServer) claim(seat, body int, g authority, b sim.Body, ago int) {
	c := &s.server.claims[seat]
	c.scratch.message.tick, c.scratch.message.updateCount = s.tick[seat]-sim.Tick(ago), 1
	c.scratch.message.updates[0] = update{body: body, authority: g, state: b}
	c.endSilence(s.server.Env.World.Rate())
	s.server.addClaim(c, int8(seat))
}

// step runs a tick of the server and of both clients.
func (s *claimServer) step() {
	s.server.applyClaims(s.peers)
	s.server.Env.World.Step(nil...)
	s.tick[0]++
	s.tick[1]++
}

// TestAuthorityRules checks who has authority over a body: the first of two players who touch it;
// an owner before a player who touches it; nobody after a release, also if an older claim arrives
// later, after five seconds without renewal, or after a second of silence of the client.
func TestAuthorityRules(t *testing.T) {
	k := newClaimServer(t)
	const b = 7
	body := k.server.Env.World.Bodies()[b]
	touch := func(p int8) authority { return authority{p, false} }
	own := func(p int8) authority { return authority{p, true} }
	is := func(want authority, why string) {
		t.Helper()
		if k.server.authorities[b] != want {
			t.Errorf("%s: the authority is %+v, want %+v", why, k.server.authorities[b], want)
		}
		k.step()
		if got := k.server.Env.World.Owners()[b]; got != want.player {
			t.Errorf("%s: the world has owner %d", why, got)
		}
	}
	k.claim(0, b, touch(0), body, 0)
	is(touch(0), "first claim")
	k.claim(1, b, touch(1), body, 0)
	is(touch(0), "second claim of the same rank")
	if n := k.server.Env.Counters.Value("claims_refused"); n != 1 {
		t.Errorf("%v claims refused, want 1", n)
	}
	k.claim(1, b, own(1), body, 0)
	is(own(1), "claim of an owner")
	k.claim(0, b, own(0), body, 0)
	is(own(1), "second owner")
	k.claim(1, b, touch(1), body, 0)
	is(touch(1), "owner that only touches")
	k.claim(1, b, noAuthority, body, 0)
	is(noAuthority, "release")
	k.claim(1, b, touch(1), body, 2)
	is(noAuthority, "older claim")
	k.claim(0, b, touch(1), body, 0)
	is(noAuthority, "claim for another player")
	k.claim(0, b, touch(0), body, 0)
	is(touch(0), "claim after a release")
	for range 290 {
		k.claim(0, 8, touch(0), k.server.Env.World.Bodies()[8], 0)
		k.claim(1, 9, touch(1), k.server.Env.World.Bodies()[9], 0)
		k.step()
	}
	is(touch(0), "before the lease ends")
	for range 15 {
		k.claim(0, 8, touch(0), k.server.Env.World.Bodies()[8], 0)
		k.step()
	}
	is(noAuthority, "after the lease ends")
	for range 62 {
		k.server.claims[0].state.silentTicks, k.server.claims[1].state.silentTicks = 0, k.server.claims[1].state.silentTicks+1
		k.step()
	}
	if k.server.authorities[8] != touch(0) || k.server.authorities[9] != noAuthority {
		t.Errorf("after a second of silence of player 1: %+v %+v", k.server.authorities[8], k.server.authorities[9])
	}
}

// TestPlayersKeepTheirCubes checks that a client's claim to another player's cube is refused and
// counted, and that its state of that cube is not applied, also while the cube's own player has only
// the lower rank of authority over it.
func TestPlayersKeepTheirCubes(t *testing.T) {
	k := newClaimServer(t)
	w := k.server.Env.World
	cube := w.Bodies()[0]
	away := cube
	away.Pose.Pos.X += 3
	for i, g := range []authority{{0, true}, {0, false}} {
		k.claim(0, 0, g, cube, 0)
		k.claim(1, 0, authority{1, true}, away, 0)
		if got := k.server.authorities[0]; got != g {
			t.Errorf("the cube of player 0 is under %+v, want %+v", got, g)
		}
		if n := k.server.Env.Counters.Value("claims_refused"); n != float64(i+1) {
			t.Errorf("%v claims refused, want %d", n, i+1)
		}
		k.step()
	}
	k.claim(1, 0, noAuthority, away, 0)
	for range 5 {
		k.step()
	}
	if got := w.Bodies()[0].Pose.Pos.X; k.server.authorities[0].player != 0 || got > cube.Pose.Pos.X+1 {
		t.Errorf("player 1 has moved the cube of player 0 from %v to %v m; it is under %+v", cube.Pose.Pos.X, got, k.server.authorities[0])
	}
}

// TestServerAppliesClaims checks that the server applies the states of the player with authority
// when their tick has come, and no other player's; of a late message only sleeping bodies; and that
// a sleeping body is not woken for one that hardly moves.
func TestServerAppliesClaims(t *testing.T) {
	k := newClaimServer(t)
	const b = 7
	w := k.server.Env.World
	at := func() float32 { return w.Bodies()[b].Pose.Pos.X }
	there := func(x float32, asleep bool) sim.Body {
		return sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: x, Y: 20, Z: 0.2}, Rot: geom.Identity}, Asleep: asleep}
	}
	k.claim(0, b, authority{0, false}, there(3, true), 0)
	k.claim(1, b, authority{1, false}, there(-3, true), 0)
	for i := range k.server.settings.claimBuffer {
		if at() > 1 {
			t.Errorf("the claim is applied after %d ticks, too early", i)
		}
		k.step()
	}
	if k.step(); at() != 3 {
		t.Errorf("the client claims position 3, the server has %v", at())
	}
	k.claim(0, b, authority{0, false}, there(3.005, false), 0)
	for range 4 {
		k.step()
	}
	if at() != 3 || !w.Bodies()[b].Asleep {
		t.Errorf("a slow body near the sleeping one wakes it: %v", at())
	}
	k.claim(0, b, authority{0, false}, there(4, false), 3)
	k.claim(0, b, authority{0, false}, there(5, true), 3)
	if at() != 5 {
		t.Errorf("of two late states the sleeping one at 5 applies, but the body is at %v", at())
	}
	k.claim(0, b, authority{0, false}, there(6, true), 4)
	if at() != 5 {
		t.Errorf("an older state is applied: %v", at())
	}
}

// TestAuthoritiesTakeBits checks that the bits of authorities count when a packet is filled, so that it
// does not exceed the available bits.
func TestAuthoritiesTakeBits(t *testing.T) {
	r := newRig(t, "two-players", "perfect")
	r.run(30)
	w, m, p := r.ServerWorld(), &message{players: 2}, &r.s.senders[0]
	m.format = format{authority: true, velocities: true, quantised: true, rotationBits: maxRotationBits}
	size := func() int {
		p.scratch.coder.BeginMeasure()
		m.code(&p.scratch.coder, w.Scene())
		return p.scratch.coder.BitsProcessed()
	}
	for i := range p.bodies {
		p.bodies[i].priority = 1
	}
	headerBits := size()
	const available = 3000
	estimated := p.chooseUpdates(m, w, available, func(i int) authority {
		if i%3 == 0 {
			return noAuthority
		}
		return authority{int8(i % 2), true}
	})
	if n := size() - headerBits; n != estimated || n > available || m.updateCount < 10 {
		t.Errorf("%d updates take %d bits, estimated %d, available %d", m.updateCount, n, estimated, available)
	}
}

// clientPayload writes the payload of a client.
func clientPayload(newest sim.Tick, m *message, sc *sim.Scene) []byte {
	var c quant.Coder
	c.BeginWrite(make([]byte, maxUplinkBytes))
	in := input.Message{TickBits: 10, NewestTick: newest, Inputs: make([]sim.Input, 3)}
	in.Code(&c)
	if m != nil {
		m.fromClient = true
		m.code(&c, sc)
	}
	return slices.Clone(c.FinishWrite())
}

// TestReadUplink checks that a client's payload is its inputs, or its inputs and states of the same
// tick, and nothing else.
func TestReadUplink(t *testing.T) {
	sc := predicttest.Scene(t, "two-players")
	read := func(b []byte) (bool, error) {
		var c quant.Coder
		var m message
		return readUplink(&c, b, &m, &sc, func() sim.Tick {
			in := input.Message{NewestTick: 190}
			in.Code(&c)
			return in.NewestTick
		})
	}
	m := message{tick: 200, players: 2, updateCount: 1, format: format{authority: true, rotationBits: maxRotationBits}}
	m.updates[0] = update{body: 4, authority: authority{1, true}, state: sim.Body{Pose: geom.Pose{Rot: geom.Identity}, Asleep: true}}
	if hasStates, err := read(clientPayload(200, nil, &sc)); hasStates || err != nil {
		t.Error(hasStates, err)
	}
	if hasStates, err := read(clientPayload(200, &m, &sc)); !hasStates || err != nil {
		t.Error(hasStates, err)
	}
	if _, err := read(clientPayload(201, &m, &sc)); err == nil {
		t.Error("states of another tick are accepted")
	}
	if _, err := read(append(clientPayload(200, &m, &sc), 1)); err == nil {
		t.Error("trailing bytes are accepted")
	}
	m.format.authority = false
	if _, err := read(clientPayload(200, &m, &sc)); err == nil {
		t.Error("states without authorities are accepted")
	}
}

// FuzzReadUplink checks that any client payload is either rejected or decoded to states that the
// scene allows.
func FuzzReadUplink(f *testing.F) {
	sc := predicttest.Scene(f, "two-players")
	m := message{tick: 200, players: 2, updateCount: 2, format: format{authority: true, velocities: true, quantised: true, rotationBits: maxRotationBits}}
	w := predict.NewWorld(sc, 60)
	m.updates[0] = update{body: 1, authority: authority{1, true}, state: w.Bodies()[1]}
	m.updates[1] = update{body: 9, authority: noAuthority, state: w.Bodies()[9]}
	f.Add(clientPayload(200, nil, &sc))
	f.Add(clientPayload(200, &m, &sc))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c quant.Coder
		var m message
		hasStates, err := readUplink(&c, b, &m, &sc, func() sim.Tick {
			in := input.Message{NewestTick: 190}
			in.Code(&c)
			return in.NewestTick
		})
		if err != nil || !hasStates {
			return
		}
		for _, u := range m.updates[:m.updateCount] {
			if !u.missingBaseline && (!(geom.Abs(u.state.Pose.Pos.X) <= sc.HalfWidth) || u.authority.player < sim.NoPlayer || u.authority.player > 1) {
				t.Errorf("%+v", u)
			}
		}
	})
}

// TestClaimBuffer checks the length of the server's buffer of a client's states, and when it moves the tick
// whose states are applied: back only if some states would come too late, with a tick to spare, forward only
// if the earliest wait for more than the slack beyond the buffer.
func TestClaimBuffer(t *testing.T) {
	const tick = sim.Moment(sim.MomentsPerTick)
	for _, c := range []struct{ earliest, want int }{{-2, 0}, {-1, 0}, {0, 2}, {7, 9}, {-3, 0}, {-5, 0}, {-6, -4}, {-9, -7}} {
		b := claims{state: claimsState{delay: 2 * tick}}
		if got := b.adaptBuffer(sim.Moment(c.earliest)*tick, 2*tick); got != int64(c.want) {
			t.Errorf("the earliest states are %d ticks late: back by %d, want %d", c.earliest, got, c.want)
		}
	}
	b := claims{state: claimsState{delay: 2 * tick, percentile: playout.Percentile{Percent: onTimePercent}}}
	second := func(jitter int) int {
		for i := range 60 {
			b.state.percentile.Add(sim.Moment(i%2*jitter-2) * tick)
		}
		b.adaptBuffer(-2*tick, 2*tick)
		return int(b.state.delay / tick)
	}
	if got := second(4); got != 4 {
		t.Errorf("half of the states come 4 ticks after the earliest: a buffer of %d ticks", got)
	}
	if got := second(20); got != maxAdaptiveTicks {
		t.Errorf("20 ticks after the earliest: a buffer of %d ticks", got)
	}
	for range 20 {
		second(0)
	}
	if got := second(0); got != 2 {
		t.Errorf("without jitter a buffer of %d ticks", got)
	}
}

// TestMovesOfClaimsAreAnnounced checks that a client knows, eight ticks before, in which tick of the server its state
// is applied, also where the server moves on to newer states or back because the client's clock has jumped; and that
// a state that a move leaves out is applied before the next one.
func TestMovesOfClaimsAreAnnounced(t *testing.T) {
	for _, jump := range []int{7, -2} {
		k := newClaimServer(t)
		c, w := &k.server.claims[0], k.server.Env.World
		said, moves, newest := map[sim.Tick]sim.Moment{}, 0, sim.Tick(0)
		bodyOf := func(t sim.Tick) int { return int(t%2) * 7 }
		check := func(client sim.Tick, at sim.Moment) {
			if want, ok := said[client]; ok && client > newest && want != at {
				t.Errorf("jump by %d: state %d counts at %v, the client expects %v", jump, client, at.Ticks(), want.Ticks())
			}
		}
		for i := range 360 {
			if i == 120 {
				k.tick[0] = sim.Tick(int(k.tick[0]) + jump)
			}
			body := bodyOf(k.tick[0])
			k.claim(0, body, authority{0, body == 0}, w.Bodies()[body], 0)
			now, next, skipped := w.Tick(), c.state.next, c.state.skipped
			k.step()
			check(next, now.Moment())
			if skipped > 0 {
				check(next-1, now.Moment()-sim.MomentsPerTick/2)
				if got := c.bodies[bodyOf(next-1)].appliedTick; got != next {
					t.Errorf("state %d is left out: the newest before it is %d", next-1, got-1)
				}
			}
			if newest = max(newest, next); c.state.next != next+1 {
				moves++
			}
			move, coming := c.announced(now), c.consumedTick()+8
			if _, ok := said[coming]; !ok {
				said[coming] = move.applied(now, 8)
			}
		}
		if moves != max(jump-claimSlack, 1) || len(said) < 300 {
			t.Errorf("jump by %d: %d moves, %d states", jump, moves, len(said))
		}
	}
}

// TestMoveOnTheWire checks that every move reads as it was written, and that one by no tick is malformed.
func TestMoveOnTheWire(t *testing.T) {
	for back := -maxMoveForward; back <= maxMoveBack; back++ {
		for _, in := range []int{0, maxMoveIn} {
			var c quant.Coder
			c.BeginWrite(make([]byte, 16))
			m, got := claimsMove{back, in}, claimsMove{5, 5}
			m.code(&c)
			c.BeginRead(slices.Clone(c.FinishWrite()))
			if got.code(&c); back == 0 && got != (claimsMove{}) || back != 0 && got != m || c.Err() != nil {
				t.Errorf("%+v reads as %+v: %v", m, got, c.Err())
			}
		}
	}
	var c quant.Coder
	c.BeginWrite(make([]byte, 16))
	c.Bool(true)
	c.Int(0, -maxMoveForward, maxMoveBack)
	c.BeginRead(slices.Clone(c.FinishWrite()))
	if new(claimsMove).code(&c); c.Err() == nil {
		t.Error("a move by 0 ticks is accepted")
	}
}

// TestClaimsAfterFreeze lets a client stand still for 18 ticks and then catch up, five ticks in four. Its states are
// applied again within an eighth of a second and a tick, the buffer does not become longer, and four seconds later no state
// waits for longer than the slack beyond it.
func TestClaimsAfterFreeze(t *testing.T) {
	k := newClaimServer(t)
	c := &k.server.claims[0]
	run := func(ticks int, send bool) {
		for range ticks {
			if send {
				k.claim(0, 0, authority{0, true}, k.server.Env.World.Bodies()[0], 0)
			} else {
				k.tick[0]--
				c.state.silentTicks++
			}
			k.step()
		}
	}
	run(150, true)
	run(18, false)
	run(60/allLateShare+1, true)
	if c.bodies[0].appliedTick < c.state.next {
		t.Errorf("of tick %d, the newest applied state is %d", c.state.next, c.bodies[0].appliedTick)
	}
	for range 18 {
		run(4, true)
		k.claim(0, 0, authority{0, true}, k.server.Env.World.Bodies()[0], 0)
		k.tick[0]++
	}
	run(168, true)
	if early := int64(k.tick[0]) - int64(c.state.next); early < 1 || early > 2+claimSlack || c.state.delay != 2*sim.MomentsPerTick {
		t.Errorf("four seconds later states wait for %d ticks in a buffer of %v", early, c.state.delay.Ticks())
	}
}
