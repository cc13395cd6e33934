package lab_test

import (
	"math"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/net/quant"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/predict/lab/trace"
	"ghostcube/sim"
)

// bodyBitsSpecs are strategies that send states, in each of their encodings: a spec, a scene and how payloads name their
// bodies.
var bodyBitsSpecs = []struct{ spec, scene, group string }{
	{"snapshot", "katamari:cubes=12", "bodies"},
	{"snapshot:compression=arithmetic", "katamari:cubes=12", ""},
	{"rewind", "katamari:cubes=12", "bodies"},
	{"statesync:compression=delta", "katamari:cubes=12", "updates"},
	{"snapshot:compression=at-rest:velocities=on:checks=on", "two-players", "bodies"},
	{"snapshot:compression=quantised", "katamari:cubes=12", "bodies"},
	{"snapshot:compression=delta", "katamari:cubes=12", "80 bits"},
	{"snapshot:compression=delta:index-encoding=bitmap", "two-players", "80 bits"},
	{"snapshot:compression=relative-rotation", "katamari:cubes=12", ""},
	{"snapshot:compression=arithmetic:snapshot-every=3", "two-players", ""},
	{"snapshot:compression=quantised:rotation-bits=12", "katamari:cubes=12", "bodies"},
	{"rewind:checks=on:relay=on", "two-players", "bodies"},
	{"noprediction", "train:rods=8", "bodies"},
	{"animated", "katamari:cubes=12", "bodies"},
	{"animated:joint-tree=relative", "train:rods=8", "bodies"},
	{"animated:interest-radius=3:interest-cutoff=20", "katamari:cubes=40", "bodies"},
	{"historyoffset:interest-radius=3", "katamari:cubes=40", "bodies"},
	{"relative", "ship", "bodies"},
	{"statesync:compression=uncompressed", "katamari:cubes=12", "updates"},
	{"statesync:compression=relative:budget=64", "katamari:cubes=40", "updates"},
	{"statesync:authority=client", "katamari:cubes=12", "updates"},
	{"rewind:messages=reliable", "katamari:cubes=12", "bodies"},
}

// TestBodyBits promises for every strategy that sends states, and each of its encodings, that the bits that the encoder
// charges to bodies, lists and the rest add up to the payload, and that a decoder that knows nothing of the account finds
// the same bits in the fields of each body. Without their baseline, the fields of differences cannot be told apart: at level
// delta, a body that changes takes the 80 bits of its state.
func TestBodyBits(t *testing.T) {
	for i, x := range bodyBitsSpecs {
		if experiment.Brief() && i >= 4 {
			break
		}
		t.Run(x.spec, func(t *testing.T) {
			t.Parallel()
			l := New(labtest.Config(t, x.scene, "latency=40ms,jitter=10ms,loss=10%", AtClient))
			states := [2]int{}
			assembled := [2]trace.Packet{}
			l.Tap = func(p *Pane, client int, d link.Direction, _ time.Duration, b []byte) {
				if client != 0 {
					return
				}
				a := &assembled[d]
				if complete, ok := a.Add(b); !ok || !complete {
					return
				}
				if bits, ok := p.PacketBits(d, client); ok {
					states[d]++
					checkPacketBits(t, p, d, a.Payload, bits, x.group)
				}
				if _, again := p.PacketBits(d, client); again {
					t.Error("the bits of a packet are there twice")
				}
			}
			if _, err := l.Open(x.spec); err != nil {
				t.Fatal(err)
			}
			for n := range 100 {
				labtest.Tick(t, l, Entry{Inputs: []sim.Input{{Buttons: sim.Pull | sim.Buttons(1<<(n/25%4))}}})
			}
			if states[link.Down] < 20 || (states[link.Up] > 20) != (x.spec == "statesync:authority=client") {
				t.Errorf("%v packets have states", states)
			}
		})
	}
}

// checkPacketBits checks the account of one payload against its size and its fields.
func checkPacketBits(t *testing.T, p *Pane, d link.Direction, payload []byte, b *predict.PacketBits, group string) {
	t.Helper()
	sideband, list, bodies, count := 0, 0, 0, 0
	each := map[int]int{}
	last := -1
	err := p.Fields(d, payload, func(f quant.Field) {
		switch {
		case f.Group == "sideband":
			sideband += f.Bits
		case f.Group == group:
			bodies += f.Bits
			each[f.Index] += f.Bits
			if f.Index != last {
				last = f.Index
				count++
			}
		case f.Group != "bodies" && f.Name == "included":
			list += f.Bits
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if own := float64(8*len(payload) - sideband); math.Abs(b.Sum()-own) > 0.01 {
		t.Fatalf("the parts have %v bits, the payload %v", b.Sum(), own)
	}
	charged, costing := 0.0, 0
	for i, n := range b.Bodies {
		if n < 0 || group == "bodies" && n != float64(each[i]) || group == "80 bits" && n != 0 && n != 80 {
			t.Fatalf("body %d is charged with %v bits, its fields have %d", i, n, each[i])
		}
		if charged += n; n > 0 {
			costing++
		}
	}
	if group == "updates" && (costing != count || charged != float64(bodies)) {
		t.Fatalf("%d bodies are charged with %v bits, %d updates have %d", costing, charged, count, bodies)
	}
	if b.Indices != float64(list) && (group == "bodies" || group == "updates") || b.Other < 0 || b.Indices < 0 {
		t.Fatalf("lists of bodies are charged with %v bits, the fields have %d", b.Indices, list)
	}
}

// TestRestingBodiesCostLittle promises that arithmetic coding charges bodies with what they cost: while one cube rolls and
// the others rest, it takes nearly all bits, and an inspection shows the fading mean. A fork
// goes on with them.
func TestRestingBodiesCostLittle(t *testing.T) {
	l := New(labtest.Config(t, "katamari:cubes=12", "perfect", AtClient))
	bodies, shares := make([]float64, 13), 0.0
	l.Tap = func(p *Pane, client int, d link.Direction, now time.Duration, _ []byte) {
		if b, ok := p.PacketBits(d, client); ok && now > time.Second {
			for i, n := range b.Bodies {
				bodies[i] += n
				shares += n
			}
		}
	}
	if _, err := l.Open("snapshot:compression=arithmetic"); err != nil {
		t.Fatal(err)
	}
	labtest.Hold(t, l, 240, sim.Input{Buttons: sim.Left})
	for i := range bodies[1:] {
		if bodies[1+i] > bodies[0]/10 {
			t.Errorf("resting body %d costs %v bits, the player %v", 1+i, bodies[1+i], bodies[0])
		}
	}
	var now, forked predict.Inspection
	l.Panes[0].Inspect(&now)
	l.Fork().Panes[0].Inspect(&forked)
	if len(now.BodyBits) != 13 || len(forked.BodyBits) != 13 {
		t.Fatalf("%d bodies have bits, in a fork %d", len(now.BodyBits), len(forked.BodyBits))
	}
	sum := 0.0
	for i, n := range now.BodyBits {
		sum += float64(n)
		if forked.BodyBits[i] != n {
			t.Errorf("body %d: %v bits a second, in a fork %v", i, n, forked.BodyBits[i])
		}
	}
	if want := shares / 3; math.Abs(sum-want) > want/4 {
		t.Errorf("the bodies cost %v bits a second, want about %v", sum, want)
	}
}
