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

// idea is a page that explains one idea: text, and a session that runs in the page. All of it stands in a guide.
type idea struct {
	Name    string   // of its file, and of the guide's
	Title   string   // the guide's
	Summary string   // the first sentence of the text, for the list of ideas
	Text    string   // the guide's first paragraph
	Look    []string // its points below "Watch for"
	Link    string   // of its session, without the question mark
	Knobs   bool     // the link names controls under the picture

	still string // name of the picture among those of the comparisons

	Number, Count  int   // its place, from 1, and the number of all
	Previous, Next *idea // nil: none
}

var (
	guideForm  = regexp.MustCompile(`(?s)^# ([^\n]+)\n\n(.*?)\n\n.*?` + "`" + `\?([^` + "`" + `]+)` + "`" + `.*?\n## Watch for\n\n(.*?)\n\n`)
	guidePoint = regexp.MustCompile(`(?m)^\d+\. `)
	sentence   = regexp.MustCompile(`^.*?\.(?: |$)`)
	linkForm   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// Head returns the head of the idea's page.
func (i *idea) Head() head {
	return head{Title: i.Title, Description: i.Summary, Image: "../" + comparisonStills + i.still + ".png", Alt: stillOf(i.Title)}
}

// readIdea returns the idea of a guide in Markdown.
func readIdea(name, guide string) (*idea, error) {
	m := guideForm.FindStringSubmatch(guide)
	if m == nil {
		return nil, fmt.Errorf("docs/guides/%s.md: want a title, a paragraph, a link to a session and points to watch for", name)
	}
	i := &idea{Name: name, Title: m[1], Text: plainText(m[2]), Link: m[3]}
	query, err := url.ParseQuery(i.Link)
	i.Knobs = query.Has("knobs")
	if i.still = query.Get("compare"); err != nil || i.still == "" {
		return nil, fmt.Errorf("docs/guides/%s.md: ?%s: want a link to a comparison first, whose still is shown", name, i.Link)
	}
	i.Summary = strings.TrimSpace(sentence.FindString(i.Text))
	for _, point := range guidePoint.Split(m[4], -1)[1:] {
		i.Look = append(i.Look, plainText(point))
	}
	return i, nil
}

// plainText returns a paragraph of Markdown without its marks.
func plainText(markdown string) string {
	text := strings.Join(strings.Fields(linkForm.ReplaceAllString(markdown, "$1")), " ")
	return strings.NewReplacer("*", "", "`", "").Replace(text)
}

// readIdeas returns the ideas of the guides in the program's source, in the order of the documentation.
func readIdeas(source fs.FS) (ideas []*idea, err error) {
	pages, err := readPages(source)
	if err != nil {
		return nil, err
	}
	for _, p := range pages {
		if path.Dir(p.source) != "docs/guides" {
			continue
		}
		i, err := readIdea(strings.TrimSuffix(path.Base(p.source), ".md"), string(p.markdown))
		if err != nil {
			return nil, err
		}
		if n := len(ideas); n > 0 {
			i.Previous, ideas[n-1].Next = ideas[n-1], i
		}
		ideas = append(ideas, i)
	}
	for k, i := range ideas {
		i.Number, i.Count = k+1, len(ideas)
	}
	return ideas, nil
}

// landingPages adds the pages of the ideas and of the comparisons to files. The templates escape every value themselves.
func landingPages(files map[string][]byte, source fs.FS) error {
	t, err := template.ParseFS(source, "ui/page/ideas/*.html")
	if err != nil {
		return err
	}
	if err := comparisonPages(files, source, t); err != nil {
		return err
	}
	return ideaPages(files, source, t)
}

// ideaPages adds the pages of the ideas and their list to files.
func ideaPages(files map[string][]byte, source fs.FS, t *template.Template) error {
	ideas, err := readIdeas(source)
	if err != nil {
		return err
	}
	write := func(name, layout string, data any) error {
		var out bytes.Buffer
		err := t.ExecuteTemplate(&out, layout, data)
		files["ideas/"+name] = out.Bytes()
		return err
	}
	for _, i := range ideas {
		if err := write(i.Name+".html", "idea.html", i); err != nil {
			return err
		}
	}
	list := map[string]any{"Ideas": ideas, "Head": head{Title: "The ideas of networked physics", Image: "../docs/window.png",
		Description: "The ideas of networked physics, each with a simulation that runs in the page.", Alt: "The lab with two panes"}}
	if err := write("index.html", "index.html", list); err != nil {
		return err
	}
	files["ideas/style.css"], err = fs.ReadFile(source, "ui/page/ideas/style.css")
	return err
}
