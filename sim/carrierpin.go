package sim

// carrierPin says whether the carriers are held, and where.
type carrierPin struct {
	active bool
	moved  bool // put elsewhere since the last step
	at     Moment
}

// PinCarriers holds all carriers where they are at a moment, until FreeCarriers. They
// have no velocity then: what stands on one stays behind when it is held at another
// moment, and what is in the way of one that is put elsewhere is woken, and pushed out
// as it is out of what stands still. It is no part of a State: Load, Relabel and SetBody
// change nothing of it. A moment before the first tick is the first tick's.
func (w *World) PinCarriers(m Moment) {
	if m = max(m, 0); w.pin.active && w.pin.at == m || len(w.carrierBoxes) == 0 {
		return
	}
	w.pin.active, w.pin.moved, w.pin.at = true, true, m
	for i := range w.carrierMotions {
		p := &w.scene.Carriers[i].Path
		progress := p.progress(m.pathTime(w.rate))
		w.carrierMotions[i] = carrierMotion{centre: p.Centre.AddScaled(float32(progress), p.Travel)}
	}
	for i := range w.carrierBoxes {
		b := &w.carrierBoxes[i]
		s := &w.shapes[w.firstCarrierShape+i]
		previous := *s
		s.setPose(w.scene.Carriers[b.carrier].Path.PoseAt(b.start, m, w.rate))
		w.carrierBounds[i] = s.aabb
		if previous.pose != s.pose {
			w.carrierBounds[i] = s.aabb.union(previous.aabb)
			w.carrierMotions[b.carrier].moving = true // in the next step
		}
	}
}

// settlePinnedCarriers is the end of a step in which carriers were held: they have been put where
// they are, and do not move.
func (w *World) settlePinnedCarriers() {
	if !w.pin.moved {
		return
	}
	w.pin.moved = false
	for i := range w.carrierMotions {
		w.carrierMotions[i].moving = false
	}
	for i := range w.carrierBoxes {
		w.carrierBounds[i] = w.shapes[w.firstCarrierShape+i].aabb
	}
}

// UnpinCarriers lets carriers go: they are where the tick has them again, as if they
// had never been held.
func (w *World) UnpinCarriers() {
	if w.pin.active {
		w.pin = carrierPin{}
		w.placeCarriers()
	}
}

// CarrierMoment returns the moment at which the carriers are: the tick's, unless they
// are held.
func (w *World) CarrierMoment() Moment {
	if w.pin.active {
		return w.pin.at
	}
	return w.state.Tick.Moment()
}
