package codec

import (
	"slices"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/jointtree"
	"ghostcube/predict/part/validation"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

func newWorld(t testing.TB, name string) *predict.World {
	t.Helper()
	s := predicttest.Scene(t, name)
	return predict.NewWorld(s, 60)
}

// TestLocalBody checks that a relative body arrives as snapLocal rounds it, in the documented
// number of bits and with nothing left of the state that it is read over, and one out of range is
// recognised.
func TestLocalBody(t *testing.T) {
	small := sim.Body{
		Pose:   geom.Pose{Pos: geom.Vec3{X: 0.001, Y: -0.0005}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 1)},
		Linear: geom.Vec3{X: 0.01}, Angular: geom.Vec3{Y: 0.1},
	}
	large := small
	large.Pose.Pos, large.Linear, large.Angular = geom.Vec3{X: 0.25, Y: -0.1, Z: 0.1}, geom.Vec3{X: 15, Y: -2, Z: 1}, geom.Vec3{X: 15, Y: 4, Z: -4}
	rest := small
	rest.Asleep, rest.Linear, rest.Angular = true, geom.Vec3{}, geom.Vec3{}
	var got sim.Body
	for _, x := range []struct {
		b    sim.Body
		bits int
	}{{small, 1 + 27 + 47 + 54}, {rest, 1 + 27 + 47}, {large, 1 + 45 + 47 + 96}} {
		b := snapLocal(&x.b)
		if !fitsLocal(&x.b) || !fitsLocal(&b) || snapLocal(&b) != b {
			t.Errorf("%+v is not on its grid", b)
		}
		buffer := make([]byte, 64)
		var c quant.Coder
		c.BeginWrite(buffer)
		CodeLocalBody(&c, &b)
		if c.Err() != nil || c.BitsProcessed() != x.bits {
			t.Errorf("%d bits, want %d (%v)", c.BitsProcessed(), x.bits, c.Err())
		}
		c.BeginRead(c.FinishWrite())
		if CodeLocalBody(&c, &got); got != b || c.Err() != nil {
			t.Errorf("read %+v, want %+v (%v)", got, b, c.Err())
		}
	}
	for name, corrupt := range map[string]func(*sim.Body){
		"apart": func(b *sim.Body) { b.Pose.Pos.Z = 0.26 }, "fast": func(b *sim.Body) { b.Linear.X = 17 }, "turns fast": func(b *sim.Body) { b.Angular.Y = -17 },
		"infinite": func(b *sim.Body) { b.Pose.Pos.X = 1e30 },
	} {
		b := small
		if corrupt(&b); fitsLocal(&b) {
			t.Errorf("%s is in range", name)
		}
	}
}

// TestTreeSnapshots sends the walker and the trailer over a bad network with a joint tree: roots
// arrive bit for bit, the others within a millimetre for each joint between them and the root, in
// at most three quarters of the bits.
func TestTreeSnapshots(t *testing.T) {
	t.Parallel()
	for _, scene := range []string{"walker", "trailer"} {
		for _, network := range []string{"torture", "perfect"}[:experiment.Pick(1, 2, 2)] {
			w := newWorld(t, scene)
			conditions := &link.Network{Seed: 3}
			if err := conditions.Parse(network); err != nil {
				t.Fatal(err)
			}
			a, b := link.Pair(conditions, 0)
			client, server := packet.NewEndpoint(a), packet.NewEndpoint(b)
			_, e := link.Pair(&link.Network{}, 0)
			sink := packet.NewEndpoint(e)
			tree := jointtree.New(w.Scene(), &sim.Attachments{}, jointtree.HeaviestRoot, -1)
			var s, absoluteSender Sender // without the tree
			changes, plain := ChangeTracker{tree: tree}, ChangeTracker{}
			var r Receiver
			r.SetTree(tree)
			past := map[sim.Tick][]sim.Body{}
			fresh, old, bits, absolute := 0, 0, 0, 0
			for i := range 400 {
				now := time.Duration(i) * time.Second / 60
				server.Update(now)
				s.Acknowledge(server)
				w.Step(sim.Input{})
				changes.Update(w)
				plain.Update(w)
				past[w.Tick()] = slices.Clone(w.Bodies())
				bits += s.Send(server, w, &changes, []sim.Input{{}})
				absoluteSender.ackedTick, absoluteSender.hasAcked = s.ackedTick, s.hasAcked
				absolute += absoluteSender.Send(sink, w, &plain, []sim.Input{{}})
				client.Update(now)
				for p, ok := client.Receive(); ok; p, ok = client.Receive() {
					ok, err := r.Read(p.Payload, w.Scene(), w.Tick())
					if err != nil {
						t.Fatal(scene, network, i, err)
					}
					tick, bodies, included := r.OldSnapshot()
					if ok {
						fresh++
						tick, bodies, included = r.Tick, r.Bodies, nil
					} else {
						old++
					}
					for i := range bodies {
						n, want := &tree.Nodes[i], &past[tick][i]
						if included != nil && (!included[i] || !r.poseKnown[i]) {
							continue
						}
						distance := bodies[i].Pose.Pos.Sub(want.Pose.Pos).Len()
						if n.Parent == jointtree.None && bodies[i] != *want || distance > 0.001*float32(n.Depth) ||
							bodies[i].Linear.Sub(want.Linear).Len() > 0.1*float32(n.Depth) {
							t.Fatalf("%s, %s: body %d of tick %d is wrong by %v m:\n%+v\n%+v", scene, network, i, tick, distance, bodies[i], *want)
						}
					}
				}
				client.Send(nil)
			}
			if fresh < 100 || network == "torture" && old == 0 {
				t.Errorf("%s, %s: %d snapshots, %d old", scene, network, fresh, old)
			}
			if bits > absolute*3/4 {
				t.Errorf("%s, %s: %d bits, %d without the tree", scene, network, bits, absolute)
			}
		}
	}
}

