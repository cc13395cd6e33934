package lab_test

import (
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

var rejoinFirst = Command{Verb: "rejoin", Pane: AllPanes, Name: "1"}

// isJoining reports whether a client shows nothing because it is joining.
func isJoining(p *Pane, client int) bool {
	return strings.HasPrefix(p.Clients[client].View.Note, "joining")
}

// TestRejoin lets a client of each strategy forget its world and download it again over a lossy link while the
// other player keeps playing. Slices have to be repeated. After the download the client follows the server
// again, bodies that moved and came to rest in between included. A fork made during the download ends like
// the original.
func TestRejoin(t *testing.T) {
	for i, s := range Strategies {
		if i%experiment.Pick(3, 1, 1) != 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			spec := s.Name + ":messages=reliable:block-rate=30"
			if s.Motion == predict.FromInputs {
				spec = s.Name + ":messages=reliable:block-rate=80" // the world is exact, and larger
			}
			l := labtest.Open(t, labtest.Config(t, "katamari:cubes=80:players=2", "latency=40ms,loss=25%", AtClient), spec)
			p := l.Panes[0]
			run := func(l *Lab, n int) {
				for range n {
					var e Entry
					if l.Ticks() < 140 { // then everything comes to rest
						e.Inputs = []sim.Input{{Buttons: sim.Right}, {Buttons: sim.Forward}}
					}
					labtest.Tick(t, l, e)
				}
			}
			run(l, 120)
			l.Apply(rejoinFirst)
			run(l, 15)
			if !isJoining(p, 0) || p.Counters.Value("joins") != 0 {
				t.Errorf("a quarter of a second after the command: note %q, %v joins", p.Clients[0].View.Note, p.Counters.Value("joins"))
			}
			before := p.ServerWorld.Bodies()[1].Pose.Pos
			fork := l.Fork()
			run(fork, 600)
			run(l, 600)
			if fork.Hash() != l.Hash() {
				t.Error("a fork during the download ends differently")
			}
			if d := p.ServerWorld.Bodies()[1].Pose.Pos.Sub(before).Len(); d < 1 {
				t.Errorf("the other player has moved by %v m", d)
			}
			c := p.Counters
			if c.Value("joins") != 1 || c.Value("block_slices_resent") == 0 || c.Value("messages_malformed") != 0 || c.Value("messages_unacked") != 0 {
				t.Errorf("%v joins, %v slices resent, %v malformed, %v unacknowledged",
					c.Value("joins"), c.Value("block_slices_resent"), c.Value("messages_malformed"), c.Value("messages_unacked"))
			}
			if block, shown := c.Value("join_block_ms"), c.Value("join_time_ms"); block < 500 || shown < block || shown > block+1500 {
				t.Errorf("the world arrives after %v ms, and is shown after %v", block, shown)
			}
			if n := c.Value("rejected_payloads") + c.Value("desyncs"); n > 0 {
				t.Errorf("%v payloads rejected and desyncs", n)
			}
			for i, b := range p.ServerWorld.Bodies() {
				if d := b.Pose.Pos.Sub(p.Clients[0].View.Bodies[i].Pos).Len(); d > 0.01 {
					t.Errorf("body %d is drawn %v m from the server's", i, d)
				}
			}
		})
	}
}

// TestRejoinIsRefused checks the errors of rejoin: of a client that does not exist, and without messages in one of
// several panes. A refused command changes nothing.
func TestRejoinIsRefused(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "plain", "perfect", AtClient), "rewind:messages=reliable", "lockstep")
	labtest.Hold(t, l, 30)
	if err := l.Apply(rejoinFirst); err == nil || !strings.Contains(err.Error(), "set messages=reliable in lockstep") {
		t.Errorf("a pane without messages: %v", err)
	}
	if err := l.Apply(Command{Verb: "rejoin", Pane: AllPanes, Name: "2"}); err == nil || !strings.Contains(err.Error(), "1 to 1") {
		t.Errorf("a second client: %v", err)
	}
	if labtest.Hold(t, l, 1); isJoining(l.Panes[0], 0) {
		t.Error("a refused command lets a client join")
	}
	labtest.Apply(t, l, "set 2 messages reliable", "rejoin all 1 -")
	if labtest.Hold(t, l, 60); l.Panes[0].Counters.Value("joins") != 1 || l.Panes[1].Counters.Value("joins") != 1 {
		t.Errorf("%v and %v joins in mixed panes", l.Panes[0].Counters.Value("joins"), l.Panes[1].Counters.Value("joins"))
	}
}

