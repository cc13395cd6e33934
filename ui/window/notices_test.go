package window

import (
	"testing"
	"time"
)

// TestNoticesLastSeconds promises that a message stays for four seconds by the clock, whether the machine makes two
// Updates in them or a thousand, and that a repeated one stays longer.
func TestNoticesLastSeconds(t *testing.T) {
	for _, updates := range []int{2, 1000} {
		g := newTestGame(t, "rewind")
		now := time.Unix(0, 0)
		g.notices.clock = func() time.Time { return now }
		g.notices.post("first")
		for range updates {
			now = now.Add(3900 * time.Millisecond / time.Duration(updates))
			g.notices.update(g)
		}
		if len(g.notices.list) != 1 {
			t.Errorf("%d updates: the message is gone after 3.9 s", updates)
		}
		g.notices.post("first")
		now = now.Add(3 * time.Second)
		if g.notices.update(g); len(g.notices.list) != 1 {
			t.Errorf("%d updates: a repeated message does not stay longer", updates)
		}
		now = now.Add(1100 * time.Millisecond)
		if g.notices.update(g); len(g.notices.list) != 0 {
			t.Errorf("%d updates: the message is still there after 4.1 s", updates)
		}
	}
}
