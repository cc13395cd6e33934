package packet

import "testing"

// TestBudgetRate checks that a sender that reserves what it cannot afford yet sends at the
// rate, with packets of all sizes and rates that are no whole number of bytes per tick.
func TestBudgetRate(t *testing.T) {
	const seconds = 60
	for _, rate := range []int{2000, 32000, 125000, 125001} {
		for _, size := range []int{1, 100, 1228, 64 << 10} {
			b := NewBudget(60)
			sent := 0
			for range 60 * seconds {
				b.AddTick(rate)
				for b.Available() >= size {
					b.Spend(size)
					sent += size
				}
				b.Reserve(size)
			}
			if most := rate * seconds; sent > most || sent < most-size {
				t.Errorf("packets of %d bytes at %d bytes per second: %d bytes in %d s, want %d", size, rate, sent, seconds, most)
			}
		}
	}
}

// TestBudgetKeepsOneTick checks that unspent credit of one tick is kept and older credit is
// lost, that overspending is repaid, and that a reservation lasts one tick.
func TestBudgetKeepsOneTick(t *testing.T) {
	b := NewBudget(60)
	want := func(what string, bytes int) {
		t.Helper()
		if b.Available() != bytes {
			t.Errorf("%s: %d bytes available, want %d", what, b.Available(), bytes)
		}
	}
	want("at first", 0)
	b.AddTick(6000)
	want("after a tick", 100)
	for range 10 {
		b.AddTick(6000)
	}
	want("after more ticks", 200)
	b.Spend(250)
	want("overspent", -50)
	b.AddTick(6000)
	want("repaid", 50)
	for range 3 {
		b.Reserve(1000)
		b.AddTick(6000)
	}
	want("with a reservation", 350)
	b.AddTick(6000)
	want("without the reservation", 200)
	b.AddTick(600)
	want("at a lower rate", 20)
}
