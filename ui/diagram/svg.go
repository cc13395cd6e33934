package diagram

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab/trace"
)

// Sizes, in pixels.
const (
	width     = 800
	clientX   = 282
	serverX   = 542
	top       = 84 // of the lines
	textGap   = 18 // from a line to its labels
	timeWidth = 52 // of the times at the left
	edge      = 8

	tickHeight = 22
	minHeight  = 240 // of the lines
	maxHeight  = 760

	fontSize, titleSize = 12, 15
	lineHeight          = 15
	labelGap            = 3  // between two labels
	dimGap              = 26 // between one that is less important and the others
	labelReach          = 46 // by which a label may be moved, to make room for others
	dimReach            = 4  // likewise, of one that is less important
)

// style has the colours of a light and of a dark page. Its rules apply below the picture's own class alone, so that a
// page may contain several pictures.
const style = `.packets{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:12px}
.packets .bg{fill:#fff}
.packets text{fill:#1b2027}
.packets .title{font-size:15px;font-weight:600}
.packets .head{font-weight:600;font-size:13px}
.packets .dim{fill:#5a6472}
.packets .strong{font-weight:600}
.packets .line{stroke:#3a434f;stroke-width:2}
.packets .grid{stroke:#dfe3e9}
.packets .leader{stroke:#8a94a2}
.packets .arrow{fill:none;stroke-width:1.1}
.packets .way{fill:none;stroke-width:2.6}
.packets .copy{stroke-dasharray:3 3}
.packets .k0{stroke:#7b8490}
.packets .k1{stroke:#b36b00}
.packets .k2{stroke:#7a2fe0}
.packets .k3{stroke:#0f74b3}
.packets .k4{stroke:#8a3a90}
.packets .k5{stroke:#4f7d00}
.packets .lost{stroke:#d32020;stroke-width:2;fill:none}
.packets .late{stroke:#b36b00;stroke-width:1.4;fill:none}
.packets .mark{fill:#3a434f}
.packets rect.fix{fill:#c2186b}
.packets text.fix{fill:#b01560;font-weight:600}
.packets rect.wait{fill:#e8a33d}
.packets text.wait{fill:#8a5200;font-weight:600}
@media (prefers-color-scheme:dark){
.packets .bg{fill:#14181d}
.packets text{fill:#eef1f4}
.packets .dim{fill:#a7b0bb}
.packets .line{stroke:#c3cad3}
.packets .grid{stroke:#2c333c}
.packets .leader{stroke:#737d8a}
.packets .k0{stroke:#969ea8}
.packets .k1{stroke:#f1ac2b}
.packets .k2{stroke:#b48cff}
.packets .k3{stroke:#54c0f0}
.packets .k4{stroke:#d08ad6}
.packets .k5{stroke:#a8d468}
.packets .lost{stroke:#ff6b60}
.packets .late{stroke:#f1ac2b}
.packets .mark{fill:#c3cad3}
.packets rect.fix{fill:#ff78aa}
.packets text.fix{fill:#ff94bc}
.packets rect.wait{fill:#e6961e}
.packets text.wait{fill:#f3b662}
}
`

// picture is an SVG that is being written.
type picture struct {
	*Recorder
	out    *bufio.Writer
	bottom float64 // of the lines, pixels
	story  *story

	kinds                                     [predict.PacketKindCount]bool
	lost, refused, late, reordered, duplicate bool
}

