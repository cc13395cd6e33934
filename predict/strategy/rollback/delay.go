package rollback

import "ghostcube/sim"

// ownTicks is the number of own inputs that a client remembers. It is a power of two, so that a tick's place is
// its low bits.
const ownTicks = 1024

// ownInputs are the inputs of the client's player, by the tick that uses them: the tick in which the key was
// read, or one that is later by the input delay. It is plain.
type ownInputs struct {
	ring        [ownTicks]sim.Input
	first, next sim.Tick  // ticks in [first, next) have an input; the client sends them
	last        sim.Input // the newest one, without its shot
}

// at returns the input of a tick. After the newest one that is repeated, as the server does.
func (o *ownInputs) at(t sim.Tick) sim.Input {
	if t < o.first || t >= o.next {
		return o.last
	}
	return o.ring[t%ownTicks]
}

// begin begins to number inputs at a tick.
func (o *ownInputs) begin(t sim.Tick) { o.first, o.next = t, t }

// add stamps an input with a tick. If the delay has grown, the ticks between repeat the last input. If it has
// shrunk, the tick may have an input already; add then drops the new one and reports false.
func (o *ownInputs) add(t sim.Tick, in sim.Input) bool {
	if t < o.next {
		return false
	}
	for ; o.next < t; o.next++ {
		o.ring[o.next%ownTicks] = o.last
	}
	o.ring[t%ownTicks], o.last = in, withoutShot(in)
	o.next = t + 1
	o.first = max(o.first, o.next-min(o.next, ownTicks))
	return true
}

// sample stamps the player's input with the tick that uses it. A shot that finds no tick waits for the next
// one.
func (c *client) sample(in sim.Input) {
	if in.Shot.Fired {
		c.state.pendingShot = in.Shot
	}
	if c.env.Player < 0 || !c.state.joined {
		return
	}
	in.Shot = c.state.pendingShot
	if c.own.add(c.env.World.Tick()+sim.Tick(c.state.delay), in) {
		c.state.pendingShot = sim.Shot{}
	}
}

// lacksOwn reports whether the client cannot know its own inputs of the next tick to be confirmed, because it
// has not sampled them.
func (c *client) lacksOwn() bool { return !c.state.joined || c.known.confirmed < c.own.first }

// setDelay sets the input delay. needed is the number of ticks by which the client would have to be ahead of the
// newest confirmed tick, without a delay. A delay that grows with the round trip follows changes of two ticks or
// more, because each of them repeats or drops an input.
func (c *client) setDelay(needed int) {
	most := c.settings.inputDelay
	if wanted := min(max(needed, 0), most); c.settings.inputDelayGrows {
		if wanted > c.state.delay+1 || wanted < c.state.delay-1 || c.state.delay > most {
			c.state.delay = wanted
		}
	} else {
		c.state.delay = most
	}
	c.counters.delay.Set(float64(c.state.delay))
}
