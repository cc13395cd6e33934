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
	text        string
	updatesLeft int // updates
}

// noticeUpdates is how long a message stays, in updates.
const noticeUpdates = 240

func (n *notices) post(text string) {
	if k := len(n.list); k > 0 && n.list[k-1].text == text {
		n.list[k-1].updatesLeft = noticeUpdates
		return
	}
	n.list = append(n.list, notice{text, noticeUpdates})
	if len(n.list) > 4 {
		n.list = n.list[1:]
	}
}

func (n *notices) update(g *game) {
	if said := g.videos.poll(); said != "" {
		n.post(said)
	}
	kept := n.list[:0]
	for _, x := range n.list {
		if x.updatesLeft--; x.updatesLeft > 0 {
			kept = append(kept, x)
		}
	}
	n.list = kept
}

func (n *notices) draw(l *render.DrawList, place stage.Rect, g *game) {
	f := render.Font{Size: 15 * g.screen.panelScale(), Bold: true}
	h := f.Height() + 10
	y := float32(place.Y+place.H)*0.82 - h*float32(len(n.list))
	for _, x := range n.list {
		text := f.Truncate(x.text, float32(place.W)-60)
		w := f.Width(text) + 28
		at := float32(place.X) + (float32(place.W)-w)/2
		l.Rect(at, y, w, h-4, render.Color{R: 22, G: 26, B: 32, A: 225})
		l.Text(at+14, y+f.Ascent()+2, f, render.RGB(1, 1, 1), text)
		y += h
	}
}
