package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"testing"
)

// maxMethods is the largest number of methods of a type below ui, those of embedded types included: what has more is
// several things.
const maxMethods = 40

// typeMethods are the methods of a type and the types that it embeds, as folder.Name.
type typeMethods struct{ methods, embedded []string }

// TestFewMethods promises that no type below ui has more methods than a reader can keep in mind. It caught the type of
// the window, which had become the session, its past, its panel and its files.
func TestFewMethods(t *testing.T) {
	types := map[string]*typeMethods{}
	of := func(name string) *typeMethods {
		if types[name] == nil {
			types[name] = &typeMethods{}
		}
		return types[name]
	}
	for _, file := range goFiles(t, "ui") {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		dir := path.Dir(file)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil {
					x := of(typeName(dir, n.Recv.List[0].Type))
					x.methods = append(x.methods, n.Name.Name)
				}
			case *ast.TypeSpec:
				s, ok := n.Type.(*ast.StructType)
				if !ok {
					return true
				}
				for _, field := range s.Fields.List {
					if len(field.Names) == 0 {
						x := of(dir + "." + n.Name.Name)
						x.embedded = append(x.embedded, typeName(dir, field.Type))
					}
				}
			}
			return true
		})
	}
	var all func(name string) []string
	all = func(name string) (list []string) {
		if x := types[name]; x != nil {
			list = append(list, x.methods...)
			for _, e := range x.embedded {
				list = append(list, all(e)...)
			}
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	for name := range types {
		if n := len(all(name)); n > maxMethods {
			t.Errorf("%s has %d methods, want at most %d", name, n, maxMethods)
		}
	}
	if len(types["ui/session.Session"].methods) == 0 || len(all("ui/window.timelineBar")) <= len(types["ui/window.timelineBar"].methods) {
		t.Error("methods, or those of embedded types, are not found")
	}
}

// typeName returns the name of a type with its folder.
func typeName(dir string, x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return typeName(dir, x.X)
	case *ast.IndexExpr:
		return typeName(dir, x.X)
	case *ast.SelectorExpr:
		return "ui/" + x.X.(*ast.Ident).Name + "." + x.Sel.Name
	case *ast.Ident:
		return dir + "." + x.Name
	}
	return ""
}
