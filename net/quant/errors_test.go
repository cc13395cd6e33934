package quant

import "testing"

// TestErrorsSayWhatAndWhere checks that an error names the kind of value, its first bit
// and the reason, when reading, writing and measuring.
func TestErrorsSayWhatAndWhere(t *testing.T) {
	var c Coder
	room := func() { c.BeginWrite(make([]byte, 8)); c.Bits(0, 3) }
	all := func() { c.BeginRead([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}); c.Bits(0, 3) }
	count := func() { c.BeginMeasure(); c.Bits(0, 3) }
	for want, do := range map[string]func(){
		"quant: writing Bits at bit 3: out of range":                       func() { room(); c.Bits(8, 3) },
		"quant: writing Int at bit 3: out of range":                        func() { room(); c.Int(-6, -5, 90) },
		"quant: measuring Int at bit 3: out of range":                      func() { count(); c.Int(91, -5, 90) },
		"quant: reading Int at bit 3: out of range":                        func() { all(); c.Int(0, -5, 90) },
		"quant: writing Signed at bit 3: out of range":                     func() { room(); c.Signed(-129, 8) },
		"quant: measuring CompressedFloat at bit 3: out of range":          func() { count(); c.CompressedFloat(257, &SnapshotPosition[0]) },
		"quant: reading CompressedFloat at bit 3: out of range":            func() { all(); c.CompressedFloat(0, &snapshotLinearVelocityFine[0]) },
		"quant: writing Rotation at bit 3: out of range":                   func() { room(); c.Rotation([4]float32{1, 1}, 9) },
		"quant: reading QuantisedRotation at bit 5: out of range":          func() { all(); c.Rotation([4]float32{}, 9) },
		"quant: writing QuantisedRotation at bit 3: not in canonical form": func() { room(); c.QuantisedRotation(QuantisedRotation{0, [3]int16{255, 255, 255}}, 9) },
		"quant: writing Bits at bit 35: past the end":                      func() { room(); c.Bits(0, 32); c.Bits(0, 30) },
		"quant: reading Float at bit 35: past the end":                     func() { all(); c.Float(0); c.Float(0) },
		"quant: writing Delta at bit 4: out of range":                      func() { room(); c.Delta(272, PositionDeltaBits) },
		"quant: writing Indices at bit 3: not in canonical form":           func() { room(); c.relativeIndex(7, 7, 901, &SnapshotIndexBuckets) },
		"quant: writing Indices at bit 3: out of range":                    func() { room(); c.relativeIndex(901, 900, 901, &SnapshotIndexBuckets) },
		"quant: measuring Bitmap at bit 3: out of range":                   func() { count(); c.Bitmap([]int{2, 1}, 5) },
		"quant: reading Bitmap at bit 3: past the end":                     func() { all(); c.Bitmap(nil, 62) },
		"quant: reading Indices at bit 3: past the end":                    func() { all(); c.Indices(nil, 1<<17-1, &DenseIndexBuckets) },
	} {
		do()
		if c.Err() == nil || c.Err().Error() != want {
			t.Errorf("%v, want %s", c.Err(), want)
		}
	}
}
