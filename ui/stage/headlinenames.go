package stage

import (
	"fmt"
	"slices"
	"sync"

	"ghostcube/predict/lab"
)

// NoHeadline is the value of the headline setting without a headline.
const NoHeadline = "off"

// AgeHeadline is the headline that the stage computes itself. All others are measures and counters.
const AgeHeadline = "snapshot_age_ms"

// measures returns the names of the figures that lead every pane and of all measures, and their titles.
var measures = sync.OnceValues(func() (names []string, titles map[string]string) {
	l := lab.New(lab.Config{Scene: "plain", Rate: 60}) // all sessions have the same measures
	p, err := l.Open(lab.Strategies[0].Name)
	if err != nil {
		panic("stage: " + err.Error())
	}
	titles = map[string]string{}
	for _, m := range p.Measures(p.Headline(nil)) {
		names, titles[m.Name] = append(names, m.Name), m.Title
	}
	return names, titles
})

// MeasureTitle returns the title of a measure, or nothing for another name.
func MeasureTitle(name string) string {
	_, titles := measures()
	return titles[name]
}

// HeadlineNames returns the names of all quantities that can be a headline: NoHeadline, those that the stage computes, the
// figures that lead every pane, and all measures and counters. The list is only to be read.
var HeadlineNames = sync.OnceValue(func() []string {
	names := []string{NoHeadline, AgeHeadline}
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	known, _ := measures()
	for _, name := range known {
		add(name)
	}
	add("pops_all_per_minute")
	for _, s := range lab.Strategies {
		_, counters := lab.Describe(s)
		for _, c := range counters.All() {
			add(c.Name)
		}
	}
	return names
})

// checkHeadline returns the error of a headline that does not exist.
func checkHeadline(name string) error {
	if slices.Contains(HeadlineNames(), name) {
		return nil
	}
	return &unknownHeadlineError{name}
}

// unknownHeadlineError is the error for a headline that does not exist. Its text says where the names are listed,
// because there are more than two hundred.
type unknownHeadlineError struct{ name string }

func (e *unknownHeadlineError) Error() string {
	return fmt.Sprintf("no headline %q (there are %s, %s, and all of list measures and list counters)", e.name, NoHeadline, AgeHeadline)
}

// Names returns the name asked for and the known ones, for a suggestion.
func (e *unknownHeadlineError) Names() (kind, name string, known []string) {
	return "headline", e.name, HeadlineNames()
}
