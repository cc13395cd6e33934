package predicted

import (
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// The ways to treat the bodies that the player does not drive.
const (
	remoteKinematic = iota
	remoteDynamic
)

// remoteBodies are those bodies. With static all are held where they are shown. With dynamic
// those that the own body is about to touch, directly or through others, are let loose
// and stepped with it, from where they were shown and as fast, and what the server says
// of them is compared with their past, as it is of the own body. They are held again
// some time after the picture of the others has come to the moment in which they were let
// loose, or last near the own body: then it shows what has become of that.
type remoteBodies struct {
	mode           int
	simulateTime   float64 // ms
	bodies         []remoteBody
	history        []pastBody // of each body the ticks of the last second; empty until one is let loose
	nearby         []int32
	simulatedCount int // loose ones
	rate           int
	counters       *predict.Counters
}

// remoteBody is one of them.
type remoteBody struct {
	simulated  bool
	startTick  sim.Tick        // the own tick in which it was let loose
	nearTick   sim.Tick        // that, or the one in which it was last near the own body
	pending    smoothing.Shift // that is to be given in doses, while it is loose
	blendFrom  sim.Body        // what it did when it was held again, and would be by now
	blendShare float32         // share of the way that is left from there to where it is shown, in [0,1]
}

// pastBody is what a body did when a tick began.
type pastBody struct {
	tick sim.Tick
	body sim.Body
}

func (o *remoteBodies) declare(env *predict.Env) {
	k, m := env.Knobs, env.Counters
	k.Choice(&o.mode, "remote-bodies", remoteKinematic, []string{"kinematic", "dynamic"}, "the bodies that others move are held where they are shown, and stand like walls; or those that the own cube touches, directly or through others, are stepped with it until the picture of the others has caught up")
	k.Millis(&o.simulateTime, "simulate-time", 2000, 0, 10000, "others=dynamic: how much longer they are stepped, before they glide to where they are shown, in fallback-blend")
	m.Declare("simulated_bodies", "bodies of others that the client steps, now")
	m.Declare("simulation_starts", "times that one was let loose")
	m.Declare("remote_corrections", "times that one was corrected while it was")
	o.bodies = make([]remoteBody, len(env.World.Bodies()))
	o.nearby = make([]int32, 0, len(env.World.Bodies()))
	o.counters, o.rate = m, env.World.Rate()
}

// touchDistance is how near a body must come to be let loose, besides what moves in two ticks:
// metres.
const touchDistance = 0.05

// simulateTouched lets loose what is near the own body and what is near one that is loose and
// moves. A body begins as motion says.
func (o *remoteBodies) simulateTouched(w *sim.World, own int, motion func(i int) sim.Body) {
	if o.mode != remoteDynamic {
		return
	}
	o.simulateNear(w, own, own, motion)
	for i := range o.bodies {
		if o.bodies[i].simulated && !w.Bodies()[i].Asleep {
			o.simulateNear(w, own, i, motion)
		}
	}
}

// simulateNear lets loose what is near body i.
func (o *remoteBodies) simulateNear(w *sim.World, own, i int, motion func(i int) sim.Body) {
	b := &w.Bodies()[i]
	if b.Asleep {
		return
	}
	o.nearby = w.NearbyBodies(i, touchDistance+float32(2*b.Linear.Len())/float32(o.rate), o.nearby[:0])
	for _, j := range o.nearby {
		x := &o.bodies[j]
		if int(j) == own || !x.simulated && !w.IsKinematic(int(j)) {
			continue // it is stepped anyway
		}
		if i == own || !x.simulated {
			x.nearTick = w.Tick()
		}
		if x.simulated {
			continue
		}
		start := motion(int(j))
		start.Pose = w.Bodies()[j].Pose
		x.simulated = true
		x.startTick, x.pending = w.Tick(), smoothing.Shift{}
		if o.simulatedCount++; len(o.history) == 0 {
			o.history = make([]pastBody, o.rate*len(o.bodies))
		}
		w.SetKinematic(int(j), false)
		w.SetBody(int(j), start)
		o.counters.Add("simulation_starts", 1)
	}
}

// makeKinematicIfDue holds body i again if it may be, and returns whether it is held. shown is the
// own tick that the picture of the others has come to, off that all are to be held.
func (o *remoteBodies) makeKinematicIfDue(w *sim.World, i int, shown int64, off bool) bool {
	x := &o.bodies[i]
	if !x.simulated {
		return true
	}
	if o.mode == remoteDynamic && !off && shown < int64(x.nearTick)+o.millisToTicks(o.simulateTime) {
		return false
	}
	x.simulated, x.blendFrom, x.blendShare = false, w.Bodies()[i], 1
	o.simulatedCount--
	w.SetKinematic(i, true)
	return true
}

// find is what body i did at a tick, or nil if that is not known.
func (o *remoteBodies) find(i int, t sim.Tick) *pastBody {
	if e := o.slot(i, t); e.tick == t {
		return e
	}
	return nil
}

// slot is where what body i did at a tick is remembered.
func (o *remoteBodies) slot(i int, t sim.Tick) *pastBody {
	return &o.history[i*o.rate+int(t%sim.Tick(o.rate))]
}

// record notes where what is loose is, or will be when all doses are given, as a tick
// begins.
func (o *remoteBodies) record(w *sim.World) {
	if o.simulatedCount == 0 {
		return
	}
	t := w.Tick()
	for i := range o.bodies {
		if x := &o.bodies[i]; x.simulated {
			b := w.Bodies()[i]
			x.pending.ApplyTo(&b)
			*o.slot(i, t) = pastBody{t, b}
		}
	}
}

// reconcileRemote does for what is loose what compare does for the own body: what the server's
// state of our tick at is off by, or a share of it, is added to what is remembered since,
// and to what is to be given.
func (c *client) reconcileRemote(at, now sim.Tick) {
	o := &c.remote
	if o.simulatedCount == 0 {
		return
	}
	for i := range o.bodies {
		x := &o.bodies[i]
		if !x.simulated || at <= x.startTick || o.find(i, at) == nil {
			continue
		}
		d, ok := c.correction.Compare(&c.interpolated.Receiver().Bodies[i], &o.find(i, at).body)
		if !ok {
			continue
		}
		for t := at; t <= now; t++ {
			if e := o.find(i, t); e != nil {
				d.ApplyTo(&e.body)
			}
		}
		x.pending.Add(&d)
		o.counters.Add("remote_corrections", 1)
	}
}

// correct gives what is loose a share of what is left.
func (o *remoteBodies) correct(w *sim.World, share float32) {
	if o.simulatedCount == 0 {
		return
	}
	for i := range o.bodies {
		x := &o.bodies[i]
		if !x.simulated || x.pending.IsZero() {
			continue
		}
		b := w.Bodies()[i]
		d := x.pending.Take(share)
		d.ApplyTo(&b)
		b.Asleep = false
		w.SetBody(i, b)
	}
}

// kinematicPose is where body i is held that is shown at a pose: there, or on its way from
// where it would have gone on to. The way takes so many ticks.
func (o *remoteBodies) kinematicPose(i int, shown geom.Pose, ticks int64) geom.Pose {
	x := &o.bodies[i]
	if x.blendShare == 0 {
		return shown
	}
	x.blendShare = max(x.blendShare-1/float32(max(ticks, 1)), 0)
	x.blendFrom.Pose.Pos = x.blendFrom.Pose.Pos.AddScaled(1/float32(o.rate), x.blendFrom.Linear)
	return smoothing.LerpPose(shown, x.blendFrom.Pose, smoothing.Smoothstep(x.blendShare))
}

func (o *remoteBodies) millisToTicks(millis float64) int64 {
	return int64(float64(millis*float64(o.rate))) / 1000
}

func (o *remoteBodies) copyFrom(from *remoteBodies) {
	each, past, found, meter := append(o.bodies[:0], from.bodies...), append(o.history[:0], from.history...), o.nearby, o.counters
	*o = *from
	o.bodies, o.history, o.nearby, o.counters = each, past, found, meter
}
