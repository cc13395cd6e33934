package statesync

import (
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

const (
	farTicks   = 32 // a packet that many ticks before its turn, or twice as many after it, is of another time
	farPackets = 6  // fewer of them than these say nothing
	mostBuffer = 30
	trailTicks = 160
)

// The ways to correct a body.
const (
	snap = iota
	blend
)

var corrections = []string{"snap", "blend"}

type client struct {
	env      *predict.Env
	set      settings
	buffer   int // ticks; 0: none
	adaptive bool
	correct  int
	share    float64
	smooth   smoothing.Settings
	contacts predict.Solver

	out  input.Sender
	tick sim.Tick // of the next own input

	running  bool     // a packet has come
	hold     int      // ticks for which the world waits for the first one's turn
	newest   sim.Tick // of the packets
	eased    sim.Tick // without a buffer: of the newest of which smoothing lets anything be seen
	stranger int      // packets in a row that are too far from the world's tick
	strange  sim.Tick // own tick of the first of them
	stood    bool     // by them it is this client that is behind
	ring     history.Ring[message]
	spare    message
	coder    quant.Coder
	did      history.Ring[[mostPlayers]sim.Input] // by tick
	held     []sim.Input
	size     int // of the buffer now, ticks
	span     span
	spread   spread
	servo    clock.Servo

	applied []sim.Tick  // by body: of its newest state
	last    []geom.Pose // by body: as last received
	strays  strays
	grasp   grasp
	ages    ages
	snaps   int
	snapped float64 // metres, sum
	offsets []smoothing.Offset
	healing healing
	now     sim.Tick                // own ticks since the half began
	trail   history.Ring[geom.Pose] // of the player's cube as drawn, by own ticks

	coded []predict.Encoding // by body: how what was last received came
}

// span is the time over which arrivals are looked at.
type span struct {
	ticks int
	any   bool
	most  int // ticks that the earliest packet came before its turn
}

func newClient(env *predict.Env) predict.Client {
	if env.Players > mostPlayers {
		panic("statesync: more players than any scene has")
	}
	n := len(env.World.Bodies())
	c := &client{
		env: env, tick: env.World.Tick(), newest: env.World.Tick(),
		ring:    history.New[message](keptTicks),
		did:     history.New[[mostPlayers]sim.Input](keptTicks),
		held:    append([]sim.Input(nil), env.LastInputs...),
		applied: make([]sim.Tick, n),
		coded:   make([]predict.Encoding, n),
		offsets: make([]smoothing.Offset, n),
		healing: newHealing(n),
		trail:   history.New[geom.Pose](trailTicks),
	}
	for i := range c.applied {
		c.applied[i] = env.World.Tick()
	}
	c.last = predict.Poses(nil, env.World.Bodies())
	k, m := env.Knobs, env.Counters
	k.Int(&c.buffer, "jitter-buffer", 5, 0, mostBuffer, "ticks that the earliest packets wait for their turn: room for later ones; 0 applies each when it comes")
	k.Bool(&c.adaptive, "adaptive", false, "the jitter buffer becomes as long as 99 in 100 packets of the last ten seconds needed, and a tick; jitter-buffer is where it begins")
	k.Choice(&c.correct, "correction", snap, corrections, "a body that the server speaks of is set to what it says, or moved a share of the way")
	k.Float(&c.share, "blend-share", 0.1, 0, 1, "blend: share of the way to what the server says")
	c.set.declare(k, env.World.Scene())
	c.strays = newStrays(n)
	c.grasp = newGrasp(env.World)
	declareRest(k, &c.strays.commit)
	c.grasp.declare(k, m)
	k.Smoothing(&c.smooth)
	k.Solver(&c.contacts)
	c.out.Declare(env)
	m.Declare("packets_arrived", "packets that came whole")
	m.Declare("packets_late", "of those, the ones that came after their turn, or after a newer one where there is no buffer")
	m.Declare("packets_missed", "ticks whose packet was not there")
	m.Declare("packets_waiting", "packets that wait for their turn, now")
	m.Declare("missing_inputs", "ticks made with the players' last inputs, because theirs had not come")
	m.Declare("buffer_ticks", "ticks that the earliest packets are to wait for their turn, now")
	m.Declare("clock_behind_ticks", "ticks by which the client's clock is behind its aim, now")
	m.Declare("staleness_p50_ms", "age of the server's last word of a body that moves, median")
	m.Declare("staleness_p99_ms", "the same, of 99 in 100")
	m.Declare("snap_mean_m", "metres by which an update moved a simulated body that moves, mean")
	m.Declare("snap_max_m", "the same, largest")
	m.Declare("lost_bases", "updates that could not be used, because what they differ from had not come")
	declareHealing(m)
	m.Declare("refused", "payloads that were no message")
	return c
}

// Tick takes in what has come, steps the world with what the players did, sets
// right what the packet of that tick speaks of, and sends what the player does.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	c.grasp.now, c.grasp.now.Shot = in, sim.Shot{}
	if c.buffer == 0 && c.running {
		c.eased = c.newest
		c.step() // what comes is set right as it comes
		c.bringBack()
		c.calm()
	}
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		c.receive(p.Payload)
	}
	switch {
	case c.buffer == 0 || !c.running:
	case c.hold > 0:
		c.hold--
	default:
		c.play()
	}
	c.steer()
	c.count()
	*c.trail.Put(c.now) = c.drawn(max(c.env.Player, 0))
	c.now++
	if c.env.Player < 0 || c.stood && c.now-c.strange < sim.Tick(c.env.World.Rate()) {
		server.Send(nil) // so that the server's packets are acknowledged
		return
	}
	c.out.Add(c.tick, in)
	c.tick++
	if c.grips() {
		c.tell(server)
		return
	}
	c.out.Send(server, c.tick)
}

