package window

import (
	"strings"

	"ghostcube/render"
	"ghostcube/ui/stage"
)

// noticeHeight is the height of a message of one line, in points.
const noticeHeight = 28

// drawNotices draws messages at the lower edge of the picture, centred, each in as many lines as it needs. A single line covers the
// footer, if there is one, and nothing else.
func drawNotices(l *render.DrawList, texts []string, picture stage.Rect, footerHeight int, scale float32) {
	if footerHeight > 0 {
		scale = min(scale, float32(footerHeight)/noticeHeight)
	}
	f := render.Font{Size: int(15*scale + 0.5), Bold: true}
	pad, gap := 14*scale, 4*scale
	room := float32(picture.W) - 2*pad - 16*scale
	lineHeight := float32(int(f.Height()*1.05 + 0.5))
	var messages [][]string
	height := -gap
	for _, text := range texts {
		lines := f.Wrap(breakWords(f, text, room), " ", room)
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