// pictures compares what a client draws with the server's poses of the moments that it claims to show.
type pictures struct {
	server  map[sim.Tick][]geom.Pose
	pending []picture
	errors  []geom.Vec3 // of the last picture, by body
}

// picture is what a client drew, until the server has reached the moments that it shows.
type picture struct {
	sinceShown int // ticks since the client showed its world again
	view       predict.View
}

// bodyError is the error of a body in a picture, in metres, and how much it has changed since the picture before.
type bodyError struct {
	sinceShown  int
	body        int
	tick        sim.Tick // of the server, that the picture shows
	off, change float32
}

// add adds the present picture, unless the client shows none. It calls report for each body of each picture that can be
// compared, oldest first.
func (e *pictures) add(p *Pane, joining bool, sinceShown int, report func(bodyError)) {
	if e.server == nil {
		e.server = map[sim.Tick][]geom.Pose{}
	}
	now := p.ServerWorld.Tick()
	e.server[now] = predict.AppendPoses(nil, p.ServerWorld.Bodies())
	delete(e.server, now-600)
	if joining {
		e.pending, e.errors = nil, nil
		return
	}
	next := picture{sinceShown: sinceShown}
	next.view.CopyFrom(&p.Clients[0].View)
	for e.pending = append(e.pending, next); len(e.pending) > 0; e.pending = e.pending[1:] {
		f := &e.pending[0]
		if max(f.view.Own, f.view.Others).Tick()+1 > now {
			return
		}
		for i := range f.view.Bodies {
			m := f.view.MomentOf(i)
			a, b := e.server[m.Tick()], e.server[m.Tick()+1]
			if a == nil || b == nil {
				continue // before the session
			}
			at := a[i].Pos.AddScaled(float32(m-m.Tick().Moment())/sim.MomentsPerTick, b[i].Pos.Sub(a[i].Pos))
			off := f.view.Bodies[i].Pos.Sub(at)
			if len(e.errors) <= i {
				e.errors = append(e.errors, off)
			}
			report(bodyError{f.sinceShown, i, m.NearestTick(), off.Len(), off.Sub(e.errors[i]).Len()})
			e.errors[i] = off
		}
	}
}

// lifeStats is what a client that is killed and revived showed.
type lifeStats struct {
	shown         int     // times
	mean, slowest float64 // ms from the kill to the first picture
	first         float32 // largest error of a first picture, m
	change        float32 // largest change of an error in the second after it, m

	// The same, less what the client of a session without kills showed, at the same server ticks of the same bodies.
	firstDue, changeDue float32
}

// liveAgain kills and revives the first client of a pane a number of times, often while it is still joining. Its
// player may move. The other player changes direction only while the client is dead, because no client can predict that.
// The twin gets the same inputs and is not killed.
func liveAgain(t *testing.T, l, twin *Lab, lives int, moves bool) (s lifeStats) {
	p := l.Panes[0]
	var e, ofTwin pictures
	var found []bodyError
	type place struct {
		tick sim.Tick
		body int
	}
	usual := map[place]bodyError{}
	sinceShown, sum, joining := 0, 0.0, false
	key, kill, count := sim.Right, 100, 0
	for tick, after := 0, 0; after < 60 && tick < 400*lives; tick++ {
		var entry Entry
		if tick == kill-40 {
			key = sim.Buttons(1 << (tick / 7 % 4))
		}
		entry.Inputs = []sim.Input{{}, {Buttons: key}}
		if moves {
			entry.Inputs[0].Buttons = sim.Buttons(1 << (tick / 70 % 4))
		}
		labtest.Tick(t, twin, entry)
		ofTwin.add(twin.Panes[0], false, 0, func(x bodyError) {
			u := usual[place{x.tick, x.body}]
			u.off, u.change = max(u.off, x.off), max(u.change, x.change)
			usual[place{x.tick, x.body}] = u
		})
		if tick == kill && s.shown < lives {
			entry.Commands = []Command{rejoinFirst}
			if count++; count%3 == 0 {
				kill += 3 + tick%11 // again, while the world is on its way
			} else {
				kill += 200 + tick%40
			}
		}
		labtest.Tick(t, l, entry)
		was := joining
		joining = isJoining(p, 0)
		if sinceShown++; was && !joining {
			s.shown, sinceShown = s.shown+1, 0
			sum, s.slowest = sum+p.Counters.Value("join_time_ms"), max(s.slowest, p.Counters.Value("join_time_ms"))
		}
		if s.shown >= lives {
			after++
		}
		e.add(p, joining, sinceShown, func(x bodyError) {
			if s.shown > 0 && x.sinceShown <= 60 {
				found = append(found, x)
			}
		})
	}
	for range 60 { // until the twin shows the same ticks
		labtest.Tick(t, twin, Entry{Inputs: []sim.Input{{}, {Buttons: key}}})
		ofTwin.add(twin.Panes[0], false, 0, func(x bodyError) { usual[place{x.tick, x.body}] = x })
	}
	for _, x := range found {
		var u bodyError
		for t := x.tick - 3; t <= x.tick+3; t++ {
			u.off, u.change = max(u.off, usual[place{t, x.body}].off), max(u.change, usual[place{t, x.body}].change)
		}
		if x.sinceShown == 0 {
			s.first, s.firstDue = max(s.first, x.off), max(s.firstDue, x.off-2*u.off)
		} else {
			s.change, s.changeDue = max(s.change, x.change), max(s.changeDue, x.change-2*u.change)
		}
	}
	s.mean = sum / float64(max(s.shown, 1))
	return s
}

