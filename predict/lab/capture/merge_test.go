package capture_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	. "ghostcube/predict/lab/capture"
	"ghostcube/predict/lab/labtest"
)

// captures returns the captures of a session.
func captures(t testing.TB, spec string) (list []*Capture) {
	t.Helper()
	files := run(t, spec, 20)
	for i := range files {
		c, err := Read(strings.NewReader(files[i].String()))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// play makes ticks of a merged session.
func play(t testing.TB, l *lab.Lab, ticks int) {
	t.Helper()
	for range ticks {
		labtest.Tick(t, l, lab.Entry{})
	}
}

// TestMerge shows what happened in three processes as one session. Each pane has the picture of its client beside the server's
// world of the same moment, and lanes with the datagrams as the network has delivered them: 30 to 50 ms, 5 % lost.
func TestMerge(t *testing.T) {
	for i, s := range lab.Strategies {
		if brief := experiment.Brief(); brief && s.Name != "noprediction" || !brief && i%experiment.Pick(1, 4, 1) != 0 {
			continue
		}
		list := captures(t, s.Name)
		if !experiment.Brief() {
			checkLonger(t, list[:2])
		}
		slices.Reverse(list)
		m, err := Merge(list)
		if err != nil {
			t.Fatal(err)
		}
		if m.Ticks < 95 || m.Ticks > 105 { // the second client left after 101 of its ticks
			t.Errorf("%s: %d ticks", s.Name, m.Ticks)
		}
		l := m.NewLab()
		l.TraceDatagrams(true)
		play(t, l, m.Ticks)
		for i, p := range l.Panes {
			if p.PlayerBody() != i || p.Title() != []string{"player-1", "player-2"}[i] || len(p.Clients[0].View.Bodies) == 0 {
				t.Errorf("%s: pane %d is of player %d", s.Name, i+1, p.PlayerBody()+1)
			}
			for d := range link.Direction(2) {
				lost, received, fastest, slowest := 0, 0, time.Hour, time.Duration(0)
				f := p.Datagrams().Flow(0, d)
				for k := f.First(); k < f.Total(); k++ {
					switch r := f.At(k); {
					case r.Vanishes():
						lost++
					default:
						received++
						fastest, slowest = min(fastest, r.Arrival-r.SentAt), max(slowest, r.Arrival-r.SentAt)
					}
				}
				all := f.Total() - f.First()
				if all < 80 || lost == 0 || lost > all/7 || fastest < 29*time.Millisecond || slowest > 52*time.Millisecond {
					t.Errorf("%s, pane %d, %v: %d datagrams, %d lost, under way for %v to %v", s.Name, i+1, d, all, lost, fastest, slowest)
				}
			}
		}
	}
}

// checkLonger merges a server and its first client, for which there is time to measure: each of its corrections with the
// datagram behind it, and the path error, which is small where nothing is predicted: the session drags bodies.
func checkLonger(t *testing.T, list []*Capture) {
	t.Helper()
	m, err := Merge(list)
	if err != nil {
		t.Fatal(err)
	}
	l := m.NewLab()
	l.TraceDatagrams(true)
	play(t, l, m.Ticks)
	p, r := l.Panes[0], replayed(t, list[1])
	name := p.Strategy.Name
	if e, ok := p.Score.PathError(); !ok || e.RMS > 0.1 && slices.Contains([]string{"noprediction", "snapshot", "animated"}, name) {
		t.Errorf("%s: path error %v m, %v", name, e.RMS, ok)
	}
	if got, want := p.Corrections.Total(), r.Panes[0].Corrections.Total(); got > want || got < want*9/10 {
		t.Errorf("%s: %d of %d corrections", name, got, want)
	}
	for n := range p.Corrections.Total() {
		c := p.Corrections.At(n)
		if state, _ := p.CorrectionDatagrams(p.Datagrams(), c); state < 0 || c.Sent < 0 || c.Received-c.Sent > 150*time.Millisecond {
			t.Errorf("%s: correction %d: datagram %d, sent at %v, received at %v", name, n, state, c.Sent, c.Received)
		}
	}
	if got, want := p.Counters.Total(predict.ReplayedTicks), r.Panes[0].Counters.Total(predict.ReplayedTicks); got > want {
		t.Errorf("%s: %v ticks replayed, %v at the client", name, got, want)
	}
}

// replayed returns the lab of a side that has run again.
func replayed(t *testing.T, c *Capture) *lab.Lab {
	t.Helper()
	r, err := c.Replay()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.Tape.Entries {
		r.BeforeTick()
		labtest.Tick(t, r.Lab, e)
	}
	return r.Lab
}

// TestMergedCopies goes back to a past moment of a merged session: a copy runs on to the same hash, and shows the same lanes.
func TestMergedCopies(t *testing.T) {
	experiment.Skip(t)
	list := captures(t, "statesync")
	m, err := Merge(list)
	if err != nil {
		t.Fatal(err)
	}
	l := m.NewLab()
	l.TraceDatagrams(true)
	play(t, l, 60)
	early := l.Fork()
	play(t, l, 40)
	again := early.Fork()
	play(t, again, 40)
	if l.Hash() != again.Hash() || l.Hash() == early.Hash() {
		t.Errorf("the session has the hash %x, its copy %x, 40 ticks before %x", l.Hash(), again.Hash(), early.Hash())
	}
	total := l.Panes[0].Datagrams().Flow(0, link.Up).Total()
	l.CopyFrom(early)
	play(t, l, 40)
	if now := l.Panes[0].Datagrams().Flow(0, link.Up).Total(); l.Hash() != again.Hash() || now != total {
		t.Errorf("back and on again: hash %x, %d datagrams; before %x, %d", l.Hash(), now, again.Hash(), total)
	}
	a, _ := l.Panes[0].Score.PathError()
	b, _ := again.Panes[0].Score.PathError()
	if a.RMS != b.RMS || math.IsNaN(a.RMS) {
		t.Errorf("path errors %v and %v m", a.RMS, b.RMS)
	}
	for verb, ok := range map[string]bool{"nudge all x 1": false, "set all tolerance 1": false, "show all split on": true} {
		c, err := lab.ParseCommand(verb)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Apply(c); (err == nil) != ok {
			t.Errorf("%s: %v", verb, err)
		}
	}
}

// TestMergeRefuses checks the errors of captures that are not those of one session.
func TestMergeRefuses(t *testing.T) {
	experiment.Skip(t)
	list, other := captures(t, "rewind"), captures(t, "snapshot")
	switched := captures(t, "rewind")
	switched[0].Tape.Entries[40].Commands = []lab.Command{{Verb: "switch", Name: "snapshot"}}
	for _, x := range []struct {
		want string
		list []*Capture
	}{
		{"one server", list[1:]}, {"one server", list[:1]}, {"one server", []*Capture{list[0], other[0], list[1]}},
		{"two captures of player 1", []*Capture{list[0], list[1], list[1]}},
		{"another scene, rate or strategy", []*Capture{list[0], other[1]}}, {"tick 40: the server went on with another", switched},
		{"tick 40: the server went on with another", []*Capture{switched[0], other[1]}}, // who joined after it
	} {
		if _, err := Merge(x.list); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("error %v, want %s", err, x.want)
		}
	}
}
