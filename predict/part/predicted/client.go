package predicted

import (
	"time"

	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/clock"
	"ghostcube/predict/part/frame"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/predict/part/playback"
	"ghostcube/sim"
	"ghostcube/smoothing"
)

const (
	remembered = 1024 // ticks of the own cube's past: 17 s
	trailTicks = 160  // of them that are drawn
	trailStep  = 2
	jumpMost   = 256 // ticks made at once to join
)

// entry is a tick of the own cube's past.
type entry struct {
	sim.Body           // when the tick began, all doses given
	in       sim.Input // what the tick was made with
	parent   int       // whose space the body is in; parent.None: the world's
}

type client struct {
	env      *predict.Env
	doses    offsets
	length   int // of the server's playout buffer, ticks
	behind   float64
	physics  int
	paths    int
	smooth   smoothing.Settings
	contacts predict.Solver

	out    input.Sender
	shown  playback.Animated // all but the own cube
	rel    relative          // to a parent, if the strategy knows any
	servo  clock.Servo
	echo   echo
	past   history.Ring[entry]
	held   sim.Input   // what the player did before this half began
	step   []sim.Input // one tick's inputs
	joined bool        // our inputs are sent
	last   sim.Input   // the newest input that the server will have
	quiet  int         // ticks for which no button has been pressed
	head   head        // of the newest state
	told   bool        // a state has been compared
	at     sim.Tick    // the newest tick of ours that the server has told of
	shift  int64       // the server's tick of a state less ours
	agreed sim.Tick    // the newest tick of ours that was right, or was set right
	offset smoothing.Offset
	policy policy // when the own body is shown late
	others others // when others are stepped
	motion func(i int) sim.Body
	chain  chain
}

// NewClient makes the half that the player looks at.
func NewClient(env *predict.Env) predict.Client { return newClient(env, false) }

// NewRelativeClient makes one that predicts relative to a parent.
func NewRelativeClient(env *predict.Env) predict.Client { return newClient(env, true) }

func newClient(env *predict.Env, relative bool) *client {
	c := &client{
		env: env, past: history.New[entry](remembered), step: make([]sim.Input, env.Players), at: env.World.Tick(),
	}
	k, m := env.Knobs, env.Counters
	input.DeclareLength(&c.length, k)
	k.Millis(&c.behind, "reset-behind", 1000, 100, 10000, "a client that is behind by more than this skips to the server's time; one that is less is steered, by ticks that are shorter")
	c.doses.declare(env)
	c.chain.declare(k)
	k.Choice(&c.physics, "physics", 0, []string{"same", "reordered"}, "the client solves contacts in the server's order or in another: mispredictions without any loss")
	c.rel.choice = frame.Start()
	if relative {
		c.declareRelative()
	} else {
		declarePaths(&c.paths, k)
	}
	c.shown.Declare(env, env.Player)
	k.Smoothing(&c.smooth)
	k.Solver(&c.contacts)
	c.out.Declare(env)
	m.Declare("outside_ring", "states about ticks that are no longer remembered")
	m.Declare("resets", "times that the client skipped to the server's time, or was set to the server's state")
	c.echo.declare(env)
	m.Declare("clock_behind_ticks", "ticks by which the client's clock is behind its aim, now")
	c.policy.declare(env)
	c.others.declare(env)
	c.motion = c.shown.Body
	if p := env.Player; p >= 0 {
		c.held = env.LastInputs[p]
		for i := range env.World.Bodies() {
			env.World.SetKinematic(i, i != p)
		}
		c.remember()
	}
	return c
}

// own is the body that the player drives.
func (c *client) own() *sim.Body { return &c.env.World.Bodies()[c.env.Player] }

// Tick takes in what has come, shows the others as they were, makes one tick of the
// own cube, and sets right what the server says of its past.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	began := c.env.Counters.Begin()
	c.chooseChain()
	c.place(false)
	c.shown.Tick()
	news, from := c.receive(server)
	c.shown.Play(server.Stats.RTT)
	if c.env.Player < 0 {
		server.Send(nil) // one who only watches has nothing to predict
		c.env.Counters.Spent("client", began)
		return
	}
	c.joined = c.joined || c.servo.Aimed()
	c.echo.tick(c.env.World.Tick(), c.env.Pace, c.env.World.Rate())
	jump := 0
	if news {
		jump = c.aim(server, from.ReceivedAt-from.FirstFragmentAt)
	}
	c.hold()
	c.meet(news)
	c.carry()
	c.advance(in)
	c.choose()
	c.smooth.Fade(&c.offset, c.env.World.Rate())
	c.policy.tick()
	if jump > 0 {
		c.skip(jump, from)
	}
	if news {
		c.compare(from)
	}
	c.doses.dose(c.own(), c.set, c.env.World.Rate())
	c.others.dose(c.env.World, c.doses.share(c.env.World.Rate()))
	c.dose()
	c.rest()
	c.place(true)
	c.env.Pace = c.servo.Tick()
	c.env.Counters.Set("clock_behind_ticks", c.servo.Behind())
	if c.joined {
		c.out.Send(server, c.since())
	} else {
		server.Send(nil) // so that the server's states are acknowledged
	}
	c.env.Counters.Spent("client", began)
}

