package statesync

import (
	"reflect"
	"slices"
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestArticleBits compares the sizes of updates with the article's: 117 bits at rest and 222
// moving, with an index of ten bits, and 235 and 427 uncompressed.
func TestArticleBits(t *testing.T) {
	sc := predicttest.Scene(t, "katamari")
	q, f := format{rotationBits: maxRotationBits, quantised: true, velocities: true}, format{rotationBits: maxRotationBits, velocities: true}
	n := plainIndexBits(&sc)
	if got := [4]int{n + q.bodyBits(true), n + q.bodyBits(false), n + f.bodyBits(true), n + f.bodyBits(false)}; got != [4]int{117, 222, 235, 427} {
		t.Errorf("%v", got)
	}
}

// TestStatesAreWhole checks that a state read over another one has nothing left of it: a sleeping
// body has no velocity.
func TestStatesAreWhole(t *testing.T) {
	sc := predicttest.Scene(t, "zen")
	moving := sc.Boxes[1].Start
	moving.Linear, moving.Angular, moving.Asleep = geom.Vec3{X: 1}, geom.Vec3{Z: 2}, false
	resting := sc.Boxes[1].Start
	resting.Asleep = true
	for _, f := range []format{{velocities: true}, {}, {quantised: true, velocities: true}} {
		f.rotationBits = maxRotationBits
		var got sim.Body
		for _, b := range []sim.Body{moving, resting} {
			var c quant.Coder
			c.BeginWrite(make([]byte, 64))
			f.codeBody(&c, &b, &sc)
			c.BeginRead(slices.Clone(c.FinishWrite()))
			if f.codeBody(&c, &got, &sc); got != f.roundTrip(b) || c.Err() != nil {
				t.Errorf("%+v: read %+v, want %+v, error %v", f, got, f.roundTrip(b), c.Err())
			}
		}
	}
}

// TestOutOfRangePackets checks that packets out of range are rejected, and that the client follows
// a stream of them: after a quarter of a second if they are ahead, after a second if they are
// behind.
func TestOutOfRangePackets(t *testing.T) {
	r := newRig(t, "plain", "perfect")
	r.run(120)
	of := func(tick sim.Tick) []byte {
		m := message{tick: tick, players: 1, format: format{rotationBits: maxRotationBits}}
		var c quant.Coder
		c.BeginWrite(make([]byte, maxBytes))
		m.code(&c, r.ClientWorld().Scene())
		return slices.Clone(c.FinishWrite())
	}
	far := of(5000)
	was := r.ClientWorld().Tick()
	r.c.receive(far)
	if r.Counter("rejected_payloads") != 1 || r.ClientWorld().Tick() != was {
		t.Errorf("a packet of tick 5000 is accepted at tick %d", was)
	}
	for range 14 {
		r.c.state.localTick++
		r.c.receive(far)
	}
	if r.ClientWorld().Tick() != was {
		t.Errorf("the client follows too early: tick %d", r.ClientWorld().Tick())
	}
	for range 2 {
		r.c.state.localTick++
		r.c.receive(far)
	}
	if r.ClientWorld().Tick() != 4999 {
		t.Errorf("after a quarter of a second the client is at tick %d", r.ClientWorld().Tick())
	}
	for range 62 { // going back takes a second
		r.c.state.localTick++
		r.c.receive(of(1000))
	}
	if r.ClientWorld().Tick() != 999 || r.c.packets.Find(1000) == nil {
		t.Errorf("after a second of tick 1000 the client is at tick %d", r.ClientWorld().Tick())
	}
}

// TestFullMessageFits checks that the longest message fits in maxBytes.
func TestFullMessageFits(t *testing.T) {
	sc := predicttest.Scene(t, "katamari:players=8")
	m := message{
		tick: 100, inputCount: maxInputs, players: sc.Players, updateCount: maxUpdates,
		format: format{authority: true, velocities: true, rotationBits: maxRotationBits},
	}
	for p := range m.inputs {
		for i := range m.inputs[p] {
			m.inputs[p][i] = sim.Input{Buttons: sim.Buttons(i % 4), Heading: uint8(i*7 + p + 1)}
		}
	}
	w := predict.NewWorld(sc, 60)
	for i := range m.updates {
		m.updates[i] = update{body: i * 3, state: w.Bodies()[i*3], authority: authority{int8(i % 4), true}}
		m.updates[i].state.Asleep = false
	}
	var c quant.Coder
	c.BeginWrite(make([]byte, maxBytes))
	m.code(&c, &sc)
	var o message
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	err := o.read(&c, slices.Clone(c.FinishWrite()), &sc, 90)
	o.grids, o.format.grids = nil, nil
	if err != nil || !reflect.DeepEqual(o, m) {
		t.Errorf("the message differs after a round trip, error %v", err)
	}
}

// TestRejectsMalformed checks that messages are rejected if they repeat a body, contain one outside
// the scene or inputs from before the session, or are a byte too long or too short.
func TestRejectsMalformed(t *testing.T) {
	sc := predicttest.Scene(t, "zen")
	w := predict.NewWorld(sc, 60)
	read := func(spoil func(m *message), bytes int) error {
		m := message{tick: 50, inputCount: 3, players: 1, updateCount: 2, format: format{velocities: true, rotationBits: maxRotationBits}}
		m.updates[0], m.updates[1] = update{body: 1, state: w.Bodies()[1]}, update{body: 2, state: w.Bodies()[2]}
		if spoil != nil {
			spoil(&m)
		}
		var c quant.Coder
		c.BeginWrite(make([]byte, maxBytes))
		m.code(&c, &sc)
		b := slices.Clone(c.FinishWrite())
		b = slices.Grow(b, 8)[:len(b)+bytes]
		return m.read(&c, b, &sc, 45)
	}
	if err := read(nil, 0); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(m *message){
		"outside": func(m *message) { m.updates[1].state.Pose.Pos.X = 257 },
		"turned":  func(m *message) { m.updates[1].state.Pose.Rot.X = 1 },
		"early":   func(m *message) { m.tick = 2 },
	} {
		if read(spoil, 0) == nil {
			t.Errorf("%s: the payload is accepted", name)
		}
	}
	if read(nil, 1) == nil || read(nil, -1) == nil {
		t.Error("a payload of another length is accepted")
	}
	// Replace the index of the second body, 2, by that of the first.
	m := message{tick: 50, players: 1, updateCount: 2, format: format{quantised: true, rotationBits: maxRotationBits}}
	m.updates[0], m.updates[1] = update{body: 1, state: w.Bodies()[1]}, update{body: 2, state: w.Bodies()[2]}
	for i := range m.updates[:m.updateCount] {
		m.updates[i].state.Asleep = true
	}
	var c quant.Coder
	c.BeginWrite(make([]byte, maxBytes))
	m.code(&c, &sc)
	b := slices.Clone(c.FinishWrite())
	at := c.BitsProcessed() - m.format.bodyBits(true) - plainIndexBits(&sc) // the second body's index
	for i := range plainIndexBits(&sc) {
		b[(at+i)/8] &^= 1 << ((at + i) % 8)
	}
	b[at/8] |= 1 << (at % 8)
	if m.read(&c, b, &sc, 45) == nil {
		t.Error("a repeated body is accepted")
	}
}

// FuzzRead checks that any bytes are either rejected or decoded to states that the scene allows,
// which encode to the same bytes.
func FuzzRead(f *testing.F) {
	for _, level := range levels {
		r := newRig(f, "katamari:cubes=20", "perfect", "compression", level)
		r.run(100)
		f.Add(slices.Clone(r.s.scratch.coder.FinishWrite()))
	}
	for _, algorithm := range reckonings {
		r := newRig(f, "katamari:cubes=20", "perfect", reckoned(algorithm)...)
		r.run(20)
		f.Add(slices.Clone(r.s.scratch.coder.FinishWrite()))
	}
	sc := predicttest.Scene(f, "katamari:cubes=20")
	f.Fuzz(func(t *testing.T, b []byte) {
		var c quant.Coder
		var m message
		if m.read(&c, b, &sc, 100) != nil {
			return
		}
		for _, u := range m.updates[:m.updateCount] {
			if u.missingBaseline {
				continue
			}
			if u.body < 0 || u.body > 20 || !(geom.Abs(u.state.Pose.Pos.X) <= sc.HalfWidth) {
				t.Errorf("%+v", u)
			}
		}
		if slices.ContainsFunc(m.updates[:m.updateCount], func(u update) bool { return u.missingBaseline }) {
			return // the baselines are unknown here
		}
		c.BeginWrite(make([]byte, maxBytes))
		m.code(&c, &sc)
		if c.Err() != nil || !slices.Equal(c.FinishWrite(), b) {
			t.Errorf("%x is written back as %x, error %v", b, c.FinishWrite(), c.Err())
		}
	})
}
