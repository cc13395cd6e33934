package timeline_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/predict/lab/labtest/copytest"
	"ghostcube/ui/hud"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
)

// session is a lab with its stage and its timeline, and the hash after each tick.
type session struct {
	*timeline.Timeline
	lab    *lab.Lab
	stage  hud.HUD
	hashes []uint64
	t      testing.TB
}

func newSession(t testing.TB, scene, network string, specs ...string) *session {
	t.Helper()
	s := &session{lab: labtest.Open(t, labtest.Config(t, scene, network, lab.AtClient), specs...), t: t}
	s.Timeline = timeline.New(s.lab, &s.stage)
	s.hashes = []uint64{s.lab.Hash()}
	return s
}

// play makes ticks at the end of the take with the scripted player. commands are those of the first tick.
func (s *session) play(ticks int, commands ...lab.Command) {
	s.t.Helper()
	for range ticks {
		now := int(s.lab.Ticks())
		e := lab.Entry{Inputs: labtest.Inputs(now), Commands: commands}
		commands = nil
		if now%97 == 96 {
			e.Commands = append(e.Commands, lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "0.5"})
		}
		if err := s.lab.Tick(e); err != nil {
			s.t.Fatal(err)
		}
		s.stage.Tick(s.lab)
		s.Add(e)
		s.Checkpoint()
		s.hashes = append(s.hashes[:now+1], s.lab.Hash())
	}
}

// seek goes to a moment and checks its hash.
func (s *session) seek(n int) {
	s.t.Helper()
	s.Seek(n, nil)
	s.arrive()
	s.check(n)
}

// arrive gets to the target of Seek.
func (s *session) arrive() {
	s.t.Helper()
	for s.Remaining() > 0 {
		if err := s.Continue(100); err != nil {
			s.t.Fatal(err)
		}
	}
}

// check checks the present moment and its hash.
func (s *session) check(n int) {
	s.t.Helper()
	if got := int(s.lab.Ticks()); got != n {
		s.t.Fatalf("the session is at tick %d, want %d", got, n)
	}
	if got := s.lab.Hash(); got != s.hashes[n] {
		s.t.Fatalf("the hash after tick %d is %016x, and was %016x", n, got, s.hashes[n])
	}
}

// badNetwork has every kind of outcome.
const badNetwork = "latency=60ms,jitter=20ms,loss=5%,duplicate=2%,reorder=5%,reorder-delay=50ms"

// TestSeek jumps to random moments of a session of each strategy, forwards and backwards, steps and resumes, and
// compares the hashes with those that the session had.
func TestSeek(t *testing.T) {
	seeks := experiment.Pick(3, 25, 25)
	for i, strategy := range lab.Strategies {
		if i%experiment.Pick(3, 1, 1) != 0 {
			continue
		}
		t.Run(strategy.Name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, "ship", badNetwork, strategy.Name, "snapshot")
			s.play(130, lab.Command{Verb: "show", Pane: lab.AllPanes, Name: "split", Value: "off"})
			s.play(130, lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "120ms"})
			s.play(100, lab.Command{Verb: "focus", Pane: 1})
			s.play(100, lab.Command{Verb: "switch", Pane: 0, Name: "rewind"})
			s.play(140, lab.Command{Verb: "open", Pane: lab.AllPanes, Name: "statesync"})
			random := rand.New(rand.NewPCG(1, 2))
			for range seeks {
				n := random.IntN(601)
				s.seek(n)
				for range random.IntN(4) {
					if n < 600 {
						n++
					}
					if err := s.Step(); err != nil {
						t.Fatal(err)
					}
					s.check(n)
				}
				for range random.IntN(3) {
					n = max(n-1, 0)
					s.seek(n)
				}
			}
			s.seek(600)
			if c := s.Resume(); len(c) != 0 {
				t.Errorf("Resume returned the commands %v, although the viewer changed nothing", c)
			}
			s.play(60)
			s.seek(630)
		})
	}
}

