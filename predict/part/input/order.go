package input

import (
	"ghostcube/predict"
	"ghostcube/predict/part/playout"
	"ghostcube/sim"
)

// Limits of the buffer of inputs in order, in ticks.
const (
	maxBufferTicks   = 30
	maxAdaptiveTicks = 6 // an outage must not delay all inputs after it
)

const (
	inTimePercent = 99 // share of the inputs for which an adaptive buffer is long enough
	allLateShare  = 8  // an eighth of a second in which all inputs are late starts the order anew
)

// The modes of the buffer of inputs in order.
const (
	noBuffer = iota
	fixedBuffer
	adaptiveBuffer
)

var bufferModes = []string{"none", "fixed", "adaptive"}

// orderSettings are the knobs of a buffer of inputs in order.
type orderSettings struct {
	mode  int
	ticks int // of a fixed buffer
}

// order is the server's clock of a client that numbers its inputs by its own ticks. It says which
// input's turn it is: the earliest inputs of each second wait for the length of the buffer, so that one
// that is late, or that comes with a later packet because its own was lost, is still used in its turn.
// An order is plain.
type order struct {
	started    bool
	now        sim.Tick // the server's ticks since the start
	next       sim.Tick // the client's tick whose input is used next
	newest     sim.Tick // of the inputs whose arrival is recorded
	delay      sim.Tick // length of the buffer
	arrivals   playout.Arrivals
	percentile playout.Percentile
}

// arrive records that the input of a client's tick has arrived for the first time.
func (o *order) arrive(t sim.Tick) {
	if o.started {
		o.percentile.Add(o.now.Moment() - t.Moment())
	}
}

// advance returns the client's tick whose input is used in this tick of the server. newest is the
// newest tick that has arrived.
func (o *order) advance(newest sim.Tick, s *orderSettings, rate int) sim.Tick {
	if early := int64(newest) - int64(o.next); !o.started || early >= ringLen/2 || early <= -ringLen/2 {
		delay := sim.Tick(0)
		if s.mode == fixedBuffer {
			delay = sim.Tick(s.ticks)
		}
		*o = order{
			started: true, next: newest - min(newest, delay), delay: delay,
			arrivals:   playout.Arrivals{SpanTicks: rate, AllLateTicks: rate / allLateShare},
			percentile: playout.Percentile{Percent: inTimePercent},
		}
	}
	if newest != o.newest {
		o.newest = newest
		o.arrivals.Add(o.next.Moment() - newest.Moment())
	}
	t := o.next
	o.next++
	o.now++
	if span, ended := o.arrivals.Tick(); ended && span.Any {
		o.adapt(s)
		o.next = sim.Tick(max(int64(o.next)-int64(span.Min/sim.MomentsPerTick)-int64(o.delay), 0))
	}
	return t
}

// adapt sets the length of the buffer at the end of a second. An adaptive buffer grows at once, and
// shrinks by a tick per second once the arrivals of ten seconds are known.
func (o *order) adapt(s *orderSettings) {
	if s.mode == fixedBuffer {
		o.delay = sim.Tick(s.ticks)
		return
	}
	o.percentile.EndSpan()
	if wanted, ok := o.percentile.Wanted(); ok {
		shrink := sim.Moment(0)
		if o.percentile.Confident() {
			shrink = sim.MomentsPerTick
		}
		wanted = min(wanted-sim.MomentsPerTick, maxAdaptiveTicks*sim.MomentsPerTick) // without the tick more of Wanted
		o.delay = playout.Adapt(o.delay.Moment(), wanted, shrink).Tick()
	}
}

// DeclareBuffer declares the knobs of the buffer from which PopNext takes the inputs.
func (r *Receiver) DeclareBuffer(env *predict.Env) {
	group := env.Knobs.In(predict.InputKnobs)
	group.Choice(&r.order.mode, "input-buffer", adaptiveBuffer, bufferModes,
		"the server uses the newest input, or all in order after a fixed delay or one that suits 99 %")
	group.Int(&r.order.ticks, "input-buffer-ticks", 2, 0, maxBufferTicks, "input-buffer=fixed: ticks that the earliest inputs wait")
	r.bufferTicks = env.Counters.New("input_buffer_ticks", "length of the input buffer, ticks, now")
}

// PopNext sets inputs, by player, to the next input of each player at a client: in the order of the
// client's ticks, or, without a buffer, the newest. rate is in ticks per second.
func (r *Receiver) PopNext(peers []predict.Peer, inputs []sim.Input, rate int) {
	for i, peer := range peers {
		if peer.Player < 0 {
			continue
		}
		q := &r.Queues[i]
		newest, any := q.NewestTick()
		if any && r.order.mode != noBuffer {
			inputs[peer.Player] = q.Pop(q.order.advance(newest, &r.order, rate), r.RepeatMissing)
			r.bufferTicks.Set(float64(q.order.delay))
		} else {
			inputs[peer.Player] = q.PopNewest(r.RepeatMissing)
		}
		if any {
			q.CountConsumed(newest, rate)
		}
	}
	r.CountTotals()
}
