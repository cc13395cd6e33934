package statesync

import (
	"slices"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// policy is what is sent, and how much of it.
type policy struct {
	budget     int // kbit/s
	order      int
	player     int
	touched    int
	other      int
	rest       bool
	resting    int
	congestion bool
	inputs     bool
	states     bool
	velocities bool
}

// The ways to compare priorities.
const (
	accumulated = iota
	momentary
)

var orders = []string{"accumulated", "momentary"}

func (p *policy) declare(k *predict.Knobs) {
	k.Int(&p.budget, "budget", 256, 16, 4096, "kbit/s to each client, headers of IP and UDP included")
	k.Choice(&p.order, "priority", accumulated, orders, "a body's priority adds up until it is sent; or it is that of the moment, and what is low always waits")
	k.Int(&p.player, "priority-player", 1_000_000, 1, 1_000_000, "priority of a player's cube")
	k.Int(&p.touched, "priority-touched", 100, 1, 1_000_000, "priority of a body that a player touches, directly or through others")
	k.Int(&p.other, "priority-other", 1, 1, 1_000_000, "priority of any other body")
	declareRest(k, &p.rest)
	k.Int(&p.resting, "priority-rest", 100, 1, 1_000_000, "rest-commit: that priority")
	k.Bool(&p.congestion, "congestion", true, "a queue on the way, seen by a longer round trip, lowers the rate for a while")
	k.Bool(&p.inputs, "inputs", true, "send what the players do")
	k.Bool(&p.states, "states", true, "send how bodies are; without them both worlds go their own ways")
	k.Bool(&p.velocities, "velocities", true, "send velocities of bodies that move; without them the client keeps its own")
}

// Bytes around a payload.
const (
	headBytes     = 28 + 14 // IP, UDP and ours
	partBytes     = headBytes + 2
	fragmentBytes = packet.FragmentBytes
	mostWhole     = packet.MaxDatagram - 14 // a payload that is not cut
)

// cost is how many bytes travel for a payload of so many.
func cost(payload int) int {
	if payload <= mostWhole {
		return payload + headBytes
	}
	return payload + (payload+fragmentBytes-1)/fragmentBytes*partBytes
}

// payload is the longest payload for which so many bytes travel at most; below
// zero there is none.
func payload(bytes int) int {
	best := min(bytes-headBytes, mostWhole)
	for n := 2; n*fragmentBytes < mostBytes+fragmentBytes; n++ {
		best = max(best, min(bytes-n*partBytes, n*fragmentBytes))
	}
	return min(best, mostBytes)
}

// sender is what the server keeps for one peer.
type sender struct {
	priority []int64    // by body, added up since it was sent
	since    []sim.Tick // by body: the first tick at which it was otherwise than sent; 0: never
	longest  int        // ticks that a changed body waited
	credit   int64      // bits times ticks per second
	most     int64      // of it: what a packet that could not be sent takes
	keys     []uint64   // what to sort

	arrived sim.Tick // newest packet that the peer is known to have
	any     bool
	flight  []flight   // by sequence
	known   []known    // by body: the newest that has arrived
	sends   []uint8    // by body: how often it was sent since it was sent whole
	fresh   []sim.Tick // by body: the tick of that; no older state is a base
	based   uint64     // updates sent by their differences
	coder   quant.Coder
	rest    []sim.Tick // by body: the tick at which it came to rest; 0: the peer has it
	flow    flow
	out     outgo
}

// flight is what a packet that was sent had in it.
type flight struct {
	sequence packet.Sequence
	used     bool
	tick     sim.Tick
	n        int
	updates  [mostUpdates]update // as the reader has them
}

// known is a state of a body that the peer is known to have.
type known struct {
	tick  sim.Tick // 0: none
	state sim.Body
}

func newSender(bodies int) sender {
	return sender{priority: make([]int64, bodies), since: make([]sim.Tick, bodies), rest: make([]sim.Tick, bodies),
		flight: make([]flight, keptTicks), known: make([]known, bodies), sends: make([]uint8, bodies), fresh: make([]sim.Tick, bodies)}
}

// hear takes in what the peer now is known to have.
func (p *sender) hear(e *packet.Endpoint) {
	for _, a := range e.Acks() {
		f := &p.flight[a%keptTicks]
		if !f.used || f.sequence != a {
			continue
		}
		if !p.any || f.tick > p.arrived {
			p.arrived, p.any = f.tick, true
		}
		for i := range f.updates[:f.n] {
			u := &f.updates[i]
			if u.state.Asleep && p.rest[u.body] <= f.tick {
				p.rest[u.body] = 0 // it rests as it did in that packet
			}
			if k := &p.known[u.body]; f.tick > k.tick {
				k.tick, k.state = f.tick, u.state
			}
		}
	}
}

// missing is how many ticks there are since the newest packet that the peer is
// known to have.
func (p *sender) missing(now sim.Tick) int {
	if !p.any {
		return mostInputs
	}
	return int(min(now-p.arrived, mostInputs))
}

// priorityMost keeps what has added up and the number of a body within 64 bits.
const priorityMost = 1<<47 - 1

// raise adds the priorities of this tick, and notes what has changed.
func (p *sender) raise(w *sim.World, changed []bool, by *policy) {
	touched, bodies := w.Touched(), w.Bodies()
	for i := range p.priority {
		if !bodies[i].Asleep {
			p.rest[i] = 0
		} else if changed[i] {
			p.rest[i] = w.Tick()
		}
		if by.order == momentary {
			p.priority[i] = 0
		}
		add := by.other
		if i < w.Scene().Players {
			add = by.player
		} else if touched[i] != sim.Nobody {
			add = by.touched
		}
		if by.rest && p.rest[i] != 0 {
			add = max(add, by.resting)
		}
		p.priority[i] = min(p.priority[i]+int64(add), priorityMost)
		if changed[i] && p.since[i] == 0 {
			p.since[i] = w.Tick()
		}
		if p.since[i] != 0 {
			p.longest = max(p.longest, int(w.Tick()-p.since[i]))
		}
	}
}

// spare leaves out what a peer itself has in hand.
func (p *sender) spare(hands []grip, seat int) {
	for i := range hands {
		if int(hands[i].holder) == seat {
			p.priority[i], p.since[i] = unsent, 0
		}
	}
}

// save adds what one tick gives: bits a second, since credit is counted in bits
// times ticks per second. Of what is not used, as much as a
// tick gives is kept, or what is gathered for a packet.
func (p *sender) save(tick int64) {
	p.credit = min(p.credit+tick, p.most+2*tick)
	p.most = 0
}

// want lets more be saved up until the next tick: a packet of so many bits does
// not come together otherwise.
func (p *sender) want(bits, rate int) { p.most = int64(cost((bits+7)/8)) * 8 * int64(rate) }

// bytes is how many may travel now.
func (p *sender) bytes(rate int) int { return int(p.credit / int64(8*rate)) }

// mostSkipped is how many bodies that do not fit are looked at: each has to be
// measured.
const mostSkipped = 64

// lean has an update sent by its difference if there is a base that the reader is
// certain to have. Now and then it is sent whole, and from then on no older state
// is a base: so whatever went wrong ends there.
func (p *sender) lean(u *update, m *message) {
	k := &p.known[u.body]
	if !m.form.delta || k.tick == 0 || k.tick+offsetMost < p.arrived || k.tick+baseMost < m.tick ||
		k.tick < p.fresh[u.body] || p.sends[u.body] >= freshEvery {
		return
	}
	u.based, u.offset = true, int(p.arrived-k.tick)
}

// base is the state that the peer is known to have.
func (p *sender) base(body int, t sim.Tick) *sim.Body {
	if k := &p.known[body]; k.tick == t && t != 0 {
		return &k.state
	}
	return nil
}

// measure returns the bits of an update, or one more.
func (p *sender) measure(u *update, m *message, scene *sim.Scene) int {
	if !m.form.relative && !m.form.delta {
		return m.form.bits(u.state.Asleep)
	}
	p.coder.Measure()
	m.one(&p.coder, u, scene)
	bits := p.coder.Processed()
	if m.anchor(u) == nil {
		bits++ // the first player's cube may come yet, and ask for a bit
	}
	return bits
}

// choose puts into the message, in the order of the bodies, those of the highest
// priorities that fit most bits. One that does not fit is skipped, and the next
// one tried. has tells in whose hands a body is.
func (p *sender) choose(m *message, w *sim.World, most int, has func(body int) grip) {
	p.keys = p.keys[:0]
	skipped := 0
	for i, n := range p.priority {
		if n == unsent {
			continue
		}
		p.keys = append(p.keys, uint64(priorityMost-n)<<16|uint64(i)) // the highest first, of equals the lowest number
	}
	slices.Sort(p.keys)
	number := numberBits(w.Scene())
	if m.form.hands {
		number += gripBits(m.players)
	}
	least := number + m.form.bits(true)
	if m.form.relative || m.form.delta {
		least = number + 7 // as expected
	}
	for _, key := range p.keys {
		if m.n == mostUpdates || most < least {
			break
		}
		u := update{body: int(key & 0xffff)}
		u.state, u.grip = w.Bodies()[u.body], has(u.body)
		p.lean(&u, m)
		bits := number + p.measure(&u, m, w.Scene())
		if bits > most {
			if skipped++; skipped == mostSkipped {
				break
			}
			continue
		}
		most -= bits
		m.updates[m.n] = u
		m.n++
	}
	slices.SortFunc(m.updates[:m.n], func(a, b update) int { return a.body - b.body })
}

// sent notes a packet that has been sent: only what was in it begins anew.
func (p *sender) sent(q packet.Sequence, m *message, bytes, rate int) {
	p.credit -= int64(cost(bytes)) * 8 * int64(rate)
	f := &p.flight[q%keptTicks]
	f.sequence, f.tick, f.used, f.n = q, m.tick, true, m.n
	for i := range m.updates[:m.n] {
		u := &m.updates[i]
		f.updates[i].body, f.updates[i].grip, f.updates[i].state = u.body, u.grip, m.form.arrives(u.state)
		p.priority[u.body], p.since[u.body] = 0, 0
		if p.sends[u.body]++; p.sends[u.body] > freshEvery {
			p.sends[u.body], p.fresh[u.body] = 0, m.tick
		}
		if u.based {
			p.based++
		}
	}
}

func (p *sender) copyFrom(o *sender) {
	p.priority = append(p.priority[:0], o.priority...)
	p.since = append(p.since[:0], o.since...)
	p.longest, p.credit, p.most = o.longest, o.credit, o.most
	p.arrived, p.any, p.flow, p.based = o.arrived, o.any, o.flow, o.based
	p.flight = append(p.flight[:0], o.flight...)
	p.known = append(p.known[:0], o.known...)
	p.sends, p.fresh = append(p.sends[:0], o.sends...), append(p.fresh[:0], o.fresh...)
	p.rest = append(p.rest[:0], o.rest...)
	p.out = o.out
}
