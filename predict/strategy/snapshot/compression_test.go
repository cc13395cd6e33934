package snapshot

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/delta"
	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// pair is a server, where all players sit, a spectating client, and all snapshots of the session.
type pair struct {
	*predicttest.Rig
	t      testing.TB
	s      *server
	c      *client
	sent   map[sim.Tick]snapshot // visible state, by server tick
	levels map[sim.Tick]int
}

func newPair(t testing.TB, scene, network string, knobs ...string) *pair {
	t.Helper()
	r := predicttest.New(t, Strategy, predicttest.Config{Scene: scene, Network: network, AtHost: true, Knobs: knobs})
	return &pair{Rig: r, t: t, s: r.Server.(*server), c: r.Clients[0].Client.(*client), sent: map[sim.Tick]snapshot{}, levels: map[sim.Tick]int{}}
}

// step steps the server with the inputs of its players, and the client half a tick later: over a
// perfect network a snapshot arrives in its tick.
func (p *pair) step(in ...sim.Input) {
	p.Peers[0].Endpoint.Update(p.Now())
	p.s.Tick(in, p.Peers)
	var x snapshot
	x.capture(p.ServerWorld(), p.s.current.level, defaultPrecision, quant.ShorterIndices, true)
	p.sent[x.tick], p.levels[x.tick] = x, p.s.current.level
	p.Clients[0].Endpoint.Update(p.Now() + time.Second/120)
	p.c.Tick(sim.Input{}, p.Clients[0].Endpoint)
	p.Tick++
}

// maxErrors returns the largest differences between a received snapshot and the one sent: metres
// along an axis, radians, m/s along an axis. An impossible difference fails the test.
func (p *pair) maxErrors(got *snapshot) (position, rotation, velocity float64) {
	p.t.Helper()
	want, ok := p.sent[got.tick]
	if !ok || len(got.bodies) != len(want.bodies) || got.level != p.levels[got.tick] {
		p.t.Fatalf("a snapshot of tick %d and level %d was not sent", got.tick, got.level)
	}
	largest := func(a, b geom.Vec3) float64 {
		d := a.Sub(b)
		return float64(max(geom.Abs(d.X), geom.Abs(d.Y), geom.Abs(d.Z)))
	}
	for i := range want.bodies {
		w, g := &want.bodies[i], &got.bodies[i]
		if w.touched != g.touched {
			p.t.Fatalf("tick %d: body %d is touched by %d, want %d", got.tick, i, g.touched, w.touched)
		}
		position = max(position, largest(w.pose.Pos, g.pose.Pos))
		r := w.pose.Rot.Mul(g.pose.Rot.Inverse())
		rotation = max(rotation, 2*float64(geom.Vec3{X: r.X, Y: r.Y, Z: r.Z}.Len()))
		if got.velocities {
			v := w.linear
			if got.level >= boundedVelocity { // speeds above 32 m/s are clamped to 32
				v = geom.Vec3{X: geom.Clamp(v.X, -32, 32), Y: geom.Clamp(v.Y, -32, 32), Z: geom.Clamp(v.Z, -32, 32)}
			}
			velocity = max(velocity, largest(v, g.linear))
		}
	}
	return position, rotation, velocity
}

// The precision of the levels: half a step of 1/512 m and of 1/32 m/s.
const (
	maxPositionError = 0.5/512 + 1e-5
	maxVelocityError = 0.5/32 + 1e-6
)