// receive takes in what has come, and tells which packet brought the newest state.
func (c *client) receive(server *packet.Endpoint) (news bool, from packet.Packet) {
	w := c.env.World
	in := c.shown.Receiver()
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		var h head
		r := in.Begin(p.Payload)
		h.code(r, w.Tick())
		told := ride{parent: frame.None}
		if c.rel.on {
			told.code(r, len(c.rel.vessels), &c.rel.grid)
		}
		fresh, err := in.Finish(p.Payload, w.Scene(), c.shown.Guess())
		if err != nil {
			c.env.Counters.Add("refused", 1)
			continue
		}
		c.shown.Take(fresh)
		if fresh {
			news, from, c.head, c.rel.heard = true, p, h, told
		}
	}
	return news, from
}

// aim compares clocks and returns by how many ticks the client has to jump ahead:
// once after the start, and when it has fallen far behind. Inputs are to arrive as
// long before their tick as the server holds them back.
func (c *client) aim(server *packet.Endpoint, waited time.Duration) int {
	if server.Stats.RTT == 0 && server.Stats.Acked == 0 {
		return 0 // nothing of ours has been answered yet
	}
	rate := c.env.World.Rate()
	if c.head.How == input.Own {
		c.echo.heard(c.head.Frame, c.head.waited, rate, c.env.Counters)
	}
	trip, ahead := c.echo.aim(&server.Stats, c.length)
	c.servo.Reset = int(float64(c.behind*float64(rate))) / 1000
	jump := c.servo.Aim(c.shown.Receiver().Tick, c.env.World.Tick(), trip+waited, ahead, rate)
	c.env.Counters.Set("arrival_early_ms", float64(c.servo.Early()*1000)/float64(rate))
	return jump
}

// hold puts the others where they are shown, but for those that are loose.
func (c *client) hold() {
	w := c.env.World
	c.holdPaths()
	shown := int64(c.shown.Shows()) - c.shift
	for i := range w.Bodies() {
		if c.shown.Left(i) || !c.others.hold(w, i, shown, c.policy.why != shownAhead) {
			continue
		}
		if p := c.others.pose(i, c.shown.Pose(i), c.policy.ticks(c.policy.blend)); w.Bodies()[i].Pose != p {
			w.SetBody(i, sim.Body{Pose: p, Asleep: true})
		}
	}
	if c.policy.why == shownAhead {
		c.others.release(w, c.env.Player, c.motion)
	}
	c.env.Counters.Set("loose_bodies", float64(c.others.many))
}

// advance makes one tick of the prediction. Before the client has joined the server
// does not hear it, and goes on with what the player held before.
func (c *client) advance(in sim.Input) {
	if c.joined {
		c.out.Add(c.env.World.Tick(), in)
		in.Shot = sim.Shot{} // nobody repeats it
	} else {
		in = c.held
	}
	c.last = in
	c.play()
}

// play makes a tick with the last input.
func (c *client) play() {
	w := c.env.World
	w.Settings.SolveOrderSeed = uint64(c.physics) * 0x9E3779B97F4A7C15
	c.step[c.env.Player] = c.last
	c.quiet++
	if c.last.Buttons != 0 {
		c.quiet = 0
	}
	if e := c.past.At(w.Tick()); e != nil {
		e.in = c.last
	}
	c.contacts.Step(w, c.step...)
	if c.policy.dirty > 0 {
		c.policy.collide(w.KinematicPenetration(c.env.Player))
	}
	c.others.remember(w)
	c.remember()
}

// remember notes where the own cube is, or will be when all doses are given.
func (c *client) remember() {
	b := c.doses.whole(c.own())
	*c.past.Put(c.env.World.Tick()) = entry{Body: c.rel.frame.Own(&b), parent: c.rel.choice.Now}
	c.chain.remember(c.env.World)
}

