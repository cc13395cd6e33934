package tidy

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
)

// goBlock matches a block of Go in Markdown.
var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// TestExampleStrategy adds the strategy in docs/extending.md, whose blocks together are its file, to the program as an overlay:
// one new file and one new line in the list of strategies. With GHOSTCUBE_CI the laboratory's
// tests of every strategy of the list run this one too; otherwise it is only compiled.
func TestExampleStrategy(t *testing.T) {
	page, err := os.ReadFile("docs/extending.md")
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, m := range goBlock.FindAllStringSubmatch(string(page), -1) {
		blocks = append(blocks, m[1])
	}
	code := strings.Join(blocks, "\n")
	if formatted, err := format.Source([]byte(code)); err != nil || string(formatted) != code {
		t.Fatalf("the example is not formatted by gofmt: %v", err)
	}
	lines := 0
	for line := range strings.Lines(code) {
		if line := strings.TrimSpace(line); line != "" && line != "}" && line != ")" {
			lines++
		}
	}
	if lines > 65 {
		t.Errorf("the example has %d lines, want at most 65", lines)
	}
	const list = "predict/lab/strategies.go"
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	const firstImport, lastEntry = "\t\"ghostcube/predict/strategy/animated\"\n", "\trelative.Strategy,\n"
	for _, part := range []string{firstImport, lastEntry} {
		if !strings.Contains(string(text), part) {
			t.Fatalf("%s lacks %q", list, part)
		}
	}
	withLine := strings.NewReplacer(firstImport, firstImport+"\t\"ghostcube/predict/strategy/latest\"\n", lastEntry, lastEntry+"\tlatest.Strategy,\n").Replace(string(text))

	dir := t.TempDir()
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, content := range map[string]string{"predict/strategy/latest/latest.go": code, list: withLine} {
		file := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, filepath.FromSlash(name))] = file
	}
	encoded, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	overlayFile := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlayFile, encoded, 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "GHOSTCUBE_CI=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run("build", "-overlay", overlayFile, "./predict/lab")
	if experiment.Enabled() && !testing.Short() {
		run("test", "-vet=off", "-run", "Conformance|TestServersSendAnyWorld|TestCopiesAreComplete", "-overlay", overlayFile, "./predict/lab")
	}
}
