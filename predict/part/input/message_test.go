package input

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

func drawInput(t *rapid.T, name string) sim.Input {
	in := sim.Input{Buttons: sim.Buttons(rapid.IntRange(0, 63).Draw(t, name))}
	if rapid.IntRange(0, 5).Draw(t, "acts") == 0 {
		in.Buttons |= sim.Buttons(rapid.IntRange(1, 3).Draw(t, "actions")) << firstAction
	}
	if rapid.IntRange(0, 3).Draw(t, "turned") == 0 {
		in.Heading = uint8(rapid.IntRange(0, 255).Draw(t, "heading"))
	}
	return in
}

// TestMessageRoundTrip checks that a run of inputs is read as it was written, in both forms and
// with every width of the tick.
func TestMessageRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, MaxInputs).Draw(t, "n")
		m := Message{
			TickBits:      rapid.IntRange(MinTickBits, 16).Draw(t, "bits"),
			ImportantOnly: rapid.Bool().Draw(t, "important"),
			NewestTick:    sim.Tick(n - 1 + rapid.IntRange(0, 1<<30).Draw(t, "tick")),
		}
		in := drawInput(t, "first")
		for range n {
			if rapid.IntRange(0, 4).Draw(t, "change") == 0 {
				in = drawInput(t, "input")
			}
			m.Inputs = append(m.Inputs, in)
		}
		want := slices.Clone(m.Inputs)
		var c quant.Coder
		b := make([]byte, 512)
		c.BeginWrite(b)
		m.Code(&c)
		bits, data := c.BitsProcessed(), slices.Clone(c.FinishWrite())
		c.BeginMeasure()
		m.Code(&c)
		if c.BitsProcessed() != bits {
			t.Fatalf("measures %d bits, writes %d", c.BitsProcessed(), bits)
		}
		near := int64(m.NewestTick) + int64(rapid.IntRange(-120, 120).Draw(t, "near"))
		back := Message{NewestTick: sim.Tick(max(near, 0))}
		c.BeginRead(data)
		back.Code(&c)
		if c.Err() != nil || !c.AtEnd(len(data)) {
			t.Fatalf("%v", c.Err())
		}
		if back.NewestTick != m.NewestTick || !slices.Equal(back.Inputs, want) {
			t.Fatalf("read tick %d %v, want %d %v", back.NewestTick, back.Inputs, m.NewestTick, want)
		}
	})
}

// TestMessageBits compares the size of messages with their layout.
func TestMessageBits(t *testing.T) {
	steady := make([]sim.Input, 16)
	for i := range steady {
		steady[i] = sim.Input{Buttons: sim.Forward}
	}
	mashed := slices.Clone(steady)
	for i := range mashed {
		mashed[i].Buttons = sim.Buttons(i)
	}
	turned := slices.Clone(steady)
	turned[8].Heading = 5
	const head = 4 + 10 + 7 + 1
	for _, c := range []struct {
		name      string
		in        []sim.Input
		important bool
		want      int
	}{
		{"one", steady[:1], false, head + 7},
		{"sixteen", steady, false, head + 7 + 15},
		{"sixteen with a turn and back", turned, false, head + 7 + 15 + 2*(7+8)},
		{"sixteen that are one move", steady, true, head + 7 + 1},
		{"sixteen moves", mashed, true, head + 7 + 15*(1+4+7) + 1},
	} {
		m := Message{TickBits: 10, NewestTick: 100, Inputs: c.in, ImportantOnly: c.important}
		var w quant.Coder
		w.BeginMeasure()
		m.Code(&w)
		if w.BitsProcessed() != c.want {
			t.Errorf("%s: %d bits, want %d", c.name, w.BitsProcessed(), c.want)
		}
	}
}

// TestUnwrapTick checks the completion of wrapped ticks at the edges.
func TestUnwrapTick(t *testing.T) {
	for _, c := range []struct {
		want, near sim.Tick
		bits       int
	}{{0, 0, 8}, {5, 0, 8}, {255, 200, 8}, {256, 255, 8}, {255, 256, 8}, {1000, 1127, 8}, {1000, 873, 8}, {3, 100, 8},
		{70000, 70000 - 500, 10}, {1 << 31, 1<<31 + 400, 10}, {^sim.Tick(0), ^sim.Tick(0) - 3, 8}, {^sim.Tick(0) - 200, ^sim.Tick(0) - 100, 8}} {
		low := uint32(c.want) & (1<<c.bits - 1)
		if got := UnwrapTick(low, c.bits, c.near); got != c.want {
			t.Errorf("the low %d bits of %d near %d unwrap to %d", c.bits, c.want, c.near, got)
		}
	}
}

