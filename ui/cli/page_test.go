//go:build !js

package cli

import (
	"strings"
	"testing"

	"ghostcube/ui/page"
)

// TestPrintPage checks the table of a page's files: a row for each file, one for a folder, the sums, and a command that a
// shell reads as it stands.
func TestPrintPage(t *testing.T) {
	var out strings.Builder
	need(printPage(&out, "my page", []page.File{
		{Name: page.ProgramFile, Size: 600, Gzip: 600, Full: 2400},
		{Name: "ideas/a.html", Size: 30, Gzip: 20, Full: 30},
		{Name: "ideas/b.html", Size: 40, Gzip: 30, Full: 40},
		{Name: "index.html", Size: 10, Gzip: 5, Full: 10},
	}))
	want := []string{
		"bytes in my page on disk gzip in the browser",
		"ghostcube.wasm.gz 600 600 2400",
		"ideas/ 70 50 70",
		"index.html 10 5 10",
		"total 680 655 2480",
		"",
		"serve it: python3 -m http.server --directory 'my page'",
		"open it: http://localhost:8000/ or a link, such as http://localhost:8000/?compare=prediction",
	}
	for k, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		if got := strings.Join(strings.Fields(line), " "); k >= len(want) || got != want[k] {
			t.Errorf("line %d is %q", k+1, got)
		}
	}
}
