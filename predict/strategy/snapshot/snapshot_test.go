package snapshot

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// rig is a client that receives snapshots made up by the test. Its server side does nothing.
type rig struct {
	*predicttest.Rig
	c     *client
	scene *sim.Scene
	rate  int

	velocities bool
	motion     func(seconds float64) bodyState // state of every body, by time
	tickOffset sim.Tick                        // added to the tick of every snapshot
}

func newRig(t testing.TB, rate int, knobs ...string) *rig {
	t.Helper()
	r := predicttest.New(t, Strategy, predicttest.Config{Rate: rate, AtHost: true, Knobs: knobs})
	return &rig{Rig: r, c: r.Clients[0].Client.(*client), scene: r.ClientWorld().Scene(), rate: rate, velocities: true, motion: straightLine}
}

// seconds returns the time of a server tick.
func (r *rig) seconds(tick float64) float64 { return tick / float64(r.rate) }

// send sends the snapshot of a tick, which arrives at once.
func (r *rig) send(tick int) {
	s := snapshot{tick: sim.Tick(tick) + r.tickOffset, velocities: r.velocities}
	for range r.scene.Boxes {
		s.bodies = append(s.bodies, r.motion(r.seconds(float64(tick))))
	}
	var c quant.Coder
	var buffer []byte
	s.write(&c, &buffer, r.scene)
	r.Peers[0].Endpoint.Send(c.FinishWrite())
}

// step steps the client once with the snapshots of some ticks, and returns its view.
func (r *rig) step(snapshots ...int) *predict.View {
	r.Peers[0].Endpoint.Update(r.Now())
	for _, t := range snapshots {
		r.send(t)
	}
	r.Clients[0].Endpoint.Update(r.Now())
	r.c.Tick(sim.Input{}, r.Clients[0].Endpoint)
	r.Tick++
	return r.View()
}

// run steps the client, with a snapshot of the present tick where one is due and delivered allows
// it, and returns the last view.
func (r *rig) run(ticks int, delivered func(tick int) bool) (v *predict.View) {
	for range ticks {
		if r.Tick%r.c.settings.snapshotEvery == 0 && (delivered == nil || delivered(r.Tick)) {
			v = r.step(r.Tick)
		} else {
			v = r.step()
		}
	}
	return v
}

// straightLine is straight motion at a constant velocity.
func straightLine(s float64) bodyState {
	v := geom.Vec3{X: 3, Y: -1, Z: 0.5}
	return bodyState{pose: geom.Pose{Pos: geom.Vec3{Z: 1}.AddScaled(float32(s), v), Rot: geom.AxisAngle(geom.Vec3{Z: 1}, float32(s))}, linear: v}
}

// circle is motion on a circle with a radius of one metre around (0, 0, 2) in two seconds.
func circle(s float64) bodyState {
	x, y := math.Cos(math.Pi*s), math.Sin(math.Pi*s)
	return bodyState{
		pose:   geom.Pose{Pos: geom.Vec3{X: float32(x), Y: float32(y), Z: 2}, Rot: geom.Identity},
		linear: geom.Vec3{X: float32(-math.Pi * y), Y: float32(math.Pi * x)},
	}
}

// TestDelayRule compares the automatic delay with the article's figures.
func TestDelayRule(t *testing.T) {
	for _, c := range []struct {
		rate           int
		every, survive string
		knob, value    string
		want           float64 // ms
	}{
		{60, "1", "2", "", "", 83.333}, // the article says 85
		{60, "2", "2", "", "", 150},
		{60, "3", "2", "", "", 200},
		{60, "6", "2", "", "", 350},
		{60, "6", "1", "", "", 250},
		{60, "6", "0", "", "", 150},
		{60, "6", "2", "extrapolate", "200ms", 150},
		{60, "1", "2", "extrapolate", "200ms", 0},
		{60, "6", "2", "interpolation-delay", "125ms", 125},
		{60, "6", "2", "interpolation-delay", "3s", 3000},
		{60, "1", "2", "interpolation-delay", "3s", 1033.333}, // limited by the buffer
		{64, "4", "2", "", "", 237.5},
		{10, "1", "2", "", "", 350},
		{240, "4", "2", "", "", 83.333},
		{60, "6", "2", "interpolation", "none", 0},
	} {
		r := newRig(t, c.rate, "snapshot-every", c.every, "survive-losses", c.survive)
		if c.knob != "" {
			r.SetKnob(c.knob, c.value)
		}
		r.run(3*c.rate, nil)
		if got := r.Counter("interpolation_delay_ms"); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%d Hz, every %s, survive-losses=%s, %s=%s: %v ms, want %v", c.rate, c.every, c.survive, c.knob, c.value, got, c.want)
		}
	}
}

