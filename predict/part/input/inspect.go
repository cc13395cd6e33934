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
