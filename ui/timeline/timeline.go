// Package timeline remembers a session, so that every moment of it can be seen again and changed: its entries,
// checkpoints (copies of the session), marks of what happened, and takes, which are courses that left another one
// at a past moment.
//
// A past moment is rebuilt from the last checkpoint before it and the entries between the two. The package reads no
// clock and starts no goroutine.
package timeline

import (
	"fmt"
	"slices"

	"ghostcube/predict/lab"
	"ghostcube/ui/stage"
)

// MaxTakes is the largest number of takes of a session.
const MaxTakes = 8

// Budget is the memory for checkpoints in bytes, by the estimate of checkpointSize.
const Budget = 448 << 20

// MemoryLimit is the memory in bytes from which the garbage collector should work harder, so that a program with a full
// Budget stays below 1 GiB.
const MemoryLimit = 900 << 20

// Bounds of the number of checkpoints.
const (
	minCheckpoints = 4
	maxCheckpoints = 240
)

// nearTicks is how far before the target of Seek a copy is kept, so that single steps back are quick.
const nearTicks = 15

// checkpoint is a copy of the session after a number of ticks.
type checkpoint struct {
	take  *Take
	tick  int
	lab   *lab.Lab
	stage *stage.Stage
}

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
func (k *Take) End() int { return k.From + len(k.entries) }

// owner returns the take among k and its ancestors to which the entry of tick t belongs.
func (k *Take) owner(t int) *Take {
	for k.Parent != nil && t < k.From {
		k = k.Parent
	}
	return k
}

// Entry returns the entry of tick t, in [start of the session, End()). It is read-only.
func (k *Take) Entry(t int) *lab.Entry {
	k = k.owner(t)
	return &k.entries[t-k.From]
}

// has reports whether a checkpoint of another take at tick t is of this take's course as well.
func (k *Take) has(c *checkpoint) bool {
	for x := k; x != nil; x = x.Parent {
		if x == c.take {
			return true
		}
		if c.tick > x.From {
			return false
		}
	}
	return false
}

// Timeline remembers a session. Use New.
type Timeline struct {
	// Lead is the number of ticks before the target of Seek that are always made again, for what follows the session
	// tick by tick and is in no checkpoint, such as recorded datagrams.
	Lead int

	lab   *lab.Lab
	stage *stage.Stage

	takes       []*Take
	take        *Take         // the present one
	checkpoints []*checkpoint // of all takes, without the start
	start       *checkpoint
	near        *checkpoint // shortly before the last target; nil: none
	limit       int         // number of checkpoints; 0: as Budget allows
	before      [lab.MaxPanes]totals

	reviewing bool          // the session shows a moment of the past
	target    int           // of Seek
	madeFrom  int           // tick from which all ticks up to the present one have been made in a row
	recorded  lab.ViewState // while reviewing: that of the moment; the lab has the viewer's
	due       *stage.Stage  // a checkpoint of the present tick is wanted: the stage then; nil: none is
}

// New returns the timeline of a session: of l, which has been opened and has made no tick since, and of s, which
// follows it. Both belong to the caller, who makes the ticks; the timeline changes them in Continue and Step.
func New(l *lab.Lab, s *stage.Stage) *Timeline {
	t := &Timeline{lab: l, stage: s}
	t.take = &Take{Number: 1, From: int(l.Ticks())}
	t.takes = []*Take{t.take}
	t.start = t.copy()
	t.madeFrom = t.take.From
	t.countFrom()
	return t
}

// checkpointSize estimates the memory of a checkpoint in bytes. Measured: 1.1 to 4.1 MB a pane in a scene of two
// bodies, 3.7 to 7.2 MB in one of 901.
func checkpointSize(l *lab.Lab) (n int) {
	for _, p := range l.Panes {
		n += 2<<20 + 6400*len(p.ServerWorld.Bodies())
	}
	return max(n, 1<<20)
}

// now returns the ticks of the session so far.
func (t *Timeline) now() int { return int(t.lab.Ticks()) }