// TestStraightLine checks that at any rate and in both interpolation modes, a body in straight
// motion is drawn at the pose that it had one delay earlier, and the view's tick says so.
func TestStraightLine(t *testing.T) {
	for _, mode := range []string{"linear", "hermite"} {
		for _, rate := range []int{10, 30, 60, 64, 240} {
			for _, every := range []string{"1", "3", "6"} {
				r := newRig(t, rate, "interpolation", mode, "snapshot-every", every)
				for range 4 * rate {
					v := r.run(1, nil)
					if !r.c.started {
						continue
					}
					drawnTick := float64(r.Tick-1) - r.Counter("interpolation_delay_ms")*float64(rate)/1000
					want := straightLine(r.seconds(drawnTick)).pose
					if d := v.Bodies[0].Pos.Sub(want.Pos).Len(); d > 1e-5 {
						t.Fatalf("%s, %d Hz, every %s: tick %d is drawn at %v, want %v", mode, rate, every, r.Tick, v.Bodies[0].Pos, want.Pos)
					}
					if a := v.Bodies[0].Rot.Mul(want.Rot.Inverse()).Angle(); a > 1e-5 {
						t.Fatalf("%s, %d Hz, every %s: rotated by %v", mode, rate, every, a)
					}
					if math.Abs(float64(v.Tick())-drawnTick) > 0.501 {
						t.Fatalf("%s, %d Hz, every %s: the view of %v claims %d", mode, rate, every, drawnTick, v.Tick())
					}
				}
				if !r.c.started || r.Counter("starved_ticks") != 0 {
					t.Errorf("%s, %d Hz, every %s: started %v, starved %v", mode, rate, every, r.c.started, r.Counter("starved_ticks"))
				}
			}
		}
	}
}

// TestCircle compares the two modes on a circle at ten snapshots a second, 18 degrees apart. The
// chord of 18 degrees is inside by 1 - cos 9 degrees, 12.3 mm, in its middle, and meets the next
// one at an angle; a cubic is 20 micrometres off and has no such kink.
func TestCircle(t *testing.T) {
	for _, c := range []struct {
		way       string
		low, high float64 // largest distance from the circle, metres
		kink      float64 // largest change of velocity in a tick, m/s, where the circle has 0.16
	}{{"linear", 0.0123, 0.0124, 0.97}, {"hermite", 0.00001, 0.00003, 0.18}} {
		r := newRig(t, 60, "interpolation", c.way, "snapshot-every", "6")
		r.motion = circle
		radiusError, kink := 0.0, 0.0
		var last, before geom.Vec3
		for i := range 600 {
			v := r.run(1, nil)
			if i < 100 {
				last, before = v.Bodies[0].Pos, last
				continue
			}
			p := v.Bodies[0].Pos
			want := circle(r.seconds(float64(r.Tick-1) - 21)).pose.Pos // 350 ms
			radiusError = max(radiusError, math.Abs(1-math.Hypot(float64(p.X), float64(p.Y))))
			if d := p.Sub(want).Len(); d > 0.0135 {
				t.Fatalf("%s: %v m from the pose one delay earlier", c.way, d)
			}
			kink = max(kink, 60*float64(p.Sub(last).Sub(last.Sub(before)).Len()))
			last, before = p, last
		}
		if radiusError < c.low || radiusError > c.high || math.Abs(kink-c.kink) > 0.03 {
			t.Errorf("%s: %v m off the circle, want %v to %v; kinks of %v m/s, want %v", c.way, radiusError, c.low, c.high, kink, c.kink)
		}
	}
}

