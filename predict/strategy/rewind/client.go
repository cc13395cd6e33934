package rewind

import (
	"time"

	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// What a client remembers, in ticks.
const (
	rememberedMoves  = 1024 // inputs and poses: 17 s
	rememberedStates = 128  // whole worlds to go back to: 2.1 s
	trailTicks       = 160  // of the remembered past that is drawn
	trailStep        = 2
	jumpMost         = 256 // ticks stepped at once to catch up
)

// mostPlayers is how many players any scene has.
const mostPlayers = 4

// move is a tick of the player's past.
type move struct {
	in   sim.Input
	did  [mostPlayers]sim.Input // what the tick was stepped with last, by player
	pose geom.Pose              // of the player's cube when the tick began
}

type client struct {
	env *predict.Env

	lead        int
	corrections bool
	physics     int
	steps       int
	errorPos    float64
	errorRot    float64
	smooth      smoothing.Settings
	contacts    predict.Solver
	awaits      awaits

	out    input.Sender
	in     codec.Receiver
	servo  clock.Servo
	moves  history.Ring[move]
	states history.Ring[sim.State]
	held   []sim.Input // what the others do, as far as is known, and the player before the first aim
	step   []sim.Input // one tick's inputs
	joined bool        // our inputs are sent
	last   sim.Input   // the newest input that the server will have
	agreed sim.Tick    // of the newest state that agreed, or was taken
	eased  sim.Tick    // of the newest of which smoothing lets anything be seen

	offsets []smoothing.Offset
	drawn   []geom.Pose // before a correction
	jumped  float64     // metres by which corrections moved the watched cube, sum
}

func newClient(env *predict.Env) predict.Client {
	c := &client{
		env:     env,
		moves:   history.New[move](rememberedMoves),
		states:  history.New[sim.State](rememberedStates),
		held:    append([]sim.Input(nil), env.LastInputs...),
		step:    make([]sim.Input, env.Players),
		offsets: make([]smoothing.Offset, len(env.World.Bodies())),
	}
	k, m := env.Knobs, env.Counters
	declareSteps(k, &c.steps)
	k.Int(&c.lead, "lead", 5, 0, 60, "ticks by which inputs arrive before they are needed: room for jitter and for repeats after a loss")
	k.Bool(&c.corrections, "corrections", true, "rewind and replay when the server disagrees")
	k.Choice(&c.physics, "physics", 0, []string{"same", "reordered"}, "the client solves contacts in the server's order or in another: mispredictions without any loss")
	k.Float(&c.errorPos, "error-position", 0.000316, 0, 1, "metres of disagreement that are let pass (the demo's squared 1e-7)")
	k.Float(&c.errorRot, "error-rotation", 0.00001, 0, 1, "1-|dot| of the orientations that is let pass")
	k.Smoothing(&c.smooth)
	k.Solver(&c.contacts)
	c.awaits.declare(k)
	c.out.Declare(env)
	m.Declare("corrections", "rewinds because the server disagreed")
	m.Declare("correction_mean_m", "metres by which a correction moved the player's simulated cube, mean")
	m.Declare("correction_max_m", "the same, largest")
	m.Declare("replayed_ticks", "ticks stepped again")
	m.Declare("outside_ring", "states about ticks that are no longer remembered")
	m.Declare("old_states", "states no newer than the last")
	m.Declare("clock_behind_ticks", "ticks by which the client's clock is behind its aim, now")
	m.Declare("refused", "payloads that were no message")
	c.remember()
	return c
}

// Tick receives, steps, corrects and sends. It corrects after the step, so
// that the pose that would have been drawn is known and can be kept.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	began := c.env.Counters.Begin()
	c.order()
	c.joined = c.joined || c.servo.Aimed() || c.steps == onInput
	news, from := c.receive(server)
	jump := 0
	if news {
		jump = c.aim(server, from.ReceivedAt-from.FirstFragmentAt)
	}
	c.advance(in)
	c.eased = c.agreed
	for i := range c.offsets {
		c.smooth.Fade(&c.offsets[i], c.env.World.Rate())
	}
	if jump > 0 {
		c.keepDrawn()
		for range jump {
			c.skip()
		}
		c.hide()
	}
	if news && c.corrections {
		c.correct(from)
	}
	c.env.Pace = c.servo.Tick()
	if c.steps == onInput {
		c.env.Pace = 0
	}
	c.env.Counters.Set("clock_behind_ticks", c.servo.Behind())
	if c.env.Player >= 0 && c.joined {
		c.out.Send(server, c.since())
	} else {
		server.Send(nil) // so that the server's states are acknowledged
	}
	c.env.Counters.Spent("client", began)
}

