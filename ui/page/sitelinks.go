package page

import (
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// resolveLinks turns links to Markdown files into links to their pages, and those to pictures into their places in the
// site. Links to other files of the source lead nowhere here; their text remains.
func (p *sitePage) resolveLinks(bySource map[string]*sitePage) {
	var dead []ast.Node
	_ = ast.Walk(p.document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch x := n.(type) {
		case *ast.Link:
			to, ok := p.resolve(string(x.Destination), bySource)
			x.Destination = []byte(to)
			if !ok {
				dead = append(dead, n)
			}
		case *ast.Image:
			to, _ := p.resolve(string(x.Destination), bySource)
			x.Destination = []byte(to)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range dead {
		for c := n.FirstChild(); c != nil; c = n.FirstChild() {
			n.Parent().InsertBefore(n.Parent(), n, c)
		}
		n.Parent().RemoveChild(n.Parent(), n)
	}
}

// resolve returns the target of a link from the page, as it is in the site. ok is false if the site has no such target.
func (p *sitePage) resolve(target string, bySource map[string]*sitePage) (to string, ok bool) {
	file, anchor, hasAnchor := strings.Cut(target, "#")
	if file == "" || strings.Contains(file, ":") {
		return target, true
	}
	source := path.Join(path.Dir(p.source), file)
	switch {
	case bySource[source] != nil:
		to = bySource[source].File
	case strings.HasPrefix(source, "docs/") && slices.Contains(pictureEndings, path.Ext(source)):
		to = strings.TrimPrefix(source, "docs/")
	default:
		return target, false
	}
	to = strings.Repeat("../", strings.Count(p.File, "/")) + to
	if hasAnchor {
		to += "#" + anchor
	}
	return to, true
}
