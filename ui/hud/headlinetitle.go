package hud

import (
	"sync"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// HeadlineTitle returns a headline's quantity in words with its unit, such as "path error RMS, m".
func HeadlineTitle(name string) string {
	if name == stage.AgeHeadline {
		return "snapshot age, ms"
	}
	if title := measureTitles()[name]; title != "" {
		return title
	}
	if unit := unitOf(name); unit != "" {
		return labelOf(name) + ", " + unit
	}
	return labelOf(name)
}

// measureTitles returns the titles of all measures by name.
var measureTitles = sync.OnceValue(func() map[string]string {
	titles := map[string]string{}
	l := lab.New(lab.Config{Scene: "plain", Rate: 60}) // all sessions have the same measures
	p, err := l.Open(lab.Strategies[0].Name)
	if err != nil {
		panic("stage: " + err.Error())
	}
	for _, m := range p.Measures(p.Headline(nil)) {
		titles[m.Name] = m.Title
	}
	return titles
})
