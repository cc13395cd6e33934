package session

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/ui/plan"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
)

// Links are what links to the present session need.
type Links struct {
	session *Session

	take    *timeline.Take // whose entries have been compared with the plan's
	checked int            // ticks from the start of the session that have been
	same    int            // ticks in which they are equal

	tape       string // name of the tape that portable stands for
	portable   string
	settings   plan.Settings // whose shortest form is known
	short      plan.Settings
	settingsOK bool

	address   string // of the page, as it was set last
	addressAt time.Time
	another   bool   // session begins: the address of the one before it is worth a way back
	state     string // of the session, as the page was told last

	hashTick int      // tick of the hashes
	hashes   []string // by pane
}

// addressInterval is the time between two changes of the page's address; browsers limit them.
const addressInterval = time.Second

// Hashes returns the hashes of the panes and their tick: of every moment at which the session is paused, and else of one a
// second.
func (l *Links) Hashes() (tick int, hashes []string) {
	s := l.session
	now := int(s.Lab.Ticks())
	if still := s.Paused && s.RunUp == 0; now%s.Lab.Config().Rate != 0 && !still && len(l.hashes) == len(s.Lab.Panes) && now > l.hashTick {
		return l.hashTick, l.hashes
	}
	l.hashTick, l.hashes = now, l.hashes[:0]
	for _, h := range tape.NewHashCheck(s.Lab).Hashes {
		l.hashes = append(l.hashes, fmt.Sprintf("%016x", h))
	}
	return l.hashTick, l.hashes
}

// ToSettings returns the link with the session's settings. It has the present moment if the session is paused and
// nothing but its plan has led there.
func (l *Links) ToSettings() (*plan.Link, error) {
	s := l.session
	if s.Plan.Happened() {
		return nil, plan.ErrHappened
	}
	x := &plan.Link{Page: cmp.Or(s.Platform.Address(), s.Page), Embed: s.Embed, Knobs: s.Knobs}
	start := startSettings(s.Lab.Config().Scene, len(s.Lab.Panes))
	var display []lab.Command
	if s.Plan.Lesson != nil {
		x.Lesson, display = s.Plan.Lesson.Name, s.Plan.Lesson.Show
	} else {
		settings, err := l.portableSettings()
		if err != nil {
			return nil, err
		}
		if x.Settings = settings; settings.Compare != "" {
			display = s.Plan.Comparison.Show
		}
		if (s.Paused || s.Past.Timeline.Reviewing()) && s.Lab.Ticks() > 0 && l.followsPlan() {
			x.SetTicks(int(s.Lab.Ticks()), s.Plan.Config.Rate)
		}
	}
	x.Show = l.shownFrom(start, display)
	return x, x.CheckLength()
}

// shownFrom returns the display settings that differ from those with which the link of the session starts: start, changed
// by the display commands of its comparison or lesson, and by those of the embedded layout.
func (l *Links) shownFrom(start stage.Settings, display []lab.Command) string {
	s := l.session
	if s.Embed {
		display = slices.Concat(display, embedDisplay())
	}
	for _, c := range display {
		start.Apply(c)
	}
	return shownSettings(s.Settings(), start)
}

// portableSettings returns the shortest settings of the session, without names of files.
func (l *Links) portableSettings() (plan.Settings, error) {
	s, library := l.session.settings(), l.session.Library
	if x := l.session.Plan.Comparison; x != nil && s.Scene == x.Settings.Scene && s.Seat == x.Settings.Seat {
		s.Compare, s.Tape = x.Name, ""
	}
	if s.Tape != "" {
		if l.tape != s.Tape {
			portable, err := library.PortableTape(s.Tape)
			if err != nil {
				return s, err
			}
			l.tape, l.portable = s.Tape, portable
		}
		s.Tape = l.portable
	}
	if !l.settingsOK || l.settings != s {
		short, err := library.Shortest(s)
		if err != nil {
			return s, err
		}
		l.settings, l.short, l.settingsOK = s, short, true
	}
	return l.short, nil
}

