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
	area       area
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
	p.area.declare(k)
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
	flight  []flight // by sequence
	known   []known  // by body: the newest that has arrived
	heard   uint32   // of the ticks before it, which packets have, too: bit n is n ticks before
	riders  []riders // by tick: the players' cubes as they were sent
	lengths lengths  // of the next packet
	tally   tally
	sends   []uint8    // by body: how often it was sent since it was sent whole
	fresh   []sim.Tick // by body: the tick of that; no older state is a base
	based   uint64     // updates sent by their differences
	coder   quant.Coder
	rest    []sim.Tick // by body: the tick at which it came to rest; 0: the peer has it
	flow    flow
	bands   bands
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

// riders are the players' cubes in the packet of a tick.
type riders struct {
	tick  sim.Tick
	has   [mostPlayers]bool
	cubes [mostPlayers]sim.Body
}

// known is a state of a body that the peer is known to have.
type known struct {
	tick  sim.Tick // 0: none
	state sim.Body
}

func newSender(bodies int) sender {
	return sender{priority: make([]int64, bodies), since: make([]sim.Tick, bodies), rest: make([]sim.Tick, bodies),
		flight: make([]flight, keptTicks), riders: make([]riders, keptTicks), lengths: usual, known: make([]known, bodies), sends: make([]uint8, bodies), fresh: make([]sim.Tick, bodies)}
}

