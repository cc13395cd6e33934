package delta

import (
	"bytes"
	"testing"
)

// BenchmarkSecond writes, and reads, a second of a katamari ball: 60 frames of
// 901 cubes, of which a good hundred move.
func BenchmarkSecond(b *testing.B) {
	const lead, frames = 60, 60
	list := recording(b, "katamari-ball", 2500, lead+frames)
	room := make([]byte, PacketBytes(901))
	for _, l := range []Level{FineRotation, Predicted, Arithmetic} {
		packets := make([][]byte, len(list))
		write := func(w *Writer, from, to int) {
			for i := from; i < to; i++ {
				if i >= 6 {
					w.Acked(uint16(i - 6))
				}
				p, _, err := w.Write(room, list[i])
				if err != nil {
					b.Fatal(err)
				}
				packets[i] = bytes.Clone(p)
			}
		}
		read := func(r *Reader, from, to int) {
			for i := from; i < to; i++ {
				if _, _, err := r.Read(packets[i]); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.Run("write "+l.String(), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				w := NewWriter(l)
				write(w, 0, lead)
				b.StartTimer()
				write(w, lead, lead+frames)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/second")
		})
		b.Run("read "+l.String(), func(b *testing.B) {
			write(NewWriter(l), 0, lead+frames)
			for b.Loop() {
				b.StopTimer()
				r := NewReader(l, 901)
				read(r, 0, lead)
				b.StartTimer()
				read(r, lead, lead+frames)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/second")
		})
	}
}
