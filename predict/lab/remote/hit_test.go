package remote

import (
	"math"
	"reflect"
	"testing"
	"time"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// aim returns a bot's input: every 20 ticks it shoots at where it sees the other player, or in turn beside that.
func aim(p *process) func(t sim.Tick) sim.Input {
	return func(t sim.Tick) (in sim.Input) {
		in.Buttons = []sim.Buttons{sim.Right, sim.Left}[(int(t)/30+p.Player)%2]
		v := &p.Lab.Panes[0].Clients[0].View
		if t < 120 || t%20 > 0 || len(v.Bodies) < 2 {
			return in
		}
		d := v.Bodies[1-p.Player].Pos.Sub(v.Bodies[p.Player].Pos)
		if t%40 == 0 {
			d.Z += 5
		}
		in.Shot = sim.Aim(d)
		return in
	}
}

// TestShots lets two players shoot at each other in processes of their own, over a lossy network: each learns what the server
// has made of every shot, by the game's own message and in full with the ghost; the server counts; and all captures replay.
func TestShots(t *testing.T) {
	w := newWorld(t, "two-players", "latency=60ms,jitter=5ms,loss=3%", "rewind")
	ann, bob := w.connect("ann"), w.connect("bob")
	w.input = aim
	w.run(8 * time.Second)
	w.input = nil
	w.run(time.Second)
	for i, p := range []*process{ann, bob} {
		shots, hits, same := &p.Lab.Panes[0].Shots, 0, 0
		if shots.Total() < 12 {
			t.Fatalf("player %d has fired %d shots", i+1, shots.Total())
		}
		for n := range shots.Total() {
			x := shots.At(n)
			h := &x.Result
			if x.Player != i || x.ResolvedTick == 0 || x.LearnedTick == 0 || x.LearnedBody != h.Body() || !h.UseRewound || h.MaxAge == 0 {
				t.Errorf("player %d: shot %d: %+v", i+1, n, x)
			}
			if h.Refused == predict.NotRefused && h.Rewound.Hit.Body == x.ClientRay.Hit.Body {
				same++
			}
			if h.Body() == 1-i {
				if hits++; h.TargetThen.Pos.Sub(x.TargetDrawn.Pos).Len() > 1 || math.Abs(float64(lenSq(h.TargetThen.Rot)-1)) > 1e-3 {
					t.Errorf("player %d: shot %d: the target is at %v, drawn at %v", i+1, n, h.TargetThen, x.TargetDrawn)
				}
			}
		}
		if hits < 4 || same < shots.Total()-1 {
			t.Errorf("player %d: %d hits; %d of %d shots as drawn", i+1, hits, same, shots.Total())
		}
		if s := w.server.Seats()[i]; s.Shots != shots.Total() || s.Hits < hits {
			t.Errorf("player %d: the server has counted %d shots, %d hits", i+1, s.Shots, s.Hits)
		}
	}
	ann.Close()
	bob.Close()
	w.server.Close()
	for _, text := range []string{w.file.String(), ann.file.String(), bob.file.String()} {
		verify(t, text)
	}
}

// someHit is a result with all fields.
func someHit() predict.HitResult {
	s := sim.Shot{Fired: true, Yaw: 4000, Pitch: -900, HasViewTime: true, ViewTime: 65000, Ahead: 300}
	ray := func(x float32, body int) predict.Ray {
		return predict.Ray{Origin: geom.Vec3{X: x, Y: 2, Z: 3}, Direction: s.Direction(), Hit: sim.Hit{Body: body, Distance: 7}}
	}
	return predict.HitResult{
		Player: 1, Shot: s, Tick: 70000, Age: -3, MaxAge: 500, Refused: predict.TooOld, UseRewound: true,
		Rewound: ray(1, 5), Now: ray(4, sim.NoBody), TargetThen: geom.Pose{Pos: geom.Vec3{X: 9}, Rot: geom.Quat{W: 1}},
	}
}

// TestHitMessages checks that a result survives its messages, and that each fits into one of the channel.
func TestHitMessages(t *testing.T) {
	want := someHit()
	shot, rays := appendHit(3, &want)
	got, ok := readShot(shot, 1)
	if !ok || !readRays(rays, &got, 6) || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if len(shot) != shotBytes || len(rays) != raysBytes || raysBytes > maxPart {
		t.Errorf("%d and %d bytes", len(shot), len(rays))
	}
	if readRays(rays, &got, 5) {
		t.Error("a body that the scene does not have")
	}
}

// FuzzHit reads any bytes as the messages of a result: what is accepted is finite, and of bodies of the scene.
func FuzzHit(f *testing.F) {
	h := someHit()
	shot, rays := appendHit(3, &h)
	f.Add(shot, rays)
	f.Fuzz(func(t *testing.T, shot, rays []byte) {
		h, ok := readShot(shot, 0)
		if !ok || !readRays(rays, &h, 10) {
			return
		}
		for _, r := range [...]*predict.Ray{&h.Rewound, &h.Now} {
			if end := r.End(); !(end.LenSq() < math.MaxFloat32) || r.Hit.Body != sim.NoBody && (r.Hit.Body < 0 || r.Hit.Body >= 10) {
				t.Errorf("%+v", r)
			}
		}
		if d := lenSq(h.TargetThen.Rot); !(d > 0.99 && d < 1.01) {
			t.Errorf("rotation %v", h.TargetThen.Rot)
		}
	})
}

func lenSq(q geom.Quat) float32 { return q.X*q.X + q.Y*q.Y + q.Z*q.Z + q.W*q.W }