// copy returns a checkpoint of the present.
func (t *Timeline) copy() *checkpoint {
	if t.reviewing {
		t.lab.SwapViewState(&t.recorded)
		defer t.lab.SwapViewState(&t.recorded)
	}
	return t.copyWith(t.stage)
}

// copyWith returns a checkpoint of the present with the stage as it was, whatever is drawn with the present one.
func (t *Timeline) copyWith(s *stage.Stage) *checkpoint {
	c := &checkpoint{take: t.take.owner(t.now() - 1), tick: t.now(), lab: t.lab.Fork()}
	c.stage = s.Fork(c.lab)
	return c
}

// countFrom makes the present totals those from which marks are counted.
func (t *Timeline) countFrom() {
	t.before = [lab.MaxPanes]totals{}
	for i, p := range t.lab.Panes {
		t.before[i] = totalsOf(p)
	}
}

// Takes returns all takes in the order in which they began. The slice is read-only.
func (t *Timeline) Takes() []*Take { return t.takes }

// Take returns the present take.
func (t *Timeline) Take() *Take { return t.take }

// Reviewing reports whether the session shows its past. Then the caller calls Step instead of the lab's Tick.
func (t *Timeline) Reviewing() bool { return t.reviewing }

// Start returns the first tick of the session.
func (t *Timeline) Start() int { return t.takes[0].From }

// End returns the last tick of the present take.
func (t *Timeline) End() int { return t.take.End() }

// Add adds the entry of the tick that the lab has just made, after the stage has followed it. Not while reviewing.
func (t *Timeline) Add(e lab.Entry) {
	k := t.take
	k.entries = append(k.entries, e)
	k.marks.addTick(t.lab, &t.before, len(k.entries))
	if t.secondPassed() {
		k.hashes = append(k.hashes, t.lab.Hash())
		if t.checkpointTime() {
			t.due = t.stage.Fork(t.lab)
		}
	}
}

// quickCheckpoint is the size in bytes of a checkpoint that is made every second. Larger ones, which take longer, are
// made less often: that of 10,000 bodies in two panes every five seconds.
const quickCheckpoint = 32 << 20

// checkpointTime reports whether the present second gets a checkpoint.
func (t *Timeline) checkpointTime() bool {
	interval := 1 + checkpointSize(t.lab)/quickCheckpoint
	return t.now()/t.lab.Config().Rate%interval == 0
}

// secondPassed reports whether the present tick is the end of a second of the session.
func (t *Timeline) secondPassed() bool { return t.now()%t.lab.Config().Rate == 0 }

// hashAt returns the index of the hash after tick n, the end of a second, among those of the take.
func (k *Take) hashIndex(n int, rate int) int { return n/rate - k.From/rate - 1 }

// CheckpointDue reports whether Checkpoint has something to do.
func (t *Timeline) CheckpointDue() bool { return t.due != nil }

// Checkpoint copies the session if a checkpoint is due. It only reads the session, so it may run on another goroutine
// while the session is drawn, as long as nothing changes the session or uses the timeline until it returns.
func (t *Timeline) Checkpoint() {
	s := t.due
	if s == nil {
		return
	}
	t.due = nil
	if !t.hasCheckpoint(t.now()) {
		t.keep(t.copyWith(s))
	}
}

// hasCheckpoint reports whether there is a checkpoint of the present take at a tick.
func (t *Timeline) hasCheckpoint(n int) bool {
	return slices.ContainsFunc(t.checkpoints, func(c *checkpoint) bool { return c.tick == n && t.take.has(c) })
}

// keep adds a checkpoint, and forgets the least useful one if there are too many.
func (t *Timeline) keep(c *checkpoint) {
	t.checkpoints = append(t.checkpoints, c)
	slices.SortStableFunc(t.checkpoints, func(a, b *checkpoint) int {
		if a.take.Number != b.take.Number {
			return a.take.Number - b.take.Number
		}
		return a.tick - b.tick
	})
	limit := t.limit
	if limit == 0 {
		limit = min(max(Budget/checkpointSize(t.lab), minCheckpoints), maxCheckpoints)
	}
	for len(t.checkpoints) > limit {
		i := t.leastUseful()
		t.checkpoints = slices.Delete(t.checkpoints, i, i+1)
	}
}