// TestSurvivesLosses checks that with the automatic delay at ten a second, two snapshots lost in a
// row do not stop playback and three do, until the next snapshot; and that playback then continues
// where it would have been.
func TestSurvivesLosses(t *testing.T) {
	for lost, want := range map[int]float64{1: 0, 2: 0, 3: 1} {
		r := newRig(t, 60, "snapshot-every", "6")
		r.run(120, nil)
		var last *predict.View
		delivered := func(tick int) bool { return tick < 120 || tick >= 120+6*lost }
		for range 120 {
			v := r.run(1, delivered)
			if r.c.starvedTicks > 1 && (v.Bodies[0] != last.Bodies[0] || v.Tick() != last.Tick()) {
				t.Fatalf("%d lost: the view moves without a snapshot", lost)
			}
			last = v
		}
		if got := r.Counter("starvations"); got != want {
			t.Errorf("%d lost: %v times starved", lost, got)
		}
		if longest := r.Counter("starvation_max_ms"); want == 1 && (longest < 380 || longest > 400) {
			t.Errorf("%d lost: starved for %v ms", lost, longest)
		}
		if r.Counter("playback_restarts") != 0 {
			t.Errorf("%d lost: restarted", lost)
		}
		drawnTick := float64(r.Tick-1) - 21
		if d := last.Bodies[0].Pos.Sub(straightLine(r.seconds(drawnTick)).pose.Pos).Len(); d > 1e-5 {
			t.Errorf("%d lost: %v m from the expected position", lost, d)
		}
	}
}

// TestBlackoutRestarts checks that after ten seconds without a snapshot, more than the buffer
// covers, the client restarts and draws the expected position.
func TestBlackoutRestarts(t *testing.T) {
	for _, every := range []string{"1", "6"} {
		r := newRig(t, 60, "snapshot-every", every)
		r.run(120, nil)
		r.run(600, func(int) bool { return false })
		if r.Counter("playback_restarts") != 0 || r.Counter("starvations") != 1 || r.c.starvedTicks < 580 {
			t.Fatalf("every %s: %v restarts, %v starvations without a snapshot", every, r.Counter("playback_restarts"), r.Counter("starvations"))
		}
		v := r.run(60, nil)
		drawnTick := float64(r.Tick-1) - r.Counter("interpolation_delay_ms")*0.06
		if d := v.Bodies[0].Pos.Sub(straightLine(r.seconds(drawnTick)).pose.Pos).Len(); d > 1e-5 || r.Counter("playback_restarts") != 1 {
			t.Errorf("every %s: %v restarts, and %v m from the expected position", every, r.Counter("playback_restarts"), d)
		}
		if longest := r.Counter("starvation_max_ms"); r.Counter("starvations") != 1 || longest < 9800 || longest > 10500 {
			t.Errorf("every %s: stopped for %v ms, %v times", every, longest, r.Counter("starvations"))
		}
	}
}

// TestHigherLatencyRestarts checks that when latency grows by more than the delay, playback stops
// for about a second and a delay, and then restarts.
func TestHigherLatencyRestarts(t *testing.T) {
	r := newRig(t, 60)
	r.run(120, nil)
	for range 150 { // from now on half a second late
		r.step(r.Tick - 30)
	}
	v := r.step(r.Tick - 30)
	drawnTick := float64(r.Tick-1) - 30 - 5
	if d := v.Bodies[0].Pos.Sub(straightLine(r.seconds(drawnTick)).pose.Pos).Len(); d > 1e-5 || r.Counter("playback_restarts") != 1 {
		t.Errorf("%v restarts, and %v m from the expected position", r.Counter("playback_restarts"), d)
	}
	if n := r.Counter("starved_ticks"); n < 64 || n > 67 { // a second, and five ticks of delay
		t.Errorf("%v ticks starved", n)
	}
}

