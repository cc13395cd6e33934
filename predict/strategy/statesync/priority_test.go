package statesync

import (
	"slices"
	"strconv"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestNeverAboveBudget checks that from the first tick on no more bytes are sent than the budget
// allows, plus two ticks' worth or one packet with a single body; that at least nine tenths of a
// budget that can be used are used; and that a change of the budget takes effect within a second.
func TestNeverAboveBudget(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	budgets := []int{16, 256, 1024, 48, 64, 700}
	if experiment.Brief() {
		budgets = budgets[:2]
	}
	for _, level := range levels {
		for _, budget := range budgets {
			r := newRig(t, "katamari:cubes=200", "latency=30ms,loss=10%", "compression", level, "budget", strconv.Itoa(budget))
			from, saved := 0, max(2*budget*1000/60/8, 200)
			for range 600 {
				r.run(1)
				if limit := budget*1000*(r.Tick-from)/60/8 + saved; r.bytesSent() > limit {
					t.Fatalf("%s, %d kbit/s: %d bytes after %d ticks, at most %d", level, budget, r.bytesSent(), r.Tick, limit)
				}
			}
			want := float64(budget) * 1000 * 10 / 8
			if float64(r.bytesSent()) < 0.9*want && (budget <= 64 || budget == 256 && level != "relative" && level != "delta") { // 64 updates may not fill it
				t.Errorf("%s, %d kbit/s: %d bytes in 10 s, a budget of %v", level, budget, r.bytesSent(), want)
			}
		}
	}
	r := newRig(t, "katamari:cubes=200", "latency=30ms")
	r.run(300)
	for _, budget := range []int{64, 1024, 256} {
		r.SetKnob("budget", strconv.Itoa(budget))
		before := r.bytesSent()
		r.run(60)
		limit := float64(budget) * 1000 / 8
		got := float64(r.bytesSent() - before)
		if got > 1.02*limit+2200 || budget <= 256 && got < 0.9*limit || budget == 1024 && got < 0.4*limit {
			t.Errorf("in the second after the budget changes to %d kbit/s: %v kbit", budget, got*8/1000)
		}
	}
}

// TestNothingStarves checks that bodies at rest with equal priorities are sent in turn, each again
// after as many ticks as all of them need; and that with current priorities the first bodies are
// alcounts sent and the last one never.
func TestNothingStarves(t *testing.T) {
	r := newRig(t, "katamari:cubes=400", "perfect", "inputs", "off")
	r.input = predicttest.NoInput
	r.run(300) // to rest
	sent := make([]int, 401)
	longest := 0
	turn := func() {
		r.run(1)
		for _, u := range r.s.scratch.message.updates[:r.s.scratch.message.updateCount] {
			longest = max(longest, r.Tick-sent[u.body])
			sent[u.body] = r.Tick
		}
	}
	for range 100 {
		turn()
	}
	longest = 0
	for range 200 {
		turn()
	}
	perPacket := r.s.scratch.message.updateCount - 1 // besides the player
	if want := (400 + perPacket - 1) / perPacket; longest < want || longest > want+2 {
		t.Errorf("a body waits %d ticks; %d bodies at %d per packet take %d", longest, 400, perPacket, want)
	}
	r.SetKnob("priority", "current")
	at := r.Tick
	for range 200 {
		turn()
	}
	if sent[1] != r.Tick || sent[400] > at {
		t.Errorf("current priorities: the first body was sent %d ticks ago, the last %d", r.Tick-sent[1], r.Tick-sent[400])
	}
}

// TestPriorities checks that a body of priority 100 is sent 100 times as often as one of priority
// 1, and the player in every packet.
func TestPriorities(t *testing.T) {
	p := newSender(5, 60)
	w := predict.NewWorld(predicttest.Scene(t, "katamari:cubes=4"), 60)
	by := policy{playerPriority: 1_000_000, touchedPriority: 100, otherPriority: 1}
	times := [5]int{}
	touched := w.TouchedBy()
	for range 30_000 {
		for i := range touched {
			touched[i] = sim.NoPlayer
		}
		touched[0], touched[1] = 0, 0
		p.accumulatePriorities(w, make([]bool, 5), &by, 0)
		m := message{format: format{rotationBits: maxRotationBits, quantised: true, velocities: true}}
		p.chooseUpdates(&m, w, 2*(plainIndexBits(w.Scene())+m.format.bodyBits(false)), unowned)
		for _, u := range m.updates[:m.updateCount] {
			times[u.body]++
			p.bodies[u.body].priority = 0
		}
	}
	// The bodies share one place per packet besides the player's, with weights 100, 1, 1 and 1.
	if times[0] != 30_000 || times[1] < 28_800 || times[1] > 29_200 {
		t.Errorf("the player was sent %d times, the touched body %d", times[0], times[1])
	}
	for _, n := range times[2:] {
		if n < 270 || n > 400 {
			t.Errorf("the others were sent %v times", times[2:])
		}
	}
}

// TestFitAndSkip checks that a body that does not fit is skipped and the next one tried, that the
// updates are in the order of the bodies, and that the returned size is the size on the wire.
func TestFitAndSkip(t *testing.T) {
	sc := predicttest.Scene(t, "katamari:cubes=4")
	w := predict.NewWorld(sc, 60)
	for i, asleep := range []bool{false, false, true, false, true} {
		b := w.Bodies()[i]
		b.Asleep = asleep
		w.SetBody(i, b)
	}
	p := newSender(5, 60)
	for i, n := range []int64{10, 40, 20, 50, 30} {
		p.bodies[i].priority = n
	}
	m := message{players: 1, format: format{rotationBits: maxRotationBits, quantised: true, velocities: true}}
	number := plainIndexBits(&sc)
	awake, asleep := number+m.format.bodyBits(false), number+m.format.bodyBits(true)
	p.chooseUpdates(&m, w, awake+asleep+10, unowned) // 3 fits, then 1 does not, 4 does, and 2 does not
	got := []int{}
	for _, u := range m.updates[:m.updateCount] {
		got = append(got, u.body)
	}
	if !slices.Equal(got, []int{3, 4}) {
		t.Errorf("bodies %v are chosen", got)
	}
	var c quant.Coder
	c.BeginMeasure()
	m.code(&c, &sc)
	n := m
	n.updateCount = 0
	full := c.BitsProcessed()
	c.BeginMeasure()
	n.code(&c, &sc)
	if full-c.BitsProcessed() != awake+asleep {
		t.Errorf("%d bits of updates, want %d", full-c.BitsProcessed(), awake+2*asleep)
	}
}

// TestExcludeOwned checks that a peer is not sent the bodies under its own authority, and all others.
func TestExcludeOwned(t *testing.T) {
	p := sender{bodies: make([]senderBody, 4)}
	authorities := make([]authority, 4)
	for i := range authorities {
		p.bodies[i].priority, p.bodies[i].changedTick = 5, 9
		authorities[i].player = []int8{0, 1, sim.NoPlayer, 1}[i]
	}
	p.excludeOwned(authorities, 1)
	for i, b := range p.bodies {
		if owned := i%2 == 1; owned != (b.priority == notSent) || owned != (b.changedTick == 0) {
			t.Errorf("body %d: %+v", i, b)
		}
	}
}
