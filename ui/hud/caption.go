package hud

import (
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/render"
	"ghostcube/ui/stage"
)

// captionDrawer writes and draws the captions of panes.
type captionDrawer struct{ *drawing }

// captionLine is a line of a caption below the name.
type captionLine struct {
	text  string
	color render.Color
}

// caption has the texts of a pane's caption. They change ten times in a second of the session, slowly enough to read,
// and at once when the size, a setting or the client's note changes.
type caption struct {
	stale       bool
	of          captionState
	name, knobs string // knobs: the changed ones where they fit beside the name
	lines       []captionLine
	texts       texts
}

// captionState is what a caption depends on besides the session's tick.
type captionState struct {
	pane     Rect
	scale    float32
	panes    int
	headline int // changes of the headline so far
	settings stage.Settings
	note     string
}

// captionChangesPerSecond is how often in a second of the session a caption changes.
const captionChangesPerSecond = 10

// updateCaption writes the caption of pane i in r, if it is due.
func (d captionDrawer) updateCaption(i int, r Rect) *caption {
	p := d.hud.panes[i]
	c := &p.caption
	now := captionState{r, d.scale, len(d.l.Panes), p.headline.changes, d.settings, p.source.Clients[p.client].View.Note}
	if !c.stale && c.of == now {
		return c
	}
	p.gaugesStale = true
	*c = caption{of: now, lines: c.lines[:0], texts: c.texts}
	c.texts.Reset()
	ofFrame := d.texts
	d.texts = &c.texts
	room := float32(r.W) - d.px(20) - d.headlineWidth(i, r)
	big := d.font(17, true)
	c.name = d.texts.truncate(big, d.paneName(i), room)
	c.knobs = d.changedKnobs(i)
	if d.font(13, false).Width(c.knobs) > room-big.Width(c.name)-d.px(12) {
		c.knobs = ""
	}
	c.lines = d.captionLines(i, r, c.knobs == "", c.lines)
	d.texts = ofFrame
	return c
}

// drawCaption draws the caption of pane i above its picture, and the labels of the two sides.
func (d captionDrawer) drawCaption(i int, y *paneLayout, focus bool) {
	r := y.caption
	fill(d.DrawList, r, stage.BackgroundColor)
	x, top := float32(r.X)+d.px(10), float32(r.Y)
	big, small := d.font(17, true), d.font(13, false)
	d.drawHeadline(i, y)
	beside := d.besideLine(i, y.pane)
	c := &d.hud.panes[i].caption
	base := top + d.px(22)
	pen := x + d.Text(x, base, big, stage.TextColor, c.name) + d.px(12)
	if c.knobs != "" {
		d.Text(pen, base, small, stage.DimTextColor, c.knobs)
	}
	for k := range c.lines {
		line := c.lines[k]
		if k > 0 && k == len(c.lines)-1 && d.settings.Explain && !y.explained {
			if text := d.eventText(i); text != "" {
				line = captionLine{text, stage.ExplainColor}
			}
		}
		d.Text(x, top+d.px(captionTop+13)+d.px(captionLineHeight)*float32(k), small, line.color, d.fitClauses(small, line.text, d.captionRoom(r, k, beside)))
	}
	if d.settings.Split {
		client, server := sides(y.picture, d.hud.laneGap)
		const name = "client"
		if client.Y == server.Y {
			d.drawSideLabel(float32(client.X+client.W)-d.px(6), float32(client.Y)+d.px(6), name, true)
		} else {
			d.drawSideLabel(float32(client.X)+d.px(6), float32(client.Y)+d.px(6), name, false)
		}
		d.drawSideLabel(float32(server.X)+d.px(6), float32(server.Y)+d.px(6), "server", false)
	}
	if focus && len(d.l.Panes) > 1 && d.l.Focus() == i {
		d.Border(float32(y.pane.X), float32(y.pane.Y), float32(y.pane.W), float32(y.pane.H), d.px(3), stage.FocusColor)
	}
}

// captionRoom returns the width of line k below the name of a pane in r, from 0. beside is what the headline takes of the first.
func (d captionDrawer) captionRoom(r Rect, k int, beside float32) float32 {
	room := float32(r.W) - d.px(20)
	if k == 0 {
		room -= beside
	}
	return room
}

