package input

import "ghostcube/predict"

// newQueue returns an empty queue that counts in m.
func newQueue(m *predict.Counters) Queue { return Queue{counters: newQueueCounters(m)} }

// newPlayoutBuffer returns an empty buffer that counts in m.
func newPlayoutBuffer(m *predict.Counters) PlayoutBuffer {
	return PlayoutBuffer{counters: newPlayoutCounters(m)}
}

// repeatTicks repeats a missing input for some ticks.
func repeatTicks(n int) Repetition {
	return Repetition{Enabled: true, Time: float64(n) * 1000 / testRate, Rate: testRate}
}

// repeatLast repeats a missing input in any number of ticks.
var repeatLast = Repetition{Enabled: true, Time: 1e9, Rate: testRate}