// order sets the contact order that the knob asks for.
func (c *client) order() {
	c.env.World.Settings.SolveOrderSeed = uint64(c.physics) * 0x9E3779B97F4A7C15
}

// receive takes in the newest state, and tells which packet brought it.
func (c *client) receive(server *packet.Endpoint) (news bool, from packet.Packet) {
	w, m := c.env.World, c.env.Counters
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		fresh, err := c.in.Read(p.Payload, w.Scene(), w.Tick())
		switch {
		case err != nil:
			m.Add("refused", 1)
		case !fresh:
			m.Add("old_states", 1)
		default:
			news, from = true, p
		}
	}
	return news, from
}

// aim compares clocks and returns by how many ticks the client has to jump
// ahead: once after the start, and when it has fallen far behind. While the
// state waited for its last fragment the server went on, and the round trip,
// which the first fragment told, does not count that.
func (c *client) aim(server *packet.Endpoint, waited time.Duration) int {
	trip := server.Stats.RTT
	if trip == 0 && server.Stats.Acked == 0 {
		return 0 // nothing of ours has been answered yet
	}
	if c.steps == onInput {
		return 0 // the server waits for us; there is nothing to aim at
	}
	ahead := c.lead
	if c.env.Player < 0 {
		trip, ahead = trip/2, 0
	}
	return min(jumpMost, c.servo.Aim(c.in.Tick, c.env.World.Tick(), trip+waited, ahead, c.env.World.Rate()))
}

// advance makes one tick of the prediction. Before the client has joined the
// server does not hear it, and goes on with what the player held before.
func (c *client) advance(in sim.Input) {
	t := c.env.World.Tick()
	if p := c.env.Player; p >= 0 {
		if c.joined {
			c.out.Add(t, in)
			in.Shot = sim.Shot{} // nobody repeats or replays it
		} else {
			in = c.held[p]
		}
		c.last = in
	}
	c.moves.Put(t).in = in
	c.play()
}

// skip makes one tick of a jump. Its input could not come in time and is not
// sent: the server will repeat the last, and so does the prediction.
func (c *client) skip() {
	c.moves.Put(c.env.World.Tick()).in = c.last
	c.play()
}

// play steps the world by its tick, with what was pressed then, and remembers
// both ends of the step.
func (c *client) play() {
	w := c.env.World
	copy(c.step, c.held)
	if m := c.moves.At(w.Tick()); m != nil {
		m.pose = w.Bodies()[c.watched()].Pose
		if p := c.env.Player; p >= 0 {
			c.step[p] = m.in
		}
		copy(m.did[:], c.step)
	}
	c.contacts.Step(w, c.step...)
	c.remember()
}

// remember keeps the world as it is now.
func (c *client) remember() { c.env.World.Save(c.states.Put(c.env.World.Tick())) }

// watched is the body that the client cares most about: its own, or that of
// the first player if it only watches.
func (c *client) watched() int { return max(c.env.Player, 0) }

// since is the first tick whose input the server may still need: what made the
// last state that came is spent.
func (c *client) since() sim.Tick {
	if !c.in.Any {
		return 0
	}
	return c.in.Tick
}

