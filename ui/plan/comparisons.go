package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// Comparison is a session worth looking at, under a name.
type Comparison struct {
	Name     string      // as --compare takes it
	Title    string      // says the point, at most MaxTitle characters
	Headline string      // the measure or counter that the comparison is about; every pane shows it large
	Moment   float64     // seconds from the start to the tick at which its effect is clearest
	Order    []Order     // what the title claims about the headline at that moment; empty: no order
	Source   Source      // where the comparison comes from; zero: it is our own
	Formerly []string    // names of comparisons that it has replaced: it opens under them too
	Best     *stage.Best // panes that the order calls the best; nil: none

	Show     []lab.Command // what sets the display at its start
	Settings Settings      // scene, panes, network, seat, rate, tape, fault-every
}

// Order says that the headline of one pane is smaller than that of another.
type Order struct{ Smaller, Larger int } // indices of panes

// parseOrder parses an order of panes, which count from 1, such as "3 < 2 < 1, 4 < 1".
func parseOrder(text string, panes int) (list []Order, err error) {
	if text == "" {
		return nil, nil
	}
	for chain := range strings.SplitSeq(text, ",") {
		previous := 0
		numbers := strings.Split(chain, "<")
		for _, number := range numbers {
			n, err := ParseInt(strings.TrimSpace(number), 1, panes)
			if err != nil || len(numbers) < 2 || n == previous {
				return nil, fmt.Errorf("want two or more different panes from 1 to %d by size of the headline, such as 2 < 1", panes)
			}
			if previous > 0 {
				list = append(list, Order{previous - 1, n - 1})
			}
			previous = n
		}
	}
	return list, nil
}

// maxMoment is the largest moment, in seconds. The tests run every comparison up to its moment.
const maxMoment = 60

// MaxTitle is the length of the longest title, in characters.
const MaxTitle = 60

// Source is a publication.
type Source struct {
	Author string `toml:"author"`
	Title  string `toml:"title"`
	Year   int    `toml:"year"`
}

// String returns author, title (year), or nothing for the zero Source.
func (s Source) String() string {
	if s == (Source{}) {
		return ""
	}
	return fmt.Sprintf("%s, %s (%d)", s.Author, s.Title, s.Year)
}

// check reports a source that is incomplete.
func (s Source) check() error {
	if s != (Source{}) && (s.Author == "" || s.Title == "" || s.Year < 1900 || s.Year > 2100) {
		return errors.New("want author, title and year")
	}
	return nil
}

// comparisonFile is a file of comparisons. Its source holds for those that name none.
type comparisonFile struct {
	Source      Source            `toml:"source"`
	Comparisons []comparisonTable `toml:"comparison"`
}

type comparisonTable struct {
	Name     string   `toml:"name"`
	Title    string   `toml:"title"`
	Headline string   `toml:"headline"`
	Moment   float64  `toml:"moment"`
	Order    string   `toml:"order"`
	Better   string   `toml:"better"`
	Show     string   `toml:"show"`
	Source   *Source  `toml:"source"`
	Formerly []string `toml:"formerly"`
	sessionTable
}

// Comparisons returns all comparisons, in the order of their files' names and of their
// places in them. Errors name the file and the line.
func (l *Library) Comparisons() ([]Comparison, error) {
	if l.comparisons != nil {
		return l.comparisons, nil
	}
	list := []Comparison{}
	err := readAll(l.ComparisonFiles, "comparisons", func(name string, text []byte) (err error) {
		list, err = l.readComparisons(list, name, text)
		return err
	})
	if err != nil {
		return nil, err
	}
	l.comparisons = list
	return list, nil
}

// readComparisons appends the comparisons of a file to a list.
func (l *Library) readComparisons(list []Comparison, name string, text []byte) ([]Comparison, error) {
	var f comparisonFile
	d, err := decodeTOML(name, text, &f)
	if err != nil {
		return nil, err
	}
	if err := f.Source.check(); err != nil {
		return nil, d.errorAt("", &SettingError{"source", "", err})
	}
	for i := range f.Comparisons {
		c, err := f.Comparisons[i].comparison(f.Source)
		if err == nil {
			err = l.check(c.Settings)
		}
		for k, name := range c.names() {
			if err == nil && slices.ContainsFunc(list, func(x Comparison) bool { return slices.Contains(x.names(), name) }) {
				err = &SettingError{nameKey(k), name, errors.New("another comparison has this name")}
			}
		}
		if err != nil {
			return nil, d.errorAt(fmt.Sprintf("comparison[%d]", i), err)
		}
		list = append(list, c)
	}
	return list, nil
}

