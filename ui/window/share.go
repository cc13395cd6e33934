package window

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/ui/plan"
	"ghostcube/ui/platform"
	"ghostcube/ui/stage"
	"ghostcube/ui/timeline"
	"ghostcube/ui/widget"
)

// share is what links to the present session need.
type share struct {
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

	hashTick int      // tick of the hashes
	hashes   []string // by pane
}

// shareControls copy links, and show what people with the same link can compare.
func (g *game) shareControls() {
	ui := &g.panel.ui
	ui.Heading("Share")
	switch g.panel.buttons(
		[3]string{"copy link with tape", "link with my keys", "Copy a link with everything that has happened so far, keys and changes included. While paused it leads to this moment. It holds a minute or more; longer sessions are files."},
		[3]string{"copy link", "link to settings", "Copy a link that starts this session anew: scene, panes with their knobs, network, seed, display, and no keys. While paused it has the moment too, if you have pressed and changed nothing."},
		[3]string{"copy frame", "<iframe> line", "Copy the line that puts this session into an article: the panes alone, 640 by 360, without a script. It has your keys, if there are any."},
	) {
	case 0:
		g.copyLink(g.tapeLink)
	case 1:
		g.copyLink(g.settingsLink)
	case 2:
		g.copyFrame()
	}
	g.updateHashes()
	c := &g.share
	row := func(name, text string) {
		r := ui.Next(18)
		ui.Explain(r, "Everybody who opens the same link has the same hash of a pane's worlds at the same tick. ghostcube open LINK --text prints it.")
		ui.Text(r, name, true, widget.Left)
		ui.Text(r, text, false, widget.Right)
	}
	row("tick", fmt.Sprintf("%d, %.2f s", c.hashTick, float64(c.hashTick)/float64(g.lab.Config().Rate)))
	for i, h := range c.hashes {
		row(fmt.Sprintf("hash of pane %d", i+1), h)
	}
}

// updateHashes takes the hashes of the panes: of every moment at which the session is paused, and else once a second.
func (g *game) updateHashes() {
	c, now := &g.share, int(g.lab.Ticks())
	if still := g.paused && g.runUp == 0; now%g.lab.Config().Rate != 0 && !still && len(c.hashes) == len(g.lab.Panes) && now > c.hashTick {
		return
	}
	c.hashTick, c.hashes = now, c.hashes[:0]
	for _, h := range tape.NewHashCheck(g.lab).Hashes {
		c.hashes = append(c.hashes, fmt.Sprintf("%016x", h))
	}
}

// settingsLink returns the link with the session's settings. It has the present moment if the session is paused and
// nothing but its plan has led there.
func (g *game) settingsLink() (*plan.Link, error) {
	x := &plan.Link{Page: cmp.Or(platform.Address(), g.Page), Embed: g.Embed}
	start := startSettings(g.lab.Config().Scene, len(g.lab.Panes))
	var display []lab.Command
	if g.plan.Lesson != nil {
		x.Lesson, display = g.plan.Lesson.Name, g.plan.Lesson.Show
	} else {
		s, err := g.portableSettings()
		if err != nil {
			return nil, err
		}
		if x.Settings = s; s.Compare != "" {
			display = g.plan.Comparison.Show
		}
		if (g.paused || g.past.timeline.Reviewing()) && g.lab.Ticks() > 0 && g.followsPlan() {
			x.SetTicks(int(g.lab.Ticks()), g.plan.Config.Rate)
		}
	}
	x.Show = g.shownFrom(start, display)
	return x, x.CheckLength()
}

// shownFrom returns the display settings that differ from those with which the link of the session starts: start, changed
// by the display commands of its comparison or lesson, and by those of the embedded layout.
func (g *game) shownFrom(start stage.Settings, display []lab.Command) string {
	if g.Embed {
		display = slices.Concat(display, embedDisplay())
	}
	for _, c := range display {
		start.Apply(c)
	}
	return shownSettings(g.settings(), start)
}

// portableSettings returns the shortest settings of the session, without names of files.
func (g *game) portableSettings() (plan.Settings, error) {
	c, s := &g.share, g.sessionSettings()
	if x := g.plan.Comparison; x != nil && s.Scene == x.Settings.Scene && s.Seat == x.Settings.Seat {
		s.Compare, s.Tape = x.Name, ""
	}
	if s.Tape != "" {
		if c.tape != s.Tape {
			portable, err := g.Library.PortableTape(s.Tape)
			if err != nil {
				return s, err
			}
			c.tape, c.portable = s.Tape, portable
		}
		s.Tape = c.portable
	}
	if !c.settingsOK || c.settings != s {
		short, err := g.Library.Shortest(s)
		if err != nil {
			return s, err
		}
		c.settings, c.short, c.settingsOK = s, short, true
	}
	return c.short, nil
}

