package relative

import (
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/localprediction/frame"
	"ghostcube/predict/part/codec"
	"ghostcube/predict/part/input"
	"ghostcube/predict/predicttest"
	"ghostcube/predict/strategy/historyoffset"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// rig is a client and a server of this strategy, or of another one to compare with.
type rig struct {
	*predicttest.Rig
	c *client // nil for another strategy
	s *server // nil for another strategy
}

func newRig(t testing.TB, scene, network string, knobs ...string) *rig {
	t.Helper()
	return newRigAt(t, Strategy, nil, scene, network, knobs...)
}

// newRigAt returns a rig of a strategy whose player's cube starts at a position, or where the scene
// has it if at is nil.
func newRigAt(t testing.TB, s *predict.Strategy, at *geom.Vec3, scene, network string, knobs ...string) *rig {
	t.Helper()
	r := predicttest.New(t, s, predicttest.Config{Scene: scene, Network: network, Knobs: knobs, Prepare: func(w *predict.World) {
		if at != nil {
			b := w.Bodies()[0]
			b.Pose.Pos = *at
			w.SetBody(0, b)
		}
	}})
	x := &rig{Rig: r}
	x.c, _ = r.Clients[0].Client.(*client)
	x.s, _ = r.Server.(*server)
	return x
}

// clientBody returns the player's cube in the client's world.
func (r *rig) clientBody() *sim.Body { return &r.ClientWorld().Bodies()[0] }

// serverBody returns the player's cube in the server's world.
func (r *rig) serverBody() *sim.Body { return &r.ServerWorld().Bodies()[0] }

// serverFrame returns the frame of a candidate in the server's world.
func (r *rig) serverFrame(candidate int) frame.Frame {
	w := r.ServerWorld()
	v := frame.Candidates(w.Scene())[candidate]
	if v.Carrier >= 0 {
		return frame.OfCarrier(w, v.Carrier, w.Tick().Moment())
	}
	return frame.OfBody(&w.Bodies()[v.Body])
}

// localError returns the distance between the client's cube and the server's, each in the frame of a
// candidate in its own world.
func (r *rig) localError(candidate int) float32 {
	client, server := r.c.parent.Interpolated(candidate), r.serverFrame(candidate)
	return client.LocalPoint(r.clientBody().Pose.Pos).Sub(server.LocalPoint(r.serverBody().Pose.Pos)).Len()
}

// TestWithoutParents checks that in a scene without parent candidates the strategy predicts the same
// as historyoffset, bit for bit.
func TestWithoutParents(t *testing.T) {
	a := newRigAt(t, historyoffset.Strategy, nil, "zen", "latency=75ms,loss=5%")
	b := newRig(t, "zen", "latency=75ms,loss=5%")
	for i := range 600 {
		a.Run(1, predicttest.DriveAround)
		b.Run(1, predicttest.DriveAround)
		if i%100 == 50 {
			a.Displace(geom.Vec3{X: 1})
			b.Displace(geom.Vec3{X: 1})
		}
		if *a.clientBody() != *b.clientBody() || a.Counter("corrections") != b.Counter("corrections") {
			t.Fatalf("tick %d: the two strategies differ", i)
		}
	}
	if a.Counter("corrections") < 5 {
		t.Errorf("%v corrections", a.Counter("corrections"))
	}
}

// TestRidesWithoutError checks a cube that stands on a turntable, or in a ship that accelerates to
// 50 m/s and stops. Once it has its parent, it needs at most one correction, when it wakes, and its
// position relative to the parent is within 5 mm of the server's, although it is drawn metres behind
// the server's cube.
func TestRidesWithoutError(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	networks := []string{"latency=100ms,loss=5%", "latency=100ms"}
	if experiment.Brief() {
		networks = networks[:1]
	}
	for _, c := range []struct {
		scene string
		at    geom.Vec3
		ticks int
	}{
		{"turntable", geom.Vec3{X: 2.75, Y: 0.5, Z: 0.87}, 900},
		{"ship:distance=530", geom.Vec3{Y: 6, Z: 0.87}, 1700},
		{"ship:distance=530:platform=1", geom.Vec3{Y: -0.35, Z: 0.87}, 1700},
	} {
		for _, network := range networks {
			r := newRigAt(t, Strategy, &c.at, c.scene, network)
			r.Run(150, predicttest.NoInput)
			before, behind := r.Counter("corrections"), float32(0)
			parent := r.c.parent.Current()
			if parent == frame.NoParent {
				t.Fatalf("%s: it has no parent", c.scene)
			}
			for range c.ticks {
				r.Run(1, predicttest.NoInput)
				if d := r.localError(parent); d > 0.005 {
					t.Fatalf("%s, %s, tick %d: its position in the parent is %v m off", c.scene, network, r.Tick, d)
				}
				behind = max(behind, r.Distance(0))
			}
			n := r.Counter("corrections") - before
			t.Logf("%s, %s: %v corrections, drawn up to %.1f m behind", c.scene, network, n, behind)
			if n > 1 || r.Counter("parent_switches") > 1 || behind < 0.2 {
				t.Errorf("%s, %s: %v corrections, %v switches, at most %v m behind", c.scene, network, n, r.Counter("parent_switches"), behind)
			}
		}
	}
}

// TestReplaysInParent checks that a replay in the frame of a parent, on a rotating table and in a ship
// at 41 m/s, is exact: a displaced cube is corrected at once, and agrees from then on.
func TestReplaysInParent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scene string
		at    geom.Vec3
		ticks int
	}{
		{"turntable", geom.Vec3{X: 2.75, Y: 0.5, Z: 0.87}, 300},
		{"ship:distance=530", geom.Vec3{Y: 6, Z: 0.87}, 900},
	} {
		r := newRigAt(t, Strategy, &c.at, c.scene, "latency=100ms")
		r.Run(c.ticks, predicttest.NoInput)
		parent, before := r.c.parent.Current(), r.Counter("corrections")
		if parent == frame.NoParent {
			t.Fatalf("%s: it has no parent", c.scene)
		}
		r.Displace(geom.Vec3{X: -0.5, Z: 0.3}) // away from the cubes
		r.Run(60, predicttest.NoInput)
		if n, d := r.Counter("corrections")-before, r.localError(parent); n == 0 || n > 10 || d > 0.01 || r.Counter("replay_offsets") != 0 {
			t.Errorf("%s: %v corrections, %v of all by offset, %v m off", c.scene, n, r.Counter("replay_offsets"), d)
		}
	}
}

