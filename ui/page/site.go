package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// siteFolder is the folder of the documentation in the page's folder.
const siteFolder = "docs"

// section is a part of a page under a heading, or a term of the field, for the search. Its fields are those that search.js
// reads.
type section struct {
	Page    string  `json:"page"`
	Heading string  `json:"heading"`
	URL     string  `json:"url"`
	Text    string  `json:"text"`
	Also    string  `json:"also,omitempty"` // other names of what the page is about
	Weight  float64 `json:"weight"`         // of a hit
}

// sitePage is a Markdown file of the documentation and the HTML page that it becomes.
type sitePage struct {
	source string // path in the source folder, such as docs/guides/lockstep.md
	File   string // path in the site, such as guides/lockstep.html
	Title  string
	group  int    // index in siteGroups
	also   string // the field's names of what a guide is about

	markdown []byte
	document ast.Node
}

// siteGroups are the groups of pages in the order of the navigation. A page belongs to the first group that names it or
// its folder.
var siteGroups = []struct {
	title  string
	pages  []string // sources; a name that ends with a slash is a folder
	weight float64  // of its pages in the search
}{
	{"Start", []string{"README.md", "docs/reference/tour.md", "docs/keys.md", "docs/timeline.md", "docs/share.md",
		"docs/recording.md", "docs/real-network.md", "docs/page.md", "docs/troubleshooting.md"}, 1.2},
	{"Choose", []string{"docs/choosing.md", "docs/sweep.md", "docs/gamelog.md"}, 1.5},
	{"Guides", []string{"docs/guides/"}, 1.5},
	{"Extend", []string{"docs/extending.md", "docs/architecture.md", "CONTRIBUTING.md", "CHANGELOG.md"}, 0.8},
	{"Notebook", []string{"docs/notebook/", "docs/reference/claims.md"}, 0.5},
	{"Look up", []string{"docs/glossary.md", termPage, "docs/reference/presets.md",
		"docs/reference/comparisons.md", "docs/reference/mechanisms.md", "docs/reference/", "docs/"}, 1},
}

// addSite adds the documentation as HTML pages, with its pictures, to files. source is the folder of the program's source.
func addSite(files map[string][]byte, source fs.FS) error {
	pages, err := readPages(source)
	if err != nil {
		return err
	}
	templates, err := fs.Sub(source, "ui/page/site")
	if err != nil {
		return err
	}
	site, err := renderSite(pages, templates, source)
	if err != nil {
		return err
	}
	for name, b := range site {
		files[path.Join(siteFolder, name)] = b
	}
	return fs.WalkDir(source, "docs", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(pictureEndings, path.Ext(name)) || hasVideo(source, name) {
			return err
		}
		files[path.Join(siteFolder, strings.TrimPrefix(name, "docs/"))], err = fs.ReadFile(source, name)
		return err
	})
}

// pictureEndings are the endings of the files that pages show.
var pictureEndings = []string{".png", animatedEnding, ".svg", videoEnding}

