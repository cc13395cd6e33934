//go:build !js || headless

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/ui/plan"
)

var hashPattern = regexp.MustCompile(`(?m)^hash  ([0-9a-f]{16})  pane`)

// TestSameLinkSameHash promises that a link gives the hashes that bench gives for its settings, that a tape inside a link
// gives those of its file, and that the moment of a link beyond its tape is that of a session in which no key is pressed.
func TestSameLinkSameHash(t *testing.T) {
	experiment.Skip(t)
	hashes := func(link string) string {
		t.Helper()
		var list []string
		for _, m := range hashPattern.FindAllStringSubmatch(printed(t, "open", "--text", link), -1) {
			list = append(list, m[1])
		}
		if len(list) == 0 {
			t.Fatalf("%s has no hashes", link)
		}
		return strings.Join(list, " ")
	}
	linked := hashes("?scene=plain&panes=rewind,snapshot&network=wifi-bad,loss=5%&tape=turns&at=3s&fault-every=1s")
	bench := printed(t, "bench", "--scene", "plain", "--panes", "rewind,snapshot", "--network", "wifi-bad,loss=5%",
		"--tape", "turns", "--seconds", "3", "--fault-every", "1s")
	for _, h := range strings.Fields(linked) {
		if !strings.Contains(bench, h) {
			t.Errorf("bench lacks the hash %s:\n%s", h, bench)
		}
	}
	text := "ghostcube tape 2\nscene plain\nrate 60\nseat client\nseed 3\nnetwork latency=50ms\npane rewind\n---\n30 W\n! nudge all x 1\n60 D@7\nend 90\n"
	setting := must(plan.InlineTape([]byte(text)))
	file := filepath.Join(t.TempDir(), "hand.tape")
	played := func(text string) string {
		need(os.WriteFile(file, []byte(text), 0o666))
		return printed(t, "play", file)
	}
	want := played(text)
	for _, link := range []string{"?tape=" + setting, "?tape=" + setting + "&at=1.5s"} {
		if got := hashes(link); !strings.Contains(want, got) {
			t.Errorf("%s: hash %s, play prints %s", link, got, want)
		}
	}
	if got, want := hashes("?tape="+setting+"&at=2s"), played(strings.Replace(text, "end 90", "30\nend 120", 1)); !strings.Contains(want, got) {
		t.Errorf("after the end of the tape: hash %s, play prints %s", got, want)
	}
}

// TestOpenLinkOfWrongKnobs promises that whoever tries a link without a window learns that its controls do not exist.
func TestOpenLinkOfWrongKnobs(t *testing.T) {
	for knobs, want := range map[string]string{"nosuch": `link: knobs=nosuch: no knob "nosuch"`, "latency,loss,jitter,burst": "want at most 3"} {
		if code, _, errs := runCLI("open", "--text", "?embed=1&at=0.1s&knobs="+knobs); code != 2 || !strings.Contains(errs, want) {
			t.Errorf("knobs %s: exit code %d, %s", knobs, code, errs)
		}
	}
	if code, _, errs := runCLI("open", "--text", "?embed=1&at=0.1s&knobs=latency,lead"); code != 0 {
		t.Errorf("exit code %d, %s", code, errs)
	}
}
