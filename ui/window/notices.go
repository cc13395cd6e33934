package window

import (
	"slices"
	"strings"
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

// update removes messages whose time is over and posts the messages of what has finished beside the session.
func (n *notices) update(g *game) {
	if message := g.videos.poll(); message != "" {
		n.post(message)
	}
	if message := g.reports.poll(); message != "" {
		n.post(message)
	}
	if message := g.panel.input.clip.poll(); message != "" {
		n.post(message)
	}
	now := n.now()
	n.list = slices.DeleteFunc(n.list, func(x notice) bool { return !now.Before(x.until) })
}

// draw draws the messages at the lower edge of the picture, centred, each in as many lines as it needs. They cover the
// footer before anything else.
func (n *notices) draw(l *render.DrawList, picture stage.Rect, scale float32) {
	f := render.Font{Size: int(15*scale + 0.5), Bold: true}
	pad, gap := 14*scale, 4*scale
	room := float32(picture.W) - 2*pad - 16*scale
	lineHeight := float32(int(f.Height()*1.1 + 0.5))
	var messages [][]string
	height := float32(0)
	for _, x := range n.list {
		lines := f.Wrap(breakWords(f, x.text, room), " ", room)
		messages = append(messages, lines)
		height += lineHeight*float32(len(lines)) + 3*gap
	}
	y := max(float32(picture.Y+picture.H)-height, float32(picture.Y))
	for _, lines := range messages {
		w := float32(0)
		for _, line := range lines {
			w = max(w, f.Width(line))
		}
		x := float32(int(float32(picture.X) + (float32(picture.W)-w)/2))
		h := lineHeight*float32(len(lines)) + 2*gap
		l.Rect(x-pad, y, w+2*pad, h, stage.NoticeBackground)
		for i, line := range lines {
			l.Text(x, float32(int(y+gap+lineHeight*float32(i)+f.Ascent())), f, stage.NoticeColor, line)
		}
		y += h + gap
	}
}

// breakWords returns the words of a text. One that is wider than room, such as the name of a file, is broken.
func breakWords(f render.Font, text string, room float32) (words []string) {
	for _, word := range strings.Fields(text) {
		for part := []rune(word); len(part) > 0; {
			n := len(part)
			for n > 1 && f.Width(string(part[:n])) > room {
				n--
			}
			words = append(words, string(part[:n]))
			part = part[n:]
		}
	}
	return words
}
