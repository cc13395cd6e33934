package cli

import (
	"fmt"
	"regexp"
	"strings"
)

// numberPattern matches a negative number, which the parser would take for flags of a letter.
var numberPattern = regexp.MustCompile(`^-\.?[0-9]`)

// joinNumbers joins each negative number to the flag before it, as in --seed=-3.
func joinNumbers(args []string) (list []string) {
	for _, a := range args {
		if n := len(list); n > 0 && numberPattern.MatchString(a) && strings.HasPrefix(list[n-1], "--") && !strings.Contains(list[n-1], "=") {
			list[n-1] += "=" + a
			continue
		}
		list = append(list, a)
	}
	return list
}

// missingPattern matches the parser's error of a flag without a value: the flag, and what follows it.
var missingPattern = regexp.MustCompile(`^(--[a-z-]+): expected .* value but got "(.*)" \((?:<EOL>|long flag|short flag)\)`)

// plainParseError returns an error of the parser without its own terms.
func plainParseError(err error) error {
	m := missingPattern.FindStringSubmatch(err.Error())
	switch {
	case m == nil:
		return err
	case m[2] == "EOL":
		return fmt.Errorf("%s: want a value after it", m[1])
	}
	return fmt.Errorf("%s: want a value after it, or %s=%s if that is the value", m[1], m[1], m[2])
}
