package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// What a state may be relative to.
const (
	maxAckOffset   = 31 // ticks from the newest packet that the client is known to have back to the oldest that is one
	ackAgeBits     = 8  // of the distance from the tick to that packet
	maxBaselineAge = 96 // ticks back to a base: the client keeps more
	historyTicks   = 128
	absoluteEvery  = 127 // after so many states of a body one is sent without a base, whatever is known
)

// baselineSource is where the states are found that both sides know.
type baselineSource interface {
	// baseline is the state of a body in the newest of the packets that are named by
	// arrived and heard, of those that have it, and that packet's tick. It is nil if
	// that is not known.
	baseline(body int, arrived sim.Tick, heard uint32) (*sim.Body, sim.Tick)
	// playerAt is the state of a player's cube in such a packet, or nil.
	playerAt(p int, t sim.Tick) *sim.Body
}

// How an update is written, from the most likely to the least.
const (
	attachedDelta  = iota // by its difference from a base that a player carries along
	initialState          // as the scene begins
	zeroDelta             // as a base says that it moves on alone
	tumblingDelta         // as carried, but another component of the rotation is the largest
	freeDelta             // by its difference from a base that moves on alone
	playerRelative        // relative to a player's cube
	absolute
)

func (u *update) isDelta() bool { return u.encoding <= freeDelta && u.encoding != initialState }

// quantisedState are a body on a grid.
type quantisedState struct {
	asleep               bool
	pos, linear, angular [3]int
	rot                  quant.QuantisedRotation
}

func encode(g *quant.Grid, v geom.Vec3) [3]int { return g.Encode([3]float32{v.X, v.Y, v.Z}) }

func decode(g *quant.Grid, n [3]int) geom.Vec3 {
	v := g.Decode(n)
	return geom.Vec3{X: v[0], Y: v[1], Z: v[2]}
}

// quantise puts a body onto the grid.
func (f *format) quantise(b *sim.Body) quantisedState {
	g, q := f.grid(), &b.Pose.Rot
	n := quantisedState{asleep: b.Asleep, pos: encode(&g.Position, b.Pose.Pos), rot: g.Rotation.Encode([4]float32{q.X, q.Y, q.Z, q.W})}
	if f.velocities && !b.Asleep {
		n.linear, n.angular = encode(&g.Linear, b.Linear), encode(&g.Angular, b.Angular)
	}
	return n
}

// dequantise is the body of numbers.
func (f *format) dequantise(n *quantisedState) sim.Body {
	g := f.grid()
	r := g.Rotation.Decode(n.rot)
	b := sim.Body{Pose: geom.Pose{Pos: decode(&g.Position, n.pos), Rot: geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}}, Asleep: n.asleep}
	if f.velocities && !n.asleep {
		b.Linear, b.Angular = decode(&g.Linear, n.linear), decode(&g.Angular, n.angular)
	}
	return b
}

// roundTrip is what a reader has of a body that was sent in this form.
func (f *format) roundTrip(b sim.Body) sim.Body {
	if f.quantised {
		n := f.quantise(&b)
		return f.dequantise(&n)
	}
	if !f.velocities || b.Asleep {
		b.Linear, b.Angular = geom.Vec3{}, geom.Vec3{}
	}
	return b
}

// extrapolate is where a body will be after so many seconds if nothing touches it and
// nothing pulls: the difference from that is smaller than from where it was.
func extrapolate(b *sim.Body, seconds float32) sim.Body {
	a := *b
	if b.Asleep {
		return a
	}
	a.Pose = smoothing.Extrapolate(b.Pose, b.Linear, b.Angular, seconds)
	return a
}

// codeEncoding reads, writes or measures how an update is written: clear bits for the ways
// that it is not, and a set one unless only the last is left. Some bodies could be
// written in several of them; which is the writer's choice.
func (m *message) codeEncoding(c *quant.Coder, kind uint8) uint8 {
	ways := []uint8{attachedDelta, initialState, zeroDelta, tumblingDelta, freeDelta, playerRelative, absolute}
	if !m.format.delta {
		ways = []uint8{playerRelative, initialState, absolute}
	}
	c.Label("encoding")
	last := len(ways) - 1
	for i, way := range ways[:last] {
		if c.Bool(kind == way && !c.Reading()) {
			return ways[i]
		}
	}
	return ways[last]
}