// followsPlan reports whether the session has come to the present moment as it does without a viewer. What only the
// viewer sees does not count.
func (l *Links) followsPlan() bool {
	s := l.session
	t := s.Past.Timeline
	if !t.Reviewing() && slices.ContainsFunc(s.newCommands, func(x lab.Command) bool { return !isViewCommand(x) }) {
		return false
	}
	if l.take != t.Take() {
		l.take, l.checked, l.same = t.Take(), 0, 0
	}
	now := int(s.Lab.Ticks())
	for ; l.checked < now; l.checked++ {
		if l.same == l.checked && sameEntry(*l.take.Entry(l.checked), s.Plan.Unattended(l.checked)) {
			l.same++
		}
	}
	return l.same >= now
}

// hasKeys reports whether a player has given other inputs in the present take than those of the plan.
func (l *Links) hasKeys() bool {
	s := l.session
	t := s.Past.Timeline
	for i := t.Start(); i < t.End(); i++ {
		if !sameInputs(t.Take().Entry(i).Inputs, s.Plan.Unattended(i).Inputs) {
			return true
		}
	}
	return false
}

// sameInputs reports whether two ticks have the same inputs. A player without an input presses nothing.
func sameInputs(a, b []sim.Input) bool {
	for i := range max(len(a), len(b)) {
		var x, y sim.Input
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return false
		}
	}
	return true
}

// sameEntry reports whether two entries do the same to a session.
func sameEntry(a, b lab.Entry) bool {
	changes := func(e lab.Entry) []lab.Command { return slices.DeleteFunc(slices.Clone(e.Commands), isViewCommand) }
	return sameInputs(a.Inputs, b.Inputs) && slices.Equal(changes(a), changes(b))
}

