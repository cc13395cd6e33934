package page

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"text/template"

	"github.com/pelletier/go-toml/v2"
)

// idea is a page that explains one idea: text, and a session that runs in the page.
type idea struct {
	Name    string   // of its file
	Title   string   // a few words
	Summary string   // a sentence for the list of ideas
	Text    string   // a paragraph
	Look    []string // what to look for
	Link    string   // of the session, without the question mark

	Number, Count  int   `toml:"-"` // its place, from 1, and the number of all
	Previous, Next *idea `toml:"-"` // nil: none
}

// readIdeas returns the ideas in the folder of this package.
func readIdeas(source fs.FS) ([]*idea, error) {
	text, err := fs.ReadFile(source, "ideas/ideas.toml")
	if err != nil {
		return nil, err
	}
	var all struct{ Idea []*idea }
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&all); err != nil {
		return nil, fmt.Errorf("ideas.toml: %w", err)
	}
	for k, i := range all.Idea {
		i.Text = strings.TrimSpace(i.Text)
		i.Number, i.Count = k+1, len(all.Idea)
		if k > 0 {
			i.Previous, all.Idea[k-1].Next = all.Idea[k-1], i
		}
	}
	return all.Idea, nil
}

// ideaPages adds the pages of the ideas to files. The templates escape every value themselves.
func ideaPages(files map[string][]byte, source fs.FS) error {
	ideas, err := readIdeas(source)
	if err != nil {
		return err
	}
	t, err := template.ParseFS(source, "ideas/*.html")
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
	if err := write("index.html", "index.html", ideas); err != nil {
		return err
	}
	files["ideas/style.css"], err = fs.ReadFile(source, "ideas/style.css")
	return err
}
