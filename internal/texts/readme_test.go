package texts

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/predict/lab"
)

// readmeFigures matches the figures of a strategy in the README's table: the time from key to screen, and the bandwidth of few
// bodies and of many.
const readmeFigures = `(?m)^\| [1-9–] \| \[?` + "`%s`" + `[^|]*\|[^|]*\|([^|]*\|[^|]*\|[^|]*)\|.*$`

// readmeStrategies matches the rows of that table, and the commands below it.
var readmeStrategies = regexp.MustCompile(`(?s)(\n\|---\|---\|[-:|]*\n)(?:\| [1-9–] \|[^\n]*\n)*(.*?\n)(?:go run \. bench --tape [^\n]*\n)+`)

// readmeBench is the command that measures strategies with a tape.
const readmeBench = "go run . bench --tape %s --network latency=50ms,jitter=10ms,loss=2%% --seconds 20 --panes %s\n"

// TestPageReadmeStrategies checks that the README's table has every strategy that declares a row, with its key, and that two
// commands below it measure them all: key to screen and bandwidth with the tape circle, bandwidth with katamari. With
// GHOSTCUBE_CI it compares their figures, too. Otherwise the table keeps those that it has.
func TestPageReadmeStrategies(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for i, s := range lab.Strategies {
		if s.Row == nil {
			continue
		}
		name := "`" + s.Name + "`"
		if s.Row.Guide != "" {
			name = fmt.Sprintf("[%s](%s)", name, s.Row.Guide)
		}
		figures := ""
		if m := regexp.MustCompile(fmt.Sprintf(readmeFigures, s.Name)).FindSubmatch(page); m != nil && !experiment.Enabled() {
			figures = string(m[1])
		} else {
			figures = readmeMeasured(t, s.Name)
		}
		key := "–"
		if i < 9 {
			key = strconv.Itoa(i + 1)
		}
		fmt.Fprintf(&rows, "| %s | %s | %s |%s| %s | %s |\n", key, name, s.Row.UsualName, figures, s.Row.Determinism, s.Row.UseWhen)
	}
	var commands strings.Builder
	for _, tape := range []string{"circle", "katamari"} {
		fmt.Fprintf(&commands, readmeBench, tape, "all")
	}
	m := readmeStrategies.FindStringSubmatchIndex(string(page))
	if m == nil {
		t.Fatal("README.md has no table of strategies with commands below it")
	}
	golden.Page(t, "README.md", string(page[:m[3]])+rows.String()+string(page[m[4]:m[5]])+commands.String()+string(page[m[1]:]))
}

// readmeMeasured returns the figures of a strategy.
func readmeMeasured(t *testing.T, strategy string) string {
	t.Helper()
	var keyToScreen float64
	var down [2]float64
	for i, tape := range []string{"circle", "katamari"} {
		out, err := runDocCommand(append(strings.Fields(fmt.Sprintf(strings.TrimPrefix(readmeBench, "go run . "), tape, strategy)), "--format", "json"))
		if err != nil {
			t.Fatal(err)
		}
		var report struct {
			Panes []struct {
				Score struct {
					KeyToScreen float64 `json:"key_to_screen_ms"`
					Down        float64 `json:"down_kbit_per_second"`
				}
			}
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Panes) != 1 {
			t.Fatal(len(report.Panes), err)
		}
		if down[i] = report.Panes[0].Score.Down; i == 0 {
			keyToScreen = report.Panes[0].Score.KeyToScreen
		}
	}
	return fmt.Sprintf(" %.0f ms | %.0f | %.0f ", keyToScreen, down[0], down[1])
}
