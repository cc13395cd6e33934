package plan

import (
	"strings"
	"testing"

	"ghostcube/assets"
)

// TestDefinitions reads the built-in definitions: each measure has one, with all that a reader needs.
func TestDefinitions(t *testing.T) {
	b := &Library{MeasureFile: assets.Measures}
	list, err := b.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, d := range list {
		for _, m := range d.Measures {
			if other, twice := seen[m]; twice {
				t.Errorf("%s is defined in %q and in %q", m, other, d.Title)
			}
			seen[m] = d.Title
		}
		for _, text := range []string{d.Undefined, d.Source, d.Blind} {
			if strings.HasSuffix(text, ".") {
				t.Errorf("%s: %q ends with a full stop, which lists add", d.Title, text)
			}
		}
		if !strings.HasSuffix(d.Text, ".") {
			t.Errorf("%s: %q is no sentence", d.Title, d.Text)
		}
	}
	if d, err := b.DefinitionOf("largest_pop_m"); err != nil || d.Title != "Pops" || d.Group != "Jumps" || d.Blind == "" {
		t.Error(d, err)
	}
	if _, err := b.DefinitionOf("largest_pop"); err == nil || !strings.Contains(err.Error(), `no measure "largest_pop"`) {
		t.Error(err)
	}
}

// TestDefinitionErrors promises the line of a mistake.
func TestDefinitionErrors(t *testing.T) {
	const good = "[[group]]\ntitle = \"Delay\"\n\n[[group.definition]]\ntitle = \"Gap\"\nmeasures = \"gap_ms\"\ntext = \"A gap.\"\nblind = \"all else\"\n"
	if _, err := (&Library{MeasureFile: []byte(good)}).Definitions(); err != nil {
		t.Fatal(err)
	}
	second := good + "\n[[group]]\ntitle = \"Error\"\n[[group.definition]]\ntitle = \"Lag\"\nmeasures = \"lag_m\"\nblind = \"delay\"\n"
	if _, err := (&Library{MeasureFile: []byte(second)}).Definitions(); err == nil || !strings.Contains(err.Error(), "line 12: text: it is missing") {
		t.Error(err)
	}
	for cut, want := range map[string]string{
		"blind = \"all else\"\n": `measures.toml: line 4: blind: it is missing`,
		"title = \"Gap\"\n":      `title: it is missing`,
	} {
		text := strings.Replace(good, cut, "", 1)
		if _, err := (&Library{MeasureFile: []byte(text)}).Definitions(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without %q: %v, want %q", cut, err, want)
		}
	}
}
