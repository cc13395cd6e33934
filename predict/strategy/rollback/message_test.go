package rollback

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestRejectsMalformed checks that random payloads and impossible ones are counted and change no world.
func TestRejectsMalformed(t *testing.T) {
	r := newRig(t, "two-players", "latency=30ms", false)
	r.run(t, 200)
	random := rand.New(rand.NewPCG(3, 4))
	now := r.ServerWorld().Tick()
	var c quant.Coder
	for _, m := range []upMessage{
		{confirmed: now + 1},
		{confirmed: now, next: now + waitingTicks, inputs: make([]sim.Input, 3)},
	} {
		c.BeginWrite(make([]byte, 256))
		m.code(&c, now)
		if r.s.receive(&r.s.peers[0], 0, finishWrite(&c), false) {
			t.Errorf("%+v is accepted", m)
		}
	}
	down := downMessage{tick: now, end: now, count: 1, runs: []run{{asSent: true}, {asSent: true}}}
	c.BeginWrite(make([]byte, 256))
	down.code(&c, now, len(r.ServerWorld().Bodies()))
	if r.c[0].read(finishWrite(&c)) {
		t.Error("a client takes its own inputs for another player's")
	}
	confirmed, rejected := r.c[0].known.confirmed, 0
	for range 20000 {
		b := make([]byte, random.IntN(60))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		if !r.s.receive(&r.s.peers[0], 0, b, false) {
			rejected++
		}
		if !r.c[0].read(b) {
			rejected++
		}
	}
	if rejected < 20000 {
		t.Errorf("of 40000 random payloads %d were rejected", rejected)
	}
	if got := r.c[0].known.confirmed; got > confirmed+maxConfirmed {
		t.Errorf("random payloads confirm %d ticks", got-confirmed)
	}
	r.RunPlayers(120, r.input)
	if got := r.ServerWorld().Tick(); got != now+120 {
		t.Errorf("the server is at tick %d after 120 ticks from %d", got, now)
	}
}

// FuzzMessage checks that any payload that can be read is written back to a payload that reads the same.
func FuzzMessage(f *testing.F) {
	sc := predicttest.Scene(f, "two-players")
	r := newRig(f, "two-players", "latency=30ms", false)
	buffer := make([]byte, maxDownBytes/8*8+1024)
	for range 3 {
		r.RunPlayers(50, r.input)
		c := &r.s.scratch.coder
		c.BeginWrite(buffer)
		r.s.scratch.down.code(c, 0, len(sc.Boxes))
		f.Add(false, slices.Clone(finishWrite(c)))
		c.BeginWrite(buffer)
		r.c[0].scratch.up.code(c, 0)
		f.Add(true, slices.Clone(finishWrite(c)))
	}
	f.Fuzz(func(t *testing.T, up bool, b []byte) {
		const near = 1 << 20
		var c quant.Coder
		code := func(u *upMessage, d *downMessage) {
			if up {
				u.code(&c, near)
			} else {
				d.code(&c, near, len(sc.Boxes))
			}
		}
		read := func(b []byte) (u upMessage, d downMessage, err error) {
			d.runs = resizeRuns(nil, sc.Players)
			c.BeginRead(b)
			code(&u, &d)
			return u, d, finishRead(&c, b)
		}
		u, d, err := read(b)
		if err != nil {
			return
		}
		kind(up, b, sc.Players)
		c.BeginWrite(buffer)
		code(&u, &d)
		again := slices.Clone(finishWrite(&c))
		u2, d2, err := read(again)
		if err != nil || !reflect.DeepEqual(u, u2) || !reflect.DeepEqual(d, d2) {
			t.Fatalf("%+v %+v is read as %+v %+v: %v", u, d, u2, d2, err)
		}
	})
}

// TestKind checks that a packet with inputs is told from one without.
func TestKind(t *testing.T) {
	var c quant.Coder
	for n, want := range []predict.PacketKind{predict.AcksOnly, predict.Inputs} {
		c.BeginWrite(make([]byte, 64))
		m := upMessage{next: 20, inputs: make([]sim.Input, n)}
		m.code(&c, 0)
		if got := kind(true, finishWrite(&c), 2); got != want {
			t.Errorf("a message with %d inputs has %v", n, got)
		}
	}
}
