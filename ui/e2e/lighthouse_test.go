//go:build e2e && !headless && !js

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestLighthouse promises that Lighthouse gives the lab, a guide, an idea and a comparison at least 0.95 in accessibility, best
// practices and search. GHOSTCUBE_LIGHTHOUSE names its program, which .ci/long installs.
func TestLighthouse(t *testing.T) {
	program := os.Getenv("GHOSTCUBE_LIGHTHOUSE")
	if program == "" {
		t.Skip("GHOSTCUBE_LIGHTHOUSE is not set; .ci/long sets it")
	}
	s := startPage(t)
	for _, name := range []string{"index.html", "docs/guides/prediction.html", "ideas/prediction.html", "compare/prediction.html"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "report.json")
			c := exec.CommandContext(t.Context(), program, s.address+name, "--quiet", "--output=json", "--output-path="+file,
				"--only-categories=accessibility,best-practices,seo", "--max-wait-for-load=90000",
				"--chrome-flags=--headless=new --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader")
			c.Env = append(os.Environ(), "CHROME_PATH=chromium")
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var report struct {
				Categories map[string]struct{ Score float64 }
				Audits     map[string]struct {
					Title            string
					Score            *float64
					ScoreDisplayMode string
				}
			}
			if err := json.Unmarshal(b, &report); err != nil {
				t.Fatal(err)
			}
			for _, category := range []string{"accessibility", "best-practices", "seo"} {
				if score := report.Categories[category].Score; score < 0.95 {
					t.Errorf("%s: %v", category, score)
				}
			}
			for id, a := range report.Audits {
				if a.ScoreDisplayMode == "binary" && a.Score != nil && *a.Score < 1 {
					t.Logf("%s: %s", id, a.Title)
				}
			}
		})
	}
}