// TestLate checks that a snapshot that playback has passed is counted and changes nothing; one that
// is late but in time is used; without a buffer everything older than the newest is late.
func TestLate(t *testing.T) {
	r := newRig(t, 60, "snapshot-every", "6")
	missing := 150 // drawn at 171; until then playback goes from 144 to 156
	r.run(165, func(tick int) bool { return tick != missing })
	before := r.c.buffer.Len()
	r.step(r.Tick-1, missing)
	if r.Counter("snapshots_late") != 0 || r.c.buffer.Len() != before+2 {
		t.Errorf("in time: %v late", r.Counter("snapshots_late"))
	}
	r.step(132)
	if r.Counter("snapshots_late") != 1 || r.c.buffer.Len() != before+2 {
		t.Errorf("out of time: %v late", r.Counter("snapshots_late"))
	}

	r = newRig(t, 60, "interpolation", "none")
	r.run(60, nil)
	v := r.step(70)
	w := r.step(69)
	if v.Bodies[0] != straightLine(r.seconds(70)).pose || w.Bodies[0] != v.Bodies[0] || r.Counter("snapshots_late") != 1 {
		t.Errorf("without a buffer: %v late", r.Counter("snapshots_late"))
	}
}

// TestOnArrival checks that without interpolation a snapshot is drawn unchanged in the tick in
// which it arrives, and nothing moves until the next.
func TestOnArrival(t *testing.T) {
	r := newRig(t, 60, "interpolation", "none", "snapshot-every", "6")
	for range 120 {
		v := r.run(1, nil)
		received := (r.Tick - 1) / 6 * 6
		if v.Bodies[0] != straightLine(r.seconds(float64(received))).pose || v.Tick() != sim.Tick(received) {
			t.Fatalf("tick %d: drawn at %v, tick %d", r.Tick-1, v.Bodies[0].Pos, v.Tick())
		}
	}
}

// TestTouched checks that who touches a body is as in the snapshot that playback starts from, until
// the moment of the next.
func TestTouched(t *testing.T) {
	r := newRig(t, 60, "snapshot-every", "6")
	r.motion = func(s float64) bodyState {
		l := straightLine(s)
		l.touched = sim.NoPlayer
		if int(s*60+0.5)%12 == 0 {
			l.touched = 0
		}
		return l
	}
	for i := range 100 {
		v := r.run(1, nil)
		if i < 21 {
			continue
		}
		want := int8(sim.NoPlayer)
		if (i-21)%12 < 6 {
			want = 0
		}
		if !slices.Equal(v.TouchedBy, []int8{want}) {
			t.Fatalf("tick %d: touched by %v, want %v", i, v.TouchedBy, want)
		}
	}
}

// TestTrail checks that the trail is where the player's cube was drawn in the last 160 ticks, and a
// copy of the client gives the same view.
func TestTrail(t *testing.T) {
	r := newRig(t, 60, "snapshot-every", "6")
	r.motion = circle
	var drawn []geom.Pose
	var v *predict.View
	for i := range 300 {
		v = r.run(1, nil)
		if want := drawn[max(len(drawn)-predict.TrailTicks+1, 0):]; i > 0 && !slices.Equal(v.Trail, want) {
			t.Fatalf("tick %d: %d points, want %d, or they differ", i, len(v.Trail), len(want))
		}
		drawn = append(drawn, v.Bodies[0])
	}
	other := newRig(t, 60)
	other.c.CopyFrom(r.c)
	var w predict.View
	other.c.View(&w)
	if !reflect.DeepEqual(&w, v) {
		t.Errorf("the copy shows\n%+v, the original\n%+v", w, v)
	}
}

