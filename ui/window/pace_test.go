package window

import (
	"testing"
	"time"
)

// machine draws frames on a clock of its own.
type machine struct {
	pace pace
	now  time.Time
	load load

	cost  map[Renderer]time.Duration // of a frame
	steps []Renderer                 // each renderer that was selected
}

// run draws frames for a time.
func (m *machine) run(d time.Duration) {
	if len(m.steps) == 0 {
		m.now = time.Unix(0, 0)
		m.pace.request(Auto)
		m.steps = []Renderer{m.pace.renderer}
	}
	for end := m.now.Add(d); m.now.Before(end); {
		cost := m.cost[m.pace.renderer]
		m.pace.frame(m.now, cost/2, m.load)
		if r := m.pace.renderer; r != m.steps[len(m.steps)-1] {
			m.steps = append(m.steps, r)
		}
		m.now = m.now.Add(max(cost, time.Second/60))
	}
}

func (m *machine) want(t *testing.T, when string, r Renderer) {
	t.Helper()
	if m.pace.renderer != r {
		t.Errorf("%s: renderer %d, want %d; steps %v", when, m.pace.renderer, r, m.steps)
	}
}

const ms = time.Millisecond

// TestPaceStepsDown promises a faster renderer after about a second of slow frames, however slow they are.
func TestPaceStepsDown(t *testing.T) {
	for _, cost := range []time.Duration{50 * ms, 300 * ms, 900 * ms, 1100 * ms, 5000 * ms} {
		m := machine{cost: map[Renderer]time.Duration{GPUSupersampled: cost, GPU: cost, Software: cost, SoftwareHalf: cost}}
		m.run(max(4*time.Second, 8*cost))
		m.want(t, cost.String(), SoftwareHalf)
		if !m.pace.coarse() {
			t.Error("the picture does not count as coarse")
		}
	}
}

// TestPaceIgnoresHiddenWindow promises that a window that was hidden keeps its renderer, and that a single slow frame
// changes nothing.
func TestPaceIgnoresHiddenWindow(t *testing.T) {
	m := machine{cost: map[Renderer]time.Duration{GPUSupersampled: 5 * ms}}
	for range 5 {
		m.run(2 * time.Second)
		m.now = m.now.Add(time.Hour)
	}
	m.run(time.Second)
	m.want(t, "after hours", GPUSupersampled)
}

// TestPaceStepsUp promises that a finer renderer comes back when there is room.
func TestPaceStepsUp(t *testing.T) {
	m := machine{cost: map[Renderer]time.Duration{GPUSupersampled: 100 * ms, GPU: 80 * ms, Software: 70 * ms, SoftwareHalf: 18 * ms}}
	m.run(8 * time.Second)
	m.want(t, "four panes", SoftwareHalf)
	m.cost = map[Renderer]time.Duration{GPUSupersampled: 10 * ms, GPU: 5 * ms, Software: 8 * ms, SoftwareHalf: 2 * ms}
	m.load.panes = 1
	m.run(35 * time.Second)
	m.want(t, "one pane", GPUSupersampled)
	if len(m.steps) != 7 {
		t.Errorf("steps %v", m.steps)
	}
}

// TestPaceDoesNotFlicker promises that a renderer that is too slow is tried rarely, and for less than a second each
// time, and that a renderer whose frames leave no room stays.
func TestPaceDoesNotFlicker(t *testing.T) {
	m := machine{cost: map[Renderer]time.Duration{GPUSupersampled: 200 * ms, GPU: 120 * ms, Software: 10 * ms, SoftwareHalf: 3 * ms}}
	m.run(10 * time.Second)
	m.want(t, "at first", Software)
	trials := len(m.steps)
	slow := time.Duration(0)
	for end := m.now.Add(10 * time.Minute); m.now.Before(end); {
		before := m.now
		m.run(time.Second / 60)
		if m.pace.renderer != Software {
			slow += m.now.Sub(before)
		}
	}
	m.want(t, "after ten minutes", Software)
	if n := (len(m.steps) - trials) / 2; n < 1 || n > 3 || slow > time.Duration(n)*time.Second {
		t.Errorf("%d trials that took %v", n, slow)
	}
	m = machine{cost: map[Renderer]time.Duration{GPUSupersampled: 200 * ms, GPU: 120 * ms, Software: 60 * ms, SoftwareHalf: 15 * ms}}
	m.run(10 * time.Minute)
	if m.want(t, "without room", SoftwareHalf); len(m.steps) != 4 {
		t.Errorf("steps %v", m.steps)
	}
}

// TestRequestedRendererStays promises that a renderer that was asked for stays, however slow it is.
func TestRequestedRendererStays(t *testing.T) {
	var p pace
	p.request(GPU)
	for i := range 100 {
		p.frame(time.Unix(int64(i), 0), 0, load{})
	}
	if p.renderer != GPU {
		t.Errorf("renderer %d", p.renderer)
	}
}

// TestRealTime promises the session's share of real time where the machine does not keep up, also where an Update takes
// seconds; and nothing while it keeps up, is paused, runs slowly on purpose, or was hidden.
func TestRealTime(t *testing.T) {
	for _, c := range []struct {
		name     string
		interval time.Duration // between two Updates
		ticks    int           // in each
		speed    float64
		want     string
	}{
		{"keeps up", time.Second / 60, 1, 1, ""},
		{"slightly late", time.Second / 57, 1, 1, ""},
		{"slow", time.Second / 15, 1, 1, "25 % of real time"},
		{"very slow", 5 * time.Second, 1, 1, "1 % of real time"},
		{"paused", time.Second / 60, 0, 0, ""},
		{"slow motion", time.Second / 15, 1, 0.25, ""},
		{"late in slow motion", time.Second / 6, 1, 0.25, "10 % of real time"},
	} {
		var r realTime
		now := time.Unix(0, 0)
		for end := now.Add(20 * time.Second); now.Before(end); now = now.Add(c.interval) {
			r.count(now, c.ticks, 60, c.speed)
		}
		if got := r.note(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if c.name == "keeps up" {
			now = now.Add(time.Hour)
			for range 90 {
				r.count(now, 1, 60, 1)
				if r.note() != "" {
					t.Fatalf("after it was hidden: %q", r.note())
				}
				now = now.Add(c.interval)
			}
		}
	}
}

// TestAlert promises that the head says so when the machine is too slow, also while a video is recorded.
func TestAlert(t *testing.T) {
	g := newTestGame(t, "rewind")
	if g.screen.alert() != "" {
		t.Errorf("at first: %q", g.screen.alert())
	}
	g.screen.realTime = realTime{share: 0.243, slowed: measurementsToTell}
	if got := g.screen.alert(); got != "24 % of real time" {
		t.Errorf("slow: %q", got)
	}
	g.screen.pace.renderer = SoftwareHalf
	if got := g.screen.alert(); got != "24 % of real time, coarse picture" {
		t.Errorf("slow and coarse: %q", got)
	}
	g.runTicks(t, 1)
	g.session.Videos.Toggle()
	g.runTicks(t, 6)
	if got := g.screen.alert(); got != "● recording, 0.1 s (R stops) · 24 % of real time" {
		t.Errorf("recording: %q", got)
	}
}
