package codec

import (
	"math"
	"slices"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/predict/part/validation"
	"ghostcube/predict/predicttest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

func zenWorld(t testing.TB) *predict.World {
	t.Helper()
	s := predicttest.Scene(t, "zen")
	return predict.NewWorld(s, 60)
}

// TestBody checks that a body arrives bit for bit, in the stated number of bits, that nothing of the
// state that it is read over is left, and that a body that no world could contain is rejected.
func TestBody(t *testing.T) {
	w := zenWorld(t)
	moving := sim.Body{
		Pose:   geom.Pose{Pos: geom.Vec3{X: 1.1, Y: -2.2, Z: 3.3}, Rot: geom.AxisAngle(geom.Vec3{Z: 1}, 1)},
		Linear: geom.Vec3{X: 1e-30, Y: 5, Z: -7}, Angular: geom.Vec3{Z: 16},
	}
	resting := moving
	resting.Asleep, resting.Linear, resting.Angular = true, geom.Vec3{}, geom.Vec3{}
	var c quant.Coder
	var got sim.Body
	for _, b := range []sim.Body{moving, resting} {
		buffer := make([]byte, 64)
		c.BeginWrite(buffer)
		x := b
		CodeBody(&c, &x, w.Scene())
		want := AwakeBits
		if b.Asleep {
			want = AsleepBits
		}
		if c.BitsProcessed() != want {
			t.Errorf("%d bits, want %d", c.BitsProcessed(), want)
		}
		c.BeginRead(c.FinishWrite())
		if CodeBody(&c, &got, w.Scene()); c.Err() != nil || got != b {
			t.Errorf("read %+v, want %+v (%v)", got, b, c.Err())
		}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, corrupt := range map[string]func(*sim.Body){
		"position NaN":     func(b *sim.Body) { b.Pose.Pos.X = nan },
		"position beyond":  func(b *sim.Body) { b.Pose.Pos.Y = -256.5 },
		"below the ground": func(b *sim.Body) { b.Pose.Pos.Z = -0.1 },
		"too high":         func(b *sim.Body) { b.Pose.Pos.Z = 33 },
		"no rotation":      func(b *sim.Body) { b.Pose.Rot = geom.Quat{} },
		"long rotation":    func(b *sim.Body) { b.Pose.Rot.W = 2 },
		"rotation NaN":     func(b *sim.Body) { b.Pose.Rot.X = nan },
		"infinite speed":   func(b *sim.Body) { b.Linear.X = inf },
		"absurd speed":     func(b *sim.Body) { b.Linear.X = 5000 },
		"spin NaN":         func(b *sim.Body) { b.Angular.Z = nan },
		"infinite spin":    func(b *sim.Body) { b.Angular.Y = -inf },
	} {
		b := moving
		corrupt(&b)
		buffer := make([]byte, 64)
		c.BeginWrite(buffer)
		CodeBody(&c, &b, w.Scene())
		c.BeginRead(c.FinishWrite())
		if CodeBody(&c, &b, w.Scene()); c.Err() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestSnapshots sends a world over a bad network: what the receiver has is the world at that tick,
// although most bodies are not included.
func TestSnapshots(t *testing.T) {
	for _, c := range []struct {
		network string
		every   int // ticks from one snapshot to the next
	}{{"perfect", 1}, {"csp-25-loss", 1}, {"torture", 1}, {"csp-75ms", 4}, {"torture", 4}, {"csp-75ms", 32}} {
		if experiment.Brief() && c.every > 4 {
			continue
		}
		network := c.network
		w := zenWorld(t)
		conditions := &link.Network{Seed: 3}
		if err := conditions.Parse(network); err != nil {
			t.Fatal(err)
		}
		a, b := link.Pair(conditions, 0)
		client, server := packet.NewEndpoint(a), packet.NewEndpoint(b)
		var s Sender
		var changes ChangeTracker
		var r Receiver
		past := map[sim.Tick][]sim.Body{}
		fresh, old, bits, bodies := 0, 0, 0, 0
		for i := range 900 * c.every {
			now := time.Duration(i) * time.Second / 60
			in := []sim.Input{{Buttons: sim.Buttons(i/40) & sim.MoveButtons &^ sim.Lift}}
			server.Update(now)
			s.Acknowledge(server)
			w.Step(in...)
			changes.Update(w)
			past[w.Tick()] = slices.Clone(w.Bodies())
			if i%c.every == 0 {
				bits += s.Send(server, w, &changes, in)
			}
			client.Update(now)
			for p, ok := client.Receive(); ok; p, ok = client.Receive() {
				last := r.Tick
				ok, err := r.Read(p.Payload, w.Scene(), w.Tick())
				if err != nil {
					t.Fatal(err)
				}
				if !ok {
					tick, bodies, included := r.OldSnapshot()
					for i := range bodies {
						if included[i] && bodies[i] != past[tick][i] {
							t.Fatalf("%s, every %d: body %d of the older tick %d is wrong", network, c.every, i, tick)
						}
					}
					old++
					continue
				}
				fresh++
				if r.Tick <= last {
					t.Fatalf("tick %d after %d", r.Tick, last)
				}
				if !slices.Equal(r.Bodies, past[r.Tick]) {
					t.Fatalf("%s, every %d: the bodies of tick %d are wrong", network, c.every, r.Tick)
				}
			}
			client.Send(nil)
		}
		if fresh < 300 {
			t.Errorf("%s, every %d: only %d snapshots", network, c.every, fresh)
		}
		if c.network == "torture" && old == 0 {
			t.Error("no snapshot came out of order")
		}
		bodies = 900 * len(w.Bodies())
		if bits > bodies*AsleepBits/2 {
			t.Errorf("%s, every %d: %d bits for %d bodies: bodies at rest are sent again and again", network, c.every, bits, bodies)
		}
	}
}

// TestSameTickIsNotNew checks that a second snapshot of a tick is not taken, whatever it contains.
func TestSameTickIsNotNew(t *testing.T) {
	w := zenWorld(t)
	a, b := link.Pair(&link.Network{}, 0)
	client, server := packet.NewEndpoint(a), packet.NewEndpoint(b)
	var s Sender
	var changes ChangeTracker
	var r Receiver
	w.Step(sim.Input{Buttons: sim.Forward})
	changes.Update(w)
	read := func(now time.Duration) bool {
		server.Update(now)
		s.Send(server, w, &changes, []sim.Input{{}})
		client.Update(now)
		p, ok := client.Receive()
		if !ok {
			t.Fatal("nothing arrives")
		}
		fresh, err := r.Read(p.Payload, w.Scene(), w.Tick())
		if err != nil {
			t.Fatal(err)
		}
		return fresh
	}
	if !read(0) {
		t.Fatal("the first snapshot is not taken")
	}
	first := r.Bodies[0]
	moved := w.Bodies()[0]
	moved.Pose.Pos.X++
	w.SetBody(0, moved)
	changes.Update(w)
	if read(time.Second) || r.Bodies[0] != first {
		t.Error("another snapshot of the same tick is taken")
	}
	w.SetTick(w.Tick() + 1)
	if changes.Update(w); !read(2*time.Second) || r.Bodies[0] == first {
		t.Error("the snapshot of the next tick is not taken")
	}
}

// TestLongSnapshot checks that a snapshot larger than a datagram arrives in fragments, and one that
// does not fit a packet panics.
func TestLongSnapshot(t *testing.T) {
	worldOf := func(n int) *predict.World {
		scene := *zenWorld(t).Scene()
		scene.Boxes = slices.Clone(scene.Boxes)
		for i := range n {
			b := scene.Boxes[1]
			b.Start.Pose.Pos = geom.Vec3{X: float32(i%100) - 50, Y: float32(i/100%100) - 50, Z: 5 + float32(i/10000)}
			scene.Boxes = append(scene.Boxes, b)
		}
		return predict.NewWorld(scene, 60)
	}
	for _, n := range []int{30, 300, 3000} {
		w := worldOf(n)
		a, b := link.Pair(&link.Network{}, 0)
		client, server := packet.NewEndpoint(a), packet.NewEndpoint(b)
		var s Sender
		var c ChangeTracker
		var r Receiver
		c.Update(w)
		bits := s.Send(server, w, &c, []sim.Input{{}})
		client.Update(0)
		p, _ := client.Receive()
		if ok, err := r.Read(p.Payload, w.Scene(), w.Tick()); !ok || err != nil || !slices.Equal(r.Bodies, w.Bodies()) {
			t.Errorf("%d bodies in %d bits are not received: %v", n, bits, err)
		}
		if want := uint64((bits/8 + 1023) / 1024); server.Stats.DatagramsSent < want || want < 2 {
			t.Errorf("%d bits in %d datagrams", bits, server.Stats.DatagramsSent)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a world that does not fit a packet is sent")
		}
	}()
	w := worldOf(10000)
	_, b := link.Pair(&link.Network{}, 0)
	var s Sender
	var c ChangeTracker
	s.Send(packet.NewEndpoint(b), w, &c, []sim.Input{{}})
}

// TestRefusesMalformed checks that a snapshot that is truncated, extended, old, or leaves out
// bodies that were never received changes nothing.
func TestRefusesMalformed(t *testing.T) {
	w := zenWorld(t)
	a, b := link.Pair(&link.Network{}, 0)
	client, server := packet.NewEndpoint(a), packet.NewEndpoint(b)
	var s Sender
	var c ChangeTracker
	var payloads [][]byte
	for i := range 3 {
		server.Update(time.Duration(i))
		w.Step(sim.Input{Buttons: sim.Right})
		c.Update(w)
		if i == 2 {
			s.hasAcked, s.ackedTick = true, w.Tick()-1 // as if the previous one had been acknowledged
		}
		s.Send(server, w, &c, []sim.Input{{}})
		client.Update(time.Duration(i))
		p, _ := client.Receive()
		payloads = append(payloads, slices.Clone(p.Payload))
	}
	var r Receiver
	if ok, err := r.Read(payloads[2], w.Scene(), 2); ok || err == nil {
		t.Error("a snapshot is accepted without its baseline")
	}
	if ok, err := r.Read(payloads[1], w.Scene(), 2); !ok || err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(r.Bodies)
	if ok, err := r.Read(payloads[0], w.Scene(), 2); ok || err != nil {
		t.Errorf("an old snapshot: %v %v", ok, err)
	}
	for n := range payloads[2] {
		if ok, _ := r.Read(payloads[2][:n], w.Scene(), 2); ok {
			t.Errorf("%d of %d bytes are accepted", n, len(payloads[2]))
		}
	}
	if ok, _ := r.Read(append(slices.Clone(payloads[2]), 0), w.Scene(), 2); ok {
		t.Error("a trailing byte is accepted")
	}
	if !slices.Equal(before, r.Bodies) || r.Tick != 2 {
		t.Error("a rejected payload changed something")
	}
	if ok, err := r.Read(payloads[2], w.Scene(), 2); !ok || err != nil {
		t.Errorf("the valid snapshot after them: %v", err)
	}
}

// FuzzRead sends the receiver arbitrary payloads: it never contains a body that no world could.
func FuzzRead(f *testing.F) {
	w := zenWorld(f)
	a, b := link.Pair(&link.Network{}, 0)
	client, server := packet.NewEndpoint(a), packet.NewEndpoint(b)
	var s Sender
	var c ChangeTracker
	w.Step()
	c.Update(w)
	s.Send(server, w, &c, []sim.Input{{}})
	client.Update(0)
	p, _ := client.Receive()
	full := slices.Clone(p.Payload)
	f.Add(full)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, payload []byte) {
		var r Receiver
		r.Read(full, w.Scene(), 1)
		r.Read(payload, w.Scene(), 1)
		if len(r.Bodies) != len(w.Scene().Boxes) {
			t.Fatalf("%d bodies", len(r.Bodies))
		}
		for i := range r.Bodies {
			if !validation.Body(&r.Bodies[i], w.Scene()) {
				t.Errorf("body %d: %+v", i, r.Bodies[i])
			}
		}
	})
}
