package timeline

import (
	"strconv"

	"ghostcube/render"
	"ghostcube/ui/stage"
)

// Heights of the bar's parts, in pixels at scale 1.
const (
	barPadding = 4
	textRow    = 18
	paneRow    = 10
	scaleRow   = 13
)

// columnWidth is the width of a column of marks, in pixels at scale 1.
const columnWidth = 2

// Bar draws a timeline over a span of ticks. The zero value shows the whole session.
type Bar struct {
	Hover int // tick at the pointer; -1: none

	rect  stage.Rect
	scale float32
	panes int
	track stage.Rect // where the marks are

	zoomed   bool
	from, to int // ticks at the ends of the track

	marks    render.DrawList // of the track, kept until something changes
	drawn    barKey
	texts    render.Texts
	scratch  []byte
	revision int // of the bookmarks
}

// barKey is what the kept marks depend on.
type barKey struct {
	take              *Take
	from, to, columns int // columns: that have been reached
	track             stage.Rect
	panes, revision   int
}

// State is what the bar shows besides the timeline.
type State struct {
	Playing bool
	Speed   float64
	Loop    [2]int // ticks of the span that is looped; equal: none
	Rate    int    // ticks per second
	Seeking int    // ticks still to rebuild
	NoKeys  bool   // the status names no keys
	Note    string // about what the pointer is at, instead of the legend
}

// BarHeight returns the height of the bar of a session, in pixels.
func BarHeight(panes int, scale float32) int {
	return int(scale * float32(2*barPadding+textRow+scaleRow+paneRow*max(panes, 1)))
}

// px scales a length to whole pixels.
func (b *Bar) px(n float32) float32 { return float32(int(n*b.scale + 0.5)) }

// spans are the lengths, in seconds, that the whole session is shown in: each is used until the session is longer.
var spans = [...]int{30, 60, 120, 180, 300, 480, 600, 900, 1200, 1800, 2700, 3600, 5400, 7200, 10800, 14400, 21600, 43200, 86400}

// wholeSpan returns the ticks that a track shows of a session.
func wholeSpan(ticks, rate int) int {
	for _, s := range spans {
		if ticks <= s*rate {
			return s * rate
		}
	}
	return ticks
}

// Layout places the bar. rate is in ticks per second.
func (b *Bar) Layout(at stage.Rect, scale float32, t *Timeline, rate int) {
	b.rect, b.scale, b.panes = at, scale, max(len(t.lab.Panes), 1)
	side, pad := b.px(12), b.px(barPadding)
	label := b.px(14)
	b.track = stage.Rect{X: at.X + int(side+label), Y: at.Y + int(pad+b.px(textRow)), W: max(at.W-int(2*side+label), 1), H: int(b.px(paneRow)) * b.panes}
	if !b.zoomed {
		b.from, b.to = t.Start(), t.Start()+wholeSpan(t.End()-t.Start(), rate)
	}
}

// Contains reports whether a pixel of the frame lies on the bar.
func (b *Bar) Contains(x, y int) bool {
	return b.rect.Contains(float32(x), float32(y))
}

// TickAt returns the tick at a column of the frame, which may lie beyond the ends of the track.
func (b *Bar) TickAt(x int) int {
	return b.from + int(float64(x-b.track.X)*float64(b.to-b.from)/float64(b.track.W)+0.5)
}

// x returns the column of the frame at a tick.
func (b *Bar) x(tick int) float32 {
	return float32(float64(b.track.X) + float64(tick-b.from)*float64(b.track.W)/float64(b.to-b.from))
}

// Zoom shows a shorter or a longer span around a column of the frame: by times as long, at least a second and at most
// the whole session.
func (b *Bar) Zoom(x int, by float64, t *Timeline, rate int) {
	around := min(max(b.TickAt(x), t.Start()), t.End())
	whole := wholeSpan(t.End()-t.Start(), rate)
	length := int(float64(b.to-b.from)*by + 0.5)
	if b.zoomed = length < whole; !b.zoomed {
		b.from, b.to = t.Start(), t.Start()+whole
		return
	}
	length = max(length, rate)
	share := float64(around-b.from) / float64(b.to-b.from)
	b.from = max(around-int(float64(length)*share), t.Start())
	b.to = b.from + length
}

// Follow moves a zoomed span so that a tick is in it.
func (b *Bar) Follow(tick int, t *Timeline) {
	if length := b.to - b.from; b.zoomed && (tick < b.from || tick > b.to) {
		b.from = max(tick-length/2, t.Start())
		b.to = b.from + length
	}
}

