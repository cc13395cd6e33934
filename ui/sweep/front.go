package sweep

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"ghostcube/internal/statistics"
)

// The measures of the front, all of which are better if lower: how soon a key shows, how smooth motion is, what it costs.
const (
	responseMeasure   = "key_to_screen_ms"
	smoothnessMeasure = "pops_per_minute"
	bandwidthMeasure  = "down_kbit_per_second"
)

// frontMeasures are the measures of the front.
var frontMeasures = []string{responseMeasure, smoothnessMeasure, bandwidthMeasure}

// column returns the index of a column that the report shows, or -1.
func (a *analysis) column(name string) int {
	return slices.IndexFunc(a.columns, func(c Column) bool { return c.Name == name })
}

// frontMeans returns the means of a row that the front compares. ok is false if one has no value.
func (a *analysis) frontMeans(r *row) (means [3]statistics.Interval, ok bool) {
	for i, name := range frontMeasures {
		k := a.column(name)
		if k < 0 || r.Cells[k].mean.N == 0 {
			return means, false
		}
		means[i] = r.Cells[k].mean
	}
	return means, true
}

// markFront marks the rows of a table for which no other one is at least as good in all measures of the front and better
// in one, by the means.
func (a *analysis) markFront(t *table) {
	for i := range t.Rows {
		m, ok := a.frontMeans(&t.Rows[i])
		t.Rows[i].Compared = ok
		t.Rows[i].Front = ok && !slices.ContainsFunc(t.Rows, func(other row) bool {
			b, ok := a.frontMeans(&other)
			worse, better := false, false
			for k := range m {
				worse, better = worse || b[k].Mean > m[k].Mean, better || b[k].Mean < m[k].Mean
			}
			return ok && better && !worse
		})
	}
}

// The size of a plot and of the area for its points, in units of its picture.
const (
	plotWidth, plotHeight   = 440, 320
	plotLeft, plotRight     = 52, 416
	plotTop, plotBottom     = 14, 268
	nearby                  = 16    // distance of points that share a label
	labelWidth, labelHeight = 7, 13 // of a letter of a label
	maxLabelsTogether       = 6
)

// axis maps the values of a measure to positions.
type axis struct {
	title    string
	from, to float64 // positions
	max      float64 // largest value
	scale    func(float64) float64
	ticks    []float64
}

// at returns the position of a value.
func (a *axis) at(v float64) float64 {
	return a.from + (a.to-a.from)*a.scale(max(v, 0))/a.scale(a.max)
}

// linearAxis returns an axis from 0 to a value.
func linearAxis(title string, from, to, most float64) axis {
	step := math.Pow(10, math.Floor(math.Log10(max(most, 1e-9))))
	for _, f := range []float64{0.2, 0.5, 1} {
		if most/(step*f) <= 6 {
			step *= f
			break
		}
	}
	a := axis{title: title, from: from, to: to, scale: func(v float64) float64 { return v }}
	for v := 0.0; v < most+step; v += step {
		a.ticks, a.max = append(a.ticks, v), v
	}
	return a
}

// logAxis returns an axis from 0 to a value that is logarithmic above 1.
func logAxis(title string, from, to, most float64) axis {
	a := axis{title: title, from: from, to: to, scale: math.Log1p, ticks: []float64{0, 1}}
	decade := 1.0
	for ; decade*10 <= most; a.ticks = append(a.ticks, decade) {
		decade *= 10
	}
	for _, f := range []float64{1, 2, 5, 10} {
		if a.max = decade * f; a.max >= most {
			break
		}
	}
	if a.max >= 5*decade { // nearer texts would touch
		a.ticks = append(a.ticks, a.max)
	}
	return a
}

// dot is a point of a plot.
type dot struct {
	x, y   statistics.Interval
	number int
	front  bool
}