// readPages reads and parses all pages, in the order of the navigation.
func readPages(source fs.FS) ([]*sitePage, error) {
	sources := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	err := fs.WalkDir(source, "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".md" {
			sources = append(sources, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var pages []*sitePage
	for _, name := range sources {
		b, err := fs.ReadFile(source, name)
		if err != nil {
			return nil, err
		}
		p := &sitePage{source: name, File: siteFile(name), markdown: b}
		p.document = markdownParser().Parser().Parse(text.NewReader(b), parser.WithContext(parser.NewContext(parser.WithIDs(&slugs{used: map[string]int{}}))))
		p.Title = p.title()
		pages = append(pages, p)
	}
	sortPages(pages)
	terms, err := fs.ReadFile(source, "assets/terms.toml")
	if err != nil {
		return nil, err
	}
	addFieldNames(pages, terms)
	return pages, nil
}

// siteFile returns the path in the site of the page made of a Markdown file.
func siteFile(source string) string {
	if source == "README.md" {
		return "index.html"
	}
	name := strings.TrimPrefix(source, "docs/")
	if path.Base(name) == "README.md" {
		return path.Join(path.Dir(name), "index.html")
	}
	return strings.ToLower(strings.TrimSuffix(name, ".md")) + ".html"
}

// sortPages gives each page its group, and sorts pages by group, then as the group lists them, then as the README lists them at
// its end, where it has an order for readers, or by title.
func sortPages(pages []*sitePage) {
	place := map[*sitePage]int{}
	for _, p := range pages {
		p.group = -1
		for g := range siteGroups {
			i := slices.IndexFunc(siteGroups[g].pages, func(name string) bool {
				return p.source == name || strings.HasSuffix(name, "/") && strings.HasPrefix(p.source, name)
			})
			exact := i >= 0 && siteGroups[g].pages[i] == p.source
			if i >= 0 && (p.group < 0 || exact) {
				p.group, place[p] = g, i
			}
			if exact {
				break
			}
		}
	}
	var readme []byte
	for _, p := range pages {
		if p.source == "README.md" {
			readme = p.markdown
		}
	}
	slices.SortStableFunc(pages, func(a, b *sitePage) int {
		if a.group != b.group {
			return a.group - b.group
		}
		if d := place[a] - place[b]; d != 0 {
			return d
		}
		if x, y := bytes.LastIndex(readme, []byte("("+a.source+")")), bytes.LastIndex(readme, []byte("("+b.source+")")); x != y &&
			strings.HasPrefix(a.source, "docs/guides/") {
			return x - y
		}
		return strings.Compare(a.Title, b.Title)
	})
}

// markdownParser returns a parser and renderer of the Markdown that the documentation uses, which is GitHub's. Styles in
// attributes would offend the pages' security policy.
func markdownParser() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Linkify, extension.Strikethrough),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	)
}

// slugs makes the anchors of headings as GitHub does: lower case, dashes for spaces, without punctuation.
type slugs struct{ used map[string]int }

// Generate returns the anchor of a heading.
func (s *slugs) Generate(value []byte, _ ast.NodeKind) []byte {
	slug := slugOf(string(value))
	n := s.used[slug]
	s.used[slug]++
	if n > 0 {
		slug = fmt.Sprintf("%s-%d", slug, n)
	}
	return []byte(slug)
}

// Put reserves an anchor.
func (s *slugs) Put(value []byte) { s.used[string(value)]++ }

// linkTarget is the target of a link in a heading. The anchor leaves it out.
var linkTarget = regexp.MustCompile(`\]\([^)]*\)`)

// slugOf returns the anchor of a heading's Markdown.
func slugOf(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(linkTarget.ReplaceAllString(heading, "]"))) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// title returns the text of the first heading.
func (p *sitePage) title() string {
	for n := p.document.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 1 {
			return p.textOf(h)
		}
	}
	return p.source
}

// descriptionLength are the least and the greatest length of the description of a page; sites that show it cut a longer one.
var descriptionLength = [2]int{40, 200}

// description returns the first sentences of the page's first paragraph that says enough.
func (p *sitePage) description() string {
	for n := p.document.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() != ast.KindParagraph || n.FirstChild().Kind() == ast.KindImage {
			continue
		}
		text := p.textOf(n)
		least, most := descriptionLength[0], descriptionLength[1]
		if len(text) < least {
			continue
		}
		if len(text) <= most {
			return text
		}
		if end := strings.LastIndex(text[:most], ". "); end >= least {
			return text[:end+1]
		}
		return text[:strings.LastIndex(text[:most-4], " ")] + " ..."
	}
	return p.Title
}

// comparedIn is the comparison of the first session in a text.
var comparedIn = regexp.MustCompile("`\\?compare=([a-z0-9-]+)")

// image returns the first picture of the page that sites can show beside a link, as its path in the site. That of a guide is the still
// of its session.
func (p *sitePage) image() string {
	image := "window.png"
	if m := comparedIn.FindSubmatch(p.markdown); m != nil && p.guide() != "" {
		return "reference/comparisons/" + string(m[1]) + ".png"
	}
	_ = ast.Walk(p.document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		x, ok := n.(*ast.Image)
		if !entering || !ok || path.Ext(string(x.Destination)) != ".png" {
			return ast.WalkContinue, nil
		}
		image = path.Join(path.Dir(p.File), string(x.Destination))
		return ast.WalkStop, nil
	})
	return image
}