// besideLine returns the width that the headline of pane i in r takes of the line below the name.
func (d captionDrawer) besideLine(i int, r Rect) float32 {
	if d.singleLine(i, r) {
		return 0
	}
	return d.headlineWidth(i, r)
}

// singleLine reports whether name, knobs and headline of pane i in r share one line, because the pane is low.
func (d captionDrawer) singleLine(i int, r Rect) bool {
	return d.hud.panes[i].headline.value.text != "" && len(d.l.Panes) > 2 && lowPane(d.drawing, r)
}

// paneName returns the name of pane i, with its number among several, and whose screen it shows unless it is the first
// player's.
func (d captionDrawer) paneName(i int) string {
	label, client := d.hud.paneLabels[i], d.hud.panes[i].client
	if len(d.l.Panes) > 1 && label == "" {
		d.texts.int(i + 1).add("  ")
	}
	d.texts.add(d.l.Panes[i].Title())
	if label != "" {
		d.texts.add(", ").add(label)
	}
	if d.l.Watches() && d.l.Players() > 1 {
		d.texts.add(", at player ").int(d.settings.Followed(i, d.l) + 1)
	}
	if client > 0 {
		d.texts.add(": player ").int(client + 1).add("'s screen")
	}
	return d.texts.end()
}

// changedKnobs returns the changed knobs of pane i, after its strategy if the pane has another name.
func (d captionDrawer) changedKnobs(i int) string {
	d.texts.b = d.l.Panes[i].AppendKnobs(d.texts.b, knobSeparator)
	return d.texts.end()
}

// knobSeparator separates knobs, figures and notes in a line.
const knobSeparator = "   "

// captionLines appends the lines below the name of pane i in r to dst, the most important ones first: the leading
// figures; faults and notes of the client, highlighted; changed knobs that do not fit beside the name; missing
// data; and the time that the pane draws and counters. A pane with a headline has fewer of them, a low one none unless
// something is wrong.
func (d captionDrawer) captionLines(i int, r Rect, withKnobs bool, dst []captionLine) []captionLine {
	p, font := d.l.Panes[i], d.font(13, false)
	beside, headline := d.besideLine(i, r), d.headlineWidth(i, r) > 0
	share := float32(maxCaptionShare)
	if d.settings.AnyGauge() {
		share = maxCaptionShareWithGauges
	}
	most := max(int((float32(r.H)*share-d.px(captionTop+captionPadding))/d.px(captionLineHeight)), 1)
	wrap := func(color render.Color, text string) {
		for text != "" {
			line, rest := font.Break(text, knobSeparator, d.captionRoom(r, len(dst), beside))
			dst, text = append(dst, captionLine{line, color}), rest
		}
	}
	usual := usualCaptionLines
	if !headline && !lowPane(d.drawing, r) { // room for the notes that come during a session
		usual = d.usualLines(i, font, d.captionRoom(r, 0, beside))
	}
	usual = min(usual, most)
	switch {
	case d.singleLine(i, r):
		usual = 0
	case !headline || !d.hud.brief:
		first, second := d.keyFigures(i, d.captionRoom(r, 0, beside))
		wrap(stage.TextColor, first)
		wrap(stage.TextColor, second)
	}
	d.texts.word(p.DescribeClockFaults()).word(p.Clients[0].View.Note)
	if at, ended := d.l.EndedAt(i); ended {
		d.texts.word("this take ended at ").clock(at)
	}
	wrap(stage.AlertColor, d.texts.end())
	if withKnobs {
		knobs := d.changedKnobs(i)
		room := d.captionRoom(r, len(dst), beside)
		if line, _ := font.Break(knobs, knobSeparator, room); len(dst) == 0 && font.Width(line) > room && most > 1 && !d.singleLine(i, r) {
			dst = append(dst, captionLine{"", stage.DimTextColor}) // the headline is beside the first line
		}
		wrap(stage.DimTextColor, knobs)
	}
	if s := d.hud.panes[i].missingText(&d.settings, d.texts); s != "" && !d.singleLine(i, r) && int(d.l.Ticks()-p.StartTick()) > d.l.Config().Rate {
		dst = append(dst, captionLine{s, stage.DimTextColor})
	}
	if _, largest, _, ok := p.Score.JointSeparation(); ok && d.settings.Joints && !d.singleLine(i, r) {
		dst = append(dst, captionLine{d.texts.add("open joints ").gap(p.Score.JointSeparationNow()).add(", largest ").gap(largest).end(), stage.DimTextColor})
	}
	if notes := d.captionNotes(i); !headline {
		wrap(stage.DimTextColor, notes)
	} else if len(dst) < usual { // a pane with a point of its own says no more
		line, _ := font.Break(notes, knobSeparator, d.captionRoom(r, len(dst), beside))
		dst = append(dst, captionLine{line, stage.DimTextColor})
	}
	for len(dst) < usual { // most panes need these sooner or later
		dst = append(dst, captionLine{"", stage.DimTextColor})
	}
	if len(dst) > most {
		dst = dst[:most]
		last := &dst[most-1]
		kept := font.Fit(last.text, d.captionRoom(r, most-1, beside)-font.Width(moreText))
		if d.texts.add(kept); len(kept) < len(last.text) && kept != "" {
			d.texts.add(render.Ellipsis)
		}
		last.text = d.texts.add(moreText).end()
	}
	return dst
}