// TestBranch checks that a take that changes nothing has the hashes of the take that it left, and that one that
// changes the network differs from then on only.
func TestBranch(t *testing.T) {
	experiment.Skip(t)
	s := newSession(t, "zen", badNetwork, "rewind", "lockstep")
	s.play(400)
	first := append([]uint64(nil), s.hashes...)
	s.seek(250)
	if c := s.Branch("nothing"); len(c) != 0 {
		t.Errorf("Branch returned %v, although the viewer changed nothing", c)
	}
	s.play(150)
	if !slices.Equal(s.hashes, first) {
		t.Fatal("a take that changes nothing has other hashes")
	}
	one := s.Takes()[0]
	s.Show(one, nil)
	s.check(400)
	s.seek(200)
	s.Branch("latency")
	s.play(200, lab.Command{Verb: "condition", Pane: lab.AllPanes, Name: "latency", Value: "200ms"})
	third := append([]uint64(nil), s.hashes...)
	for i := range third {
		// The first datagram that is sent later arrives some ticks after the change.
		if same := third[i] == first[i]; i <= 200 && !same || i > 220 && same {
			t.Fatalf("a take that changes the network after tick 200: hash after tick %d is %016x, and was %016x", i, third[i], first[i])
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 30 { // every take keeps its own past
		k := s.Takes()[random.IntN(3)]
		s.Show(k, nil)
		s.arrive()
		s.hashes = first
		if k.Number == 3 {
			s.hashes = third
		}
		s.check(int(s.lab.Ticks()))
		s.seek(random.IntN(401))
	}
}

// TestPending checks that commands which no entry has yet survive a review.
func TestPending(t *testing.T) {
	s := newSession(t, "zen", "perfect", "rewind")
	s.play(100)
	nudge := lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "3"}
	if err := s.lab.Apply(nudge); err != nil {
		t.Fatal(err)
	}
	s.Seek(100, []lab.Command{nudge})
	s.arrive()
	s.check(100) // without the nudge, which belongs to the next tick
	if c := s.Resume(); fmt.Sprint(c) != fmt.Sprint([]lab.Command{nudge}) {
		t.Errorf("Resume returned %v, want %v", c, nudge)
	}
}

// TestViewState checks that the viewer's display settings and focus stay through a review, change no hash, and are
// given back as commands.
func TestViewState(t *testing.T) {
	s := newSession(t, "zen", "perfect", "rewind", "snapshot")
	s.play(50, lab.Command{Verb: "focus", Pane: 1})
	s.play(50, lab.Command{Verb: "show", Pane: lab.AllPanes, Name: "pitch", Value: "40"})
	s.play(50, lab.Command{Verb: "open", Pane: lab.AllPanes, Name: "animated"})
	s.seek(40)
	if got := stage.SettingsOf(s.lab).Pitch; got != 40 {
		t.Errorf("the pitch is %v after a jump, want that of the viewer, 40", got)
	}
	for _, c := range []lab.Command{stage.Show("pitch", "60"), {Verb: "focus", Pane: 0}} {
		if err := s.lab.Apply(c); err != nil {
			t.Fatal(err)
		}
	}
	for s.lab.Ticks() < 150 { // through the commands of the take
		if err := s.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if got := stage.SettingsOf(s.lab).Pitch; got != 60 {
		t.Errorf("the pitch is %v at the end, want that of the viewer, 60", got)
	}
	want := []lab.Command{stage.Show("pitch", "60"), {Verb: "focus", Pane: 0}}
	if c := s.Resume(); fmt.Sprint(c) != fmt.Sprint(want) {
		t.Errorf("Resume returned %v, want %v", c, want)
	}
}

// TestMarks compares the marks with the totals that they are counted from.
func TestMarks(t *testing.T) {
	experiment.Skip(t)
	s := newSession(t, "zen", "latency=100ms,jitter=50ms,loss=25%", "rewind", "lockstep:transport=tcp")
	type event struct{ pane, tick int }
	want := map[timeline.Kind]map[event]bool{timeline.Losses: {}, timeline.Corrections: {}, timeline.Stalls: {}, timeline.Faults: {}}
	before := [2][3]float64{}
	for range 900 {
		s.play(1)
		n := int(s.lab.Ticks())
		for i, p := range s.lab.Panes {
			c := p.Clients[0]
			now := [3]float64{float64(c.LinkCounters(link.Up).Lost + c.LinkCounters(link.Down).Lost), float64(p.Corrections.Total()), p.Counters.Value("stalls")}
			for k, kind := range []timeline.Kind{timeline.Losses, timeline.Corrections, timeline.Stalls} {
				if now[k] > before[i][k] {
					want[kind][event{i, n}] = true
				}
			}
			before[i] = now
			if f, ok := p.LastFault(); ok && int(f.SessionTick) == n-1 {
				want[timeline.Faults][event{i, n}] = true
			}
		}
	}
	s.seek(500)
	s.Branch("nothing")
	s.play(400)
	for kind, events := range want {
		if len(events) == 0 {
			t.Errorf("no %s: the test shows nothing", kind)
		}
		for pane := range 2 {
			for n := range 901 {
				next := s.NextMark(pane, kind, n, n+1) == n
				if next != events[event{pane, n}] || next != (s.PreviousMark(pane, kind, n, n+1) == n) {
					t.Fatalf("%s of pane %d at tick %d: %v, want %v", kind, pane+1, n, next, !next)
				}
			}
			at := 0
			for at = s.NextMark(pane, kind, 0, 901); at >= 0; at = s.NextMark(pane, kind, at+1, 901) {
				delete(events, event{pane, at})
			}
		}
		if len(events) > 0 {
			t.Errorf("NextMark does not find %v", events)
		}
	}
}

// TestTakeWithinSecond checks that a take that begins amid a second runs again step by step, which compares the hashes
// of its seconds, and finds the marks of the take that it left up to that moment alone.
func TestTakeWithinSecond(t *testing.T) {
	s := newSession(t, "plain", "perfect", "rewind")
	s.play(200)
	for _, n := range []int{50, 150} {
		s.seek(n)
		s.Bookmark()
	}
	s.seek(90)
	s.Branch("another input")
	s.play(150, lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "2"})
	s.seek(85)
	for n := 86; n <= 240; n++ {
		if err := s.Step(); err != nil {
			t.Fatal(err)
		}
		s.check(n)
	}
	for _, x := range []struct{ from, to, want int }{{0, 241, 50}, {51, 241, -1}, {0, 50, -1}, {50, 51, 50}} {
		first, last := s.NextMark(0, timeline.Bookmarks, x.from, x.to), s.PreviousMark(0, timeline.Bookmarks, x.from, x.to)
		if first != x.want || last != x.want {
			t.Errorf("in [%d, %d) the first bookmark is at %d and the last at %d, want %d", x.from, x.to, first, last, x.want)
		}
	}
}

// TestBookmark sets and removes bookmarks.
func TestBookmark(t *testing.T) {
	s := newSession(t, "zen", "perfect", "rewind")
	s.play(100)
	for _, n := range []int{0, 40, 100} {
		s.seek(n)
		if !s.Bookmark() || s.NextMark(0, timeline.Bookmarks, n, n+1) != n {
			t.Errorf("there is no bookmark at tick %d", n)
		}
	}
	if s.Bookmark() || s.NextMark(0, timeline.Bookmarks, 100, 101) != -1 {
		t.Error("a second call does not remove the bookmark")
	}
}

// TestCheckpointsAreBounded checks the number of checkpoints and their distribution in a long session.
func TestCheckpointsAreBounded(t *testing.T) {
	experiment.Skip(t)
	s := newSession(t, "zen", "perfect", "rewind", "snapshot")
	if testing.Short() {
		t.Skip("plays five minutes, which takes long under the race detector")
	}
	s.Limit(20)
	s.play(60 * 300)
	if n := s.Checkpoints(); n > 20 {
		t.Errorf("%d checkpoints, want at most 20", n)
	}
	for _, c := range []struct{ back, most int }{{60 * 2, 60 * 2}, {60 * 10, 60 * 8}, {60 * 60, 60 * 30}, {60 * 250, 60 * 150}} {
		at := 60*300 - c.back
		s.Seek(at, nil)
		if s.Remaining() > c.most {
			t.Errorf("%d ticks have to be made again to get back by %d, want at most %d", s.Remaining(), c.back, c.most)
		}
		s.arrive()
		s.check(at)
	}
}

// BenchmarkSeek measures jumps back by 60 s in a session of four minutes.
func BenchmarkSeek(b *testing.B) {
	s := newSession(b, "katamari", badNetwork, "rewind", "snapshot")
	s.play(60 * 240)
	random := rand.New(rand.NewPCG(5, 6))
	for b.Loop() {
		b.StopTimer()
		s.seek(60*240 - random.IntN(60))
		b.StartTimer()
		s.seek(int(s.lab.Ticks()) - 60*60)
	}
}

// TestBudget checks that a smaller budget keeps fewer checkpoints.
func TestBudget(t *testing.T) {
	experiment.Skip(t)
	s := newSession(t, "zen", "perfect", "rewind")
	s.play(60 * 15)
	large := s.Checkpoints()
	s = newSession(t, "zen", "perfect", "rewind")
	s.Budget = 6 << 20
	s.play(60 * 15)
	if small := s.Checkpoints(); large < 14 || small < 4 || small > 9 {
		t.Errorf("%d checkpoints, and %d in 6 MiB, want at most 9", large, small)
	}
}

// TestCheckpointsAreWhole checks for every strategy that a checkpoint from which all contents were taken has the same in
// every field, when it is used, as a copy that was left alone.
func TestCheckpointsAreWhole(t *testing.T) {
	experiment.Skip(t)
	for _, strategy := range lab.Strategies {
		s := newSession(t, "train:rods=8", badNetwork, strategy.Name)
		s.play(299)
		s.play(1)
		want := s.lab.Fork()
		s.Checkpoint()
		c := &copytest.Checker{
			Skip:     func(reflect.Type, string, reflect.Type) bool { return false },
			Elements: func(reflect.Value) ([]reflect.Value, bool) { return nil, false },
		}
		s.UseLast(func(l *lab.Lab) {
			for _, problem := range c.Compare(want, l) {
				if !strings.HasSuffix(problem, "shares memory with its copy") { // as copies do where nothing changes it
					t.Errorf("%s: %s", strategy.Name, problem)
				}
			}
		})
	}
}

// TestHour checks the memory of an hour of katamari with two panes, and measures jumps back by a minute. It prints
// the median and the longest of 50.
func TestHour(t *testing.T) {
	if os.Getenv("GHOSTCUBE_LONG") == "" {
		t.Skip("takes minutes: set GHOSTCUBE_LONG=1 to run it")
	}
	debug.SetMemoryLimit(timeline.MemoryLimit)
	s := newSession(t, "katamari", badNetwork, "rewind", "snapshot")
	s.play(60 * 3600)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.Sys-m.HeapReleased > 450<<20 {
		t.Errorf("%d MiB of memory after an hour, want at most 450", (m.Sys-m.HeapReleased)>>20)
	}
	t.Logf("memory after an hour: %d MiB from the system, %d MiB in use, %d checkpoints", (m.Sys-m.HeapReleased)>>20, m.HeapInuse>>20, s.Checkpoints())
	random := rand.New(rand.NewPCG(5, 6))
	var times []time.Duration
	for range 50 {
		s.seek(60*3600 - random.IntN(60))
		start := time.Now()
		s.seek(int(s.lab.Ticks()) - 60*60)
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	t.Logf("back by 60 s: median %v, longest %v", times[25], times[49])
	if times[25] > 200*time.Millisecond {
		t.Errorf("the median jump takes %v, want at most 200 ms", times[25])
	}
}

// TestLead promises that all ticks of the lead before a target are made again, however the session got there.
func TestLead(t *testing.T) {
	experiment.Skip(t)
	s := newSession(t, "zen", "latency=50ms", "rewind")
	s.play(900)
	s.Lead = 150
	random := rand.New(rand.NewPCG(9, 9))
	for range 40 {
		n := random.IntN(901)
		s.seek(n)
		if from := s.MadeFrom(); from > max(n-150, 0) {
			t.Fatalf("tick %d was reached from tick %d, want %d at most", n, from, n-150)
		}
	}
}

// TestEffectMarks checks that an effect is marked in the tick in which it is shown first, and not again in ticks that are
// stepped again, and that one which a rollback takes back is marked, too.
func TestEffectMarks(t *testing.T) {
	experiment.Skip(t)
	s := newSession(t, "two-players", "latency=60ms,jitter=50ms,loss=15%", "rollback:lead=1")
	want := map[timeline.Kind]map[int]bool{timeline.Effects: {}, timeline.Withdrawn: {}}
	names := map[timeline.Kind]string{timeline.Effects: "events_shown", timeline.Withdrawn: "events_withdrawn"}
	before := map[timeline.Kind]float64{}
	for range 900 {
		s.play(1)
		for kind, name := range names {
			now := s.lab.Panes[0].Counters.Value(name)
			want[kind][int(s.lab.Ticks())], before[kind] = now > before[kind], now
		}
	}
	repeated := s.lab.Panes[0].Counters.Value("events_repeated")
	for kind := range names {
		marks := 0
		for n := range 901 {
			at := s.NextMark(0, kind, n, n+1) == n
			if marks += map[bool]int{true: 1}[at]; at != want[kind][n] {
				t.Errorf("%v at tick %d: %v, want %v", kind, n, at, !at)
			}
		}
		if marks == 0 || float64(marks) > before[kind] || repeated == 0 {
			t.Errorf("%d marks of %v, %v counted, %v met again", marks, kind, before[kind], repeated)
		}
	}
}
