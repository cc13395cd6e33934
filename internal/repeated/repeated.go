// Repeated lists the tests that .ci/run has to repeat with GHOSTCUBE_CI and with more programs than Go, after all tests
// have run without both: tests that ask for either, themselves or in a function of the package's tests that they use.
//
//	go run ./internal/repeated
//
// A line has a package and a pattern for go test -run. A name stands for everything with this name in the package's test
// files, so the list may have a test too many, but none too few: what a test can ask for in other packages is in asked.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if err := list(".", os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "repeated:", err)
		os.Exit(1)
	}
}

// asked matches a name or a text by which a test asks for GHOSTCUBE_CI, for another environment or for a program.
var asked = regexp.MustCompile(`^(experiment|LookPath|Getenv|Geteuid|HaveH264)$|ffmpeg|ffprobe|chromium|DISPLAY|\.(mp4|mkv)\b`)

// list writes the list for a source tree.
func list(root string, out *os.File) error {
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
	var lines []string
	for dir, files := range folders {
		names := map[string]map[string]bool{}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			addUses(names, file)
		}
		if tests := repeated(names); len(tests) > 0 {
			lines = append(lines, fmt.Sprintf("./%s ^(%s)$\n", filepath.ToSlash(dir), strings.Join(tests, "|")))
		}
	}
	slices.Sort(lines)
	_, err = out.WriteString(strings.Join(lines, ""))
	return err
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

// repeated returns the tests among the names of a package's test files that ask for something, in order.
func repeated(names map[string]map[string]bool) (tests []string) {
	asks := map[string]bool{}
	for grown := true; grown; {
		grown = false
		for name, uses := range names {
			for use := range uses {
				if !asks[name] && (asked.MatchString(use) || asks[use]) {
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