// TestRejoinAgainAndAgain kills and revives a client of each strategy many times, at rest over jitter and loss, and
// while it moves. The first picture that it shows is within 5 cm of the server's, and none of the next
// second is corrected by more. Where a client that interpolates lacks a snapshot it is off for two ticks, killed or not, so
// at these ticks this is compared with a twin, a session without kills. Its pictures are of moments that lie differently
// between two ticks: of the error that has its maximum in the middle of two it shows at least half. Loss is that of bursts,
// which take all datagrams of a sixtieth of a second: a revived client may not get as many fragments as the twin.
func TestRejoinAgainAndAgain(t *testing.T) {
	experiment.Skip(t)
	lives := experiment.Pick(3, 12, 100) // the third is ended while the world is on its way
	networks := []string{"latency=50ms", "latency=50ms,jitter=20ms,burst=1,loss=5%"}
	if experiment.Long() {
		networks = append(networks, "latency=50ms,burst=1,loss=5%")
	}
	const limit = 0.05 // m
	for _, s := range Strategies {
		for _, network := range networks {
			t.Run(s.Name+" "+network, func(t *testing.T) {
				t.Parallel()
				open := func() *Lab {
					return labtest.Open(t, labtest.Config(t, "katamari:cubes=40:players=2", network, AtClient), s.Name+":messages=reliable")
				}
				l := open()
				got := liveAgain(t, l, open(), lives, network == "latency=50ms")
				t.Logf("%d times shown after %.0f ms, at most %.0f; first picture off by %.3f m, then corrected by %.3f m; "+
					"due to the kill: %.3f and %.3f m", got.shown, got.mean, got.slowest, got.first, got.change, got.firstDue, got.changeDue)
				if got.shown < lives || got.firstDue > limit || got.changeDue > limit {
					t.Errorf("%d of %d lives; the first picture is off by %v m, later ones are corrected by %v m, want at most %v",
						got.shown, lives, got.firstDue, got.changeDue, limit)
				}
				c := l.Panes[0].Counters
				if n := c.Value("rejected_payloads") + c.Value("messages_malformed") + c.Value("desyncs"); n > 0 {
					t.Errorf("%v payloads rejected, %v malformed sidebands and blocks, %v desyncs",
						c.Value("rejected_payloads"), c.Value("messages_malformed"), c.Value("desyncs"))
				}
			})
		}
	}
}

// TestOthersNoticeNothing compares a session in which a client is killed and revived, while its player presses
// nothing, with one in which it is not: the server's world is the same, and what the other client draws. A revived
// client of rewind has the server's contacts, and does not ask for a resynchronisation, which moves touching bodies.
func TestOthersNoticeNothing(t *testing.T) {
	experiment.Skip(t)
	for _, s := range Strategies {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			var labs [2]*Lab
			for i := range labs {
				labs[i] = labtest.Open(t, labtest.Config(t, "katamari:cubes=40:players=2", "latency=50ms,jitter=20ms,loss=2%", AtClient), s.Name+":messages=reliable")
			}
			noticed := float32(0)
			for tick := range 900 {
				entry := Entry{Inputs: []sim.Input{{}, {Buttons: sim.Buttons(1 << (tick / 90 % 4))}}}
				labtest.Tick(t, labs[0], entry)
				if tick%200 == 150 {
					entry.Commands = []Command{rejoinFirst}
				}
				labtest.Tick(t, labs[1], entry)
				a, b := labs[0].Panes[0], labs[1].Panes[0]
				for i := range a.Clients[1].View.Bodies {
					noticed = max(noticed, a.Clients[1].View.Bodies[i].Pos.Sub(b.Clients[1].View.Bodies[i].Pos).Len())
				}
			}
			a, b := labs[0].Panes[0], labs[1].Panes[0]
			x, _ := a.ServerWorld.Hash()
			y, _ := b.ServerWorld.Hash()
			if noticed > 0 || x != y || b.Counters.Value("joins") != 4 {
				t.Errorf("another client draws a difference of %v m; hashes %x and %x, %v joins", noticed, x, y, b.Counters.Value("joins"))
			}
		})
	}
}

