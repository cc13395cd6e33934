package probe

import (
	"testing"

	"ghostcube/sim"
)

// TestCorrectionsAreBounded checks that a pane remembers the newest corrections and counts
// all of them, that a copy is independent of its original, and that a full list allocates
// no memory.
func TestCorrectionsAreBounded(t *testing.T) {
	var c, copied Corrections
	if c.Last() != nil || c.FirstIndex() != 0 {
		t.Error("the zero value is not empty")
	}
	for i := range 3*MaxCorrections + 5 {
		c.Add(Correction{SessionTick: sim.Tick(i)})
		n, first := c.Total(), c.FirstIndex()
		if n != i+1 || c.Last().SessionTick != sim.Tick(i) || first != max(0, n-MaxCorrections) || c.At(first).SessionTick != sim.Tick(first) {
			t.Fatalf("after %d: %d in all, the first is %d, the last %+v", i+1, n, first, *c.Last())
		}
	}
	copied.CopyFrom(&c.Log)
	c.Add(Correction{SessionTick: 1})
	n, first := copied.Total(), copied.FirstIndex()
	if n != c.Total()-1 || copied.Last().SessionTick != sim.Tick(n-1) || copied.At(first).SessionTick != sim.Tick(first) {
		t.Errorf("the copy has %d, the last %+v", n, *copied.Last())
	}
	if n := testing.AllocsPerRun(100, func() { c.Add(Correction{}); copied.CopyFrom(&c.Log) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestLogRefusesForgottenEntries checks that entries that are forgotten or not added yet are not returned.
func TestLogRefusesForgottenEntries(t *testing.T) {
	var l Log[int]
	for i := range 7 {
		l.add(i, 4)
	}
	for n := range 9 {
		func() {
			defer func() {
				if panics := recover() != nil; panics != (n < 3 || n >= 7) {
					t.Errorf("entry %d: panics %v", n, panics)
				}
			}()
			if got := *l.At(n); got != n {
				t.Errorf("entry %d is %d", n, got)
			}
		}()
	}
}
