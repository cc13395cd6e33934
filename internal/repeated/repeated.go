// Repeated lists the tests that .ci/run has to repeat with GHOSTCUBE_CI and with more programs than Go, after all tests
// have run without both: tests that ask for either, themselves or in a function of the package's tests that they use. With
// -long it lists those that .ci/long has to repeat with GHOSTCUBE_LONG: tests that ask for it.
//
//	go run ./internal/repeated [-long]
//
// A line has a package and a pattern for go test -run. The packages with the most tests come first: they take longest. A name
// stands for everything with this name in the package's test files, so the list may have a test too many, but none too few:
// what a test can ask for in other packages is in asked.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	long := flag.Bool("long", false, "list the tests that ask for GHOSTCUBE_LONG")
	flag.Parse()
	pattern := asked
	if *long {
		pattern = askedLong
	}
	if err := list(".", pattern, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "repeated:", err)
		os.Exit(1)
	}
}

// asked matches a name or a text by which a test asks for GHOSTCUBE_CI, for another environment or for a program.
var asked = regexp.MustCompile(`^(experiment|LookPath|Getenv|Geteuid|HaveH264)$|ffmpeg|ffprobe|chromium|DISPLAY|\.(mp4|mkv)\b`)

// askedLong matches a name or a text by which a test asks for GHOSTCUBE_LONG, if only for the size of a test.
var askedLong = regexp.MustCompile(`^(Long|SkipUnlessLong)$|GHOSTCUBE_LONG`)

// list writes the list of the tests in a source tree that ask for what a pattern matches.
func list(root string, pattern *regexp.Regexp, out *os.File) error {
	folders := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			dir := filepath.Dir(path)
			folders[dir] = append(folders[dir], path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	type line struct {
		tests int
		text  string
	}
	var lines []line
	for dir, files := range folders {
		names := map[string]map[string]bool{}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			addUses(names, file)
		}
		if tests := repeated(names, pattern); len(tests) > 0 {
			lines = append(lines, line{len(tests), fmt.Sprintf("./%s ^(%s)$", filepath.ToSlash(dir), strings.Join(tests, "|"))})
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Or(b.tests-a.tests, strings.Compare(a.text, b.text)) })
	for _, l := range lines {
		if _, err := fmt.Fprintln(out, l.text); err != nil {
			return err
		}
	}
	return nil
}

// addUses adds the names and texts that every declaration of a file uses, by the names that it declares.
func addUses(names map[string]map[string]bool, file *ast.File) {
	for _, d := range file.Decls {
		var declared []string
		switch d := d.(type) {
		case *ast.FuncDecl:
			declared = []string{d.Name.Name}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					declared = append(declared, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						declared = append(declared, n.Name)
					}
				}
			}
		}
		for _, name := range declared {
			if names[name] == nil {
				names[name] = map[string]bool{}
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					names[name][n.Name] = true
				case *ast.CallExpr:
					if isLonger(n) {
						names[name]["Pick, by GHOSTCUBE_LONG"] = true
					}
				case *ast.BasicLit:
					if n.Kind == token.STRING {
						names[name][n.Value] = true
					}
				}
				return true
			})
		}
	}
}

// isLonger reports whether a call is one of experiment.Pick whose size for .ci/long differs from the usual one.
func isLonger(call *ast.CallExpr) bool {
	f := call.Fun
	if x, ok := f.(*ast.IndexExpr); ok {
		f = x.X
	}
	s, ok := f.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Pick" && len(call.Args) == 3 && types.ExprString(call.Args[1]) != types.ExprString(call.Args[2])
}

// repeated returns the tests among the names of a package's test files that ask for what a pattern matches, in order.
func repeated(names map[string]map[string]bool, pattern *regexp.Regexp) (tests []string) {
	asks := map[string]bool{}
	for grown := true; grown; {
		grown = false
		for name, uses := range names {
			for use := range uses {
				if !asks[name] && (pattern.MatchString(use) || asks[use]) {
					asks[name], grown = true, true
				}
			}
		}
	}
	for name := range asks {
		if strings.HasPrefix(name, "Test") && name != "TestMain" {
			tests = append(tests, name)
		}
	}
	slices.Sort(tests)
	return tests
}
