package statesync

import (
	"slices"
	"testing"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// counter is a server of two players, and what its clients say without a link.
type counter struct {
	s     *server
	peers []predict.Peer
	tick  [2]sim.Tick // of the clients
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	env := &predict.Env{World: sim.New(named(t, "two-players"), 60), Players: 2, Player: -1, LastInputs: make([]sim.Input, 2), Knobs: &predict.Knobs{}, Counters: &predict.Counters{}}
	k := &counter{s: newServer(env).(*server), tick: [2]sim.Tick{100, 500}}
	if err := env.Knobs.Set("authority", "toucher"); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		k.peers = append(k.peers, predict.Peer{Endpoint: packet.NewEndpoint(nil), Seat: i})
		k.s.claims = append(k.s.claims, newClaims(len(k.s.before)))
	}
	return k
}

// says has a client say of a body whose it is and how it is, in its next tick or,
// if ago is not 0, in one before.
func (k *counter) says(seat, body int, g grip, b sim.Body, ago int) {
	c := &k.s.claims[seat]
	c.spare.tick, c.spare.n = k.tick[seat]-sim.Tick(ago), 1
	c.spare.updates[0] = update{body: body, grip: g, state: b}
	k.s.claim(c, int8(seat))
	c.silent = 0
}

// step makes a tick of the server and of both clients.
func (k *counter) step() {
	k.s.setClaims(k.peers)
	k.s.env.World.Step(nil...)
	k.tick[0]++
	k.tick[1]++
}

// TestGrips says whose a body is: of two who touch it the first one's, of one who
// pulls it before one who touches it; nobody's once it is let go, also if an older
// word comes later, and once nothing has been heard of it for five seconds, or of
// its holder for one; and never another's own cube.
func TestGrips(t *testing.T) {
	k := newCounter(t)
	const b = 7
	body := k.s.env.World.Bodies()[b]
	touch := func(p int8) grip { return grip{p, false} }
	own := func(p int8) grip { return grip{p, true} }
	is := func(want grip, why string) {
		t.Helper()
		if k.s.hands[b] != want {
			t.Errorf("%s: %+v, not %+v", why, k.s.hands[b], want)
		}
		k.step()
		if got := k.s.env.World.Owners()[b]; got != want.holder {
			t.Errorf("%s: the world says %d", why, got)
		}
	}
	k.says(0, b, touch(0), body, 0)
	is(touch(0), "the first")
	k.says(1, b, touch(1), body, 0)
	is(touch(0), "the second")
	if n := k.s.env.Counters.Value("claims_refused"); n != 1 {
		t.Errorf("%v refused", n)
	}
	k.says(1, b, own(1), body, 0)
	is(own(1), "who pulls")
	k.says(0, b, own(0), body, 0)
	is(own(1), "who pulls second")
	k.says(1, b, touch(1), body, 0)
	is(touch(1), "who pulls no longer")
	k.says(1, b, noGrip, body, 0)
	is(noGrip, "let go")
	k.says(1, b, touch(1), body, 2)
	is(noGrip, "an older word")
	k.says(0, b, touch(1), body, 0)
	is(noGrip, "in another's name")
	k.says(0, b, touch(0), body, 0)
	is(touch(0), "again")
	k.says(1, 0, own(1), sim.Body{}, 0)
	if k.s.hands[0] != own(0) {
		t.Error("another's own cube")
	}
	for range 290 {
		k.says(0, 8, touch(0), k.s.env.World.Bodies()[8], 0)
		k.says(1, 9, touch(1), k.s.env.World.Bodies()[9], 0)
		k.step()
	}
	is(touch(0), "not five seconds yet")
	for range 15 {
		k.says(0, 8, touch(0), k.s.env.World.Bodies()[8], 0)
		k.step()
	}
	is(noGrip, "not heard of")
	for range 62 {
		k.s.claims[0].silent, k.s.claims[1].silent = 0, k.s.claims[1].silent+1
		k.step()
	}
	if k.s.hands[8] != touch(0) || k.s.hands[9] != noGrip {
		t.Errorf("one is silent: %+v %+v", k.s.hands[8], k.s.hands[9])
	}
}

