//go:build !js || headless

package cli

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/ui/plan"
)

// TestListingFormats promises that every list and the table of network have the same records as JSON, CSV and Markdown: as
// many, with a value for each column, and without notes.
func TestListingFormats(t *testing.T) {
	experiment.Skip(t)
	commands := [][]string{{"list"}, {"list", "ggpo"}, {"list", "presets", "shooter"}, {"list", "measures", "pops_per_minute"},
		{"list", "comparisons", "prediction"}, {"network", "wifi-bad", "--probes", "10"}}
	for _, kind := range listKinds {
		commands = append(commands, []string{"list", kind})
	}
	for _, c := range commands {
		print := func(format string) string {
			var out, errs strings.Builder
			if code := Main(testEnvironment(append(c[:len(c):len(c)], "--format", format), &out, &errs)); code != 0 {
				t.Fatalf("%v %s: exit code %d: %s", c, format, code, errs.String())
			}
			return out.String()
		}
		rows, err := csv.NewReader(strings.NewReader(print("csv"))).ReadAll() // which wants equally many values in each
		if err != nil || len(rows) < 2 {
			t.Errorf("%v: %d rows of CSV, %v", c, len(rows), err)
			continue
		}
		text := strings.Join(rows[len(rows)-1], " ")
		if strings.Contains(text, "list KIND") || strings.Contains(text, "list TERM") {
			t.Errorf("%v: the last record is the note %q", c, text)
		}
		markdown := strings.Split(strings.TrimSpace(print("markdown")), "\n")
		if len(markdown) != len(rows)+1 {
			t.Errorf("%v: %d lines of Markdown, want %d", c, len(markdown), len(rows)+1)
		}
		columns := len(rows[0])
		for _, line := range markdown {
			if n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); n != columns+1 {
				t.Errorf("%v: %q has %d bars, want %d", c, line, n, columns+1)
			}
		}
		if c[0] == "network" {
			continue // its JSON is nested
		}
		var records []map[string]string
		if err := json.Unmarshal([]byte(print("json")), &records); err != nil || len(records) != len(rows)-1 {
			t.Fatalf("%v: %d JSON records, want %d, %v", c, len(records), len(rows)-1, err)
		}
		for i, r := range records {
			for k, name := range rows[0] {
				if r[name] != rows[i+1][k] {
					t.Errorf("%v: record %d: %s is %q as JSON, %q as CSV", c, i+1, name, r[name], rows[i+1][k])
				}
			}
		}
	}
}

// TestPacketFormats promises that the lines of JSON are the packets of the text with their sizes, and that CSV and Markdown
// have the sums of its tables.
func TestPacketFormats(t *testing.T) {
	packets := func(format string) string {
		return printed(t, strings.Fields("packets --scene plain --panes rewind,snapshot --network loss=5% --seconds 1 --format "+format)...)
	}
	text := packets("text")
	count, bits := 0, map[string]int{} // by direction of the first pane
	for line := range strings.Lines(packets("json")) {
		var p struct {
			Pane      int
			Bits      int `json:"payload_bits"`
			Direction string
			Payload   map[string]any
		}
		if err := json.Unmarshal([]byte(line), &p); err != nil || (p.Bits == 0) != (len(p.Payload) == 0) {
			t.Fatalf("%s: %v", line, err)
		}
		count++
		if p.Pane == 1 {
			bits[p.Direction] += p.Bits
		}
	}
	if want := strings.Count(text, "bytes in "); count != want || count == 0 {
		t.Errorf("%d lines of JSON for %d packets", count, want)
	}
	rows, err := csv.NewReader(strings.NewReader(packets("csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows[1:] {
		if r[0] == "1" {
			bits[r[3]] -= must(strconv.Atoi(r[6]))
		}
	}
	if bits["up"] != 0 || bits["down"] != 0 {
		t.Errorf("the sums of CSV lack %v bits of the JSON", bits)
	}
	if lines := strings.Count(packets("markdown"), "\n"); lines != len(rows)+1 {
		t.Errorf("%d lines of Markdown for %d rows", lines, len(rows))
	}
	refused(t, "did you mean", "packets", "--format", "jsn")
}

// TestPacketBodies promises that what packets --bodies prints adds up to all datagrams of each flow: the rows of CSV, with
// every body, within a bit, and those of a line of JSON within a bit, too.
func TestPacketBodies(t *testing.T) {
	packets := func(format string) string {
		return printed(t, strings.Fields("packets --scene katamari:cubes=30 --panes statesync:compression=delta,snapshot:compression=arithmetic,"+
			"rewind:messages=reliable --network loss=5% --seconds 0.7 --bodies --limit 999 --format "+format)...)
	}
	rows, err := csv.NewReader(strings.NewReader(packets("csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	flows, bodies := map[string]float64{}, 0
	for _, r := range rows[1:] {
		flows[r[0]+r[3]] += must(strconv.ParseFloat(r[6], 64))
		if strings.HasPrefix(r[4], "body ") {
			bodies++
		}
	}
	if len(flows) != 6 || bodies != 3*31 {
		t.Errorf("%d flows and %d bodies", len(flows), bodies)
	}
	for line := range strings.Lines(packets("json")) {
		var p struct {
			Pane, Bytes int
			Direction   string
			Bodies      map[string]float64 `json:"body_bits"`
			List        float64            `json:"list_bits"`
			Other       float64            `json:"other_bits"`
			Message     float64            `json:"message_bits"`
			Header      float64            `json:"header_bits"`
		}
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		sum := p.List + p.Other + p.Message + p.Header
		for _, n := range p.Bodies {
			sum += n
		}
		if math.Abs(sum-float64(8*p.Bytes)) > 1 {
			t.Fatalf("%v bits in %s", sum, line)
		}
		flows[strconv.Itoa(p.Pane)+p.Direction] -= float64(8 * p.Bytes)
	}
	for flow, rest := range flows {
		if math.Abs(rest) > 1 {
			t.Errorf("flow %s: the rows have %v bits more than the datagrams", flow, rest)
		}
	}
	if text := packets("markdown"); !strings.Contains(text, "| 11 other bodies |") {
		t.Errorf("no row for the other bodies: %s", text)
	}
	refused(t, "--bodies", "packets", "--bodies", "--format", "pcapng")
}

// TestUnknownNamesSayTheirList promises that every list that an error names is one, and that errors claim no number of names: a name
// may be known by several.
func TestUnknownNamesSayTheirList(t *testing.T) {
	for kind, commands := range plan.Lists {
		for _, c := range strings.Split(commands, ", ") {
			if out := printed(t, strings.Fields(c)...); strings.Count(out, "\n") < 2 {
				t.Errorf("%s: %s prints %q", kind, c, out)
			}
		}
	}
	for args, want := range map[string]string{
		"list terms nopexxx": "see list terms", "claims --only nope": "see list claims", "bench --network wifi-bda": "see list networks); did you mean wifi-bad?",
		"bench --panes rewind:led=3": "see list knobs); did you mean lead?", "bench --tape nopexxx": "see list tapes",
		"list comparisons nopexxx": "see list comparisons", "list measures nopexxx": "see list measures",
	} {
		if errs := refused(t, want, strings.Fields(args)...); strings.Contains(errs, "there are") {
			t.Errorf("%s: %s", args, errs)
		}
	}
}