// WriteSVG writes the diagram, with a title and a line below it.
func (r *Recorder) WriteSVG(w io.Writer, title, subtitle string) error {
	if r.pane >= len(r.lab.Panes) {
		return errors.New("the pane has been closed")
	}
	log := r.lab.Panes[r.pane].Datagrams()
	ticks := float64(r.to-r.from) / float64(r.tick())
	p := &picture{Recorder: r, out: bufio.NewWriter(w), story: r.newStory(log)}
	p.bottom = top + math.Floor(min(max(float64(ticks*tickHeight), minHeight), maxHeight))

	var arrows strings.Builder
	for _, d := range [...]link.Direction{link.Up, link.Down} {
		p.drawFlow(&arrows, log.Flow(0, d), d)
	}
	legend, height := p.legend()
	fmt.Fprintf(p.out, `<svg xmlns="http://www.w3.org/2000/svg" class="packets" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s">`+
		"\n<style>\n%s</style>\n",
		width, height, width, height, escape(title+": packets between client and server"), style)
	fmt.Fprintf(p.out, "<rect class=\"bg\" width=\"%d\" height=\"%d\"/>\n", width, height)
	p.text("title", edge*2, 28, "start", fit(title, titleSize, width-4*edge))
	p.text("dim", edge*2, 48, "start", fit(subtitle, fontSize, width-4*edge))
	p.text("head", clientX, top-12, "middle", "client")
	p.text("head", serverX, top-12, "middle", "server")
	p.drawGrid()
	for _, x := range [...]int{clientX, serverX} {
		path(p.out, "line", "M%s %sV%s", float64(x), top, p.bottom)
	}
	p.out.WriteString(arrows.String())
	for _, m := range p.story.marks {
		p.drawMark(&m)
	}
	p.drawLabels()
	p.out.WriteString(legend + "</svg>\n")
	return p.out.Flush()
}

// y returns the height of a session time.
func (p *picture) y(t time.Duration) float64 {
	return top + float64(float64(p.bottom-top)*(float64(t-p.from)/float64(p.to-p.from)))
}

// lineX returns where a side's line is.
func lineX(s side) float64 {
	if s == server {
		return serverX
	}
	return clientX
}

