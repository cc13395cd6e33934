package statesync

import (
	"slices"
	"testing"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

var steerings = []string{"velocity", "predictive"}

func still(int) sim.Input { return sim.Input{} }

// TestSteeringMovesBodies checks that a body that is moved by a metre at the server gets there by its velocity: in
// no tick it moves farther than that allows, and in the end it rests at the server's pose.
func TestSteeringMovesBodies(t *testing.T) {
	for _, correction := range append([]string{"snap"}, steerings...) {
		r := newRig(t, "plain", "latency=50ms", "correction", correction, "smoothing", "none")
		r.Run(120, still)
		r.Displace(geom.Vec3{X: 1})
		longest := float32(0)
		for range 240 {
			before := r.ClientWorld().Bodies()[0].Pose.Pos
			r.Run(1, still)
			longest = max(longest, r.ClientWorld().Bodies()[0].Pose.Pos.Sub(before).Len())
		}
		if snaps := longest > 0.2; snaps != (correction == "snap") {
			t.Errorf("%s: the body moves by %v m in a tick", correction, longest)
		}
		if a, b := r.ClientWorld().Bodies()[0], r.ServerWorld().Bodies()[0]; !a.Asleep || a.Pose != b.Pose {
			t.Errorf("%s: after four seconds it is at %v, the server's is at %v", correction, a.Pose, b.Pose)
		}
	}
}

// TestSteeringTimes checks which tick the client shows: with predictive interpolation that of its world, and with
// default replication the server's present, before the jitter buffer. A body at constant velocity is there.
func TestSteeringTimes(t *testing.T) {
	for i, correction := range steerings {
		r := newRig(t, "plain", "latency=50ms", "correction", correction, "smoothing", "none")
		var past []geom.Vec3
		r.Run(120, still)
		r.ChangeBody(0, func(b *sim.Body) { b.Pose.Pos.Z, b.Linear = 30, geom.Vec3{X: 6, Z: 1} })
		past = make([]geom.Vec3, r.Tick)
		for range 45 { // in the air
			r.Run(1, still)
			past = append(past, r.ServerWorld().Bodies()[0].Pose.Pos)
		}
		v := r.View()
		ahead := v.Others - r.ClientWorld().Tick().Moment()
		if want := sim.Moment(1-i) * 3 * sim.MomentsPerTick; ahead < want-sim.MomentsPerTick/2 || ahead > want+sim.MomentsPerTick/2 {
			t.Errorf("%s: bodies are %v ticks ahead of the client's world", correction, ahead.Ticks())
		}
		if d := v.Bodies[0].Pos.Sub(past[v.Tick()-1]); geom.Abs(d.X) > 0.05 {
			t.Errorf("%s: the body is drawn %v m ahead of the server's at tick %d", correction, d.X, v.Tick())
		}
	}
}

// TestSteeringKeepsPushes checks that a push in the client's world alone moves a body on with predictive
// interpolation, the longer the rarer its updates are, and not with default replication.
func TestSteeringKeepsPushes(t *testing.T) {
	moved := func(correction, budget string) float32 {
		r := newRig(t, "zen", "latency=50ms", "correction", correction, "budget", budget, "smoothing", "none", "repeat-missing", "off")
		r.run(300)
		const body = 1
		r.ChangeBody(body, func(b *sim.Body) { b.Pose.Pos.Z, b.Linear = 12, geom.Vec3{} })
		for r.Run(1, still); !r.c.bodies[body].steered.active || r.c.bodies[body].steered.target.Pose.Pos.Z < 8; {
			r.Run(1, still)
		}
		r.Run(4, still)
		b := r.ClientWorld().Bodies()[body]
		from := b.Pose.Pos.Y
		b.Linear.Y += 5
		r.ClientWorld().SetBody(body, b)
		farthest := float32(0)
		for range 20 {
			r.Run(1, still)
			farthest = max(farthest, r.ClientWorld().Bodies()[body].Pose.Pos.Y-from)
		}
		return farthest
	}
	velocity, often, rarely := moved("velocity", "512"), moved("predictive", "512"), moved("predictive", "48")
	t.Logf("moved by %.3f, %.3f, %.3f m", velocity, often, rarely)
	if velocity > 0.01 || rarely < 2*often || rarely < 0.1 {
		t.Errorf("a push moves a body by %v m, %v m, and with rare updates %v m", velocity, often, rarely)
	}
}

// TestSteeringEndsWhenStuck checks that a body that something holds back at the client takes over the server's
// state after three seconds, and one that is too far away at once.
func TestSteeringEndsWhenStuck(t *testing.T) {
	for _, correction := range steerings {
		r := newRig(t, "plain", "latency=50ms", "correction", correction, "smoothing", "none")
		r.Run(120, still)
		held := r.ClientWorld().Bodies()[0]
		r.Displace(geom.Vec3{X: 1})
		ticks := 0
		for ; ticks < 400 && r.Counter("correction_max_m") < 0.9 && r.Distance(0) > 0.5; ticks++ {
			r.Run(1, still)
			if b := r.ClientWorld().Bodies()[0]; b.Pose.Pos.Sub(held.Pose.Pos).Len() < 0.5 {
				b.Pose = held.Pose
				r.ClientWorld().SetBody(0, b)
			}
		}
		if ticks < 180 || ticks > 200 {
			t.Errorf("%s: the body is stuck for %d ticks", correction, ticks)
		}
		r.Displace(geom.Vec3{Y: 3})
		r.Run(12, still)
		if d := r.Distance(0); d > 0.03 {
			t.Errorf("%s: 200 ms after it has been moved by 3 m the body is %v m off", correction, d)
		}
	}
}

// TestSteeringForgetsTargets checks that a target from before the knob was turned does not steer.
func TestSteeringForgetsTargets(t *testing.T) {
	r := newRig(t, "zen", "latency=50ms", "correction", "velocity")
	r.run(200)
	r.SetKnob("correction", "snap")
	r.run(1)
	if slices.ContainsFunc(r.c.bodies, func(b clientBody) bool { return b.steered.active }) {
		t.Error("bodies have targets")
	}
}
