package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ghostcube/net/link"
)

// Definition defines one or more measures of a score. Texts are one paragraph each, without a line break.
type Definition struct {
	Group     string // heading that it stands under
	Title     string
	Measures  []string // names
	Text      string
	Formula   string // may be empty
	Undefined string // when the measures have no value, as the end of a sentence; may be empty
	Source    string // author, title and year; empty: our own
	Blind     string // what the measures do not see, without a full stop
}

// definitionFile is the file of definitions.
type definitionFile struct {
	Groups []struct {
		Title       string `toml:"title"`
		Definitions []struct {
			Title     string `toml:"title"`
			Measures  string `toml:"measures"`
			Text      string `toml:"text"`
			Formula   string `toml:"formula"`
			Undefined string `toml:"undefined"`
			Source    string `toml:"source"`
			Blind     string `toml:"blind"`
		} `toml:"definition"`
	} `toml:"group"`
}

// Definitions returns the definitions of all measures in the order of their file. Errors name the line.
func (b *Library) Definitions() ([]Definition, error) {
	var f definitionFile
	d, err := decodeTOML("measures.toml", b.MeasureFile, &f)
	if err != nil {
		return nil, err
	}
	paragraph := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	var list []Definition
	for g, group := range f.Groups {
		for i, x := range group.Definitions {
			at := fmt.Sprintf("group[%d].definition[%d]", g, i)
			for _, required := range [...]struct{ name, value string }{
				{"title", x.Title}, {"measures", x.Measures}, {"text", x.Text}, {"blind", x.Blind},
			} {
				if required.value == "" {
					return nil, d.errorAt(at, &SettingError{required.name, "", errors.New("it is missing")})
				}
			}
			list = append(list, Definition{
				Group: group.Title, Title: x.Title, Measures: strings.Fields(x.Measures), Text: paragraph(x.Text), Formula: x.Formula,
				Undefined: paragraph(x.Undefined), Source: paragraph(x.Source), Blind: paragraph(x.Blind),
			})
		}
	}
	return list, nil
}

// DefinitionOf returns the definition of a measure. The error for a name that is none suggests the nearest one.
func (b *Library) DefinitionOf(measure string) (*Definition, error) {
	list, err := b.Definitions()
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range list {
		if slices.Contains(list[i].Measures, measure) {
			return &list[i], nil
		}
		names = append(names, list[i].Measures...)
	}
	return nil, &link.UnknownNameError{Kind: "measure", Name: measure, Choices: names}
}