// guide returns the name of a guide, which is also that of its idea; of another page nothing.
func (p *sitePage) guide() string {
	if path.Dir(p.source) != "docs/guides" {
		return ""
	}
	return strings.TrimSuffix(path.Base(p.source), ".md")
}

// textOf returns the text of a node and the nodes below it, without markup.
func (p *sitePage) textOf(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		switch x := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(x.Segment.Value(p.markdown))
				if x.SoftLineBreak() || x.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if entering {
				for i := range n.Lines().Len() {
					line := n.Lines().At(i)
					b.Write(line.Value(p.markdown))
				}
			}
		default:
			if !entering && n.Type() == ast.TypeBlock || n.Kind().String() == "TableCell" {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// termPage is the page whose list has a term of the field in each item.
const termPage = "docs/reference/terms.md"

// sections returns the parts of a page for the search. Each term of the field is a part of its own, so that the search
// finds it by its words as by a heading.
func (p *sitePage) sections() []section {
	if p.source == termPage {
		return p.terms()
	}
	var list []section
	for n := p.document.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level <= 3 {
			s := section{Page: p.Title, Heading: p.textOf(h), URL: p.File, Weight: siteGroups[p.group].weight}
			if id, ok := h.AttributeString("id"); ok && h.Level > 1 {
				s.URL += "#" + string(id.([]byte))
			}
			list = append(list, s)
			continue
		}
		if len(list) > 0 {
			s := &list[len(list)-1]
			s.Text = strings.TrimSpace(s.Text + " " + p.textOf(n))
		}
	}
	return list
}

// terms returns the items of the page's list for the search, after the page itself. An item begins with its term.
func (p *sitePage) terms() []section {
	weight := siteGroups[p.group].weight
	list := []section{{Page: p.Title, Heading: p.Title, URL: p.File, Weight: weight}}
	_ = ast.Walk(p.document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		switch {
		case !entering:
		case n.Kind() == ast.KindListItem:
			list = append(list, section{Page: p.Title, Heading: p.textOf(n.FirstChild().FirstChild()), URL: p.File, Text: p.textOf(n), Weight: weight})
		case n.Kind().String() == "Paragraph":
			list[0].Text = strings.TrimSpace(list[0].Text + " " + p.textOf(n))
		}
		return ast.WalkContinue, nil
	})
	return list
}

// termForm is a term of the field in the file of all terms: its name, perhaps more names, and what it is here.
var termForm = regexp.MustCompile(`(?m)^name = "(.*)"\n(?:also = "(.*)"\n)?(?:[a-z]+ = ".*"\n)*?(?:here|nearest) = "(.*)"$`)

// guideOfTerm is a guide among what a term is here.
var guideOfTerm = regexp.MustCompile(`\bguide ([a-z-]+)`)

// addFieldNames gives the guides among pages the field's names of what they are about, from the file of all terms.
func addFieldNames(pages []*sitePage, terms []byte) {
	names := map[string][]string{} // by guide
	for _, m := range termForm.FindAllSubmatch(terms, -1) {
		for _, guide := range guideOfTerm.FindAllSubmatch(m[3], -1) {
			names[string(guide[1])] = append(names[string(guide[1])], string(m[1]), string(m[2]))
		}
	}
	for _, p := range pages {
		if list := names[p.guide()]; list != nil {
			p.also = strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), ", ")
		}
	}
}

// navigation is a group of pages as the template takes it.
type navigation struct {
	Title string
	Pages []*sitePage
}

