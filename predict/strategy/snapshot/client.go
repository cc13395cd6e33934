package snapshot

import (
	"ghostcube/net/delta"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// trailTicks is how much of the way that the player's cube was drawn on is
// drawn as a trail.
const trailTicks = 160

type client struct {
	env     *predict.Env
	set     settings
	delay   float64 // milliseconds; 0: by the rule
	survive int

	out  input.Sender
	tick sim.Tick // of the next input

	now    int64    // own ticks since the half began: all that it knows of time
	expect sim.Tick // about what tick the next snapshot is of
	ring   buffer
	spare  picture
	last   []geom.Pose // as last received
	coder  quant.Coder

	frames *delta.Reader // from level quantised on
	heard  int64         // moment of the last snapshot
	plain  bool          // the newest has no velocities, asked for or not
	torn   uint64        // packets of which fragments were missing

	running bool  // the clock: the first snapshot has come
	origin  int64 // moment of that snapshot less the own one at which it came
	begun   bool  // something has been drawn since
	start   sim.Tick
	reached sim.Tick // of the newest snapshot of which anything has been drawn
	starved int      // ticks in a row
	drift   drift

	drawn   []geom.Pose
	touched []int8
	shows   sim.Tick
	shown   int64                   // the same in parts of ticks
	trail   history.Ring[geom.Pose] // of the player's cube, by own ticks
}

func newClient(env *predict.Env) predict.Client {
	at := env.World.Tick()
	c := &client{env: env, tick: at, expect: at, shows: at, shown: int64(at) * part, trail: history.New[geom.Pose](trailTicks)}
	c.frames = delta.NewReader(delta.Quantised, len(env.World.Bodies()))
	k, m := env.Knobs, env.Counters
	c.set.declare(k)
	k.Millis(&c.delay, "delay", 0, 0, 3000, "by how much the picture is behind the newest snapshot, at most 62 send intervals; 0 for the rule: survive and one intervals, and room for jitter")
	k.Int(&c.survive, "survive", 2, 0, 20, "the rule: so many snapshots lost in a row do not stop the picture")
	c.out.Declare(env)
	m.Declare("delay_ms", "by how much the picture is behind the newest snapshot if nothing is late, now")
	m.Declare("snapshots_arrived", "snapshots that came whole")
	m.Declare("snapshots_torn", "snapshots that were lost because not all of their fragments came")
	m.Declare("snapshots_late", "of those, the ones that came when the picture was past them")
	m.Declare("snapshots_ahead", "snapshots that wait for their moment, now")
	m.Declare("starved_ticks", "ticks in which the picture stood still for want of a snapshot")
	m.Declare("starvations", "how often it came to stand still")
	m.Declare("starvation_max_ms", "the longest that it stood still")
	m.Declare("restarts", "how often the client began again, because what it showed had gone or all came too late")
	m.Declare("clock_behind_ticks", "ticks by which the client's clock is behind its aim, now")
	m.Declare("refused", "payloads that were no message")
	c.drawn = predict.Poses(nil, env.World.Bodies())
	return c
}

// Tick takes in what has come, draws the picture of this tick, and sends what
// the player does.
func (c *client) Tick(in sim.Input, server *packet.Endpoint) {
	c.now++
	c.expect++
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		c.receive(p.Payload)
	}
	c.steer()
	c.env.Counters.Add("snapshots_torn", float64(server.Stats.Abandoned-c.torn))
	c.torn = server.Stats.Abandoned
	if c.set.interpolation == onArrival {
		c.showNewest()
	} else {
		c.play()
	}
	*c.trail.Put(sim.Tick(c.now)) = c.drawn[max(c.env.Player, 0)]
	if c.env.Player < 0 {
		server.Send(nil)
		return
	}
	c.out.Add(c.tick, in)
	c.tick++
	c.out.Send(server, c.tick)
}

// silence is for how many ticks nothing may come before the frames that came
// before are forgotten, since their numbers wrap. None of them can be a base then.
const silence = 1 << 14

