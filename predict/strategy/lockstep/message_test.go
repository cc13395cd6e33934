package lockstep

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestInputBits checks the size of inputs on the wire against the article: one bit for an input
// equal to the one before. A second of equal inputs is 25 bits of header, one input, and 59 bits.
func TestInputBits(t *testing.T) {
	var c quant.Coder
	cost := func(in []sim.Input) int {
		c.BeginMeasure()
		r := playerSection{hasInputs: true, next: 5000, inputs: in}
		r.code(&c, 5000)
		return c.BitsProcessed()
	}
	var steady, mashed []sim.Input
	for i := range 120 {
		steady = append(steady, sim.Input{Buttons: sim.Forward})
		mashed = append(mashed, sim.Input{Buttons: sim.Buttons(i % 64)})
	}
	const head, first = 1 + tickBits + countBits, 7
	for n := 1; n <= 120; n++ {
		if got := cost(steady[:n]); got != head+first+n-1 {
			t.Errorf("%d equal inputs take %d bits, want %d", n, got, head+first+n-1)
		}
	}
	if got := cost(mashed); got != head+first+119*8 {
		t.Errorf("120 changing inputs take %d bits, want %d", got, head+first+119*8)
	}
	// The same in a session: a button pressed for ten seconds.
	r := newRig(t, "plain", "latency=75ms", true)
	r.input = func(int, int) sim.Input { return sim.Input{Buttons: sim.Right} }
	r.run(600)
	runs, inputs, bits := r.Counter("input_runs"), r.Counter("inputs_sent"), r.Counter("input_bits")
	if runs < 590 || bits != runs*(head+first-1)+inputs {
		t.Errorf("%v runs of %v inputs take %v bits", runs, inputs, bits)
	}
}

// TestAcksPrune checks that acknowledged inputs are not sent again: the window is a round trip
// long, grows during an outage, and shrinks again.
func TestAcksPrune(t *testing.T) {
	r := newRig(t, "plain", "latency=100ms", true)
	r.run(300)
	if n := r.Counter("unacked_inputs"); n < 11 || n > 14 {
		t.Errorf("%v inputs are not acknowledged at a round trip of 12 ticks", n)
	}
	r.Network.Blackout = 8 * time.Second
	r.run(180)
	if n := r.Counter("unacked_inputs"); n < 180 {
		t.Errorf("after a three-second outage %v inputs are not acknowledged", n)
	}
	r.run(60)
	if n := r.Counter("unacked_inputs"); n < 11 || n > 14 {
		t.Errorf("a second after the outage %v inputs are not acknowledged", n)
	}
}

// TestRejectsMalformed checks that a malformed payload, or one with another player's inputs,
// changes nothing and is counted.
func TestRejectsMalformed(t *testing.T) {
	r := newRig(t, "two-players", "latency=30ms", false)
	r.run(200)
	random := rand.New(rand.NewPCG(3, 4))
	before := [2]sim.Tick{r.s.streams[0].next, r.s.streams[1].next}
	var m message
	m.fromClient = true
	for _, next := range before {
		m.players = append(m.players, playerSection{hasInputs: true, next: next + 5, inputs: make([]sim.Input, 6)})
	}
	var c quant.Coder
	forged := slices.Clone(m.write(&c, make([]byte, 256)))
	r.s.receive(&r.s.peers[0], 0, &packet.Packet{Sequence: 200, Payload: forged})
	if r.s.streams[1].next != before[1] || r.s.streams[0].next == before[0] {
		t.Error("player 0 sends inputs of player 1, or none of its own")
	}
	if r.Counter("rejected_payloads") != 1 {
		t.Errorf("%v payloads rejected", r.Counter("rejected_payloads"))
	}
	m.fromClient = false
	own := r.c[0].streams[0].next
	m.players = []playerSection{{hasInputs: true, next: own + 5, inputs: make([]sim.Input, 6)}, {hasInputs: false, next: before[1]}}
	r.c[0].receive(&packet.Packet{Sequence: 200, Payload: slices.Clone(m.write(&c, make([]byte, 256)))})
	if r.c[0].streams[0].next != own || r.Counter("rejected_payloads") != 3 {
		t.Errorf("the server sends inputs for client 0; %v payloads rejected", r.Counter("rejected_payloads"))
	}
	for range 20000 {
		b := make([]byte, random.IntN(80))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		p := packet.Packet{Sequence: packet.Sequence(random.IntN(300)), Payload: b}
		r.s.receive(&r.s.peers[0], 0, &p)
		r.c[0].receive(&p)
	}
	if r.Counter("rejected_payloads") < 10000 {
		t.Errorf("of 20000 random payloads %v were rejected", r.Counter("rejected_payloads"))
	}
	if next := r.s.streams[1].next; next != before[1] {
		t.Errorf("random payloads added %d inputs of player 1", next-before[1])
	}
}

// FuzzMessage checks that any payload that can be read is written back to a payload that reads the
// same.
func FuzzMessage(f *testing.F) {
	sc := predicttest.Scene(f, "two-players")
	r := newRig(f, "two-players", "latency=30ms", false)
	for range 3 {
		r.run(50)
		f.Add(false, slices.Clone(r.s.scratch.out.write(&r.s.scratch.coder, r.s.scratch.buffer)))
		f.Add(true, slices.Clone(r.c[0].scratch.out.write(&r.c[0].scratch.coder, r.c[0].scratch.buffer)))
	}
	f.Fuzz(func(t *testing.T, up bool, b []byte) {
		var c quant.Coder
		var m message
		if m.read(&c, b, up, 1<<20, &sc) != nil {
			return
		}
		again := m.write(&c, make([]byte, 4096))
		var o message
		if err := o.read(&c, slices.Clone(again), up, 1<<20, &sc); err != nil {
			t.Fatalf("the message is written back as %x, which does not read: %v", again, err)
		}
		for i := range m.players {
			if m.players[i].next != o.players[i].next || !slices.Equal(m.players[i].inputs, o.players[i].inputs) {
				t.Fatalf("player %d: %+v is read as %+v", i, m.players[i], o.players[i])
			}
		}
	})
}
