package hud

import (
	"math"
	"strings"

	"ghostcube/ui/stage"
)

// headline is the quantity of a pane that is drawn large.
type headline struct {
	name  string   // as the setting has it
	value keptText // with its digits; a dash if there is none
	unit  string   // may be empty
	label string   // what it is, without the unit

	changes int   // of anything above so far
	texts   texts // scratch
}

// clone returns a copy that shares no memory with h.
func (h *headline) clone() headline {
	return headline{name: h.name, value: h.value.clone(), unit: h.unit, label: h.label, changes: h.changes}
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

// headlineValue appends the present value of the headline to its texts, and sets its label and unit where they are
// not those of its name.
func (p *pane) headlineValue(h *headline) {
	name := h.name
	rate := p.source.ServerWorld.Rate()
	if name == stage.AgeHeadline {
		var ages ageHistogram
		if ages.count(p); ages.total > 0 {
			h.texts.int(int(math.Round(float64(ages.quantile(0.99)*1000) / float64(rate))))
		} else {
			h.texts.add("-")
		}
		h.label = "snapshot age, 99th percentile"
		return
	}
	p.measures = p.source.Measures(p.source.Headline(p.measures[:0]))
	for i := range p.measures {
		m := &p.measures[i]
		if m.Name != name {
			continue
		}
		h.texts.b = m.AppendText(h.texts.b)
		if comma := strings.LastIndex(m.Title, ", "); comma >= 0 {
			h.label, h.unit = m.Title[:comma], m.Title[comma+2:]
		} else if m.Title != "" {
			h.label, h.unit = m.Title, ""
		}
		return
	}
	if v, ok := p.source.Counters.Lookup(name); ok {
		h.texts.counter(v)
	} else {
		h.texts.add("-")
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