// followsPlan reports whether the session has come to the present moment as it does without a viewer. What only the
// viewer sees does not count.
func (g *game) followsPlan() bool {
	c, t := &g.share, g.past.timeline
	if !t.Reviewing() && slices.ContainsFunc(g.newCommands, func(x lab.Command) bool { return !isViewCommand(x) }) {
		return false
	}
	if c.take != t.Take() {
		c.take, c.checked, c.same = t.Take(), 0, 0
	}
	now := int(g.lab.Ticks())
	for ; c.checked < now; c.checked++ {
		if c.same == c.checked && sameEntry(*c.take.Entry(c.checked), g.plan.Unattended(c.checked)) {
			c.same++
		}
	}
	return c.same >= now
}

// hasKeys reports whether a player has given other inputs in the present take than those of the plan.
func (g *game) hasKeys() bool {
	t := g.past.timeline
	for i := t.Start(); i < t.End(); i++ {
		if !sameInputs(t.Take().Entry(i).Inputs, g.plan.Unattended(i).Inputs) {
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

// tapeLink returns the link with the tape of the present take.
func (g *game) tapeLink() (*plan.Link, error) {
	t, rate := g.past.timeline, g.plan.Config.Rate
	if t.End() == t.Start() {
		return nil, errors.New("the session has no tick yet")
	}
	var text bytes.Buffer
	w := tape.NewWriter(&text, g.Version, g.plan.Config, g.plan.Panes)
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
	x := &plan.Link{Page: cmp.Or(platform.Address(), g.Page), Embed: g.Embed, Settings: plan.Settings{Tape: setting}}
	x.Show = g.shownFrom(startSettings(g.plan.Config.Scene, len(g.plan.Panes)), nil)
	if g.paused || t.Reviewing() {
		x.SetTicks(int(g.lab.Ticks()), rate)
	}
	if x.CheckLength() != nil {
		return nil, fmt.Errorf("%w: send the session's tape as a file, which can be dropped onto the window", plan.ErrLongLink)
	}
	return x, nil
}

// copyLink copies a link to the clipboard.
func (g *game) copyLink(of func() (*plan.Link, error)) {
	x, err := of()
	if err != nil {
		g.notices.post("no link: " + err.Error())
		return
	}
	more := ""
	if x.Page == "" {
		more += ": ghostcube open takes it, and so does a page after its address"
	}
	switch {
	case x.At > 0:
		more += fmt.Sprintf("; it leads to %s", g.timeText())
	case x.HasTape() || x.Lesson != "" || g.followsPlan():
	default:
		more += "; it starts the session anew, without your keys and changes, which the link with my keys has"
	}
	g.copyShared("the link", x.String(), more)
}

// copyShared copies a text, prints it, and says what it is: a name for it, and more about it.
func (g *game) copyShared(name, text, more string) {
	fmt.Fprintln(os.Stdout, text)
	if err := g.panel.copyText(text); err != nil {
		g.notices.post(name + " is printed in the terminal" + more + "; not copied: " + err.Error())
		return
	}
	g.notices.post(name + " is copied" + more)
}

// copyFrame copies the line that puts the session into another page.
func (g *game) copyFrame() {
	more := ""
	x, err := g.settingsLink()
	if err == nil && x.Lesson == "" && g.hasKeys() {
		if withKeys, tooLong := g.tapeLink(); tooLong == nil {
			x, more = withKeys, ", with your keys"
		} else {
			more = ", without your keys: with them " + plan.ErrLongLink.Error()
		}
	}
	if err != nil {
		g.notices.post("no link: " + err.Error())
		return
	}
	if x.Page == "" {
		x.Page = plan.ExamplePage
		more += "; put the address of your page in place of " + x.Page
	}
	g.copyShared("the line", x.Frame(cmp.Or(g.title, "Ghostcube: "+g.lab.Config().Scene)), more)
}

// addressInterval is the time between two changes of the page's address; browsers limit them.
const addressInterval = time.Second

// updateAddress keeps the address of the page a link to the session.
func (g *game) updateAddress() {
	c := &g.share
	if !g.inPage || time.Since(c.addressAt) < addressInterval {
		return
	}
	c.addressAt = time.Now()
	if x, err := g.settingsLink(); err == nil && x.Query() != c.address {
		c.address = x.Query()
		platform.SetAddress(c.address)
	}
}