// TestRejoinKeepsContacts lets a client of rewind rejoin beside a ball of cubes whose contacts it needs exactly, while
// another player rolls it and changes direction in most of the many lost snapshots. The client steps through these with the
// inputs of all players, so it corrects once at most, when its clock begins, and nobody notices it.
func TestRejoinKeepsContacts(t *testing.T) {
	if experiment.Brief() {
		t.Skip("a second; set GHOSTCUBE_CI=1")
	}
	for _, run := range []struct {
		network string
		seed    uint64
	}{{"latency=50ms,down.loss=30%", 1}, {"latency=50ms,down.loss=40%", 1}, {"latency=50ms,down.loss=40%", 5}} {
		network := run.network
		var labs [2]*Lab
		for i := range labs {
			c := labtest.Config(t, "katamari:cubes=150:players=2", network, AtClient)
			c.Network.Seed = run.seed
			labs[i] = labtest.Open(t, c, "rewind:messages=reliable")
		}
		noticed := float32(0)
		for tick := range 480 {
			entry := Entry{Inputs: []sim.Input{{Buttons: sim.Right | sim.Pull}, {}}}
			if tick > 200 {
				entry.Inputs[0].Buttons = sim.Pull | sim.Buttons(1<<(tick/5%4))
			}
			labtest.Tick(t, labs[0], entry)
			if tick == 220 {
				entry.Commands = []Command{{Verb: "rejoin", Pane: AllPanes, Name: "2"}}
			}
			labtest.Tick(t, labs[1], entry)
			a, b := labs[0].Panes[0], labs[1].Panes[0]
			for i := range a.Clients[0].View.Bodies {
				noticed = max(noticed, a.Clients[0].View.Bodies[i].Pos.Sub(b.Clients[0].View.Bodies[i].Pos).Len())
			}
		}
		a, b := labs[0].Panes[0].Counters, labs[1].Panes[0].Counters
		if noticed > 0 || b.Value("joins") != 1 || b.Value("corrections") > a.Value("corrections")+1 || b.Value("resyncs") != a.Value("resyncs") {
			t.Errorf("%s: seed %d: another client draws a difference of %v m after %v joins; %v corrections and %v resyncs, without a join %v and %v",
				network, run.seed, noticed, b.Value("joins"), b.Value("corrections"), b.Value("resyncs"), a.Value("corrections"), a.Value("resyncs"))
		}
	}
}

// TestRejoinAmongIslands lets a client whose replays take in an island of a few bodies at most rejoin while its player pushes
// more of them: it replays islands again afterwards, a copy made meanwhile goes on like the original, and in the end
// everything is drawn at the server's poses.
func TestRejoinAmongIslands(t *testing.T) {
	if experiment.Brief() {
		t.Skip("a session of two players")
	}
	c := labtest.Config(t, "katamari:cubes=80:players=2", "latency=50ms,loss=5%", AtClient)
	l := labtest.Open(t, c, "historyoffset:replay-touch=island:island-max=3:messages=reliable")
	p := l.Panes[0]
	run := func(l *Lab, n int) {
		for range n {
			var e Entry
			if l.Ticks() < 420 {
				e.Inputs = []sim.Input{{Buttons: sim.Buttons(1 << (l.Ticks() / 100 % 4))}, {Buttons: sim.Buttons(1 << (l.Ticks() / 90 % 4))}}
			}
			labtest.Tick(t, l, e)
		}
	}
	run(l, 80)
	before := p.Counters.Value("island_replays")
	labtest.Apply(t, l, "rejoin all 1 -")
	run(l, 20)
	fork := l.Fork()
	run(fork, 700)
	run(l, 700)
	if fork.Hash() != l.Hash() {
		t.Error("a copy during the download ends differently")
	}
	if n := p.Counters.Value("island_replays") - before; n < 5 || before < 5 || p.Counters.Value("joins") != 1 {
		t.Errorf("%v replays of islands before, %v after %v joins", before, n, p.Counters.Value("joins"))
	}
	for i, b := range p.ServerWorld.Bodies() {
		if d := b.Pose.Pos.Sub(p.Clients[0].View.Bodies[i].Pos).Len(); d > 0.01 {
			t.Errorf("body %d is drawn %v m from the server's", i, d)
		}
	}
}