// comparison returns the comparison of a table, or the first error in its texts.
func (t *comparisonTable) comparison(source Source) (c Comparison, err error) {
	c = Comparison{Name: t.Name, Title: t.Title, Headline: t.Headline, Moment: t.Moment, Source: source, Formerly: t.Formerly}
	if t.Source != nil {
		c.Source = *t.Source
	}
	if c.Settings, err = t.settings(); err != nil {
		return c, err
	}
	c.Settings = Settings{Seat: defaults.Seat, Rate: defaults.Rate}.overriddenBy(c.Settings)
	for _, required := range [...]struct{ name, value string }{
		{"name", t.Name}, {"title", t.Title}, {"headline", t.Headline}, {"tape", t.Tape}, {"scene", t.Scene}, {"network", t.Network}, {"panes", c.Settings.Panes},
	} {
		if required.value == "" {
			return c, &SettingError{required.name, "", errors.New("it is missing")}
		}
	}
	for k, name := range c.names() {
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return c, &SettingError{nameKey(k), name, errors.New("want lower-case letters, digits and dashes")}
		}
	}
	if n := utf8.RuneCountInString(t.Title); n > MaxTitle || strings.ContainsAny(t.Title, "\r\n\t") {
		return c, &SettingError{"title", "", fmt.Errorf("it has %d characters: want one line of at most %d", n, MaxTitle)}
	}
	headline := stage.Show("headline", t.Headline)
	if err := stage.CheckCommand(headline); err != nil {
		return c, &SettingError{"headline", "", err}
	}
	if c.Show, err = stage.ParseShow(t.Show); err != nil {
		return c, &SettingError{"show", "", err}
	}
	c.Show = append([]lab.Command{headline}, c.Show...)
	if !(t.Moment > 1 && t.Moment <= maxMoment) {
		return c, &SettingError{"moment", fmt.Sprint(t.Moment), fmt.Errorf("want seconds, more than 1, which is not scored, and at most %d", maxMoment)}
	}
	if c.Order, err = parseOrder(t.Order, len(t.Panes)); err != nil {
		return c, &SettingError{"order", t.Order, err}
	}
	counter, ok := betterNames[t.Better]
	if !ok || counter != stage.Neither && len(c.Order) == 0 {
		return c, &SettingError{"better", t.Better, errors.New("want less or more, beside an order")}
	}
	c.Best = c.best(counter)
	if err := c.Source.check(); err != nil {
		return c, &SettingError{"source", "", err}
	}
	return c, nil
}

// betterNames are the values of the field better.
var betterNames = map[string]stage.Better{"": stage.Neither, "less": stage.Less, "more": stage.More}

// best returns the panes that are at the best end of the order.
func (c *Comparison) best(counter stage.Better) *stage.Best {
	b := &stage.Best{Headline: c.Headline, Counter: counter}
	for _, o := range c.Order {
		pane, end := o.Smaller, func(x Order) bool { return x.Larger == o.Smaller }
		if counter == stage.More {
			pane, end = o.Larger, func(x Order) bool { return x.Smaller == o.Larger }
		}
		if !slices.ContainsFunc(c.Order, end) && !slices.Contains(b.Panes, pane) {
			b.Panes = append(b.Panes, pane)
		}
	}
	if len(b.Panes) == 0 {
		return nil
	}
	return b
}

// names returns the comparison's name and those under which it opens too.
func (c *Comparison) names() []string { return append([]string{c.Name}, c.Formerly...) }

// nameKey is the field that has the name at an index of names.
func nameKey(k int) string {
	if k == 0 {
		return "name"
	}
	return "formerly"
}

// ComparisonNamed returns the comparison called name, or the one that has replaced it.
func (l *Library) ComparisonNamed(name string) (*Comparison, error) {
	list, err := l.Comparisons()
	if err != nil {
		return nil, err
	}
	for i := range list {
		if slices.Contains(list[i].Formerly, name) {
			return &list[i], nil
		}
	}
	i, err := indexNamed(list, "comparison", name, func(c *Comparison) string { return c.Name })
	if err != nil {
		return nil, err
	}
	return &list[i], nil
}