// hear takes in what the peer now is known to have.
func (p *sender) hear(e *packet.Endpoint) {
	for _, a := range e.Acks() {
		f := &p.flight[a%keptTicks]
		if !f.used || f.sequence != a {
			continue
		}
		if !p.any || f.tick > p.arrived {
			p.heard <<= f.tick - p.arrived
			p.arrived, p.any = f.tick, true
		}
		p.heard |= 1 << (p.arrived - f.tick)
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

// raise adds the priorities of this tick, for a peer whose player's cube is body own,
// and notes what has changed.
func (p *sender) raise(w *sim.World, changed []bool, by *policy, own int) {
	touched, bodies := w.Touched(), w.Bodies()
	here := bodies[own].Pose.Pos
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
		} else if touched[i] != sim.NoPlayer {
			add = by.touched
		}
		if by.rest && p.rest[i] != 0 {
			add = max(add, by.resting)
		}
		away := bodies[i].Pose.Pos.Sub(here).Len2()
		p.bands.see(away)
		if by.area.beyond(away) {
			p.priority[i], p.since[i] = unsent, 0
			continue
		}
		if by.area.turn(away, w.Tick()+sim.Tick(i)) {
			p.priority[i] = min(max(p.priority[i], 0)+int64(add), priorityMost)
		}
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

// lean has an update written in the way that is likely to be the shortest. Now and
// then it is not sent by its difference from a base, and from then on no older state
// is one: so whatever went wrong ends there.
func (p *sender) lean(u *update, m *message, w *sim.World) {
	u.kind = whole
	if !m.form.relative {
		return
	}
	u.state = m.form.arrives(u.state)
	by := w.Touched()[u.body]
	u.player = uint8(max(by, 0))
	beside := m.cube(u) != nil && u.body >= w.Scene().Players
	if start := &w.Scene().Boxes[u.body].Start; u.state.Pose.Pos.Sub(start.Pose.Pos).Len2() < 1e-4 && u.state == m.form.arrives(*start) {
		u.kind = initial
		return
	}
	if beside {
		u.kind = near
	}
	k := &p.known[u.body]
	if !m.form.delta || k.tick == 0 || k.tick+offsetMost < p.arrived || k.tick+baseMost < m.tick ||
		k.tick < p.fresh[u.body] || p.sends[u.body] >= freshEvery {
		return
	}
	if u.state.Asleep && u.state == k.state {
		u.kind = expected
		return
	}
	u.kind = free
	if by != sim.NoPlayer && beside && !u.state.Asleep && p.player(int(u.player), k.tick) != nil {
		u.kind = carried
		g, _ := m.guess(u)
		n := m.form.numbers(&u.state)
		if largest(g.rot(u.state.Pose.Pos)) != n.rot.Largest {
			u.kind = tumbled
		}
	}
}

// base is the state that the peer is known to have.
func (p *sender) base(body int, _ sim.Tick, _ uint32) (*sim.Body, sim.Tick) {
	k := &p.known[body]
	return &k.state, k.tick
}

// player is the state of a player's cube in the packet of a tick.
func (p *sender) player(i int, t sim.Tick) *sim.Body {
	if r := &p.riders[t%keptTicks]; r.tick == t && r.has[i] {
		return &r.cubes[i]
	}
	return nil
}

// measure returns the bits of an update, without its number.
func (p *sender) measure(u *update, m *message, scene *sim.Scene) int {
	if !m.form.relative {
		return m.form.bits(u.state.Asleep)
	}
	p.coder.Measure()
	m.one(&p.coder, u, scene)
	return p.coder.Processed()
}

// choose puts into the message, in the order of the bodies, those of the highest
// priorities that fit most bits, and returns theirs. One that does not fit is
// skipped, and the next one tried. has tells in whose hands a body is.
func (p *sender) choose(m *message, w *sim.World, most int, has func(body int) grip) (sum int) {
	p.keys = p.keys[:0]
	skipped := 0
	for i, n := range p.priority {
		if n == unsent {
			continue
		}
		p.keys = append(p.keys, uint64(priorityMost-n)<<16|uint64(i)) // the highest first, of equals the lowest number
	}
	slices.Sort(p.keys)
	least := m.numberBits(0, w.Scene()) + 1
	if !m.form.relative {
		least += m.form.bits(true) - 1
	}
	moving := m.moving()
	for _, key := range p.keys {
		if m.n == mostUpdates || most < least {
			break
		}
		u := update{body: int(key & 0xffff)}
		u.state, u.grip = w.Bodies()[u.body], has(u.body)
		if m.form.relative && !u.state.Asleep && most < moving {
			if skipped++; skipped == mostSkipped {
				break
			}
			continue
		}
		p.lean(&u, m, w)
		at, bits := m.place(u.body, w.Scene())
		bits += p.measure(&u, m, w.Scene())
		if bits > most {
			if skipped++; skipped == mostSkipped {
				break
			}
			continue
		}
		most -= bits
		sum += bits
		copy(m.updates[at+1:m.n+1], m.updates[at:m.n])
		m.updates[at] = u
		m.n++
	}
	return sum
}

// moving is what a body that moves takes at least, or nearly so: what does not fit
// then need not be measured.
func (m *message) moving() int {
	l := &m.lengths
	bits, each := m.form.grid().Rotation.Bits(), l[nearPos]
	if m.form.velocities {
		each += l[nearLin] + l[nearAng]
	}
	if m.form.delta {
		bits, each = 0, l[basedPos]+l[basedRot]
		if m.form.velocities {
			each += l[basedLin] + l[basedAng]
		}
	}
	return bits + 3*int(each)*3/4
}

// place is where the update of a body belongs among the others, and the bits that
// its number takes there.
func (m *message) place(body int, scene *sim.Scene) (at, bits int) {
	at = m.n
	for at > 0 && m.updates[at-1].body > body {
		at--
	}
	if !m.form.relative {
		return at, m.numberBits(0, scene)
	}
	before := -1
	if at > 0 {
		before = m.updates[at-1].body
	}
	bits = m.numberBits(body-before-1, scene)
	if at < m.n {
		after := m.updates[at].body
		bits += m.numberBits(after-body-1, scene) - m.numberBits(after-before-1, scene)
	}
	return at, bits
}

// numberBits is what the number of a body takes, after so many that are not sent.
func (m *message) numberBits(gap int, scene *sim.Scene) int {
	if !m.form.relative {
		return numberBits(scene)
	}
	return countBits(gap, int(m.lengths[gaps]))
}

// sent notes a packet that has been sent: only what was in it begins anew.
func (p *sender) sent(q packet.Sequence, m *message, bytes, rate int) {
	p.credit -= int64(cost(bytes)) * 8 * int64(rate)
	f := &p.flight[q%keptTicks]
	f.sequence, f.tick, f.used, f.n = q, m.tick, true, m.n
	p.riders[m.tick%keptTicks] = riders{tick: m.tick}
	p.tally.settle(&p.lengths)
	for i := range m.updates[:m.n] {
		u := &m.updates[i]
		f.updates[i].body, f.updates[i].grip, f.updates[i].state = u.body, u.grip, m.form.arrives(u.state)
		if u.body < mostPlayers {
			r := &p.riders[m.tick%keptTicks]
			r.has[u.body], r.cubes[u.body] = true, f.updates[i].state
		}
		p.priority[u.body], p.since[u.body] = 0, 0
		if p.sends[u.body]++; p.sends[u.body] > freshEvery {
			p.sends[u.body], p.fresh[u.body] = 0, m.tick
		}
		if u.based() {
			p.based++
		}
	}
}

func (p *sender) copyFrom(o *sender) {
	p.priority = append(p.priority[:0], o.priority...)
	p.since = append(p.since[:0], o.since...)
	p.longest, p.credit, p.most = o.longest, o.credit, o.most
	p.bands = o.bands
	p.arrived, p.any, p.flow, p.based = o.arrived, o.any, o.flow, o.based
	p.heard, p.lengths, p.tally = o.heard, o.lengths, o.tally
	p.riders = append(p.riders[:0], o.riders...)
	p.flight = append(p.flight[:0], o.flight...)
	p.known = append(p.known[:0], o.known...)
	p.sends, p.fresh = append(p.sends[:0], o.sends...), append(p.fresh[:0], o.fresh...)
	p.rest = append(p.rest[:0], o.rest...)
	p.out = o.out
}
