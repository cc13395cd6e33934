package predicted

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The ways to treat the bodies that the player does not drive.
const (
	static = iota
	dynamic
)

// others are those bodies. With static all are held where they are shown. With dynamic
// those that the own body is about to touch, directly or through others, are let loose
// and stepped with it, from where they were shown and as fast, and what the server says
// of them is compared with their past, as it is of the own body. They are held again
// some time after the picture of the others has come to the moment in which they were let
// loose, or last near the own body: then it shows what has become of that.
type others struct {
	way   int
	after float64 // ms
	each  []other
	past  []then // of each body the ticks of the last second; empty until one is let loose
	found []int32
	many  int // loose ones
	rate  int
	meter *predict.Counters
}

// other is one of them.
type other struct {
	loose bool
	since sim.Tick   // the own tick in which it was let loose
	near  sim.Tick   // that, or the one in which it was last near the own body
	left  difference // that is to be given in doses, while it is loose
	from  sim.Body   // what it did when it was held again, and would be by now
	away  float32    // share of the way that is left from there to where it is shown, in [0,1]
}

// then is what a body did when a tick began.
type then struct {
	tick sim.Tick
	body sim.Body
}

func (o *others) declare(env *predict.Env) {
	k, m := env.Knobs, env.Counters
	k.Choice(&o.way, "others", static, []string{"static", "dynamic"}, "the bodies that others move are held where they are shown, and stand like walls; or those that the own cube touches, directly or through others, are stepped with it until the picture of the others has caught up")
	k.Millis(&o.after, "loose-for", 2000, 0, 10000, "others=dynamic: how much longer they are stepped, before they glide to where they are shown, in switch-blend")
	m.Declare("loose_bodies", "bodies of others that the client steps, now")
	m.Declare("let_loose", "times that one was let loose")
	m.Declare("loose_corrections", "times that one was corrected while it was")
	o.each = make([]other, len(env.World.Bodies()))
	o.found = make([]int32, 0, len(env.World.Bodies()))
	o.meter, o.rate = m, env.World.Rate()
}

// reach is how near a body must come to be let loose, besides what moves in two ticks:
// metres.
const reach = 0.05

// release lets loose what is near the own body and what is near one that is loose and
// moves. A body begins as motion says.
func (o *others) release(w *sim.World, own int, motion func(i int) sim.Body) {
	if o.way != dynamic {
		return
	}
	o.spread(w, own, own, motion)
	for i := range o.each {
		if o.each[i].loose && !w.Bodies()[i].Asleep {
			o.spread(w, own, i, motion)
		}
	}
}

// spread lets loose what is near body i.
func (o *others) spread(w *sim.World, own, i int, motion func(i int) sim.Body) {
	b := &w.Bodies()[i]
	if b.Asleep {
		return
	}
	o.found = w.Near(i, reach+float32(2*b.Linear.Len())/float32(o.rate), o.found[:0])
	for _, j := range o.found {
		x := &o.each[j]
		if int(j) == own || !x.loose && !w.IsKinematic(int(j)) {
			continue // it is stepped anyway
		}
		if i == own || !x.loose {
			x.near = w.Tick()
		}
		if x.loose {
			continue
		}
		start := motion(int(j))
		start.Pose = w.Bodies()[j].Pose
		x.loose = true
		x.since, x.left = w.Tick(), difference{rot: geom.Identity}
		if o.many++; len(o.past) == 0 {
			o.past = make([]then, o.rate*len(o.each))
		}
		w.SetKinematic(int(j), false)
		w.SetBody(int(j), start)
		o.meter.Add("let_loose", 1)
	}
}

// hold holds body i again if it may be, and returns whether it is held. shown is the
// own tick that the picture of the others has come to, off that all are to be held.
func (o *others) hold(w *sim.World, i int, shown int64, off bool) bool {
	x := &o.each[i]
	if !x.loose {
		return true
	}
	if o.way == dynamic && !off && shown < int64(x.near)+o.ticks(o.after) {
		return false
	}
	x.loose, x.from, x.away = false, w.Bodies()[i], 1
	o.many--
	w.SetKinematic(i, true)
	return true
}

