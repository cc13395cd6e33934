package lockstep

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/quant"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// TestEventsNeedTheirTicks checks what the article says of key events: the worlds stay the same while
// latency is constant, and diverge with the first event that is late, early or lost, also over TCP.
// With states they stay the same on all these networks.
func TestEventsNeedTheirTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network, transport string
		desyncs            float64
	}{
		{"latency=50ms", "udp", 0},
		{"latency=50ms,jitter=20ms", "udp", 1},
		{"latency=50ms,loss=10%", "udp", 1},
		{"latency=50ms,loss=2%", "tcp", 1},
	} {
		for _, host := range []bool{true, false} {
			for _, form := range []string{"states", "events"} {
				r := newRig(t, "plain", c.network, host, "input-form", form, "transport", c.transport)
				r.run(600)
				want := c.desyncs
				if form == "states" {
					want = 0
				}
				if n := r.Counter("desyncs"); n != want {
					t.Errorf("%s over %s, %s, host %t: %v desyncs, want %v", c.network, c.transport, form, host, n, want)
				}
				if n := r.Counter("stalls"); form == "events" && n != 0 {
					t.Errorf("%s over %s: %v stalls, although no side waits for events", c.network, c.transport, n)
				}
				if n := r.Counter("compared_checksums"); n < 10 {
					t.Errorf("%s over %s, %s: %v checksums compared", c.network, c.transport, form, n)
				}
			}
		}
	}
}

// TestLostEventLeavesKeyDown checks that a key whose release is lost stays down at the other side.
func TestLostEventLeavesKeyDown(t *testing.T) {
	r := newRig(t, "plain", "latency=50ms", false, "input-form", "events")
	r.input = func(_, tick int) sim.Input { return predicttest.Press(sim.Right)(tick) }
	r.run(60)
	r.input = func(_, tick int) sim.Input { return sim.Input{} }
	r.Network.Up.Loss = 1
	r.run(10)
	r.Network.Up.Loss = 0
	r.run(120)
	if got := r.s.eventInputs[0].keys.Buttons; got != sim.Right {
		t.Errorf("the server's keys are %v, want the lost release's still down", got)
	}
}

// TestEventsAndStatesChange checks that the form of the inputs may change while a session runs, with a
// second player who waits for the first one's inputs: all step on, and all agree on a perfect network.
func TestEventsAndStatesChange(t *testing.T) {
	experiment.Skip(t)
	r := newRig(t, "two-players", "perfect", false)
	for i := range 6 {
		r.SetKnob("input-form", []string{"events", "states"}[i%2])
		r.run(100)
	}
	r.run(600)
	if stepped := r.s.env.World.Tick(); int(stepped) < r.Tick-60 {
		t.Errorf("the server has stepped %d ticks of %d", stepped, r.Tick)
	}
}

// TestInputDelta checks that whole inputs take seven bits each and agree with the others, and that an
// input like the one before takes one bit with delta encoding.
func TestInputDelta(t *testing.T) {
	perInput := func(delta string, input func(player, tick int) sim.Input) float64 {
		r := newRig(t, "plain", "latency=100ms", true, "input-delta", delta)
		r.input = input
		r.run(600)
		r.requireSync(t)
		const sectionBits = 1 + tickBits + countBits // of each run
		header := sectionBits * r.Counter("input_runs")
		if delta == "off" {
			header += countBits * r.Counter("input_runs")
		}
		return (r.Counter("input_bits") - header) / r.Counter("inputs_sent")
	}
	idle := func(int, int) sim.Input { return sim.Input{} }
	if on, off := perInput("on", idle), perInput("off", idle); on > 1.6 || off != 7 {
		t.Errorf("idle: %.2f bits an input with delta encoding, %.2f without", on, off)
	}
	mash := func(_, tick int) sim.Input { return sim.Input{Buttons: sim.Buttons(tick) & sim.MoveButtons} }
	if on, off := perInput("on", mash), perInput("off", mash); on < 7.8 || on > 8 || off != 7 {
		t.Errorf("another input in every tick: %.2f bits an input with delta encoding, %.2f without", on, off)
	}
}

// TestStepError checks that the worlds of two sides diverge if the time steps of one are a millionth
// longer, at the first step that moves something, and not otherwise.
func TestStepError(t *testing.T) {
	for _, c := range []struct {
		ppm     string
		desyncs float64
	}{{"0", 0}, {"1", 1}, {"-1001", 1}} {
		r := newRig(t, "plain", "latency=50ms", true, "step-error", c.ppm)
		r.run(300)
		if n := r.Counter("desyncs"); n != c.desyncs {
			t.Errorf("step-error=%s: %v desyncs, want %v", c.ppm, n, c.desyncs)
		}
		if tick := r.Counter("desync_tick"); c.desyncs > 0 && (tick < 1 || tick > 30) {
			t.Errorf("step-error=%s: the worlds differ from tick %v on", c.ppm, tick)
		}
	}
}

// TestEventsCarryActions checks that events add up to the inputs that they were made of, including action
// buttons, even when too many keys change in one tick and the actions are sent in the next.
func TestEventsCarryActions(t *testing.T) {
	var sent, received eventInput
	var stream inputStream
	inputs := []sim.Input{
		{Buttons: sim.Forward}, {Buttons: sim.Forward | sim.Use}, {Buttons: sim.Use | sim.Couple, Heading: 3},
		{}, {Buttons: sim.AllButtons, Heading: 9}, {Buttons: sim.AllButtons, Heading: 9}, {Buttons: sim.Couple, Heading: 9},
	}
	for tick, in := range inputs {
		stream.add(in)
		r := playerSection{events: sent.appendNew(nil, &stream)}
		var c quant.Coder
		c.BeginWrite(make([]byte, 64))
		r.codeEvents(&c)
		data := c.FinishWrite()
		c.BeginRead(data)
		r = playerSection{}
		r.codeEvents(&c)
		if c.Err() != nil {
			t.Fatal(c.Err())
		}
		received.receive(r.events)
		if tick == 4 {
			in.Buttons &^= sim.ActionButtons // seven other keys change in this tick
		}
		if received.keys != in {
			t.Errorf("tick %d: events add up to %+v, want %+v", tick, received.keys, in)
		}
	}
}
