package rollback

import (
	"strconv"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/desync"
	"ghostcube/predict/part/history"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

type client struct {
	env      *predict.Env
	settings settings
	state    clientState

	own          ownInputs
	known        knownInputs
	stepped      history.Ring[steppedInputs]
	worlds       history.Ring[predict.State] // at the start of each tick
	clock        clock.Follower
	peers        peers // in a mesh
	checksums    desync.History
	desync       desync.Detector
	ledger       ledger
	errorOffsets []smoothing.ErrorOffset
	counters     clientCounters
	scratch      clientScratch
}

// clientState is plain: it is copied by assignment.
type clientState struct {
	joined      bool     // the client knows the server's time, and sends inputs
	firstWrong  sim.Tick // first tick that was stepped with a wrong input, if hasWrong
	hasWrong    bool
	final       sim.Tick // ticks up to this one can no longer change
	delay       int      // input delay in force, ticks
	skipping    bool     // the last tick was skipped
	pendingShot sim.Shot // waits for an input
}

type clientCounters struct {
	rollbacks, rolledBack, depthMax, mispredicted, skipped predict.Counter
	unconfirmed, delay, clockBehind, unacked, rejected     predict.Counter
	clockJumps                                             predict.Counter
	desync                                                 desync.Counters
	ledger                                                 ledgerCounters
	inputs                                                 inputCounters
}

// clientScratch is memory that no later tick depends on.
type clientScratch struct {
	inputs []sim.Input
	was    []sim.Input
	drawn  []geom.Pose
	up     upMessage
	peer   peerMessage
	down   downMessage
	coder  quant.Coder
	buffer [maxUpBytes]byte
}

func newClient(env *predict.Env) predict.Client {
	w := env.World
	c := &client{
		env: env, known: newKnownInputs(w.Tick(), env.LastInputs),
		stepped: history.New[steppedInputs](knownTicks), worlds: history.New[predict.State](worldTicks),
		checksums: desync.NewHistory(len(w.Bodies())), errorOffsets: make([]smoothing.ErrorOffset, len(w.Bodies())),
	}
	if p := env.Player; p >= 0 {
		c.own.last = withoutShot(env.LastInputs[p])
	}
	c.state.final = w.Tick()
	c.desync.Start(w.Tick())
	c.scratch.inputs, c.scratch.down.runs = make([]sim.Input, env.Players), resizeRuns(nil, env.Players)
	c.settings.declare(env)
	m := env.Counters
	c.counters.rollbacks = m.New("rollbacks",
		"rollbacks because an input differed")
	c.counters.rolledBack = m.New("rolled_back_ticks",
		"ticks that clients resimulated").Of(predict.ReplayedTicks)
	c.counters.depthMax = m.New("rollback_max_ticks", "deepest rollback, ticks")
	c.counters.mispredicted = m.New("mispredicted_inputs",
		"inputs that differed from the predicted ones")
	c.counters.skipped = m.New("skipped_ticks", "ticks skipped because of max-rollback")
	c.counters.unconfirmed = m.New("unconfirmed_ticks", "ticks beyond the last confirmed one, now")
	c.counters.delay = m.New("input_delay_ticks", "input delay in force, ticks, now")
	c.counters.clockBehind = m.New("clock_behind_ticks",
		"ticks by which the client's clock is behind, now").Of(predict.ClockBehind)
	c.counters.clockJumps = m.ClockJumps()
	c.counters.unacked = m.New("unacked_inputs", "unconfirmed inputs of the player, now")
	c.counters.inputs.declare(m)
	c.counters.ledger.declare(m)
	c.counters.desync.Declare(m)
	c.counters.rejected = m.Rejected()
	return c
}

// Tick takes in what has arrived, steps wrong ticks again, then steps the present tick and sends.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	w := c.env.World
	c.settings.contactOrder.Apply(w)
	c.ledger.now++
	for p := range c.env.Players {
		c.known.silent[p]++
	}
	for i := range c.errorOffsets {
		c.settings.smoothing.Decay(&c.errorOffsets[i], w.Rate())
	}
	if c.inMesh() {
		c.beginMesh()
	}
	newest, fresh := c.receive(server)
	if c.inMesh() {
		c.receivePeers()
		c.confirmMesh()
	}
	c.rollback()
	c.finish()
	if c.inMesh() {
		c.jump(c.followPeers())
	} else {
		c.followServer(server, &newest, fresh)
	}
	c.sample(in)
	if c.inMesh() {
		c.confirmMesh()
	}
	if c.state.skipping = !c.mayStep(); c.state.skipping {
		c.counters.skipped.Inc()
	} else {
		c.step()
	}
	c.finish()
	c.counters.unconfirmed.Set(float64(int64(w.Tick()) - int64(c.known.confirmed)))
	c.send(server)
	if c.inMesh() {
		c.sendPeers()
	}
}

// followServer follows the server's time, and begins to sample inputs once it is known.
func (c *client) followServer(server *packet.Endpoint, newest *packet.Packet, fresh bool) {
	w := c.env.World
	if fresh {
		c.jump(c.synchronise(server, newest, c.known.confirmed))
	}
	if now := w.Tick(); c.known.confirmed > now+sim.Tick(w.Rate()/2) {
		c.jump(min(int(c.known.confirmed-now), maxJumpSeconds*w.Rate())) // after an outage or a download
	}
	c.env.SlewPPM = c.clock.Tick(w.Rate())
	c.counters.clockBehind.Set(c.clock.Behind().Ticks())
	if !c.state.joined && c.clock.Synced() && w.Tick() >= c.known.confirmed {
		c.state.joined = true
		c.own.begin(w.Tick())
		if c.env.Joined {
			c.env.Joined = false
			clear(c.errorOffsets) // nothing was drawn before
		}
	}
}

