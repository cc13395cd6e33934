package rewind

import (
	"ghostcube/predict"
	"ghostcube/predict/part/history"
	"ghostcube/sim"
)

// historySeconds is how far back a client remembers, at any rate: the published program's 1024 ticks
// at 64 Hz.
const historySeconds = 16

// maxStateBytes is the largest amount of memory for the worlds that a client remembers. An awake pile
// of 900 cubes takes 0.8 MB a tick, so that 16 s of it do not fit; a scene of 60 bodies takes 20 kB.
const maxStateBytes = 256 << 20

// stateHistory remembers whole worlds, one for each tick since the newest received state: an older
// one is never needed again, and its memory is used for the next. So the memory follows the round
// trip, and is large only where the round trip is long or nothing arrives.
type stateHistory struct {
	ring         history.Ring[*predict.State]
	oldest, next sim.Tick // ticks in [oldest, next) may be remembered
	largest      int      // bytes of the largest state so far
	maxBytes     int
	stateHistoryScratch
}

// stateHistoryScratch is memory for states to come.
type stateHistoryScratch struct{ free []*predict.State }

func newStateHistory(rate int) stateHistory {
	return stateHistory{ring: history.New[*predict.State](historySeconds * rate), maxBytes: maxStateBytes}
}

// Find returns the remembered world of a tick, or nil.
func (h *stateHistory) Find(t sim.Tick) *predict.State {
	if s := h.ring.Find(t); s != nil {
		return *s
	}
	return nil
}

// Save remembers the present state of a world, in place of the one of the same tick if there is one.
// Ticks are saved in order, without gaps. If the memory is full, the oldest tick is forgotten.
func (h *stateHistory) Save(w *predict.World) {
	t := w.Tick()
	s := h.Find(t)
	if s == nil {
		if h.next == h.oldest {
			h.oldest, h.next = t, t
		}
		h.ForgetBefore(t + 1 - min(t, sim.Tick(h.maxTicks())))
		s = h.allocate()
		*h.ring.Insert(t) = s
		h.next = t + 1
	}
	w.Save(s)
	h.largest = max(h.largest, s.Bytes())
}

// Changed notes that the remembered state of a tick has been changed.
func (h *stateHistory) Changed(t sim.Tick) { h.largest = max(h.largest, h.Find(t).Bytes()) }

// maxTicks returns how many ticks can be remembered: fewer than the ring has if they took too much
// memory.
func (h *stateHistory) maxTicks() int {
	return max(1, min(h.ring.Size(), h.maxBytes/max(h.largest, 1)))
}

// LimitedByMemory reports whether memory, and not time, is what ends the history.
func (h *stateHistory) LimitedByMemory() bool { return h.maxTicks() < h.ring.Size() }

// ForgetBefore forgets the ticks before t.
func (h *stateHistory) ForgetBefore(t sim.Tick) {
	for ; h.oldest < min(t, h.next); h.oldest++ {
		if s, ok := h.ring.Remove(h.oldest); ok {
			h.free = append(h.free, s)
		}
	}
}

// Reset forgets all ticks.
func (h *stateHistory) Reset() { h.ForgetBefore(h.next) }

// allocate returns memory for a state.
func (h *stateHistory) allocate() *predict.State {
	if n := len(h.free); n > 0 {
		s := h.free[n-1]
		h.free = h.free[:n-1]
		return s
	}
	return &predict.State{}
}

// CopyFrom makes h a copy of o that shares no memory with it.
func (h *stateHistory) CopyFrom(o *stateHistory) {
	h.Reset()
	ring, scratch := h.ring, h.stateHistoryScratch
	*h = *o
	h.ring, h.stateHistoryScratch = ring, scratch
	h.ring.CopyFrom(&o.ring, func(dst, src **predict.State) {
		if *dst == nil {
			*dst = h.allocate()
		}
		(*dst).CopyFrom(*src)
	})
}
