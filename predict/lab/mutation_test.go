package lab_test

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/net/packet"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestMutatedStates changes bits in a third of the payloads to the client and repairs their
// checksums, as a forger or a faulty server would. In every strategy the client's world stays inside
// the scene, nothing panics, and payloads are refused. Then the player presses keys for two seconds
// and waits for five, after which the cube is drawn where the server has it. That is not checked in
// snapshot, which does not recover from wrong frame numbers, and beside a ship, whose load is drawn
// in the past or in the future. A client that gets inputs only cannot recover from a wrong one either,
// if it is well-formed: there the cube may be elsewhere if the client says that the worlds differ.
func TestMutatedStates(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	specs := []string{"snapshot:compression=raw", "snapshot:compression=quantised", "statesync:compression=delta", "statesync:authority=client",
		"animated:joint-tree=relative", "historyoffset:joint-tree=relative:joint-root=operated", "relative:joint-tree=relative-position", "historyoffset"}
	for _, s := range Strategies {
		specs = append(specs, s.Name)
	}
	if experiment.Brief() {
		specs = specs[4:]
	}
	ticks := experiment.Pick(60, 300, 1800)
	for i, spec := range specs {
		for j, scene := range []string{"ship:platform=1", "two-players", "train"} {
			if experiment.Brief() && j != i%3 { // each strategy in one scene
				continue
			}
			t.Run(scene+"/"+spec, func(t *testing.T) {
				mutating := true
				f := &soakSession{T: t, rng: rand.New(rand.NewPCG(uint64(i), uint64(j)))}
				f.lab = New(labtest.Config(t, scene, "latency=50ms", AtClient))
				f.lab.Tap = func(_ *Pane, _ int, d link.Direction, _ time.Duration, datagram []byte) {
					if mutating && d == link.Down && f.rng.IntN(3) == 0 {
						f.mutate(datagram)
					}
				}
				if _, err := f.lab.Open(spec); err != nil {
					t.Fatal(err)
				}
				f.pane, f.in = f.lab.Panes[0], make([]sim.Input, f.lab.Players())
				for range ticks {
					f.randomKeys()
					f.step()
					f.checkDrawn()
				}
				mutating = false
				for i := range 420 {
					if f.randomKeys(); i > 120 {
						clear(f.in)
					}
					f.step()
				}
				// A packet with a changed fragment is never joined, and the strategy does not see it.
				if f.pane.Counters.Rejected().Value() == 0 && f.pane.Clients[0].Endpoint.Stats.ReassemblyFailures == 0 {
					t.Error("nothing was refused")
				}
				if strings.HasPrefix(spec, "snapshot") || strings.HasPrefix(scene, "ship") {
					return
				}
				v := &f.pane.Clients[0].View
				told := f.pane.Strategy.Motion == predict.FromInputs && strings.HasPrefix(v.Note, "worlds differ")
				if d := v.Bodies[0].Pos.Sub(f.pane.ServerWorld.Bodies()[0].Pose.Pos).Len(); d > 0.1 && !told {
					t.Errorf("seven seconds later the player's cube is drawn %v m from the server's pose", d)
				}
			})
		}
	}
}

// checkDrawn checks that the first client draws all bodies in the scene or just outside it, where
// they may be extrapolated to.
func (s *soakSession) checkDrawn() {
	s.Helper()
	for i, p := range s.pane.Clients[0].View.Bodies {
		if !drawnInside(p.Pos, s.pane.ServerWorld.Scene()) {
			s.Fatalf("tick %d: body %d is drawn at %v", s.tickCount, i, p.Pos)
		}
	}
}

// drawnInside reports whether a position is in a scene, or just outside it.
func drawnInside(at geom.Vec3, f *sim.Scene) bool {
	const tolerance = 50 // metres
	return max(geom.Abs(at.X), geom.Abs(at.Y)) <= f.HalfWidth+tolerance && at.Z >= -tolerance && at.Z <= f.Height+tolerance
}

// mutate changes some bits of a datagram's payload and repairs its checksum.
func (s *soakSession) mutate(datagram []byte) {
	h, ok := packet.ParseHeader(datagram)
	if payload := datagram[h.Size:]; ok && len(payload) > 0 {
		for range 1 + s.rng.IntN(4) {
			at := s.rng.IntN(len(payload))
			if s.rng.IntN(4) == 0 {
				at = s.rng.IntN(min(len(payload), 8)) // ticks are at the beginning
			}
			payload[at] ^= 1 << s.rng.IntN(8)
		}
	}
	var identity [8]byte
	binary.LittleEndian.PutUint32(identity[:], packet.Protocol)
	binary.LittleEndian.PutUint32(identity[4:], packet.Version)
	table := crc32.MakeTable(crc32.Castagnoli)
	binary.LittleEndian.PutUint32(datagram, crc32.Update(crc32.Checksum(identity[:], table), table, datagram[4:]))
	if _, ok := packet.ParseHeader(datagram); !ok {
		s.Fatal("a mutated datagram has a wrong checksum")
	}
}