// receive takes in a snapshot.
func (c *client) receive(payload []byte) {
	m, s := c.env.Counters, &c.spare
	if c.now-c.heard > silence {
		c.frames = delta.NewReader(delta.Quantised, len(c.env.World.Bodies()))
	}
	if s.read(&c.coder, payload, c.env.World.Scene(), c.expect, c.frames) != nil {
		m.Add("refused", 1)
		return
	}
	m.Add("snapshots_arrived", 1)
	c.heard = c.now
	if c.running && c.starved >= c.env.World.Rate() && int64(s.tick)*part <= c.view(c.delayNow()) {
		c.restart() // the picture has stood still for a second, and this is past all the same
	}
	if c.running {
		c.note(s.tick)
	}
	late := c.begun && s.tick <= c.start
	if newest := c.ring.newest(); newest == nil || s.tick > newest.tick {
		c.expect, c.plain = s.tick, !s.velocities
		c.last = c.last[:0]
		for i := range s.looks {
			c.last = append(c.last, s.looks[i].pose)
		}
	}
	tick := s.tick
	if late || !c.ring.put(s) {
		m.Add("snapshots_late", 1)
		return
	}
	c.ring.forget(int64(tick) - ringSize*int64(c.set.every))
	if !c.running {
		c.running, c.origin = true, (int64(tick)-c.now)*part
		c.drift.start(int64(tick), c.env.World.Rate())
		c.note(tick)
	}
}

// restart forgets all that has come. The picture stands until the clock, which
// the next snapshot starts, says otherwise.
func (c *client) restart() {
	c.env.Counters.Add("restarts", 1)
	c.ring.n, c.running, c.begun = 0, false, false
}

// roomIntervals and roomMost are the rule's room for jitter: two send intervals,
// at most 50 ms. With two losses to survive that makes 350 ms at 10 snapshots a
// second, 150 at 30 and 83 at 60, for which the article says 350, 150 and 85; and
// with one or none at 10 a second 250 and 150, as it says, too.
const (
	roomIntervals = 2
	roomMost      = 50 // ms
)

// delayNow is the delay in force, in parts of ticks.
func (c *client) delayNow() int64 {
	rate, interval := c.env.World.Rate(), int64(c.set.every)*part
	delay := parts(c.delay, rate)
	if c.delay == 0 {
		room := min(roomIntervals*interval, parts(roomMost, rate))
		ahead := c.set.extrapolate
		if c.plain {
			ahead = 0 // by nothing that is known
		}
		delay = max(int64(c.survive+1)*interval+room-parts(ahead, rate), 0)
	}
	return min(delay, (ringSize-2)*interval)
}

// view is the moment of the server that the buffer is asked for now.
func (c *client) view(delay int64) int64 { return c.now*part + c.origin - delay }

// showNewest draws the last snapshot as it is.
func (c *client) showNewest() {
	c.env.Counters.Set("delay_ms", 0)
	c.env.Counters.Set("snapshots_ahead", 0)
	if s := c.ring.newest(); s != nil {
		c.starved = 0
		c.show(s, s, 0, int64(s.tick)*part)
	}
}

// play draws the moment that the clock says, if it lies between two snapshots;
// if not, the picture stands.
func (c *client) play() {
	m, rate := c.env.Counters, c.env.World.Rate()
	delay := c.delayNow()
	m.Set("delay_ms", millis(delay, rate))
	if !c.running {
		c.starve()
		return
	}
	interval := int64(c.set.every)
	reach := max(delay/(interval*part), 1) * interval
	view := c.view(delay)
	start, end := c.ring.around(view, int(reach))
	m.Set("snapshots_ahead", float64(c.ring.ahead(view)))
	switch at := view - startOf(start); {
	case start == nil && c.begun:
		c.restart() // what it started from has fallen out of the ring
		c.starve()
		return
	case start == nil:
		c.starve() // the first is yet to come
		return
	case at == 0:
		c.show(start, start, 0, view)
	case end == nil:
		c.start = start.tick
		c.starve()
		return
	default:
		c.show(start, end, float32(float64(at)/float64(int64(end.tick-start.tick)*part)), view)
	}
	c.starved = 0
}

func startOf(s *picture) int64 {
	if s == nil {
		return 0
	}
	return int64(s.tick) * part
}