// jointedPair returns a world with two cubes tied by a joint, the first of them heavier.
func jointedPair(t testing.TB) *predict.World {
	t.Helper()
	s := predicttest.Scene(t, "zen")
	s.Boxes = slices.Clone(s.Boxes[:3])
	for i := range s.Boxes {
		s.Boxes[i].Start.Pose = geom.Pose{Pos: geom.Vec3{X: 2 * float32(i), Z: 5}, Rot: geom.Identity}
		s.Boxes[i].Start.Asleep = false
	}
	s.Boxes[1].Density *= 10
	s.Joints = []sim.Joint{{A: 1, B: 2, Anchor: geom.Vec3{X: 3, Z: 5}}}
	return predict.NewWorld(s, 60)
}

// rig is a sender and a receiver of such a pair.
type rig struct {
	w       *predict.World
	changes ChangeTracker
	s       Sender
	r       Receiver
	e       *packet.Endpoint
	in      *packet.Endpoint
	now     time.Duration
}

func newPair(t testing.TB) *rig {
	t.Helper()
	g := &rig{w: jointedPair(t)}
	a, b := link.Pair(&link.Network{}, 0)
	g.in, g.e = packet.NewEndpoint(a), packet.NewEndpoint(b)
	tree := jointtree.New(g.w.Scene(), &sim.Attachments{}, jointtree.HeaviestRoot, -1)
	g.changes.tree = tree
	g.r.SetTree(tree)
	return g
}

// setBodies sets both bodies of the pair: the parent, and the child relative to it.
func (r *rig) setBodies(parent, local sim.Body) {
	n := &r.changes.tree.Nodes[2]
	r.w.SetBody(1, parent)
	r.w.SetBody(2, n.ToWorld(&parent, &local))
}

// send sends a tick and returns the payload, which counts as acknowledged if arrives is set.
func (r *rig) send(arrives bool) []byte {
	r.now += time.Second / 60
	r.e.Update(r.now)
	r.w.SetTick(r.w.Tick() + 1)
	r.changes.Update(r.w)
	r.s.Send(r.e, r.w, &r.changes, []sim.Input{{}})
	if arrives {
		r.s.hasAcked, r.s.ackedTick = true, r.w.Tick()
	}
	r.in.Update(r.now)
	p, _ := r.in.Receive()
	return slices.Clone(p.Payload)
}

func (r *rig) read(t *testing.T, payload []byte) bool {
	t.Helper()
	fresh, err := r.r.Read(payload, r.w.Scene(), r.w.Tick())
	if err != nil {
		t.Fatal(err)
	}
	return fresh
}