// skip brings the client to the server's time. To join it makes the ticks that are
// missing: the server makes them too, with what the player held. Later it leaves them
// out, and takes the server's state.
func (c *client) skip(ticks int, from packet.Packet) {
	w := c.env.World
	if c.told || ticks > jumpMost {
		w.SetTick(w.Tick() + sim.Tick(ticks))
		c.reset(predict.ClockReset, from)
		return
	}
	drawn := c.offset.Apply(c.own().Pose)
	for range ticks {
		c.play()
	}
	c.smooth.Correct(&c.offset, drawn, c.own().Pose)
}

// compare looks up what was remembered of the tick that the server's state is of, and
// adds what is off to that entry and to all later ones.
func (c *client) compare(from packet.Packet) {
	in, now := c.shown.Receiver(), c.env.World.Tick()
	at := in.Tick // until the server uses our inputs, it does what we do
	shift := c.shift
	switch c.head.How {
	case input.Again:
		return // it has gone on without us: this is of no tick of ours
	case input.Own, input.Filled:
		at = c.head.Frame + 1
		if shift = int64(in.Tick) - int64(at); !c.told {
			c.told, c.shift = true, shift
		}
	}
	why := c.why(at, shift)
	c.at, c.shift = at, shift
	if at > now || !c.doses.corrections || c.chain.still {
		return
	}
	c.follow(at)
	c.pull(at, now)
	c.chain.compare(at, now, in.Bodies, &c.doses)
	had := c.past.At(at)
	if had == nil {
		c.env.Counters.Add("outside_ring", 1)
		return
	}
	c.policy.at = int64(at)
	word := c.toldOf(had.parent)
	if c.doses.startled(&word, &had.Body) {
		c.reset(why, from)
		return
	}
	d, ok := c.doses.find(&word, &had.Body)
	if !ok {
		c.agreed = at
		return
	}
	fix := c.correction(why, from, &word, &had.Body)
	c.shiftPast(&d, had.parent, at, now)
	c.report(fix, d.pos.Len())
}

// why compares what the player did in the tick that led to the server's state of tick
// at with what that was made with here, and looks whether the server has repeated or
// passed over inputs since the last state: then its ticks are others than ours.
func (c *client) why(at sim.Tick, shift int64) predict.Cause {
	e, held := c.past.At(at-1), c.shown.Receiver().Held[c.env.Player]
	if shift != c.shift || e != nil && held != e.in {
		return predict.OwnInput
	}
	return predict.CauseUnknown
}

// correction describes how far the server's word is from what was remembered.
func (c *client) correction(why predict.Cause, from packet.Packet, word, had *sim.Body) predict.Correction {
	fix := predict.Correction{Packet: from.Sequence, Received: from.ReceivedAt, Tick: c.shown.Receiver().Tick, Body: c.env.Player, Cause: why}
	w := c.env.World
	d := predict.Differ(word, had)
	seconds := float32(max(int64(c.at)-int64(c.agreed), 1)) / float32(w.Rate())
	fix.Field, fix.Amount = d.First(w.Scene().Boxes[c.env.Player].Half.Len(), seconds)
	return fix
}

// report tells of a correction that moves the present, in the end, by so many metres.
func (c *client) report(fix predict.Correction, metres float32) {
	fix.Shift, c.agreed = metres, c.at
	c.doses.count(metres)
	c.policy.correct(metres)
	if c.env.OnCorrection != nil {
		c.env.OnCorrection(fix)
	}
}

// reset forgets the history and sets the cube to the server's state, and on along its
// velocity for the time that has passed since.
func (c *client) reset(why predict.Cause, from packet.Packet) {
	w := c.env.World
	was := *c.own()
	next := c.arrive()
	fix := c.correction(why, from, &next, &was)
	passed := float32(max(int64(w.Tick())-int64(c.at), 0)) / float32(w.Rate())
	c.resetChain(passed)
	next.Pose.Pos = next.Pose.Pos.Plus(passed, next.Linear)
	next.Pose.Pos.Z = max(next.Pose.Pos.Z, w.Scene().Boxes[c.env.Player].Half.Z)
	c.take(next)
	c.env.Counters.Add("resets", 1)
	c.report(fix, next.Pose.Pos.Sub(was.Pose.Pos).Len())
}

