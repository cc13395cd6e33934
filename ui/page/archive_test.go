package page

import (
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"regexp"
	"testing"

	"ghostcube/internal/experiment"
)

// archiveVariable is the environment variable with the folder of an unpacked release archive.
const archiveVariable = "GHOSTCUBE_ARCHIVE"

var (
	archiveHTML     = regexp.MustCompile(`<(?:a|img|iframe|link|script|source|video)[^>]*? (?:href|src)="([^"]*)"`)
	archiveMarkdown = regexp.MustCompile(`\]\(([^)]*)\)`)
	archiveCode     = regexp.MustCompile("(?s)```.*?```|`[^`]*`")
)

// TestArchiveLinks promises that every relative link in the texts and pages of a release archive leads to a file in it: of the one that
// .ci/release has just made, or of the same texts and pages without the program.
func TestArchiveLinks(t *testing.T) {
	experiment.Skip(t)
	files := map[string][]byte{}
	if folder := os.Getenv(archiveVariable); folder != "" {
		if err := readFiles(files, os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
	} else {
		for name, b := range siteFiles(t) {
			files["page/"+name] = b
		}
		files["page/wasm_exec.js"], files["LICENSE"] = []byte{}, []byte{}
		for _, name := range []string{"README.md", "CHANGELOG.md"} {
			b, err := exec.Command("sed", "-E", "-f", "../../.ci/release.sed", "../../"+name).Output()
			if err != nil {
				t.Skipf("sed: %v", err)
			}
			files[name] = b
		}
	}
	checked := 0
	for name, b := range files {
		form := archiveHTML
		switch path.Ext(name) {
		case ".md":
			form, b = archiveMarkdown, archiveCode.ReplaceAll(b, nil)
		case ".html":
		default:
			continue
		}
		for _, m := range form.FindAllSubmatch(b, -1) {
			to, err := url.Parse(string(m[1]))
			if err != nil || to.IsAbs() || to.Path == "" {
				continue
			}
			checked++
			if target := path.Join(path.Dir(name), to.Path); !fs.ValidPath(target) || files[target] == nil {
				t.Errorf("%s links to %s, which the archive does not have", name, m[1])
			}
		}
	}
	if checked < 1000 {
		t.Errorf("%d links", checked)
	}
}
