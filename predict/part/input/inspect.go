package input

import (
	"ghostcube/predict"
	"ghostcube/sim"
)

// arrivals counts the inputs that have arrived since the last Pop.
type arrivals struct{ fresh, late, duplicate int }

// Inspect fills b, which is empty, with the slots of the buffer, and with what the last Pop took from it.
// now is the server's tick after the step.
func (p *PlayoutBuffer) Inspect(b *predict.InputBuffer, s *PlayoutSettings, now sim.Tick) {
	for range p.wait {
		b.Slots = append(b.Slots, predict.InputSlot{})
	}
	for i := range p.queue.Len() {
		item := p.queue.At(i)
		slot := predict.InputSlot{ClientTick: item.Tick, State: predict.SlotWaiting}
		if i == 0 && p.repeating {
			slot.State = predict.SlotKept
		} else if i > 0 {
			slot.AfterGap = item.Tick != p.queue.At(i-1).Tick+1
		} else {
			slot.AfterGap = p.started && item.Tick != p.nextTick
		}
		b.Slots = append(b.Slots, slot)
	}
	for len(b.Slots) < s.DelayTicks {
		b.Slots = append(b.Slots, predict.InputSlot{})
	}
	b.Last = predict.InputPlayout{
		Tick: now, ClientTick: p.consumedEnd - 1, Result: p.result(),
		New: p.arrivals.fresh, Late: p.arrivals.late, Duplicate: p.arrivals.duplicate,
	}
}

// result says what the last Pop returned.
func (p *PlayoutBuffer) result() predict.PlayoutResult {
	switch p.lastConsumed.Source {
	case SourceReceived:
		return predict.PlayedOwn
	case SourceFilled:
		return predict.PlayedMissing
	case SourceRepeated:
		if p.repeated {
			return predict.PlayedAgain
		}
	}
	return predict.PlayedNothing
}

// Inspect fills b with the state of a peer's buffer.
func (r *PlayoutReceiver) Inspect(b *predict.InputBuffer, peer int, now sim.Tick) {
	if peer < len(r.Buffers) {
		r.Buffers[peer].Inspect(b, &r.Settings, now)
	}
}

// Inspect reports the waiting inputs of a peer.
func (r *Receiver) Inspect(l *predict.Inspection, peer int) {
	if peer >= len(r.Queues) {
		return
	}
	q := &r.Queues[peer]
	l.AddBuffer(predict.PlayoutBuffer, q.nextTick, max(q.newest+1, q.nextTick), 0, func(t sim.Tick) bool {
		s := &q.ring[t%ringLen]
		return s.present && s.tick == t && !s.consumed
	})
}

// Inspect reports the inputs that the next packet repeats and those that the server may not have, which are
// those from tick needed on.
func (s *Sender) Inspect(l *predict.Inspection, needed sim.Tick) {
	needed = min(max(needed, s.oldest), s.next)
	first := needed
	if !s.redundant && s.next > needed {
		first = s.next - 1
	}
	if most := sim.Tick(s.maxInputs); s.next-first > most {
		first = s.next - most
	}
	l.AddBuffer(predict.RedundancyWindow, first, s.next, s.maxInputs, nil)
	l.AddBuffer(predict.UnackedInputs, needed, s.next, 0, nil)
}

// InspectUnacked is Inspect for SendUnacked.
func (s *Sender) InspectUnacked(l *predict.Inspection) {
	needed := s.next - min(s.next, 1)
	if s.playout > 0 {
		needed = s.acked
	}
	s.Inspect(l, needed)
	acked := min(max(s.acked, s.oldest), s.next)
	l.Buffers = l.Buffers[:len(l.Buffers)-1]
	l.AddBuffer(predict.UnackedInputs, acked, s.next, 0, nil)
}

// Inspect reports the inputs that the next packet repeats and those that the server may not have.
func (l *Local) Inspect(to *predict.Inspection, needed sim.Tick) { l.sender.Inspect(to, needed) }
