package input

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

func drawShot(t *rapid.T) sim.Shot {
	s := sim.Shot{
		Fired: true, Yaw: uint16(rapid.IntRange(0, sim.AimSteps-1).Draw(t, "yaw")),
		Pitch: int16(rapid.IntRange(-sim.MaxPitch, sim.MaxPitch).Draw(t, "pitch")),
	}
	if s.HasViewTime = rapid.Bool().Draw(t, "claimed"); s.HasViewTime {
		s.ViewTime = uint16(rapid.IntRange(0, 1<<viewTimeBits-1).Draw(t, "seen"))
		s.Ahead = uint16(rapid.IntRange(0, maxAhead).Draw(t, "ahead"))
	}
	return s
}

// TestShotsRoundTrip checks that inputs with and without shots are read as they were written, in
// both forms, with every heading before and after.
func TestShotsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Message{TickBits: 10, NewestTick: 500, ImportantOnly: rapid.Bool().Draw(t, "important")}
		in := drawInput(t, "first")
		for range rapid.IntRange(1, MaxInputs).Draw(t, "n") {
			if rapid.IntRange(0, 4).Draw(t, "change") == 0 {
				in = drawInput(t, "input")
			}
			with := in
			if rapid.IntRange(0, 2).Draw(t, "fires") == 0 {
				with.Shot = drawShot(t)
			}
			m.Inputs = append(m.Inputs, with)
		}
		want := slices.Clone(m.Inputs)
		var c quant.Coder
		c.BeginWrite(make([]byte, maxBytes))
		m.Code(&c)
		bits, data := c.BitsProcessed(), slices.Clone(c.FinishWrite())
		c.BeginMeasure()
		m.Code(&c)
		if c.BitsProcessed() != bits {
			t.Fatalf("measures %d bits, writes %d", c.BitsProcessed(), bits)
		}
		back := Message{NewestTick: 490, Inputs: slices.Clone(want)} // with something left of before
		c.BeginRead(data)
		back.Code(&c)
		if c.Err() != nil || !c.AtEnd(len(data)) || !slices.Equal(back.Inputs, want) {
			t.Fatalf("%v: read %v, want %v", c.Err(), back.Inputs, want)
		}
	})
}

// TestShotBits compares the size of a shot with its layout: 48 bits with a view time, and 12 more
// if the player's cube is drawn ahead; and checks that other inputs keep their size, except for the
// next one, which differs.
func TestShotBits(t *testing.T) {
	for _, c := range []struct {
		name string
		shot sim.Shot
		want int
	}{
		{"none", sim.Shot{}, 0},
		{"without a claim", sim.Shot{Fired: true}, 8 + 1 + 12 + 11 + 1 + 7 + 7},
		{"with one", sim.Shot{Fired: true, HasViewTime: true, ViewTime: 3}, 8 + 1 + 12 + 11 + 1 + 14 + 1 + 7 + 7},
		{"of one whose cube is ahead", sim.Shot{Fired: true, HasViewTime: true, Ahead: 1}, 8 + 1 + 12 + 11 + 1 + 14 + 1 + 12 + 7 + 7},
	} {
		run := make([]sim.Input, 16)
		for i := range run {
			run[i] = sim.Input{Buttons: sim.Forward, Heading: 7}
		}
		run[8].Shot = c.shot
		m := Message{TickBits: 10, NewestTick: 100, Inputs: run}
		var w quant.Coder
		w.BeginMeasure()
		m.Code(&w)
		if want := 4 + 10 + 7 + 1 + 15 + 15 + c.want; w.BitsProcessed() != want {
			t.Errorf("%s: %d bits, want %d", c.name, w.BitsProcessed(), want)
		}
	}
}

// countShots adds the number of shots that a queue or a buffer returns.
func countShots(of interface{ PopShots() []sim.Shot }, n *int) { *n += len(of.PopShots()) }

