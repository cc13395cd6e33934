package correction

import (
	"testing"

	"ghostcube/net/packet"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

func newWorld(t *testing.T) (*predict.Env, *Settings) {
	t.Helper()
	env := predicttest.NewEnv(predicttest.Scene(t, "plain"), 60, 0)
	s := &Settings{}
	s.Declare(env.Knobs)
	return env, s
}

// TestLocate checks which client tick a state describes, and when the offset between the server's ticks
// and the client's changes.
func TestLocate(t *testing.T) {
	env, _ := newWorld(t)
	var l Log
	l.Declare(env)
	for _, c := range []struct {
		server sim.Tick
		source input.Source
		client sim.Tick
		at     sim.Tick
		moved  bool
		ok     bool
		offset int64
	}{
		{10, input.SourceNone, 0, 10, false, true, 0},      // no input of the client has been used: both ticks are the same
		{30, input.SourceReceived, 25, 26, false, true, 4}, // the first input
		{31, input.SourceReceived, 26, 27, false, true, 4}, // the next input
		{32, input.SourceFilled, 27, 28, false, true, 4},   // missing, replaced by the last one
		{33, input.SourceRepeated, 27, 0, false, false, 4}, // no input
		{34, input.SourceReceived, 28, 29, true, true, 5},  // the offset has grown by one
		{36, input.SourceReceived, 30, 31, false, true, 5}, // a snapshot was lost
		{37, input.SourceReceived, 34, 35, true, true, 2},  // inputs were skipped
		{38, input.SourceReceived, 65535, 65536, true, true, -65498},
	} {
		at, moved, ok := l.Locate(c.server, input.Consumed{Source: c.source, ClientTick: c.client})
		if at != c.at || moved != c.moved || ok != c.ok {
			t.Errorf("%+v: tick %d, moved %v, ok %v", c, at, moved, ok)
		}
		if ok && l.ComparedTick() != c.at || l.Located() != (c.source != input.SourceNone) {
			t.Errorf("%+v: compared %d, located %v", c, l.ComparedTick(), l.Located())
		}
		if got := l.OwnTick(1000); got != 1000-c.offset {
			t.Errorf("%+v: server tick 1000 is client tick %d", c, got)
		}
		if got, want := l.ServerTick(1000), sim.Tick(max(1000+c.offset, 0)); got != want {
			t.Errorf("%+v: client tick 1000 is server tick %d", c, got)
		}
	}
}

// TestReport checks that a correction is counted, and reported with the field from which the other
// differences follow: a wrong velocity explains the wrong position that it leads to in the time since
// the last agreement.
func TestReport(t *testing.T) {
	for _, c := range []struct {
		compared sim.Tick // the last agreement was at tick 60
		field    predict.Field
	}{{61, predict.Position}, {120, predict.Linear}} {
		env, _ := newWorld(t)
		var l Log
		l.Declare(env)
		var reported []predict.Correction
		env.OnCorrection = func(c predict.Correction) { reported = append(reported, c) }
		l.Locate(60, input.Consumed{})
		l.Agree()
		l.Locate(c.compared, input.Consumed{})
		server := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 1}, Rot: geom.Identity}, Linear: geom.Vec3{X: 1}}
		remembered := sim.Body{Pose: geom.Pose{Rot: geom.Identity}}
		l.Report(l.Describe(&packet.Packet{Sequence: 7}, 200, predict.LocalInput, &server, &remembered), 0.5)
		if len(reported) != 1 {
			t.Fatalf("%d reports", len(reported))
		}
		if r := reported[0]; r.Field != c.field || r.Packet != 7 || r.Tick != 200 || r.Shift != 0.5 || r.Cause != predict.LocalInput {
			t.Errorf("at tick %d: %+v", c.compared, r)
		}
		m := env.Counters
		if m.Value("corrections") != 1 || m.Value("correction_mean_m") != 0.5 || m.Value("correction_max_m") != 0.5 {
			t.Errorf("%+v", m.All())
		}
	}
}

