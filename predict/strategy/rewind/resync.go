package rewind

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
)

// A snapshot contains bodies, and not the contacts with their impulses, the joint impulses, the sleep
// counters and the ownership that the server's world has beside them. A client that takes over bodies
// continues with its own, and where many bodies touch it differs from the server again a tick later.
//
// So a client that has to correct although all inputs were the same asks for a resynchronisation, once:
// the server drops its hidden state right before it sends a snapshot, the snapshots say in which tick,
// and all clients drop theirs in that tick. The one that asked takes over every body of that snapshot,
// and equals the server's world again. The others equalled it before, and still do.
//
// The request and the answer need a round trip. So a server whose bodies have been changed from outside, which
// no client can predict, does not wait to be asked.

const (
	resyncAskBits = 16 // of a tick
	resyncAgeBits = 10

	// A packet of a client that has no input to send contains a request alone, in 2 bytes. No message of
	// inputs is that short.
	askPayloadBytes = resyncAskBits / 8
)

// declareResync declares the knob that both sides share.
func declareResync(k *predict.Knobs, p *bool) {
	k.In(predict.CorrectionKnobs).Bool(p, "resync", true,
		"after a correction that no input explains, both sides drop hidden solver state in one tick")
}

// resyncServer drops the server's hidden state when a client asks for it.
type resyncServer struct {
	enabled   bool
	asked     bool
	changed   bool // bodies have been changed other than by a step
	hasResync bool
	tick      sim.Tick // of the last resynchronisation
	resyncs   predict.Counter
	stepped   bool   // changes is known
	changes   uint64 // of the world, after the last step
}

func (r *resyncServer) declare(env *predict.Env) {
	declareResync(env.Knobs, &r.enabled)
	r.resyncs = env.Counters.New("resyncs", "times that the server dropped its hidden solver state")
}

// ask records a request of a client about a state that differed. One about a state before the last
// resynchronisation was sent before the client knew of that.
func (r *resyncServer) ask(state sim.Tick) {
	r.asked = r.asked || !r.hasResync || state >= r.tick
}

// beginTick notes whether bodies have been changed since the last step, by a command.
func (r *resyncServer) beginTick(w *predict.World) {
	r.changed = r.changed || r.enabled && r.stepped && r.changes != w.Changes()
}

// endStep ends a step: what changes bodies from now on is no step.
func (r *resyncServer) endStep(w *predict.World) {
	r.stepped, r.changes = r.enabled, w.Changes()
}

// resync drops the hidden state of a world whose snapshot is about to be sent, if bodies were changed or a client has
// asked for it, and the last time is a quarter of a second ago: each time moves touching bodies by
// millimetres, and requests may be forged. It reports whether it did.
func (r *resyncServer) resync(w *predict.World) bool {
	if !r.enabled || !r.asked && !r.changed || r.hasResync && w.Tick()-r.tick < sim.Tick(w.Rate()/4) {
		return false
	}
	w.DropHiddenState()
	r.asked, r.changed, r.hasResync, r.tick = false, false, true, w.Tick()
	r.resyncs.Inc()
	return true
}

// codeAge writes how many ticks ago the last resynchronisation was, until it is too long ago.
func (r *resyncServer) codeAge(c *quant.Coder, now sim.Tick) {
	h := resyncHeader{age: int(min(now-r.tick, 1<<resyncAgeBits))}
	h.recent = r.hasResync && h.age < 1<<resyncAgeBits
	h.code(c)
}

func (r *resyncServer) copyFrom(o *resyncServer) {
	counter := r.resyncs
	*r = *o
	r.resyncs = counter
}

// resyncHeader is what a snapshot says about the last resynchronisation. On the wire it is
//
//	recent, 1 bit, and if set
//	age, 10 bits
type resyncHeader struct {
	recent bool
	age    int // ticks before the snapshot
}

func (h *resyncHeader) code(c *quant.Coder) {
	c.Label("resync_recent")
	if h.recent = c.Bool(h.recent); h.recent {
		c.Label("resync_age")
		h.age = int(c.Bits(uint32(h.age), resyncAgeBits))
	}
}

// codeAsk reads or writes a request: the low bits of the tick of the state that differed. near is a tick
// near it.
func codeAsk(c *quant.Coder, state, near sim.Tick) sim.Tick {
	c.Label("resync_state")
	return input.UnwrapTick(c.Bits(uint32(state)&(1<<resyncAskBits-1), resyncAskBits), resyncAskBits, near)
}

// resyncClient asks for resynchronisations and knows the last one.
type resyncClient struct {
	enabled bool
	resyncClientState
	resyncClientScratch
}

type resyncClientState struct {
	asking    bool
	askState  sim.Tick // tick of the state that differed
	hasResync bool
	tick      sim.Tick // of the last known resynchronisation
	exact     bool     // its snapshot has arrived, so that the client took over all bodies
	wait      sim.Tick // ticks after an exact one until the client may ask again
	hasDiffed bool     // a state has differed although the inputs were the same
	differed  sim.Tick // tick of the last one
}

type resyncClientScratch struct {
	coder  quant.Coder
	buffer [8]byte
}

// maxResyncWait is the longest wait of a client that a resynchronisation has not helped, in seconds.
const maxResyncWait = 16

// differs records that a state of a tick differed although the inputs were the same, at rate ticks per
// second. If one did so less than a second ago, it reports that and asks for a resynchronisation: the first
// correction was not enough. If an exact resynchronisation did not end the differences for a second, the two worlds
// differ for another reason, and the client waits twice as long as before.
func (r *resyncClient) differs(state sim.Tick, rate int) (again bool) {
	again = r.hasDiffed && state <= r.differed+sim.Tick(rate)
	if !again {
		r.wait = sim.Tick(rate)
	}
	r.hasDiffed, r.differed = true, state
	if !r.enabled || !again || r.asking || r.hasResync && r.exact && state < r.tick+r.wait {
		return again
	}
	r.asking, r.askState = true, state
	if r.exact {
		r.wait = min(2*r.wait, maxResyncWait*sim.Tick(rate))
	}
	return again
}

// joined notes that a client that joins has taken over all bodies of the state of a tick, as it does in an exact
// resynchronisation. It lacks contacts, and most of them form again in the next ticks. If it asked at once, many a
// client that joins would move the touching bodies of all others, and mispredict them itself until it knows.
func (r *resyncClient) joined(state sim.Tick) { r.hasResync, r.exact, r.tick = true, true, state }

// announced returns the tick of a resynchronisation that the client does not know yet, and notes it.
func (r *resyncClient) announced(h resyncHeader, snapshot sim.Tick) (t sim.Tick, ok bool) {
	if !h.recent || sim.Tick(h.age) > snapshot {
		return 0, false
	}
	if t = snapshot - sim.Tick(h.age); r.hasResync && t <= r.tick {
		return 0, false
	}
	r.hasResync, r.tick, r.exact = true, t, t == snapshot
	if t > r.askState {
		r.asking = false
	}
	return t, true
}

// writeAsk writes a request after an input message, if there is one.
func (r *resyncClient) writeAsk(c *quant.Coder) {
	if r.asking {
		codeAsk(c, r.askState, r.askState)
	}
}

// send sends a request alone, or nothing but acknowledgements.
func (r *resyncClient) send(server *packet.Endpoint) {
	if !r.asking {
		server.Send(nil)
		return
	}
	r.coder.BeginWrite(r.buffer[:])
	r.writeAsk(&r.coder)
	server.Send(r.coder.FinishWrite())
}