// snapDistance is how near to a mark the pointer means the mark, in pixels at scale 1.
const snapDistance = 5

// PaneAt returns the index of the pane whose row is at a line of the frame, or -1.
func (b *Bar) PaneAt(y int) int {
	if i := (y - b.track.Y) * b.panes / max(b.track.H, 1); y >= b.track.Y && i < b.panes {
		return i
	}
	return -1
}

// MarkAt returns the mark nearest to a pixel of the frame in the row of a pane, among all kinds but losses, which are
// too many to aim at. A bookmark is found in every row. ok is false if none is near.
func (b *Bar) MarkAt(x, y int, t *Timeline) (pane int, kind Kind, tick int, ok bool) {
	pane = b.PaneAt(y)
	reach := max(int(float64(b.px(snapDistance))*float64(b.to-b.from)/float64(b.track.W)), 1)
	at := b.TickAt(x)
	nearest := reach + 1
	for k := Corrections; k < kindCount; k++ {
		if pane < 0 && k != Bookmarks {
			continue
		}
		for _, n := range [2]int{t.PreviousMark(max(pane, 0), k, at-reach, at+1), t.NextMark(max(pane, 0), k, at, at+reach+1)} {
			if d := max(n-at, at-n); n >= 0 && d <= nearest && (d < nearest || k > kind) {
				kind, tick, nearest, ok = k, n, d, true
			}
		}
	}
	return pane, kind, tick, ok
}

// countMarks returns the marks of a kind in [from, to) of the present take.
func (t *Timeline) countMarks(pane int, k Kind, from, to int) (n int) {
	for x := t.take; x != nil && to > from; x = x.Parent {
		n += len(x.marks.of(pane, k).within(x.first(from), to-x.From))
		to = min(to, x.From+1)
	}
	return n
}

// shades are the opacities of a column with few marks to one with many.
const shades = 4

// updateMarks draws the marks of the track, if they have changed.
func (b *Bar) updateMarks(t *Timeline) {
	width := max(b.px(columnWidth), 1)
	columns := int(float32(b.track.W) / width)
	reached := min(max(int((b.x(t.End())-float32(b.track.X))/width)+1, 0), columns)
	key := barKey{t.take, b.from, b.to, reached, b.track, b.panes, b.revision}
	if key == b.drawn {
		return
	}
	b.drawn = key
	b.marks.Reset()
	ticks := float64(b.to-b.from) / float64(columns)
	row := b.px(paneRow)
	for pane := range b.panes {
		y := float32(b.track.Y) + row*float32(pane)
		for k := range Bookmarks {
			kind := &kinds[k]
			top, height := y+1+kind.top*(row-2), (kind.bottom-kind.top)*(row-2)
			run, shade := 0, 0 // the columns before the present one with one shade
			flush := func(column int) {
				if shade > 0 {
					c := kind.color
					c.A = uint8(255 * (shade + 1) / (shades + 1))
					b.marks.Rect(float32(b.track.X)+width*float32(run), top, width*float32(column-run), height, c)
				}
				run = column
			}
			for column := range reached {
				first, end := b.from+int(float64(column)*ticks), b.from+int(float64(column+1)*ticks)
				now := 0
				if n := t.countMarks(pane, k, first, max(end, first+1)); n > 0 && (end > first || column == 0 || first != b.from+int(float64(column-1)*ticks)) {
					now = min(1+int(4*float64(n)*shades/max(ticks, 1)), shades)
					if k != Losses {
						now = max(now, shades/2)
					}
					if ticks < 4 || k == Faults {
						now = shades
					}
				}
				if now != shade {
					flush(column)
					shade = now
				}
			}
			flush(reached)
		}
	}
	for at := t.NextMark(0, Bookmarks, b.from, b.to+1); at >= 0; at = t.NextMark(0, Bookmarks, at+1, b.to+1) {
		x, w := b.x(at), b.px(3)
		b.marks.Rect(x-w, float32(b.track.Y)-b.px(5), 2*w, b.px(5), stage.TimelineColors.Bookmarks)
		b.marks.Rect(x, float32(b.track.Y), max(b.px(1), 1), float32(b.track.H), stage.TimelineColors.Bookmarks)
	}
}

