package texts

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/predict/lab"
)

// readmeRow matches a row of the README's table of strategies: key, name, name in the field, and three figures.
var readmeRow = regexp.MustCompile("(?m)^(\\| ([1-9]) \\| \\[?`([a-z]+)`[^|]*\\|[^|]*\\|)([^|]*\\|[^|]*\\|[^|]*)(\\|.*)$")

// readmeBench matches the commands below that table.
var readmeBench = regexp.MustCompile(`(?m)^go run \. (bench --tape (circle|katamari) .*)$`)

// TestReadmeStrategies checks that the README's table has every strategy with its key, and that its figures are what the
// commands below it print: key to screen and bandwidth with the tape circle, bandwidth with katamari. -update writes them.
func TestReadmeStrategies(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	rows := readmeRow.FindAllStringSubmatch(text, -1)
	if len(rows) != len(lab.Strategies) {
		t.Fatalf("%d rows, want %d", len(rows), len(lab.Strategies))
	}
	for i, s := range lab.Strategies {
		if rows[i][2] != fmt.Sprint(i+1) || rows[i][3] != s.Name {
			t.Errorf("row %d has key %s and strategy %s, want %d and %s", i+1, rows[i][2], rows[i][3], i+1, s.Name)
		}
	}
	if !experiment.Enabled() {
		return
	}
	type scores struct{ keyToScreen, down float64 }
	measured := map[string]scores{} // by tape and strategy
	for _, m := range readmeBench.FindAllStringSubmatch(text, -1) {
		out, err := runDocCommand(append(strings.Fields(m[1]), "--format", "json"))
		if err != nil {
			t.Fatal(err)
		}
		var report struct {
			Panes []struct {
				Strategy string
				Score    struct {
					KeyToScreen float64 `json:"key_to_screen_ms"`
					Down        float64 `json:"down_kbit_per_second"`
				}
			}
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatal(err)
		}
		for _, p := range report.Panes {
			measured[m[2]+" "+p.Strategy] = scores{p.Score.KeyToScreen, p.Score.Down}
		}
	}
	for _, row := range rows {
		few, many := measured["circle "+row[3]], measured["katamari "+row[3]]
		want := fmt.Sprintf(" %.0f ms | %.0f | %.0f ", few.keyToScreen, few.down, many.down)
		if golden.Updating() {
			text = strings.Replace(text, row[0], row[1]+want+row[5], 1)
		} else if row[4] != want {
			t.Errorf("%s has%s, want%s", row[3], row[4], want)
		}
	}
	if golden.Updating() {
		if err := os.WriteFile("README.md", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
