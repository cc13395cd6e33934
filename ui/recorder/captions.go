package recorder

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ghostcube/predict/lab"
	"ghostcube/ui/hud"
)

// Caption is a text that explains an event of a pane, and the frames that show it.
type Caption struct {
	Text     string // with the pane's number and strategy, if there are several
	From, To int    // frames: the first one, and the one after the last
}

// captions collects the captions of a video.
type captions struct {
	list []Caption
	open []openCaption // by pane
}

// openCaption is the caption that a pane shows.
type openCaption struct {
	event string // empty: none
	index int    // of list
}

// add follows the events of all panes in a frame.
func (c *captions) add(s *hud.HUD, l *lab.Lab, frame int) {
	for i := range l.Panes {
		if i == len(c.open) {
			c.open = append(c.open, openCaption{})
		}
		event, open := s.Event(i), &c.open[i]
		if event == "" {
			open.event = ""
			continue
		}
		if event == open.event {
			c.list[open.index].To = frame + 1
			continue
		}
		*open = openCaption{strings.Clone(event), len(c.list)}
		text := open.event
		if len(l.Panes) > 1 {
			text = fmt.Sprintf("%d  %s: %s", i+1, l.Panes[i].Title(), text)
		}
		c.list = append(c.list, Caption{text, frame, frame + 1})
	}
}

// WriteVTT writes captions as WebVTT, for players that show them beside a video of that many frames per second.
func WriteVTT(w io.Writer, list []Caption, fps int) error {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Caption) int { return cmp.Compare(a.From, b.From) })
	var b strings.Builder
	b.WriteString("WEBVTT\n")
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", " ")
	at := func(frame int) string {
		ms := (frame*1000 + fps/2) / fps
		return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3600000, ms/60000%60, ms/1000%60, ms%1000)
	}
	for _, c := range list {
		fmt.Fprintf(&b, "\n%s --> %s\n%s\n", at(c.From), at(c.To), escape.Replace(c.Text))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