// TestBelieves says that the server sets a body to what its holder says, at that
// word's turn; not to what another says; of what is late only what rests; and that
// what sleeps is not woken for a body that hardly moves.
func TestBelieves(t *testing.T) {
	k := newCounter(t)
	const b = 7
	w := k.s.env.World
	at := func() float32 { return w.Bodies()[b].Pose.Pos.X }
	there := func(x float32, asleep bool) sim.Body {
		return sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: x, Y: 20, Z: 0.2}, Rot: geom.Identity}, Asleep: asleep}
	}
	k.says(0, b, grip{0, false}, there(3, true), 0)
	k.says(1, b, grip{1, false}, there(-3, true), 0)
	for i := range k.s.wait {
		if at() > 1 {
			t.Errorf("after %d ticks it is not its turn yet", i)
		}
		k.step()
	}
	if k.step(); at() != 3 {
		t.Errorf("its holder has it at 3, the server at %v", at())
	}
	k.says(0, b, grip{0, false}, there(3.005, false), 0)
	for range 4 {
		k.step()
	}
	if at() != 3 || !w.Bodies()[b].Asleep {
		t.Errorf("woken for nothing: %v", at())
	}
	k.says(0, b, grip{0, false}, there(4, false), 3)
	k.says(0, b, grip{0, false}, there(5, true), 3)
	if at() != 5 {
		t.Errorf("of two late ones one rests at 5, and it is at %v", at())
	}
	k.says(0, b, grip{0, false}, there(6, true), 4)
	if at() != 5 {
		t.Errorf("an older one: %v", at())
	}
}

// upward writes what a client sends.
func upward(newest sim.Tick, m *message, sc *sim.Scene) []byte {
	var c quant.Coder
	c.Write(make([]byte, mostUpBytes))
	in := input.Message{TickBits: 10, Newest: newest, Inputs: make([]sim.Input, 3)}
	in.Code(&c)
	if m != nil {
		m.up = true
		m.code(&c, sc)
	}
	return slices.Clone(c.Data())
}

// TestUpRefuses says that a client's payload is its inputs, or those and its bodies
// of the same tick, and nothing else.
func TestUpRefuses(t *testing.T) {
	sc := named(t, "two-players")
	read := func(b []byte) (bool, error) {
		var c quant.Coder
		var m message
		return readUp(&c, b, &m, &sc, func() sim.Tick {
			in := input.Message{Newest: 190}
			in.Code(&c)
			return in.Newest
		})
	}
	m := message{tick: 200, players: 2, n: 1, form: form{hands: true, rotation: finest}}
	m.updates[0] = update{body: 4, grip: grip{1, true}, state: sim.Body{Pose: geom.Pose{Rot: geom.Identity}, Asleep: true}}
	if more, err := read(upward(200, nil, &sc)); more || err != nil {
		t.Error(more, err)
	}
	if more, err := read(upward(200, &m, &sc)); !more || err != nil {
		t.Error(more, err)
	}
	if _, err := read(upward(201, &m, &sc)); err == nil {
		t.Error("bodies of another tick")
	}
	if _, err := read(append(upward(200, &m, &sc), 1)); err == nil {
		t.Error("a byte too many")
	}
	m.form.hands = false
	if _, err := read(upward(200, &m, &sc)); err == nil {
		t.Error("bodies in nobody's hands")
	}
}

// FuzzReadUp says that what a client sends may be anything: it is refused, or holds
// bodies that the scene could.
func FuzzReadUp(f *testing.F) {
	sc := named(f, "two-players")
	m := message{tick: 200, players: 2, n: 2, form: form{hands: true, velocities: true, quantised: true, rotation: finest}}
	w := sim.New(sc, 60)
	m.updates[0] = update{body: 1, grip: grip{1, true}, state: w.Bodies()[1]}
	m.updates[1] = update{body: 9, grip: noGrip, state: w.Bodies()[9]}
	f.Add(upward(200, nil, &sc))
	f.Add(upward(200, &m, &sc))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c quant.Coder
		var m message
		more, err := readUp(&c, b, &m, &sc, func() sim.Tick {
			in := input.Message{Newest: 190}
			in.Code(&c)
			return in.Newest
		})
		if err != nil || !more {
			return
		}
		for _, u := range m.updates[:m.n] {
			if !u.lost && (!(geom.Abs(u.state.Pose.Pos.X) <= sc.HalfWidth) || u.grip.holder < sim.NoPlayer || u.grip.holder > 1) {
				t.Errorf("%+v", u)
			}
		}
	})
}
