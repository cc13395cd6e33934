package codec

import (
	"fmt"
	"testing"

	"ghostcube/predict/predicttest"
	"ghostcube/sim"
)

// believeAll makes the sender believe that everything it has sent has arrived, as forged acknowledgements do.
func (p *partialPair) believeAll() {
	s := &p.broadcast.senders[0]
	for i := range s.sent {
		switch r := &s.sent[i]; {
		case r.used && r.partial:
			s.partial.acknowledge(r.sequence, r.tick)
		case r.used && (!s.hasAcked || r.tick > s.ackedTick):
			s.ackedTick, s.hasAcked = r.tick, true
		}
	}
}

// TestFalseAcks moves a sleeping body while no snapshot arrives, and makes the sender believe that all did. The
// receiver refuses what follows, within a cycle of the digest, and has the server's bodies a round trip later. Without
// that it refuses nothing, with loss and with packets that overtake each other.
func TestFalseAcks(t *testing.T) {
	for _, x := range []struct {
		scene string
		knobs []string
		cycle int // snapshots until the digest includes the body
	}{
		{"katamari:cubes=40", nil, 1},
		{"train", []string{"joint-tree", "relative"}, 1},
		{"katamari:cubes=40", []string{"interest-radius", "10"}, groups},
		{"train", []string{"interest-radius", "4", "joint-tree", "relative"}, groups},
	} {
		t.Run(fmt.Sprint(x.scene, x.knobs), func(t *testing.T) {
			p := newPartialPair(t, predicttest.Scene(t, x.scene), x.knobs...)
			w := p.env.World
			p.receiver.SetTree(p.broadcast.tree.encoding.Tree(w.Scene(), &sim.Attachments{}, 0))
			run := func(ticks int, network string, in sim.Input) {
				t.Helper()
				if err := p.network.Parse(network); err != nil {
					t.Fatal(err)
				}
				for range ticks {
					w.Step(in)
					p.exchange(t)
				}
			}
			run(120, "latency=20ms,jitter=40ms,loss=10%", sim.Input{Buttons: sim.Right})
			run(300, "latency=20ms,jitter=40ms,loss=10%", sim.Input{})
			if p.refused > 0 {
				t.Fatalf("%d packets refused before the attack", p.refused)
			}
			last := len(w.Bodies()) - 1
			b := w.Bodies()[last]
			if !b.Asleep {
				t.Fatal("the body is awake")
			}
			run(20, "loss=100%", sim.Input{})
			b.Pose.Pos.X++
			w.SetBody(last, b)
			run(10, "loss=100%", sim.Input{})
			p.believeAll()
			run(x.cycle+8, "perfect,latency=20ms", sim.Input{})
			if d := p.receiver.Bodies[last].Pose.Pos.Sub(w.Bodies()[last].Pose.Pos).Len(); d > 1e-3 || p.refused == 0 {
				t.Errorf("the body is %v m off, %d packets refused", d, p.refused)
			}
			before := p.refused
			run(2*groups, "latency=20ms", sim.Input{})
			if p.refused > before {
				t.Errorf("%d packets refused after that", p.refused-before)
			}
		})
	}
}

// TestOvertakenPartialSnapshots lets every second partial snapshot be overtaken by the next one. The bodies that only
// the late ones contain arrive all the same: nothing is refused, and all bodies are as at the server.
func TestOvertakenPartialSnapshots(t *testing.T) {
	p := newPartialPair(t, predicttest.Scene(t, "katamari:cubes=40"), "interest-radius", "0.5")
	w := p.env.World
	run := func(ticks int) {
		for i := range ticks {
			if err := p.network.Parse([]string{"latency=25ms", "latency=0s"}[i%2]); err != nil {
				t.Fatal(err)
			}
			w.Step(sim.Input{})
			p.exchange(t)
		}
	}
	run(200)
	for i := range w.Bodies()[1:] {
		b := w.Bodies()[1+i]
		b.Pose.Pos.Y += 0.25
		w.SetBody(1+i, b)
	}
	run(200)
	for i, b := range w.Bodies() {
		if d := p.receiver.Bodies[i].Pose.Pos.Sub(b.Pose.Pos).Len(); b.Asleep && d > 0 {
			t.Errorf("body %d is %v m off", i, d)
		}
	}
	if p.refused > 0 {
		t.Errorf("%d packets refused", p.refused)
	}
}

// TestDigest checks that the digest depends on every number of a body, its index and the tick, and not on the sign
// of zero.
func TestDigest(t *testing.T) {
	of := func(at sim.Tick, i int, b sim.Body) digest {
		d := newDigest(at)
		d.add(i, &b)
		return d
	}
	var b sim.Body
	seen := map[digest]string{of(1, 2, b): "start", of(2, 2, b): "tick", of(1, 3, b): "index"}
	minus := b
	for k, x := range []*float32{&b.Pose.Pos.X, &b.Pose.Pos.Y, &b.Pose.Pos.Z, &b.Pose.Rot.X, &b.Pose.Rot.Y, &b.Pose.Rot.Z, &b.Pose.Rot.W,
		&b.Linear.X, &b.Linear.Y, &b.Linear.Z, &b.Angular.X, &b.Angular.Y, &b.Angular.Z} {
		*x = 1e-20
		seen[of(1, 2, b)] = fmt.Sprint("number ", k)
		*x = 0
	}
	b.Asleep = true
	if seen[of(1, 2, b)] = "asleep"; len(seen) != 17 {
		t.Errorf("%d digests of 17: %v", len(seen), seen)
	}
	zero := float32(0)
	minus.Linear.X = -zero
	minus.Pose.Pos.Y = -zero
	if of(1, 2, minus) != of(1, 2, sim.Body{}) {
		t.Error("the sign of zero matters")
	}
	counts := map[uint32]int{}
	for at := range sim.Tick(2560) {
		counts[of(at, 0, minus).bits()]++
	}
	if len(counts) < 250 {
		t.Errorf("%d of 256 values in 2560 ticks", len(counts))
	}
}
