package statesync

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/validation"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// Limits of baselines.
const (
	maxAckOffset   = 31 // ticks from the newest acknowledged packet to the oldest that can be a baseline
	ackAgeBits     = 8  // of the ticks from the newest acknowledged packet to this one
	maxBaselineAge = 96 // ticks; the client remembers more
	historyTicks   = 128
	absoluteEvery  = 127 // updates of a body after which one is sent without a baseline
)

// The ways in which a delta says which packet contains its baseline. With the first, the header of
// the packet says which packets are acknowledged, and the baseline is the body's newest state in
// them. The other two are those of Fiedler's State Synchronization (2015): each delta names the
// packet, by its sequence number, or by its distance from the newest acknowledged packet, which the
// header names.
const (
	ackedBase = iota
	offsetBase
	sequenceBase
)

var deltaBases = []string{"acks", "offset", "sequence"}

// Sizes of a named baseline, in bits.
const (
	offsetBits   = 5
	sequenceBits = tickBits
)

// maxOffset returns the largest distance of a baseline's packet from the newest acknowledged one, in
// ticks.
func (f *format) maxOffset() sim.Tick {
	if f.deltaBase == sequenceBase {
		return maxBaselineAge
	}
	return maxAckOffset
}

// baselineSource finds the states that both sides have.
type baselineSource interface {
	// baseline returns the state of a body in the newest acknowledged packet that contains it, and
	// that packet's tick. ackedTick and ackBits say which packets are acknowledged. It returns
	// nil if the state is unknown.
	baseline(body int, ackedTick sim.Tick, ackBits uint32) (*sim.Body, sim.Tick)
	// baselineAt returns the state of a body in the packet of a tick, or nil.
	baselineAt(body int, t sim.Tick) *sim.Body
	// playerAt returns the state of a player's cube in the packet of a tick, or nil.
	playerAt(player int, t sim.Tick) *sim.Body
}

// The encodings of an update, the most likely first.
const (
	attachedDelta  = iota // difference from a baseline that moves with a player's cube
	initialState          // the state at the start of the scene
	zeroDelta             // no difference from a baseline that moves freely
	tumblingDelta         // attachedDelta, but another component of the rotation is the largest
	freeDelta             // difference from a baseline that moves freely
	playerRelative        // relative to a player's cube
	absolute
)

func (u *update) isDelta() bool { return u.encoding <= freeDelta && u.encoding != initialState }

// quantisedState is the state of a body in steps of a grid.
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

// quantise converts a state to steps of the grid.
func (f *format) quantise(b *sim.Body) quantisedState {
	g, q := f.grid(), &b.Pose.Rot
	n := quantisedState{asleep: b.Asleep, pos: encode(&g.Position, b.Pose.Pos), rot: g.Rotation.Encode([4]float32{q.X, q.Y, q.Z, q.W})}
	if f.velocities && !b.Asleep {
		n.linear, n.angular = encode(&g.Linear, b.Linear), encode(&g.Angular, b.Angular)
	}
	return n
}

// dequantise converts steps of the grid to a state.
func (f *format) dequantise(n *quantisedState) sim.Body {
	g := f.grid()
	r := g.Rotation.Decode(n.rot)
	b := sim.Body{Pose: geom.Pose{Pos: decode(&g.Position, n.pos), Rot: geom.Quat{X: r[0], Y: r[1], Z: r[2], W: r[3]}}, Asleep: n.asleep}
	if f.velocities && !n.asleep {
		b.Linear, b.Angular = decode(&g.Linear, n.linear), decode(&g.Angular, n.angular)
	}
	return b
}

// roundTrip returns the state that a reader decodes from a state in this format.
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

// extrapolate returns the state of a body after a time without contacts and gravity. The difference
// from it is smaller than the difference from the old state.
func extrapolate(b *sim.Body, seconds float32) sim.Body {
	a := *b
	if b.Asleep {
		return a
	}
	a.Pose = smoothing.Extrapolate(b.Pose, b.Linear, b.Angular, seconds)
	return a
}

// The possible encodings of an update, the most likely first.
var (
	deltaEncodings    = []uint8{attachedDelta, initialState, zeroDelta, tumblingDelta, freeDelta, playerRelative, absolute}
	relativeEncodings = []uint8{playerRelative, initialState, absolute}
)

// encodings returns the possible encodings of an update. The absolute one is the last.
func (f *format) encodings() []uint8 {
	switch {
	case f.delta:
		return deltaEncodings
	case f.relative:
		return relativeEncodings
	}
	return deltaEncodings[absolute:]
}

// wholeBits returns the size in bits of an update in its absolute encoding, without its body index.
func (f *format) wholeBits(asleep bool) int { return len(f.encodings()) - 1 + f.bodyBits(asleep) }