// TestLeavesParent checks each handover with a cube that is thrown out of a moving ship: it has the
// ship's velocity in the world's frame, its drawn pose moves to the world's time without a large jump,
// and it ends where the server has it.
func TestLeavesParent(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, c := range []struct {
		handover, method string
		maxJump          float32 // metres
	}{
		{"fade", "offset", 0.6}, {"gradual", "offset", 0.6}, {"reconcile", "offset", 0.6},
		{"fade", "replay", 0.6}, {"gradual", "replay", 0.6}, {"reconcile", "replay", 2.5},
	} {
		handover := c.handover
		r := newRigAt(t, Strategy, &geom.Vec3{Y: 6, Z: 0.87}, "ship:distance=530", "latency=100ms", "handover", handover, "correct-by", c.method)
		r.Run(900, predicttest.NoInput) // at 41 m/s
		if r.c.parent.Current() != 0 {
			t.Fatal("it has no parent")
		}
		// The server throws it out; the client learns it from the snapshots.
		b := *r.serverBody()
		b.Pose.Pos.Z, b.Pose.Pos.Y = 12, -9
		r.ServerWorld().SetBody(0, b)
		last := geom.Vec3{}
		leftTick, jump, before := 0, float32(0), geom.Vec3{}
		for i := range 90 {
			r.Run(1, predicttest.NoInput)
			at := r.View().Bodies[0].Pos
			step := at.Sub(last)
			if leftTick == 0 && r.c.parent.Current() == frame.NoParent {
				leftTick = r.Tick
				if v := r.clientBody().Linear; v.X < 30 {
					t.Errorf("%s: it leaves at %v m/s", handover, v)
				}
			}
			if i > 1 && leftTick > 0 {
				jump = max(jump, step.Sub(before).Len())
			}
			last, before = at, step
		}
		t.Logf("%s, %s: left in tick %d; a drawn step differs by at most %.2f m from the last; %.2f m apart", handover, c.method, leftTick, jump, r.Distance(0))
		if leftTick == 0 {
			t.Fatalf("%s: it does not leave", handover)
		}
		if jump > c.maxJump {
			t.Errorf("%s, %s: its drawn pose jumps by %v m", handover, c.method, jump)
		}
		if n := r.Counter("handover_max_m"); handover != "reconcile" && (n < 10 || n > 16) || handover == "reconcile" && n > 0 {
			t.Errorf("%s: %v m between the two times", handover, n)
		}
		r.Run(900, predicttest.NoInput)
		if r.Distance(0) > 0.01 {
			t.Errorf("%s: in the end the two worlds differ by %v m", handover, r.Distance(0))
		}
	}
}

