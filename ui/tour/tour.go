// Package tour runs the lessons of the tour. A lesson is a session with words (ui/plan.Lesson): it measures the
// session until the viewer has done one thing, and then as long again. The package sees the session as the lab has
// it: it recognises the action by commands and inputs and by their effect, whatever key or control they come from.
package tour

import (
	"slices"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/sim"
	"ghostcube/ui/plan"
)

// Phase is a part of a lesson.
type Phase uint8

// The phases in their order.
const (
	Before Phase = iota // the action has not happened
	After               // it has happened, and its effect is measured
	Done                // the measurement has ended
)

// String returns the phase's name.
func (p Phase) String() string { return [...]string{"before", "after", "done"}[p] }

// Run is a lesson in progress.
type Run struct {
	Lesson *plan.Lesson
	Phase  Phase

	// Before and After are the figures of the lesson over the time before and after the action, in the order of
	// Lesson.Figures. They are empty until there are some, and change four times a second of the session.
	Before, After []score.Measure

	BeforeSeconds, AfterSeconds float64 // length of the measurements so far

	lab  *lab.Lab // that is measured
	next sim.Tick // of the session
	from sim.Tick // at which the measurement began
}

// Start starts a lesson in a lab that has its panes.
func Start(x *plan.Lesson, l *lab.Lab) *Run {
	r := &Run{Lesson: x}
	r.measure(l, l.Config().Rate)
	return r
}

// measure starts a measurement of the lab that leaves out the first settle ticks.
func (r *Run) measure(l *lab.Lab, settle int) {
	r.lab, r.next, r.from = l, l.Ticks(), l.Ticks()
	for _, p := range l.Panes {
		p.StartSpan(settle)
	}
}

// settleTicks are the ticks after the action that are left out.
func (r *Run) settleTicks(l *lab.Lab) int { return int(r.Lesson.Settle * float64(l.Config().Rate)) }

// Tick follows a tick that the lab has made, with its entry. After a jump to another moment of the session the
// measurement of the present phase begins again.
func (r *Run) Tick(l *lab.Lab, e lab.Entry) {
	if r.next++; l != r.lab || l.Ticks() != r.next {
		settle := l.Config().Rate
		if a := &r.Lesson.Action; r.Phase != Before && lasts(a) && !Acted(a, l, lab.Entry{}) {
			r.Phase = Before // the past, in which nobody has acted
		}
		if r.Phase == After {
			settle = r.settleTicks(l)
		}
		r.measure(l, settle)
		return
	}
	if r.Phase == Before && Acted(&r.Lesson.Action, l, e) {
		r.act(l)
		return
	}
	rate := l.Config().Rate
	if r.Phase != Done && slices.ContainsFunc(l.Panes, func(p *lab.Pane) bool { return !p.SpanStarted() }) {
		r.measure(l, rate) // a restarted scene, another strategy, or a new pane
		return
	}
	ticks := int(r.next - r.from)
	if r.Phase == Done || ticks%max(rate/4, 1) != 0 {
		return
	}
	seconds := float64(ticks) / float64(rate)
	if r.Phase == Before {
		r.Before, r.BeforeSeconds = r.figures(r.Before[:0], l), seconds
		return
	}
	r.After, r.AfterSeconds = r.figures(r.After[:0], l), seconds
	if seconds >= r.Lesson.Seconds {
		r.Phase = Done
	}
}

// act ends the measurement before the action and starts that after it.
func (r *Run) act(l *lab.Lab) {
	r.Phase = After
	r.measure(l, r.settleTicks(l))
}

// figures appends the figures of the present measurement to dst.
func (r *Run) figures(dst []score.Measure, l *lab.Lab) []score.Measure {
	for _, f := range r.Lesson.Figures {
		m := score.Measure{Name: f.Measure}
		if f.Pane < len(l.Panes) {
			m = l.Panes[f.Pane].SpanMeasure(f.Measure)
		}
		dst = append(dst, m)
	}
	return dst
}

// Acted reports whether the action has happened in a tick that the lab has made, with its entry. An action that
// sets something has happened when the session has it, by whatever commands.
func Acted(a *plan.Action, l *lab.Lab, e lab.Entry) bool {
	if a.Input() {
		return len(e.Inputs) > 0 && (e.Inputs[0].Buttons&a.Buttons != 0 || a.Shot && e.Inputs[0].Shot.Fired)
	}
	c := &a.Command
	switch c.Verb {
	case "switch", "set":
		for i, p := range l.Panes {
			if (c.Pane == i || c.Pane == lab.AllPanes) && !paneHas(p, a) {
				return false
			}
		}
		return c.Pane < len(l.Panes)
	case "condition":
		return networkHas(l.Network(), a)
	}
	for _, done := range e.Commands {
		if done.Verb == c.Verb {
			return true
		}
	}
	return false
}

// lasts reports whether an action sets something, so that the session shows whether it has happened.
func lasts(a *plan.Action) bool {
	return a.Command.Verb == "switch" || a.Command.Verb == "set" || a.Command.Verb == "condition"
}