// codeEncoding reads, writes or measures an encoding: a clear bit for each more likely one, then a
// set bit unless only the last is left. The writer chooses among the encodings that are possible.
func (m *message) codeEncoding(c *quant.Coder, encoding uint8) uint8 {
	order := m.format.encodings()
	c.Label("encoding")
	last := len(order) - 1
	for _, e := range order[:last] {
		if c.Bool(encoding == e && !c.Reading()) {
			return e
		}
	}
	return order[last]
}

// codeVector reads, writes or measures three steps of a grid as differences from predicted ones.
func (m *message) codeVector(c *quant.Coder, r *adaptiveShift, kind int, v, predicted [3]int) [3]int {
	k := int(m.params[kind])
	for i := range v {
		shift := r.shift()
		d := codeGolomb(c, zigzag(v[i]-predicted[i]), shiftedParam(k, shift))
		if m.tuner != nil {
			m.tuner.add(kind, d, k, shift)
		}
		r.add(unzigzag(d), k)
		v[i] = predicted[i] + unzigzag(d)
	}
	return v
}

// inRange reports whether steps are in the range of a grid.
func inRange(g *quant.Grid, n [3]int) bool {
	for i := range n {
		if n[i] < 0 || n[i] > g[i].Steps() {
			return false
		}
	}
	return true
}

// codeRotation reads, writes or measures a rotation as the difference from a predicted one in the
// smallest-three form that lacks the same component.
func (m *message) codeRotation(c *quant.Coder, r *adaptiveShift, rot quant.QuantisedRotation, predicted geom.Quat) quant.QuantisedRotation {
	s := m.format.grid().Rotation
	n := m.codeVector(c, r, deltaRotation, [3]int{int(rot.Smallest[0]), int(rot.Smallest[1]), int(rot.Smallest[2])}, smallestThreeSteps(predicted, rot.Largest, s))
	for i := range rot.Smallest {
		rot.Smallest[i] = int16(min(max(n[i], -1<<15), 1<<15-1))
	}
	return rot
}

// codeDelta reads, writes or measures an update as the difference from a baseline. A reader without
// the baseline, or without the player's cube that it moves with, loses this update but reads the
// others: which bits belong to the update does not depend on the baseline.
func (m *message) codeDelta(c *quant.Coder, u *update, scene *sim.Scene) {
	f := &m.format
	g := f.grid()
	if u.encoding == attachedDelta || u.encoding == tumblingDelta {
		m.codePlayer(c, u, scene)
	}
	m.codeBase(c, u)
	predicted, known := m.predictor(u)
	n := quantisedState{}
	if !c.Reading() {
		n = f.quantise(&u.state)
	}
	if u.encoding == zeroDelta {
		if known && c.Reading() {
			b := predicted.baseline
			b.Pose = predicted.pose
			n = f.quantise(&b)
		}
	} else {
		m.codeDifferences(c, u, &n, &predicted, g)
	}
	u.missingBaseline = !known
	m.setState(c, u, &n, scene)
}

// codeBase reads, writes or measures which packet contains the baseline of an update, if each update
// says so.
func (m *message) codeBase(c *quant.Coder, u *update) {
	switch m.format.deltaBase {
	case offsetBase:
		c.Label("base_offset")
		acked := m.tick - sim.Tick(m.ackAge)
		offset := sim.Tick(c.Bits(uint32(acked-u.baseTick), offsetBits))
		if u.baseTick = acked - offset; offset > acked {
			c.Fail(predict.ErrMalformed) // before the session
			u.baseTick = 0
		}
	case sequenceBase:
		c.Label("base_sequence")
		u.baseTick = input.UnwrapTick(c.Bits(uint32(u.baseTick)&(1<<sequenceBits-1), sequenceBits), sequenceBits, m.tick)
	}
}

// codePlayer reads, writes or measures which player's cube an update is relative to. The packet must
// contain an update of it.
func (m *message) codePlayer(c *quant.Coder, u *update, scene *sim.Scene) {
	c.Label("player")
	u.player = uint8(c.Int(int(u.player), 0, scene.Players-1))
	if m.playerUpdate(u) == nil {
		c.Fail(predict.ErrMalformed)
	}
}