// correct compares the server's state with the remembered one, and if they
// differ too much goes back, takes the server's word, and replays.
func (c *client) correct(from packet.Packet) {
	w := c.env.World
	fix := predict.Correction{Packet: from.Sequence, Received: from.ReceivedAt, Tick: c.in.Tick, Cause: c.why()}
	for i, in := range c.in.Held {
		if i != c.env.Player {
			c.held[i] = in
		}
	}
	at, now := c.in.Tick, w.Tick()
	if at > now {
		c.catchUp(fix)
		return
	}
	past := c.states.At(at)
	if past == nil {
		c.env.Counters.Add("outside_ring", 1)
		return
	}
	body := c.differs(past)
	lets := c.awaits.lets(at, fix.Cause == predict.OwnInput)
	if body < 0 {
		c.agreed = at
		return
	}
	if lets {
		return
	}
	fix.Body, fix.Field, fix.Amount = c.farthest(body, past)
	began := c.env.Counters.Begin()
	c.keepDrawn()
	was := w.Bodies()[c.watched()].Pose.Pos
	w.Load(past) // with the contacts that the client itself had then
	c.adopt()
	c.remember()
	for w.Tick() < now {
		c.play()
	}
	fix.Replayed = int(now - at)
	c.count(fix, was)
	c.hide()
	c.env.Counters.Spent("replay", began)
}

// catchUp takes the server's state as it is: the client has fallen behind it
// and has nothing to replay.
func (c *client) catchUp(fix predict.Correction) {
	w := c.env.World
	c.keepDrawn()
	was := w.Bodies()[c.watched()].Pose.Pos
	c.adopt()
	w.SetTick(c.in.Tick)
	c.states.Forget()
	c.remember()
	fix.Body, fix.Field, fix.Cause = c.watched(), predict.Position, predict.ClockReset
	fix.Amount = w.Bodies()[fix.Body].Pose.Pos.Sub(was).Len()
	c.count(fix, was)
	c.hide()
}

// differs returns the first body of which the server's word is too far from
// the remembered state, or -1.
func (c *client) differs(past *sim.State) int {
	for i := range c.in.Bodies {
		if c.apart(i, past) {
			return i
		}
	}
	return -1
}

// apart reports whether the server's word of body i is too far from the
// remembered state: in its position or its orientation, for what the velocities
// are wrong by shows in them a tick later.
func (c *client) apart(i int, past *sim.State) bool {
	a, b := &c.in.Bodies[i].Pose, &past.Bodies[i].Pose
	return a.Pos.Sub(b.Pos).Len2() > float32(float32(c.errorPos)*float32(c.errorPos)) || 1-geom.Abs(a.Rot.Dot(b.Rot)) > float32(c.errorRot)
}

// farthest returns, of the bodies from first on that are too far from the
// remembered state, the one that is farthest, the field that is to blame, and
// by how much.
func (c *client) farthest(first int, past *sim.State) (body int, field predict.Field, by float32) {
	most := float32(-1)
	seconds := float32(max(int64(c.in.Tick)-int64(c.agreed), 1)) / float32(c.env.World.Rate())
	for i := first; i < len(c.in.Bodies); i++ {
		if !c.apart(i, past) {
			continue
		}
		d := predict.Differ(&c.in.Bodies[i], &past.Bodies[i])
		reach := c.env.World.Scene().Boxes[i].Half.Len()
		if n := d.Reach(reach, seconds); n > most {
			most, body = n, i
			field, by = d.First(reach, seconds)
		}
	}
	return body, field, by
}

// why compares what the players did in the tick before the server's state with
// what that tick was stepped with here.
func (c *client) why() predict.Cause {
	m := c.moves.At(c.in.Tick - 1)
	if m == nil {
		return predict.CauseUnknown
	}
	for i, in := range c.in.Held {
		switch {
		case in == m.did[i]:
		case i == c.env.Player:
			return predict.OwnInput
		default:
			return predict.RemoteInput
		}
	}
	return predict.CauseUnknown
}