// codeVector reads, writes or measures three integers of a grid by their differences from
// others.
func (m *message) codeVector(c *quant.Coder, r *adaptiveShift, kind int, v, from [3]int) [3]int {
	k := int(m.params[kind])
	for i := range v {
		by := r.shift()
		d := codeGolomb(c, zigzag(v[i]-from[i]), shiftedParam(k, by))
		if m.tuner != nil {
			m.tuner.add(kind, d, k, by)
		}
		r.add(unzigzag(d), k)
		v[i] = from[i] + unzigzag(d)
	}
	return v
}

// inRange reports whether integers are on a grid.
func inRange(g *quant.Grid, n [3]int) bool {
	for i := range n {
		if n[i] < 0 || n[i] > g[i].Steps() {
			return false
		}
	}
	return true
}

// codeRotation reads, writes or measures a rotation by its difference from one in the
// form that lacks the same component.
func (m *message) codeRotation(c *quant.Coder, r *adaptiveShift, p quant.QuantisedRotation, from geom.Quat) quant.QuantisedRotation {
	s := m.format.grid().Rotation
	n := m.codeVector(c, r, deltaRotation, [3]int{int(p.Smallest[0]), int(p.Smallest[1]), int(p.Smallest[2])}, smallestThreeSteps(from, p.Largest, s))
	for i := range p.Smallest {
		p.Smallest[i] = int16(min(max(n[i], -1<<15), 1<<15-1))
	}
	return p
}

// codeDelta reads, writes or measures an update by its difference from a base. If a
// reader does not know the base, or the player's cube that carries it, the update
// is lost, and the others are read all the same: which bits are its does not
// depend on what is known.
func (m *message) codeDelta(c *quant.Coder, u *update, scene *sim.Scene) {
	f := &m.format
	g := f.grid()
	if u.encoding == attachedDelta || u.encoding == tumblingDelta {
		m.codePlayer(c, u, scene)
	}
	guess, known := m.predictor(u)
	n := quantisedState{}
	if !c.Reading() {
		n = f.quantise(&u.state)
	}
	if u.encoding == zeroDelta {
		if known && c.Reading() {
			a := guess.baseline
			a.Pose = guess.pose
			n = f.quantise(&a)
		}
	} else {
		m.codeDifferences(c, u, &n, &guess, g)
	}
	u.missingBaseline = !known
	m.setState(c, u, &n, scene)
}

// codePlayer reads, writes or measures which player's cube an update is relative to.
// The packet has to have it.
func (m *message) codePlayer(c *quant.Coder, u *update, scene *sim.Scene) {
	c.Label("player")
	u.player = uint8(c.Int(int(u.player), 0, scene.Players-1))
	if m.playerUpdate(u) == nil {
		c.Fail(predict.ErrMalformed)
	}
}

// playerUpdate is the update of the player's cube that another one is relative to, if the
// packet has it before that. Players are the first bodies of a scene.
func (m *message) playerUpdate(u *update) *update {
	for i := range min(m.updateCount, maxPlayers) {
		p := &m.updates[i]
		if p == u {
			break
		}
		if p.body == int(u.player) {
			return p
		}
	}
	return nil
}

// predictor is what is expected of an update, if what it is to be guessed from is
// known.
func (m *message) predictor(u *update) (g predictor, known bool) {
	g = predictor{seconds: 1, pose: geom.Pose{Rot: geom.Identity}}
	if m.baselines == nil {
		return g, false
	}
	base, t := m.baselines.baseline(u.body, m.tick-sim.Tick(m.ackAge), m.ackBits)
	if base == nil {
		return g, false
	}
	seconds := float32(int64(m.tick)-int64(t)) / float32(m.rate)
	if u.encoding != attachedDelta && u.encoding != tumblingDelta {
		return freePredictor(base, seconds), true
	}
	then, now := m.baselines.playerAt(int(u.player), t), m.playerUpdate(u)
	if then == nil || now == nil || now.missingBaseline {
		return g, false
	}
	return attachedPredictor(base, then, &now.state, seconds), true
}

