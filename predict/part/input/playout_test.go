package input

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// testRate is the tick rate of the servers in these tests.
const testRate = 60

// testBuffer is a playout buffer into which a test inserts inputs.
type testBuffer struct {
	PlayoutBuffer
	settings PlayoutSettings
	env      predict.Env
}

func newTestBuffer(t *testing.T, knobs ...string) *testBuffer {
	t.Helper()
	b := &testBuffer{env: predict.Env{Knobs: &predict.Knobs{}, Counters: &predict.Counters{}}}
	b.settings.declare(b.env.Knobs, testRate)
	b.PlayoutBuffer = newPlayoutBuffer(b.env.Counters)
	predicttest.SetKnobs(t, b.env.Knobs, knobs...)
	return b
}

// inputOf returns an input that names its tick.
func inputOf(t sim.Tick) sim.Input { return sim.Input{Buttons: sim.Left, Heading: uint8(t)} }

// tick runs a tick of the server in which the inputs of some client ticks arrive one by one. It
// returns the tick of the used input, or - for none.
func (b *testBuffer) tick(arrivals ...sim.Tick) string {
	in := b.Pop(&b.settings)
	for _, t := range arrivals {
		b.insert(t, inputOf(t), &b.settings)
	}
	b.Trim(&b.settings, testRate)
	if in == (sim.Input{}) {
		return "-"
	}
	return fmt.Sprint(in.Heading)
}

// layout draws the places: the tick of an input, . for an empty place, and brackets around an input
// that is being repeated.
func (b *testBuffer) layout() string {
	var s []string
	for range b.wait * min(b.queue.Len(), 1) {
		s = append(s, ".")
	}
	for i := range b.queue.Len() {
		s = append(s, fmt.Sprint(b.queue.At(i).Tick))
	}
	if b.repeating {
		s[0] = "(" + s[0] + ")"
	}
	for len(s) < b.settings.DelayTicks {
		s = append(s, ".")
	}
	return strings.Join(s, " ")
}

// TestPlayoutTable plays out the talk's worked example, tick by tick.
func TestPlayoutTable(t *testing.T) {
	type row struct {
		tick     int // of the server
		used     string
		arrivals []sim.Tick // after that
		layout   string
	}
	begin := []row{
		{5, "-", []sim.Tick{2}, ". . . 2"},
		{6, "-", []sim.Tick{5}, ". . 2 5"},
		{7, "-", []sim.Tick{3}, ". 2 3 5"}, // out of order
		{8, "-", nil, "2 3 5 ."},
		{9, "2", []sim.Tick{1}, "3 5 . ."}, // late
		{10, "3", nil, "5 . . ."},
		{11, "3", nil, "5 . . ."}, // 4 is missing
	}
	for keep, rest := range map[string][]row{
		"on": {
			{12, "5", nil, "(5) . . ."},
			{13, "5", []sim.Tick{6}, "(5) 6 . ."},
			{14, "5", nil, "6 . . ."},
			{15, "6", nil, "(6) . . ."},
		},
		"off": {
			{12, "5", nil, ". . . ."},
			{13, "-", []sim.Tick{6}, ". . . 6"},
			{14, "-", nil, ". . 6 ."},
			{15, "-", nil, ". 6 . ."},
			{16, "-", nil, "6 . . ."},
			{17, "6", nil, ". . . ."},
		},
	} {
		b := newTestBuffer(t, "keep-last", keep)
		for _, r := range slices.Concat(begin, rest) {
			if used := b.tick(r.arrivals...); used != r.used || b.layout() != r.layout {
				t.Errorf("keep %s, tick %d: used %s and has %s, want %s and %s", keep, r.tick, used, b.layout(), r.used, r.layout)
			}
		}
		if late := b.env.Counters.Value("late_inputs"); late != 1 {
			t.Errorf("%v late inputs", late)
		}
	}
}