// FuzzMessage reads any payload.
func FuzzMessage(f *testing.F) {
	for _, important := range []bool{false, true} {
		m := Message{TickBits: 10, NewestTick: 70, ImportantOnly: important, Inputs: []sim.Input{{Buttons: 1}, {Buttons: 3, Heading: 9}, {Buttons: 3, Heading: 9}, {},
			{Shot: sim.Shot{Fired: true, Yaw: 77, Pitch: -9}}, {Shot: sim.Shot{Fired: true, HasViewTime: true, ViewTime: 900, Ahead: 64}}, {}}}
		var c quant.Coder
		c.BeginWrite(make([]byte, 64))
		m.Code(&c)
		f.Add(slices.Clone(c.FinishWrite()))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		env := &predict.Env{Counters: &predict.Counters{}}
		q := newQueue(env.Counters)
		q.Start(50, sim.Input{})
		from, fresh := q.Read(b, 50)
		if len(fresh) > MaxInputs || len(fresh) > 0 && from < 50 {
			t.Errorf("%d new inputs from tick %d", len(fresh), from)
		}
		for i := range sim.Tick(600) {
			if in := q.Pop(50+i, repeatLast); in.Buttons&^sim.AllButtons != 0 {
				t.Errorf("buttons %b", in.Buttons)
			}
			q.CountConsumed(50+i, 60)
		}
	})
}

// rig is a sender and a queue, connected directly.
type rig struct {
	env      predict.Env
	s        Sender
	q        Queue
	up, down *packet.Endpoint
	now      time.Duration
}

func newRig(t *testing.T, knobs ...string) *rig {
	r := &rig{env: predict.Env{Knobs: &predict.Knobs{}, Counters: &predict.Counters{}}}
	a, b := link.Pair(&link.Network{}, 0)
	r.up, r.down = packet.NewEndpoint(a), packet.NewEndpoint(b)
	r.s.Declare(&r.env)
	r.q = newQueue(r.env.Counters)
	predicttest.SetKnobs(t, r.env.Knobs, knobs...)
	return r
}

func inputAt(t sim.Tick) sim.Input { return sim.Input{Buttons: sim.Buttons(t*7) & sim.MoveButtons} }

// send sends the inputs up to tick t. The packet is lost if lose is set.
func (r *rig) send(t sim.Tick, since sim.Tick, lose bool, now sim.Tick) {
	r.now += time.Second / 60
	r.up.Update(r.now)
	r.s.Add(t, inputAt(t))
	r.s.Send(r.up, since)
	r.down.Update(r.now)
	for p, ok := r.down.Receive(); ok; p, ok = r.down.Receive() {
		if !lose {
			r.q.Read(p.Payload, now)
		}
	}
}

// TestQueue loses a packet: without redundancy its input is missing, with redundancy the next
// packet contains it, and duplicates are counted.
func TestQueue(t *testing.T) {
	for _, redundant := range []string{"off", "on"} {
		r := newRig(t, "redundant", redundant)
		r.q.Start(10, sim.Input{})
		for tick := sim.Tick(13); tick < 213; tick++ { // three ticks ahead
			r.send(tick, tick-10, tick == 20, tick-3)
			got := r.q.Pop(tick-3, repeatLast)
			want := inputAt(tick - 3)
			if tick-3 < 13 {
				want = sim.Input{}
			}
			if tick-3 == 20 && redundant == "off" {
				want = inputAt(19) // the last again
			}
			if got != want {
				t.Fatalf("redundant %s: tick %d: %v, want %v", redundant, tick-3, got, want)
			}
			r.q.CountConsumed(tick-3, 60)
		}
		m := r.env.Counters
		wantStarved := 0.0
		if redundant == "off" {
			wantStarved = 1
		}
		if m.Value("input_starved_ticks") != wantStarved || m.Value("buffer_depth") != 3 {
			t.Errorf("redundant %s: %+v", redundant, m.All())
		}
		if ratio := m.Value("inputs_consumed_ratio"); (ratio == 1) != (redundant == "on") || ratio < 0.99 {
			t.Errorf("redundant %s: ratio %v", redundant, ratio)
		}
	}
}

