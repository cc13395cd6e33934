package input

import (
	"testing"

	"ghostcube/predict"
)

// TestCountTotals checks that the share of inputs used in time is that of all players, not of the
// last one.
func TestCountTotals(t *testing.T) {
	var m predict.Counters
	d := Receiver{counters: newQueueCounters(&m), Queues: make([]Queue, 1)}
	d.counters.consumedRatio.Set(1)
	d.Queues[0].dueCount, d.Queues[0].consumedCount = 10, 2
	if d.CountTotals(); m.Value("inputs_consumed_ratio") != 1 {
		t.Error("a total is set for a single player")
	}
	d.Queues = append(d.Queues, Queue{})
	d.Queues[1].dueCount, d.Queues[1].consumedCount = 30, 30
	if d.CountTotals(); m.Value("inputs_consumed_ratio") != 0.8 {
		t.Errorf("32 of 40 inputs were used, but the ratio is %v", m.Value("inputs_consumed_ratio"))
	}
}