// Draw draws the bar into a list. It does nothing that allocates once its memory has grown.
func (b *Bar) Draw(list *render.DrawList, t *Timeline, s *State) {
	c := &stage.TimelineColors
	b.texts.Reset()
	b.updateMarks(t)
	x, y, w := float32(b.rect.X), float32(b.rect.Y), float32(b.rect.W)
	list.Rect(x, y, w, float32(b.rect.H), c.Background)
	row := b.px(paneRow)
	plain, bold := render.Font{Size: int(b.px(13))}, render.Font{Size: int(b.px(13)), Bold: true}
	small := render.Font{Size: int(max(b.px(11), 11))}
	for i := range b.panes {
		top := float32(b.track.Y) + row*float32(i)
		end := min(max(b.x(t.End()), float32(b.track.X)), float32(b.track.X+b.track.W))
		list.Rect(float32(b.track.X), top, end-float32(b.track.X), row-1, c.Track)
	}
	b.drawLoop(list, s)
	for i := range b.panes {
		list.Text(x+b.px(14), float32(b.track.Y)+row*float32(i)+row-b.px(1), small, c.DimText, b.number(i+1))
	}
	list.Append(&b.marks)
	b.drawScale(list, small, s.Rate)
	if k := t.take; k.Parent != nil && k.From > b.from && k.From < b.to {
		list.Rect(b.x(k.From)-1, float32(b.track.Y)-b.px(2), max(b.px(1), 1), float32(b.track.H)+b.px(4), c.Text)
	}
	b.drawCursor(list, t.now())
	if b.Hover > b.from && b.Hover < b.to {
		list.Rect(b.x(b.Hover), float32(b.track.Y), 1, float32(b.track.H), c.DimText)
	}
	b.drawTexts(list, t, s, plain, bold)
}

// drawLoop draws the span that is looped.
func (b *Bar) drawLoop(list *render.DrawList, s *State) {
	if s.Loop[0] >= s.Loop[1] {
		return
	}
	left, right := float32(b.track.X), float32(b.track.X+b.track.W)
	from, to := min(max(b.x(s.Loop[0]), left), right), min(max(b.x(s.Loop[1]), left), right)
	list.Rect(from, float32(b.track.Y)-b.px(3), to-from, float32(b.track.H)+b.px(6), stage.TimelineColors.Span)
}

// drawCursor draws the present moment.
func (b *Bar) drawCursor(list *render.DrawList, tick int) {
	x := b.x(tick)
	if x < float32(b.track.X)-1 || x > float32(b.track.X+b.track.W)+1 {
		return
	}
	c := stage.TimelineColors.Cursor
	half := b.px(4)
	list.Rect(x-half, float32(b.track.Y)-b.px(5), 2*half, b.px(4), c)
	list.Rect(x-0.5*max(b.px(1), 1), float32(b.track.Y)-b.px(3), max(b.px(1.5), 1), float32(b.track.H)+b.px(6), c)
}

// labelSteps are the distances of labels on the scale, in seconds.
var labelSteps = [...]float64{0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200}

// drawScale draws the times below the track.
func (b *Bar) drawScale(list *render.DrawList, f render.Font, rate int) {
	seconds := float64(b.to-b.from) / float64(rate)
	room := float64(b.px(70)) / float64(b.track.W) * seconds
	step := labelSteps[len(labelSteps)-1]
	for _, s := range labelSteps {
		if s >= room {
			step = s
			break
		}
	}
	y := float32(b.track.Y+b.track.H) + b.px(1)
	first := int(float64(b.from)/float64(rate)/step + 0.999)
	for i := first; float64(i)*step <= float64(b.to)/float64(rate); i++ {
		at := float64(i) * step
		x := b.x(int(at*float64(rate) + 0.5))
		list.Rect(x, y, 1, b.px(3), stage.TimelineColors.DimText)
		b.scratch = appendClock(b.scratch[:0], at, step < 1)
		if text := b.texts.Keep(b.scratch); x+b.px(3)+f.Width(text) < float32(b.rect.X+b.rect.W) {
			list.Text(x+b.px(3), y+b.px(11), f, stage.TimelineColors.DimText, text)
		}
	}
}

// appendClock appends a time in seconds as minutes and seconds, with a tenth if wanted.
func appendClock(dst []byte, seconds float64, tenth bool) []byte {
	tenths := int(seconds*10 + 0.5)
	if !tenth {
		tenths = int(seconds+0.5) * 10
	}
	dst = strconv.AppendInt(dst, int64(tenths/600), 10)
	dst = append(dst, ':')
	if tenths/10%60 < 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, int64(tenths/10%60), 10)
	if tenth {
		dst = append(dst, '.')
		dst = strconv.AppendInt(dst, int64(tenths%10), 10)
	}
	return dst
}

