package cli

import (
	"context"
	"fmt"
	"time"

	"ghostcube/ui/plan"
	"ghostcube/ui/session"
)

type openCommand struct {
	Link         string `arg:"" optional:"" help:"Link to a session, or the part of it from the question mark on." placeholder:"LINK"`
	Text         bool   `group:"output" help:"Open no window: run the session to the moment of the link, and print hashes and scores."`
	DisplayFlags `embed:""`
	WindowFlags  `embed:""`
}

// Help returns the detailed help.
func (c *openCommand) Help() string {
	return `
A link has the settings of a session in the spelling of the flags, as in ?compare=csp-redundancy or
?scene=zen&network=wifi-bad,loss=5%. at=12.5s pauses the session at that time. The part Share of the
window's panel copies such links, and ghostcube link prints them. docs/share.md lists all parameters.

--text runs the session without a window, up to at, or else to the end of its tape, or for 10 s. Equal
links give equal hashes on every machine and in every browser. Quote a link, which has characters that
the shell reads.

Examples:
  ghostcube open '?compare=csp-redundancy&at=12.5s'
  ghostcube open --text 'https://example.org/lab/?scene=zen&network=wifi-bad'
`
}

// Run opens the window with the session of a link.
func (c *openCommand) Run(p *program) error {
	x, err := plan.ParseLink(c.Link)
	if err != nil {
		if hint := fileForLink(c.Link); hint != "" {
			return usageError{fmt.Errorf("link: %s: %s", c.Link, hint)}
		}
		return usageError{fmt.Errorf("link: %w", err)}
	}
	planned, err := p.planLink(x)
	if err != nil {
		return usageError{fmt.Errorf("link: %w", err)}
	}
	show := x.Show
	if show != "" && c.Show != "" {
		show += ","
	}
	display := DisplayFlags{Show: show + c.Show}
	commands, err := display.displayCommands()
	if err != nil {
		return usageError{err}
	}
	if c.Text {
		return p.printSession(x, planned)
	}
	reason, err := p.openWindow(&WindowOptions{Plan: planned, Display: commands, At: x.Ticks(planned.Config.Rate),
		Session: session.Options{Embed: x.Embed, Knobs: x.Knobs, Page: x.Page}}, &c.WindowFlags)
	if reason == "" || err != nil {
		return err
	}
	if x.At > 0 && x.Settings.Seconds == 0 { // the recording ends at the moment
		x.Settings.Seconds = x.At.Seconds()
		if planned, err = p.planLink(x); err != nil {
			return usageError{fmt.Errorf("link: %w", err)}
		}
	}
	run := runCommand{SessionFlags: SessionFlags(x.Settings), DisplayFlags: display, WindowFlags: c.WindowFlags}
	return p.withoutWindow(&run, planned, commands, reason)
}

// planLink plans the session of a link. The settings file does not change it.
func (p *program) planLink(x *plan.Link) (*plan.Plan, error) {
	if x.Lesson != "" {
		return p.planLesson(x.Lesson)
	}
	return p.library.New(x.Settings, plan.Settings{}, "")
}

// textSeconds is the length of a session without a moment and without a tape, as text.
const textSeconds = 10

// printSession runs the session of a link without a window and prints its hashes and scores.
func (p *program) printSession(x *plan.Link, session *plan.Plan) error {
	if session.Lesson != nil {
		return p.playLesson(session)
	}
	rate := session.Config.Rate
	n := x.Ticks(rate)
	if n == 0 {
		n = session.Ticks(textSeconds)
	}
	l, err := session.NewLab()
	if err != nil {
		return usageError{err}
	}
	if _, wrong := plan.LiveKnobs(x.Knobs, l); len(wrong) > 0 {
		return usageError{fmt.Errorf("link: %w", wrong[0])}
	}
	bar := p.newProgress("open", n)
	latency, err := p.runEntries(context.Background(), l, session.UnattendedEntries(n), bar.set)
	bar.finish()
	if err != nil {
		return usageError{fmt.Errorf("link: %w", err)}
	}
	r := newResult(l, session, latency)
	fmt.Fprintf(p.Stdout, "link  %s\ntick  %d, %.3f s\n", x.Query(), n, (time.Duration(n) * time.Second / time.Duration(rate)).Seconds())
	for i := range r.Panes {
		fmt.Fprintf(p.Stdout, "hash  %s  pane %d, %s\n", r.Panes[i].Hash, i+1, r.Panes[i].Spec)
	}
	fmt.Fprintln(p.Stdout)
	return r.writeBrief(p.Stdout)
}
