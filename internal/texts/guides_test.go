package texts

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maxGuideWords is the largest number of words that a reader of all guides sees: comments with commands do not count.
const maxGuideWords = 20000

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// guidesWithoutCode are guides of which no test runs pseudo-code: their mechanism is that of another guide in another frame.
var guidesWithoutCode = map[string]bool{"reference-frames": true}

// TestGuidesTeach checks that each guide says what somebody needs who builds the technique elsewhere: pseudo-code, which a
// test of the technique's package compares with Go that runs (golden.PseudoCode), five bugs, and the sources.
func TestGuidesTeach(t *testing.T) {
	guides, err := filepath.Glob("docs/guides/*.md")
	if err != nil || len(guides) < 13 {
		t.Fatal(guides, err)
	}
	words := 0
	for _, guide := range guides {
		b, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		words += len(strings.Fields(comment.ReplaceAllString(text, "")))
		name := strings.TrimSuffix(filepath.Base(guide), ".md")
		if strings.Contains(text, "\n## In pseudo-code\n\n```\n") == guidesWithoutCode[name] {
			t.Errorf("%s: pseudo-code: %v", guide, !guidesWithoutCode[name])
		}
		_, bugs, _ := strings.Cut(text, "\n## Five bugs that everybody makes\n")
		bugs, _, _ = strings.Cut(bugs, "\n## ")
		if n := strings.Count(bugs, "\n- **"); n != 5 {
			t.Errorf("%s has %d bugs that everybody makes, want 5", guide, n)
		}
		if !strings.Contains(text, "](../credits.md#") {
			t.Errorf("%s names no sources", guide)
		}
	}
	if words > maxGuideWords {
		t.Errorf("the guides have %d words, more than %d", words, maxGuideWords)
	}
}
