package hud

import (
	"cmp"
	"strconv"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// headerTexts are the texts of the header.
type headerTexts struct {
	title, network, session string
	both                    string // network and session
}

// headerTexts returns the title; the network; and the seed, the clock, the tick and the speed.
func (d frameDrawer) headerTexts(o Options) headerTexts {
	c := d.l.Config()
	t := headerTexts{title: cmp.Or(string(d.settings.Title), o.Title), network: d.hud.network.describe(&c.Network)}
	if t.title == "" {
		t.title = c.Scene
		if c.Seat == lab.AtHost {
			t.title = d.texts.add(c.Scene).add(", player on the server").end()
		}
	}
	switch {
	case d.l.Recorded():
		t.network = "network of the game's log"
	case d.l.Remote() || d.l.Merged():
		t.network = "real network"
	default:
		d.texts.add("seed ")
		d.texts.b = strconv.AppendUint(d.texts.b, c.Network.Seed, 10)
		d.texts.add(separator)
	}
	d.texts.clock(d.l.Now()).add(separator).add("tick ").int(int(d.l.Ticks())).add(separator)
	t.session = d.texts.short(d.settings.Speed, -1).add("x").end()
	t.both = d.texts.add(t.network).add(separator).add(t.session).end()
	return t
}

// separator separates texts of the header.
const separator = " · "

// headerLines returns the number of lines of the header: one, two where the texts and an alert do not fit into one, and
// three where title and alert do not fit beside each other.
func (d frameDrawer) headerLines(t *headerTexts, alert string) int {
	bold, plain, room := d.font(16, true), d.font(14, false), float32(d.rect.W)
	title, note := bold.Width(t.title), plain.Width(alert)
	texts := title + plain.Width(t.both)
	switch {
	case texts+max(note, d.px(alertWidth))+d.px(4*headerPadding) <= room:
		return 1
	case title+note+d.px(3*headerPadding) <= room:
		return 2
	}
	return 3
}

// Sizes of the header, in pixels at scale 1.
const (
	headerLine       = 34
	secondHeaderLine = 22
	headerPadding    = 12
	alertWidth       = 250 // room for a usual alert
)

// drawHeader draws the strip at the top: the title, an alert next to it, and at the right or in a second line the
// network, seed, clock, tick and speed. In three lines the alert has the last one. Texts that are still too long are
// cut.
func (d frameDrawer) drawHeader(o Options, t *headerTexts, lines int) {
	x, y, w := float32(d.rect.X), float32(d.rect.Y), float32(d.rect.W)
	line, further := d.px(headerLine), d.px(secondHeaderLine)
	d.Rect(x, y, w, line+further*float32(lines-1), stage.BackgroundColor)
	bold, plain := d.font(16, true), d.font(14, false)
	pad := d.px(headerPadding)
	right := x + w - pad
	if lines > 1 {
		base := baseline(plain, y+line-d.px(4), further)
		width := plain.Width(t.session)
		d.Text(right-width, base, plain, stage.DimTextColor, t.session)
		d.Text(x+pad, base, plain, stage.DimTextColor, d.texts.truncate(plain, t.network, w-width-pad-pad-pad))
	} else {
		right -= plain.Width(t.both)
		d.Text(right, baseline(plain, y, line), plain, stage.DimTextColor, t.both)
		right -= pad
	}
	pen := x + pad
	title := d.texts.truncate(bold, t.title, right-pen)
	pen += d.Text(pen, baseline(bold, y, line), bold, stage.TextColor, title) + pad
	base := baseline(plain, y, line)
	if lines == 3 {
		pen, base = x+pad, baseline(plain, y+line+further-d.px(4), further)
	}
	if o.Alert != "" {
		d.Text(pen, base, plain, stage.AlertColor, d.texts.truncate(plain, o.Alert, right-pen))
	}
}
