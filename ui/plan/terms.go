package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ghostcube/net/link"
)

// Term is a word of the field, and what it is called here.
type Term struct {
	Name    string
	Also    []string // other words for the same
	By      string   // who says so; empty: everybody
	Text    string   // what it means, a phrase
	Nearest bool     // Here has the nearest thing, not the same
	Here    []Reference
}

// Reference is something of this program under its name.
type Reference struct {
	Kind string // one of ReferenceKinds
	Name string
}

// ReferenceKinds are the kinds of things that terms refer to. A knob has the form of a spec, such as rewind:lead.
var ReferenceKinds = []string{"strategy", "preset", "knob", "counter", "measure", "comparison", "lesson", "guide", "network", "display", "flag", "command"}

// String returns kind and name.
func (r Reference) String() string { return r.Kind + " " + r.Name }

// termFile is the file of terms.
type termFile struct {
	Terms []struct {
		Name    string `toml:"name"`
		Also    string `toml:"also"` // separated by commas
		By      string `toml:"by"`
		Text    string `toml:"text"`
		Here    string `toml:"here"`    // references, separated by commas
		Nearest string `toml:"nearest"` // instead of here
	} `toml:"term"`
}

// Terms returns the terms of the field in the order of their file. Errors name the line.
func (l *Library) Terms() ([]Term, error) {
	if l.terms != nil {
		return l.terms, nil
	}
	const name = "terms.toml"
	var f termFile
	d, err := decodeTOML(name, l.TermFile, &f)
	if err != nil {
		return nil, err
	}
	list := []Term{}
	for i, x := range f.Terms {
		t := Term{Name: x.Name, Also: fields(x.Also), By: x.By, Text: x.Text, Nearest: x.Nearest != ""}
		bad := func(key string, err error) error {
			return d.errorAt(fmt.Sprintf("term[%d]", i), &SettingError{key, "", err})
		}
		for _, required := range [...]struct{ name, value string }{{"name", x.Name}, {"text", x.Text}, {"here", x.Here + x.Nearest}} {
			if required.value == "" {
				return nil, bad(required.name, errors.New("it is missing"))
			}
		}
		if x.Here != "" && x.Nearest != "" {
			return nil, bad("nearest", errors.New("want here or nearest, not both"))
		}
		for _, item := range fields(x.Here + x.Nearest) {
			kind, name, _ := strings.Cut(item, " ")
			if !slices.Contains(ReferenceKinds, kind) || name == "" {
				return nil, bad("here", &link.UnknownNameError{Kind: "kind", Name: item, Choices: ReferenceKinds})
			}
			t.Here = append(t.Here, Reference{kind, name})
		}
		list = append(list, t)
	}
	l.terms = list
	return list, nil
}

// fields returns the parts of a text that commas separate.
func fields(text string) (list []string) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// Names returns the words for the term, the first one first.
func (t *Term) Names() []string { return append([]string{t.Name}, t.Also...) }

// Pane returns the name of the first strategy or preset that the term refers to, and its kind, or nothing.
func (t *Term) Pane() Reference {
	for _, r := range t.Here {
		if r.Kind == "strategy" || r.Kind == "preset" {
			return r
		}
	}
	return Reference{}
}

// HereText returns the references as a text.
func (t *Term) HereText() string {
	var list []string
	for _, r := range t.Here {
		list = append(list, r.String())
	}
	text := strings.Join(list, ", ")
	if t.Nearest {
		return "nearest: " + text
	}
	return text
}

// hint says what a term is here.
func (t *Term) hint() string {
	if r := t.Pane(); r.Name != "" && !t.Nearest {
		return r.Name + " is the " + r.Kind + " of " + t.Name
	}
	return t.Name + " is here: " + t.HereText()
}

// plainTerm returns a text without case and punctuation, so that client-side prediction is found by Client Side Prediction.
func plainTerm(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(text, "'", "")),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// Is reports whether a text is one of the term's words.
func (t *Term) Is(text string) bool {
	return slices.ContainsFunc(t.Names(), func(name string) bool { return plainTerm(name) == plainTerm(text) })
}

// Has reports whether all words of a text occur in the term's words.
func (t *Term) Has(text string) bool {
	names := plainTerm(strings.Join(t.Names(), " "))
	for word := range strings.FieldsSeq(plainTerm(text)) {
		if !strings.Contains(names, word) {
			return false
		}
	}
	return true
}

// TermsNamed returns the terms that have a text as one of their words. It is nil if there are none, or if the file
// cannot be read.
func (l *Library) TermsNamed(text string) (found []Term) {
	list, err := l.Terms()
	if err != nil {
		return nil
	}
	for i := range list {
		if list[i].Is(text) {
			found = append(found, list[i])
		}
	}
	return found
}
