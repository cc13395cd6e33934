package window

import (
	"ghostcube/render"
	"ghostcube/ui/stage"
)

// notices are short messages over the picture that go away by themselves.
type notices struct {
	list []notice
}

type notice struct {
	text string
	left int // updates
}

// noticeTime is how long a message stays, in updates.
const noticeTime = 240

func (n *notices) say(text string) {
	if k := len(n.list); k > 0 && n.list[k-1].text == text {
		n.list[k-1].left = noticeTime
		return
	}
	n.list = append(n.list, notice{text, noticeTime})
	if len(n.list) > 4 {
		n.list = n.list[1:]
	}
}

func (n *notices) update(g *game) {
	if said := g.takes.update(); said != "" {
		n.say(said)
	}
	kept := n.list[:0]
	for _, x := range n.list {
		if x.left--; x.left > 0 {
			kept = append(kept, x)
		}
	}
	n.list = kept
}

func (n *notices) draw(l *render.List, place stage.Place, g *game) {
	f := render.Font{Size: 15 * g.screen.panelScale(), Bold: true}
	h := f.Height() + 10
	y := float32(place.Y+place.H)*0.82 - h*float32(len(n.list))
	for _, x := range n.list {
		text := f.Fit(x.text, float32(place.W)-60)
		w := f.Width(text) + 28
		at := float32(place.X) + (float32(place.W)-w)/2
		l.Rect(at, y, w, h-4, render.Color{R: 22, G: 26, B: 32, A: 225})
		l.Text(at+14, y+f.Ascent()+2, f, render.RGB(1, 1, 1), text)
		y += h
	}
}
