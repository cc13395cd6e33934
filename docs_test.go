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
)

// maxPictureBytes limits each picture of the documentation.
const maxPictureBytes = 4_000_000

// docLink matches the target of a link or a picture in Markdown: a file, an anchor or both.
var docLink = regexp.MustCompile(`\]\(([^)#:\s]*)(#[^)\s]*)?\)`)

// TestDocLinks checks that the files and headings that the documentation links to exist, that no picture is too large, and
// that every picture in docs is shown.
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
		if !linked[filepath.ToSlash(file)] {
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

// Limits of the length of pages, in words without code blocks, comments and tables of measured figures. A reference is
// looked up and not read, and a notebook is a record.
const (
	maxPageWords   = 1500
	maxGuideWords  = 1300 // with other tables and links
	minGuideWords  = 800
	maxGuidesWords = 16000 // all guides together
)

// htmlComment matches a comment in Markdown.
var htmlComment = regexp.MustCompile("(?s)<!--.*?-->")

// TestPageLengths checks that pages can be read in one go.
func TestPageLengths(t *testing.T) {
	guides := 0
	for _, page := range docPages(t) {
		page = filepath.ToSlash(page)
		dir := path.Dir(page)
		if dir == "docs/reference" || dir == "docs/notebook" || page == "CHANGELOG.md" {
			continue
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text = figureBlock.ReplaceAll(text, nil)
		words := len(strings.Fields(htmlComment.ReplaceAllString(fencedBlock.ReplaceAllString(string(text), ""), "")))
		if words > maxPageWords {
			t.Errorf("%s has %d words, want at most %d", page, words, maxPageWords)
		}
		if dir == "docs/guides" {
			guides += words
			if words < minGuideWords || words > maxGuideWords {
				t.Errorf("%s has %d words, want %d to %d", page, words, minGuideWords, maxGuideWords)
			}
		}
	}
	if guides == 0 || guides > maxGuidesWords {
		t.Errorf("the guides together have %d words, want at most %d", guides, maxGuidesWords)
	}
	t.Logf("the guides together have %d words", guides)
}

// TestNoParagraphTwice looks for paragraphs and items of lists that say the same in nearly the same words: two share more than
// half of their runs of eight words. Tables, commands and sources may repeat.
func TestNoParagraphTwice(t *testing.T) {
	type paragraph struct {
		page, text string
		runs       int // of eight words
	}
	const run = 8
	var paragraphs []paragraph
	seen := map[string][]int{} // paragraphs by their runs
	for _, page := range docPages(t) {
		if name := filepath.Base(page); name == "CHANGELOG.md" || name == "comparisons.md" { // a record, and a generated page
			continue
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		prose := notProse.ReplaceAllString(htmlComment.ReplaceAllString(fencedBlock.ReplaceAllString(string(text), ""), ""), "")
		for _, p := range paragraphEnd.Split(prose, -1) {
			p = strings.TrimSpace(p)
			words := docWord.FindAllString(strings.ToLower(docLinkText.ReplaceAllString(p, "$1")), -1)
			if len(words) < 2*run {
				continue
			}
			i := len(paragraphs)
			paragraphs = append(paragraphs, paragraph{page, strings.Join(strings.Fields(p), " "), len(words) - run + 1})
			shared := map[int]int{}
			for k := range len(words) - run + 1 {
				key := strings.Join(words[k:k+run], " ")
				for _, other := range seen[key] {
					shared[other]++
				}
				seen[key] = append(seen[key], i)
			}
			for other, n := range shared {
				if o := paragraphs[other]; other != i && 2*n > min(o.runs, paragraphs[i].runs) {
					t.Errorf("%s and %s say the same:\n%s\n%s", o.page, page, o.text, paragraphs[i].text)
				}
			}
		}
	}
	if len(paragraphs) < 100 {
		t.Errorf("found only %d paragraphs", len(paragraphs))
	}
}

var (
	paragraphEnd = regexp.MustCompile(`\n\s*\n|\n(?:- |\d+\. )`)
	notProse     = regexp.MustCompile(`(?m)^(?:\||    |Sources?: ).*$`) // tables, commands, sources
	docWord      = regexp.MustCompile(`[\p{L}\p{N}'./-]+`)
)

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