// starve counts a tick in which there is nothing to draw; those before the first
// picture do not count.
func (c *client) starve() {
	m := c.env.Counters
	if len(c.touched) == 0 {
		return
	}
	if c.starved == 0 {
		m.Add("starvations", 1)
	}
	c.starved++
	m.Add("starved_ticks", 1)
	m.Set("starvation_max_ms", max(m.Value("starvation_max_ms"), float64(float64(c.starved)*1000)/float64(c.env.World.Rate())))
}

// show draws the bodies at share of the way from one snapshot to another. What
// is either so or not is as in the first.
func (c *client) show(start, end *picture, share float32, view int64) {
	c.begun, c.start, c.reached = true, start.tick, start.tick
	if share > 0 {
		c.reached = end.tick
	}
	rate := c.env.World.Rate()
	between := float32(end.tick-start.tick) / float32(rate)
	ahead := float32(0)
	if c.set.interpolation != onArrival && start.velocities && end.velocities {
		ahead = float32(c.set.extrapolate / 1000)
		view += parts(c.set.extrapolate, rate)
	}
	curved := c.set.interpolation == hermite && start.velocities && end.velocities
	c.shows, c.shown = nearest(view), view
	c.drawn, c.touched = c.drawn[:0], c.touched[:0]
	for i := range start.looks {
		a, b := &start.looks[i], &end.looks[i]
		from, to := a.pose.Pos.Plus(ahead, a.linear), b.pose.Pos.Plus(ahead, b.linear)
		var p geom.Pose
		if curved {
			p.Pos = smoothing.Hermite(from, a.linear.Scale(between), to, b.linear.Scale(between), share)
		} else {
			p.Pos = from.Plus(share, to.Sub(from))
		}
		if p.Rot = a.pose.Rot; p.Rot != b.pose.Rot {
			p.Rot = geom.Slerp(a.pose.Rot, b.pose.Rot, share)
		}
		c.drawn = append(c.drawn, p)
		c.touched = append(c.touched, a.touched)
	}
}

// View shows what was drawn. Nothing of it is smoothed, so it is raw as well.
// The trail is the way on which the player's cube was drawn, kinks and all.
func (c *client) View(v *predict.View) {
	v.Tick, v.Part = c.shows, sixteenths(c.shown-int64(c.shows)*part)
	v.Bodies = append(v.Bodies, c.drawn...)
	v.Simulated = append(v.Simulated, c.drawn...)
	v.LastReceived = append(v.LastReceived, c.last...)
	v.Touched = append(v.Touched, c.touched...)
	for t := max(c.now-trailTicks, 0); t < c.now; t++ {
		if p := c.trail.At(sim.Tick(t)); p != nil {
			v.Trail = append(v.Trail, *p)
		}
	}
}

// Inspect tells how far what is drawn, or would be had it come, is beyond the
// snapshot that it starts from: all bodies are as old.
func (c *client) Inspect(l *predict.Inspection) {
	if !c.begun {
		return
	}
	age := int64(c.shows) - int64(c.start) + int64(c.starved)
	if c.set.interpolation == onArrival {
		age = int64(c.expect) - int64(c.start)
	}
	for range c.drawn {
		l.Age = append(l.Age, int32(max(age, 0)))
	}
}

func (c *client) CopyFrom(from predict.Client) {
	o := from.(*client)
	c.set, c.delay, c.survive = o.set, o.delay, o.survive
	c.out.CopyFrom(&o.out)
	c.tick, c.now, c.expect = o.tick, o.now, o.expect
	c.ring.copyFrom(&o.ring)
	c.running, c.origin, c.begun, c.start, c.starved = o.running, o.origin, o.begun, o.start, o.starved
	c.reached = o.reached
	c.drift = o.drift
	c.frames.CopyFrom(o.frames)
	c.heard, c.plain, c.torn = o.heard, o.plain, o.torn
	c.last = append(c.last[:0], o.last...)
	c.trail.CopyFrom(&o.trail, history.Plain[geom.Pose])
	c.drawn, c.touched, c.shows = append(c.drawn[:0], o.drawn...), append(c.touched[:0], o.touched...), o.shows
	c.shown = o.shown
}