// usualLines returns the lines that the figures and the notes of pane i take in a width once there have been corrections.
func (d captionDrawer) usualLines(i int, font render.Font, width float32) (n int) {
	figures := usualFigures
	if len(d.l.Panes[i].ServerWorld.Bodies()) == 1 {
		figures = usualFiguresAlone
	}
	if n = 1; font.Width(figures) > width {
		n = 2
	}
	notes := usualNotes
	if _, corrects := d.l.Panes[i].Counters.Sum(predict.Corrections); corrects {
		notes = usualCorrectingNotes
	}
	for text := notes; text != ""; n++ {
		_, text = font.Break(text, knobSeparator, width)
	}
	return n
}

// The figures and the notes of a usual caption, for their width: with other bodies or without, of a pane with corrections or
// without.
const (
	usualFigures         = "input 000 ms   path RMS 0.000 m   000 pops/min, all bodies 000   down 000 kbit/s"
	usualFiguresAlone    = "input 000 ms   path RMS 0.000 m   000 pops/min   down 000 kbit/s"
	usualNotes           = "drawn 200 ms ahead of the server   00.0 % of inputs on time"
	usualCorrectingNotes = usualNotes + "   00 corrections of the player's cube, mean 0.00 m"
)

// usualCaptionLines is the number of lines for which a caption has room even if it has fewer.
const usualCaptionLines = 2

// moreText ends a caption that leaves something out.
const moreText = " …"

// The largest shares of a pane's height that its caption takes.
const (
	maxCaptionShare           = 0.3
	maxCaptionShareWithGauges = 0.225
)

// captionNotes returns what a caption says after the leading figures.
func (d captionDrawer) captionNotes(i int) string {
	p, t := d.l.Panes[i], d.texts
	if d.l.Watches() {
		return ""
	}
	t.b = p.AppendWhen(t.b)
	if d.settings.Ticks {
		t.tickCounters(p)
	}
	if predicted := p.Clients[0].View.Predicted; len(predicted) > 0 && d.settings.Coloring == stage.ByPrediction {
		n := 0
		for _, yes := range predicted {
			if yes {
				n++
			}
		}
		t.separate().int(n).add(" of ").int(len(predicted)).add(" bodies predicted")
	}
	if used := p.Counters.Total(predict.InputsOnTime); used > 0 && d.anyInputsMissed() {
		t.separate().fixed(100*used, 1).add(" % of inputs on time")
	}
	if n := p.Counters.Total(predict.Corrections); n > 0 {
		t.separate().corrections(p.Counters, int(n))
	}
	if n := p.Counters.Total(predict.Stalls); n > 0 {
		t.separate().count(int(n), "stall").add(", ").fixed(p.Counters.Total(predict.StallsPerMinute), 1)
		t.add("/min, longest ").fixed(p.Counters.Total(predict.LongestStall), 0).add(" ms")
	}
	return t.end()
}

// separate appends the separator between two words of a line, except at its beginning.
func (t *texts) separate() *texts {
	if len(t.b) > 0 {
		t.add(knobSeparator)
	}
	return t
}

