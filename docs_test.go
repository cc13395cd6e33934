package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/ui/plan"
)

// maxPictureBytes limits each picture of the documentation.
const maxPictureBytes = 4_000_000

// docLink matches the target of a link or a picture in Markdown.
var docLink = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)

// TestDocLinks checks that the files that the documentation links to exist, that no picture is too large, and that
// every picture in docs is shown.
func TestDocLinks(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, page := range append(pages, "README.md", "CHANGELOG.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range docLink.FindAllStringSubmatch(string(text), -1) {
			target := path.Join(path.Dir(filepath.ToSlash(page)), m[1])
			linked[target] = true
			if _, err := os.Stat(filepath.FromSlash(target)); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
	err = filepath.WalkDir("docs", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) == ".md" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Size() > maxPictureBytes {
			t.Errorf("%s has %d bytes", file, info.Size())
		}
		if !linked[filepath.ToSlash(file)] {
			t.Errorf("no page shows %s", file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReadmeNamesComparisons checks that the README lists every comparison by name and title.
func TestReadmeNamesComparisons(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	library := &plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons}
	list, err := library.Comparisons()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		row := fmt.Sprintf("\n| `%s` | %s |\n", c.Name, c.Title)
		if !strings.Contains(string(readme), row) {
			t.Errorf("README.md lacks the row %s", strings.TrimSpace(row))
		}
	}
}
