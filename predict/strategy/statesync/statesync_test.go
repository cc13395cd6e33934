package statesync

import (
	"strconv"
	"testing"
	"time"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// rig is a server, where the player sits, and a spectating client.
type rig struct {
	*predicttest.Rig
	c     *client
	s     *server
	input func(tick int) sim.Input
}

func newRig(t testing.TB, scene, network string, knobs ...string) *rig {
	t.Helper()
	r := predicttest.New(t, Strategy, predicttest.Config{Scene: scene, Network: network, AtHost: true, Knobs: knobs})
	return &rig{Rig: r, c: r.Clients[0].Client.(*client), s: r.Server.(*server), input: predicttest.DriveAround}
}

func (r *rig) run(ticks int) { r.Run(ticks, r.input) }

func (r *rig) bytesSent() int { return int(r.Peers[0].Endpoint.Stats.BytesSent) }

// TestShowsEveryTickInOrder checks that with a jitter buffer longer than the jitter the client
// shows every tick once and in order, the player's cube at the server's pose, and that the delay is
// the latency plus the buffer.
func TestShowsEveryTickInOrder(t *testing.T) {
	r := newRig(t, "zen", "latency=50ms,jitter=50ms", "smoothing", "none")
	r.run(240)
	for range 600 {
		before := r.ClientWorld().Tick()
		r.run(1)
		now := r.ClientWorld().Tick()
		if r.Clients[0].Env.SlewPPM == 0 && now != before+1 {
			t.Fatalf("tick %d is shown after tick %d", before, now)
		}
		if off := r.ClientWorld().Bodies()[0].Pose.Pos.Sub(r.ServerPoses[now].Pos).Len(); off > 0.001 {
			t.Fatalf("tick %d: the player's cube is %v m from the server's", now, off)
		}
	}
	if r.Counter("packets_late") > 2 || r.Counter("missing_inputs") > 5 {
		t.Errorf("%v late, %v inputs missing", r.Counter("packets_late"), r.Counter("missing_inputs"))
	}
	for buffer, want := range []int{0: 3, 1: 4, 5: 8, 20: 23} { // three ticks of latency, and the buffer
		if want == 0 {
			continue
		}
		r := newRig(t, "plain", "latency=50ms", "jitter-buffer", strconv.Itoa(buffer))
		r.run(240)
		if late := int(r.ServerWorld().Tick()) - int(r.ClientWorld().Tick()); late != want {
			t.Errorf("buffer %d: the client is %d ticks behind", buffer, late)
		}
	}
}

// TestInputsAreRedundant checks that at 20 % loss hardly any tick is stepped without its inputs,
// although a fifth of the packets is lost.
func TestInputsAreRedundant(t *testing.T) {
	r := newRig(t, "plain", "latency=50ms,loss=20%")
	r.run(1800)
	if n := r.Counter("missing_packets"); n < 250 {
		t.Fatalf("%v packets are missing", n)
	}
	if n := r.Counter("missing_inputs"); n > 5 {
		t.Errorf("%v of 1800 ticks lack their inputs", n)
	}
	r = newRig(t, "plain", "latency=50ms", "inputs", "off")
	r.run(600)
	if n := r.Counter("missing_inputs"); n < 580 {
		t.Errorf("inputs=off: %v of 600 ticks lack their inputs", n)
	}
}

// TestInputsAreUsedInOrder checks that the server uses nearly all inputs of a player at a client,
// although a quarter of the packets is lost; that it does not without redundant inputs, or if it uses
// the newest; and that without loss the order costs no delay.
func TestInputsAreUsedInOrder(t *testing.T) {
	for _, c := range []struct {
		network  string
		knobs    []string
		min, max float64
	}{
		{"latency=75ms,loss=25%", nil, 0.97, 1},
		{"latency=75ms,loss=25%", []string{"redundant", "off"}, 0.7, 0.8},
		{"latency=75ms,loss=25%", []string{"redundant-max", "2"}, 0.9, 0.96},
		{"latency=75ms,loss=25%", []string{"input-buffer", "none"}, 0.7, 0.8},
		{"latency=75ms,jitter=10ms", nil, 0.97, 1},
		{"latency=75ms,jitter=10ms", []string{"input-buffer", "none"}, 0.7, 0.9},
		{"latency=75ms", nil, 1, 1},
	} {
		r := predicttest.New(t, Strategy, predicttest.Config{Network: c.network, Knobs: c.knobs})
		r.Run(1200, predicttest.DriveAround)
		if got := r.Counter("inputs_consumed_ratio"); got < c.min || got > c.max {
			t.Errorf("%s %v: a share of %.3f of the inputs is used", c.network, c.knobs, got)
		}
		if n := r.Counter("input_buffer_ticks"); c.min == 1 && n > 0 {
			t.Errorf("%s: inputs wait %v ticks", c.network, n)
		}
	}
}

// TestFirstPacketIsOnTime checks that without a jitter buffer a client applies the first packet after
// its clock restarts, also if it is older than the ones before: whether other packets have arrived,
// at this client or at another one, does not matter.
func TestFirstPacketIsOnTime(t *testing.T) {
	r := predicttest.New(t, Strategy, predicttest.Config{Scene: "two-players", Clients: 2, Knobs: []string{"jitter-buffer", "0", "smoothing", "none"}})
	r.Run(60, predicttest.DriveAround)
	c := r.Clients[1].Client.(*client)
	c.state.started, c.state.newest = false, 5000
	r.Run(1, predicttest.DriveAround)
	if n := r.Counter("packets_late"); n > 0 || r.Counter("packets_received") < 100 {
		t.Errorf("%v of %v packets are late", n, r.Counter("packets_received"))
	}
	w := c.env.World
	if got, want := w.Bodies()[0].Pose.Pos, r.ServerPoses[w.Tick()].Pos; got.Sub(want).Len() > 0.001 {
		t.Errorf("at tick %d the cube is at %v, the server's at %v", w.Tick(), got, want)
	}
}

// TestClockFollowsLatency checks that after the latency changes by 200 ms and more, packets again
// wait for the length of the jitter buffer within twelve seconds.
func TestClockFollowsLatency(t *testing.T) {
	r := newRig(t, "zen", "latency=50ms", "congestion", "off")
	r.run(300)
	for _, latency := range []time.Duration{250 * time.Millisecond, 50 * time.Millisecond, 900 * time.Millisecond, 50 * time.Millisecond} {
		r.Network.Down.Latency = latency
		r.run(720)
		late := r.Counter("packets_late")
		r.run(60)
		if n := r.Counter("packets_late") - late; n > 0 {
			t.Errorf("%v: %v packets are late after twelve seconds", latency, n)
		}
		if n := r.Counter("buffered_packets"); n < 4 || n > 7 {
			t.Errorf("%v: %v packets are buffered", latency, n)
		}
	}
}

// TestRecovers checks that two seconds after a five-second outage, counted from the first
// packet's turn, no body is drawn 25 cm or more from the server's pose of that tick. The offset of some 9 m shrinks at
// 6 m/s, once it is shorter.
func TestRecovers(t *testing.T) {
	r := newRig(t, "zen", "latency=50ms")
	r.run(300)
	r.Network.Blackout = 10 * time.Second
	r.run(300)
	worst := float32(0)
	for i := range 150 {
		r.run(1)
		var v predict.View
		r.c.View(&v)
		off := v.Bodies[0].Pos.Sub(r.ServerPoses[v.Tick()].Pos).Len()
		worst = max(worst, off)
		if i >= 9+120 && off > 0.25 {
			t.Fatalf("%d ticks after the outage the player's cube is drawn %v m from the server's", i, off)
		}
	}
	if worst < 0.5 {
		t.Errorf("the largest error after the outage is only %v m", worst)
	}
}

// TestCorrectionKeepsDrawnPose checks that a correction does not move the drawn pose in its tick.
func TestCorrectionKeepsDrawnPose(t *testing.T) {
	r := newRig(t, "zen", "latency=50ms")
	r.run(200)
	u := update{body: 3, state: r.ClientWorld().Bodies()[3]}
	u.state.Pose.Pos.X += 0.7
	u.state.Pose.Rot = geom.AxisAngle(geom.Vec3{Z: 1}, 0.5).Mul(u.state.Pose.Rot)
	before := r.c.drawnPose(3)
	r.c.applyUpdate(&u, &message{tick: r.ClientWorld().Tick(), format: format{velocities: true}})
	after := r.c.drawnPose(3)
	if got := r.ClientWorld().Bodies()[3].Pose; got != u.state.Pose {
		t.Errorf("the body is at %v, want %v", got, u.state.Pose)
	}
	if after.Pos.Sub(before.Pos).Len() > 1e-5 || after.Rot.Mul(before.Rot.Inverse()).Angle() > 1e-3 {
		t.Errorf("the body is drawn at %v before and %v after the correction", before, after)
	}
}

// TestLatePacketAtRest checks that of a late packet only sleeping bodies are applied, unless a
// newer state has arrived.
func TestLatePacketAtRest(t *testing.T) {
	r := newRig(t, "zen", "latency=50ms")
	r.run(200)
	now := r.ClientWorld().Tick()
	at := func(asleep bool, tick sim.Tick) bool {
		m := message{tick: tick, updateCount: 1, format: format{velocities: true}}
		u := &m.updates[0]
		u.body, u.state = 4, r.ClientWorld().Bodies()[4]
		u.state.Asleep = asleep
		u.state.Pose.Pos.X += 0.1
		r.c.applyLate(&m)
		return r.ClientWorld().Bodies()[4] == u.state
	}
	r.c.bodies[4].appliedTick = now - 10
	if at(false, now-5) {
		t.Error("a late packet moves an awake body")
	}
	if at(true, now-11) {
		t.Error("a state older than the newest one is applied")
	}
	if !at(true, now-5) {
		t.Error("a late packet does not put a body to sleep")
	}
}

func unowned(int) authority { return noAuthority }

// TestLargeScene checks that the grid covers the bounds of the scene, in both worlds and on the
// wire, with a body that is far out and fast.
func TestLargeScene(t *testing.T) {
	for _, level := range levels {
		r := newRig(t, "ship:distance=530", "latency=30ms", "compression", level, "smoothing", "none")
		w := r.ServerWorld()
		b := w.Bodies()[0]
		b.Pose.Pos = geom.Vec3{X: 500, Y: 300, Z: 20}
		b.Linear = geom.Vec3{X: 10, Y: 50}
		w.SetBody(0, b)
		r.input = predicttest.NoInput
		r.run(90)
		got := r.ClientWorld().Bodies()[0].Pose.Pos
		want := r.ServerPoses[r.ClientWorld().Tick()].Pos
		if off := got.Sub(want).Len(); off > 0.01 || want.X < 500 || want.Y < 320 {
			t.Errorf("%s: the body is at %v, and drawn %v m from the server's", level, want, off)
		}
	}
}