// otherTakeShare is how much less checkpoints of other takes count.
const otherTakeShare = 4

// leastUseful returns the index of the checkpoint without which the time to rebuild a moment grows least in
// proportion to the moment's distance from the present one: so they lie dense near what the viewer looks at and
// sparse far away. The end of the present take is kept.
func (t *Timeline) leastUseful() (least int) {
	at, rate := t.now(), t.lab.Config().Rate
	lowest := -1.0
	for i, c := range t.checkpoints {
		if c.take == t.take && c.tick == t.End() && t.reviewing {
			continue
		}
		before, after := c.take.From, c.take.End()
		if i > 0 && t.checkpoints[i-1].take == c.take {
			before = t.checkpoints[i-1].tick
		}
		if i+1 < len(t.checkpoints) && t.checkpoints[i+1].take == c.take {
			after = t.checkpoints[i+1].tick
		}
		distance := max(at-c.tick, c.tick-at) + rate
		cost := float64(after-before) / float64(distance)
		if !t.take.has(c) {
			cost /= otherTakeShare
		}
		if lowest < 0 || cost < lowest {
			least, lowest = i, cost
		}
	}
	return least
}

// restore makes the session that of a checkpoint, with the viewer's view state.
func (t *Timeline) restore(c *checkpoint) {
	t.madeFrom = c.tick
	mine := t.lab.ViewState()
	t.lab.CopyFrom(c.lab)
	t.stage.CopyFrom(c.stage, t.lab)
	t.recorded = mine
	t.lab.SwapViewState(&t.recorded) // the lab gets the viewer's, recorded that of the moment
}

// Seek begins to show the moment after n ticks of the present take, limited to the take. pending are the commands
// that have been applied since the last tick, if the session is at its end and not reviewing. Continue gets there.
func (t *Timeline) Seek(n int, pending []lab.Command) {
	n = min(max(n, t.Start()), t.End())
	if !t.reviewing {
		t.leave(pending)
	}
	t.target = n
	best := t.latest(n - t.Lead)
	if c := t.near; c != nil && c.tick <= n-t.Lead && c.tick > best.tick && t.take.has(c) {
		best = c
	}
	if at := t.now(); at > n || at < best.tick || t.madeFrom > max(n-t.Lead, t.Start()) {
		t.restore(best)
	}
}

// leave begins the review of the past: the viewer leaves the end of the take.
func (t *Timeline) leave(pending []lab.Command) {
	t.take.pending = append([]lab.Command(nil), pending...)
	if len(pending) == 0 {
		t.due = t.stage.Fork(t.lab)
		t.Checkpoint()
	}
	t.due = nil
	t.recorded = t.lab.ViewState()
	t.reviewing = true
	if len(pending) > 0 { // they are in no entry, so the present state is not that of a tick
		t.restore(t.latest(t.now()))
	}
}

// latest returns the last checkpoint of the present take at or before tick n.
func (t *Timeline) latest(n int) *checkpoint {
	best := t.start
	for _, c := range t.checkpoints {
		if c.tick <= n && c.tick > best.tick && t.take.has(c) {
			best = c
		}
	}
	return best
}

// Fork returns a copy of the session, for videos: entries of the present take lead it on as they led the session.
func (t *Timeline) Fork() *lab.Lab {
	if t.reviewing {
		return t.lab.ForkWithFocus(&t.recorded)
	}
	return t.lab.Fork()
}

// Remaining returns the number of ticks up to the target of Seek.
func (t *Timeline) Remaining() int {
	if !t.reviewing {
		return 0
	}
	return t.target - t.now()
}

// Continue makes at most n ticks towards the target of Seek. It returns an error if the session does not have the
// hash that it had, which would be a defect of the program.
func (t *Timeline) Continue(n int) error {
	for range n {
		left := t.Remaining()
		if left <= 0 {
			return nil
		}
		if left == nearTicks+t.Lead {
			t.near = t.copy()
		}
		if err := t.next(); err != nil {
			return err
		}
	}
	return nil
}

