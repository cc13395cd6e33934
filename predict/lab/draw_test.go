package lab

import (
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// viewAt returns a view of one body at a place in metres and a tick.
func viewAt(x float32, t sim.Tick) predict.View {
	p := []geom.Pose{{Pos: geom.Vec3{X: x}, Rot: geom.Identity}}
	v := predict.View{Bodies: p, Simulated: []geom.Pose{p[0]}, LastReceived: []geom.Pose{p[0]}}
	v.ShowTick(t)
	return v
}

// TestDrawBetweenTicks checks where a frame before the end of the newest tick is drawn: by its share of the
// way from the tick before, in space and in the server's time, also if that goes back or on by some ticks. A
// body that has jumped is in its new place at once, and so are all if the server's time has jumped; what was
// received stays. Without an earlier view, or in a frame at the end of the tick, the view is the newest tick's to
// the bit.
func TestDrawBetweenTicks(t *testing.T) {
	scene := &sim.Scene{MaxLinearSpeed: 30} // half a metre a tick at 60 Hz
	for _, c := range []struct {
		from, to float32
		ticks    [2]sim.Tick
		early    int64
		x        float32
		ticksOff float64 // of the drawn moment, from the newest
	}{
		{1, 1.4, [2]sim.Tick{10, 11}, 0, 1.4, 0},
		{1, 1.4, [2]sim.Tick{10, 11}, million / 4, 1.3, -0.25},
		{1, 1.4, [2]sim.Tick{10, 11}, million * 3 / 4, 1.1, -0.75},
		{1, 1.4, [2]sim.Tick{10, 10}, million / 2, 1.2, 0},
		{1, 1.4, [2]sim.Tick{10, 14}, million / 2, 1.2, -2},
		{1, 2.5, [2]sim.Tick{10, 13}, million / 2, 1.75, -1.5},
		{1, 1.4, [2]sim.Tick{10, 15}, million / 2, 1.4, 0},
		{1, 1.4, [2]sim.Tick{12, 10}, million / 2, 1.2, 1},
		{1, 2.5, [2]sim.Tick{10, 11}, million / 2, 2.5, -0.5},
	} {
		v := viewAt(c.to, c.ticks[1])
		d := drawing{before: viewAt(c.from, c.ticks[0]), early: c.early}
		d.move(&v, scene, 60)
		for _, p := range []geom.Pose{v.Bodies[0], v.Simulated[0]} {
			if geom.Abs(p.Pos.X-c.x) > 1e-6 {
				t.Errorf("%+v: drawn at %v", c, p.Pos.X)
			}
		}
		for _, m := range []sim.Moment{v.Others, v.Own, v.Carriers} {
			if got := (m - c.ticks[1].Moment()).Ticks(); got != c.ticksOff {
				t.Errorf("%+v: the moment is %v ticks from the newest", c, got)
			}
		}
		if v.LastReceived[0].Pos.X != c.to {
			t.Errorf("%+v: what was received has moved", c)
		}
	}
	v, d := viewAt(2, 11), drawing{before: viewAt(1.8, 10), early: million / 2}
	d.forget()
	if d.move(&v, scene, 60); v.Bodies[0].Pos.X != 2 || v.Others != sim.Tick(11).Moment() {
		t.Error("a forgotten view counts")
	}
}

// TestTickEarly checks that a side knows how much earlier than its turn its tick runs: by as much as the
// frame is drawn before the end of that tick. With a right clock it is 0.
func TestTickEarly(t *testing.T) {
	for _, skew := range []string{"off", "5000", "-5000"} {
		l := New(Config{Scene: "plain", Rate: 60, Seat: AtClient})
		p, err := l.Open("noprediction")
		if err == nil {
			err = l.Apply(Command{"clock", AllPanes, "skew", skew})
		}
		if err != nil {
			t.Fatal(err)
		}
		between := 0
		for range 100 {
			l.Tick(Entry{Inputs: []sim.Input{{}}})
			c := p.Clients[0]
			if c.drawing.early > 0 {
				between++
			}
			if early := c.env.TickEarly; early != sim.Moment(c.drawing.early)*sim.MomentsPerTick/million {
				t.Fatalf("skew %s: the tick runs %v ticks early, and the frame is drawn %v millionths before its end", skew, early.Ticks(), c.drawing.early)
			}
		}
		if skew != "off" && between < 90 || skew == "off" && between > 0 {
			t.Errorf("skew %s: %d frames between ticks", skew, between)
		}
	}
}
