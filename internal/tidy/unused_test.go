package tidy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// checkedByTests are names that only tests use, but tests of several packages.
var checkedByTests = []string{
	"sim.AllButtons", "sim.World.CheckContacts", "sim.World.JointAnchors",
	"sim/geom.Vec3.IsFinite", "sim/geom.Quat.IsFinite", "net/quant.SmallestThree.MaxAngleError",
	"internal/inputtest.Mouse", "internal/inputtest.Touch",
	"predict/part/codec.SyncGrid", "predict/localprediction/correction.Log.ComparedTick",
}

// calledByLibraries are methods that other modules call through their own interfaces.
var calledByLibraries = []string{
	"Error", "Is", "Unwrap", "String", "MarshalJSON", "Read", "Write", "Close",
	"Help", "Run", "AfterApply", "Draw", "Layout", "LayoutF", "Update",
}

// TestNothingUnused checks that code other than tests uses every exported name: functions,
// types, constants and variables by their qualified name, methods by a selector. Geometry had a test of
// overlaps that nothing called.
func TestNothingUnused(t *testing.T) {
	files := parseModule(t)
	used := map[string]bool{}     // "folder.Name"
	selected := map[string]bool{} // names after a dot, and methods of interfaces
	for _, f := range files {
		imports := map[string]string{}
		for _, i := range f.ast.Imports {
			p, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module)
			if !ours {
				continue
			}
			name := path.Base(p)
			if i.Name != nil {
				name = i.Name.Name
			}
			imports[name] = p
		}
		declared := map[*ast.Ident]bool{}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				declared[n.Name] = true
			case *ast.TypeSpec:
				declared[n.Name] = true
			case *ast.ValueSpec:
				for _, name := range n.Names {
					declared[name] = true
				}
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					for _, name := range m.Names {
						selected[name.Name] = true
					}
				}
			case *ast.SelectorExpr:
				selected[n.Sel.Name] = true
				if x, ok := n.X.(*ast.Ident); ok && imports[x.Name] != "" {
					used[imports[x.Name]+"."+n.Sel.Name] = true
				}
			case *ast.Ident:
				if !declared[n] {
					used[path.Dir(f.path)+"."+n.Name] = true
				}
			}
			return true
		})
	}
	for _, f := range files { // if one value of an enumeration is used, all count as used
		for _, d := range f.ast.Decls {
			block, ok := d.(*ast.GenDecl)
			if !ok || block.Tok != token.CONST || len(block.Specs) < 2 || len(block.Specs[1].(*ast.ValueSpec).Values) > 0 {
				continue
			}
			isUsed := func(s ast.Spec) bool { return used[path.Dir(f.path)+"."+s.(*ast.ValueSpec).Names[0].Name] }
			if slices.ContainsFunc(block.Specs, isUsed) {
				for _, s := range block.Specs {
					used[path.Dir(f.path)+"."+s.(*ast.ValueSpec).Names[0].Name] = true
				}
			}
		}
	}
	for _, f := range files {
		folder := path.Dir(f.path)
		if f.ast.Name.Name == "main" {
			continue
		}
		for name, method := range exportedNames(f.ast) {
			full := folder + "." + name
			last := name[strings.LastIndex(name, ".")+1:]
			if slices.Contains(checkedByTests, full) {
				continue
			}
			if method && !selected[last] && !slices.Contains(calledByLibraries, last) || !method && !used[full] {
				t.Errorf("%s is exported, but no code except tests uses it", full)
			}
		}
	}
}

// moduleFile is a parsed file of the module.
type moduleFile struct {
	path string
	ast  *ast.File
}

// testSupport are the packages that only tests import, or that other programs copy.
var testSupport = []string{
	"docs/examples/loggers",
	"internal/experiment", "internal/golden", "internal/source",
	"predict/predicttest", "predict/lab/labtest", "predict/lab/labtest/copytest", "ui/stage/stagetest",
}

// parseModule parses all files except tests and packages that only tests import.
func parseModule(t *testing.T) (files []moduleFile) {
	t.Helper()
	set := token.NewFileSet()
	for _, p := range goFiles(t, ".") {
		if strings.HasSuffix(p, "_test.go") || slices.Contains(testSupport, path.Dir(p)) {
			continue
		}
		f, err := parser.ParseFile(set, p, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, moduleFile{p, f})
	}
	return files
}

// exportedNames returns the exported top-level names of a file and the exported methods of
// exported types, as Type.Method. The value is true for methods.
func exportedNames(f *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !d.Name.IsExported() {
				continue
			}
			if d.Recv == nil {
				names[d.Name.Name] = false
			} else if receiver := receiverName(d.Recv.List[0].Type); ast.IsExported(receiver) {
				names[receiver+"."+d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						names[s.Name.Name] = false
					}
				case *ast.ValueSpec:
					for _, n := range s.Names {
						if n.IsExported() {
							names[n.Name] = false
						}
					}
				}
			}
		}
	}
	return names
}

func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
