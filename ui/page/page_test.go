package page

import (
	"bytes"
	"compress/gzip"
	"image"
	"image/png"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/ui/plan"
)

// ourFiles is what testFiles returns.
var ourFiles = sync.OnceValues(func() (map[string][]byte, error) { return staticFiles(os.DirFS("../..")) })

// testFiles returns all files of the page but the program and its runtime. No test changes them.
func testFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := ourFiles()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestContentSecurityPolicy checks that every page of HTML has a content security policy that allows scripts, styles and
// connections from the page's own server alone, and that no page needs more.
func TestContentSecurityPolicy(t *testing.T) {
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`)
	inline := regexp.MustCompile(`(?i)<script>|<script [^>]*>[^<]|<style|\sstyle=|\son[a-z]+=|javascript:|https?://`)
	pages := 0
	for name, b := range testFiles(t) {
		if path.Ext(name) != ".html" {
			continue
		}
		pages++
		m := policy.FindSubmatch(b)
		if m == nil {
			t.Errorf("%s has no content security policy", name)
			continue
		}
		if !bytes.HasPrefix(m[1], []byte("default-src 'none'; ")) {
			t.Errorf("%s: the policy begins with %.30s", name, m[1])
		}
		for _, directive := range strings.Split(string(m[1]), ";") {
			words := strings.Fields(directive)
			for _, source := range words[1:] {
				if source != "'self'" && source != "'none'" && !(words[0] == "script-src" && source == "'wasm-unsafe-eval'") {
					t.Errorf("%s: the policy allows %s %s", name, words[0], source)
				}
			}
		}
		if found := inline.Find(bytes.ReplaceAll(b, m[0], nil)); found != nil {
			t.Errorf("%s has %q", name, found)
		}
	}
	if pages < 65 {
		t.Errorf("%d pages: want index.html, ideas/index.html, and a page for each idea and comparison", pages)
	}
}

// TestLinksExist checks that the files that the pages refer to exist.
func TestLinksExist(t *testing.T) {
	files := testFiles(t)
	site := map[string][]byte{}
	if err := addSite(site, os.DirFS("../..")); err != nil {
		t.Fatal(err)
	}
	refers := regexp.MustCompile(`(?:href|src)="([^"?#]+)`)
	for name, b := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, m := range refers.FindAllSubmatch(b, -1) {
			target := path.Join(path.Dir(name), string(m[1]))
			if target != "wasm_exec.js" && target != ProgramFile && files[target] == nil && site[target] == nil {
				t.Errorf("%s refers to %s, which does not exist", name, m[1])
			}
		}
	}
}

