package window

import (
	"slices"
	"time"

	"ghostcube/render"
	"ghostcube/ui/stage"
)

// notices are short messages over the picture that disappear after a while.
type notices struct {
	list  []notice
	clock func() time.Time // nil: the system's
}

type notice struct {
	text  string
	until time.Time // when it disappears
}

// noticeTime is the time for which a message stays, however many Updates the machine makes in it.
const noticeTime = 4 * time.Second

// now returns the present time.
func (n *notices) now() time.Time {
	if n.clock != nil {
		return n.clock()
	}
	return time.Now()
}

// post shows a message. One that repeats the newest only stays longer.
func (n *notices) post(text string) {
	if k := len(n.list); k > 0 && n.list[k-1].text == text {
		n.list[k-1].until = n.now().Add(noticeTime)
		return
	}
	n.list = append(n.list, notice{text, n.now().Add(noticeTime)})
	if len(n.list) > 4 {
		n.list = n.list[1:]
	}
}

// update removes messages whose time is over and posts the messages of finished videos.
func (n *notices) update(g *game) {
	if message := g.videos.poll(); message != "" {
		n.post(message)
	}
	now := n.now()
	n.list = slices.DeleteFunc(n.list, func(x notice) bool { return !now.Before(x.until) })
}

// draw draws the messages into the lower part of the picture, centred.
func (n *notices) draw(l *render.DrawList, picture stage.Rect, g *game) {
	f := render.Font{Size: 15 * g.screen.panelScale(), Bold: true}
	h := f.Height() + 10
	y := float32(picture.Y+picture.H)*0.82 - h*float32(len(n.list))
	for _, x := range n.list {
		text := f.Truncate(x.text, float32(picture.W)-60)
		w := f.Width(text) + 28
		at := float32(picture.X) + (float32(picture.W)-w)/2
		l.Rect(at, y, w, h-4, render.Color{R: 22, G: 26, B: 32, A: 225})
		l.Text(at+14, y+f.Ascent()+2, f, render.RGB(1, 1, 1), text)
		y += h
	}
}
