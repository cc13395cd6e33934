package predicted

import (
	"ghostcube/predict"
	"ghostcube/sim/geom"
)

// why says why the own body is not shown predicted.
type why uint8

const (
	shownAhead why = iota // it is
	corrected             // it was corrected too often
	collided              // it was pushed by what is held too often
)

var whyNotes = [...]string{corrected: "prediction is off: corrected too often", collided: "prediction is off: dirty collisions"}

// policy is when the own body is shown late, as all others are, because its
// prediction would only jerk: after many corrections, or when it runs against what is
// held again and again. The prediction goes on unseen meanwhile, and is shown again
// when it has had nothing of the kind for a while. What goes to the server is the same.
type policy struct {
	often  int     // corrections within the window; 0: never
	from   float64 // metres
	dirty  int     // ticks within the window; 0: never
	deep   float64 // metres
	window float64 // ms
	back   float64 // ms
	clean  float64 // ms
	blend  float64 // ms

	why    why
	now    int64   // own ticks
	fixes  events  // corrections that count
	hits   events  // ticks of dirty collisions
	since  int64   // when it was last switched
	at     int64   // our tick that the newest state compared is of
	bad    int64   // that of the last one that was off, or when it was switched
	times  int     // that it was switched off
	longer int64   // times the usual wait, until prediction is shown again
	late   float32 // share of the way of the picture from predicted to late, in [0,1]
	rate   int
	meter  *predict.Counters
}

// longest is how many times the usual wait there is at most.
const longest = 8

func (p *policy) declare(env *predict.Env) {
	k, m := env.Knobs, env.Counters
	k.Int(&p.often, "switch-off", 0, 0, eventsKept, "corrections within switch-window after which the own cube is shown late, as the others are, and its prediction goes on unseen; 0 never")
	k.Float(&p.from, "switch-from", 0.02, 0, 10, "metres that a correction must add to count for that")
	k.Millis(&p.window, "switch-window", 1000, 50, 10000, "the time in which corrections, or ticks of dirty collisions, are counted")
	k.Millis(&p.back, "switch-back", 1000, 0, 30000, "the own cube is shown predicted again when what is predicted unseen has had no correction that counts, and no tick of a dirty collision, for so long; twice as long if it had only just come back, up to eight times")
	k.Millis(&p.blend, "switch-blend", 500, 0, 5000, "the time in which the picture of the own cube glides from predicted to late, and back")
	k.Int(&p.dirty, "dirty", 0, 0, eventsKept, "ticks within switch-window in which the own body is in one that is held, after which it is shown late; 0 never")
	k.Float(&p.deep, "dirty-deep", 0.01, 0, 1, "metres that it is in it by to count for that")
	k.Millis(&p.clean, "dirty-for", 1000, 0, 30000, "after a switch by dirty: the same as switch-back")
	m.Declare("switched_off", "times that the own body's prediction was switched off")
	m.Declare("off_ticks", "ticks in which it was off")
	m.Declare("off_corrections", "corrections in those ticks, which nobody saw")
	m.Declare("dirty_ticks", "ticks in which the own body was in one that is held, by more than dirty-deep")
	p.meter, p.rate, p.longer = m, env.World.Rate(), 1
}

// on reports whether any of it can switch.
func (p *policy) on() bool { return p.often > 0 || p.dirty > 0 }

// correct takes in a correction of so many metres.
func (p *policy) correct(metres float32) {
	if p.why != shownAhead {
		p.meter.Add("off_corrections", 1)
	}
	if metres >= float32(p.from) {
		p.bad = p.at
		p.fixes.add(p.now)
	}
}

// collide takes in how deep the own body was in what is held when a tick began.
func (p *policy) collide(depth float32) {
	if depth > float32(p.deep) {
		p.meter.Add("dirty_ticks", 1)
		p.hits.add(p.now)
	}
}

// tick judges what has come since the last one, and moves the picture.
func (p *policy) tick() {
	p.now++
	window := p.ticks(p.window)
	switch {
	case p.why != shownAhead:
		p.meter.Add("off_ticks", 1)
		if p.calm() {
			p.why, p.since = shownAhead, p.now
		}
	case p.fixes.often(p.often, p.now-window):
		p.turnOff(corrected)
	case p.hits.often(p.dirty, p.now-window):
		p.turnOff(collided)
	}
	step := 1 / float32(max(p.ticks(p.blend), 1))
	if p.why == shownAhead {
		step = -step
	}
	p.late = geom.Clamp(p.late+step, 0, 1)
}

// turnOff switches the prediction off. If it had not been on for long the next wait
// is longer.
func (p *policy) turnOff(reason why) {
	usual := p.ticks(max(p.back, p.clean))
	if p.times > 0 && p.now-p.since < 2*usual*p.longer {
		p.longer = min(2*p.longer, longest)
	} else {
		p.longer = 1
	}
	p.why, p.since, p.bad = reason, p.now, p.at
	p.times++
	p.meter.Add("switched_off", 1)
}

// calm reports whether what is predicted unseen has agreed for long enough: whatever it
// was that switched it off, there was no dirty collision, and states have come of as many
// ticks without a correction that counts. That nothing comes is no agreement.
func (p *policy) calm() bool {
	if !p.on() {
		return true
	}
	wait := p.back
	if p.why == collided {
		wait = p.clean
	}
	long := p.ticks(wait) * p.longer
	return p.now-max(p.fixes.last(), p.hits.last(), p.since) >= long && p.at-p.bad >= long
}

func (p *policy) ticks(millis float64) int64 { return int64(float64(millis*float64(p.rate))) / 1000 }

// mix is the picture of the own body, between the predicted one and the late one: it
// leaves and arrives slowly.
func (p *policy) mix(ahead, late geom.Pose) geom.Pose {
	switch p.late {
	case 0:
		return ahead
	case 1:
		return late
	}
	return geom.Blend(ahead, late, eased(p.late))
}

// eased is a share that leaves 0 and arrives at 1 slowly.
func eased(s float32) float32 { return float32(float32(s*s) * (3 - float32(2*s))) }

// tell says which bodies are shown ahead, which are treated otherwise than usual, and
// why the own one is.
func (c *client) tell(v *predict.View) {
	ahead := c.policy.why == shownAhead
	for i := range c.env.World.Bodies() {
		v.Predicted = append(v.Predicted, c.shown.Left(i) && ahead || c.others.each[i].loose)
		if c.policy.on() || c.others.way == dynamic {
			v.Fallback = append(v.Fallback, c.shown.Left(i) && !ahead || c.others.each[i].loose)
		}
	}
	if !ahead {
		v.Note = whyNotes[c.policy.why]
	} else if c.others.many > 0 && v.Note == "" {
		v.Note = "what is touched is stepped here"
	}
}

func (p *policy) copyFrom(o *policy) {
	meter := p.meter
	*p = *o
	p.meter = meter
}

// eventsKept is how many events are remembered.
const eventsKept = 120

// events are the moments of the last ones of something. The zero value has none.
type events struct {
	at    [eventsKept]int64
	count int
}

func (e *events) add(at int64) {
	e.at[e.count%eventsKept] = at
	e.count++
}

// often reports whether n of them came after a moment; of 0 it is never so.
func (e *events) often(n int, after int64) bool {
	return n > 0 && e.count >= n && e.at[(e.count-n)%eventsKept] > after
}

// last is the moment of the last one, or long ago.
func (e *events) last() int64 {
	if e.count == 0 {
		return -1 << 32
	}
	return e.at[(e.count-1)%eventsKept]
}