// number returns a number as a text that is valid until the next Draw.
func (b *Bar) number(n int) string {
	b.scratch = strconv.AppendInt(b.scratch[:0], int64(n), 10)
	return b.texts.Keep(b.scratch)
}

// drawTexts draws the line above the track: the moment, the status, and at the right the kinds of marks.
func (b *Bar) drawTexts(list *render.DrawList, t *Timeline, s *State, plain, bold render.Font) {
	c := &stage.TimelineColors
	base := float32(b.rect.Y) + b.px(barPadding) + b.px(11)
	x := float32(b.rect.X) + b.px(12)
	now, end := t.now(), t.End()
	b.scratch = appendClock(b.scratch[:0], float64(now)/float64(s.Rate), true)
	b.scratch = append(b.scratch, " of "...)
	b.scratch = appendClock(b.scratch, float64(end)/float64(s.Rate), true)
	x += list.Text(x, base, bold, c.Text, b.texts.Keep(b.scratch)) + b.px(12)
	b.scratch = t.appendStatus(b.scratch[:0], s)
	status := b.texts.Keep(b.scratch)
	color := c.DimText
	if t.reviewing {
		color = c.Bookmarks
	}
	x += list.Text(x, base, plain, color, status) + b.px(20)
	right := float32(b.rect.X+b.rect.W) - b.px(12)
	if s.Note != "" {
		list.Text(max(x, right-plain.Width(s.Note)), base, plain, c.Text, s.Note)
		return
	}
	width := func(k Kind) float32 { return plain.Width(kinds[k].name) + b.px(26) }
	shown, room := [kindCount]bool{}, right-x
	for _, k := range legendOrder {
		if width(k) > room {
			break
		}
		shown[k] = true
		room -= width(k)
	}
	for i := range kindCount { // the legend, from the right
		k := &kinds[kindCount-1-i]
		if !shown[kindCount-1-i] {
			continue
		}
		right -= width(kindCount - 1 - i)
		list.Rect(right, base-b.px(8), b.px(8), b.px(8), k.color)
		list.Text(right+b.px(12), base, plain, c.DimText, k.name)
	}
}

// legendOrder is the order in which kinds of marks get a place in the legend.
var legendOrder = [kindCount]Kind{Corrections, Losses, Faults, Stalls, Shots, Bookmarks, Effects, Withdrawn}

// appendStatus appends the take, whether it is live, and how fast it plays.
func (t *Timeline) appendStatus(dst []byte, s *State) []byte {
	if len(t.takes) > 1 {
		dst = append(dst, "take "...)
		dst = strconv.AppendInt(dst, int64(t.take.Number), 10)
		dst = append(dst, " of "...)
		dst = strconv.AppendInt(dst, int64(len(t.takes)), 10)
		if t.take.Cause != "" {
			dst = append(dst, " ("...)
			dst = append(dst, t.take.Cause...)
			dst = append(dst, ')')
		}
		dst = append(dst, ", "...)
	}
	switch {
	case s.Seeking > 0:
		dst = append(dst, "rebuilding, "...)
		dst = strconv.AppendInt(dst, int64(s.Seeking), 10)
		return append(dst, " ticks left"...)
	case !t.reviewing:
		return append(dst, "live"...)
	case !s.Playing && s.NoKeys:
		dst = append(dst, "past"...)
	case !s.Playing:
		dst = append(dst, "past: P plays, N and Shift N step, End is live"...)
	case s.Loop[0] < s.Loop[1]:
		dst = append(dst, "past, looped, "...)
	default:
		dst = append(dst, "past, playing, "...)
	}
	if s.Playing {
		dst = appendSpeed(dst, s.Speed)
	}
	return dst
}

// appendSpeed appends a speed as a fraction or a whole number.
func appendSpeed(dst []byte, v float64) []byte {
	if v > 0 && v < 1 {
		dst = append(dst, "1/"...)
		return append(strconv.AppendInt(dst, int64(1/v+0.5), 10), " speed"...)
	}
	return append(strconv.AppendFloat(dst, v, 'g', 3, 64), "x speed"...)
}

// Changed tells the bar that a bookmark has been set or removed.
func (b *Bar) Changed() { b.revision++ }
