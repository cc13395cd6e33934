package lockstep

import (
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
)

// The article asks why not to send events for pressed and released keys, and rejects them: the same
// input has to be applied at exactly the same time on both sides. input-form=events shows why. A side
// sends each event once, when it happens, and without a tick. The other side steps in each of its
// ticks, from the first packet on, with the keys that are down as far as it knows. An event that
// arrives a tick early or late moves a press to another tick, and the worlds diverge. An event that is
// lost leaves a key down.
//
// Over a network with constant latency and no loss the events arrive evenly, and the worlds stay the
// same. Shots are not sent.

// maxEvents is the largest number of events in a tick: one for each key, and the heading. The event of
// the action buttons waits for the next tick if there are as many.
const maxEvents = buttonCount + 1

const (
	buttonCount  = 6                // of sim.MoveButtons
	headingEvent = buttonCount      // the key of an event that sets the heading
	actionEvent  = headingEvent + 1 // the key of an event that sets the action buttons
	actionBits   = 2
)

// event is a key that is pressed or released, or a new heading.
type event struct {
	key     int // in [0,actionEvent]
	down    bool
	heading uint8       // of a headingEvent
	actions sim.Buttons // of an actionEvent: those that are down
}

// code reads, writes or measures an event.
func (e *event) code(c *quant.Coder) {
	c.Label("key")
	switch e.key = c.Int(e.key, 0, actionEvent); e.key {
	case headingEvent:
		c.Label("heading")
		e.heading = uint8(c.Bits(uint32(e.heading), 8))
		return
	case actionEvent:
		c.Label("actions")
		e.actions = sim.Buttons(c.Bits(uint32(e.actions>>buttonCount), actionBits)) << buttonCount
		return
	}
	c.Label("down")
	e.down = c.Bool(e.down)
}

// eventInput is the state of one player's events at a side that sends or receives them. It is plain.
type eventInput struct {
	active bool      // received: events arrive, and the side steps without waiting for inputs
	keys   sim.Input // sent: the input that the events so far add up to; received: the same, as known
	end    sim.Tick  // sent: the tick after the newest input whose events were sent
}

// appendNew appends the events of the inputs that have been added to a stream since the last call.
func (e *eventInput) appendNew(list []event, s *inputStream) []event {
	if e.end == s.next {
		return list
	}
	e.end = s.next
	in := s.at(s.next - 1)
	for key := range buttonCount {
		if bit := sim.Buttons(1) << key; in.Buttons&bit != e.keys.Buttons&bit {
			list = append(list, event{key: key, down: in.Buttons&bit != 0})
		}
	}
	if in.Heading != e.keys.Heading {
		list = append(list, event{key: headingEvent, heading: in.Heading})
	}
	actions := in.Buttons & sim.ActionButtons
	if before := e.keys.Buttons & sim.ActionButtons; actions != before {
		if len(list) < maxEvents {
			list = append(list, event{key: actionEvent, actions: actions})
		} else {
			actions = before
		}
	}
	e.keys = sim.Input{Buttons: in.Buttons&sim.MoveButtons | actions, Heading: in.Heading}
	return list
}

// receive applies events.
func (e *eventInput) receive(list []event) {
	e.active = true
	for _, x := range list {
		switch bit := sim.Buttons(1) << x.key; {
		case x.key == headingEvent:
			e.keys.Heading = x.heading
		case x.key == actionEvent:
			e.keys.Buttons = e.keys.Buttons&sim.MoveButtons | x.actions
		case x.down:
			e.keys.Buttons |= bit
		default:
			e.keys.Buttons &^= bit
		}
	}
}

// sampleEvents appends, in each tick of the side, the input that the received events of a player add up
// to.
func (s *side) sampleEvents(p int, full bool) {
	st := &s.streams[p]
	if e := &s.eventInputs[p]; e.active && !full && st.next-s.env.World.Tick() < inputHistoryTicks {
		st.add(e.keys)
	}
}

// receiveRun processes the inputs of a player in a message, in whatever form.
func (s *side) receiveRun(p int, r *playerSection, full func(p int) bool) {
	e := &s.eventInputs[p]
	if r.form == eventList {
		e.receive(r.events)
		return
	}
	if e.active { // the other side sends states again
		*e = eventInput{}
		w, q := s.env.World, &s.playoutBuffers[p]
		*q = newPlayoutBuffer(w.Tick(), w.Rate())
		for t := w.Tick(); t < s.streams[p].next; t++ {
			*q.inputs.Insert(t) = s.streams[p].at(t)
		}
	}
	s.receiveInputs(p, r, full)
}

// codeEvents reads, writes or measures the events of a section.
func (p *playerSection) codeEvents(c *quant.Coder) {
	c.Label("event_count")
	n := c.Int(len(p.events), 0, maxEvents)
	if c.Err() != nil {
		return
	}
	if c.Reading() {
		p.events = append(p.events[:0], make([]event, n)...)
	}
	for i := range p.events {
		c.Group("events", i)
		p.events[i].code(c)
		if c.Reading() && i > 0 && p.events[i].key <= p.events[i-1].key {
			c.Fail(predict.ErrMalformed) // a key has one event in a tick, and they are in order
		}
	}
}