// TestIdeas checks that every guide has a page with its text in plain words, three points to watch for, and a session that plays by
// itself.
func TestIdeas(t *testing.T) {
	ideas, err := readIdeas(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if all, err := filepath.Glob("../../docs/guides/*.md"); err != nil || len(all) != len(ideas) {
		t.Errorf("%d ideas of %d guides (%v)", len(ideas), len(all), err)
	}
	library := &plan.Library{Tapes: assets.Tapes, Traces: assets.Traces, ComparisonFiles: assets.Comparisons,
		MechanismFile: assets.Mechanisms, LessonFiles: assets.Lessons}
	for _, i := range ideas {
		if len(i.Look) != 3 || i.Summary == "" || strings.ContainsAny(i.Text+strings.Join(i.Look, ""), "*`[#") {
			t.Errorf("%s: summary %q, text %q, points %q", i.Name, i.Summary, i.Text, i.Look)
		}
		x, err := plan.ParseLink("?" + i.Link)
		if err != nil {
			t.Errorf("%s: %v", i.Name, err)
			continue
		}
		p, err := library.New(x.Settings, plan.Settings{}, "")
		if err != nil {
			t.Errorf("%s: %v", i.Name, err)
			continue
		}
		if p.TapeName == "" {
			t.Errorf("%s has no tape", i.Name)
		}
	}
}

// fakePage writes the files by which Write knows a page, and returns their folder.
func fakePage(t *testing.T) string {
	t.Helper()
	program, err := compress([]byte("program"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if _, err := writeFiles(folder, map[string][]byte{"index.html": []byte("page"), ProgramFile: program, "ideas/index.html": []byte("ideas")}); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestWriteFinished checks that a finished page is copied where there is no source, and lists its files.
func TestWriteFinished(t *testing.T) {
	finished, folder := fakePage(t), filepath.Join(t.TempDir(), "a", "page")
	for range 2 { // the second run replaces the files
		files, err := Write(t.Context(), Options{Folder: folder, Work: t.TempDir(), Finished: finished})
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, f := range files {
			names = append(names, f.Name)
			if f.Name == ProgramFile && f.Full != len("program") {
				t.Errorf("the program has %d bytes", f.Full)
			}
		}
		if !slices.Equal(names, []string{ProgramFile, "ideas/index.html", "index.html"}) {
			t.Errorf("files %q", names)
		}
		if b, err := os.ReadFile(filepath.Join(folder, "ideas", "index.html")); err != nil || string(b) != "ideas" {
			t.Errorf("%q, %v", b, err)
		}
	}
}

// TestWriteRefuses checks that a page that cannot be written is refused with the reason, and that no file changes.
func TestWriteRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	foreign := t.TempDir()
	for _, name := range []string{file, filepath.Join(foreign, "index.html")} {
		if err := os.WriteFile(name, []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	finished, nowhere := fakePage(t), filepath.Join(t.TempDir(), "none")
	module := t.TempDir() // another one
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module other\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    Options
		path string // where Go is looked for; empty: where it is
		want string
	}{
		{"a file", Options{Folder: file, Work: "", Finished: finished}, "", "file is a file: want a folder"},
		{"another page", Options{Folder: foreign, Work: "", Finished: finished}, "", "has the index.html of another page"},
		{"itself", Options{Folder: finished, Work: module, Finished: finished}, "", "is the finished page that would be copied"},
		{"no source", Options{Folder: filepath.Join(nowhere, "x"), Work: module, Finished: nowhere}, "",
			"run the command in the source's folder; a release has a finished page beside the program, and there is none at " + nowhere},
		{"no Go", Options{Folder: filepath.Join(nowhere, "x"), Work: "", Finished: nowhere}, nowhere,
			"by Go, which is not installed (https://go.dev/dl); a release has"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.path != "" {
				t.Setenv("PATH", c.path)
			}
			_, err := Write(t.Context(), c.o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
	if b, err := os.ReadFile(filepath.Join(foreign, "index.html")); err != nil || string(b) != "mine" {
		t.Errorf("the other page's file is %q now, %v", b, err)
	}
	if _, err := os.Stat(nowhere); err == nil {
		t.Error("a folder was made for a page that cannot be written")
	}
}

// TestBrokenSource checks that the folder stays as it is if the program does not compile.
func TestBrokenSource(t *testing.T) {
	experiment.Skip(t)
	source, folder := t.TempDir(), filepath.Join(t.TempDir(), "page")
	if err := os.CopyFS(filepath.Join(source, "ui", "page"), os.DirFS(".")); err != nil {
		t.Fatal(err)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module ghostcube\n", "main.go": "package main\n\nfunc main() { nonsense }\n",
		"README.md": "# A\n", "CONTRIBUTING.md": "# B\n", "CHANGELOG.md": "# C\n", "assets/terms.toml": "",
		"docs/reference/g.png":          picture.String(),
		"docs/reference/comparisons.md": "### prediction\n\nG.\n\n![g](g.png)\n\n**h**: 1\n",
		"docs/guides/d.md":              "# D\n\nE.\n\nSee `?compare=prediction`.\n\n## Watch for\n\n1. F.\n\n## G\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(source, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(source, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Write(t.Context(), Options{Folder: folder, Work: source})
	if err == nil || !strings.Contains(err.Error(), "undefined: nonsense") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the folder was made")
	}
}

// TestCompilesTheSame compiles the program from two folders, one of them below the source, which has to give the same bytes,
// and WebAssembly. TestPage in ui/e2e compiles it once and knows its size.
func TestCompilesTheSame(t *testing.T) {
	if !experiment.Long() {
		t.Skip("compiles the program twice: set GHOSTCUBE_LONG=1 to run it")
	}
	folders := []string{t.TempDir(), t.TempDir()}
	for k, work := range []string{"static", "."} {
		if _, err := Write(t.Context(), Options{Folder: folders[k], Work: work}); err != nil {
			t.Fatal(err)
		}
	}
	var contents [2]map[string][]byte
	for k := range contents {
		contents[k] = map[string][]byte{}
		if err := readFiles(contents[k], os.DirFS(folders[k])); err != nil {
			t.Fatal(err)
		}
	}
	if !maps.EqualFunc(contents[0], contents[1], bytes.Equal) {
		t.Error("two runs wrote different bytes")
	}
	r, err := gzip.NewReader(bytes.NewReader(contents[0][ProgramFile]))
	if err != nil {
		t.Fatal(err)
	}
	program, err := io.ReadAll(r)
	if err != nil || !bytes.HasPrefix(program, []byte("\x00asm")) {
		t.Errorf("the program begins with %q, %v", program[:min(4, len(program))], err)
	}
}