// WithTape returns the link with the tape of the present take.
func (l *Links) WithTape() (*plan.Link, error) {
	s := l.session
	t, rate := s.Past.Timeline, s.Plan.Config.Rate
	if t.End() == t.Start() {
		return nil, errors.New("the session has no tick yet")
	}
	if s.Plan.Happened() {
		return nil, plan.ErrHappened
	}
	var text bytes.Buffer
	w := tape.NewWriter(&text, s.Version, s.Plan.Config, s.Plan.Panes)
	for i := t.Start(); i < t.End(); i++ {
		w.Add(withoutDisplay(*t.Take().Entry(i)))
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	setting, err := plan.InlineTape(text.Bytes())
	if err != nil {
		return nil, err
	}
	x := &plan.Link{Page: cmp.Or(s.Platform.Address(), s.Page), Embed: s.Embed, Knobs: s.Knobs, Settings: plan.Settings{Tape: setting}}
	x.Show = l.shownFrom(startSettings(s.Plan.Config.Scene, len(s.Plan.Panes)), nil)
	if s.Paused || t.Reviewing() {
		x.SetTicks(int(s.Lab.Ticks()), rate)
	}
	if x.CheckLength() != nil {
		return nil, fmt.Errorf("%w: send the session's tape as a file, which can be dropped onto the window", plan.ErrLongLink)
	}
	return x, nil
}

// CopyTape copies a link with everything that has happened so far.
func (l *Links) CopyTape() { l.copy(l.WithTape()) }

// CopySettings copies a link that starts the session anew.
func (l *Links) CopySettings() { l.copy(l.ToSettings()) }

// copy copies a link to the clipboard.
func (l *Links) copy(x *plan.Link, err error) {
	s := l.session
	if err != nil {
		s.Notices.Post("no link: " + err.Error())
		return
	}
	more := ""
	if x.Page == "" {
		more += ": ghostcube open takes it, and so does a page after its address"
	}
	switch {
	case s.Remote != nil: // no take has the inputs of others
		more += "; it starts such a session of your own"
	case x.At > 0:
		more += fmt.Sprintf("; it leads to %s", s.TimeText())
	case x.HasTape() || x.Lesson != "" || l.followsPlan():
	default:
		more += "; it starts the session anew, without your keys and changes, which the link with my keys has"
	}
	l.copyText("the link", x.String(), more)
}

// copyText copies a text, prints it, and says what it is: a name for it, and more about it.
func (l *Links) copyText(name, text, more string) {
	s := l.session
	fmt.Fprintln(os.Stdout, text)
	if err := s.Platform.CopyText(text); err != nil {
		s.Notices.Post(name + " is printed in the terminal" + more + "; not copied: " + err.Error())
		return
	}
	s.Notices.Post(name + " is copied" + more)
}

// CopyFrame copies the line that puts the session into another page.
func (l *Links) CopyFrame() {
	s := l.session
	more := ""
	x, err := l.ToSettings()
	if err == nil && x.Lesson == "" && l.hasKeys() {
		if withKeys, tooLong := l.WithTape(); tooLong == nil {
			x, more = withKeys, ", with your keys"
		} else {
			more = ", without your keys: with them " + plan.ErrLongLink.Error()
		}
	}
	if err != nil {
		s.Notices.Post("no link: " + err.Error())
		return
	}
	if x.Page == "" {
		x.Page = plan.ExamplePage
		more += "; put the address of your page in place of " + x.Page
	}
	l.copyText("the line", x.Frame(cmp.Or(s.Title, "Ghostcube: "+s.Lab.Config().Scene)), more)
}

// UpdateAddress keeps the address of the page a link to the session, and tells the page what the session is and does. The way
// back leads to the session before.
func (l *Links) UpdateAddress() {
	s := l.session
	if !s.Platform.InPage || time.Since(l.addressAt) < addressInterval {
		return
	}
	l.addressAt = time.Now()
	if x, err := l.ToSettings(); err == nil && x.Query() != l.address {
		l.address = x.Query()
		s.Platform.SetAddress(l.address, l.another)
	}
	l.another = false
	title := cmp.Or(s.Title, s.Lab.Config().Scene)
	if state := title + ", " + s.stateText(); state != l.state {
		l.state = state
		s.Platform.Describe(title, state)
	}
}

// stateText says what the session does, for screen readers. It changes only when a viewer does something, because it is read
// aloud.
func (s *Session) stateText() string {
	switch {
	case s.Ended:
		return "at its end; " + s.HUD.HeadlineText()
	case s.Paused:
		return "paused at " + s.TimeText() + "; " + s.HUD.HeadlineText()
	}
	return "playing"
}

// CopyCommand copies the command line of the session to the clipboard and prints it.
func (l *Links) CopyCommand() {
	s := l.session
	line := "ghostcube " + s.settings().CommandLine()
	if show := shownSettings(s.Settings(), startSettings(s.Lab.Config().Scene, len(s.Lab.Panes))); show != "" {
		line += " --show " + show
	}
	l.copyLine(line)
}

// copyLine copies a command line, and prints it where there is a terminal.
func (l *Links) copyLine(line string) {
	s := l.session
	err := s.Platform.CopyText(line)
	switch {
	case s.Platform.InPage && err != nil:
		s.Notices.Post("not copied: " + err.Error())
		return
	case s.Platform.InPage:
		s.Notices.Post("the command line is copied")
		return
	}
	fmt.Fprintln(os.Stdout, line)
	if err != nil {
		s.Notices.Post("printed in the terminal; not copied: " + err.Error())
		return
	}
	s.Notices.Post("the command line is copied, and printed in the terminal")
}

// settings returns the settings that start the present session again. Commands of the past that are not
// settings, such as a nudge, are not among them.
func (s *Session) settings() plan.Settings {
	x, c := s.Plan.Settings, s.Lab.Config()
	x.Compare, x.Tape = "", s.Plan.TapeName
	x.Scene, x.Network, x.Seat, x.Seed = c.Scene, c.Network.String(), c.Seat.String(), strconv.FormatUint(c.Network.Seed, 10)
	var specs []string
	for _, pane := range s.Lab.Panes {
		specs = append(specs, pane.Spec())
	}
	x.Panes = strings.Join(specs, ",")
	return x
}

// startSettings returns the display settings at the start of a session.
func startSettings(scene string, panes int) stage.Settings {
	s := stage.DefaultsOf(scene)
	s.Split = panes == 1
	return s
}

// shownSettings returns the display settings that differ from those at the start of a session, as --show takes them.
func shownSettings(s, start stage.Settings) string {
	var list []string
	for i := range stage.SettingTable {
		d := &stage.SettingTable[i]
		if v := d.Value(&s); v != d.Value(&start) {
			list = append(list, d.Name+"="+v)
		}
	}
	return strings.Join(list, ",")
}