// at is what body i did at a tick, or nil if that is not known.
func (o *others) at(i int, t sim.Tick) *then {
	if e := o.place(i, t); e.tick == t {
		return e
	}
	return nil
}

// place is where what body i did at a tick is remembered.
func (o *others) place(i int, t sim.Tick) *then {
	return &o.past[i*o.rate+int(t%sim.Tick(o.rate))]
}

// remember notes where what is loose is, or will be when all doses are given, as a tick
// begins.
func (o *others) remember(w *sim.World) {
	if o.many == 0 {
		return
	}
	t := w.Tick()
	for i := range o.each {
		if x := &o.each[i]; x.loose {
			b := w.Bodies()[i]
			x.left.add(&b)
			*o.place(i, t) = then{t, b}
		}
	}
}

// pull does for what is loose what compare does for the own body: what the server's
// state of our tick at is off by, or a share of it, is added to what is remembered since,
// and to what is to be given.
func (c *client) pull(at, now sim.Tick) {
	o := &c.others
	if o.many == 0 {
		return
	}
	for i := range o.each {
		x := &o.each[i]
		if !x.loose || at <= x.since || o.at(i, at) == nil {
			continue
		}
		d, ok := c.doses.find(&c.shown.Receiver().Bodies[i], &o.at(i, at).body)
		if !ok {
			continue
		}
		for t := at; t <= now; t++ {
			if e := o.at(i, t); e != nil {
				d.add(&e.body)
			}
		}
		x.left.take(&d)
		o.meter.Add("loose_corrections", 1)
	}
}

// dose gives what is loose a share of what is left.
func (o *others) dose(w *sim.World, share float32) {
	if o.many == 0 {
		return
	}
	for i := range o.each {
		x := &o.each[i]
		if !x.loose || x.left == (difference{rot: geom.Identity}) {
			continue
		}
		b := w.Bodies()[i]
		d := x.left.part(share)
		d.add(&b)
		b.Asleep = false
		w.SetBody(i, b)
	}
}

// take adds another difference.
func (d *difference) take(o *difference) {
	d.pos, d.lin, d.ang = d.pos.Add(o.pos), d.lin.Add(o.lin), d.ang.Add(o.ang)
	if o.rot != geom.Identity {
		d.rot = o.rot.Mul(d.rot).Unit()
	}
}

// part takes a share of the difference, or what little is left of it.
func (d *difference) part(share float32) (p difference) {
	p = difference{part(&d.pos, share, dust), part(&d.lin, share, dustPace), part(&d.ang, share, dustPace), d.rot}
	if d.rot == geom.Identity {
		return p
	}
	if p.rot.Angle() > dust {
		p.rot = p.rot.Share(share)
		d.rot = d.rot.Mul(p.rot.Inverse()).Unit()
	} else {
		d.rot = geom.Identity
	}
	return p
}

// pose is where body i is held that is shown at a pose: there, or on its way from
// where it would have gone on to. The way takes so many ticks.
func (o *others) pose(i int, shown geom.Pose, ticks int64) geom.Pose {
	x := &o.each[i]
	if x.away == 0 {
		return shown
	}
	x.away = max(x.away-1/float32(max(ticks, 1)), 0)
	x.from.Pose.Pos = x.from.Pose.Pos.Plus(1/float32(o.rate), x.from.Linear)
	return geom.Blend(shown, x.from.Pose, eased(x.away))
}

func (o *others) ticks(millis float64) int64 {
	return int64(float64(millis*float64(o.rate))) / 1000
}

func (o *others) copyFrom(from *others) {
	each, past, found, meter := append(o.each[:0], from.each...), append(o.past[:0], from.past...), o.found, o.meter
	*o = *from
	o.each, o.past, o.found, o.meter = each, past, found, meter
}
