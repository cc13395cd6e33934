package socket

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestClockMayStep checks that whoever sets the clock of the machine, by an hour or more, moves no time of a connection: the
// beginning of its time has a reading of the monotonic clock, and nothing here or in the programs' commands asks for the wall's.
func TestClockMayStep(t *testing.T) {
	c, err := Config{Insecure: true}.check()
	if err != nil || !strings.Contains(c.Start.String(), " m=") {
		t.Errorf("the time begins at %v, without the monotonic clock; %v", c.Start, err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	wall := regexp.MustCompile(`\.(Unix\w*|UTC|Local|Round\(0\)|In|Truncate|Format|AddDate)\(|time\.(Date|Parse|Unix)\b`)
	for _, name := range append(files, "../../ui/cli/serve.go", "../../ui/cli/join.go", "../../ui/cli/probe.go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := wall.Find(text); found != nil {
			t.Errorf("%s: %s reads the wall clock, or drops the monotonic one", name, found)
		}
	}
}
