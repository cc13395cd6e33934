package plan

import (
	"fmt"
	"testing"

	"ghostcube/internal/experiment"
)

// TestShortest promises that a link has only what differs from the comparison, the tape and the defaults, and that its
// session is the same.
func TestShortest(t *testing.T) {
	experiment.Skip(t)
	b := newLibrary()
	list := must(b.Comparisons())
	trace := must(b.InlineTraces("trace=" + b.TraceNames()[0]))
	compare := func(name string, change func(*Settings)) Settings {
		p := must(b.New(Settings{Compare: name}, Settings{}, ""))
		s := p.Settings
		s.Network, s.Tape = p.Config.Network.String(), ""
		change(&s)
		return s
	}
	for _, c := range list {
		s, err := b.Shortest(compare(c.Name, func(*Settings) {}))
		if got := (&Link{Settings: s}).Query(); err != nil || got != "?compare="+c.Name {
			t.Errorf("%s: %v", got, err)
		}
	}
	for _, x := range []struct {
		settings Settings
		want     string
	}{
		{defaults, "?"},
		{Settings{Scene: "katamari", Panes: defaults.Panes, Seed: "1", Rate: "60", Network: "latency=75ms"}, "?scene=katamari&network=csp-75ms"},
		{Settings{Network: "latency=75ms,loss=0.02"}, "?network=latency=75ms,loss=0.02"},
		{Settings{Network: "latency=10ms," + trace}, "?network=latency=10ms,trace=" + b.TraceNames()[0]},
		{Settings{Tape: "circle", Scene: "zen", Rate: "60"}, "?tape=circle"},
		{compare("csp-clean", func(s *Settings) { s.Seed = "2" }), "?compare=csp-clean&seed=2"},
		{compare("csp-clean", func(s *Settings) { s.Panes = "rewind:lead=5, snapshot" }), "?compare=csp-clean&panes=rewind:lead=5,%20snapshot"},
	} {
		short, err := b.Shortest(x.settings)
		if got := (&Link{Settings: short}).Query(); err != nil || got != x.want {
			t.Errorf("%s, want %s (%v)", got, x.want, err)
		}
		long := must(b.New(x.settings, Settings{}, ""))
		p := must(b.New(short, Settings{}, ""))
		if a, b := fmt.Sprint(long.Config.Network.String(), long.Config.Scene, long.Config.Seat, long.Panes, long.entries),
			fmt.Sprint(p.Config.Network.String(), p.Config.Scene, p.Config.Seat, p.Panes, p.entries); a != b {
			t.Errorf("%s plans\n%.200s\nand not\n%.200s", x.want, b, a)
		}
	}
}

// TestLinkToUnaskedTape promises that the link to a session which plays a tape that nobody asked for leads to the same keys, on
// the same network.
func TestLinkToUnaskedTape(t *testing.T) {
	b := newLibrary()
	for _, asked := range []Settings{{Panes: "rewind,snapshot", Seconds: 3}, {Network: "4g"}, {Scene: "katamari:cubes=5", Seconds: 70}, {Compare: "prediction"}} {
		p := must(b.New(asked, Settings{}, "circle"))
		linked := must(b.New(must(ParseLink(must(b.LinkTo(p)).String())).Settings, Settings{}, ""))
		n := p.Ticks(0)
		if x, y := fmt.Sprint(p.Config, p.Panes, p.Entries(n).All()), fmt.Sprint(linked.Config, linked.Panes, linked.Entries(n).All()); x != y {
			t.Errorf("%+v: the link %s plans\n%.200s\nand not\n%.200s", asked, must(b.LinkTo(p)), y, x)
		}
	}
}

// TestPortableTape promises that a link has the name of a built-in tape, and any other tape itself, without its hashes.
func TestPortableTape(t *testing.T) {
	b := newLibrary()
	text := "ghostcube tape 2\nscene plain\nrate 60\nseat client\nseed 0\nnetwork perfect\n---\n90 W\nend 90\n"
	b.Dropped = map[string][]byte{"hand.tape": []byte("ghostcube tape 2\nscene plain # by hand\n---\n90 W\n= 0000000000000001\nend 90\n")}
	for name, want := range map[string]string{"circle": "circle", inlinePrefix + "x": inlinePrefix + "x"} {
		if got, err := b.PortableTape(name); got != want || err != nil {
			t.Errorf("%s: %s %v", name, got, err)
		}
	}
	setting := must(b.PortableTape("hand.tape"))
	if got, err := expandTape(setting); err != nil || string(got) != text {
		t.Errorf("%q %v", got, err)
	}
	if _, err := b.PortableTape("none.tape"); err == nil {
		t.Error("a tape that does not exist is in a link")
	}
}