// receive reads the packets. It returns the one that confirms the newest tick of the server, if one does. One that
// does not reach the server's tick says nothing about its time that could be believed.
func (c *client) receive(server *packet.Endpoint) (newest packet.Packet, fresh bool) {
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		if len(p.Payload) == 0 {
			continue
		}
		before := c.known.confirmed
		if !c.read(p.Payload) {
			c.counters.rejected.Inc()
			server.Refuse(p.Sequence)
			continue
		}
		if c.known.confirmed > before && c.known.confirmed == c.scratch.down.tick {
			newest, fresh = p, true
		}
	}
	return newest, fresh
}

// read reads an untrusted payload of the server. It reports whether it is well-formed.
func (c *client) read(payload []byte) bool {
	w, m, coder := c.env.World, &c.scratch.down, &c.scratch.coder
	coder.BeginRead(payload)
	m.code(coder, max(w.Tick(), c.known.confirmed), len(w.Bodies()))
	if finishRead(coder, payload) != nil || m.end > m.tick && !c.inMesh() {
		return false
	}
	for p := range m.runs {
		if m.runs[p].asSent && p != c.env.Player && !c.inMesh() {
			return false // this client has sent nothing for that player
		}
	}
	if !c.inMesh() {
		c.confirm(m)
	} else if !c.readWatcher(m) {
		return false
	}
	distance := int64(m.checksumTick) - int64(w.Tick())
	if m.hasChecksum && max(distance, -distance) < desync.HistoryTicks {
		if c.desync.Remember(m.checksumTick, m.checksum) && m.checksumTick <= c.state.final {
			c.desync.Compare(m.checksumTick, &c.checksums, &c.counters.desync)
		}
	}
	if m.hasReply {
		c.desync.ApplyReply(&m.reply, &c.checksums, &c.counters.desync)
	}
	return true
}

// mayStep reports whether the client may step a tick further beyond the last confirmed one.
func (c *client) mayStep() bool {
	within := int64(c.env.World.Tick())-int64(c.known.confirmed) < int64(c.settings.maxRollback)
	return within && (!c.inMesh() || c.remembersAll())
}

// jump steps some ticks at once, to catch up. Their inputs would be late: the last one is repeated.
func (c *client) jump(ticks int) {
	if ticks <= 0 {
		return
	}
	c.scratch.drawn = c.appendDrawn(c.scratch.drawn[:0])
	for ; ticks > 0 && c.mayStep(); ticks-- {
		c.step()
	}
	for i, b := range c.env.World.Bodies() {
		c.settings.smoothing.Absorb(&c.errorOffsets[i], c.scratch.drawn[i], b.Pose)
	}
}

// send sends all own inputs that are not confirmed.
func (c *client) send(server *packet.Endpoint) {
	m, coder := &c.scratch.up, &c.scratch.coder
	m.confirmed, m.wantsOwn = c.known.confirmed, c.env.Player >= 0 && c.lacksOwn()
	m.inputs, m.next = c.appendUnacked(m.inputs[:0], c.firstUnconfirmed())
	c.counters.unacked.Set(float64(len(m.inputs)))
	m.query, m.hasQuery = c.desync.NextQuery(&c.checksums)
	if len(m.inputs) > 0 {
		c.counters.inputs.count(coder, func() { m.code(coder, m.next) }, len(m.inputs))
	}
	coder.BeginWrite(c.scratch.buffer[:])
	m.code(coder, m.next)
	server.Send(finishWrite(coder))
}

// firstUnconfirmed returns the first tick whose own input goes into the next packet.
func (c *client) firstUnconfirmed() sim.Tick {
	if c.inMesh() {
		return max(c.peers.server, c.own.first) // every one has to arrive
	}
	return max(c.known.confirmed, c.own.first, c.own.next-min(c.own.next, maxInputs))
}

// View draws the predicted world with the error offsets.
func (c *client) View(v *predict.View) {
	w := c.env.World
	v.ShowTick(w.Tick())
	v.Bodies = c.appendDrawn(v.Bodies)
	v.Simulated = predict.AppendPoses(v.Simulated, w.Bodies())
	v.TouchedBy = append(v.TouchedBy, w.TouchedBy()...)
	v.Effects = c.ledger.appendEffects(v.Effects, w.Rate())
	if v.Note = c.desync.Note; v.Note == "" && c.state.skipping {
		v.Note = "skips ticks: max-rollback reached"
		if p := c.waitsFor(); c.inMesh() && p != c.env.Player {
			v.Note += ", waits for player " + strconv.Itoa(p+1)
		}
	}
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.settings, c.state, c.own, c.clock = o.settings, o.state, o.own, o.clock
	c.desync, c.ledger, c.peers = o.desync, o.ledger, o.peers
	c.known.copyFrom(&o.known)
	c.checksums.CopyFrom(&o.checksums)
	c.copyReplay(o)
}
