package animated

import (
	"math"
	"slices"
	"testing"
	"time"

	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// rig is a client and a server in the scene "plain".
type rig struct {
	*predicttest.Rig
	c    *client
	idle bool // the player presses nothing
}

func newRig(t *testing.T, network string, knobs ...string) *rig {
	t.Helper()
	r := predicttest.New(t, Strategy, predicttest.Config{Network: network, Knobs: knobs})
	return &rig{Rig: r, c: r.Clients[0].Client.(*client)}
}

// step runs a tick in which the player moves right, and returns the client's view.
func (r *rig) step() *predict.View {
	if r.idle {
		r.Run(1, predicttest.NoInput)
	} else {
		r.Run(1, predicttest.Press(sim.Right))
	}
	return r.View()
}

// TestValidity checks that a body is drawn where it was T before the state that arrives, between
// two ticks too, because a position is reached when its validity ends; and the view claims that
// tick.
func TestValidity(t *testing.T) {
	for _, c := range []struct {
		validity string
		ticks    float64
	}{{"0ms", 0}, {"60ms", 3.6}, {"100ms", 6}, {"225ms", 13.5}} {
		r := newRig(t, "latency=100ms", "validity", c.validity)
		for range 300 {
			v := r.step()
			if r.Tick < 100 {
				continue
			}
			// What arrives in tick n was sent in tick n-6, and is state n-5.
			moment := float64(r.Tick-1-5) - c.ticks
			n := int(math.Floor(moment))
			want := smoothing.LerpPose(r.ServerPoses[n], r.ServerPoses[n+1], float32(moment-float64(n)))
			if d := v.Bodies[0].Pos.Sub(want.Pos).Len(); d > 1e-4 {
				t.Fatalf("T %s, tick %d: %v m from the server's pose at %v", c.validity, r.Tick, d, moment)
			}
			if off := math.Abs(float64(v.Tick()) - moment); off > 0.51 {
				t.Fatalf("T %s: the view claims tick %d, want %v", c.validity, v.Tick(), moment)
			}
		}
		if r.Counter("positions_late")+r.Counter("positions_expired") > 0 {
			t.Errorf("T %s: positions are late although none is delayed", c.validity)
		}
	}
}

// TestExtrapolationStops checks that when positions stop arriving, the cube is extrapolated
// straight for half the measured round trip, slows down, and then stops, and counters and note say both. Without
// extrapolation, or with a fixed length of it, it stops after that.
func TestExtrapolationStops(t *testing.T) {
	for _, c := range []struct {
		latency, mode, length string
		ticks                 float64
	}{
		{"latency=100ms", "half-rtt", "0", 6}, {"latency=250ms", "half-rtt", "0", 15}, {"latency=50ms", "half-rtt", "0", 3},
		{"latency=100ms", "none", "500ms", 0}, {"latency=100ms", "fixed", "500ms", 30},
	} {
		r := newRig(t, c.latency, "extrapolation", c.mode, "extrapolate", c.length)
		for range 200 {
			r.step()
		}
		if n := r.Counter("extrapolated_ticks"); n > 4 {
			t.Errorf("%v: %v ticks extrapolated although everything arrives in time", c, n)
		}
		before := r.Counter("extrapolated_ticks")
		r.SetNetwork("down.loss=100%")
		frozen := 0
		var v, last *predict.View
		for range 100 {
			last, v = v, r.step()
			if last != nil && last.Bodies[0] == v.Bodies[0] {
				frozen++
			}
		}
		// The receiver has the last position that arrived.
		b := r.c.interpolated.Receiver().Bodies[0]
		beyond := v.Bodies[0].Pos.Sub(b.Pose.Pos).Len() / b.Linear.Len() * 60
		half := float64(r.Clients[0].Endpoint.Stats.RTT) / 2 / float64(time.Second) * 60
		if c.mode == "half-rtt" && (math.Abs(half-c.ticks) > 1.1 || math.Abs(float64(beyond)-half) > 0.01) {
			t.Errorf("%v: it stopped %v ticks beyond, half the round trip is %v", c, beyond, half)
		}
		if c.mode != "half-rtt" && math.Abs(float64(beyond)-c.ticks) > 0.01 {
			t.Errorf("%v: it stopped %v ticks beyond", c, beyond)
		}
		if n := r.Counter("extrapolated_ticks") - before - float64(beyond); n < -1 || n > 5 { // it slows down
			t.Errorf("%v: %v ticks extrapolated more than %v", c, n, beyond)
		}
		if frozen < 50 || v.Note != "no positions: stopped" || r.Counter("stopped_bodies") != 1 {
			t.Errorf("%v: stopped for %d ticks, note %q", c, frozen, v.Note)
		}
		var l predict.Inspection
		r.c.inspect(&l)
		if l.Age[0] < 60 || l.Moving[0] {
			t.Errorf("%v: age %d", c, l.Age[0])
		}
		r.SetNetwork("down.loss=0%")
		for range 40 {
			v = r.step()
		}
		if v.Note != "" || r.Counter("stopped_bodies") != 0 {
			t.Errorf("%v: note is still %q", c, v.Note)
		}
	}
}

// TestLateSnapshotOfRestingBody checks that a snapshot that arrives after its successor leaves a
// body that it does not include where it was before, not where the successor has it, so the cube
// starts to move on time.
func TestLateSnapshotOfRestingBody(t *testing.T) {
	r := newRig(t, "latency=50ms")
	r.idle = true
	for range 200 {
		r.step()
	}
	rest := r.ServerWorld().Bodies()[0].Pose
	r.SetNetwork("down.latency=90ms")
	r.step() // its snapshot arrives after the following one
	tick := float64(r.Tick)
	r.SetNetwork("down.latency=50ms")
	r.Displace(geom.Vec3{X: 1})
	before, moved := r.Counter("old_states"), false
	for range 20 {
		v := r.step()
		moment := float64(r.Tick-1-2) - 3.6 // what arrives in tick n is state n-2
		if x := v.Bodies[0].Pos.X - rest.Pos.X; moment <= tick && x != 0 {
			t.Errorf("at %v it is %v m away, but it rested until %v", moment, x, tick)
		} else if x > 0.9 {
			moved = true
		}
	}
	if r.Counter("old_states") != before+1 || !moved {
		t.Errorf("%v snapshots out of order, moved %v", r.Counter("old_states")-before, moved)
	}
}

// TestLatePositions checks that positions out of order but within their validity are used; beyond
// it some are late, which a counter and a note say; with a T above the jitter all are used again.
func TestLatePositions(t *testing.T) {
	for _, c := range []struct {
		network, validity string
		late              bool
	}{
		{"latency=100ms,jitter=10ms", "60ms", false},
		{"latency=100ms,jitter=60ms,reorder=20%,reorder-delay=50ms", "60ms", true},
		{"latency=100ms,jitter=60ms,reorder=20%,reorder-delay=50ms", "500ms", false},
	} {
		r := newRig(t, c.network, "validity", c.validity)
		noted := false
		for range 900 {
			noted = r.step().Note == "a late position was dropped" || noted
		}
		late := r.Counter("positions_late")
		if (late > 0) != c.late || noted != c.late {
			t.Errorf("%v: %v late of %v, noted %v", c, late, r.Counter("positions"), noted)
		}
		if r.Counter("old_states") == 0 {
			t.Errorf("%v: all arrived in order", c)
		}
	}
}

// TestTrail checks that the trail is where the client's own cube was drawn in the last 160 ticks, for each player,
// and that a copy of the client has it too.
func TestTrail(t *testing.T) {
	r := predicttest.New(t, Strategy, predicttest.Config{Scene: "two-players", Clients: 2})
	var drawn [2][]geom.Pose
	var v, w predict.View
	for tick := range 300 {
		r.RunPlayers(1, func(player, _ int) sim.Input {
			return sim.Input{Buttons: []sim.Buttons{sim.Right, sim.Left}[player]}
		})
		for i, c := range r.Clients {
			v.Reset()
			c.View(&v)
			if want := drawn[i][max(len(drawn[i])-predict.TrailTicks+1, 0):]; tick > 0 && !slices.Equal(v.Trail, want) {
				t.Fatalf("client %d, tick %d: %d points, want %d, or they differ", i, tick, len(v.Trail), len(want))
			}
			drawn[i] = append(drawn[i], v.Bodies[i])
		}
	}
	other := predicttest.New(t, Strategy, predicttest.Config{Scene: "two-players", Clients: 2})
	other.Clients[1].CopyFrom(r.Clients[1].Client)
	if other.Clients[1].View(&w); !slices.Equal(w.Trail, v.Trail) {
		t.Error("the trail of a copy differs")
	}
}

// TestCatchesUp checks that the drawn moment waits for an outage of a second, at most half a round trip beyond the
// last position, and then catches up, at most 1.6 times as fast, without a sudden change of its pace. Without
// catch-up it goes on, and the cube hurries to the next position; and three seconds it skips.
func TestCatchesUp(t *testing.T) {
	for _, c := range []struct {
		catchUp string
		silence int // ticks
		skips   bool
	}{{"2s", 60, false}, {"0ms", 60, true}, {"2s", 180, true}} {
		r := newRig(t, "latency=100ms", "catch-up", c.catchUp)
		var last predict.View
		var pace, fastest, uneven sim.Moment
		longest := float32(0)
		for i := range 1100 {
			switch i {
			case 300:
				r.SetNetwork("latency=100ms,down.loss=100%")
			case 300 + c.silence:
				r.SetNetwork("latency=100ms")
			}
			v := r.step()
			if i >= 280 {
				step := v.Others - last.Others
				uneven, fastest = max(uneven, step-pace, pace-step), max(fastest, step)
				longest = max(longest, v.Bodies[0].Pos.Sub(last.Bodies[0].Pos).Len())
			}
			pace = v.Others - last.Others
			last.CopyFrom(v)
		}
		if !c.skips && (fastest < 5*sim.MomentsPerTick/4 || fastest > 8*sim.MomentsPerTick/5 || uneven > 3*sim.MomentsPerTick/5) {
			t.Errorf("%s, %d ticks: the moment goes on by up to %.2f ticks, and changes that by %.2f", c.catchUp, c.silence, fastest.Ticks(), uneven.Ticks())
		}
		if c.skips != (longest > 2) { // at 32 m/s
			t.Errorf("%s, %d ticks: the cube goes on by %.3f m", c.catchUp, c.silence, longest)
		}
		if delay := float64(r.Tick) - last.Others.Ticks(); math.Abs(delay-6-3.6) > 0.1 {
			t.Errorf("%s, %d ticks: at the end the picture is %.2f ticks old", c.catchUp, c.silence, delay)
		}
	}
}

// TestNoOutageNoWait checks that while positions arrive the knob catch-up changes nothing, from the first tick on.
func TestNoOutageNoWait(t *testing.T) {
	a, b := newRig(t, "latency=75ms,jitter=10ms"), newRig(t, "latency=75ms,jitter=10ms", "catch-up", "0ms")
	for i := range 200 {
		if v, w := a.step(), b.step(); v.Others != w.Others || v.Bodies[0] != w.Bodies[0] {
			t.Fatalf("tick %d: drawn at %v and %v", i, v.Others.Ticks(), w.Others.Ticks())
		}
	}
}
