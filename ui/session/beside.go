package session

import (
	"fmt"

	"ghostcube/predict/lab"
	"ghostcube/ui/hud"
	"ghostcube/ui/timeline"
)

// Beside shows another take beside the present one, at the same moment.
type Beside struct {
	session *Session

	take *timeline.Take // nil: none
	lab  *lab.Lab       // of the other take
	view lab.Lab        // the panes of both
	hud  hud.HUD        // of view

	shown int // tick of the present take that hud shows

	Labels  [lab.MaxPanes]string // of the panes; empty: there is one take
	numbers [lab.MaxPanes]int    // of the takes
	of      *timeline.Take       // the present take to which the labels belong
	cause   string               // of that take, in the labels
}

// Toggle switches the side by side view of two takes: the present one, and the one that it branched from, or
// else the newest.
func (b *Beside) Toggle() {
	s := b.session
	t := s.Past.Timeline
	if b.take != nil {
		b.end()
		return
	}
	if s.refuses("another take") {
		return
	}
	list := t.Takes()
	if len(list) == 1 {
		s.Notices.Post("there is one take: change something at a past moment to begin another")
		return
	}
	other := t.Take().Parent
	if other == nil {
		other = list[len(list)-1]
	}
	*b = Beside{session: s, take: other, lab: &lab.Lab{}}
	b.lab.TraceDatagrams(true)
	b.Follow()
}

// Follow brings the other take to the moment of the present one, or to its own end, also after commands and jumps.
func (b *Beside) Follow() {
	b.tick()
	if b.take == nil || b.session.Err != nil {
		return
	}
	b.hud.Refresh(&b.view)
	if k := b.session.Past.Timeline.Take(); b.of != k || b.cause != k.Cause {
		b.of, b.cause = k, k.Cause
		b.label()
	}
}

// tick follows the present take by one tick.
func (b *Beside) tick() {
	s := b.session
	t := s.Past.Timeline
	if b.take == t.Take() {
		b.end()
	}
	if b.take == nil {
		return
	}
	now := int(s.Lab.Ticks())
	want := min(now, b.take.End())
	jumped := len(b.lab.Panes) == 0 || int(b.lab.Ticks()) > want || int(b.lab.Ticks()) < want-8
	if jumped {
		if _, err := t.CopyAt(b.take, want, b.lab); err != nil {
			s.Err = err
			return
		}
	}
	for int(b.lab.Ticks()) < want {
		if err := b.lab.Tick(*b.take.Entry(int(b.lab.Ticks()))); err != nil {
			s.Err = err
			return
		}
	}
	b.view.ShowBeside(s.Lab, b.lab)
	if jumped || b.shown != now {
		b.hud.Tick(&b.view)
	}
	b.shown = now
}

// label names the panes by their takes.
func (b *Beside) label() {
	b.Labels = [lab.MaxPanes]string{}
	own := len(b.view.Panes) - len(b.lab.Panes)
	if len(b.session.Lab.Panes)+len(b.lab.Panes) > lab.MaxPanes {
		own = 1
	}
	for i := range b.view.Panes {
		k := b.of
		if i >= own {
			k = b.take
		}
		b.numbers[i] = k.Number
		b.Labels[i] = fmt.Sprintf("take %d", k.Number)
		if k.Cause != "" {
			b.Labels[i] += ": " + k.Cause
		}
	}
}

// Number returns the number of the take that pane i shows; 0: there is one take.
func (b *Beside) Number(i int) int {
	if b.take == nil {
		return 0
	}
	return b.numbers[i]
}

// On reports whether another take is shown.
func (b *Beside) On() bool { return b.take != nil }

// end shows the present take alone.
func (b *Beside) end() { *b = Beside{session: b.session} }