// TestTickWraps checks that the wrap of the tick's fifteen bits has no effect; the first snapshot
// of a long session is understood, and so is the first one after eleven minutes of silence.
func TestTickWraps(t *testing.T) {
	r := newRig(t, 60)
	r.tickOffset = 3*65536 - 200
	r.c.expectedTick = r.tickOffset
	var last geom.Vec3
	for i := range 400 {
		v := r.run(1, nil)
		step := v.Bodies[0].Pos.Sub(last).Len()
		if want := float32(math.Sqrt(9+1+0.25) / 60); i > 10 && geom.Abs(step-want) > 1e-4 {
			t.Fatalf("tick %d: a step of %v m, want %v", i, step, want)
		}
		if i > 10 && v.Tick() != r.tickOffset+sim.Tick(i-5) {
			t.Fatalf("tick %d: the view claims %d", i, v.Tick())
		}
		last = v.Bodies[0].Pos
	}
	if r.Counter("snapshots_late")+r.Counter("playback_restarts")+r.Counter("starved_ticks") != 0 {
		t.Error("the wrap had an effect")
	}
	r.run(40000, func(int) bool { return false })
	r.motion = func(float64) bodyState { return straightLine(0) }
	if v := r.run(60, nil); v.Tick() != r.tickOffset+sim.Tick(r.Tick-6) {
		t.Errorf("after a long silence the view claims %d, want %d", v.Tick(), r.tickOffset+sim.Tick(r.Tick-6))
	}
}

// TestExtrapolates checks that extrapolation by 200 ms draws a body in straight motion where it is
// 200 ms later, and one on a circle outside of it.
func TestExtrapolates(t *testing.T) {
	for _, mode := range []string{"linear", "hermite"} {
		r := newRig(t, 60, "snapshot-every", "6", "extrapolate", "200ms", "interpolation", mode)
		v := r.run(200, nil)
		drawnTick := float64(r.Tick-1) - 9 + 12 // 150 ms behind, 200 ms on
		if d := v.Bodies[0].Pos.Sub(straightLine(r.seconds(drawnTick)).pose.Pos).Len(); d > 1e-5 || v.Tick() != sim.Tick(drawnTick) {
			t.Errorf("%s: %v m from the extrapolated position, at %d", mode, d, v.Tick())
		}
		r.motion = circle
		v = r.run(200, nil)
		if radius := v.Bodies[0].Pos.Sub(geom.Vec3{Z: 2}).Len(); radius < 1.15 || radius > 1.19 { // sqrt(1 + (0.2 pi)^2) is 1.18
			t.Errorf("%s: %v m from the centre of a circle of 1 m", mode, radius)
		}
	}
}

// TestKnobChanges checks that whatever knob changes during a session, the drawn body returns to its
// expected position and never leaves its line.
func TestKnobChanges(t *testing.T) {
	r := newRig(t, 60)
	r.motion = func(s float64) bodyState {
		v := geom.Vec3{X: 1, Z: 1. / 6}
		return bodyState{pose: geom.Pose{Pos: geom.Vec3{Z: 1}.AddScaled(float32(s), v), Rot: geom.Identity}, linear: v}
	}
	r.run(100, nil)
	for i, x := range []string{
		"snapshot-every 6", "snapshot-every 64", "snapshot-every 1", "snapshot-every 3", "interpolation-delay 1s", "interpolation-delay 0",
		"interpolation none", "interpolation linear", "interpolation hermite", "interpolation-delay 20ms", "interpolation-delay 3s", "snapshot-every 64",
		"snapshot-every 1", "interpolation-delay 0", "survive-losses 0", "extrapolate 100ms", "extrapolate 0",
	} {
		name, value, _ := strings.Cut(x, " ")
		r.SetKnob(name, value)
		r.velocities = i%4 != 0
		for range 600 {
			v := r.run(1, nil)
			// The line is z = 1 + x/6 at every position.
			p := v.Bodies[0].Pos
			if distance := geom.Abs(p.Z - 1 - p.X/6); distance > 1e-4 || p.X > float32(r.seconds(float64(r.Tick+6))) {
				t.Fatalf("%s: %v m off the line at %v", x, distance, p)
			}
		}
		v := r.run(1, nil)
		behind := r.seconds(float64(r.Tick-1)) - float64(v.Bodies[0].Pos.X)
		limit := r.Counter("interpolation_delay_ms") + 1
		if r.velocities {
			limit -= r.c.settings.extrapolate
		}
		if r.c.settings.interpolation == onArrival {
			limit = 1000 * r.seconds(float64(r.c.settings.snapshotEvery))
		}
		if x == "delay 20ms" {
			limit += 50 // less than an interval: it starves between two
		}
		if behind*1000 > limit || behind*1000 < -r.c.settings.extrapolate-1 {
			t.Errorf("%s: %v ms behind, the delay is %v", x, behind*1000, r.Counter("interpolation_delay_ms"))
		}
	}
}