// since is the first of our ticks whose input the server may still need.
func (c *client) since() sim.Tick {
	if c.head.How == input.NoneYet {
		return 0
	}
	return c.head.Frame + 1
}

// rest takes the server's word as it is where it says that the own cube sleeps and no
// key has been pressed since: nothing better will come.
func (c *client) rest() {
	in := c.shown.Receiver()
	if !in.Any || !c.doses.corrections || c.chain.still {
		return
	}
	b, s := c.own(), &in.Bodies[c.env.Player]
	if s.Asleep && c.lands() && int64(c.quiet) > int64(c.env.World.Tick())-int64(c.at) && *b != *s {
		c.take(*s)
	}
}

// take sets the own cube to a state, with nothing to be added. The picture glides
// there.
func (c *client) take(b sim.Body) {
	drawn := c.offset.Apply(c.own().Pose)
	c.past.Forget()
	c.doses.clear()
	c.set(b)
	c.remember()
	c.smooth.Correct(&c.offset, drawn, b.Pose)
}

func (c *client) set(b sim.Body) { c.env.World.SetBody(c.env.Player, b) }

// View draws the others late and the own cube ahead.
func (c *client) View(v *predict.View) {
	v.Tick, v.Part, v.Note = c.shown.Shows(), c.shown.ShowsPart(), c.shown.Note()
	v.Beyond = c.drawnPaths() - v.Tick.Moment()
	if v.Note == "" {
		v.Note = c.chain.note
	}
	w, p := c.env.World, c.env.Player
	for i := range w.Bodies() {
		switch {
		case p < 0 || c.hangs(i):
			v.Simulated = append(v.Simulated, c.shown.Pose(i))
			v.Bodies = append(v.Bodies, v.Simulated[i])
		case !c.shown.Left(i):
			v.Simulated = append(v.Simulated, w.Bodies()[i].Pose)
			v.Bodies = append(v.Bodies, v.Simulated[i])
		default:
			v.Simulated = append(v.Simulated, c.pose(i, false))
			v.Bodies = append(v.Bodies, c.policy.mix(c.pose(i, true), c.shown.Late(i)))
		}
	}
	if in := c.shown.Receiver(); in.Any {
		v.LastReceived = predict.Poses(v.LastReceived, in.Bodies)
	}
	if p < 0 {
		return
	}
	v.Own = sim.Tick(max(int64(w.Tick())+c.shift, 0))
	if c.tell(v); c.policy.why != shownAhead {
		return // what is remembered is of a body that is not shown
	}
	for back := trailTicks; back > 0; back -= trailStep {
		// Whole steps of the tick's label, so that the points stand still.
		t := int64(w.Tick())&^(trailStep-1) - int64(back)
		if t < 0 {
			continue
		}
		if e := c.past.At(sim.Tick(t)); e != nil {
			f := c.shownFrame(e.parent)
			v.Trail = append(v.Trail, f.World(&e.Body).Pose)
		}
	}
}

// Inspect tells how far the own cube is beyond what the server has told of it, and the
// others beyond their newest positions.
func (c *client) Inspect(l *predict.Inspection) {
	c.shown.Inspect(l)
	if !c.shown.Receiver().Any {
		return
	}
	w := c.env.World
	for i := range w.Bodies() {
		if c.shown.Left(i) && c.policy.why == shownAhead {
			l.Age = append(l.Age, int32(max(int64(w.Tick())-int64(c.at), 0)))
			l.Moving = append(l.Moving, !w.Bodies()[i].Asleep)
			continue
		}
		l.Age = append(l.Age, c.shown.Age(i))
		l.Moving = append(l.Moving, c.shown.Moves(i))
	}
	c.lookParents(l)
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.length, c.behind, c.physics, c.paths, c.smooth, c.contacts = o.length, o.behind, o.physics, o.paths, o.smooth, o.contacts
	c.doses.copyFrom(&o.doses)
	c.policy.copyFrom(&o.policy)
	c.others.copyFrom(&o.others)
	c.out.CopyFrom(&o.out)
	c.shown.CopyFrom(&o.shown)
	c.rel.copyFrom(&o.rel)
	c.past.CopyFrom(&o.past, history.Plain[entry])
	c.echo.copyFrom(&o.echo)
	c.servo, c.held, c.joined, c.last, c.quiet = o.servo, o.held, o.joined, o.last, o.quiet
	c.chain.copyFrom(&o.chain)
	c.head, c.told, c.at, c.shift, c.agreed, c.offset = o.head, o.told, o.at, o.shift, o.agreed, o.offset
}