// TestLevelsDecode checks that at every level, while levels and the encoding of indices change, with one or several players,
// and under loss, jitter, duplication and reordering, every snapshot that arrives is decoded,
// within the precision of its level.
func TestLevelsDecode(t *testing.T) {
	t.Parallel()
	for _, scene := range []string{"katamari:cubes=40", "katamari:cubes=40:players=3"} {
		for _, conditions := range []string{
			"latency=50ms", "latency=60ms,jitter=40ms,loss=30%,duplicate=10%,reorder=10%,reorder-delay=200ms",
			"latency=30ms,jitter=100ms,loss=70%,duplicate=30%", "latency=300ms,loss=20%",
		} {
			if experiment.Brief() && !strings.Contains(conditions, "duplicate=10%") {
				continue
			}
			x := newPair(t, scene, conditions)
			relative, counts := 0, make([]int, len(levels))
			seen := map[sim.Tick]bool{}
			for i := range 1800 {
				if i%100 == 0 {
					// All levels upwards, then downwards, then in jumps.
					x.SetKnob("compression", levels[[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 7, 5, 0, 8, 4, 8, 3, 8, 5}[i/100]])
				}
				if i%35 == 0 {
					x.SetKnob("index-encoding", indexEncodings[i/35%len(indexEncodings)])
				}
				x.step(sim.Input{Buttons: sim.Pull | sim.Buttons(1<<(i/40%4))}, sim.Input{Buttons: sim.Left}, sim.Input{Buttons: sim.Pull})
				for k := range x.c.buffer.Len() {
					p := &x.c.buffer.At(k).Value
					if seen[p.tick] {
						continue
					}
					seen[p.tick] = true
					counts[p.level]++
					position, rotation, velocity := x.maxErrors(p)
					want := [3]float64{0, 0, 0}
					if p.level >= smallestThree {
						want[1] = quant.SnapshotRotation.MaxAngleError()
					}
					if p.level >= boundedVelocity {
						want[2] = maxVelocityError
					}
					if p.level >= quantised {
						want[0] = maxPositionError
					}
					if position > want[0] || rotation > want[1]+2e-6 || velocity > want[2] {
						t.Fatalf("%s, %s: %s: off by %v m, %v rad, %v m/s", scene, conditions, levels[p.level], position, rotation, velocity)
					}
				}
				if p := &x.s.lastPackets; x.s.current.level > quantised && (*p)[0].Parts.Index > 0 {
					relative++
				}
			}
			if n := x.Counter("rejected_payloads"); n != 0 {
				t.Errorf("%s, %s: %v rejected", scene, conditions, n)
			}
			if slices.Min(counts) < 5 || relative < 200 {
				t.Errorf("%s, %s: %v received by level, %d relative", scene, conditions, counts, relative)
			}
		}
	}
}

// TestBitsPerLevel compares the size of a body at each level, with and without velocities, with
// known sizes. The counters account for all bits and no others.
func TestBitsPerLevel(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	bodies := 0.0
	bitsPerBody := map[string]float64{}
	for _, mode := range []string{"linear", "hermite"} {
		for l, name := range levels {
			x := newPair(t, "katamari:cubes=100", "perfect", "compression", name, "interpolation", mode)
			for i := range 300 {
				x.step(sim.Input{Buttons: sim.Pull | sim.Buttons(1<<(i/40%4))})
			}
			m := x.Counters
			bodies = float64(len(x.ServerWorld().Bodies()))
			sum := m.Value("index_bits") + m.Value("position_bits") + m.Value("rotation_bits") + m.Value("linear_bits") + m.Value("other_bits")
			if each := m.Value("bits_per_body"); math.Abs(each-sum) > 1e-9 || math.Abs(each-m.Value("snapshot_bits")/m.Value("snapshots")/bodies) > 1e-9 {
				t.Errorf("%s, %s: %v bits, parts are %v, all are %v", name, mode, each, sum, m.Value("snapshot_bits"))
			}
			for _, part := range []string{"index_bits", "position_bits", "rotation_bits", "other_bits"} {
				if v := m.Value(part); v < 0 || part == "index_bits" && (l > quantised) != (v > 0) {
					t.Errorf("%s, %s: %s %v", name, mode, part, v)
				}
			}
			if v := m.Value("linear_bits"); (v > 0) != (l <= atRest && mode == "hermite") {
				t.Errorf("%s, %s: %v bits of velocities", name, mode, v)
			}
			bitsPerBody[name+" "+mode] = m.Value("bits_per_body")
		}
	}
	header := func(bits float64) float64 { return bits / bodies }
	for name, want := range map[string]float64{
		"raw linear": 225 + header(17), "raw hermite": 321 + header(17),
		"smallest-three linear": 126 + header(21), "smallest-three hermite": 222 + header(21),
		"bounded-velocity linear": 126 + header(21), "bounded-velocity hermite": 159 + header(21),
		"at-rest linear": 126 + header(21), "quantised linear": 80 + header(24+32),
	} {
		if got := bitsPerBody[name]; got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%s: %v bits a body, want %v", name, got, want)
		}
	}
	for l := atRest; l < arithmetic; l++ {
		if a, b := bitsPerBody[levels[l]+" linear"], bitsPerBody[levels[l+1]+" linear"]; b >= a {
			t.Errorf("%s takes %v bits a body, %s %v", levels[l], a, levels[l+1], b)
		}
	}
	if a, b := bitsPerBody["at-rest hermite"], bitsPerBody["quantised hermite"]; a < 127 || a > 160 || b != bitsPerBody["quantised linear"] {
		t.Errorf("at rest %v bits a body, quantised %v", a, b)
	}
}