// TestJump checks that a jump of the server's velocity leads to a second comparison some states later,
// which resets the body only if its velocity, without the pending correction, still differs.
func TestJump(t *testing.T) {
	env, s := newWorld(t)
	if err := env.Knobs.Set("sudden-reset", "on"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		jump, remembered, pending float32 // m/s
		resets                    bool
	}{{9, 0, 0, false}, {14, 0, 0, true}, {14, 10, 0, false}, {14, 20, 0, true}, {14, 20, 8, false}} {
		p := Player{Body: Body{Pending: smoothing.Shift{Linear: geom.Vec3{X: c.pending}}}}
		at := func(speed float32) *sim.Body {
			return &sim.Body{Pose: geom.Pose{Rot: geom.Identity}, Linear: geom.Vec3{X: speed}}
		}
		if _, r := p.Compare(s, at(0), at(0)); r != Agrees {
			t.Errorf("the first state: result %d", r)
		}
		for i := range 15 {
			_, r := p.Compare(s, at(c.jump), at(c.remembered))
			if (r == Jumped) != (c.resets && i == 10) || r == Agrees {
				t.Errorf("%+v: state %d: result %d", c, i, r)
			}
		}
	}
}

// TestBody checks that a pending correction moves a body, awake, to the state that Corrected returns;
// and that after a teleport nothing is pending and the drawn pose has not moved.
func TestBody(t *testing.T) {
	env, s := newWorld(t)
	w := env.World
	var c Body
	c.Pending.Add(&smoothing.Shift{Pos: geom.Vec3{X: 1}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 0.5)})
	want := c.Corrected(&w.Bodies()[0])
	for range 600 {
		c.Step(w, 0, s)
		if now := c.Corrected(&w.Bodies()[0]); now.Pose.Pos.Sub(want.Pose.Pos).Len() > 1e-5 {
			t.Fatalf("corrected it is at %v, want %v", now.Pose.Pos, want.Pose.Pos)
		}
	}
	if b := w.Bodies()[0]; b.Pose.Pos.Sub(want.Pose.Pos).Len() > 1e-5 || b.Asleep || !c.Pending.IsZero() {
		t.Errorf("it is at %v, pending %v", b.Pose.Pos, c.Pending)
	}
	c.Pending.Add(&smoothing.Shift{Pos: geom.Vec3{X: 1}})
	drawn := c.Drawn(w, 0)
	to := w.Bodies()[0]
	to.Pose.Pos.X -= 0.7
	smooth := smoothing.DefaultSettings
	c.Teleport(w, 0, to, &smooth)
	if w.Bodies()[0] != to || !c.Pending.IsZero() || c.Drawn(w, 0).Pos.Sub(drawn.Pos).Len() > 1e-6 {
		t.Errorf("teleported to %v: drawn at %v, before at %v", to.Pose.Pos, c.Drawn(w, 0).Pos, drawn.Pos)
	}
}

// TestSuddenJump checks that a change of the server's velocity by more than sudden-speed, and not by
// as much, starts a countdown of sudden-states, after which a velocity that differs by more than
// sudden-tolerance resets the body, the pending correction included.
func TestSuddenJump(t *testing.T) {
	s := suddenSettings{enabled: true, speed: 10, tolerance: 5, states: 3}
	for _, c := range []struct {
		change, own, pending float32 // m/s
		enabled, want        bool
	}{
		{10, 0, 0, true, false},
		{10.5, 0, 0, true, true},
		{10.5, 0, 0, false, false},
		{12, 7, 0, true, false},
		{12, 6.5, 0, true, true},
		{12, 7, 2, true, true},
		{12, 6.5, -2, true, false},
	} {
		s.enabled = c.enabled
		var watch velocityWatch
		server := sim.Body{Linear: geom.Vec3{X: 1}}
		own := sim.Body{Linear: geom.Vec3{X: 1 + c.own}}
		pending := &smoothing.Shift{Linear: geom.Vec3{X: c.pending}}
		for i := range 8 {
			if i == 2 {
				server.Linear.X += c.change
			}
			if got, want := watch.jumped(&s, &server, &own, pending), c.want && i == 2+3; got != want {
				t.Errorf("%+v: state %d: %v", c, i, got)
			}
		}
	}
}

// TestStepWakes checks that a share of a correction wakes a body that sleeps, and that a body without a
// pending correction sleeps on.
func TestStepWakes(t *testing.T) {
	env, s := newWorld(t)
	b := env.World.Bodies()[0]
	b.Asleep = true
	env.World.SetBody(0, b)
	var c Body
	if c.Step(env.World, 0, s); !env.World.Bodies()[0].Asleep {
		t.Error("a body without a correction wakes")
	}
	c.Pending = smoothing.Shift{Pos: geom.Vec3{X: 1}, Rot: geom.Identity}
	if c.Step(env.World, 0, s); env.World.Bodies()[0].Asleep || env.World.Bodies()[0].Pose.Pos.X <= b.Pose.Pos.X {
		t.Errorf("%+v", env.World.Bodies()[0])
	}
}
