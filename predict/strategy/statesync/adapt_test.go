package statesync

import "testing"

// TestBufferAdapts says that an adaptive buffer is a tick or two where packets come
// evenly, however long the way; becomes long enough within three seconds when they
// begin to come unevenly, so that no more than two in a hundred are late; and
// shrinks again.
func TestBufferAdapts(t *testing.T) {
	r := newRig(t, "zen", "latency=150ms", "adaptive", "on", "congestion", "off")
	r.run(25 * 60)
	if n := r.count("buffer_ticks"); n < 1 || n > 2 {
		t.Fatalf("an even way: a buffer of %v ticks", n)
	}
	late := func(ticks int) float64 {
		before, all := r.count("packets_late"), r.count("packets_arrived")
		r.run(ticks)
		return (r.count("packets_late") - before) / (r.count("packets_arrived") - all)
	}
	if n := late(600); n > 0.001 {
		t.Errorf("an even way: %.1f %% late", 100*n)
	}
	if err := r.weather.Parse("latency=150ms,jitter=80ms"); err != nil {
		t.Fatal(err)
	}
	r.run(3 * 60)
	long := r.count("buffer_ticks")
	if n := late(1200); n > 0.02 || long < 4 || long > 12 {
		t.Errorf("80 ms of jitter: a buffer of %v ticks, %.1f %% late", long, 100*n)
	}
	if err := r.weather.Parse("latency=150ms"); err != nil {
		t.Fatal(err)
	}
	r.run(25 * 60)
	if n := r.count("buffer_ticks"); n < 1 || n > 2 {
		t.Errorf("even again: a buffer of %v ticks", n)
	}
	r.turn("adaptive", "off")
	r.run(120)
	if n := r.count("buffer_ticks"); n != 5 {
		t.Errorf("not adaptive: a buffer of %v ticks where the knob says 5", n)
	}
}

// TestSpread says what buffer arrivals ask for.
func TestSpread(t *testing.T) {
	var s spread
	if s.close(); s.want() != 0 {
		t.Error("nothing came, and a buffer is wanted")
	}
	for range 300 {
		s.take(3)
	}
	for range 3 {
		s.take(-2) // 1 in 101 is 5 ticks late: not waited for
	}
	if s.close(); s.want() != 1 {
		t.Errorf("hardly any are late: a buffer of %d", s.want())
	}
	for range 9 {
		s.take(-2)
	}
	for range 291 {
		s.take(-3)
	}
	if s.close(); s.want() != 2 {
		t.Errorf("most are one late, of the earliest of their second: a buffer of %d", s.want())
	}
	for range spreadSpans {
		s.take(-farTicks)
		s.take(-2*farTicks + 1)
		s.close()
	}
	if s.want() != mostBuffer {
		t.Errorf("half are %d late: a buffer of %d, at most %d", farTicks, s.want(), mostBuffer)
	}
}