// TestPackedRejectsMalformed checks that packed payloads that are truncated, extended, padded with
// nonzero bits, or name more or fewer players than touched bodies are rejected, and the next valid
// one is read. A truncated payload of the arithmetic coder may decode to another snapshot; it only
// must do no harm.
func TestPackedRejectsMalformed(t *testing.T) {
	for _, scene := range []string{"katamari:cubes=30", "katamari:cubes=30:players=3"} {
		for _, level := range []string{"smallest-three", "at-rest", "quantised", "delta", "relative-rotation", "arithmetic"} {
			x := newPair(t, scene, "perfect", "compression", level)
			for i := range 60 {
				x.step(sim.Input{Buttons: sim.Pull | sim.Buttons(1<<(i/40%4))}, sim.Input{Buttons: sim.Left | sim.Pull})
			}
			var k quant.Coder
			var s snapshot
			var payload []byte
			sc := x.ServerWorld().Scene()
			if p := &x.s.current; p.level < quantised {
				p.capture(x.ServerWorld(), p.level, defaultPrecision, quant.ShorterIndices, true)
				p.write(&k, &x.s.buffer, sc)
				payload = bytes.Clone(k.FinishWrite())
			} else {
				p.capture(x.ServerWorld(), p.level, defaultPrecision, quant.ShorterIndices, false)
				payload, _ = p.writePacked(&k, &x.s.buffer, sc, &x.s.deltaPeers[0])
				payload = bytes.Clone(payload)
			}
			frames := x.c.deltaReader
			read := func(b []byte) error { return s.read(&k, b, sc, x.ServerWorld().Tick(), frames) }
			for n := range payload {
				if x.s.current.level == arithmetic {
					frames = delta.NewReader(delta.Arithmetic, len(sc.Boxes))
					frames.CopyFrom(x.c.deltaReader)
				}
				if read(payload[:n]) == nil && (x.s.current.level < arithmetic || n < len(payload)/2) {
					t.Fatalf("%s, %s: %d of %d bytes are accepted", scene, level, n, len(payload))
				}
			}
			frames = x.c.deltaReader
			if read(append(bytes.Clone(payload), 0)) == nil {
				t.Errorf("%s, %s: a trailing byte is accepted", scene, level)
			}
			if sc.Players == 1 && x.s.current.level >= quantised {
				wrong := bytes.Clone(payload)
				wrong[2] |= 0x80 // padding
				if read(wrong) == nil {
					t.Errorf("%s: nonzero padding is accepted", level)
				}
			}
			if sc.Players == 3 && level == "quantised" {
				touchers := slices.Clone(x.s.current.touchers)
				rest := payload[(16+4+bits.Len(uint(len(sc.Boxes)))+2*len(touchers)+7)/8:]
				for _, other := range [][]int8{touchers[1:], append(touchers, 1)} {
					k.BeginWrite(make([]byte, 256))
					k.Bits(uint32(x.s.current.tick), tickBits)
					k.Bool(true)
					k.Int(quantised, 0, len(levels)-1)
					k.Int(len(other), 0, len(sc.Boxes))
					for _, p := range other {
						k.Int(int(p), 0, 2)
					}
					frames = delta.NewReader(delta.Quantised, len(sc.Boxes))
					frames.CopyFrom(x.c.deltaReader)
					if err := read(append(k.FinishWrite(), rest...)); err != predict.ErrMalformed {
						t.Errorf("%d players for %d touched bodies: %v", len(other), len(touchers), err)
					}
				}
				frames = x.c.deltaReader
			}
			fieldBits := 0
			if err := Strategy.Fields(false, payload, sc, func(f quant.Field) { fieldBits += f.Bits }); err != nil || (fieldBits+7)/8 != len(payload) {
				t.Errorf("%s, %s: %d bits reported of %d bytes (%v)", scene, level, fieldBits, len(payload), err)
			}
			if err := read(payload); err != nil || s.tick != x.ServerWorld().Tick() {
				t.Errorf("%s, %s: a valid payload is rejected: %v", scene, level, err)
			}
		}
	}
}