// receive takes in a packet: it waits for its turn, or has it at once.
func (c *client) receive(payload []byte) {
	w, m, s := c.env.World, c.env.Counters, &c.spare
	s.bases, s.rate = c, w.Rate()
	s.claimed = c.tick
	if s.read(&c.coder, payload, w.Scene(), c.newest) != nil {
		m.Add("refused", 1)
		return
	}
	if !c.running {
		c.begin(s.tick)
	}
	early := c.early(s.tick)
	if early >= farTicks || early <= -2*farTicks {
		c.far(early)
		return
	}
	c.stranger, c.stood = 0, false
	m.Add("packets_arrived", 1)
	c.note(early)
	late := early < 0
	if c.buffer == 0 {
		late = s.tick <= c.newest && m.Value("packets_arrived") > 1
	}
	if c.newest = max(c.newest, s.tick); c.newest == s.tick && s.form.hands {
		c.grasp.at, c.grasp.heard = s.tick, s.claimed
	}
	c.learn(s)
	c.keep(s)
	switch {
	case late:
		m.Add("packets_late", 1)
		c.settle(s)
	case c.buffer == 0:
		w.SetTick(s.tick)
		c.apply(s)
	}
}

// base is the state of a body in the newest packet that has it, of those that the
// server says it knows to have come. Where one of them has not, or is forgotten,
// nothing is known from there on.
func (c *client) base(body int, arrived sim.Tick, heard uint32) (*sim.Body, sim.Tick) {
	for i := sim.Tick(0); i <= min(offsetMost, arrived); i++ {
		if heard>>i&1 == 0 {
			continue
		}
		m := c.ring.At(arrived - i)
		if m == nil {
			return nil, 0
		}
		if u := m.find(body); u != nil {
			return u.known(), m.tick
		}
	}
	return nil, 0
}

// player is the state of a player's cube in the packet of a tick, if that has come.
func (c *client) player(p int, t sim.Tick) *sim.Body {
	if m := c.ring.At(t); m != nil {
		if u := m.find(p); u != nil {
			return u.known()
		}
	}
	return nil
}

// early is how many ticks there are until the turn of the packet of a tick; below
// zero it is over.
func (c *client) early(t sim.Tick) int {
	return int(int64(t) - int64(c.env.World.Tick()) - 1 + int64(c.hold))
}

