package timeline

import (
	"ghostcube/predict/lab"
)

// MaxTakes is the largest number of takes of a session.
const MaxTakes = 8

// Take is one course of a session.
type Take struct {
	Number int    // from 1
	Parent *Take  // the take that it left; nil: the first take
	From   int    // ticks that it shares with its parent
	Cause  string // the change with which it left its parent; empty for the first take

	entries []lab.Entry   // after From
	hashes  []uint64      // of the session after each whole second, the first at or after From
	pending []lab.Command // applied after the last tick, in no entry yet
	marks   marks
}

// End returns the ticks of the take, those that it shares included.
func (t *Take) End() int { return t.From + len(t.entries) }

// owner returns the take among t and its ancestors to which the entry of tick t belongs.
func (t *Take) owner(k int) *Take {
	for t.Parent != nil && k < t.From {
		t = t.Parent
	}
	return t
}

// Entry returns the entry of tick t, in [start of the session, End()). It is read-only.
func (t *Take) Entry(k int) *lab.Entry {
	t = t.owner(k)
	return &t.entries[k-t.From]
}

// has reports whether a checkpoint of another take at tick t is of this take's course as well.
func (t *Take) has(c *checkpoint) bool {
	for x := t; x != nil; x = x.Parent {
		if x == c.take {
			return true
		}
		if c.tick > x.From {
			return false
		}
	}
	return false
}

// hashIndex returns the index of the hash after tick n, the end of a second, among those of the take.
func (t *Take) hashIndex(n int, rate int) int { return n/rate - t.From/rate - 1 }

// CanBranch reports whether a take can begin at the present moment.
func (t *Timeline) CanBranch() bool { return t.reviewing && len(t.takes) < MaxTakes }

// Branch ends the review: a new take goes on from the present moment. cause is the change that begins it. It returns the
// commands that the caller applies to keep the viewer's view state.
func (t *Timeline) Branch(cause string) (commands []lab.Command) {
	now := t.now()
	k := &Take{Number: len(t.takes) + 1, Parent: t.take.owner(now - 1), From: now, Cause: cause}
	t.takes = append(t.takes, k)
	t.take, t.reviewing, t.target = k, false, now
	t.lab.SwapViewState(&t.recorded)
	t.countFrom()
	return t.viewCommands()
}

// Show shows another take at the present moment, or at its end if it is shorter. pending is that of Seek.
func (t *Timeline) Show(k *Take, pending []lab.Command) {
	if k == t.take {
		return
	}
	if !t.reviewing {
		t.leave(pending)
	}
	n := min(t.now(), k.End())
	shared := t.take == k || k.sharesUpTo(t.take) >= n
	t.take = k
	if !shared {
		t.restore(t.latest(t.take, n))
		t.lab.ForgetDatagrams() // of the other take
	}
	t.Seek(n, nil)
}

// sharesUpTo returns the tick up to which two takes are one.
func (t *Take) sharesUpTo(o *Take) int {
	limit := min(t.End(), o.End())
	for a := t; a != nil; a = a.Parent {
		bound := limit
		for b := o; b != nil; b = b.Parent {
			if a == b {
				return bound
			}
			bound = min(bound, b.From)
		}
		limit = min(limit, a.From)
	}
	return 0
}

// first returns the first tick since the take left its parent that is at or after a tick of the session and belongs to
// the take. The tick at which it left is its parent's.
func (t *Take) first(from int) int {
	if t.Parent == nil {
		return max(from-t.From, 0)
	}
	return max(from-t.From, 1)
}
