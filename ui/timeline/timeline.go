// Package timeline remembers a session, so that every moment of it can be seen again and changed: its entries,
// checkpoints (copies of the session), marks of what happened, and takes, which are courses that left another one
// at a past moment.
//
// A past moment is rebuilt from the last checkpoint before it and the entries between the two. The package reads no
// clock and starts no goroutine.
package timeline

import (
	"fmt"

	"ghostcube/internal/compact"
	"ghostcube/predict/lab"
	"ghostcube/ui/hud"
)

// Bounds of the number of checkpoints.
const (
	minCheckpoints = 4
	maxCheckpoints = 240
)

// nearTicks is how far before the target of Seek a copy is kept, so that single steps back are quick.
const nearTicks = 15

// Timeline remembers a session. Use New.
type Timeline struct {
	// Lead is the number of ticks before the target of Seek that are always made again, for what follows the session
	// tick by tick and is in no checkpoint, such as recorded datagrams.
	Lead int

	// Budget is the memory for checkpoints in bytes; 0: the constant of that name.
	Budget int

	lab   *lab.Lab
	stage *hud.HUD

	takes       []*Take
	take        *Take         // the present one
	checkpoints []*checkpoint // of all takes, without the start
	packing     packing
	start       *checkpoint
	near        *checkpoint // shortly before the last target; nil: none
	limit       int         // number of checkpoints; 0: as Budget allows
	before      [lab.MaxPanes]totals

	reviewing bool          // the session shows a moment of the past
	target    int           // of Seek
	madeFrom  int           // tick from which all ticks up to the present one have been made in a row
	recorded  lab.ViewState // while reviewing: that of the moment; the lab has the viewer's
	due       *hud.HUD      // a checkpoint of the present tick is wanted: the stage then; nil: none is
}

// New returns the timeline of a session: of l, which has been opened and has made no tick since, and of s, which
// follows it. Both belong to the caller, who makes the ticks; the timeline changes them in Continue and Step.
func New(l *lab.Lab, s *hud.HUD) *Timeline {
	t := &Timeline{lab: l, stage: s, packing: packing{store: compact.NewStore()}}
	t.take = &Take{Number: 1, From: int(l.Ticks())}
	t.takes = []*Take{t.take}
	t.start = t.copy()
	t.packing.add(t.start, &moment{l, s})
	t.madeFrom = t.take.From
	t.countFrom()
	return t
}

// now returns the ticks of the session so far.
func (t *Timeline) now() int { return int(t.lab.Ticks()) }

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

// secondPassed reports whether the present tick is the end of a second of the session.
func (t *Timeline) secondPassed() bool { return t.now()%t.lab.Config().Rate == 0 }

// Seek begins to show the moment after n ticks of the present take, limited to the take. pending are the commands
// that have been applied since the last tick, if the session is at its end and not reviewing. Continue gets there.
func (t *Timeline) Seek(n int, pending []lab.Command) {
	n = min(max(n, t.Start()), t.End())
	if !t.reviewing {
		t.leave(pending)
	}
	t.target = n
	best := t.latest(t.take, n-t.Lead)
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
		t.restore(t.latest(t.take, t.now()))
	}
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
		return fmt.Errorf("timeline: take %d runs differently the second time: the session had the hash %016x after tick %d, and now has %016x",
			k.Number, want, now, t.lab.Hash())
	}
	if t.checkpointTime() && !t.hasCheckpoint(now) {
		t.keep(t.copy(), t.stage)
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

// Bookmark sets a bookmark at the present moment, or removes the one that is there. It returns whether there is one
// now.
func (t *Timeline) Bookmark() bool {
	k := t.take.owner(t.now() - 1)
	at := t.now() - k.From
	if len(k.marks.bookmarks.within(at, at+1)) > 0 {
		k.marks.bookmarks.remove(at)
		return false
	}
	k.marks.bookmarks.add(at)
	return true
}

// NextMark returns the first tick after which there is a mark of a kind in a pane, in [from, to) of the present
// take, or -1.
func (t *Timeline) NextMark(pane int, k Kind, from, to int) int {
	found := -1
	to = min(to, t.End()+1)
	for x := t.take; x != nil && to > from; x = x.Parent {
		if list := x.marks.of(pane, k).within(x.first(from), to-x.From); len(list) > 0 {
			found = x.From + int(list[0])
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
		if list := x.marks.of(pane, k).within(x.first(from), to-x.From); len(list) > 0 {
			return x.From + int(list[len(list)-1])
		}
		to = min(to, x.From+1)
	}
	return -1
}
