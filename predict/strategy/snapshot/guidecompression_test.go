package snapshot

import (
	"testing"

	"ghostcube/internal/golden"
	"ghostcube/net/delta"
	"ghostcube/net/packet"
	"ghostcube/predict/predicttest"
)

// guideWriter is the server of the guide to compression. Its methods with comments behind their lines are the guide's
// pseudo-code; the others are what one of its words stands for. It counts the bits that it would write.
type guideWriter struct {
	sent     map[packet.Sequence][]delta.Cube
	base     []delta.Cube // the newest acknowledged snapshot
	baseline packet.Sequence
	count    int
}

func (g *guideWriter) acknowledge(q packet.Sequence) { // on the acknowledgement of packet q:
	if g.base == nil || q > g.baseline { // if it is newer than those before:
		g.base, g.baseline = g.sent[q], q // base = the snapshot that was in it
	}
}

func (g *guideWriter) write(s []delta.Cube) { // write(S):  # a snapshot of all cubes
	if g.base == nil || g.tooOld() { // if there is no base, or it is older than 48 snapshots:
		g.bits(len(s) * 80) // write each cube whole: touched 1, position 50, rotation 29 bits
		return              // return
	}
	g.bits(len(s))                   // for each cube i: bit(S[i] != base[i])
	for _, i := range g.changed(s) { // for each cube i that differs:
		g.bits(1)                                // bit(S[i] is touched)
		d := difference(s[i].Pos, g.base[i].Pos) // d = S[i].position - base[i].position
		if fit(d, 272) {                         // bit(each component of d is in -272 .. 271); if so:
			g.bits(1 + small(d, 5, 9)) // each component: bit(in -16 .. 15); if so 5 bits, else 9
		} else { // else:
			g.bits(1 + 50) // S[i].position, 50 bits
		}
		e := difference(s[i].Smallest, g.base[i].Smallest)    // e = S[i].smallest - base[i].smallest
		if s[i].Largest == g.base[i].Largest && fit(e, 144) { // bit(same largest component, and each of e is in -144 .. 143); if so:
			g.bits(1 + small(e, 5, 8)) // each component: bit(in -16 .. 15); if so 5 bits, else 8
		} else { // else:
			g.bits(1 + 29) // largest 2 bits, the three others 9 bits each
		}
	}
}

// changed returns the cubes that differ from those of base.
func (g *guideWriter) changed(s []delta.Cube) (list []int) {
	for i := range s {
		if s[i] != g.base[i] {
			list = append(list, i)
		}
	}
	return list
}

func (g *guideWriter) tooOld() bool { return packet.Sequence(len(g.sent))-g.baseline > 48 }

func (g *guideWriter) bits(n int) { g.count += n }

func difference[T int16 | int32](a, b [3]T) (d [3]int) {
	for i := range a {
		d[i] = int(a[i]) - int(b[i])
	}
	return d
}

func fit(d [3]int, limit int) bool {
	for _, n := range d {
		if n < -limit || n >= limit {
			return false
		}
	}
	return true
}

// small returns the bits of three differences.
func small(d [3]int, few, many int) (bits int) {
	for _, n := range d {
		if bits += 1 + few; n < -16 || n > 15 {
			bits += many - few
		}
	}
	return bits
}

// TestGuideToCompression runs the guide's pseudo-code beside a server whose player pushes cubes about, with losses. Each
// snapshot has to take as many bits as the encoder counts.
func TestGuideToCompression(t *testing.T) {
	golden.PseudoCode(t, "compression", "guidecompression_test.go")
	r := predicttest.New(t, Strategy, predicttest.Config{Scene: "katamari:cubes=60", Network: "latency=55ms,loss=10%",
		Knobs: []string{"compression", "relative-rotation", "index-encoding", "bitmap"}})
	s, g := r.Server.(*server), &guideWriter{sent: map[packet.Sequence][]delta.Cube{}}
	whole, deltas := 0, 0
	for i := range 500 {
		r.Run(1, predicttest.DriveAround)
		for _, q := range r.Peers[0].Endpoint.Acks() {
			g.acknowledge(q)
		}
		var cubes []delta.Cube
		for j, b := range r.ServerWorld().Bodies() {
			cubes = append(cubes, delta.QuantiseCube(b.Pose, r.ServerWorld().TouchedBy()[j] >= 0))
		}
		g.count = 0
		g.write(cubes)
		g.sent[packet.Sequence(len(g.sent))] = cubes
		b := s.deltaPeers[0].writer.BitBreakdown()
		if got := int(b.Index + b.Touched + b.Position + b.Rotation); got != g.count {
			t.Fatalf("tick %d: the guide writes %d bits, the server %d: %+v", i, g.count, got, b)
		}
		if g.count == 80*len(cubes) {
			whole++
		} else if g.count > len(cubes) {
			deltas++
		}
		if i == 300 {
			r.SetNetwork("latency=55ms,loss=100%")
		} else if i == 370 {
			r.SetNetwork("latency=55ms,loss=10%")
		}
	}
	if whole < 20 || deltas < 300 {
		t.Errorf("%d whole snapshots, %d with differences", whole, deltas)
	}
}
