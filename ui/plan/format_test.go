package plan

import (
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// TestTOMLRoundTrip promises that the settings file of a session is read as the same settings, for the session of every
// comparison.
func TestTOMLRoundTrip(t *testing.T) {
	experiment.Skip(t)
	library := newLibrary()
	list := must(library.Comparisons())
	for i := range list {
		p := must(library.New(Settings{Compare: list[i].Name, Seconds: 2.5}, Settings{}, ""))
		want := p.Settings
		want.Compare, want.Tape = "", p.TapeName
		text := must(want.TOML())
		got, err := library.ReadSettings("preset.toml", text)
		if err != nil || got != want {
			t.Errorf("%s: %v: %+v, want %+v", list[i].Name, err, got, want)
		}
	}
	if _, err := (Settings{Seed: "18446744073709551615"}).TOML(); err == nil || !strings.Contains(err.Error(), "seed=18446744073709551615") {
		t.Errorf("a seed that TOML cannot hold: %v", err)
	}
}

// TestCommandLine holds the flags of settings, and the quotes of values that a shell would change.
func TestCommandLine(t *testing.T) {
	s := Settings{Scene: "katamari:cubes=9", Panes: "rewind,snapshot:x=1", Network: "latency=75ms,loss=25%",
		Seat: "host", Seed: "3", Rate: "64", FaultEvery: 5 * time.Second, Tape: "my tape's.tape", Seconds: 1.5}
	want := `--scene katamari:cubes=9 --panes rewind,snapshot:x=1 --network latency=75ms,loss=25%` +
		` --seat host --seed 3 --rate 64 --tape 'my tape'\''s.tape' --fault-every 5s --seconds 1.5`
	if got := s.CommandLine(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
