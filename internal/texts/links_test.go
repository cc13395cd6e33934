package texts

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxPictureBytes limits each picture of the documentation.
const maxPictureBytes = 4_000_000

// docLink matches the target of a link or a picture in Markdown: a file, an anchor or both.
var docLink = regexp.MustCompile(`\]\(([^)#:\s]*)(#[^)\s]*)?\)`)

// TestDocLinks checks that the files and headings that the documentation links to exist, that no picture is too large, and
// that every picture in docs is shown. The page of strategies linked to links.md after that had another name.
func TestDocLinks(t *testing.T) {
	linked := map[string]bool{}
	anchors := map[string]map[string]bool{} // by page
	for _, page := range docPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		anchors[filepath.ToSlash(page)] = headingAnchors(string(text))
	}
	for _, page := range docPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range docLink.FindAllStringSubmatch(withoutCode(string(text)), -1) {
			target := filepath.ToSlash(page)
			if m[1] != "" {
				target = path.Join(path.Dir(target), m[1])
			}
			linked[target] = true
			if _, err := os.Stat(filepath.FromSlash(target)); err != nil {
				t.Errorf("%s: %v", page, err)
				continue
			}
			if anchor := strings.TrimPrefix(m[2], "#"); anchor != "" && path.Ext(target) == ".md" && !anchors[target][anchor] {
				t.Errorf("%s: %s has no heading #%s", page, target, anchor)
			}
		}
	}
	err := filepath.WalkDir("docs", func(file string, d fs.DirEntry, err error) error {
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
		shown := filepath.ToSlash(file)
		if film, ok := strings.CutSuffix(shown, ".webm"); ok { // the site shows it instead of the GIF beside it
			shown = film + ".gif"
		}
		if !linked[shown] {
			t.Errorf("no page shows %s", file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// codeBlock matches a fenced block, and code in a text.
var codeBlock = regexp.MustCompile("(?ms)^```.*?^```$|`[^`\n]*`")

// withoutCode returns a page without its code blocks and without code in its text, in which brackets are no links.
func withoutCode(text string) string { return codeBlock.ReplaceAllString(text, "") }

var (
	fencedBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	docHeading  = regexp.MustCompile(`(?m)^#{1,6} +(.*?) *$`)
	docLinkText = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N}\p{M}_ -]`)
)

// headingAnchors returns the anchors of a page's headings, as GitHub makes them: lower case, without punctuation, with
// dashes for spaces, and numbered from the second heading of a name on.
func headingAnchors(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, m := range docHeading.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
		name := docLinkText.ReplaceAllString(m[1], "$1")
		name = strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(name), ""), " ", "-")
		anchor := name
		for n := 1; anchors[anchor]; n++ {
			anchor = fmt.Sprintf("%s-%d", name, n)
		}
		anchors[anchor] = true
	}
	return anchors
}

// TestHeadingAnchors checks anchors against those of GitHub.
func TestHeadingAnchors(t *testing.T) {
	text := "# Clocks, buffers & `playout`\n```\n# no heading\n```\n## The *[score](score.md)*: 95 % of it\n## Same\n### Same\n## Größe_x – y\n"
	got := headingAnchors(text)
	for _, want := range []string{"clocks-buffers--playout", "the-score-95--of-it", "same", "same-1", "größe_x--y"} {
		if !got[want] {
			t.Errorf("no anchor %s in %v", want, got)
		}
	}
	if len(got) != 5 {
		t.Error(got)
	}
}