// renderSite returns the files of the site by their paths. templates is the folder site, source that of the program's source.
func renderSite(pages []*sitePage, templates, source fs.FS) (map[string][]byte, error) {
	layout, err := template.ParseFS(templates, "page.html")
	if err != nil {
		return nil, err
	}
	groups := make([]navigation, len(siteGroups))
	bySource := map[string]*sitePage{}
	var index []section
	for _, p := range pages {
		bySource[p.source] = p
		groups[p.group].Title = siteGroups[p.group].title
		groups[p.group].Pages = append(groups[p.group].Pages, p)
		sections := p.sections()
		sections[0].Also = p.also
		index = append(index, sections...)
	}
	groups = slices.DeleteFunc(groups, func(g navigation) bool { return len(g.Pages) == 0 })
	files := map[string][]byte{}
	for _, p := range pages {
		p.resolveLinks(bySource)
		var body, page bytes.Buffer
		if err := markdownParser().Renderer().Render(&body, p.markdown, p.document); err != nil {
			return nil, fmt.Errorf("%s: %w", p.source, err)
		}
		root := strings.Repeat("../", strings.Count(p.File, "/"))
		finished, err := p.finishPictures(finishBody(body.String(), root), source)
		if err != nil {
			return nil, err
		}
		if p.source == comparisonPage {
			finished = linkStills(finished, root)
		}
		err = layout.Execute(&page, map[string]any{
			"Title": p.Title, "File": p.File, "Root": root, "Groups": groups, "Body": template.HTML(breakCode(finished)),
			"Description": p.description(), "Image": root + p.image(), "Idea": p.guide(),
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.source, err)
		}
		files[p.File] = page.Bytes()
	}
	list, err := json.Marshal(index)
	if err != nil {
		return nil, err
	}
	files["search-index.js"] = slices.Concat([]byte("const searchIndex = "), list, []byte(";\n"))
	for _, name := range []string{"site.css", "search.js"} {
		if files[name], err = fs.ReadFile(templates, name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// sessionLink is a link to a session in the text of a page, such as ?compare=prediction, in rendered HTML.
var sessionLink = regexp.MustCompile(`<code>\?((?:compare|scene|lesson)=[^<\s]+)</code>`)

// emptyHeading is an empty cell in the first row of a table. It becomes an ordinary cell, because it heads nothing.
var emptyHeading = regexp.MustCompile(`<th([^>]*)></th>`)

// finishBody makes wide tables and commands scroll by themselves, also by keys, links sessions to the lab, and puts the lab
// behind the paragraph with the first of them, folded, so that it is loaded only when a reader unfolds it.
func finishBody(body, root string) string {
	body = strings.ReplaceAll(body, "<table>", `<div class="table" tabindex="0"><table>`)
	body = strings.ReplaceAll(body, "</table>", "</table></div>")
	body = strings.ReplaceAll(body, "<pre>", `<pre tabindex="0">`)
	body = emptyHeading.ReplaceAllString(body, "<td$1></td>")
	if m := sessionLink.FindStringSubmatchIndex(body); m != nil {
		query := body[m[2]:m[3]]
		if end := strings.Index(body[m[1]:], "</p>"); end >= 0 {
			at := m[1] + end + len("</p>")
			size := `width="640" height="360"`
			if strings.Contains(query, "&amp;knobs=") {
				size = `width="640" height="412" class="knobs"`
			}
			frame := fmt.Sprintf("\n<details><summary>Play it here</summary><iframe src=\"%s../index.html?%s&amp;embed=1\" %s"+
				" loading=\"lazy\" title=\"The lab with this session\"></iframe></details>", root, query, size)
			body = body[:at] + frame + body[at:]
		}
	}
	return sessionLink.ReplaceAllString(body, `<a href="`+root+`../index.html?$1"><code>?$1</code></a>`)
}

// hyphenated is a name with hyphens in code, lineEnd the end of a part of it after which a line may end.
var (
	hyphenated = regexp.MustCompile(`-{1,2}[a-z][a-z0-9-]*|[a-z0-9]+-[a-z0-9-]+`)
	lineEnd    = regexp.MustCompile(`(:|,|&amp;)([a-z<])`)
)

// codePart is a block of code, or code in a text.
var codePart = regexp.MustCompile(`(?s)<pre.*?</pre>|<code>[^<]*</code>`)

// breakCode lets no line end within a name of the code in a text, such as --no-ghost, but after a colon, a comma and an
// ampersand between names.
func breakCode(body string) string {
	return codePart.ReplaceAllStringFunc(body, func(code string) string {
		if strings.HasPrefix(code, "<pre") {
			return code
		}
		code = strings.TrimSuffix(strings.TrimPrefix(code, "<code>"), "</code>")
		code = hyphenated.ReplaceAllString(code, `<span class="name">$0</span>`)
		return "<code>" + lineEnd.ReplaceAllString(code, "$1<wbr>$2") + "</code>"
	})
}