// px formats pixels.
func px(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	return strings.TrimSuffix(s, ".0")
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace

// textWidth returns a width that a text does not exceed in a usual font.
func textWidth(s string, size float64) float64 {
	return float64(float64(size*0.6) * float64(utf8.RuneCountInString(s)))
}

// fit returns as much of a text as has room, up to the end of a clause if one ends in its second half.
func fit(s string, size, room float64) string {
	if textWidth(s, size) <= room {
		return s
	}
	n := int(room/float64(size*0.6)) - 2
	s = string([]rune(s)[:n])
	if end := strings.LastIndexAny(s, ",;"); end >= len(s)/2 {
		s = s[:end]
	}
	return s + " …"
}

func (p *picture) text(class string, x, y float64, anchor, s string) {
	fmt.Fprintf(p.out, "<text class=\"%s\" x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>\n", class, px(x), px(y), anchor, escape(s))
}

// gridSteps are the possible distances of the times at the left.
var gridSteps = [...]time.Duration{10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond}

// drawGrid draws lines at round session times.
func (p *picture) drawGrid() {
	step := gridSteps[0]
	for _, step = range gridSteps {
		if float64(p.bottom-top)*float64(step)/float64(p.to-p.from) >= 44 {
			break
		}
	}
	for t := (p.from + step - 1) / step * step; t <= p.to; t += step {
		y := p.y(t)
		path(p.out, "grid", "M%s %sH%s", clientX, y, serverX)
		p.text("dim", edge, y+4, "start", strconv.FormatFloat(t.Seconds(), 'f', 2, 64)+" s")
	}
}

// drawFlow draws the arrows of one direction.
func (p *picture) drawFlow(b *strings.Builder, f *trace.Flow, d link.Direction) {
	first, end := f.Span(p.from-reach, p.to+1)
	drawn := map[string]bool{} // fragments that look the same are drawn once
	for i := first; i < end; i++ {
		r := f.At(i)
		if s := p.arrow(r, d, p.story.highlighted[d][i]); s != "" && !drawn[s] {
			drawn[s] = true
			b.WriteString(s)
		}
	}
}

// lostShare is the share of its way at which the cross of a lost datagram is, and droppedShare that of one which a
// full queue dropped.
const (
	lostShare    = 0.55
	droppedShare = 0.12
)

// arrow returns the picture of a datagram, or nothing if it is outside the shown time.
func (p *picture) arrow(r *trace.Record, d link.Direction, strong bool) string {
	var b strings.Builder
	class := "arrow"
	if strong {
		class = "way"
	}
	class += fmt.Sprintf(" k%d", r.Kind)
	share := 1.0
	switch {
	case r.Flags.Has(trace.Dropped):
		share = droppedShare
	case r.Flags.Has(trace.Lost):
		share = lostShare
	}
	if !p.flight(&b, d, r.SentAt, r.Arrival, share, class) {
		if !r.Flags.Has(trace.Duplicated) || !p.flight(&b, d, r.SentAt, r.DuplicateArrival, 1, class+" copy") {
			return ""
		}
	} else if r.Flags.Has(trace.Duplicated) {
		p.flight(&b, d, r.SentAt, r.DuplicateArrival, 1, class+" copy")
	}
	p.kinds[r.Kind] = true
	x := func(share float64) float64 {
		from, to := lineX(1-receiver(d)), lineX(receiver(d))
		return from + float64((to-from)*share)
	}
	y := func(share float64) float64 {
		return p.y(r.SentAt + time.Duration(float64(share*float64(r.Arrival-r.SentAt))))
	}
	cross := func(share, arm float64) bool {
		if at := y(share); at >= top && at <= p.bottom {
			drawCross(&b, x(share), at, arm)
			return true
		}
		return false
	}
	switch {
	case r.Vanishes():
		p.lost = cross(share, 4.5) || p.lost
	case r.Flags.Has(trace.Resent):
		p.lost = cross(0.5, 4.5) || p.lost
	}
	if !r.Vanishes() && r.Refused() {
		p.refused = cross(0.96, 3.5) || p.refused
	}
	if beyond := x(1) + 10; !r.Vanishes() && y(1) >= top && y(1) <= p.bottom {
		if receiver(d) == client {
			beyond = x(1) - 10
		}
		if r.Flags.Has(trace.Late) {
			p.late = true
			drawLate(&b, beyond, y(1))
		}
		if r.Flags.Has(trace.Reordered) {
			p.reordered = true
			drawReordered(&b, beyond, y(1))
		}
	}
	if at := p.y(r.DuplicateArrival); r.Flags.Has(trace.Duplicated) && at >= top && at <= p.bottom {
		p.duplicate = true
	}
	return b.String()
}

// path draws lines along points, whose commands are in a format.
func path(w io.Writer, class, format string, at ...float64) {
	points := make([]any, len(at))
	for i, v := range at {
		points[i] = px(v)
	}
	fmt.Fprintf(w, "<path class=\"%s\" d=\"%s\"/>\n", class, fmt.Sprintf(format, points...))
}

func rect(w io.Writer, class string, x, y, width, height float64) {
	fmt.Fprintf(w, "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>\n", class, px(x), px(y), px(width), px(height))
}

func drawCross(w io.Writer, x, y, arm float64) {
	path(w, "lost", "M%s %sL%s %sM%s %sL%s %s", x-arm, y-arm, x+arm, y+arm, x-arm, y+arm, x+arm, y-arm)
}

func drawLate(w io.Writer, x, y float64) { rect(w, "late", x-4.5, y-4.5, 9, 9) }

func drawReordered(w io.Writer, x, y float64) { rect(w, "mark", x-2.5, y-2.5, 5, 5) }

// flight draws the part of a way up to a share that is within the shown time, with a head if the end is in it.
func (p *picture) flight(b *strings.Builder, d link.Direction, sent, arrives time.Duration, share float64, class string) bool {
	if sent > p.to || arrives < p.from {
		return false
	}
	x0, x1 := lineX(1-receiver(d)), lineX(receiver(d))
	y0, y1 := p.y(sent), p.y(arrives)
	x1, y1 = x0+float64((x1-x0)*share), y0+float64((y1-y0)*share)
	if y1 < top {
		return false
	}
	dx, dy := x1-x0, y1-y0
	length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	ux, uy := dx/length, dy/length
	head := share == 1 && y1 <= p.bottom
	if y0 < top {
		x0, y0 = x0+float64(dx*((top-y0)/dy)), top
	}
	if y1 > p.bottom {
		x1, y1 = x1-float64(dx*((y1-p.bottom)/dy)), p.bottom
	}
	if !head {
		path(b, class, "M%s %sL%s %s", x0, y0, x1, y1)
		return true
	}
	long, wide := 8.0, 3.5
	bx, by := x1-float64(long*ux), y1-float64(long*uy)
	path(b, class, "M%s %sL%s %sM%s %sL%s %sL%s %s", x0, y0, x1, y1,
		bx-float64(wide*uy), by+float64(wide*ux), x1, y1, bx+float64(wide*uy), by-float64(wide*ux))
	return true
}

// drawMark draws an event on a line.
func (p *picture) drawMark(m *mark) {
	x, y := lineX(m.side), p.y(m.at)
	if m.end == 0 {
		rect(p.out, m.class, x-8, y-2, 16, 4)
		return
	}
	rect(p.out, m.class, x-3, y, 6, max(p.y(m.end)-y, 2))
}

// room is the part of a column that a label takes, in pixels from the top.
type room struct{ from, to float64 }

// drawLabels writes the labels for which there is room, the most important ones first.
func (p *picture) drawLabels() {
	var taken [2][]room
	for i := range p.story.labels {
		l := &p.story.labels[i]
		high := float64(lineHeight * len(l.lines))
		anchor := p.y(l.at)
		reach, gap := float64(labelReach), float64(labelGap)
		if l.class == "dim" {
			reach, gap = dimReach, dimGap
		}
		from, ok := p.place(taken[l.side], anchor-float64(lineHeight)/2, high, reach, gap)
		if !ok {
			continue
		}
		taken[l.side] = append(taken[l.side], room{from, from + high})
		x, end, columns := lineX(l.side)+textGap, "start", float64(width-edge-serverX-textGap)
		if l.side == client {
			x, end, columns = lineX(l.side)-textGap, "end", float64(clientX-textGap-timeWidth)
		}
		if middle := from + float64(lineHeight)/2; math.Abs(middle-anchor) > 4 {
			line, near := lineX(l.side)+5, x-3
			if l.side == client {
				line, near = lineX(l.side)-5, x+3
			}
			path(p.out, "leader", "M%s %sL%s %s", line, anchor, near, middle)
		}
		for k, s := range l.lines {
			class := l.class
			if k > 0 {
				class = "dim"
			}
			p.text(class, x, from+float64(k*lineHeight)+11.5, end, fit(s, fontSize, columns))
		}
	}
}

// place returns where a label of a height has room, as near as possible to where it belongs.
func (p *picture) place(taken []room, at, high, reach, gap float64) (from float64, ok bool) {
	for off := 0.0; off <= reach; off++ {
		for _, from := range [...]float64{at + off, at - off} {
			free := from >= top-4 && from+high <= p.bottom+float64(lineHeight)
			for _, t := range taken {
				free = free && (from >= t.to+gap || from+high+gap <= t.from)
			}
			if free {
				return from, true
			}
		}
	}
	return 0, false
}

// legend returns what explains the colours and marks, and the height of the picture.
func (p *picture) legend() (svg string, height int) {
	var b strings.Builder
	x, y := float64(edge*2), p.bottom+34
	put := func(name string, draw func(x, y float64)) {
		w := 26 + textWidth(name, fontSize) + 14
		if x > edge*2 && x+w > width-edge {
			x, y = edge*2, y+20
		}
		draw(x, y)
		fmt.Fprintf(&b, "<text class=\"dim\" x=\"%s\" y=\"%s\">%s</text>\n", px(x+26), px(y), escape(name))
		x += w
	}
	stroke := func(class string) func(x, y float64) {
		return func(x, y float64) { path(&b, class, "M%s %sh20", x, y-4) }
	}
	for k, shown := range p.kinds {
		if shown {
			put(predict.PacketKind(k).String(), stroke(fmt.Sprint("way k", k)))
		}
	}
	has := func(class string) bool {
		return slices.ContainsFunc(p.story.marks, func(m mark) bool { return m.class == class })
	}
	for _, e := range [...]struct {
		shown bool
		name  string
		draw  func(x, y float64)
	}{
		{p.lost, "lost", func(x, y float64) { drawCross(&b, x+10, y-4, 4.5) }},
		{p.refused, "arrived, but not used", func(x, y float64) { drawCross(&b, x+10, y-4, 3.5) }},
		{p.late, "late", func(x, y float64) { drawLate(&b, x+10, y-4) }},
		{p.reordered, "out of order", func(x, y float64) { drawReordered(&b, x+10, y-4) }},
		{p.duplicate, "second copy", stroke("arrow copy k1")},
		{has("fix"), "correction", func(x, y float64) { rect(&b, "fix", x+2, y-6, 16, 4) }},
		{has("wait"), "stalled", func(x, y float64) { rect(&b, "wait", x+8, y-10, 6, 12) }},
		{len(p.story.highlighted[0])+len(p.story.highlighted[1]) > 0, "thick: the way of one input or state", stroke("line")},
	} {
		if e.shown {
			put(e.name, e.draw)
		}
	}
	return b.String(), int(y) + 18
}
