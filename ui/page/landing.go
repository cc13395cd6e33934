package page

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"
	"text/template"
)

// comparisonPage is the page with all comparisons. comparisonStills is the folder of their pictures in the site.
const (
	comparisonPage   = "docs/reference/comparisons.md"
	comparisonStills = "docs/reference/comparisons/"
)

// head is what the head of a page of its own says about it. The site that shows a link to the page reads it, too.
type head struct {
	Title, Description string
	Image              string // from the page's folder
	Alt                string // says what the image shows
}

// comparison is a page of its own for a comparison: its title, its still, and the session to play. All of it stands in the
// page of all comparisons.
type comparison struct {
	Name    string
	Title   string // without a period
	Text    string // figures, perhaps the time at which the still was taken
	Source  string // heading of its group; empty: it has none
	Heading string // anchor in the page of all comparisons

	Number, Count  int         // its place, from 1, and the number of all
	Previous, Next *comparison // nil: none
}

// Head returns the head of the comparison's page.
func (c *comparison) Head() head {
	return head{Title: c.Title, Description: c.Title + ". " + c.Text, Image: "../" + comparisonStills + c.Name + ".png", Alt: stillOf(c.Title)}
}

// stillOf returns the text of a still.
func stillOf(title string) string { return "A moment of the simulation: " + title }

var (
	comparisonForm = regexp.MustCompile(`(?m)^(?:## (.+)|### ([a-z0-9-]+)\n\n(.+)\n\n!\[[^\n]*\n\n(.+))$`)
	atMoment       = regexp.MustCompile(`\. (At [0-9.]+ s)\.$`)
)

// readComparisons returns the comparisons of their page in Markdown, in its order.
func readComparisons(markdown string) (list []*comparison) {
	source := ""
	for _, m := range comparisonForm.FindAllStringSubmatch(markdown, -1) {
		if m[1] != "" {
			if source = plainText(m[1]); source == "Without a source" {
				source = ""
			}
			continue
		}
		c := &comparison{Name: m[2], Title: plainText(m[3]), Text: firstUpper(plainText(m[4])) + ".", Source: source, Heading: slugOf(m[2])}
		if at := atMoment.FindStringSubmatch(c.Title); at != nil {
			c.Title = strings.TrimSuffix(c.Title, at[0])
			c.Text = at[1] + ": " + plainText(m[4]) + "."
		}
		c.Title = strings.TrimSuffix(c.Title, ".")
		if n := len(list); n > 0 {
			c.Previous, list[n-1].Next = list[n-1], c
		}
		list = append(list, c)
	}
	for k, c := range list {
		c.Number, c.Count = k+1, len(list)
	}
	return list
}

// firstUpper returns a text that begins with a capital letter.
func firstUpper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// comparisonPages adds a page for each comparison to files.
func comparisonPages(files map[string][]byte, source fs.FS, t *template.Template) error {
	markdown, err := fs.ReadFile(source, comparisonPage)
	if err != nil {
		return err
	}
	list := readComparisons(string(markdown))
	if len(list) == 0 {
		return fmt.Errorf("%s has no comparison", comparisonPage)
	}
	for _, c := range list {
		var out bytes.Buffer
		if err := t.ExecuteTemplate(&out, "comparison.html", c); err != nil {
			return err
		}
		files["compare/"+c.Name+".html"] = out.Bytes()
	}
	return nil
}

// comparisonStill is the still of a comparison in the rendered page of all of them.
var comparisonStill = regexp.MustCompile(`<img [^>]*/comparisons/([a-z0-9-]+)\.png"[^>]*>`)

// linkStills links the stills of the page of all comparisons to the comparisons' own pages.
func linkStills(body, root string) string {
	return comparisonStill.ReplaceAllString(body, `<a href="`+root+`../compare/$1.html">$0</a>`)
}

// sharedImage is the image of a page, for sites that show a link to it, by a relative address.
var sharedImage = regexp.MustCompile(`(<meta property="og:image" content=")([^":]+)"`)

// placeImages makes the addresses of the images of all pages whole, which most sites that show a link want. address is
// that of the page's folder, which ends with a slash; nil leaves them relative.
func placeImages(files map[string][]byte, address *url.URL) error {
	if address == nil {
		return nil
	}
	for name, b := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		page, err := address.Parse(name)
		if err != nil {
			return err
		}
		files[name] = sharedImage.ReplaceAllFunc(b, func(m []byte) []byte {
			parts := sharedImage.FindSubmatch(m)
			image, failed := page.Parse(string(parts[2]))
			if failed != nil {
				err = failed
				return m
			}
			return fmt.Appendf(nil, `%s%s"`, parts[1], image)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// ParseAddress reads the address of a page's folder on the web, such as https://example.org/lab/.
func ParseAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%q: want the address of the page's folder, such as https://example.org/lab/", text)
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return u, nil
}
