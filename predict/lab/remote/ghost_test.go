package remote

import (
	"math"
	"slices"
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

func newWorldOf(t testing.TB, name string) *predict.World {
	t.Helper()
	s, err := scene.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return predict.NewWorld(s, 60)
}

// TestGhost checks that a client's copy of the server's world follows it: the players in every datagram, all other
// bodies in turn. It ignores older datagrams, and those that no server sends.
func TestGhost(t *testing.T) {
	server, client := newWorldOf(t, "katamari:cubes=40:players=2"), newWorldOf(t, "katamari:cubes=40:players=2")
	first, old := 0, []byte(nil)
	for i := range server.Bodies() {
		b := server.Bodies()[i]
		b.Pose.Pos.X += 1.5
		b.Pose.Rot = geom.Quat{Z: 1}
		server.SetBody(i, b)
		if i%3 != 0 {
			server.SetTouchedBy(i, int8(i%3-1))
		}
		if i >= 2 {
			server.SetOwner(i, int8(i%3)-1)
		}
	}
	for turn := range 5 {
		server.SetTick(sim.Tick(10 + turn))
		var b []byte
		b, first = appendGhost(nil, server, first)
		if n := len(b); n > 1200-8 {
			t.Fatalf("a datagram of %d bytes", n)
		}
		if !readGhost(b, client) || client.Tick() != server.Tick() || client.Bodies()[1].Pose != server.Bodies()[1].Pose {
			t.Fatalf("turn %d: tick %d, player 2 at %v", turn, client.Tick(), client.Bodies()[1].Pose)
		}
		if old == nil {
			old = b
		}
	}
	for i := range server.Bodies() {
		if client.Bodies()[i].Pose != server.Bodies()[i].Pose {
			t.Errorf("body %d at %v, the server's at %v", i, client.Bodies()[i].Pose, server.Bodies()[i].Pose)
		}
		if client.TouchedBy()[i] != server.TouchedBy()[i] || client.Owners()[i] != server.Owners()[i] {
			t.Errorf("body %d: touched by %d and owned by %d, at the server %d and %d", i, client.TouchedBy()[i], client.Owners()[i],
				server.TouchedBy()[i], server.Owners()[i])
		}
	}
	server.SetTick(20)
	good, _ := appendGhost(nil, server, first)
	change := func(at int, with ...byte) []byte {
		b := slices.Clone(good)
		copy(b[at:], with)
		return b
	}
	nan := math.Float32bits(float32(math.NaN()))
	for name, b := range map[string][]byte{
		"older": old, "empty": nil, "cut": good[:len(good)-1], "without players": good[:ghostHeader+ghostBodyBytes],
		"beyond the bodies": change(4, 0xff, 0xff), "a player as another body": change(4, 0, 0),
		"NaN": change(ghostHeader, byte(nan), byte(nan>>8), byte(nan>>16), byte(nan>>24)), "touched by nobody known": change(ghostHeader+ghostPoseBytes, 3),
		"owned by nobody known": change(ghostHeader+ghostPoseBytes, 0x31), "far": change(ghostHeader, 0, 0, 0x80, 0x7f),
	} {
		before, _ := client.Hash()
		if after := readGhost(b, client); after {
			t.Errorf("%s: accepted", name)
		} else if h, _ := client.Hash(); h != before {
			t.Errorf("%s: changes the world", name)
		}
	}
	if !readGhost(good, client) {
		t.Error("the good one is refused")
	}
}

// FuzzGhost checks that no bytes make a world that is not finite.
func FuzzGhost(f *testing.F) {
	w := newWorldOf(f, "two-players")
	w.SetTick(5)
	b, _ := appendGhost(nil, w, 0)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newWorldOf(t, "two-players")
		readGhost(b, w)
		for _, x := range w.Bodies() {
			if p := x.Pose.Pos; !x.Pose.Rot.IsFinite() || !(p.LenSq() < 1e12) {
				t.Fatalf("%v", x.Pose)
			}
		}
	})
}
