//go:build !js || headless

package cli

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/golden"
)

// The dissector's tables of fields are generated here from docs/reference/wire.md alone: from the tables of the two headers,
// and from each list of a payload up to the first field whose width or condition is not a number or a field before it.

// wireField is a field as the page describes it.
type wireField struct {
	name, note string
	at, bits   int    // at: of a header
	bitsOf     string // of a payload: the width is the value of this field and bits; empty: it is bits
	when       string // in Lua; empty: the field is always there
	stop       bool   // what follows is nowhere in particular if the condition holds
}

// wireLayout is the layout that the page describes.
type wireLayout struct {
	numbers          map[string]uint32
	header, fragment []wireField
	payloads, whole  map[string]map[string][]wireField // by direction and strategy; the empty name is every other strategy
}

// wireListItem matches an item of a list: width, name and note.
var wireListItem = regexp.MustCompile(`^- (?:(.+?) )?\*\*(.+?)\*\*(?:: (.*))?$`)

// wireCondition matches the condition that a note begins with.
var wireCondition = regexp.MustCompile(`^if (not )?([a-z ]+?)(?: is (not )?(\d+))?(?::|$)`)

// readWireLayout reads the page.
func readWireLayout(t *testing.T) *wireLayout {
	t.Helper()
	w := &wireLayout{numbers: map[string]uint32{},
		payloads: map[string]map[string][]wireField{"up": {}, "down": {}}, whole: map[string]map[string][]wireField{"up": {}, "down": {}}}
	page := string(must(os.ReadFile(referenceFolder + "/wire.md")))
	var previous []wireField
	for section := range strings.SplitSeq(page, "\n#") {
		title, text, _ := strings.Cut(section, "\n")
		switch title = strings.Trim(title, "# "); title {
		case "Numbers", "Datagram header", "Fragment header":
			w.addTable(t, title, text)
		default:
			previous = w.addPayload(title, text, previous)
		}
	}
	return w
}

// addTable reads a table.
func (w *wireLayout) addTable(t *testing.T, title, text string) {
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if len(cells) < 5 || cells[1] == "" || cells[1][0] == '-' || cells[1] == "name" || cells[1] == "byte" {
			continue
		}
		if title == "Numbers" {
			w.numbers[strings.ReplaceAll(cells[1], " ", "_")] = uint32(must(strconv.ParseUint(cells[2], 0, 32)))
			continue
		}
		f := wireField{name: cells[4], note: cells[5], at: 8*must(strconv.Atoi(cells[1])) + must(strconv.Atoi(cells[2])), bits: must(strconv.Atoi(cells[3]))}
		if title == "Fragment header" {
			w.fragment = append(w.fragment, f)
		} else {
			w.header = append(w.header, f)
		}
	}
}

// addPayload reads the lists of a section, if payloads begin with them, for the direction and the strategy that its title
// or its first paragraph names, and returns the fields. previous are those of the section before.
func (w *wireLayout) addPayload(title, text string, previous []wireField) (fields []wireField) {
	strategy := ""
	if m := regexp.MustCompile("strategy `(\\w+)`").FindStringSubmatch(title); m != nil {
		strategy = m[1]
	}
	direction := "down"
	switch {
	case strings.HasPrefix(title, "Inputs"), strings.HasSuffix(title, "from a client"):
		direction = "up"
	case strings.HasPrefix(title, "Prefix of snapshots of"), strings.HasSuffix(title, "from the server"):
	default:
		return nil
	}
	begun, ended := false, false
	store := func() {
		switch {
		case len(fields) == 0:
		case strings.HasPrefix(title, "Requests"):
			w.whole[direction][strategy] = fields
		default:
			w.payloads[direction][strategy] = fields
			if strings.HasSuffix(title, "in both directions") {
				w.payloads["down"][strategy] = fields
			}
		}
	}
	for part := range strings.SplitSeq(text, "\n\n") {
		part = strings.TrimSpace(part)
		switch {
		case strings.HasPrefix(part, "- "):
			begun = true
			if !ended {
				fields, ended = addWireList(fields, part)
			}
		case part == "From the server:":
			store()
			fields, ended, direction = nil, false, "down"
		case strings.HasPrefix(part, "The same, then"):
			fields = append(fields, previous...)
		case part == "then the snapshot as above.":
			if !ended {
				store()
				fields = append(fields[:len(fields):len(fields)], w.payloads["down"][""]...)
				store()
				return fields[:len(fields)-len(w.payloads["down"][""])]
			}
		case begun && part != "then the oldest input:":
			ended = true
		}
	}
	store()
	return fields
}