// TestHandoverAbsorbsCorrection checks that a correction by replay while the picture fades from a parent's time joins the fade:
// the error offset, which would decay faster, takes none of it.
func TestHandoverAbsorbsCorrection(t *testing.T) {
	t.Parallel()
	r := newRigAt(t, Strategy, &geom.Vec3{Y: 6, Z: 0.87}, "ship:distance=530", "latency=100ms")
	push := func(by geom.Vec3) {
		b := *r.serverBody()
		b.Pose.Pos = b.Pose.Pos.Add(by)
		r.ServerWorld().SetBody(0, b)
	}
	r.Run(900, predicttest.NoInput) // at 41 m/s
	push(geom.Vec3{Y: -15, Z: 11.13})
	for range 60 {
		if r.c.parent.Current() == frame.NoParent {
			break
		}
		r.Run(1, predicttest.NoInput)
	}
	r.Run(3, predicttest.NoInput)
	before := r.Counter("corrections")
	r.c.Player.ErrorOffset = smoothing.ErrorOffset{} // of the way out of the ship
	push(geom.Vec3{Z: 0.4})
	most := float32(0)
	for range 24 {
		r.Run(1, predicttest.NoInput)
		most = max(most, r.c.Player.ErrorOffset.Pos.Len())
	}
	if n := r.Counter("corrections") - before; n == 0 || most > 0.01 {
		t.Errorf("%v corrections in a handover; an error offset of %v m", n, most)
	}
}

// TestServerChoosesParent checks that a cube without a parent gets one only from the server's
// snapshots, because the client's ship is in the past, and that with parent-predict it leaves a parent
// before the server's snapshots say so.
func TestServerChoosesParent(t *testing.T) {
	for _, predicted := range []string{"on", "off"} {
		r := newRig(t, "ship", "latency=100ms", "parent-predict", predicted)
		r.Run(60, predicttest.NoInput)
		clientTick, serverTick := 0, 0 // in which each side has the parent
		for i := 0; i < 200 && clientTick == 0; i++ {
			if i < 45 {
				r.Run(1, predicttest.Press(sim.Forward))
			} else {
				r.Run(1, predicttest.NoInput)
			}
			if serverTick == 0 && r.s.parents.Parent(0) == 0 {
				serverTick = r.Tick
			}
			if r.c.parent.Current() == 0 {
				clientTick = r.Tick
			}
		}
		if clientTick-serverTick < 6 || clientTick-serverTick > 20 {
			t.Errorf("parent-predict %s: the server has the parent in tick %d, the client in %d", predicted, serverTick, clientTick)
		}
		before := r.Counter("parent_predicted_switches")
		for i := 0; i < 400 && r.c.parent.Current() == 0; i++ {
			r.Run(1, predicttest.Press(sim.Back))
		}
		if got := r.Counter("parent_predicted_switches") - before; (got == 1) != (predicted == "on") {
			t.Errorf("parent-predict %s: %v predicted switches", predicted, got)
		}
	}
}

