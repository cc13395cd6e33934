package validation

import (
	"math"
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// TestBody checks that every body of every scene passes at its start and at the largest speeds, and
// that one outside the bounds, too fast, not a rotation or not a number does not.
func TestBody(t *testing.T) {
	for _, name := range scene.Names() {
		s := predicttest.Scene(t, name)
		for i := range s.Boxes {
			b := s.Boxes[i].Start
			b.Linear, b.Angular = geom.Vec3{X: 3 * s.MaxLinearSpeed}, geom.Vec3{Z: 11 * s.MaxAngularSpeed}
			if !Body(&b, &s) {
				t.Errorf("%s: body %d is refused: %+v", name, i, b)
			}
		}
		nan := float32(math.NaN())
		for i, change := range []func(*sim.Body){
			func(b *sim.Body) { b.Pose.Pos.X = s.HalfWidth + 1 },
			func(b *sim.Body) { b.Pose.Pos.Y = -s.HalfWidth - 1 },
			func(b *sim.Body) { b.Pose.Pos.Z = -0.1 },
			func(b *sim.Body) { b.Pose.Pos.Z = nan },
			func(b *sim.Body) { b.Pose.Rot = geom.Quat{} },
			func(b *sim.Body) { b.Pose.Rot.X = nan },
			func(b *sim.Body) { b.Linear.Y = 10 * s.MaxLinearSpeed },
			func(b *sim.Body) { b.Angular.X = -40 * s.MaxAngularSpeed },
			func(b *sim.Body) { b.Angular.X = nan },
		} {
			b := s.Boxes[0].Start
			if change(&b); Body(&b, &s) {
				t.Errorf("%s: change %d passes: %+v", name, i, b)
			}
		}
	}
}

// TestTicks checks that ticks are believed as long as they keep pace with the client's, whatever
// packets are lost or late; that single ticks far ahead or behind are refused; and that a jump is believed
// once three states in a row agree on it.
func TestTicks(t *testing.T) {
	type state struct {
		tick, now sim.Tick
		believed  bool
	}
	for name, list := range map[string][]state{
		"steady":            {{1000, 5, true}, {1001, 6, true}, {1003, 8, true}, {1002, 9, true}},
		"outage":            {{1000, 5, true}, {1900, 905, true}, {1901, 906, true}},
		"jitter":            {{1000, 5, true}, {1025, 6, true}, {1020, 7, true}},
		"one far ahead":     {{1000, 5, true}, {30000, 6, false}, {1002, 7, true}, {1003, 8, true}},
		"several far ahead": {{1000, 5, true}, {30000, 6, false}, {9000, 7, false}, {20000, 8, false}, {1004, 9, true}},
		"interrupted":       {{1000, 5, true}, {9000, 6, false}, {9001, 7, false}, {1003, 8, true}, {9003, 9, false}},
		"frozen":            {{1000, 5, true}, {1600, 6, false}, {1601, 7, false}, {1602, 8, true}, {1603, 9, true}},
		"late":              {{1000, 5, true}, {800, 6, true}, {1002, 7, true}},
		"one far behind":    {{1000, 5, true}, {400, 6, false}, {1002, 7, true}},
		"wrong start":       {{9000, 5, true}, {1001, 6, false}, {1002, 7, false}, {1003, 8, true}, {1005, 10, true}},
	} {
		var c Ticks
		for i, s := range list {
			if got := c.Believe(s.tick, s.now); got != s.believed {
				t.Errorf("%s: state %d, tick %d: believed %v", name, i, s.tick, got)
			}
		}
	}
}

// TestBelieveOwn checks that a tick of the client's own clock is believed up to the client's present one, though it jumps:
// the client has moved its clock by 60 ticks, and a round trip of 20 later the server's answers jump as far. A tick that
// the client has not reached is refused.
func TestBelieveOwn(t *testing.T) {
	var c Ticks
	for now := sim.Tick(1000); now < 1200; now++ {
		tick := now - 20
		if now >= 1100 && now < 1160 {
			continue // jumped over
		}
		if now >= 1160 && now < 1180 {
			tick -= 60 // named before the server has heard of it
		}
		if !c.BelieveOwn(tick, now) {
			t.Fatalf("tick %d is refused at %d", tick, now)
		}
	}
	if c.BelieveOwn(1300, 1200) {
		t.Error("a tick that the client has not reached is believed")
	}
}
