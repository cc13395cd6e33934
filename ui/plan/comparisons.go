package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// Comparison is a session worth looking at, under a name.
type Comparison struct {
	Name     string // as --compare takes it
	Title    string // says the point, at most MaxTitle characters
	Headline string // the quantity that the comparison is about, at most MaxTitle characters; may be empty
	Source   Source // where the comparison comes from; zero: it is our own

	Show     []lab.Command // what sets the display at its start
	Settings Settings      // scene, panes, network, seat, rate, tape, fault-every
}

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
	Name     string  `toml:"name"`
	Title    string  `toml:"title"`
	Headline string  `toml:"headline"`
	Show     string  `toml:"show"`
	Source   *Source `toml:"source"`
	sessionTable
}

// Comparisons returns all comparisons, in the order of their files' names and of their
// places in them. Errors name the file and the line.
func (b *Library) Comparisons() ([]Comparison, error) {
	if b.comparisons != nil {
		return b.comparisons, nil
	}
	files, err := fs.Glob(b.ComparisonFiles, "comparisons/*.toml")
	if err != nil {
		panic(err) // the pattern is ours
	}
	list := []Comparison{}
	for _, file := range files {
		text, err := fs.ReadFile(b.ComparisonFiles, file)
		if err != nil {
			return nil, err
		}
		if list, err = b.readComparisons(list, path.Base(file), text); err != nil {
			return nil, err
		}
	}
	b.comparisons = list
	return list, nil
}

// readComparisons appends the comparisons of a file to a list.
func (b *Library) readComparisons(list []Comparison, name string, text []byte) ([]Comparison, error) {
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
			err = b.check(c.Settings)
		}
		for k := range list {
			if err == nil && list[k].Name == c.Name {
				err = &SettingError{"name", c.Name, errors.New("another comparison has this name")}
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
	c = Comparison{Name: t.Name, Title: t.Title, Headline: t.Headline, Source: source}
	if t.Source != nil {
		c.Source = *t.Source
	}
	if c.Settings, err = t.settings(); err != nil {
		return c, err
	}
	c.Settings = Settings{Seat: defaults.Seat, Rate: defaults.Rate}.overriddenBy(c.Settings)
	for _, required := range [...]struct{ name, value string }{
		{"name", t.Name}, {"title", t.Title}, {"tape", t.Tape}, {"scene", t.Scene}, {"network", t.Network}, {"panes", c.Settings.Panes},
	} {
		if required.value == "" {
			return c, &SettingError{required.name, "", errors.New("it is missing")}
		}
	}
	if strings.Trim(t.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return c, &SettingError{"name", t.Name, errors.New("want lower-case letters, digits and dashes")}
	}
	for _, text := range [...]struct{ name, value string }{{"title", t.Title}, {"headline", t.Headline}} {
		if n := utf8.RuneCountInString(text.value); n > MaxTitle || strings.ContainsAny(text.value, "\r\n\t") {
			return c, &SettingError{text.name, "", fmt.Errorf("it has %d characters: want one line of at most %d", n, MaxTitle)}
		}
	}
	if c.Show, err = stage.ParseShow(t.Show); err != nil {
		return c, &SettingError{"show", "", err}
	}
	if err := c.Source.check(); err != nil {
		return c, &SettingError{"source", "", err}
	}
	return c, nil
}

// ComparisonNamed returns the comparison called name.
func (b *Library) ComparisonNamed(name string) (*Comparison, error) {
	list, err := b.Comparisons()
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range list {
		if list[i].Name == name {
			return &list[i], nil
		}
		names = append(names, list[i].Name)
	}
	return nil, &link.UnknownNameError{Kind: "comparison", Name: name, Choices: names}
}
