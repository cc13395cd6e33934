package statesync

import "testing"

// TestBufferAdapts says that an adaptive buffer is a tick or two where packets come
// evenly, however long the way; becomes long enough within three seconds when they
// begin to come unevenly, so that no more than two in a hundred are late; and
// shrinks again.
func TestBufferAdapts(t *testing.T) {
	r := newRig(t, "zen", "latency=150ms", "adaptive", "on", "congestion", "off")
	r.run(25 * 60)
	if n := r.counter("buffer_ticks"); n < 1 || n > 2 {
		t.Fatalf("an even way: a buffer of %v ticks", n)
	}
	late := func(ticks int) float64 {
		before, all := r.counter("packets_late"), r.counter("packets_received")
		r.run(ticks)
		return (r.counter("packets_late") - before) / (r.counter("packets_received") - all)
	}
	if n := late(600); n > 0.001 {
		t.Errorf("an even way: %.1f %% late", 100*n)
	}
	if err := r.network.Parse("latency=150ms,jitter=80ms"); err != nil {
		t.Fatal(err)
	}
	r.run(3 * 60)
	long := r.counter("buffer_ticks")
	if n := late(1200); n > 0.02 || long < 4 || long > 12 {
		t.Errorf("80 ms of jitter: a buffer of %v ticks, %.1f %% late", long, 100*n)
	}
	if err := r.network.Parse("latency=150ms"); err != nil {
		t.Fatal(err)
	}
	r.run(25 * 60)
	if n := r.counter("buffer_ticks"); n < 1 || n > 2 {
		t.Errorf("even again: a buffer of %v ticks", n)
	}
	r.setKnob("adaptive", "off")
	r.run(120)
	if n := r.counter("buffer_ticks"); n != 5 {
		t.Errorf("not adaptive: a buffer of %v ticks where the knob says 5", n)
	}
}

// TestJitterHistogram says what buffer arrivals ask for.
func TestJitterHistogram(t *testing.T) {
	var s jitterHistogram
	if s.closeSecond(); s.targetTicks() != 0 {
		t.Error("nothing came, and a buffer is wanted")
	}
	for range 300 {
		s.add(3)
	}
	for range 3 {
		s.add(-2) // 1 in 101 is 5 ticks late: not waited for
	}
	if s.closeSecond(); s.targetTicks() != 1 {
		t.Errorf("hardly any are late: a buffer of %d", s.targetTicks())
	}
	for range 9 {
		s.add(-2)
	}
	for range 291 {
		s.add(-3)
	}
	if s.closeSecond(); s.targetTicks() != 2 {
		t.Errorf("most are one late, of the earliest of their second: a buffer of %d", s.targetTicks())
	}
	for range jitterWindowSeconds {
		s.add(-maxEarlyTicks)
		s.add(-2*maxEarlyTicks + 1)
		s.closeSecond()
	}
	if s.targetTicks() != maxBufferTicks {
		t.Errorf("half are %d late: a buffer of %d, at most %d", maxEarlyTicks, s.targetTicks(), maxBufferTicks)
	}
}