// TestSnapshotRoundTrip checks that a world's visible state arrives bit for bit in the article's
// 225 and 321 bits a body, who touches it included; a truncated or extended payload is rejected.
func TestSnapshotRoundTrip(t *testing.T) {
	for _, c := range []struct {
		scene      string
		velocities bool
		bits       int // a body
	}{
		{"katamari:cubes=20", false, 225}, {"katamari:cubes=20", true, 321},
		{"katamari:cubes=20:players=3", true, 322}, {"katamari:cubes=20:players=4", false, 227},
	} {
		sc := predicttest.Scene(t, c.scene)
		w := predict.NewWorld(sc, 60)
		touched := 0
		for i := range 120 {
			w.Step(sim.Input{Buttons: sim.Pull | sim.Buttons(1<<(i/30))}, sim.Input{Buttons: sim.Left})
			touched = 0
			for _, p := range w.TouchedBy() {
				if p != sim.NoPlayer {
					touched++
				}
			}
		}
		if touched < 2 || touched == len(w.Bodies()) {
			t.Fatalf("%s: %d bodies are touched", c.scene, touched)
		}
		var k quant.Coder
		var buffer []byte
		var out, in snapshot
		out.capture(w, raw, c.velocities)
		out.write(&k, &buffer, &sc)
		if want := 17 + c.bits*len(w.Bodies()); k.BitsProcessed() != want {
			t.Errorf("%s: %d bits, want %d", c.scene, k.BitsProcessed(), want)
		}
		payload := slices.Clone(k.FinishWrite())
		if !c.velocities {
			for i := range out.bodies {
				out.bodies[i].linear = geom.Vec3{}
			}
		}
		if err := in.read(&k, payload, &sc, w.Tick(), nil); err != nil || in.tick != w.Tick() || !slices.Equal(in.bodies, out.bodies) {
			t.Errorf("%s: read and written snapshots differ (%v)", c.scene, err)
		}
		for n := range payload {
			if in.read(&k, payload[:n], &sc, 0, nil) == nil {
				t.Fatalf("%s: %d of %d bytes are accepted", c.scene, n, len(payload))
			}
		}
		if in.read(&k, append(payload, 0), &sc, 0, nil) == nil {
			t.Errorf("%s: a trailing byte is accepted", c.scene)
		}
	}
}

// TestRejectsMalformed checks that payloads with values that no world has are counted and change
// nothing.
func TestRejectsMalformed(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	r := newRig(t, 60, "interpolation", "none")
	before := *r.run(10, nil)
	rejected := 0
	for _, corrupt := range []func(*bodyState){
		func(l *bodyState) { l.pose.Pos.X = nan },
		func(l *bodyState) { l.pose.Pos.Y = 300 },
		func(l *bodyState) { l.pose.Pos.Z = -0.1 },
		func(l *bodyState) { l.pose.Rot = geom.Quat{} },
		func(l *bodyState) { l.pose.Rot.W = inf },
		func(l *bodyState) { l.linear.Z = nan },
		func(l *bodyState) { l.linear.X = -5000 },
	} {
		r.motion = func(s float64) bodyState {
			l := straightLine(s)
			corrupt(&l)
			return l
		}
		v := r.run(1, nil)
		rejected++
		if int(r.Counter("rejected_payloads")) != rejected || v.Bodies[0] != before.Bodies[0] || v.LastReceived[0] != before.LastReceived[0] || v.Tick() != before.Tick() {
			t.Errorf("payload %d: %v rejected", rejected, r.Counter("rejected_payloads"))
		}
	}
}