// Step shows the next tick of the past. At the end of the take it does nothing.
func (t *Timeline) Step() error {
	if t.now() >= t.End() {
		return nil
	}
	err := t.next()
	t.target = t.now()
	return err
}

// next makes the next tick of the take from its entry.
func (t *Timeline) next() error {
	e := t.take.Entry(t.now())
	t.lab.SwapViewState(&t.recorded)
	err := t.lab.Tick(*e)
	t.lab.SwapViewState(&t.recorded)
	if err != nil {
		return fmt.Errorf("timeline: %w", err)
	}
	t.stage.Tick(t.lab)
	if !t.secondPassed() {
		return nil
	}
	now := t.now()
	k := t.take.owner(now - 1)
	if want := k.hashes[k.hashIndex(now, t.lab.Config().Rate)]; t.lab.Hash() != want {
		return fmt.Errorf("timeline: take %d runs differently the second time: the session had the hash %016x after tick %d, and now has %016x", k.Number, want, now, t.lab.Hash())
	}
	if t.checkpointTime() && !t.hasCheckpoint(now) {
		t.keep(t.copy())
	}
	return nil
}

// Resume ends the review at the end of the take, where the lab must be. It returns the commands that the caller
// applies: those that were pending there, and those that keep the viewer's view state.
func (t *Timeline) Resume() (commands []lab.Command) {
	t.reviewing = false
	t.lab.SwapViewState(&t.recorded)
	commands = append(t.take.pending, t.viewCommands()...)
	t.take.pending = nil
	t.countFrom()
	return commands
}

// viewCommands returns the commands that give the lab, which has the recorded view state, the viewer's, which is in
// recorded.
func (t *Timeline) viewCommands() []lab.Command {
	now := t.lab.ViewState()
	return now.CommandsTo(&t.recorded)
}

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
		t.restore(t.latest(n))
		t.lab.ForgetDatagrams() // of the other take
	}
	t.Seek(n, nil)
}

// sharesUpTo returns the tick up to which two takes are one.
func (k *Take) sharesUpTo(o *Take) int {
	limit := min(k.End(), o.End())
	for a := k; a != nil; a = a.Parent {
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

// Bookmark sets a bookmark at the present moment, or removes the one that is there. It returns whether there is one
// now.
func (t *Timeline) Bookmark() bool {
	k := t.take.owner(t.now() - 1)
	at := t.now() - k.From
	if k.marks.bookmarks.next(at, at+1) >= 0 {
		k.marks.bookmarks.remove(at)
		return false
	}
	k.marks.bookmarks.add(at)
	return true
}

// first returns the first tick since the take left its parent that is at or after a tick of the session and belongs to
// the take. The tick at which it left is its parent's.
func (k *Take) first(from int) int {
	if k.Parent == nil {
		return max(from-k.From, 0)
	}
	return max(from-k.From, 1)
}

// NextMark returns the first tick after which there is a mark of a kind in a pane, in [from, to) of the present
// take, or -1.
func (t *Timeline) NextMark(pane int, k Kind, from, to int) int {
	found := -1
	to = min(to, t.End()+1)
	for x := t.take; x != nil && to > from; x = x.Parent {
		if n := x.marks.of(pane, k).next(x.first(from), to-x.From); n >= 0 {
			found = x.From + n
		}
		to = min(to, x.From+1)
	}
	return found
}

// PreviousMark returns the last tick after which there is a mark of a kind in a pane, in [from, to) of the present
// take, or -1.
func (t *Timeline) PreviousMark(pane int, k Kind, from, to int) int {
	to = min(to, t.End()+1)
	for x := t.take; x != nil && to > from; x = x.Parent {
		if n := x.marks.of(pane, k).previous(x.first(from), to-x.From); n >= 0 {
			return x.From + n
		}
		to = min(to, x.From+1)
	}
	return -1
}
