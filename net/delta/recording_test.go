package delta_test

import (
	"bytes"
	"slices"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/net/delta"
	"ghostcube/predict"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/sim/scene"
)

// recordedSnapshots returns snapshots of a tape's world, from a tick on.
func recordedSnapshots(t testing.TB, name string, from, count int) [][]delta.Cube {
	t.Helper()
	f, err := assets.Tapes.Open("tapes/" + name + ".tape")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read, err := tape.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scene.Named(read.Config.Scene)
	if err != nil {
		t.Fatal(err)
	}
	w := predict.NewWorld(s, read.Config.Rate)
	var list [][]delta.Cube
	for i, e := range read.Entries[:from+count] {
		w.Step(e.Inputs...)
		if i < from {
			continue
		}
		snapshot := make([]delta.Cube, len(w.Bodies()))
		for k, b := range w.Bodies() {
			snapshot[k] = delta.QuantiseCube(b.Pose, w.TouchedBy()[k] != sim.NoPlayer)
		}
		list = append(list, snapshot)
	}
	return list
}

// TestArithmeticSaves checks on ten seconds of a katamari ball that arithmetic coding
// takes a quarter less than the best level in whole bits, and two fifths less than the
// best one without prediction.
func TestArithmeticSaves(t *testing.T) {
	experiment.Skip(t)
	if testing.Short() {
		t.Skip("steps 901 cubes for twenty seconds")
	}
	snapshots := recordedSnapshots(t, "katamari-ball", 600, 600)
	sum := make([]int, len(delta.Levels()))
	b := make([]byte, delta.MaxPacketBytes(901))
	for _, l := range delta.Levels() {
		w, r := delta.NewWriter(l), delta.NewReader(l, 901)
		for i, f := range snapshots {
			if i >= 6 {
				w.Acknowledge(uint16(i - 6))
			}
			p, _, err := w.Write(b, f)
			if err != nil {
				t.Fatal(l, i, err)
			}
			if got, _, err := r.Read(p); err != nil || !slices.Equal(got, f) {
				t.Fatalf("%v: snapshot %d: %v", l, i, err)
			}
			if i >= 6 {
				sum[l] += len(p) - delta.HeaderBytes
			}
		}
		t.Logf("%v: %.1f bytes per snapshot", l, float64(sum[l])/float64(len(snapshots)-6))
	}
	if sum[delta.Arithmetic]*4 > sum[delta.Predicted]*3 || sum[delta.Arithmetic]*5 > sum[delta.FineRotation]*3 {
		t.Errorf("arithmetic takes %d bytes, predicted %d, fine-rotation %d", sum[delta.Arithmetic], sum[delta.Predicted], sum[delta.FineRotation])
	}
}

// BenchmarkSecond writes and reads one second of a katamari ball: 60 snapshots of 901
// cubes; about a hundred of them move.
func BenchmarkSecond(b *testing.B) {
	const warmup, count = 60, 60
	snapshots := recordedSnapshots(b, "katamari-ball", 2500, warmup+count)
	buffer := make([]byte, delta.MaxPacketBytes(901))
	for _, l := range []delta.Level{delta.FineRotation, delta.Predicted, delta.Arithmetic} {
		packets := make([][]byte, len(snapshots))
		write := func(w *delta.Writer, from, to int) {
			for i := from; i < to; i++ {
				if i >= 6 {
					w.Acknowledge(uint16(i - 6))
				}
				p, _, err := w.Write(buffer, snapshots[i])
				if err != nil {
					b.Fatal(err)
				}
				packets[i] = bytes.Clone(p)
			}
		}
		read := func(r *delta.Reader, from, to int) {
			for i := from; i < to; i++ {
				if _, _, err := r.Read(packets[i]); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.Run("write "+l.String(), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w := delta.NewWriter(l)
				write(w, 0, warmup)
				b.StartTimer()
				write(w, warmup, warmup+count)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/second")
		})
		b.Run("read "+l.String(), func(b *testing.B) {
			write(delta.NewWriter(l), 0, warmup+count)
			for b.Loop() {
				b.StopTimer()
				r := delta.NewReader(l, 901)
				read(r, 0, warmup)
				b.StartTimer()
				read(r, warmup, warmup+count)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/second")
		})
	}
}