// begin starts the clock: the packet of tick t is to wait for as long as the
// buffer is.
func (c *client) begin(t sim.Tick) {
	c.size = c.buffer
	c.running, c.hold, c.span, c.spread = true, c.size, span{}, spread{}
	c.newest = min(c.newest, t)
	c.env.World.SetTick(max(t, 1) - 1)
	c.servo = clock.Servo{}
	c.servo.Aim(t, t, 0, 0, c.env.World.Rate()) // it is where it should be
}

// far counts a packet that belongs to another time. If for a second nothing else
// comes, and some of it, the clock starts anew with the next; if it is the client
// that is behind, because it stood still, a quarter of a second will do, in which it
// says nothing: the ticks of its inputs follow the clock, or the server, to which
// only their lower bits are sent, would take them for others. The packet is kept all
// the same: the server knows that it has come, and may build on it.
func (c *client) far(early int) {
	c.env.Counters.Add("refused", 1)
	c.keep(&c.spare)
	if c.stranger++; c.stranger == 1 {
		c.strange = c.now
	}
	c.stood = early > 0
	wait := c.env.World.Rate()
	if c.stood {
		wait /= 4
	}
	if c.stranger >= farPackets && c.now-c.strange >= sim.Tick(wait) {
		if c.stood {
			c.tick += sim.Tick(early - c.size)
			c.grasp.heard = 0
		}
		c.running, c.stranger, c.stood = false, 0, false
		c.did.Forget()
		clear(c.applied)
	}
}

// keep keeps a packet for its turn, and as a base, unless it is too old for both.
func (c *client) keep(s *message) {
	if s.tick+keptTicks > c.newest {
		c.ring.Put(s.tick).copyFrom(s)
	}
}

// learn keeps the inputs of a packet.
func (c *client) learn(s *message) {
	for i := range s.count {
		t := s.tick - sim.Tick(s.count-i)
		if t < c.env.World.Tick() && c.buffer > 0 {
			continue // its step is made
		}
		did := c.did.Put(t)
		for p := range c.held {
			did[p] = s.inputs[p][i]
		}
	}
	if c.buffer == 0 && s.count > 0 && s.tick == c.newest {
		for p := range c.held {
			c.held[p] = s.inputs[p][s.count-1]
		}
	}
}

// step steps the world with what the players did, or did last if that has not
// come.
func (c *client) step() {
	w := c.env.World
	if did := c.did.At(w.Tick()); did != nil {
		copy(c.held, did[:])
	} else {
		c.env.Counters.Add("missing_inputs", 1)
	}
	if c.grips() {
		c.held[c.env.Player] = c.grasp.now
	}
	c.set.quantise(w)
	c.contacts.Step(w, c.held...)
	c.take()
	c.fade()
}

// play makes a tick of the world, and applies the packet whose turn it is.
func (c *client) play() {
	c.step()
	if s := c.ring.At(c.env.World.Tick()); s != nil {
		c.apply(s)
	} else {
		c.env.Counters.Add("packets_missed", 1)
	}
	c.bringBack()
	c.calm()
}

// apply sets the bodies of a packet right.
func (c *client) apply(s *message) {
	for i := range s.updates[:s.n] {
		if u := &s.updates[i]; !u.lost {
			c.setBody(u, s)
		} else {
			c.env.Counters.Add("lost_bases", 1)
		}
	}
}

// settle takes from a packet that is late the bodies that rest: where they rest
// is true later, too, unless something newer is known of them.
func (c *client) settle(s *message) {
	for i := range s.updates[:s.n] {
		if u := &s.updates[i]; !u.lost && u.state.Asleep && s.tick > c.applied[u.body] {
			c.setBody(u, s)
		}
	}
}

