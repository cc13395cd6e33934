package window

import (
	"fmt"

	"ghostcube/predict/lab"
	"ghostcube/ui/hud"
	"ghostcube/ui/timeline"
)

// beside shows another take beside the present one, at the same moment.
type beside struct {
	take  *timeline.Take // nil: none
	lab   *lab.Lab       // of the other take
	view  lab.Lab        // the panes of both
	stage hud.HUD        // of view

	labels  [lab.MaxPanes]string
	numbers [lab.MaxPanes]int // of the takes
	of      *timeline.Take    // the present take to which the labels belong
}

// toggleBeside switches the side by side view of two takes: the present one, and the one that it branched from, or
// else the newest.
func (g *game) toggleBeside() {
	b, t := &g.beside, g.past.timeline
	if b.take != nil {
		*b = beside{}
		return
	}
	list := t.Takes()
	if len(list) == 1 {
		g.notices.post("there is one take: change something at a past moment to begin another")
		return
	}
	other := t.Take().Parent
	if other == nil {
		other = list[len(list)-1]
	}
	*b = beside{take: other, lab: &lab.Lab{}}
	b.lab.TraceDatagrams(true)
	g.followBeside()
}

// followBeside brings the other take to the moment of the present one, or to its own end.
func (g *game) followBeside() {
	b, t := &g.beside, g.past.timeline
	if b.take == t.Take() {
		*b = beside{}
	}
	if b.take == nil {
		return
	}
	now := int(g.lab.Ticks())
	want := min(now, b.take.End())
	jumped := len(b.lab.Panes) == 0 || int(b.lab.Ticks()) > want || int(b.lab.Ticks()) < want-8
	if jumped {
		if _, err := t.CopyAt(b.take, want, b.lab); err != nil {
			g.tickErr = err
			return
		}
	}
	stepped := jumped
	for int(b.lab.Ticks()) < want {
		if err := b.lab.Tick(*b.take.Entry(int(b.lab.Ticks()))); err != nil {
			g.tickErr = err
			return
		}
		stepped = true
	}
	b.view.ShowBeside(g.lab, b.lab)
	if stepped {
		b.stage.Tick(&b.view)
	}
	b.stage.Refresh(&b.view)
	if b.of != t.Take() {
		b.of = t.Take()
		b.label(g)
	}
}

// label names the panes by their takes.
func (b *beside) label(g *game) {
	b.labels = [lab.MaxPanes]string{}
	own := len(b.view.Panes) - len(b.lab.Panes)
	if len(g.lab.Panes)+len(b.lab.Panes) > lab.MaxPanes {
		own = 1
	}
	for i := range b.view.Panes {
		k := b.of
		if i >= own {
			k = b.take
		}
		b.numbers[i] = k.Number
		b.labels[i] = fmt.Sprintf("take %d", k.Number)
		if k.Cause != "" {
			b.labels[i] += ": " + k.Cause
		}
	}
}

// number returns the number of the take that pane i shows; 0: there is one take.
func (b *beside) number(i int) int {
	if b.take == nil {
		return 0
	}
	return b.numbers[i]
}

// shown returns the stage and the lab that the window draws: those of the session, or of two takes.
func (g *game) shown() (*hud.HUD, *lab.Lab) {
	if g.beside.take != nil {
		return &g.beside.stage, &g.beside.view
	}
	return &g.stage, g.lab
}