// playerUpdate returns the update of the player's cube that u is relative to, if the packet contains
// it before u. The players' cubes are the first bodies of a scene.
func (m *message) playerUpdate(u *update) *update {
	for i := range min(m.updateCount, sim.MaxPlayers) {
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

// predictor returns the prediction of an update's state, and whether the states that it needs are
// known.
func (m *message) predictor(u *update) (p predictor, known bool) {
	p = predictor{seconds: 1, pose: geom.Pose{Rot: geom.Identity}}
	if m.baselines == nil {
		return p, false
	}
	var baseline *sim.Body
	t := u.baseTick
	if m.format.deltaBase == ackedBase {
		baseline, t = m.baselines.baseline(u.body, m.tick-sim.Tick(m.ackAge), m.ackBits)
	} else {
		baseline = m.baselines.baselineAt(u.body, t)
	}
	if baseline == nil || t >= m.tick {
		return p, false
	}
	seconds := float32(int64(m.tick)-int64(t)) / float32(m.rate)
	if u.encoding != attachedDelta && u.encoding != tumblingDelta {
		return freePredictor(baseline, seconds), true
	}
	then, now := m.baselines.playerAt(int(u.player), t), m.playerUpdate(u)
	if then == nil || now == nil || now.missingBaseline {
		return p, false
	}
	return attachedPredictor(baseline, then, &now.state, seconds), true
}

// codeDifferences reads, writes or measures the steps of a state as differences from a prediction.
func (m *message) codeDifferences(c *quant.Coder, u *update, n *quantisedState, predicted *predictor, g *codec.Grid) {
	var r adaptiveShift
	if u.encoding == freeDelta {
		c.Label("asleep")
		n.asleep = c.Bool(n.asleep)
	}
	c.Label("position")
	n.pos = m.codeVector(c, &r, deltaPosition, n.pos, encode(&g.Position, predicted.pos()))
	pos := decode(&g.Position, n.pos)
	c.Label("rotation")
	rot := predicted.rot(pos)
	largest := largestComponent(rot)
	if u.encoding == tumblingDelta || u.encoding == freeDelta && c.Bool(n.rot.Largest != largest) {
		difference := c.Int(int(n.rot.Largest^largest), 0, 3)
		if n.rot.Largest = largest ^ uint8(difference); difference == 0 {
			c.Fail(predict.ErrMalformed)
		}
	} else if c.Reading() {
		n.rot.Largest = largest
	}
	n.rot = m.codeRotation(c, &r, n.rot, rot)
	if n.asleep || !m.format.velocities {
		n.linear, n.angular = [3]int{}, [3]int{}
		return
	}
	decoded := m.format.dequantise(n)
	c.Label("linear")
	n.linear = m.codeVector(c, &r, deltaLinear, n.linear, encode(&g.Linear, predicted.linear(pos)))
	c.Label("angular")
	n.angular = m.codeVector(c, &r, deltaAngular, n.angular, encode(&g.Angular, predicted.angular(decoded.Pose, decode(&g.Linear, n.linear))))
}

// codePlayerRelative reads, writes or measures an update relative to a player's cube. The velocity
// is relative to that of a point fixed to the cube.
func (m *message) codePlayerRelative(c *quant.Coder, u *update, scene *sim.Scene) {
	f := &m.format
	g := f.grid()
	m.codePlayer(c, u, scene)
	player := sim.Body{Pose: geom.Pose{Rot: geom.Identity}}
	if p := m.playerUpdate(u); p == nil || p.missingBaseline {
		u.missingBaseline = true
	} else {
		player = p.state
	}
	var n quantisedState
	var r adaptiveShift
	if !c.Reading() {
		n = f.quantise(&u.state)
	}
	c.Label("asleep")
	n.asleep = c.Bool(n.asleep)
	c.Label("position")
	n.pos = m.codeVector(c, &r, relativePosition, n.pos, encode(&g.Position, player.Pose.Pos))
	c.Label("rotation")
	n.rot = c.QuantisedRotation(n.rot, g.Rotation)
	if f.velocities && !n.asleep {
		r = adaptiveShift{}
		c.Label("linear")
		n.linear = m.codeVector(c, &r, relativeLinear, n.linear, encode(&g.Linear, pointVelocity(&player, decode(&g.Position, n.pos))))
		c.Label("angular")
		n.angular = m.codeVector(c, &r, relativeAngular, n.angular, encode(&g.Angular, player.Angular))
	}
	m.setState(c, u, &n, scene)
}

// setState sets the state of an update to the steps that were read. An invalid state fails c.
func (m *message) setState(c *quant.Coder, u *update, n *quantisedState, scene *sim.Scene) {
	if !c.Reading() || u.missingBaseline || c.Err() != nil {
		return
	}
	g := m.format.grid()
	if !inRange(&g.Position, n.pos) || !inRange(&g.Linear, n.linear) || !inRange(&g.Angular, n.angular) || !g.Rotation.Canonical(n.rot) {
		c.Fail(predict.ErrMalformed)
		return
	}
	if u.state = m.format.dequantise(n); !validation.Body(&u.state, scene) {
		c.Fail(predict.ErrMalformed)
	}
}