// TestLateInputs checks that a late input is counted, not used, and not counted as consumed.
func TestLateInputs(t *testing.T) {
	r := newRig(t)
	r.q.Start(0, sim.Input{})
	for tick := range sim.Tick(300) {
		r.q.Pop(tick, Repetition{})
		r.send(tick, tick, false, tick+1)
		r.q.CountConsumed(tick, 60)
	}
	m := r.env.Counters
	if m.Value("late_inputs") != 300 || m.Value("inputs_consumed_ratio") != 0 {
		t.Errorf("%+v", m.All())
	}
}

// TestLateInputsAreStoredOnce checks that a late input that arrives again is a duplicate, that it is
// kept for a replay, and that one too old for the ring does not take the place of a waiting input.
func TestLateInputsAreStoredOnce(t *testing.T) {
	r := newRig(t)
	r.q.Start(2000, sim.Input{})
	waiting := sim.Tick(2000 + ringLen/2 - 1)
	r.q.insert(waiting, inputAt(waiting))
	for range 2 {
		r.q.insert(1990, sim.Input{Heading: 7})
	}
	m := r.env.Counters
	if m.Value("late_inputs") != 1 || m.Value("duplicate_inputs") != 1 {
		t.Errorf("%+v", m.All())
	}
	if in, _, fresh := r.q.ReplayInput(1990, sim.Input{}, 0, Repetition{}); !fresh || in.Heading != 7 {
		t.Errorf("the late input is replayed as %v, fresh %v", in, fresh)
	}
	r.q.PopOldestLate()
	for range 2 {
		r.q.insert(waiting-ringLen, sim.Input{Heading: 9})
	}
	if _, ok := r.q.PopOldestLate(); ok || m.Value("late_inputs") != 3 {
		t.Errorf("an input of half a ring ago is to be replayed: %v; %v late inputs", ok, m.Value("late_inputs"))
	}
	if got := r.q.Pop(waiting, Repetition{}); got != inputAt(waiting) {
		t.Errorf("the waiting input became %v", got)
	}
}

// TestFarAheadClient checks that inputs reach their ticks when the client runs ahead by more ticks
// than half of those that the bits on the wire tell apart.
func TestFarAheadClient(t *testing.T) {
	r := newRig(t, "tick-bits", "8")
	r.q.Start(0, sim.Input{})
	for now := range sim.Tick(600) {
		ahead := min(now/2, 300)
		for tick := now + ahead; tick <= now+ahead+(now+1)/2-now/2; tick++ {
			r.send(tick, tick, false, now)
		}
		if got := r.q.Pop(now, Repetition{}); now > 0 && got != inputAt(now) {
			t.Fatalf("%d ticks ahead: tick %d has %v, want %v", ahead, now, got, inputAt(now))
		}
	}
	if n := r.env.Counters.Value("late_inputs"); n != 0 {
		t.Errorf("%v inputs are late", n)
	}
}

// TestQueueAfterLongFreeze checks a client that was suspended for ten seconds: the low bits of its
// old tick are those of a future one, but its input is not used there if the true one arrives.
func TestQueueAfterLongFreeze(t *testing.T) {
	r := newRig(t)
	r.q.Start(1000, sim.Input{})
	for now := sim.Tick(1000); now < 3000; now++ {
		send := func(frame sim.Tick, in sim.Input) {
			var c quant.Coder
			c.BeginWrite(make([]byte, 64))
			m := Message{TickBits: 10, NewestTick: frame, Inputs: []sim.Input{in}}
			m.Code(&c)
			r.q.Read(c.FinishWrite(), now)
		}
		switch {
		case now < 1100 || now > 1700:
			send(now+9, inputAt(now+9))
		case now == 1700:
			send(1109, sim.Input{Heading: 99}) // on the wire the same as tick 2133
		}
		got := r.q.Pop(now, repeatLast)
		if now > 1720 && got != inputAt(now) {
			t.Fatalf("tick %d: %v, want %v", now, got, inputAt(now))
		}
	}
}

