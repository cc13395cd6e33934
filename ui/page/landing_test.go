package page

import (
	"bytes"
	"html"
	"maps"
	"net/url"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/ui/plan"
)

// siteFiles returns all files of the page, with the documentation, but the program and its runtime.
func siteFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := maps.Clone(testFiles(t))
	if err := addSite(files, os.DirFS("../..")); err != nil {
		t.Fatal(err)
	}
	return files
}

// TestEveryPageDescribesItself promises that every page has a title and a description, and an image for sites that show a link to it.
func TestEveryPageDescribesItself(t *testing.T) {
	experiment.Skip(t)
	files := siteFiles(t)
	const meta = `<meta (?:name|property)="%" content="([^"]+)">`
	forms := map[string]*regexp.Regexp{"title": regexp.MustCompile(`<title>([^<]+)</title>`)}
	for _, name := range []string{"description", "og:title", "og:description", "og:image"} {
		forms[name] = regexp.MustCompile(strings.Replace(meta, "%", name, 1))
	}
	for name, b := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		for what, form := range forms {
			found := form.FindAllSubmatch(b, -1)
			if len(found) != 1 {
				t.Errorf("%s has %d times %s", name, len(found), what)
				continue
			}
			text := html.UnescapeString(string(found[0][1]))
			switch {
			case what == "og:image" && files[path.Join(path.Dir(name), text)] == nil:
				t.Errorf("%s has the image %s, which does not exist", name, text)
			case what == "description" && (len(text) < 20 || len(text) > 400 || strings.ContainsAny(text, "*`[")):
				t.Errorf("%s has the description %q", name, text)
			}
		}
	}
}

// TestComparisonPages promises a page for each comparison that shows its still, and plays it there and in the lab.
func TestComparisonPages(t *testing.T) {
	experiment.Skip(t)
	files := siteFiles(t)
	library := &plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons}
	all, err := library.Comparisons()
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		c := &all[i]
		name := "compare/" + c.Name + ".html"
		page := string(files[name])
		title := html.EscapeString(strings.TrimSuffix(c.Title, "."))
		for _, want := range []string{"<h1>" + title + "</h1>", `src="../docs/reference/comparisons/` + c.Name + `.png"`,
			`href="../index.html?compare=` + c.Name + `"`, `src="../index.html?compare=` + c.Name + `&amp;embed=1"`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s lacks %s", name, want)
			}
		}
	}
	if n := strings.Count(string(files["docs/reference/comparisons.html"]), `href="../../compare/`); n != len(all) {
		t.Errorf("the page of all comparisons links to %d of %d", n, len(all))
	}
}

// TestEveryPageIsReachable promises that links lead from the first page to every other, and from each guide to its idea.
func TestEveryPageIsReachable(t *testing.T) {
	experiment.Skip(t)
	files := siteFiles(t)
	link := regexp.MustCompile(`<a [^>]*href="([^"?#]+)`)
	reached := map[string]bool{"index.html": true}
	for next := []string{"index.html"}; len(next) > 0; {
		name := next[0]
		next = next[1:]
		for _, m := range link.FindAllSubmatch(files[name], -1) {
			to := path.Join(path.Dir(name), string(m[1]))
			if files[to] != nil && !reached[to] {
				reached[to] = true
				next = append(next, to)
			}
		}
	}
	for name := range files {
		if path.Ext(name) == ".html" && !reached[name] {
			t.Errorf("no link leads to %s", name)
		}
		guide, idea := path.Ext(name) == ".html" && path.Dir(name) == "docs/guides", path.Base(name)
		if guide && !bytes.Contains(files[name], []byte(`href="../../ideas/`+idea+`"`)) {
			t.Errorf("%s does not link to its idea", name)
		}
	}
}

// TestPlaceImages promises that an address makes those of the images whole, once.
func TestPlaceImages(t *testing.T) {
	files := map[string][]byte{
		"compare/a.html": []byte(`<meta property="og:image" content="../docs/a.png"><img src="../docs/a.png">`),
		"index.html":     []byte(`<meta property="og:image" content="docs/window.png">`),
	}
	for range 2 {
		address, err := ParseAddress("https://example.org/lab")
		if err != nil {
			t.Fatal(err)
		}
		if err := placeImages(files, address); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"compare/a.html": `<meta property="og:image" content="https://example.org/lab/docs/a.png"><img src="../docs/a.png">`,
			"index.html":     `<meta property="og:image" content="https://example.org/lab/docs/window.png">`,
		} {
			if string(files[name]) != want {
				t.Errorf("%s: %s", name, files[name])
			}
		}
	}
	for _, text := range []string{"example.org", "ftp://example.org/", "https://", "https://example.org/?a=b", ":"} {
		if u, err := ParseAddress(text); err == nil {
			t.Errorf("%q is the address %v", text, (*url.URL)(u))
		}
	}
}