// paneHas reports whether a pane has the strategy and the knobs, or the knob, of an action.
func paneHas(p *lab.Pane, a *plan.Action) bool {
	c := &a.Command
	if c.Verb == "set" {
		return knobHas(p, c.Name, c.Value, a.Reach)
	}
	s, settings, err := lab.ParseSpec(c.Name)
	if err != nil || p.Strategy != s {
		return false
	}
	for _, x := range settings {
		if !knobHas(p, x.Name, x.Value, plan.Exactly) {
			return false
		}
	}
	return true
}

// knobHas reports whether a knob of a pane has a value, or one beyond it.
func knobHas(p *lab.Pane, name, value string, reach plan.Reach) bool {
	k := p.Knobs.Lookup(name)
	if k == nil {
		return false
	}
	return reached(k.Value(), value, reach)
}

// reached reports whether a value is the wanted one, or beyond it.
func reached(value, wanted string, reach plan.Reach) bool {
	a, okA := plan.Quantity(value)
	b, okB := plan.Quantity(wanted)
	switch {
	case !okA || !okB:
		return value == wanted
	case reach == plan.OrMore:
		return a >= b
	case reach == plan.OrLess:
		return a <= b
	}
	return a == b
}

// networkHas reports whether a network has the condition of an action, in both directions unless it names one.
func networkHas(n *link.Network, a *plan.Action) bool {
	c := &a.Command
	want := *n
	if want.Parse(n.String()+","+c.Name+"="+c.Value) != nil {
		return false
	}
	if a.Reach == plan.Exactly {
		return want.Up == n.Up && want.Down == n.Down
	}
	more := func(have, wanted *link.Conditions) bool {
		for _, pair := range [][2]float64{
			{float64(have.Latency), float64(wanted.Latency)}, {float64(have.Jitter), float64(wanted.Jitter)}, {have.Loss, wanted.Loss},
		} {
			if pair[0] < pair[1] == (a.Reach == plan.OrMore) && pair[0] != pair[1] {
				return false
			}
		}
		return true
	}
	return more(&n.Up, &want.Up) && more(&n.Down, &want.Down)
}

// Play runs a lesson without a viewer: for its time as it is, then with the action, for its time again. observe is
// called after every tick; it may be nil.
func Play(m *plan.Plan, observe func(r *Run, l *lab.Lab, e lab.Entry)) (*Run, error) {
	return play(m, true, observe)
}

// PlayControl runs a lesson as Play does, but nobody acts. Its figures after that moment are those that an effect of
// the action has to be compared with.
func PlayControl(m *plan.Plan) (*Run, error) { return play(m, false, nil) }

func play(m *plan.Plan, act bool, observe func(r *Run, l *lab.Lab, e lab.Entry)) (*Run, error) {
	l, err := m.NewLab()
	if err != nil {
		return nil, err
	}
	x := m.Lesson
	r := Start(x, l)
	rate := m.Config.Rate
	limit := int(2*x.Seconds*float64(rate)) + 2
	for i := range limit {
		at, e := int(x.Seconds*float64(rate)), lab.Entry{}
		if act {
			e = Entry(m, i, at)
		} else {
			e = Entry(m, i, limit)
		}
		if i == 0 {
			e.Commands = append(m.Display(), e.Commands...)
		}
		if err := l.Tick(e); err != nil {
			return nil, err
		}
		if r.Tick(l, e); !act && i == at {
			r.act(l)
		}
		if observe != nil {
			observe(r, l, e)
		}
		if r.Phase == Done {
			break
		}
	}
	return r, nil
}

// Entry returns the entry of tick i of a lesson without a viewer, who acts in the tick at. A lesson whose action is
// an input has no other inputs before it, and its tape from there on.
func Entry(m *plan.Plan, i, at int) lab.Entry {
	a := &m.Lesson.Action
	if !a.Input() {
		e := m.Entry(i)
		if i == at {
			e.Commands = append(append([]lab.Command{}, e.Commands...), a.Command)
		}
		return e
	}
	if i < at {
		return lab.Entry{Inputs: make([]sim.Input, 1), Commands: m.Faults(i)}
	}
	e := m.Entry(i - at)
	e.Commands = m.Faults(i)
	if i == at && len(e.Inputs) > 0 && !Acted(a, nil, e) { // the tape begins with rest
		in := append([]sim.Input{}, e.Inputs...)
		in[0].Buttons |= a.Buttons & -a.Buttons
		e.Inputs = in
	}
	return e
}

// FalseClaims returns the claims of the lesson that figures before and after the action contradict, or do not support
// because one of them is not known, each with the figures.
func FalseClaims(x *plan.Lesson, before, after []score.Measure) (list []string) {
	for _, c := range x.Claims {
		b, a := figure(x, before, c.Figure), figure(x, after, c.Figure)
		left, right := c.Left.Value(b.Value, a.Value), c.Right.Value(b.Value, a.Value)
		known := (b.OK || !c.Uses("before")) && (a.OK || !c.Uses("after"))
		if !known || c.Less && left >= right || !c.Less && left <= right {
			list = append(list, c.String()+", with "+b.Text()+" before and "+a.Text()+" after")
		}
	}
	return list
}

// figure returns the value of the figure that a lesson calls name, or one that is not known.
func figure(x *plan.Lesson, values []score.Measure, name string) score.Measure {
	for i, f := range x.Figures {
		if f.Name == name && i < len(values) {
			return values[i]
		}
	}
	return score.Measure{}
}