// adopt overwrites the bodies that the server says are otherwise.
func (c *client) adopt() {
	w := c.env.World
	for i := range c.in.Bodies {
		if w.Bodies()[i] != c.in.Bodies[i] {
			w.SetBody(i, c.in.Bodies[i])
		}
	}
}

// keepDrawn notes how the bodies would be drawn.
func (c *client) keepDrawn() {
	c.drawn = c.drawn[:0]
	for i, b := range c.env.World.Bodies() {
		c.drawn = append(c.drawn, c.offsets[i].Apply(b.Pose))
	}
}

// hide lets the offsets take up what the correction changed.
func (c *client) hide() {
	for i, b := range c.env.World.Bodies() {
		c.smooth.Correct(&c.offsets[i], c.drawn[i], b.Pose)
	}
}

// count tells of a correction. was is where the watched cube was before it.
func (c *client) count(fix predict.Correction, was geom.Vec3) {
	m := c.env.Counters
	fix.Shift = c.env.World.Bodies()[c.watched()].Pose.Pos.Sub(was).Len()
	c.agreed = fix.Tick
	m.Add("corrections", 1)
	m.Add("replayed_ticks", float64(fix.Replayed))
	c.jumped += float64(fix.Shift)
	m.Set("correction_mean_m", c.jumped/m.Value("corrections"))
	m.Set("correction_max_m", max(m.Value("correction_max_m"), float64(fix.Shift)))
	if c.env.OnCorrection != nil {
		c.env.OnCorrection(fix)
	}
}

// View draws the world as it is predicted, with the offsets.
func (c *client) View(v *predict.View) {
	w := c.env.World
	v.Tick = w.Tick()
	for i, b := range w.Bodies() {
		v.Simulated = append(v.Simulated, b.Pose)
		v.Bodies = append(v.Bodies, c.offsets[i].Apply(b.Pose))
	}
	v.Touched = append(v.Touched, w.Touched()...)
	if c.in.Any {
		v.LastReceived = predict.Poses(v.LastReceived, c.in.Bodies)
	}
	for back := trailTicks; back > 0; back -= trailStep {
		// Whole steps of the tick's label, so that the points stand still.
		t := int64(w.Tick())&^(trailStep-1) - int64(back)
		if t < 0 {
			continue
		}
		if m := c.moves.At(sim.Tick(t)); m != nil {
			v.Trail = append(v.Trail, m.pose)
		}
	}
}

// Inspect tells how far the prediction is beyond the server's last word, which is
// one of all bodies, and whose they are in it.
func (c *client) Inspect(l *predict.Inspection) {
	w := c.env.World
	for i := range w.Bodies() {
		if c.in.Any {
			l.Age = append(l.Age, int32(max(int64(w.Tick())-int64(c.in.Tick), 0)))
		}
		l.Moving = append(l.Moving, !w.Bodies()[i].Asleep)
	}
	l.Owner = append(l.Owner, w.Owners()...)
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.lead, c.corrections, c.physics, c.steps = o.lead, o.corrections, o.physics, o.steps
	c.errorPos, c.errorRot, c.smooth, c.contacts = o.errorPos, o.errorRot, o.smooth, o.contacts
	c.awaits = o.awaits
	c.out.CopyFrom(&o.out)
	c.in.CopyFrom(&o.in)
	c.servo, c.joined, c.last, c.jumped = o.servo, o.joined, o.last, o.jumped
	c.agreed, c.eased = o.agreed, o.eased
	c.moves.CopyFrom(&o.moves, history.Plain[move])
	c.states.CopyFrom(&o.states, func(dst, src *sim.State) { dst.CopyFrom(src) })
	c.held = append(c.held[:0], o.held...)
	c.offsets = append(c.offsets[:0], o.offsets...)
}