// TestFirstInputComesTooLate lets the way to the server become longer while a client of lockstep joins: its first
// inputs arrive when the server has filled in their ticks, so it has to choose later ones, and no world diverges.
func TestFirstInputComesTooLate(t *testing.T) {
	l := labtest.Open(t, labtest.Config(t, "katamari:cubes=40:players=2", "latency=20ms", AtClient), "lockstep:messages=reliable")
	p := l.Panes[0]
	labtest.Hold(t, l, 60)
	labtest.Apply(t, l, "rejoin all 1 -")
	for p.Counters.Value("joins") == 0 && l.Ticks() < 300 {
		labtest.Hold(t, l, 1)
	}
	labtest.Apply(t, l, "condition all up.latency 400ms")
	for range 300 {
		labtest.Tick(t, l, Entry{Inputs: []sim.Input{{Buttons: sim.Right}, {Buttons: sim.Left}}})
	}
	c := p.Counters
	if ms := c.Value("join_time_ms"); isJoining(p, 0) || ms < 500 || ms > 3000 || c.Value("desyncs") > 0 || c.Value("rejected_payloads") > 0 {
		t.Errorf("shown after %v ms, note %q, %v desyncs, %v rejected", ms, p.Clients[0].View.Note, c.Value("desyncs"), c.Value("rejected_payloads"))
	}
	if n := c.Value("compared_checksums"); n < 400 {
		t.Errorf("%v checksums compared", n)
	}
}

// TestMeasureRejoin checks that a rejoin of a player at rest makes no difference to others, that one in motion does
// over a bad network, because the player's last inputs arrive in other ticks, that a session without other clients
// has no value, and that the session itself stays as it is.
func TestMeasureRejoin(t *testing.T) {
	experiment.Skip(t)
	following := make([]Entry, 120)
	following[0].Commands = []Command{rejoinFirst}
	for i := range following {
		following[i].Inputs = []sim.Input{{Buttons: sim.Right}, {Buttons: sim.Left}} // the player of the killed client presses nothing
	}
	for _, c := range []struct {
		scene, network string
		moves          sim.Buttons
		low, high      float64
	}{
		{"two-players", "latency=50ms,jitter=30ms,loss=10%", 0, 0, 0},
		{"katamari:cubes=40:players=2", "latency=50ms,jitter=40ms,loss=20%", sim.Right, 0.001, 20},
		{"plain", "latency=50ms", 0, -1, -1},
	} {
		l := labtest.Open(t, labtest.Config(t, c.scene, c.network, AtClient), "lockstep:messages=reliable", "statesync:messages=reliable")
		for range 60 {
			labtest.Tick(t, l, Entry{Inputs: []sim.Input{{Buttons: c.moves}, {}}})
		}
		before := l.Hash()
		for i, metres := range l.MeasureRejoin(following) {
			if least := []float64{min(c.low, 0), c.low}[i]; metres < least || metres > c.high {
				t.Errorf("%s, keys %v, pane %d: %v m, want %v to %v", c.scene, c.moves, i, metres, c.low, c.high)
			}
		}
		if l.Hash() != before {
			t.Error("the measurement changes the session")
		}
	}
}

// TestJoinedPicture checks that the first picture of a client that has joined is that of a whole tick, although its clock
// is between two: the tick before is of the world that it downloaded, or of none.
func TestJoinedPicture(t *testing.T) {
	experiment.Skip(t)
	for _, strategy := range []string{"rewind", "lockstep", "statesync", "noprediction", "historyoffset"} {
		l := labtest.Open(t, labtest.Config(t, "plain", "perfect", AtClient), strategy+":messages=reliable:block-rate=2000")
		labtest.Apply(t, l, "clock all skew 3000")
		labtest.Hold(t, l, 61, sim.Input{Buttons: sim.Right})
		p := l.Panes[0]
		for try := range 10 {
			labtest.Apply(t, l, "rejoin all 1 -")
			for n := 0; ; n++ {
				labtest.Hold(t, l, 1, sim.Input{Buttons: sim.Right})
				if v := &p.Clients[0].View; n > 0 && !isJoining(p, 0) {
					if max(v.Own, v.Others)%sim.MomentsPerTick != 0 {
						t.Errorf("%s, join %d: the first picture is between two ticks", strategy, try)
					}
					break
				}
			}
			labtest.Hold(t, l, 20+try, sim.Input{Buttons: sim.Right})
		}
	}
}
