package golden

import (
	"strings"
	"testing"
)

// TestPseudoCode checks which lines of a Go file are pseudo-code, and that none of a function may lack it.
func TestPseudoCode(t *testing.T) {
	source := "func other() {\n\tx() // not this\n}\n\n" +
		"func f(n int) { // on n:\n\tfor a {    // each a:\n\t\tb() // b   # why\n\t}\n}\n\nfunc g() { // g:\n\tc() // c\n}\n"
	if got, err := pseudoCode(source); got != "on n:\n  each a:\n    b   # why\ng:\n  c\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for text, want := range map[string]string{
		strings.Replace(source, " // b   # why", "", 1):                   "line 7 has no pseudo-code",
		strings.Replace(source, " // c", "", 1):                           "line 12 has no pseudo-code",
		"func other() {\n}\n":                                             "0 lines",
		"func f() { // f:\n" + strings.Repeat("\ta() // a\n", 25) + "}\n": "26 lines",
	} {
		if _, err := pseudoCode(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
