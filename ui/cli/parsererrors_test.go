//go:build !js || headless

package cli

import (
	"strings"
	"testing"
)

// TestParserErrors checks that errors of the command line have no terms of its parser, and that a negative number is a value.
func TestParserErrors(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"advise --players -1":           "ghostcube: --players: want a whole number from 1 to 10000\n",
		"advise --cheating":             "ghostcube: --cheating: want a value after it\n",
		"advise --cheating --players 3": "ghostcube: --cheating: want a value after it, or --cheating=--players if that is the value\n",
		"claims --seeds -3":             "ghostcube: --seeds=-3: want 2 to 1000\n",
		"bench --assert rewnd.pops<5":   `no pane "rewnd" (there are rewind`,
		"bench --seconds 1 --seed -.5":  "--seed=-.5",
	} {
		if errs := refused(t, want, strings.Fields(args)...); strings.Contains(errs, "EOL") || strings.Contains(errs, " flag)") {
			t.Errorf("%s: %s", args, errs)
		}
	}
}
