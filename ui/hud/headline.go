package hud

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ghostcube/predict/score"
	"ghostcube/ui/stage"
)

// headline is the quantity of a pane that is drawn large.
type headline struct {
	name  string   // as the setting has it
	value keptText // with its digits; a dash if there is none
	unit  string   // may be empty
	label string   // what it is, without the unit

	measure score.Measure // what bars compare; of a counter Better is Neither
	noise   float64       // standard error of the measure

	changes int   // of anything above so far
	texts   texts // scratch
}

// clone returns a copy that shares no memory with h.
func (h *headline) clone() headline {
	return headline{name: h.name, value: h.value.clone(), unit: h.unit, label: h.label, measure: h.measure, noise: h.noise, changes: h.changes}
}

// headlineChangesPerSecond is how often in a second of the session the headline changes, so that it can be read.
const headlineChangesPerSecond = 4

// updateHeadline computes the headline of a pane. now says whether it is due; a new name is always due.
func (p *pane) updateHeadline(show *stage.Settings, now bool) {
	if show.Headline == stage.NoHeadline {
		if p.headline.name != stage.NoHeadline {
			p.headline = headline{name: stage.NoHeadline, changes: p.headline.changes + 1}
		}
		return
	}
	if !now && p.headline.name == show.Headline {
		return
	}
	h := &p.headline
	if h.name != show.Headline {
		h.name = show.Headline
		h.label, h.unit = splitName(h.name)
	}
	h.changes++
	h.texts.Reset()
	p.headlineValue(h)
	h.value.set(h.texts.end())
}

// headlineValue appends the present value of the headline to its texts, keeps it for its bar, and sets its label and unit
// where they are not those of its name.
func (p *pane) headlineValue(h *headline) {
	name := h.name
	h.measure, h.noise = score.Measure{Better: score.Neither}, math.Inf(1)
	rate := p.source.ServerWorld.Rate()
	if name == stage.AgeHeadline {
		var ages ageHistogram
		if ages.count(p); ages.total > 0 {
			ms := math.Round(float64(ages.quantile(0.99)*1000) / float64(rate))
			h.measure.Value, h.measure.OK = ms, true
			h.texts.int(int(ms))
		} else {
			h.texts.add("-")
		}
		h.label = "snapshot age, 99th percentile"
		return
	}
	p.measures = p.source.Headline(p.measures[:0])
	leading := len(p.measures)
	p.measures = p.source.Measures(p.measures)
	p.errors = p.source.StandardErrors(p.errors[:0]) // of the measures that do not lead
	for i := range p.measures[leading:] {
		if m := &p.measures[leading+i]; m.Name == name && i < len(p.errors) {
			h.noise = p.errors[i]
		}
	}
	for i := range p.measures {
		m := &p.measures[i]
		if m.Name != name {
			continue
		}
		h.measure = *m
		if name == "key_to_screen_ms" {
			h.noise = 0
		}
		unit := ""
		if m.OK && strings.HasSuffix(name, "_kbit_per_second") {
			var value float64
			var digits int
			value, unit, digits = rateUnit(m.Value)
			h.texts.fixed(value, digits)
		} else {
			h.texts.b = m.AppendText(h.texts.b)
		}
		if comma := strings.LastIndex(m.Title, ", "); comma >= 0 {
			h.label, h.unit = m.Title[:comma], m.Title[comma+2:]
		} else if m.Title != "" {
			h.label, h.unit = m.Title, ""
		}
		if unit != "" {
			h.unit = unit
		}
		return
	}
	if v, ok := p.source.Counters.Lookup(name); ok {
		h.measure.Value, h.measure.OK = v, true
		h.texts.counter(v)
	} else {
		h.texts.add("-")
	}
}

// alignRates gives all headlines in bits a second one unit, so that the large numbers can be compared: the smaller one.
func (h *HUD) alignRates() {
	small := slices.ContainsFunc(h.panes, func(p *pane) bool {
		m := &p.headline.measure
		_, unit, _ := rateUnit(m.Value)
		return m.OK && strings.HasSuffix(m.Name, "_kbit_per_second") && unit == "kbit/s"
	})
	for _, p := range h.panes {
		if x := &p.headline; small && x.unit == "Mbit/s" {
			x.unit = "kbit/s"
			x.texts.Reset()
			x.value.set(x.texts.fixed(x.measure.Value, 0).end())
		}
	}
}

// headlineBars are bars that compare the headlines of all panes.
type headlineBars struct {
	lengths []float32 // by pane, from 0 to 1; empty: they cannot be compared
	best    []bool    // by pane: better than all others by more than the noise, or best as the title claims

	measures []*score.Measure // scratch
	errors   []float64        // scratch
}

