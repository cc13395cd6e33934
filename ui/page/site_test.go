package page

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/ui/plan"
)

var (
	siteAttribute = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	siteID        = regexp.MustCompile(`\bid="([^"]+)"`)
)

// TestSite checks that every link and picture of the site leads to a file and an anchor in it, that no page asks for
// anything from elsewhere, that no style or script is inline, and that the search knows every page.
func TestSite(t *testing.T) {
	source := os.DirFS("../..")
	pages, err := readPages(source)
	if err != nil {
		t.Fatal(err)
	}
	files, err := renderSite(pages, os.DirFS("site"), os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	beside := testFiles(t)
	anchors := map[string]map[string]bool{}
	for name, b := range files {
		anchors[name] = map[string]bool{}
		for _, m := range siteID.FindAllStringSubmatch(string(b), -1) {
			if anchors[name][m[1]] { // its link would lead to the first, and the search's answers look as one with their anchor
				t.Errorf("%s has two elements with the id %s", name, m[1])
			}
			anchors[name][m[1]] = true
		}
	}
	for name, b := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		if !strings.Contains(string(files["search-index.js"]), `"url":"`+name) {
			t.Errorf("the search does not know %s", name)
		}
		for _, bad := range []string{"<style", " style=", " onclick", "raw HTML omitted --><t"} {
			if strings.Contains(string(b), bad) {
				t.Errorf("%s has %q", name, bad)
			}
		}
		for _, m := range siteAttribute.FindAllStringSubmatch(string(b), -1) {
			to, err := url.Parse(strings.ReplaceAll(m[1], "&amp;", "&"))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if to.IsAbs() {
				if strings.HasPrefix(m[0], "src") {
					t.Errorf("%s loads %s", name, m[1])
				}
				continue
			}
			target := name
			if to.Path != "" {
				target = path.Join(path.Dir(name), to.Path)
			}
			if outside, ok := strings.CutPrefix(target, "../"); ok {
				if beside[outside] == nil {
					t.Errorf("%s links to %s, which does not exist", name, m[1])
				}
				continue
			}
			_, made := files[target]
			_, err = os.Stat(filepath.Join("../../docs", target))
			if !made && err != nil {
				t.Errorf("%s links to %s, which does not exist", name, m[1])
			}
			if made && to.Fragment != "" && !anchors[target][to.Fragment] {
				t.Errorf("%s links to %s, which has no such anchor", name, m[1])
			}
		}
	}
}

// maxWeight limits what a reader loads with a page of the documentation, in bytes.
const maxWeight = 500_000

// lateTag is a picture that waits until it comes into view.
const lateTag = `<img loading="lazy"`

var weighty = regexp.MustCompile(`<(?:img|video|script|link rel="(?:stylesheet|icon)")[^>]*? (?:src|href)="([^"]+)"[^>]*>`)

// TestPagesAreLight promises that no page of the documentation, with its first picture or video and what it needs to be shown, has more
// than maxWeight bytes, that no later picture has, and that every picture says its size.
func TestPagesAreLight(t *testing.T) {
	experiment.Skip(t)
	files := siteFiles(t)
	sized := regexp.MustCompile(`<(?:img|video) [^>]*width="[1-9]\d*" height="[1-9]`)
	for name, b := range files {
		if path.Ext(name) != ".html" || !strings.HasPrefix(name, "docs/") {
			continue
		}
		weight, counted := len(b), map[string]bool{}
		for _, m := range weighty.FindAllSubmatch(b, -1) {
			tag, to := string(m[0]), path.Join(path.Dir(name), string(m[1]))
			if n := len(files[to]); strings.HasPrefix(tag, lateTag) && n > maxWeight || n == 0 {
				t.Errorf("%s has %s with %d bytes", name, to, n)
			} else if !strings.HasPrefix(tag, lateTag) && !counted[to] {
				weight, counted[to] = weight+n, true
			}
			if (strings.HasPrefix(tag, "<img") || strings.HasPrefix(tag, "<video")) && !sized.MatchString(tag) {
				t.Errorf("%s: %s has no size", name, to)
			}
		}
		if weight > maxWeight {
			t.Errorf("%s loads %d bytes: want at most %d", name, weight, maxWeight)
		}
		if strings.Contains(string(b), ".gif\"") {
			t.Errorf("%s shows a GIF: want a video beside it", name)
		}
	}
}

