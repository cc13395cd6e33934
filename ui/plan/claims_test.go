//go:build !js || headless

package plan

import (
	"strings"
	"testing"
	"testing/fstest"
)

// goodClaims is a file with a claim about a session and one about a command.
const goodClaims = `topic = "mine"
source = {author = "Me", title = "Notes", year = 2026}

[[claim]]
id = "one"
says = "It pops less."
mechanisms = [3]
tape = "circle"
network = "wifi-bad"
panes = ["rewind", "snapshot"]
seconds = 5
direction = ["1.pops_per_minute < 2.pops_per_minute"]
figure = ["1.pops_per_minute in 0..3"]
why = "Chance."

[[claim]]
id = "two"
says = "It is short."
source = {author = "You", title = "More", year = 2025}
command = "codec --indices"
values = {bits = 'bitmap +(\d+)'}
direction = ["bits < 9000"]
`

// TestClaims reads a file of claims, and files with a mistake each, whose errors name the line.
func TestClaims(t *testing.T) {
	read := func(text string) ([]SourceClaim, error) {
		l := newLibrary()
		l.ClaimFiles = fstest.MapFS{"claims/01-mine.toml": {Data: []byte(text)}}
		return Claims(l)
	}
	list := must(read(goodClaims))
	if c := &list[0]; len(list) != 2 || c.Settings.Panes != "rewind,snapshot" || c.Settings.Seconds != 5 || c.Why != "Chance." ||
		c.Mechanisms[0] != 3 || len(c.Rule.Direction) != 1 || len(c.Rule.Figure) != 1 || c.Topic != "mine" || c.Source.Author != "Me" {
		t.Errorf("%+v", c)
	}
	if c := &list[1]; c.Command != "codec --indices" || c.Values[0].Name != "bits" || c.Source.Author != "You" {
		t.Errorf("%+v", c)
	}
	for _, x := range []struct{ old, new, want string }{
		{`topic = "mine"`, `topic = "My own"`, "line 1: topic=My own: want lower-case"},
		{`id = "two"`, `id = "one"`, "line 17: id=one: another claim"},
		{`id = "two"`, `id = "mine"`, "line 17: id=mine: another claim or topic"},
		{`id = "two"`, `id = "Two"`, "line 17: id=Two: want lower-case"},
		{`says = "It is short."`, ``, "says: it has 0 characters"},
		{`says = "It is short."`, `says = "` + strings.Repeat("long ", 40) + `"`, "line 18: says: it has 200 characters"},
		{`year = 2025`, `year = 25`, "line 19: source: want author, title and year"},
		{`source = {author = "Me", title = "Notes", year = 2026}`, ``, "source: it is missing"},
		{`seconds = 5`, `seconds = 0`, "line 11: seconds: want a length"},
		{`seconds = 5`, `seconds = 500`, "line 11: seconds: want a length"},
		{`seconds = 5`, "seconds = 5\nseeds = 1", "line 12: seeds=1: want 2 to 1000"},
		{`tape = "circle"`, ``, "tape: want a tape or a comparison"},
		{`tape = "circle"`, `tape = "circel"`, `line 8: tape: no tape "circel"`},
		{`tape = "circle"`, `compare = "nothing"`, `line 8: compare: no comparison "nothing"`},
		{`"snapshot"]`, `"snapshoot"]`, `line 10: panes: no`},
		{`["1.pops_per_minute < 2`, `["1.pops_per_minute < 3`, "line 12: direction: 3.pops_per_minute: there are 2 panes"},
		{`["1.pops_per_minute < 2`, `["1.pops_per_minute << 2`, "line 12: direction: "},
		{`in 0..3`, `in 3..0`, "line 13: figure: "},
		{`["1.pops_per_minute in`, `["5.pops_per_minute in`, "line 13: figure: 5.pops_per_minute: there are 2 panes"},
		{`direction = ["bits < 9000"]`, ``, "direction: want a condition"},
		{`["bits < 9000"]`, `["bytes < 9000"]`, `line 22: direction: no value "bytes"`},
		{`["bits < 9000"]`, `["1.bits < 9000"]`, `line 22: direction: 1.bits: there are 0 panes`},
		{`'bitmap +(\d+)'`, `'bitmap +\d+'`, "line 21: values: bits: want a regular expression with one group"},
		{`command = "codec --indices"`, "command = \"codec --indices\"\nseconds = 5", "line 20: command: want a session or a command"},
		{`why = "Chance."`, `because = "Chance."`, `line 14: no key "because"`},
	} {
		if _, err := read(strings.Replace(goodClaims, x.old, x.new, 1)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %q", x.new, err, x.want)
		}
	}
	if list, err := Claims(&Library{ClaimFiles: fstest.MapFS{}}); list != nil || err != nil {
		t.Error(list, err)
	}
}
