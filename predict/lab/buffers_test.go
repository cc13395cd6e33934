package lab_test

import (
	"math/bits"
	"slices"
	"testing"

	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
)

// TestBuffers promises which buffers each strategy reports, that they fill and empty, and that they agree with the
// strategy's counters where it has one.
func TestBuffers(t *testing.T) {
	t.Parallel()
	const (
		playout, jitter, ring   = predict.PlayoutBuffer, predict.JitterBuffer, predict.SnapshotRing
		inputs, window, unacked = predict.InputHistory, predict.RedundancyWindow, predict.UnackedInputs
	)
	for spec, want := range map[string][]predict.BufferKind{
		"noprediction":              {window, unacked},
		"rewind":                    {playout, ring, inputs, window, unacked},
		"lockstep":                  {playout, window, unacked},
		"lockstep:transport=tcp":    {playout, unacked},
		"snapshot":                  {jitter, window, unacked},
		"statesync:jitter-buffer=6": {playout, jitter, window, unacked},
		"animated":                  {jitter, window, unacked},
		"historyoffset":             {jitter, inputs, window, unacked},
		"relative":                  {jitter, inputs, window, unacked},
	} {
		l := labtest.Open(t, labtest.Config(t, "zen", "latency=60ms,jitter=20ms,loss=10%", AtClient), spec)
		labtest.Run(t, l, 120)
		p := l.Panes[0]
		var in predict.Inspection
		least, most := map[predict.BufferKind]int{}, map[predict.BufferKind]int{}
		for range 240 {
			labtest.Run(t, l, 1)
			p.Inspect(&in)
			var kinds []predict.BufferKind
			for _, b := range in.Buffers {
				kinds = append(kinds, b.Kind)
				if n, ok := least[b.Kind]; !ok || b.Count < n {
					least[b.Kind] = b.Count
				}
				most[b.Kind] = max(most[b.Kind], b.Count)
				if b.Slots < 64 && b.Count != bits.OnesCount64(b.Filled) || b.Slots > 64 || b.Capacity > 0 && b.Count > b.Capacity {
					t.Fatalf("%s: %+v", spec, b)
				}
				for name, kind := range map[string]predict.BufferKind{"unacked_inputs": unacked, "buffer_depth": playout} {
					if n, ok := p.Counters.Lookup(name); ok && kind == b.Kind && spec != "statesync:jitter-buffer=6" && int(n) != b.Count {
						t.Fatalf("%s: %d in the %s, and the counter %s is %v", spec, b.Count, kind, name, n)
					}
				}
			}
			slices.Sort(kinds)
			if !slices.Equal(kinds, want) {
				t.Fatalf("%s reports %v, want %v", spec, kinds, want)
			}
		}
		for _, k := range want {
			if spec != "noprediction" && k != window && (most[k] == 0 || least[k] == most[k]) {
				t.Errorf("%s: the %s has from %d to %d filled slots", spec, k, least[k], most[k])
			}
		}
	}
}