// compare makes the bars of the panes' headlines. They are longer the worse a value is; those of counters, and of measures
// without a better value, are in relation to the largest value. claimed may be nil.
func (b *headlineBars) compare(panes []*pane, claimed *stage.Best) {
	b.lengths, b.measures, b.errors, b.best = b.lengths[:0], b.measures[:0], b.errors[:0], b.best[:0]
	for range panes {
		b.best = append(b.best, false)
	}
	if len(panes) < 2 {
		return
	}
	known, least, largest := 0, math.Inf(1), 0.0
	for _, p := range panes {
		m := &p.headline.measure
		b.measures, b.errors = append(b.measures, m), append(b.errors, p.headline.noise)
		if m.OK {
			known++
			least, largest = min(least, m.Value), max(largest, m.Value)
		}
	}
	if b.measures[0].Better != score.Neither {
		b.lengths = score.AppendBars(b.lengths, b.measures)
		if best := score.Best(b.measures, b.errors); best >= 0 {
			b.best[best] = true
			return
		}
		b.mark(panes, claimed, stage.Less)
		return
	}
	if known < 2 || !(largest > least) {
		return
	}
	for _, m := range b.measures {
		length := 0.0
		if m.OK {
			length = max(m.Value, 0) / largest
		}
		b.lengths = append(b.lengths, float32(length))
	}
	if claimed != nil {
		b.mark(panes, claimed, claimed.Counter)
	}
}

// mark marks the claimed panes if each is better than every other pane, all values are known, and the panes show the headline of
// the claim. better says which lengths are better.
func (b *headlineBars) mark(panes []*pane, claimed *stage.Best, better stage.Better) {
	if claimed == nil || better == stage.Neither || len(b.lengths) == 0 || panes[0].headline.name != claimed.Headline {
		return
	}
	for i, length := range b.lengths {
		if !b.measures[i].OK {
			return
		}
		for k, other := range b.lengths {
			if slices.Contains(claimed.Panes, i) && !slices.Contains(claimed.Panes, k) &&
				!(better == stage.Less && length < other || better == stage.More && length > other) {
				return
			}
		}
	}
	for _, i := range claimed.Panes {
		if i < len(panes) && len(claimed.Panes) < len(panes) {
			b.best[i] = true
		}
	}
}

// counter appends a counter with at least two digits, and without a fraction if it is large or has none.
func (t *texts) counter(v float64) *texts {
	digits := 2
	switch {
	case v == math.Trunc(v) || math.Abs(v) >= 100:
		digits = 0
	case math.Abs(v) >= 10:
		digits = 1
	}
	return t.fixed(v, digits)
}

// headlineUnits are the units by the ends of the names of measures and counters.
var headlineUnits = []struct{ suffix, unit string }{
	{"_kbit_per_second", "kbit/s"}, {"_per_second", "/s"}, {"_per_minute", "/min"}, {"_percent", "%"}, {"_degrees", "degrees"},
	{"_hz", "Hz"}, {"_ms", "ms"}, {"_ticks", "ticks"}, {"_bits", "bits"}, {"_m", "m"},
}

// splitName returns a name as words without its unit, and the unit, if it ends in one.
func splitName(name string) (label, unit string) {
	for _, u := range headlineUnits {
		if rest, ok := strings.CutSuffix(name, u.suffix); ok {
			name, unit = rest, u.unit
			break
		}
	}
	return strings.ReplaceAll(name, "_", " "), unit
}

// HeadlineText returns the headlines of all panes as words, such as "pops per minute: 291 in pane 1, 0 in pane 2". It is empty if
// there are none.
func (h *HUD) HeadlineText() string {
	var b strings.Builder
	for i, p := range h.panes {
		x := &p.headline
		if x.name == stage.NoHeadline || x.value.text == "" {
			continue
		}
		if b.Len() == 0 {
			b.WriteString(x.label + ": ")
		} else {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s in pane %d", strings.TrimSpace(x.value.text+" "+x.unit), i+1)
	}
	return b.String()
}

// HeadlineTitle returns a headline's quantity in words with its unit, such as "path error RMS, m".
func HeadlineTitle(name string) string {
	if name == stage.AgeHeadline {
		return "snapshot age, ms"
	}
	if title := stage.MeasureTitle(name); title != "" {
		return title
	}
	label, unit := splitName(name)
	if unit == "" {
		return label
	}
	return label + ", " + unit
}
