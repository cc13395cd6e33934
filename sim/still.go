package sim

// Moment is a time between ticks, in parts of a tick.
type Moment int64

// MomentsPerTick is how many parts a tick has.
const MomentsPerTick = 1 << 16

// Moment returns the moment at which a tick begins.
func (t Tick) Moment() Moment { return Moment(t) * MomentsPerTick }

// at is the moment as a path counts it.
func (m Moment) at(rate int) moment {
	m = max(m, 0)
	return moment{Tick(m / MomentsPerTick), int(m % MomentsPerTick), MomentsPerTick, rate}
}

// still says whether the carriers are held, and where.
type still struct {
	on    bool
	moved bool // put elsewhere since the last step
	at    Moment
}

// PinCarriers holds all carriers where they are at a moment, until FreeCarriers. They
// have no velocity then: what stands on one stays behind when it is held at another
// moment, and what is in the way of one that is put elsewhere is woken, and pushed out
// as it is out of what stands still. It is no part of a State: Load, Relabel and SetBody
// change nothing of it. A moment before the first tick is the first tick's.
func (w *World) PinCarriers(m Moment) {
	if m = max(m, 0); w.still.on && w.still.at == m || len(w.carried) == 0 {
		return
	}
	w.still.on, w.still.moved, w.still.at = true, true, m
	for i := range w.courses {
		p := &w.scene.Carriers[i].Path
		along := p.along(m.at(w.rate))
		w.courses[i] = course{centre: p.Centre.Plus(float32(along), p.Travel)}
	}
	for i := range w.carried {
		b := &w.carried[i]
		s := &w.solids[w.firstCarried+i]
		then := *s
		s.place(w.scene.Carriers[b.path].Path.PoseAt(b.start, m, w.rate))
		b.lo, b.hi = s.lo, s.hi
		if then.pose != s.pose {
			b.stretch(&then)
			w.courses[b.path].moves = true // in the next step
		}
	}
}

// settle is the end of a step in which carriers were held: they have been put where
// they are, and do not move.
func (w *World) settle() {
	if !w.still.moved {
		return
	}
	w.still.moved = false
	for i := range w.courses {
		w.courses[i].moves = false
	}
	for i := range w.carried {
		s := &w.solids[w.firstCarried+i]
		w.carried[i].lo, w.carried[i].hi = s.lo, s.hi
	}
}

// UnpinCarriers lets carriers go: they are where the tick has them again, as if they
// had never been held.
func (w *World) UnpinCarriers() {
	if w.still.on {
		w.still = still{}
		w.carry()
	}
}

// CarrierMoment returns the moment at which the carriers are: the tick's, unless they
// are held.
func (w *World) CarrierMoment() Moment {
	if w.still.on {
		return w.still.at
	}
	return w.tick.Moment()
}