// TestShotIsPoppedOnce checks that a shot is returned once: if its packet is duplicated, if it is
// in every packet, if it arrives too late for its tick or out of order, and if its input is
// repeated because later ones are missing. The buttons are repeated then, the shot is not.
func TestShotIsPoppedOnce(t *testing.T) {
	env := &predict.Env{Counters: &predict.Counters{}, Knobs: &predict.Knobs{}}
	var set PlayoutSettings
	set.declare(env.Knobs, testRate)
	send := func(newest sim.Tick, run ...sim.Input) []byte {
		m := Message{TickBits: 10, NewestTick: newest, Inputs: run}
		var c quant.Coder
		c.BeginWrite(make([]byte, maxBytes))
		m.Code(&c)
		return slices.Clone(c.FinishWrite())
	}
	push := sim.Input{Buttons: sim.Forward}
	shot := push
	shot.Shot = sim.Shot{Fired: true, Yaw: 5}
	late := push
	late.Shot = sim.Shot{Fired: true, Yaw: 6}

	q := newQueue(env.Counters)
	var n int
	q.Start(0, sim.Input{})
	for _, p := range [][]byte{send(20, push, shot), send(20, push, shot), send(21, shot, push), send(19, push), send(18, late), send(18, late)} {
		q.Read(p, 20)
		if in := q.PopNewest(repeatLast); in != push {
			t.Errorf("the newest input is %+v", in)
		}
		countShots(&q.shotBuffer, &n)
	}
	for range 10 { // nothing comes any more
		if in := q.PopNewest(repeatLast); in != push {
			t.Errorf("the repeated input is %+v", in)
		}
		countShots(&q.shotBuffer, &n)
	}
	if n != 2 {
		t.Errorf("the server that uses the newest input has %d shots, want 2", n)
	}

	n = 0
	q = newQueue(env.Counters)
	q.Start(19, sim.Input{})
	q.Read(send(20, push, shot), 18)
	q.Read(send(18, late), 18)
	for tick := range sim.Tick(10) {
		if in := q.Pop(19+tick, repeatLast); in != push {
			t.Errorf("tick %d: %+v", tick, in)
		}
		countShots(&q.shotBuffer, &n)
	}
	if n != 2 {
		t.Errorf("the server that uses inputs by tick has %d shots, want 2", n)
	}

	n = 0
	p := newPlayoutBuffer(env.Counters)
	for tick := range sim.Tick(40) {
		in := p.Pop(&set)
		if in.Shot != (sim.Shot{}) {
			t.Errorf("tick %d: the buffer returns %+v", tick, in)
		}
		switch tick {
		case 0:
			p.Read(send(20, push, shot), tick, &set)
		case 1, 5:
			p.Read(send(21, push, shot, push), tick, &set)
		case 9:
			p.Read(send(26, push), tick, &set) // those before it are filled in
		}
		p.Trim(&set, testRate)
		countShots(&p.shotBuffer, &n)
	}
	if n != 1 {
		t.Errorf("the playout buffer has %d shots", n)
	}
}

// TestShotIsRepeated checks that a client that sends its newest input alone sends an input with a
// shot in twelve packets, and two such inputs too; and that redundant=off sends it once.
func TestShotIsRepeated(t *testing.T) {
	for _, redundant := range []bool{true, false} {
		env := &predict.Env{Counters: &predict.Counters{}, Knobs: &predict.Knobs{}}
		var s Sender
		s.Declare(env)
		s.redundant = redundant
		var sent [2]int
		for tick := range sim.Tick(60) {
			var in sim.Input
			if tick == 20 || tick == 25 {
				in.Shot = sim.Shot{Fired: true, Yaw: uint16(tick)}
			}
			s.Add(tick, in)
			var c quant.Coder
			c.BeginWrite(make([]byte, maxBytes))
			s.Encode(&c, tick+1)
			m := Message{NewestTick: tick}
			b := slices.Clone(c.FinishWrite())
			c.BeginRead(b)
			m.Code(&c)
			for _, x := range m.Inputs {
				if x.Shot.Fired {
					sent[(x.Shot.Yaw-20)/5]++
				}
			}
			if len(m.Inputs) != 1 && (tick < 20 || tick > 36) {
				t.Errorf("tick %d: %d inputs", tick, len(m.Inputs))
			}
		}
		if want := map[bool][2]int{true: {12, 12}, false: {1, 1}}[redundant]; sent != want {
			t.Errorf("redundant %v: the shots are sent %v times, want %v", redundant, sent, want)
		}
	}
}