// TestReplayInput checks that late inputs can be replayed, each fresh once, with missing ones
// filled in as before; and that the newest of them is repeated afterwards.
func TestReplayInput(t *testing.T) {
	r := newRig(t, "redundant", "off")
	r.q.Start(0, inputAt(1))
	r.send(3, 3, false, 3)
	for tick := range sim.Tick(8) { // 3 alone has come
		r.q.Pop(tick, repeatLast)
	}
	for _, late := range []sim.Tick{7, 5} {
		r.send(late, late, false, 8)
	}
	if from, ok := r.q.PopOldestLate(); from != 5 || !ok {
		t.Errorf("the oldest late tick is %d, %v", from, ok)
	}
	if _, ok := r.q.PopOldestLate(); ok {
		t.Error("a late input is reported twice")
	}
	last := inputAt(3)
	for i, want := range []sim.Tick{3, 5, 5, 7} {
		in, _, fresh := r.q.ReplayInput(sim.Tick(4+i), last, 0, repeatLast)
		if in != inputAt(want) || fresh != (i == 1 || i == 3) {
			t.Errorf("tick %d: input %v, fresh %v, want the input of tick %d", 4+i, in, fresh, want)
		}
		last = in
	}
	if _, _, fresh := r.q.ReplayInput(5, last, 0, repeatLast); fresh {
		t.Error("a late input is fresh twice")
	}
	if got := r.q.Pop(8, repeatLast); got != inputAt(7) {
		t.Errorf("afterwards %v is repeated", got)
	}
}

// TestMaxInputs checks that a packet contains no more inputs than redundant-max, and none before
// the needed tick.
func TestMaxInputs(t *testing.T) {
	r := newRig(t, "redundant-max", "8")
	var c quant.Coder
	for tick := range sim.Tick(40) {
		r.now += time.Second / 60
		r.up.Update(r.now)
		r.s.Add(tick, inputAt(tick))
		since := sim.Tick(0)
		if tick >= 30 {
			since = tick - 2
		}
		r.s.Send(r.up, since)
		r.down.Update(r.now)
		p, _ := r.down.Receive()
		m := Message{NewestTick: tick}
		c.BeginRead(p.Payload)
		m.Code(&c)
		want := min(int(tick)+1, 8)
		if tick >= 30 {
			want = 3
		}
		if c.Err() != nil || m.NewestTick != tick || len(m.Inputs) != want {
			t.Fatalf("tick %d: %d inputs up to %d, want %d (%v)", tick, len(m.Inputs), m.NewestTick, want, c.Err())
		}
	}
}

// TestOutage checks that inputs reach their ticks after a five-second outage, although only eight
// bits of the tick are sent.
func TestOutage(t *testing.T) {
	r := newRig(t, "tick-bits", "8")
	r.q.Start(0, sim.Input{})
	for tick := sim.Tick(5); tick < 1000; tick++ {
		r.send(tick, tick-10, tick >= 200 && tick < 500, tick-5)
		got := r.q.Pop(tick-5, Repetition{})
		if tick > 510 && got != inputAt(tick-5) {
			t.Fatalf("tick %d: %v, want %v", tick-5, got, inputAt(tick-5))
		}
	}
}

// TestEncodingIsUnique checks that equal inputs have one encoding: an input or a heading that is
// marked as changed but is equal is rejected.
func TestEncodingIsUnique(t *testing.T) {
	read := func(write func(c *quant.Coder)) error {
		var c quant.Coder
		c.BeginWrite(make([]byte, 16))
		write(&c)
		c.BeginRead(slices.Clone(c.FinishWrite()))
		CodeInputs(&c, make([]sim.Input, 2))
		return c.Err()
	}
	one := func(second uint32, turned bool, heading uint32) func(c *quant.Coder) {
		return func(c *quant.Coder) {
			c.Bits(3, buttonBits)
			c.Bool(false)
			c.Bool(true)
			c.Bits(second, buttonBits)
			if c.Bool(turned); turned {
				c.Bits(heading, headingBits)
			}
		}
	}
	if err := read(one(4, true, 9)); err != nil {
		t.Error(err)
	}
	if read(one(3, false, 0)) == nil {
		t.Error("an equal input marked as changed is accepted")
	}
	if read(one(4, true, 0)) == nil {
		t.Error("an equal heading marked as changed is accepted")
	}
}