// codeDifferences reads, writes or measures numbers by their differences from a guess.
func (m *message) codeDifferences(c *quant.Coder, u *update, n *quantisedState, guess *predictor, g *codec.Grid) {
	var r adaptiveShift
	if u.encoding == freeDelta {
		c.Label("asleep")
		n.asleep = c.Bool(n.asleep)
	}
	c.Label("position")
	n.pos = m.codeVector(c, &r, deltaPosition, n.pos, encode(&g.Position, guess.pos()))
	pos := decode(&g.Position, n.pos)
	c.Label("rotation")
	rot := guess.rot(pos)
	like := largestComponent(rot)
	if u.encoding == tumblingDelta || u.encoding == freeDelta && c.Bool(n.rot.Largest != like) {
		by := c.Int(int(n.rot.Largest^like), 0, 3)
		if n.rot.Largest = like ^ uint8(by); by == 0 {
			c.Fail(predict.ErrMalformed)
		}
	} else if c.Reading() {
		n.rot.Largest = like
	}
	n.rot = m.codeRotation(c, &r, n.rot, rot)
	if n.asleep || !m.format.velocities {
		n.linear, n.angular = [3]int{}, [3]int{}
		return
	}
	now := m.format.dequantise(n)
	c.Label("linear")
	n.linear = m.codeVector(c, &r, deltaLinear, n.linear, encode(&g.Linear, guess.linear(pos)))
	c.Label("angular")
	n.angular = m.codeVector(c, &r, deltaAngular, n.angular, encode(&g.Angular, guess.angular(now.Pose, decode(&g.Linear, n.linear))))
}

// codePlayerRelative reads, writes or measures an update by its difference from a player's cube,
// its velocities by that from a place that is fixed to it.
func (m *message) codePlayerRelative(c *quant.Coder, u *update, scene *sim.Scene) {
	f := &m.format
	g := f.grid()
	m.codePlayer(c, u, scene)
	by := sim.Body{Pose: geom.Pose{Rot: geom.Identity}}
	if p := m.playerUpdate(u); p == nil || p.missingBaseline {
		u.missingBaseline = true
	} else {
		by = p.state
	}
	var n quantisedState
	var r adaptiveShift
	if !c.Reading() {
		n = f.quantise(&u.state)
	}
	c.Label("asleep")
	n.asleep = c.Bool(n.asleep)
	c.Label("position")
	n.pos = m.codeVector(c, &r, relativePosition, n.pos, encode(&g.Position, by.Pose.Pos))
	c.Label("rotation")
	n.rot = c.QuantisedRotation(n.rot, g.Rotation)
	if f.velocities && !n.asleep {
		r = adaptiveShift{}
		c.Label("linear")
		n.linear = m.codeVector(c, &r, relativeLinear, n.linear, encode(&g.Linear, pointVelocity(&by, decode(&g.Position, n.pos))))
		c.Label("angular")
		n.angular = m.codeVector(c, &r, relativeAngular, n.angular, encode(&g.Angular, by.Angular))
	}
	m.setState(c, u, &n, scene)
}

// setState makes an update of the numbers that were read.
func (m *message) setState(c *quant.Coder, u *update, n *quantisedState, scene *sim.Scene) {
	if !c.Reading() || u.missingBaseline || c.Err() != nil {
		return
	}
	g := m.format.grid()
	if !inRange(&g.Position, n.pos) || !inRange(&g.Linear, n.linear) || !inRange(&g.Angular, n.angular) || !g.Rotation.Canonical(n.rot) {
		c.Fail(predict.ErrMalformed)
		return
	}
	if u.state = m.format.dequantise(n); !codec.ValidBody(&u.state, scene) {
		c.Fail(predict.ErrMalformed)
	}
}