// TestRestOnParent checks that a body that rests on its parent is not sent, however the parent
// moves and turns, and its pose is right all the same. It is sent when it moves against the parent,
// and in world coordinates when it is out of range of relative ones.
func TestRestOnParent(t *testing.T) {
	g := newPair(t)
	local := sim.Body{Pose: geom.Pose{Rot: geom.AxisAngle(geom.Vec3{X: 1}, 0.5)}}
	at := func(i int) sim.Body {
		turn := geom.AxisAngle(geom.Vec3{Z: 1}, 0.1*float32(i))
		return sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 0.3 * float32(i), Y: 1, Z: 5}, Rot: turn}, Linear: geom.Vec3{X: 18}, Angular: geom.Vec3{Z: 6}}
	}
	includedBodies := func(payload []byte) (list []bool) {
		err := Fields(payload, g.w.Scene(), func(f quant.Field) {
			if f.Name == "included" {
				list = append(list, f.Raw == 1)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for i := range 60 {
		g.setBodies(at(i), local)
		p := g.send(true)
		if got := includedBodies(p); got[1] != true || got[2] != (i == 0) {
			t.Fatalf("tick %d: included %v", i, got)
		}
		if !g.read(t, p) {
			t.Fatal("not fresh")
		}
		want := g.w.Bodies()[2]
		if d := g.r.Bodies[2].Pose.Pos.Sub(want.Pose.Pos).Len(); d > 0.0005 {
			t.Fatalf("tick %d: %v m from the server's pose", i, d)
		}
	}
	local.Pose.Rot = geom.AxisAngle(geom.Vec3{X: 1}, 0.51)
	g.setBodies(at(60), local)
	if p := g.send(true); !includedBodies(p)[2] || !g.read(t, p) {
		t.Error("it moves and is not sent")
	}
	local.Pose.Pos.X = 0.5
	g.setBodies(at(61), local)
	p := g.send(true)
	relative := true
	if err := Fields(p, g.w.Scene(), func(f quant.Field) { relative = relative && !(f.Name == "relative" && f.Raw == 0) }); err != nil || relative {
		t.Errorf("half a metre from its anchor it is sent relative (%v)", err)
	}
	g.read(t, p)
	if g.r.Bodies[2] != g.w.Bodies()[2] {
		t.Errorf("%+v, want %+v", g.r.Bodies[2], g.w.Bodies()[2])
	}
}

// TestChildWithoutParent checks that a body whose parent is not included is relative to the
// parent's last known pose. Of an older snapshot that does not include the parent only the relative
// pose is known, and not even that if the body came in world coordinates.
func TestChildWithoutParent(t *testing.T) {
	g := newPair(t)
	parent := sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 4, Y: 2, Z: 6}, Rot: geom.AxisAngle(geom.Vec3{Y: 1}, 1)}, Asleep: true}
	local := sim.Body{Pose: geom.Pose{Rot: geom.Identity}}
	rotated := func(angle float32) sim.Body {
		l := local
		l.Pose.Rot = geom.AxisAngle(geom.Vec3{X: 1}, angle)
		return l
	}
	g.setBodies(parent, local)
	g.read(t, g.send(true))
	g.setBodies(parent, rotated(0.3))
	late := g.send(false)
	far := rotated(0.4)
	far.Pose.Pos.Z = 1
	g.setBodies(parent, far)
	later := g.send(false)
	g.setBodies(parent, rotated(0.5))
	g.read(t, g.send(true))
	if d := g.r.Bodies[2].Pose.Pos.Sub(g.w.Bodies()[2].Pose.Pos).Len(); d > 0.0005 {
		t.Errorf("without its parent it is %v m from the server's pose", d)
	}
	if g.read(t, late) {
		t.Error("fresh")
	}
	want := rotated(0.3)
	_, _, included := g.r.OldSnapshot()
	if l := g.r.LocalBodies(false)[2]; !included[2] || l.Pose != snapLocal(&want).Pose {
		t.Errorf("relative pose in the older snapshot: %+v", l)
	}
	if g.read(t, later); included[1] || included[2] {
		t.Error("the older snapshot has the body in world coordinates and not its parent, and the body counts as known")
	}
}

// TestTreeRefuses checks that a snapshot with a joint tree that is truncated, extended or corrupt
// is rejected or gives a valid body, and changes nothing when rejected.
func TestTreeRefuses(t *testing.T) {
	g := newPair(t)
	g.setBodies(sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 253, Z: 5}, Rot: geom.Identity}}, sim.Body{Pose: geom.Pose{Rot: geom.Identity}})
	p := g.send(false)
	for n := range p {
		if ok, _ := g.r.Read(p[:n], g.w.Scene(), 1); ok {
			t.Errorf("%d of %d bytes are accepted", n, len(p))
		}
	}
	if ok, _ := g.r.Read(append(slices.Clone(p), 0), g.w.Scene(), 1); ok {
		t.Error("a trailing byte is accepted")
	}
	g.read(t, p)
	// The child, two metres farther, is outside a narrower world.
	g.setBodies(sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 252.5, Z: 5}, Rot: geom.Identity}}, sim.Body{Pose: geom.Pose{Rot: geom.Identity}})
	before, narrow := slices.Clone(g.r.Bodies), *g.w.Scene()
	narrow.HalfWidth = 253
	if ok, err := g.r.Read(g.send(false), &narrow, 2); ok || err == nil || !slices.Equal(before, g.r.Bodies) {
		t.Error("a body outside the world is accepted")
	}
}

// FuzzTree sends the receiver arbitrary payloads: it never contains a body that no world could.
func FuzzTree(f *testing.F) {
	g := newPair(f)
	full := g.send(false)
	f.Add(full)
	g.setBodies(g.w.Bodies()[1], sim.Body{Pose: geom.Pose{Pos: geom.Vec3{X: 1}, Rot: geom.Identity}})
	f.Add(g.send(false))
	f.Fuzz(func(t *testing.T, payload []byte) {
		var r Receiver
		r.SetTree(g.changes.tree)
		r.Read(full, g.w.Scene(), 1)
		r.Read(payload, g.w.Scene(), 1)
		for i := range r.Bodies {
			if !validation.Body(&r.Bodies[i], g.w.Scene()) {
				t.Errorf("body %d: %+v", i, r.Bodies[i])
			}
		}
		Fields(payload, g.w.Scene(), func(quant.Field) {})
	})
}
