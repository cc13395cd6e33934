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
// and stepped with it, from where they were shown and as fast. They are held again
// when the picture of the others has come to the moment in which they were last near
// anything that moves here: then it shows what has become of that.
type others struct {
	way   int
	after float64 // ms
	each  []other
	found []int32
	many  int // loose ones
	rate  int
	meter *predict.Meter
}

// other is one of them.
type other struct {
	loose bool
	near  sim.Tick // the own tick in which it was last near what moves here
	from  sim.Body // what it did when it was held again, and would be by now
	away  float32  // share of the way that is left from there to where it is shown, in [0,1]
}

func (o *others) declare(env *predict.Env) {
	k, m := env.Knobs, env.Meter
	k.Choice(&o.way, "others", static, []string{"static", "dynamic"}, "the bodies that others move are held where they are shown, and stand like walls; or those that the own cube touches, directly or through others, are stepped with it until the picture of the others has caught up")
	k.Millis(&o.after, "loose-for", 500, 0, 10000, "others=dynamic: how much longer they are stepped, before they glide to where they are shown, in switch-blend")
	m.Declare("loose_bodies", "bodies of others that the client steps, now")
	m.Declare("let_loose", "times that one was let loose")
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
		if int(j) == own {
			continue
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
		o.many++
		w.Hold(int(j), false)
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
	w.Hold(i, true)
	return true
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
	each, found, meter := append(o.each[:0], from.each...), o.found, o.meter
	*o = *from
	o.each, o.found, o.meter = each, found, meter
}
