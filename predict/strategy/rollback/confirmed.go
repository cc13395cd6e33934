package rollback

import (
	"ghostcube/predict/part/history"
	"ghostcube/sim"
)

// knownTicks is the number of ticks whose inputs a client remembers.
const knownTicks = 1024

// knownInputs are the inputs of all players that a client has received.
type knownInputs struct {
	ring history.Ring[knownTick]
	knownState
}

// knownState is plain: it is copied by assignment.
type knownState struct {
	confirmed sim.Tick                  // first tick that is not confirmed
	end       [sim.MaxPlayers]sim.Tick  // by player: tick after the newest known input
	last      [sim.MaxPlayers]sim.Input // by player: the newest known input, without its shot
	silent    [sim.MaxPlayers]int       // by player: own ticks since the newest one arrived
}

// knownTick are the known inputs of a tick.
type knownTick struct {
	inputs [sim.MaxPlayers]sim.Input
	known  [sim.MaxPlayers]bool
}

// newKnownInputs returns the known inputs of a client whose world is at a tick. last are the inputs before.
func newKnownInputs(t sim.Tick, last []sim.Input) knownInputs {
	k := knownInputs{ring: history.New[knownTick](knownTicks)}
	k.confirmed = t
	for p, in := range last {
		k.end[p], k.last[p] = t, withoutShot(in)
	}
	return k
}

// at returns the input of a player in a tick, if it is known.
func (k *knownInputs) at(t sim.Tick, p int) (in sim.Input, ok bool) {
	if x := k.ring.Find(t); x != nil && x.known[p] {
		return x.inputs[p], true
	}
	return in, false
}

// insert returns what is known of a tick, for the caller to change.
func (k *knownInputs) insert(t sim.Tick) *knownTick {
	x := k.ring.Find(t)
	if x == nil {
		x = k.ring.Insert(t)
		*x = knownTick{}
	}
	return x
}

// add takes in the input of a player in a tick. It reports whether it is new or differs from the known one.
func (k *knownInputs) add(t sim.Tick, p int, in sim.Input) bool {
	x := k.insert(t)
	if x.known[p] && x.inputs[p] == in {
		return false
	}
	x.inputs[p], x.known[p] = in, true
	if t+1 >= k.end[p] {
		if t+1 > k.end[p] {
			k.silent[p] = 0
		}
		k.end[p], k.last[p] = t+1, withoutShot(in)
	}
	return true
}

func (k *knownInputs) copyFrom(o *knownInputs) {
	k.knownState = o.knownState
	k.ring.CopyFrom(&o.ring, history.CopyValue[knownTick])
}

// confirm takes in the inputs of a server's message. The ticks that it confirms must follow those that are
// confirmed already; a later message repeats them if they do not.
func (c *client) confirm(m *downMessage) {
	first := m.end - sim.Tick(m.count)
	if first > c.known.confirmed || m.end < c.known.confirmed {
		return
	}
	if m.end > c.env.World.Tick()+knownTicks/2 {
		return // it would overwrite inputs of ticks that are not stepped yet; a later message repeats it
	}
	if p := c.env.Player; p >= 0 && m.runs[p].asSent && c.lacksOwn() {
		return // they were sent before this client joined again; it has asked for them
	}
	for p := range m.runs {
		for t := c.known.confirmed; m.runs[p].asSent && t < m.end; t++ {
			c.learn(t, p, c.own.at(t))
		}
		for i, in := range m.runs[p].inputs {
			if t := first + sim.Tick(i); t >= c.known.confirmed {
				c.learn(t, p, in)
			}
		}
	}
	c.known.confirmed = max(c.known.confirmed, m.end)
}

// learn takes in the input of a player in a tick. If the tick was stepped with another one, the client has to
// go back there. Only that makes it: an input that equals its prediction changes nothing.
func (c *client) learn(t sim.Tick, p int, in sim.Input) {
	if !c.known.add(t, p, in) {
		return
	}
	if t >= c.env.World.Tick() {
		return
	}
	c.noteEvents(t, p, false)
	if stepped := c.stepped.Find(t); stepped != nil && stepped[p] != withoutShot(in) {
		c.goBackTo(t)
		c.counters.mispredicted.Inc()
	}
}

// goBackTo notes that a tick has to be stepped again if it has been stepped.
func (c *client) goBackTo(t sim.Tick) {
	if t >= c.env.World.Tick() || c.state.hasWrong && c.state.firstWrong <= t {
		return
	}
	c.state.firstWrong, c.state.hasWrong = t, true
}
