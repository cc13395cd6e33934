package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/ui/plan"
)

// Kept lets a page keep the session tick by tick, and go on with it after a reload, a lost picture or a crash: the plan's
// link, the tape so far, and the place of the session in both.
type Kept struct {
	session *Session

	none        bool   // the plan has no link
	file        string // of the tape that the page knows
	rest, place string // as the page knows them

	goal *place // of the session that is being restored; nil: none is
	why  string // it was kept
}

// place is what a tape does not say of a session.
type place struct {
	tapeTick   int           // next tick of the plan's tape
	past       int           // tick of the past that is shown; 0: none is
	leftLesson bool          // the lesson of the plan has been left
	commands   []lab.Command // applied since the last tick
}

// String returns the place as parsePlace reads it.
func (p *place) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, p.tapeTick, p.past, p.leftLesson)
	for _, c := range p.commands {
		fmt.Fprintln(&b, c)
	}
	return b.String()
}

// parsePlace reads a place in a tape of a number of ticks.
func parsePlace(text string, ticks int) (*place, error) {
	p := &place{}
	first, rest, _ := strings.Cut(text, "\n")
	n, err := fmt.Sscan(first, &p.tapeTick, &p.past, &p.leftLesson)
	if err != nil || n != 3 || p.tapeTick < 0 || p.past < 0 || p.past > ticks {
		return nil, fmt.Errorf("%q is no place in %d ticks", first, ticks)
	}
	for line := range strings.Lines(rest) {
		c, err := lab.ParseCommand(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		p.commands = append(p.commands, c)
	}
	return p, nil
}

// reasons says why a session was kept, by the words of the page.
var reasons = map[string]string{
	"lost":  "the browser took the graphics card away",
	"crash": "the program crashed",
	"ended": "the browser ended the page",
}

// update reports changes to the page, which appends rest to the tape's file.
func (k *Kept) update() {
	s := k.session
	if !s.Platform.InPage || s.Platform.Remember == nil || k.none || k.goal != nil || s.tape == nil || s.tape.err != nil {
		return
	}
	if c := s.Past.courses[s.Past.taped]; c.kept != nil && s.Past.Timeline.End() < len(c.kept.Entries) {
		return // Escape has stopped the restoring: what the page has is more
	}
	link, file := "", ""
	if k.file != s.tape.file.Part() {
		x, err := k.link()
		if k.none = err != nil; k.none {
			s.Platform.Remember("", "", "", "")
			return
		}
		k.file, link, file = s.tape.file.Part(), x.Query(), s.tape.file.Part()
	}
	rest, place := s.tape.writer.Rest(), k.here()
	if rest != k.rest || place != k.place {
		k.rest, k.place = rest, place
		s.Platform.Remember(link, file, rest, place)
	}
}

// link returns the link of the plan. Display settings come from the tape.
func (k *Kept) link() (*plan.Link, error) {
	s := k.session
	if s.Plan.Lesson != nil {
		return &plan.Link{Lesson: s.Plan.Lesson.Name, Embed: s.Embed, Knobs: s.Knobs}, nil
	}
	x, err := s.Library.LinkTo(s.Plan)
	if err == nil {
		x.Embed, x.Knobs = s.Embed, s.Knobs
	}
	return x, err
}

// here returns the place of the session. A take that repeats another one goes on with the plan's tape.
func (k *Kept) here() string {
	s, h := k.session, &k.session.Past
	p := place{tapeTick: s.tapeTick, leftLesson: s.Plan.Lesson != nil && s.Lesson.Run == nil, commands: s.newCommands}
	if h.Timeline.Reviewing() {
		p.tapeTick = h.courses[h.taped].tapeTick
		if h.Timeline.Take() == h.taped {
			p.past = int(s.Lab.Ticks()) + h.Timeline.Remaining()
		}
	}
	if h.courses[h.taped].source != nil && s.Plan.Lesson == nil {
		p.tapeTick = min(h.taped.End(), s.tapeTicks)
	}
	return p.String()
}

// forget tells the page that the session ends.
func (k *Kept) forget() {
	if s := k.session; s.Platform.InPage && s.Platform.Remember != nil {
		s.Platform.Remember("", "", "", "")
	}
	*k = Kept{session: k.session}
}

// Restore leads a session that has just started to the moment of one that a page has kept: tape, place and reason are what
// Platform.Remember was given and why the page kept it. The ticks are a run-up, with all inputs and commands. It is an error
// if the tape is not of the session's plan.
func (k *Kept) Restore(text, at, reason string) error {
	s := k.session
	t, err := tape.Read(strings.NewReader(text))
	if err != nil {
		return err
	}
	a, b := t.Config, s.Plan.Config
	if a.Scene != b.Scene || a.Rate != b.Rate || a.Seat != b.Seat || a.Network.Seed != b.Network.Seed ||
		a.Network.String() != b.Network.String() || !slices.Equal(t.Panes, s.Plan.Panes) {
		return errors.New("its tape is of another session")
	}
	if t.Truncated || len(t.Entries) == 0 || s.Lab.Ticks() > 0 {
		return errors.New("its tape is incomplete")
	}
	if k.goal, err = parsePlace(at, len(t.Entries)); err != nil {
		return err
	}
	k.goal.tapeTick = min(k.goal.tapeTick, s.tapeTicks)
	if k.why = reasons[reason]; k.why == "" {
		k.why = "the page was reloaded"
	}
	s.newCommands = nil // the tape has them
	s.Past.courses[s.Past.taped].kept = t
	s.RunUp = len(t.Entries)
	return nil
}

// restored ends the run-up to the moment of a kept session, and reports whether it was one.
func (k *Kept) restored() bool {
	s, p := k.session, k.goal
	if p == nil {
		return false
	}
	k.goal = nil
	k.verify(s.Past.courses[s.Past.taped].kept)
	if p.leftLesson {
		s.Lesson.Leave()
	}
	for _, c := range p.commands {
		s.Do(c)
	}
	s.Ended = s.Embed && s.tapeTicks > 0 && s.tapeTick == s.tapeTicks
	s.PausedBy = k.why
	s.Notices.Post(fmt.Sprintf("paused at %s: %s", s.TimeText(), k.why))
	if p.past > 0 {
		s.Past.Seek(p.past)
	}
	k.update()
	return true
}

// verify compares the session with the hashes of its tape at this tick, if it has any there.
func (k *Kept) verify(t *tape.Tape) {
	i, found := slices.BinarySearchFunc(t.HashChecks, int(k.session.Lab.Ticks()), func(c tape.HashCheck, now int) int { return c.Ticks - now })
	if !found {
		return
	}
	if err := t.Verify(k.session.Lab, i); err != nil {
		k.session.Notices.Post("the session is another than before: " + err.Error())
	}
}

// restored is a session as a page has kept it, whose inputs and commands are made again.
type restored struct {
	s *Session
	c *course
}

func (r restored) next(*Intents) (lab.Entry, bool, error) {
	s, t, now := r.s, r.c.kept, int(r.s.Lab.Ticks())
	s.Kept.verify(t)
	e := t.Entries[now]
	planned := s.Plan.Unattended(now).Commands
	for _, c := range e.Commands {
		if !slices.Contains(planned, c) {
			s.retitle(c) // as when the viewer gave it
		}
	}
	s.tapeTick = min(now+1, s.tapeTicks)
	if p := s.Kept.goal; p != nil && now+1 == len(t.Entries) {
		s.tapeTick = p.tapeTick
	}
	return e, true, nil
}

func (r restored) playing() bool            { return true }
func (r restored) command(lab.Command) bool { return true }

func (r restored) takeOver() {
	r.c.kept, r.s.Kept.goal = nil, nil
	planTape{r.s}.takeOver()
}

func (r restored) note() string { return "the session so far: " + r.s.takeOverHint() }