// word appends a word of a line, unless it is empty.
func (t *texts) word(s string) *texts {
	if s == "" {
		return t
	}
	return t.separate().add(s)
}

// corrections appends the number of corrections and by how much they moved bodies on average. Only some strategies
// correct and measure other bodies than the player's cube.
func (t *texts) corrections(m *predict.Counters, n int) *texts {
	player := m.Total(predict.MeanCorrection)
	if largest, ok := m.Sum(predict.MeanLargestCorrection); ok {
		return t.count(n, "correction").add(", mean ").fixed(largest, 2).add(" m, player's cube ").fixed(player, 2).add(" m")
	}
	return t.count(n, "correction").add(" of the player's cube, mean ").fixed(player, 2).add(" m")
}

// tickCounters appends the ticks of a pane's first client and of its server, and the tick of the newest state that
// the client has received.
func (t *texts) tickCounters(p *lab.Pane) {
	t.separate().add("client tick ").int(int(p.Clients[0].World.Tick())).add(",")
	t.separate().add("server tick ").int(int(p.ServerWorld.Tick()))
	if state := p.Progress().StateReceived; state > 0 {
		t.add(",").separate().add("state ").int(int(state))
	}
}

// keyFigures returns the figures that lead the caption of pane i, without the one that is its headline: the time from a key
// to the screen, the path error, the pops, and the bandwidth down. If they do not fit into one line of a width they take two,
// with shorter names if necessary.
func (d captionDrawer) keyFigures(i int, width float32) (first, second string) {
	p := d.hud.panes[i]
	if d.l.Watches() {
		return "no figures: a watcher runs no side of the strategy", ""
	}
	p.measures = d.l.Panes[i].Headline(p.measures[:0])
	var key, path, pops, all, down *score.Measure
	for k := range p.measures {
		switch m := &p.measures[k]; m.Name {
		case "key_to_screen_ms":
			key = m
		case "path_error_rms_m":
			path = m
		case "pops_per_minute":
			pops = m
		case "pops_all_per_minute":
			all = m
		case "down_kbit_per_second":
			down = m
		}
	}
	font, t, headline := d.font(13, false), d.texts, p.headline.name
	times := func(keyName, pathName string) string {
		if headline != "key_to_screen_ms" {
			t.add(keyName).measure(key, " ms")
		}
		if headline != "path_error_rms_m" {
			t.separate().add(pathName).measure(path, " m")
		}
		return t.end()
	}
	long := times("key to screen now ", "path error RMS ")
	if headline != "pops_per_minute" {
		t.measure(pops, "").add(" pops/min")
		if all != nil && all.OK && headline != "pops_all_per_minute" {
			t.add(", all bodies ").measure(all, "")
		}
	}
	if headline != "down_kbit_per_second" {
		t.separate().add("down ")
		if down != nil && down.OK {
			t.rate(down.Value)
		} else {
			t.add("-")
		}
	}
	rest := t.end()
	for _, one := range [...]string{long, times("key now ", "path RMS ")} {
		if line := t.add(one).separate().add(rest).end(); font.Width(line) <= width {
			return line, ""
		}
	}
	if font.Width(long) > width {
		long = times("key now ", "path RMS ")
	}
	return long, rest
}

// measure appends a measure with its unit, or a dash if it is nil or undefined.
func (t *texts) measure(m *score.Measure, unit string) *texts {
	if m == nil || !m.OK {
		return t.add("-")
	}
	t.b = m.AppendText(t.b)
	return t.add(unit)
}

// anyInputsMissed reports whether the server of any pane has stepped a tick without the input for it.
func (d captionDrawer) anyInputsMissed() bool {
	for _, p := range d.l.Panes {
		if used := p.Counters.Total(predict.InputsOnTime); used > 0 && used < 0.9995 {
			return true
		}
	}
	return false
}

// drawSideLabel draws the label of a side, left of x or right of it.
func (d captionDrawer) drawSideLabel(x, y float32, s string, left bool) {
	f := d.font(15, true)
	w := f.Width(s) + d.px(16)
	if left {
		x -= w
	}
	d.Rect(x, y, w, d.px(26), stage.PanelColor)
	d.Text(x+d.px(8), y+d.px(18), f, stage.TextColor, s)
}