// TestWideScenes checks that positions in a scene wider than the bounds of quantised positions are
// not clamped.
func TestWideScenes(t *testing.T) {
	sc := predicttest.Scene(t, "plain")
	sc.HalfWidth = 400
	if fitsQuantised(&sc) {
		t.Error("400 m fit")
	}
	var k quant.Coder
	a, b := link.Pair(&link.Network{}, 0)
	env := predicttest.NewEnv(sc, 60, -1)
	s := newServer(env).(*server)
	if err := env.Knobs.Set("compression", "arithmetic"); err != nil {
		t.Fatal(err)
	}
	e := packet.NewEndpoint(a)
	s.Tick([]sim.Input{{}}, []predict.Peer{{Endpoint: e, Player: -1}})
	u := packet.NewEndpoint(b)
	u.Update(time.Second)
	p, ok := u.Receive()
	var got snapshot
	if !ok || got.read(&k, p.Payload, &sc, 0, nil) != nil || got.level != atRest || got.bodies[0].pose.Pos != s.Env.World.Bodies()[0].Pose.Pos {
		t.Errorf("level %d", got.level)
	}
}

// TestDelayWithoutVelocities checks that without velocities nothing is extrapolated, and the
// automatic delay is not shortened.
func TestDelayWithoutVelocities(t *testing.T) {
	x := newPair(t, "katamari:cubes=5", "perfect", "extrapolate", "30ms", "compression", "arithmetic")
	for range 100 {
		x.step(sim.Input{Buttons: sim.Right})
	}
	if d, n := x.Counter("interpolation_delay_ms"), x.Counter("starved_ticks"); d < 83 || d > 84 || n > 0 {
		t.Errorf("delay %v ms, starved %v ticks", d, n)
	}
	x.SetKnob("compression", "raw")
	for range 30 {
		x.step(sim.Input{Buttons: sim.Right})
	}
	if d := x.Counter("interpolation_delay_ms"); d < 53 || d > 54 {
		t.Errorf("with velocities: delay %v ms", d)
	}
}

// TestIncompleteSnapshots checks that a snapshot with a missing fragment is counted.
func TestIncompleteSnapshots(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("steps 901 cubes for thirteen seconds")
	}
	incomplete := map[string]float64{}
	for _, level := range []string{"raw", "arithmetic"} {
		x := newPair(t, "katamari", "latency=20ms,loss=1%", "compression", level)
		for i := range 400 {
			x.step(sim.Input{Buttons: sim.Pull | sim.Buttons(1<<(i/40%4))})
		}
		m := x.Counters
		incomplete[level] = m.Value("incomplete_snapshots")
		want := map[string]float64{"raw": 36, "arithmetic": 1}[level]
		if n := m.Value("fragments_per_snapshot"); n < want || n > want+0.6 {
			t.Errorf("%s: %v fragments a snapshot, want %v", level, n, want)
		}
	}
	// A loss of 1 % makes 30 % of snapshots in 36 fragments incomplete, and none in one fragment.
	if incomplete["raw"] < 80 || incomplete["raw"] > 160 || incomplete["arithmetic"] > 3 {
		t.Errorf("incomplete: %v", incomplete)
	}
}