// addWireList adds the fields of a list until one that is nowhere in particular, which ended reports.
func addWireList(fields []wireField, list string) (all []wireField, ended bool) {
	for item := range strings.SplitSeq(strings.ReplaceAll(list, "\n  ", " "), "\n") {
		m := wireListItem.FindStringSubmatch(item)
		if m == nil {
			return fields, true
		}
		f := wireField{name: m[2], note: m[3]}
		known := func(name string) bool {
			for i := range fields {
				if fields[i].name == name {
					return true
				}
			}
			return false
		}
		if strings.HasPrefix(f.note, "if ") {
			c := wireCondition.FindStringSubmatch(f.note)
			if c == nil || !known(c[2]) {
				return append(fields, wireField{stop: true}), true
			}
			value, equal := "0", (c[1] != "") != (c[4] != "" && c[3] == "")
			if c[4] != "" {
				value = c[4]
			}
			f.when = fmt.Sprintf("{ name = %q, equal = %t, value = %s }", c[2], equal, value)
		}
		bits, err := strconv.Atoi(m[1])
		switch last := len(fields) - 1; {
		case err == nil:
			f.bits = bits
		case last >= 0 && fields[last].note == "width of the next field":
			f.bitsOf = fields[last].name
			_, less, _ := strings.Cut(f.bitsOf, " less ")
			f.bits, _ = strconv.Atoi(less)
		default:
			fields = append(fields, wireField{stop: true, when: f.when})
			if f.when == "" {
				return fields, true
			}
			continue
		}
		fields = append(fields, f)
	}
	return fields, false
}

// lua returns the layout as the dissector has it.
func (w *wireLayout) lua() string {
	var b strings.Builder
	fmt.Fprintf(&b, "local PORT = %d\n", serverPort)
	b.WriteString("local NUMBERS = {\n")
	for _, name := range slices.Sorted(maps.Keys(w.numbers)) {
		fmt.Fprintf(&b, "    %s = %#x,\n", name, w.numbers[name])
	}
	b.WriteString("}\n")
	for _, x := range []struct {
		name   string
		fields []wireField
	}{{"HEADER", w.header}, {"FRAGMENT", w.fragment}} {
		fmt.Fprintf(&b, "local %s = {\n", x.name)
		for _, f := range x.fields {
			fmt.Fprintf(&b, "    { name = %q, at = %d, bits = %d,\n        note = %q },\n", f.name, f.at, f.bits, f.note)
		}
		b.WriteString("}\n")
	}
	b.WriteString("-- By direction and strategy; that without a name is of all others. WHOLE are payloads that have nothing else.\n")
	for _, x := range []struct {
		name  string
		lists map[string]map[string][]wireField
	}{{"PAYLOADS", w.payloads}, {"WHOLE", w.whole}} {
		fmt.Fprintf(&b, "local %s = {\n", x.name)
		for _, direction := range []string{"up", "down"} {
			fmt.Fprintf(&b, "    %s = {\n", direction)
			for _, strategy := range slices.Sorted(maps.Keys(x.lists[direction])) {
				fmt.Fprintf(&b, "        [%q] = {\n", strategy)
				for _, f := range x.lists[direction][strategy] {
					fmt.Fprintf(&b, "            %s,\n", f.lua())
				}
				b.WriteString("        },\n")
			}
			b.WriteString("    },\n")
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// lua returns a field of a payload as the dissector has it.
func (f *wireField) lua() string {
	s := "{ stop = true"
	switch {
	case f.stop:
	case f.bitsOf != "":
		s = fmt.Sprintf("{ name = %q, bits_of = %q, more = %d", f.name, f.bitsOf, f.bits)
	default:
		s = fmt.Sprintf("{ name = %q, bits = %d", f.name, f.bits)
	}
	if f.when != "" {
		s += ", when = " + f.when
	}
	return s + " }"
}

// TestPageOfDissector checks that the dissector's tables are those of the page.
func TestPageOfDissector(t *testing.T) {
	golden.Section(t, "ghostcube.lua", "-- layout: begin\n", "-- layout: end\n",
		"-- Generated from docs/reference/wire.md.\n"+readWireLayout(t).lua())
}