// FuzzReadRelative sends arbitrary payloads to a client: none panics, or makes its body's state
// infinite.
func FuzzReadRelative(f *testing.F) {
	g := frame.Grid(newRig(f, "ship:platform=1", "perfect").ClientWorld().Scene())
	var c quant.Coder
	for _, state := range []frame.State{{Parent: frame.NoParent}, {Parent: 0}, {Parent: 1}} {
		state.Body.Pose.Rot = geom.Identity
		c.BeginWrite(make([]byte, 128))
		h := codec.ConsumedHeader{Consumed: input.Consumed{Source: input.SourceReceived, ClientTick: 29}}
		h.Code(&c, 0)
		state.Code(&c, 2, &g)
		c.Bits(31, 16)
		input.CodeInput(&c, sim.Input{Buttons: 3})
		for range 11 {
			c.Bool(false)
		}
		f.Add(append([]byte(nil), c.FinishWrite()...))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		r := newRig(t, "ship:platform=1", "perfect")
		r.Run(30, predicttest.DriveAround)
		r.Peers[0].Endpoint.Send(payload)
		r.Run(30, predicttest.DriveAround)
		b := r.clientBody()
		if !b.Pose.Pos.IsFinite() || !b.Pose.Rot.IsFinite() || !b.Linear.IsFinite() || !b.Angular.IsFinite() {
			t.Errorf("%+v", b)
		}
		fields(false, payload, r.ClientWorld().Scene(), func(quant.Field) {})
	})
}

// hop makes a cube hop that stands on a turntable of 6 rpm, 2.8 m from its centre. It returns the
// number of corrections until it stands again, their sum and the largest in metres, and the largest
// change of its drawn step on the table that the server's cube does not make.
func hop(t *testing.T, strategy *predict.Strategy, knobs ...string) (n, sum, largest, jump float64) {
	t.Helper()
	r := newRigAt(t, strategy, &geom.Vec3{X: 2.75, Y: 0.5, Z: 0.87}, "turntable", "latency=100ms", knobs...)
	r.Run(300, predicttest.NoInput)
	r.Corrections = nil
	var drawn, server [2]geom.Vec3 // the last two positions on the table
	changes := map[sim.Tick]geom.Vec3{}
	for i := range 240 {
		r.Run(1, func(int) sim.Input {
			if i < 5 {
				return sim.Input{Buttons: sim.Lift}
			}
			return sim.Input{}
		})
		v := r.View()
		table := frame.OfCarrier(r.ClientWorld(), 0, v.Carriers)
		at := table.LocalPoint(v.Bodies[0].Pos)
		if i > 2 {
			changes[v.Own.Tick()] = at.Sub(drawn[1]).Sub(drawn[1].Sub(drawn[0]))
		}
		drawn[0], drawn[1] = drawn[1], at
		now := r.ServerWorld().Tick()
		table = frame.OfCarrier(r.ServerWorld(), 0, now.Moment())
		at = table.LocalPoint(r.serverBody().Pose.Pos)
		if d, ok := changes[now]; ok && i > 20 {
			jump = max(jump, float64(d.Sub(at.Sub(server[1]).Sub(server[1].Sub(server[0]))).Len()))
		}
		server[0], server[1] = server[1], at
	}
	for _, f := range r.Corrections {
		sum, largest = sum+float64(f.Shift), max(largest, float64(f.Shift))
	}
	return float64(len(r.Corrections)), sum, largest, jump
}

// TestHopOnTable measures the corrections of a hop on a rotating table: almost none if the cube keeps
// its parent by its box and inertia is simulated, more if it is only moved along or has no parent in
// the air, and most with historyoffset.
func TestHopOnTable(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	type row struct {
		what     string
		strategy *predict.Strategy
		knobs    []string
		sum      float64
		largest  float64
	}
	rows := []row{
		{what: "relative", strategy: Strategy},
		{what: "relative:inertia=off", strategy: Strategy, knobs: []string{"inertia", "off"}},
		{what: "relative:parent-box=off", strategy: Strategy, knobs: []string{"parent-box", "off"}},
		{what: "relative:parent-box=off:handover=reconcile", strategy: Strategy, knobs: []string{"parent-box", "off", "handover", "reconcile"}},
		{what: "historyoffset", strategy: historyoffset.Strategy},
	}
	for _, method := range []string{"offset", "replay"} {
		for i := range rows {
			x := &rows[i]
			var n, jump float64
			n, x.sum, x.largest, jump = hop(t, x.strategy, append([]string{"correct-by", method}, x.knobs...)...)
			t.Logf("%s, %s: %v corrections, %.2f m in total, the largest %.3f m; the largest change of a drawn step on the table %.3f m",
				x.what, method, n, x.sum, x.largest, jump)
			if i == 0 && (x.sum > 0.3 || jump > 0.06) || i > 0 && x.sum < 3*rows[0].sum {
				t.Errorf("%s, %s: %v m", x.what, method, x.sum)
			}
		}
		if rows[3].largest < 0.3 || rows[4].sum < 3*rows[1].sum {
			t.Errorf("%s: the largest correction after reconcile is below 0.3 m, or historyoffset needs no more corrections", method)
		}
	}
}

