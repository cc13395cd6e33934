package session

import (
	"fmt"

	"ghostcube/predict/lab"
)

// Grab is a body that the viewer holds. Each tick has the command that pulls it to where the viewer wants it, so a tape,
// a take and a video have the same.
type Grab struct {
	session *Session
	held    bool
	wanted  lab.Drag
	sent    lab.Command // the last one
}

// Take takes hold of a body in all panes in which that is possible, and says what that means. At a past moment it begins a
// new take, as any change does.
func (g *Grab) Take(d lab.Drag) {
	s := g.session
	c := d.Command(lab.AllPanes)
	s.Do(c)
	if g.held = g.inLab(&d); !g.held {
		return // a notice says why
	}
	g.wanted, g.sent = d, c
	body := fmt.Sprintf("body %d", d.Body)
	if d.Body < s.Lab.Players() {
		body = fmt.Sprintf("player %d's cube", d.Body+1)
	}
	if d.Client == lab.OnServer {
		s.Notices.Post("you hold " + body + " on the server: the clients have to follow")
	} else {
		s.Notices.Post("you hold " + body + " in the client's own world: the server corrects it")
	}
}

// Held reports whether the viewer holds a body.
func (g *Grab) Held() bool { return g.held }

// MoveTo says where the viewer wants the body that is held. The next tick pulls it there.
func (g *Grab) MoveTo(d lab.Drag) { g.wanted = d }

// Release lets go of the body, which keeps its velocity.
func (g *Grab) Release() {
	if g.held {
		g.held = false
		g.session.Do(lab.ReleaseDrag(lab.AllPanes))
	}
}

// inLab reports whether a pane of the session has a drag of the same body.
func (g *Grab) inLab(d *lab.Drag) bool {
	for _, p := range g.session.Lab.Panes {
		if now, ok := p.Drag(); ok && now.Body == d.Body && now.Client == d.Client {
			return true
		}
	}
	return false
}

// tick records where the body is to go in the next live tick. A drag without a hand ends, unless a tape or another take
// goes on with it.
func (g *Grab) tick(playing bool) {
	s := g.session
	if g.held && !g.inLab(&g.wanted) {
		g.held = false // a restart or another strategy has let go
	}
	if g.held {
		if c := g.wanted.Command(lab.AllPanes); c != g.sent && s.record(c) {
			g.sent = c
		}
		return
	}
	for _, p := range s.Lab.Panes {
		if _, ok := p.Drag(); ok && !playing {
			s.record(lab.ReleaseDrag(lab.AllPanes))
			return
		}
	}
}