// plots returns the drawings of the front: pops against key to screen, and pops against bandwidth.
func (a *analysis) plots(t *table) (list []template.HTML) {
	for _, by := range []int{0, 2} {
		var dots []dot
		mostX, mostY := 0.0, 0.0
		for i := range t.Rows {
			r := &t.Rows[i]
			if m, ok := a.frontMeans(r); ok {
				dots = append(dots, dot{m[by], m[1], r.Number, r.Front})
				mostX, mostY = max(mostX, m[by].Mean+m[by].Half()), max(mostY, m[1].Mean+m[1].Half())
			}
		}
		if len(dots) == 0 {
			return nil
		}
		if mostY == 0 {
			return []template.HTML{`<p class="dim">No pops in any pane: there is no front to draw.</p>`}
		}
		horizontal := linearAxis(a.columns[a.column(responseMeasure)].Title, plotLeft, plotRight, mostX)
		if by == 2 {
			horizontal = logAxis(a.columns[a.column(bandwidthMeasure)].Title, plotLeft, plotRight, mostX)
		}
		vertical := logAxis(a.columns[a.column(smoothnessMeasure)].Title, plotBottom, plotTop, mostY)
		list = append(list, drawPlot(&horizontal, &vertical, dots))
	}
	return list
}

// drawPlot draws points with error bars.
func drawPlot(h, v *axis, dots []dot) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s against %s, one point for each pane">`, plotWidth, plotHeight,
		template.HTMLEscapeString(v.title), template.HTMLEscapeString(h.title))
	for _, x := range h.ticks {
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f %dV%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`,
			h.at(x), plotTop, plotBottom, h.at(x), plotBottom+16, tickText(x))
	}
	for _, y := range v.ticks {
		fmt.Fprintf(&b, `<path class="grid" d="M%d %.1fH%d"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`,
			plotLeft, v.at(y), plotRight, plotLeft-6, v.at(y)+4, tickText(y))
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, (plotLeft+plotRight)/2, plotBottom+38, template.HTMLEscapeString(h.title))
	fmt.Fprintf(&b, `<text transform="translate(13 %d) rotate(-90)" text-anchor="middle">%s</text>`, (plotTop+plotBottom)/2, template.HTMLEscapeString(v.title))
	ordered := slices.Clone(dots)
	slices.SortStableFunc(ordered, func(a, b dot) int { // the front is drawn over the others
		switch {
		case a.front == b.front:
			return 0
		case b.front:
			return -1
		}
		return 1
	})
	for _, d := range ordered {
		class := "dominated"
		if d.front {
			class = "front"
		}
		x, y := h.at(d.x.Mean), v.at(d.y.Mean)
		fmt.Fprintf(&b, `<path class="bar" d="M%.1f %.1fH%.1fM%.1f %.1fV%.1f"/>`, h.at(d.x.Mean-d.x.Half()), y, h.at(d.x.Mean+d.x.Half()),
			x, v.at(d.y.Mean-d.y.Half()), v.at(d.y.Mean+d.y.Half()))
		fmt.Fprintf(&b, `<circle class="%s" cx="%.1f" cy="%.1f" r="4.5"/>`, class, x, y)
	}
	drawLabels(&b, h, v, dots)
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers and escaped titles
}

// drawLabels draws the numbers of points, together where points are near each other.
func drawLabels(b *strings.Builder, h, v *axis, dots []dot) {
	labelled := make([]bool, len(dots))
	var placed [][3]float64 // left, right and height of texts
	for i, d := range dots {
		if labelled[i] {
			continue
		}
		var numbers []string
		x, y := h.at(d.x.Mean), v.at(d.y.Mean)
		for k := i; k < len(dots); k++ {
			if math.Hypot(h.at(dots[k].x.Mean)-x, v.at(dots[k].y.Mean)-y) <= nearby && !labelled[k] {
				labelled[k] = true
				numbers = append(numbers, strconv.Itoa(dots[k].number))
			}
		}
		if len(numbers) > maxLabelsTogether {
			numbers = append(numbers[:maxLabelsTogether], "…")
		}
		text, anchor, at := strings.Join(numbers, ", "), "start", x+8
		if at+float64(labelWidth*len(text)) > plotWidth {
			anchor, at = "end", x-8
		}
		left := at
		if anchor == "end" {
			left -= float64(labelWidth * len(text))
		}
		box := [3]float64{left, left + float64(labelWidth*len(text)), y - 7}
		for slices.ContainsFunc(placed, func(o [3]float64) bool {
			return box[0] < o[1] && o[0] < box[1] && math.Abs(box[2]-o[2]) < labelHeight
		}) {
			box[2] -= labelHeight
		}
		placed = append(placed, box)
		fmt.Fprintf(b, `<text class="label" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, at, max(box[2], plotTop-3), anchor, text)
	}
}

// tickText formats the number at a tick.
func tickText(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