// TestSnapshotsOmitShots checks that an input on its own, as in a snapshot, has no shot, and that
// one with a shot is rejected.
func TestSnapshotsOmitShots(t *testing.T) {
	var c quant.Coder
	in := sim.Input{Buttons: sim.Lift, Shot: sim.Shot{Fired: true}}
	c.BeginWrite(make([]byte, 64))
	CodeInput(&c, in)
	if c.BitsProcessed() != 7 {
		t.Errorf("%d bits", c.BitsProcessed())
	}
	c.BeginWrite(make([]byte, 64))
	codeInputAfter(&c, in, sim.Input{})
	b := slices.Clone(c.FinishWrite())
	c.BeginRead(b)
	if CodeInput(&c, sim.Input{}); c.Err() == nil {
		t.Error("an input with a shot is accepted")
	}
}

// TestUnwrapViewTime checks the completion of a view time's low bits on both sides of a wrap.
func TestUnwrapViewTime(t *testing.T) {
	const size = 1 << viewTimeBits
	for _, now := range []int64{0, 100, size - 1, size, 5*size + 3, 5*size + size/2} {
		for _, off := range []int64{0, -1, -100, 1, 100, -size/2 + 1, size/2 - 1} {
			if want := now + off; want >= 0 && UnwrapViewTime(uint16(want&(size-1)), now) != want {
				t.Errorf("%d near %d unwraps to %d", want, now, UnwrapViewTime(uint16(want&(size-1)), now))
			}
		}
	}
}

// TestSetViewTime checks that a shot has the low bits of the time that the player saw, and how far
// ahead of it the own cube was drawn, from 0 to the largest number that is sent.
func TestSetViewTime(t *testing.T) {
	const seen = 5<<viewTimeBits + 1234
	for ahead, want := range map[int64]uint16{-3: 0, 0: 0, 77: 77, maxAhead: maxAhead, maxAhead + 1: maxAhead} {
		s := sim.Shot{Fired: true}
		SetViewTime(&s, seen, ahead)
		if s.ViewTime != seen&(1<<viewTimeBits-1) || !s.HasViewTime || s.Ahead != want || UnwrapViewTime(s.ViewTime, seen+100) != seen {
			t.Errorf("%d ahead: %+v, want %d", ahead, s, want)
		}
	}
}

// TestLocalBeforeJoining checks that until it joins, a client steps with its player's last input before
// the session, and sends none.
func TestLocalBeforeJoining(t *testing.T) {
	before := sim.Input{Buttons: sim.Left, Heading: 4}
	env := &predict.Env{Player: 1, LastInputs: []sim.Input{{}, before}, Knobs: &predict.Knobs{}, Counters: &predict.Counters{}}
	var l Local
	l.Declare(env)
	if got := l.Next(10, sim.Input{Buttons: sim.Right}); got != before || l.SampledTick() != 0 {
		t.Errorf("before joining %+v is stepped, %d sampled", got, l.SampledTick())
	}
	l.Join()
	if got := l.Next(11, sim.Input{Buttons: sim.Right}); got.Buttons != sim.Right || l.SampledTick() != 12 || l.Repeat() != got {
		t.Errorf("after joining %+v is stepped, %d sampled", got, l.SampledTick())
	}
}