// TestPlayoutLastConsumed checks the sources and ticks of the inputs used in the worked example.
func TestPlayoutLastConsumed(t *testing.T) {
	b := newTestBuffer(t)
	arrivals := map[int][]sim.Tick{5: {2}, 6: {5}, 7: {3}, 13: {6}}
	var got []Consumed
	for tick := 5; tick <= 15; tick++ {
		b.tick(arrivals[tick]...)
		got = append(got, b.LastConsumed())
	}
	want := []Consumed{
		{}, {}, {}, {}, {SourceReceived, 2}, {SourceReceived, 3}, {SourceFilled, 4},
		{SourceReceived, 5}, {SourceRepeated, 5}, {SourceRepeated, 5}, {SourceReceived, 6},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if r := b.env.Counters.Value("inputs_consumed_ratio"); r != 0.8 {
		t.Errorf("ratio %v: 4 of 5 ticks had their own input", r)
	}
}

// TestPlayoutRepeats checks that an input is repeated for repeat-time, and that the next
// one still follows at once; that no more missing inputs than that are filled in; and that before
// the first input the player keeps the one of Start.
func TestPlayoutRepeats(t *testing.T) {
	b := newTestBuffer(t, "repeat-time", "50ms")
	b.Start(inputOf(9))
	got := ""
	for i := range 16 {
		var arrivals []sim.Tick
		switch i {
		case 1:
			arrivals = []sim.Tick{20}
		case 11:
			arrivals = []sim.Tick{21}
		}
		got += b.tick(arrivals...) + " "
	}
	if want := "9 9 9 9 9 20 20 20 20 - - - - 21 21 21 "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	got = ""
	for i := range 5 {
		var arrivals []sim.Tick
		if i == 0 {
			arrivals = []sim.Tick{30} // eight are missing
		}
		got += b.tick(arrivals...) + " "
	}
	if want := "21 - 30 30 30 "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestPlayoutSkips checks a burst that arrives after the buffer has starved: it skips one input for each lost tick if more
// than 4, the slack, were lost, and keeps at least 4 waiting. Without starvation, as under jitter, it skips none until too
// many have waited for a second.
func TestPlayoutSkips(t *testing.T) {
	for _, c := range []struct {
		starved, burst int
		want           string
		skipped        float64
	}{
		{4, 9, "21 22 23 24", 0},
		{5, 8, "21 22 23 24", 0},
		{5, 9, "26 27 28 29", 5},
		{6, 30, "27 28 29 30", 5},
		{30, 30, "48 49 50 50", 26},
	} {
		b := newTestBuffer(t)
		b.tick(20)
		for range 2 + c.starved { // used in the fourth, and repeated in the others and the two that follow
			b.tick()
		}
		var burst []sim.Tick
		for n := range c.burst {
			burst = append(burst, sim.Tick(21+n))
		}
		b.tick(burst...)
		b.tick()
		got := ""
		for range 4 {
			got += b.tick() + " "
		}
		if strings.TrimSpace(got) != c.want || b.env.Counters.Value("skipped_inputs") != c.skipped {
			t.Errorf("%d inputs after %d ticks: %s, %v skipped, want %s, %v", c.burst, c.starved, got, b.env.Counters.Value("skipped_inputs"), c.want, c.skipped)
		}
	}
	b := newTestBuffer(t)
	b.tick(20, 21, 22, 23)
	next := sim.Tick(24)
	for range testRate {
		b.tick(next)
		next++
	}
	b.tick(next, next+1, next+2, next+3, next+4, next+5) // the client has jumped ahead
	next += 6
	for i := range testRate + 2 {
		if n := b.env.Counters.Value("skipped_inputs"); n != 0 && i < testRate-1 {
			t.Fatalf("%v skipped after %d ticks", n, i)
		}
		b.tick(next)
		next++
	}
	if n := b.env.Counters.Value("skipped_inputs"); n != 5 {
		t.Errorf("%v skipped after a second, want 5", n)
	}
}

// TestPlayoutDelay checks, for several delays, that inputs that arrive one per tick wait for the
// delay, that they are used at the intervals at which they were sent, even if two arrive in one tick
// and none in another, and that duplicates are counted.
func TestPlayoutDelay(t *testing.T) {
	for _, length := range []string{"1", "4", "7"} {
		b := newTestBuffer(t, "playout", length)
		n := b.settings.DelayTicks
		for i := 1; i < 200; i++ {
			var arrivals []sim.Tick
			switch i % 5 {
			case 2: // none
			case 3:
				arrivals = []sim.Tick{sim.Tick(i - 1), sim.Tick(i)}
			default:
				arrivals = []sim.Tick{sim.Tick(i)}
			}
			if n == 1 {
				arrivals = []sim.Tick{sim.Tick(i)}
			}
			want := "-"
			if i > n {
				want = fmt.Sprint(i - n)
			}
			if n == 1 && i > 2 { // the last input in the buffer is repeated once
				want = fmt.Sprint(i - 2)
			}
			if got := b.tick(append(arrivals, arrivals...)...); got != want {
				t.Fatalf("playout %s, tick %d: %s, want %s", length, i, got, want)
			}
		}
		if m := b.env.Counters; m.Value("duplicate_inputs") < 150 || m.Value("late_inputs") != 0 {
			t.Errorf("playout %s: %+v", length, m.All())
		}
	}
}

// TestPlayoutAboveSlack checks that a buffer delays by its playout delay, however long that is.
func TestPlayoutAboveSlack(t *testing.T) {
	for _, delay := range []string{"4", "8", "9", "20", "40"} {
		b := newTestBuffer(t, "playout", delay)
		for i := range sim.Tick(300) {
			b.tick(100 + i)
		}
		if got := fmt.Sprint(b.WaitedTicks()); got != delay || b.env.Counters.Value("skipped_inputs") != 0 {
			t.Errorf("playout=%s: inputs wait for %s ticks, %v skipped", delay, got, b.env.Counters.Value("skipped_inputs"))
		}
	}
}

// TestPlayoutDrains checks that a buffer that has grown because inputs were late shrinks again until
// one input more than its delay waits, by one after each calm second, and not while inputs are late.
func TestPlayoutDrains(t *testing.T) {
	b := newTestBuffer(t, "playout", "2", "playout-slack", "8")
	late := sim.Tick(0) // the inputs arrive this many ticks late, together
	for now := sim.Tick(0); now < 900; now++ {
		switch {
		case now == 60:
			late = 6
		case now < 300 && now%30 == 29:
			late = 5
		case late > 0:
			late--
		}
		var arrivals []sim.Tick
		if late <= 1 {
			for i := range sim.Tick(7) {
				if t := 100 + now - i; t >= 100 && b.receivedTicks[t%ringLen] != t+1 {
					arrivals = append(arrivals, t)
				}
			}
		}
		b.tick(arrivals...)
		switch waiting := b.waiting(); {
		case now == 299 && waiting < 5:
			t.Errorf("tick %d: %d inputs wait, although inputs are often late", now, waiting)
		case now == 899 && waiting != 3:
			t.Errorf("tick %d: %d inputs wait after ten calm seconds", now, waiting)
		}
	}
	if n := b.env.Counters.Value("skipped_inputs"); n < 3 || n > 6 {
		t.Errorf("%v skipped", n)
	}
}

// FuzzPlayout reads any payloads: the buffer stays within its bounds and returns valid inputs.
func FuzzPlayout(f *testing.F) {
	var c quant.Coder
	c.BeginWrite(make([]byte, 64))
	m := Message{TickBits: 10, NewestTick: 53, Inputs: []sim.Input{{}, {Buttons: 3}, {Buttons: 3, Heading: 9}}}
	m.Code(&c)
	f.Add(c.FinishWrite(), []byte{1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		set := PlayoutSettings{DelayTicks: 4, KeepLast: len(a)%2 == 0, Repeat: repeatTicks(5), Slack: 4, DrainAfter: 1000}
		p := newPlayoutBuffer(&predict.Counters{})
		for i := range sim.Tick(100) {
			if in := p.Pop(&set); in.Buttons&^sim.AllButtons != 0 {
				t.Errorf("buttons %b", in.Buttons)
			}
			p.Read(a, 50+i, &set)
			p.Read(b, 50+i, &set)
			p.Trim(&set, testRate)
			if n := p.queue.Len(); n > set.DelayTicks+set.Slack+testRate+1 || p.wait < 0 || p.wait >= set.DelayTicks {
				t.Fatalf("%d inputs after %d empty places", n, p.wait)
			}
		}
	})
}

// TestPlayoutWaitedTicks checks WaitedTicks: it is the delay for an input that arrives on time,
// less for a late one, and unchanged while the input is repeated.
func TestPlayoutWaitedTicks(t *testing.T) {
	b := newTestBuffer(t)
	var got []int
	for i := range 16 {
		switch i {
		default:
			b.tick(sim.Tick(100 + i))
		case 6: // two ticks late
			b.tick()
		case 7:
			b.tick()
		case 8:
			b.tick(106, 107, 108)
		case 12, 13, 14, 15:
			b.tick()
		}
		got = append(got, b.WaitedTicks())
	}
	if want := []int{0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 2, 3, 4, 4, 4, 4}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestPlayoutWaiting checks that the waiting inputs are those that the next ticks use, also while an input is late or
// repeated: as many as have arrived, up to the first one that is missing.
func TestPlayoutWaiting(t *testing.T) {
	b, known, most := newTestBuffer(t), []sim.Input(nil), 0
	for i := range 70 {
		var arrive []sim.Tick
		switch {
		case i == 21 || i == 31: // two arrive together, in the wrong order
			arrive = []sim.Tick{sim.Tick(101 + i), sim.Tick(100 + i)}
		case i == 22 || i == 32 || i > 40 && i < 46: // six are late
		case i == 46:
			arrive = []sim.Tick{141, 142, 143, 144, 145, 146}
		default:
			arrive = []sim.Tick{sim.Tick(100 + i)}
		}
		used := b.tick(arrive...)
		if len(known) > 0 && used != fmt.Sprint(known[0].Heading) {
			t.Errorf("tick %d uses %v, want %v", i, used, known[0].Heading)
		}
		known = b.AppendWaiting(known[:0], 64)
		if most = max(most, len(known)); len(b.AppendWaiting(nil, 2)) > 2 {
			t.Error("more inputs than the limit")
		}
	}
	if most < 3 {
		t.Errorf("at most %d inputs wait", most)
	}
}

// TestPlayoutAfterLongFreeze checks a client that was suspended for ten seconds: an input of an old
// tick, whose low bits are those of a future one, is rejected; inputs are used again as soon as the
// client has set its clock; and a client that does not set its clock is accepted after a while.
func TestPlayoutAfterLongFreeze(t *testing.T) {
	for _, jumps := range []bool{true, false} {
		b := newTestBuffer(t, "repeat-time", "84ms")
		used := 0
		for now := sim.Tick(1000); now < 2000; now++ {
			sent := now + 9
			switch {
			case now < 1100:
			case now < 1700:
				sent = 0 // nothing arrives
			case now < 1702 || !jumps:
				sent -= 600
			}
			b.Pop(&b.settings)
			if b.LastConsumed().Source == SourceReceived && now >= 1702 {
				used++
			}
			if sent > 0 {
				var c quant.Coder
				c.BeginWrite(make([]byte, 64))
				m := Message{TickBits: 10, NewestTick: sent, Inputs: []sim.Input{inputOf(sent)}}
				m.Code(&c)
				b.Read(c.FinishWrite(), now, &b.settings)
			}
			b.Trim(&b.settings, testRate)
		}
		want, refused := 296, 2.0
		if !jumps {
			want, refused = 268, maxOutliers
		}
		if used != want || b.env.Counters.Value("rejected_payloads") != refused {
			t.Errorf("jumps %v: %d inputs used, want %d; %v rejected", jumps, used, want, b.env.Counters.Value("rejected_payloads"))
		}
	}
}
