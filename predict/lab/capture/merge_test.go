package capture_test

import (
	"fmt"
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
	"ghostcube/predict/lab/trace"
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
				checkFlow(t, fmt.Sprintf("%s, pane %d, %v", s.Name, i+1, d), p.Datagrams().Flow(0, d), 80)
			}
			checkShots(t, p, i)
		}
	}
}

// checkFlow checks that a lane has the datagrams as the network has delivered them.
func checkFlow(t *testing.T, name string, f *trace.Flow, least int) {
	t.Helper()
	lost, fastest, slowest := 0, time.Hour, time.Duration(0)
	for k := f.First(); k < f.Total(); k++ {
		r := f.At(k)
		if r.Vanishes() {
			lost++
			continue
		}
		fastest, slowest = min(fastest, r.Arrival-r.SentAt), max(slowest, r.Arrival-r.SentAt)
	}
	all := f.Total() - f.First()
	if all < least || lost == 0 || lost > all/7 || fastest < 29*time.Millisecond || slowest > 52*time.Millisecond {
		t.Errorf("%s: %d datagrams, %d lost, under way for %v to %v", name, all, lost, fastest, slowest)
	}
}

// checkShots checks the shots of a pane, every twelfth tick of its player: as fired, as resolved by the server, and as messages have told.
func checkShots(t *testing.T, p *lab.Pane, player int) {
	t.Helper()
	resolved, hits, same := 0, 0, 0
	for n := range p.Shots.Total() {
		x := p.Shots.At(n)
		if x.Player != player || n > 0 && (x.FiredTick-p.Shots.At(n-1).FiredTick)%12 > 1 && (x.FiredTick-p.Shots.At(n-1).FiredTick)%12 < 11 {
			t.Errorf("%s: shot %d of player %d in tick %d", p.Spec(), n, x.Player+1, x.FiredTick)
		}
		if x.ResolvedTick == 0 {
			continue
		}
		resolved++
		if late := x.ResolvedTick - x.FiredTick; late > 40 || x.LearnedTick > 0 && (x.LearnedTick < x.ResolvedTick || x.LearnedBody != x.Result.Body()) {
			t.Errorf("%s: shot %d, resolved after %d ticks: %+v", p.Spec(), n, late, x)
		}
		if seen := x.ClientRay.Hit.Body; x.Result.Refused == predict.NotRefused && seen == x.Result.Rewound.Hit.Body {
			if same++; seen == 1-player {
				hits++
			}
		}
	}
	c, waits := p.Counters, p.Strategy.Name == "lockstep" // whose second player is late after the join: its first shots are too old
	fired, matches := c.Value("shots"), c.Value("shots_rewound_match_client")
	if n := p.Shots.Total(); n < 5 || resolved < n-2 && !waits || hits == 0 && !waits || fired != float64(n) || matches != float64(same) {
		t.Errorf("%s, player %d: %d shots, %d resolved, %d hits; counted %v and %v", p.Spec(), player+1, n, resolved, hits, fired, matches)
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

// TestMergedMesh shows a mesh until a player has left, whereupon the server has begun another session. The panes of both players
// have the lanes between them.
func TestMergedMesh(t *testing.T) {
	experiment.Skip(t)
	list := captures(t, "rollback:topology=mesh")
	list[0].Tape.Entries[80].Commands = []lab.Command{{Verb: "switch", Name: "rollback:topology=mesh"}}
	m, err := Merge(list)
	if err != nil {
		t.Fatal(err)
	}
	if m.Ticks < 55 || m.Ticks > 60 || len(list[0].Tape.Entries) < 200 { // they began 20 ticks after the server
		t.Errorf("%d ticks of %d", m.Ticks, len(list[0].Tape.Entries))
	}
	l := m.NewLab()
	l.TraceDatagrams(true)
	play(t, l, m.Ticks)
	copied := l.Fork()
	copied.TraceDatagrams(true)
	play(t, copied, 1)
	for i, p := range l.Panes {
		if !p.HasPeerLink(0, 1-i) || p.HasPeerLink(0, i) {
			t.Errorf("pane %d has no link with the other player alone", i+1)
		}
		for from := range 2 {
			checkFlow(t, fmt.Sprintf("pane %d, from player %d", i+1, from+1), p.Datagrams().PeerFlow(from, 1-from), 45)
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