// TestResetAboard checks that a client that was paused for two seconds in a moving ship skips to the
// server's time and keeps its position in the ship.
func TestResetAboard(t *testing.T) {
	r := newRigAt(t, Strategy, &geom.Vec3{Y: 6, Z: 0.87}, "ship:distance=530", "latency=100ms")
	r.Run(900, predicttest.NoInput)
	r.Paused = true
	r.Run(120, predicttest.NoInput)
	r.Paused = false
	r.Run(60, predicttest.NoInput)
	if n := r.Counter("resets"); n != 1 {
		t.Errorf("%v resets", n)
	}
	if d := r.localError(0); d > 0.02 || r.c.parent.Current() != 0 {
		t.Errorf("its position in the parent is %v m off, parent %d", d, r.c.parent.Current())
	}
}

// TestRidesBody checks that a body can be a parent like a carrier: a cube on the bed of the trailer,
// which drives in circles, has the bed as its parent, and its position on it is within 5 cm of the
// server's.
func TestRidesBody(t *testing.T) {
	experiment.Skip(t)
	sc := predicttest.Scene(t, "trailer")
	bed, at := -1, geom.Vec3{}
	for i, v := range frame.Candidates(&sc) {
		if v.Body < 0 {
			continue
		}
		if start := sc.Boxes[v.Body].Start.Pose.Pos; bed < 0 || start.X < -3 {
			bed, at = i, start.Add(geom.Vec3{Z: 1.5})
		}
	}
	r := newRigAt(t, Strategy, &at, "trailer", "latency=100ms")
	worst := float32(0)
	for i := range 600 {
		r.Run(1, predicttest.NoInput)
		if i > 200 {
			worst = max(worst, r.localError(bed))
		}
	}
	t.Logf("its position in the parent is up to %.3f m off, drawn %.2f m from the server's", worst, r.Distance(0))
	if worst > 0.05 || r.s.parents.Parent(0) != bed || r.c.parent.Current() != bed {
		t.Errorf("its position in the parent is up to %v m off, parent %d, at the server %d, want %d", worst, r.c.parent.Current(), r.s.parents.Parent(0), bed)
	}
}

// TestPendingCorrectionTurns checks that a pending correction turns with the parent: the corrections
// of a displacement on a table that turns once in four seconds add up to about that displacement.
func TestPendingCorrectionTurns(t *testing.T) {
	r := newRigAt(t, Strategy, &geom.Vec3{X: 1.2, Y: -1, Z: 0.87}, "turntable:rpm=15", "latency=100ms", "correction-factor", "1", "correction-steps", "60")
	r.Run(300, predicttest.NoInput)
	if r.c.parent.Current() != 0 {
		t.Fatal("it has no parent")
	}
	r.Corrections = nil
	table := r.serverFrame(0)
	r.Displace(table.WorldVector(geom.Vec3{Y: -1.2}))
	r.Run(240, predicttest.NoInput)
	sum := float32(0)
	for _, f := range r.Corrections {
		sum += f.Shift
	}
	t.Logf("%d corrections of %.3f m in total", len(r.Corrections), sum)
	if sum < 1 || sum > 1.5 || r.localError(0) > 0.05 {
		t.Errorf("%d corrections of %v m in total, its position is %v m off in the end", len(r.Corrections), sum, r.localError(0))
	}
}
