package sim

// carrierPin is the moment at which carriers are pinned, if they are.
type carrierPin struct {
	active bool
	moved  bool // since the last step
	at     Moment
}

// PinCarriers moves all carriers to a moment and keeps them there until UnpinCarriers. Pinned
// carriers have no velocity. Pinning at another moment leaves their loads behind; it wakes bodies
// in the way, which are pushed out as from static boxes. Moments before the first tick count as the
// first tick.
//
// The pin is not part of a State: Load, SetTick and SetBody do not change it.
func (w *World) PinCarriers(m Moment) {
	if m = max(m, 0); w.pin.active && w.pin.at == m || len(w.carrierBoxes) == 0 {
		return
	}
	w.pin.active, w.pin.moved, w.pin.at = true, true, m
	w.activity.disturbed = true
	w.NoteChange()
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
			w.carrierMotions[b.carrier].moving = true // for the next step only
		}
	}
}

// settlePinnedCarriers stops pinned carriers at the end of the step after they were moved.
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

// UnpinCarriers returns carriers to their poses at the current tick. The world continues as if they
// had never been pinned.
func (w *World) UnpinCarriers() {
	if w.pin.active {
		w.pin = carrierPin{}
		w.activity.disturbed = true
		w.NoteChange()
		w.placeCarriers()
	}
}

// CarriersPinned reports whether carriers are pinned.
func (w *World) CarriersPinned() bool { return w.pin.active }

// CarrierMoment returns the moment of the carriers' poses: the current tick's, unless they are
// pinned.
func (w *World) CarrierMoment() Moment {
	if w.pin.active {
		return w.pin.at
	}
	return w.state.Tick.Moment()
}