// setBody sets one body right.
func (c *client) setBody(u *update, s *message) {
	if !c.heeds(u, s) {
		return
	}
	w := c.env.World
	is, b := &w.Bodies()[u.body], u.state
	c.applied[u.body] = s.tick
	c.last[u.body], c.coded[u.body] = b.Pose, u.coding()
	c.strays.heard(u.body, b.Asleep)
	if c.grasp.with[w.Island(u.body)] && stills(&b, is) {
		// Put to sleep in every tick, beside a body in hand that is about to fall
		// asleep, both would be woken again in every next one.
		return
	}
	if !s.form.velocities && !b.Asleep {
		b.Linear, b.Angular = is.Linear, is.Angular
	}
	if c.correct == blend && !b.Asleep {
		b = c.between(is, &b)
	}
	if !b.Asleep && *is != b {
		c.snaps++
		by := float64(b.Pose.Pos.Sub(is.Pose.Pos).Len())
		c.snapped += by
		c.env.Counters.Set("snap_mean_m", c.snapped/float64(c.snaps))
		c.env.Counters.Set("snap_max_m", max(c.env.Counters.Value("snap_max_m"), by))
	}
	c.put(u.body, b)
}

// put sets a body, and lets its offset take up the jump.
func (c *client) put(i int, b sim.Body) {
	w := c.env.World
	if w.Bodies()[i] == b {
		return
	}
	drawn := c.drawn(i)
	w.SetBody(i, b)
	c.smooth.Correct(&c.offsets[i], drawn, b.Pose)
	c.healing.corrected(i, drawn.Pos.Sub(b.Pose.Pos).Len(), &c.offsets[i], &c.smooth, c.now, c.env.Counters)
}

// between is a body a share of the way from one to another, awake.
func (c *client) between(from, to *sim.Body) sim.Body {
	n := float32(c.share)
	return sim.Body{
		Pose: geom.Pose{
			Pos: from.Pose.Pos.Plus(n, to.Pose.Pos.Sub(from.Pose.Pos)),
			Rot: geom.Slerp(from.Pose.Rot, to.Pose.Rot, n),
		},
		Linear:  from.Linear.Plus(n, to.Linear.Sub(from.Linear)),
		Angular: from.Angular.Plus(n, to.Angular.Sub(from.Angular)),
	}
}

// drawn is where a body is drawn.
func (c *client) drawn(i int) geom.Pose { return c.offsets[i].Apply(c.env.World.Bodies()[i].Pose) }

// View draws the world as it is simulated, with the offsets.
func (c *client) View(v *predict.View) {
	w := c.env.World
	v.Tick = w.Tick()
	for i, b := range w.Bodies() {
		v.Simulated = append(v.Simulated, b.Pose)
		v.Bodies = append(v.Bodies, c.drawn(i))
	}
	v.Touched = append(v.Touched, w.Touched()...)
	if c.grips() {
		v.Predicted, v.Own = append(v.Predicted, c.grasp.mine...), c.own()
	}
	if c.running {
		v.LastReceived = append(v.LastReceived, c.last...)
	}
	for back := min(c.now, trailTicks); back > 0; back-- {
		if p := c.trail.At(c.now - back); p != nil {
			v.Trail = append(v.Trail, *p)
		}
	}
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.set, c.buffer, c.correct, c.share = o.set, o.buffer, o.correct, o.share
	c.smooth, c.contacts = o.smooth, o.contacts
	c.out.CopyFrom(&o.out)
	c.tick, c.running, c.hold, c.newest, c.eased = o.tick, o.running, o.hold, o.newest, o.eased
	c.stranger, c.strange, c.stood = o.stranger, o.strange, o.stood
	c.ring.CopyFrom(&o.ring, (*message).copyFrom)
	c.did.CopyFrom(&o.did, history.Plain[[mostPlayers]sim.Input])
	c.held = append(c.held[:0], o.held...)
	c.size, c.adaptive = o.size, o.adaptive
	c.span, c.spread, c.servo = o.span, o.spread, o.servo
	c.applied = append(c.applied[:0], o.applied...)
	c.last = append(c.last[:0], o.last...)
	c.coded = append(c.coded[:0], o.coded...)
	c.strays.copyFrom(&o.strays)
	c.grasp.copyFrom(&o.grasp)
	c.ages, c.snaps, c.snapped = o.ages, o.snaps, o.snapped
	c.offsets = append(c.offsets[:0], o.offsets...)
	c.healing.copyFrom(&o.healing)
	c.now = o.now
	c.trail.CopyFrom(&o.trail, history.Plain[geom.Pose])
}
