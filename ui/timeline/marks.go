package timeline

import (
	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/ui/stage"
)

// Kind is a kind of marks.
type Kind uint8

// The kinds of marks. Bookmarks belong to no pane.
const (
	Losses      Kind = iota // a datagram of the pane was lost or dropped
	Corrections             // a client corrected itself by the server's state
	Shots                   // a player fired
	Stalls                  // a side waited for an input, or playback ran out of snapshots
	Effects                 // a client showed the effect of a shot, a jump or an action, once however often its tick is stepped
	Withdrawn               // it took one back: a rollback said that it did not happen in that tick
	Faults                  // a command forced a fault
	Bookmarks               // the viewer set a bookmark
	kindCount
)

// kinds has the name and the colour of each kind, and where its marks stand in the row of a pane, as shares of its
// height.
var kinds = [kindCount]struct {
	name        string
	color       render.Color
	top, bottom float32
}{
	Losses:      {"losses", stage.TimelineColors.Losses, 0.62, 1},
	Corrections: {"corrections", stage.TimelineColors.Corrections, 0, 0.62},
	Shots:       {"shots", stage.TimelineColors.Shots, 0, 0.4},
	Stalls:      {"stalls", stage.TimelineColors.Stalls, 0.3, 1},
	Effects:     {"effects", stage.TimelineColors.Effects, 0, 0.3},
	Withdrawn:   {"taken back", stage.TimelineColors.Withdrawn, 0.3, 0.62},
	Faults:      {"faults", stage.TimelineColors.Faults, 0, 1},
	Bookmarks:   {name: "bookmarks", color: stage.TimelineColors.Bookmarks},
}

// String returns the kind's name.
func (k Kind) String() string { return kinds[k].name }

// marks are the marks of a take, by the number of ticks since it left its parent.
type marks struct {
	panes     [lab.MaxPanes][Bookmarks]tickList
	bookmarks tickList
}

func (m *marks) of(pane int, k Kind) *tickList {
	if k == Bookmarks {
		return &m.bookmarks
	}
	return &m.panes[pane][k]
}

// totals are what the marks of a pane are counted from: each total that has grown in a tick becomes a mark.
type totals struct {
	pane    *lab.Pane
	started int
	count   [Faults]float64
	fault   int // of the last forced fault; -1: none
}

// totalsOf returns the present totals of a pane.
func totalsOf(p *lab.Pane) totals {
	t := totals{pane: p, started: int(p.StartTick()), fault: -1}
	for _, c := range p.Clients {
		for _, d := range [...]link.Direction{link.Up, link.Down} {
			n := c.LinkCounters(d)
			t.count[Losses] += float64(n.Lost + n.Dropped)
		}
	}
	t.count[Corrections] = float64(p.Corrections.Total())
	t.count[Shots] = float64(p.Shots.Total())
	t.count[Stalls] = p.Counters.Total(predict.Stalls) + p.Counters.Total(predict.Starvations)
	t.count[Effects], t.count[Withdrawn] = p.Counters.Total(predict.EventsShown), p.Counters.Total(predict.EventsWithdrawn)
	if f, ok := p.LastFault(); ok {
		t.fault = int(f.SessionTick)
	}
	return t
}

// addTick marks the events of the lab's last tick. at is the number of ticks since the take left its parent.
func (m *marks) addTick(l *lab.Lab, before *[lab.MaxPanes]totals, at int) {
	for i, p := range l.Panes {
		now, old := totalsOf(p), &before[i]
		if old.pane != p || old.started != now.started {
			*old = totals{pane: p, started: now.started, fault: -1}
		}
		for k := range old.count {
			if now.count[k] > old.count[k] {
				m.panes[i][k].add(at)
			}
		}
		if now.fault >= 0 && now.fault != old.fault {
			m.panes[i][Faults].add(at)
		}
		*old = now
	}
}
