package session

import (
	"testing"
	"time"
)

// TestNoticesLastSeconds promises that a message stays for four seconds by the clock, whether the machine makes two
// Updates in them or a thousand, and that a repeated one stays longer.
func TestNoticesLastSeconds(t *testing.T) {
	for _, updates := range []int{2, 1000} {
		var n Notices
		now := time.Unix(0, 0)
		n.Clock = func() time.Time { return now }
		n.Post("first")
		for range updates {
			now = now.Add(3900 * time.Millisecond / time.Duration(updates))
			n.Texts()
		}
		if len(n.list) != 1 {
			t.Errorf("%d updates: the message is gone after 3.9 s", updates)
		}
		n.Post("first")
		now = now.Add(3 * time.Second)
		if len(n.Texts()) != 1 {
			t.Errorf("%d updates: a repeated message does not stay longer", updates)
		}
		now = now.Add(1100 * time.Millisecond)
		if len(n.Texts()) != 0 {
			t.Errorf("%d updates: the message is still there after 4.1 s", updates)
		}
	}
}