// TestFields checks that decoding a payload's fields reports every bit of it, and fails where
// reading does.
func TestFields(t *testing.T) {
	r := newRig(t, 60)
	s := snapshot{tick: 5, velocities: true, bodies: []bodyState{straightLine(0.1)}}
	var c quant.Coder
	var buffer []byte
	s.write(&c, &buffer, r.scene)
	bits := 0
	names := map[string]int{}
	see := func(f quant.Field) {
		bits += f.Bits
		names[f.Name]++
	}
	if err := Strategy.Fields(false, c.FinishWrite(), r.scene, see); err != nil || bits != c.BitsProcessed() {
		t.Errorf("%d bits reported, want %d (%v)", bits, c.BitsProcessed(), err)
	}
	want := map[string]int{"tick": 1, "packed": 1, "velocities": 1, "touched": 1, "position": 3, "rotation": 4, "linear": 3}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if Strategy.Fields(false, c.FinishWrite()[:20], r.scene, see) == nil {
		t.Error("the fields of a truncated payload are accepted")
	}
}

// FuzzRead sends a client arbitrary payloads: it never draws what no world could contain.
func FuzzRead(f *testing.F) {
	r := newRig(f, 60)
	var c quant.Coder
	payload := func(tick int, velocities bool) []byte {
		s := snapshot{tick: sim.Tick(tick), velocities: velocities, bodies: []bodyState{straightLine(r.seconds(float64(tick)))}}
		var buffer []byte
		s.write(&c, &buffer, r.scene)
		return c.FinishWrite()
	}
	var first [10][]byte
	for i := range first {
		first[i] = payload(i, true)
	}
	f.Add(payload(12, true), uint8(0))
	f.Add(payload(12, false), uint8(3))
	f.Add([]byte{}, uint8(9))
	for l := smallestThree; l <= arithmetic; l++ {
		s := snapshot{tick: 12, level: l, velocities: l < quantised, bodies: []bodyState{straightLine(r.seconds(12))}}
		var buffer []byte
		if l < quantised {
			s.write(&c, &buffer, r.scene)
			f.Add(slices.Clone(c.FinishWrite()), uint8(l))
			continue
		}
		ends := newDeltaPeer()
		payload, number := s.writePacked(&c, &buffer, r.scene, &ends)
		f.Add(slices.Clone(payload), uint8(l))
		ends.writer.Acknowledge(number)
		s.bodies[0] = straightLine(r.seconds(13))
		s.tick++
		payload, _ = s.writePacked(&c, &buffer, r.scene, &ends)
		f.Add(slices.Clone(payload), uint8(l))
	}
	f.Fuzz(func(t *testing.T, payload []byte, ticks uint8) {
		env := predicttest.NewEnv(*r.scene, 60, -1)
		c := newClient(env).(*client)
		step := func(payload []byte) {
			c.now++
			c.expectedTick++
			c.receive(payload)
			c.drawInterpolated()
		}
		for _, p := range first {
			step(p)
		}
		step(payload)
		_ = Strategy.Fields(false, payload, r.scene, func(quant.Field) {})
		for range ticks {
			step(first[9])
		}
		// Between two valid positions a curve may leave the world, but by no more than its
		// velocities explain.
		if p := c.drawn[0]; !p.Pos.IsFinite() || p.Pos.Len() > 1000 || geom.Abs(p.Rot.Dot(p.Rot)-1) > 0.01 {
			t.Errorf("drawn: %+v", p)
		}
	})
}
