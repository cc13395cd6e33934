//go:build !js || headless

package cli

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/sim/scene"
	"ghostcube/ui/stage"
)

// maxHelp is the length of the longest help text, in characters: a line of a wide terminal,
// or three lines of the panel.
const maxHelp = 110

// TestHelpFits checks the length of every text that explains a name: the flags and arguments
// of all commands, the knobs and counters of all strategies, measures, scenes and their
// parameters, network conditions and display settings.
func TestHelpFits(t *testing.T) {
	helps := map[string]string{}
	add := func(name, help string) {
		if help == "" {
			t.Errorf("%s has no help", name)
		}
		helps[name] = help
	}
	p := testProgram(t)
	parser := must(p.newParser(&arguments{}))
	addFlags("", parser.Model.Node, add)
	for _, s := range lab.Strategies {
		knobs, counters := lab.Describe(s)
		for _, k := range knobs.All() {
			add("knob "+s.Name+":"+k.Name, k.Help)
		}
		for _, c := range counters.All() {
			add("counter "+s.Name+" "+c.Name, c.Help)
		}
	}
	for _, d := range score.Definitions {
		for i := range d.Measures {
			add("measure "+d.Measures[i].Name, d.Measures[i].Help)
		}
	}
	for i := range scene.Templates {
		s := scene.Templates[i].Build()
		add("scene "+s.Name, s.Doc)
		for _, x := range scene.Templates[i].Params {
			add("parameter "+s.Name+":"+x.Name, x.Help)
		}
	}
	for _, x := range link.ParamHelp() {
		add("condition "+x[0], x[1])
	}
	for i := range stage.SettingTable {
		add("display setting "+stage.SettingTable[i].Name, stage.SettingTable[i].Help)
	}
	for _, name := range slices.Sorted(maps.Keys(helps)) {
		if n := utf8.RuneCountInString(helps[name]); n > maxHelp {
			t.Errorf("%s: help of %d characters, want at most %d: %s", name, n, maxHelp, helps[name])
		}
	}
}

// addFlags adds the help of a command, of its flags and arguments, and of its subcommands.
func addFlags(path string, n *kong.Node, add func(name, help string)) {
	path = strings.TrimSpace(path + " " + n.Name)
	add("command "+path, n.Help)
	for _, f := range n.Flags {
		add("flag "+path+" --"+f.Name, f.Help)
	}
	for _, a := range n.Positional {
		add("argument "+path+" "+a.Name, a.Help)
	}
	for _, c := range n.Children {
		addFlags(path, c, add)
	}
}