// TestSlugs checks anchors against those that GitHub makes.
func TestSlugs(t *testing.T) {
	for heading, want := range map[string]string{
		"Which ticks the client's inputs miss": "which-ticks-the-clients-inputs-miss",
		"UDP: repeat every input":              "udp-repeat-every-input",
		"`bench --all`, and more":              "bench---all-and-more",
		"A [link](page.md#x) in it":            "a-link-in-it",
	} {
		if got := slugOf(heading); got != want {
			t.Errorf("%q has the anchor %q, want %q", heading, got, want)
		}
	}
}

// TestFinishBody checks that the first session of a page is embedded, and every one linked.
func TestFinishBody(t *testing.T) {
	got := finishBody(`<p>See <code>?compare=a</code>.</p><p><code>?compare=b&amp;seed=2</code></p>`, "../")
	for _, want := range []string{`</p>` + "\n" + `<details>`, `src="../../index.html?compare=a&amp;embed=1"`,
		`<a href="../../index.html?compare=b&amp;seed=2">`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
}

// TestBreakCode checks where lines may end in code: not within a name with hyphens, and between the parts of a pane or a link.
func TestBreakCode(t *testing.T) {
	got := breakCode(`<code>rewind:snapshot-every=4,x</code> <code>run . --no-ghost</code> <code>?a=b&amp;c=d</code> <pre><code>a --b:c-d</code></pre>`)
	want := `<code>rewind:<wbr><span class="name">snapshot-every</span>=4,<wbr>x</code> <code>run . <span class="name">--no-ghost</span></code> ` +
		`<code>?a=b&amp;<wbr>c=d</code> <pre><code>a --b:c-d</code></pre>`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestGuidesInOrder promises that the navigation lists the guides as the README does.
func TestGuidesInOrder(t *testing.T) {
	pages, err := readPages(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, p := range pages {
		if name, ok := strings.CutPrefix(p.source, "docs/guides/"); ok {
			order = append(order, strings.TrimSuffix(name, ".md"))
		}
	}
	const want = "prediction lockstep rollback snapshot-interpolation compression state-sync history-offset " +
		"reference-frames joints lag-compensation clocks latency network"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// searchSite runs the site's script of the search over its index, types a text into the field, and returns the headings
// that it lists.
func searchSite(t *testing.T, files map[string][]byte, typed ...string) (found [][]string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed; .ci/run installs it")
	}
	texts, err := json.Marshal(typed)
	if err != nil {
		t.Fatal(err)
	}
	const document = `
const element = () => ({ children: [], append(...x) { this.children.push(...x); }, replaceChildren() { this.children = []; } });
const field = { value: "", listeners: {}, addEventListener(name, f) { this.listeners[name] = f; } };
const results = element();
globalThis.matchMedia = () => ({ matches: false });
globalThis.document = { body: { dataset: { root: "" } }, createElement: element,
	getElementById: (id) => ({ "search-field": field, "search-results": results })[id] };
`
	const typing = `
console.log(JSON.stringify(typed.map((text) => {
	field.value = text;
	field.listeners.input();
	return (results.children[1]?.children ?? []).map((item) => item.children[0].href + " " + item.children[0].textContent);
})));
`
	script := document + string(files["search-index.js"]) + string(files["search.js"]) + "const typed = " + string(texts) + ";" + typing
	cmd := exec.Command(node, "-")
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return found
}

// TestSearchFindsPresetsAndTerms types the name of every preset and every word of every term into the site's search, which
// finds it, and a word of the field that a guide has, which finds the guide.
func TestSearchFindsPresetsAndTerms(t *testing.T) {
	experiment.Skip(t)
	pages, err := readPages(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	files, err := renderSite(pages, os.DirFS("site"), os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	library := &plan.Library{PresetFiles: assets.Presets, TermFile: assets.Terms}
	presets, err := library.Presets()
	if err != nil {
		t.Fatal(err)
	}
	terms, err := library.Terms()
	if err != nil {
		t.Fatal(err)
	}
	typed, want := []string{"ggpo", "GGPO"}, []string{"guides/rollback.html", "reference/terms.html Terms of the field: GGPO"}
	for i := range presets {
		typed, want = append(typed, presets[i].Name), append(want, "reference/presets.html#"+presets[i].Name)
	}
	for i := range terms {
		for _, name := range terms[i].Names() {
			typed, want = append(typed, name), append(want, "reference/terms.html Terms of the field: "+strings.Join(terms[i].Names(), ", "))
		}
	}
	for i, found := range searchSite(t, files, typed...) {
		if !slices.ContainsFunc(found, func(x string) bool { return strings.HasPrefix(x, want[i]) }) {
			t.Errorf("%s finds %q, want %s", typed[i], found, want[i])
		}
	}
}
