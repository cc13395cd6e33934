package cli

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"ghostcube/ui/plan"
)

type linkCommand struct {
	SessionFlags `embed:""`
	DisplayFlags `embed:""`
	At           string `group:"output" help:"Time at which the session is paused, such as 12.5s." placeholder:"TIME"`
	Page         string `group:"output" help:"Address of the page that shows the lab, such as https://example.org/lab/." placeholder:"ADDRESS"`
	Knobs        string `group:"output" help:"Up to three controls under the picture of --frame, such as latency,loss,2.smooth-factor." placeholder:"NAMES"`
	Frame        bool   `group:"output" help:"Print the line of HTML that shows the session in an article."`
}

// Help returns the detailed help.
func (c *linkCommand) Help() string {
	return sessionHelp + `
The session is not run. A tape that is a file travels in the link, if it is short enough. Without
--page the link begins with the question mark: put the address of your page before it.

Examples:
  ghostcube link --compare prediction --page https://example.org/lab/
  ghostcube link --panes noprediction,rewind --network loss=10% --tape circle
`
}

// Run prints a link.
func (c *linkCommand) Run(p *program) error {
	session, err := p.newPlan(c.SessionFlags, "")
	if err != nil {
		return usageError{err}
	}
	x, err := p.linkTo(session, &c.DisplayFlags)
	if err != nil {
		return usageError{fmt.Errorf("no link: %w", err)}
	}
	full := x.String()
	if c.At != "" {
		full += "&at=" + c.At
	}
	if c.Knobs != "" {
		if err := checkLiveKnobs(session, c.Knobs); err != nil {
			return usageError{fmt.Errorf("--%w", err)}
		}
		full += "&knobs=" + c.Knobs
	}
	if c.Page != "" {
		full = c.Page + full
	}
	if x, err = plan.ParseLink(full); err != nil {
		return usageError{fmt.Errorf("--%w", err)}
	}
	if c.Page != x.Page {
		return usageError{fmt.Errorf("--page=%s: want an address that begins with https://, http:// or file://, without a question mark", c.Page)}
	}
	if c.Frame {
		if x.Page == "" {
			x.Page = plan.ExamplePage
			fmt.Fprintf(p.Stderr, "ghostcube: put the address of your page in place of %s (--page)\n", x.Page)
		}
		fmt.Fprintln(p.Stdout, x.Frame("Ghostcube: "+cmp.Or(session.Title(), strategiesIn(session))))
		return nil
	}
	fmt.Fprintln(p.Stdout, x.String())
	return nil
}

// checkLiveKnobs returns why a session does not have one of the controls.
func checkLiveKnobs(session *plan.Plan, names string) error {
	l, err := session.NewLab()
	if err != nil {
		return err
	}
	if _, wrong := plan.LiveKnobs(names, l); len(wrong) > 0 {
		return wrong[0]
	}
	return nil
}

// linkTo returns the link to a session, shown with some display settings.
func (p *program) linkTo(session *plan.Plan, d *DisplayFlags) (*plan.Link, error) {
	if _, err := d.displayCommands(); err != nil {
		return nil, err
	}
	x, err := p.library.LinkTo(session)
	if err != nil {
		return nil, err
	}
	x.Show = d.Show
	return x, nil
}

// fileForLink returns a hint if a text that should be a link is the name of a file.
func fileForLink(text string) string {
	if hint := fileHint(text); hint != "" {
		return hint
	}
	if isFile(text) {
		return "that is a file, and no link"
	}
	return ""
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}

// fileHint returns a hint if a text is the name of a file that a command or a flag reads.
func fileHint(text string) string {
	switch {
	case !isFile(text):
		return ""
	case strings.HasSuffix(text, ".jsonl"):
		return "that is a file: ghostcube --tape " + text + " opens a game log, and ghostcube score " + text + " scores it"
	case strings.HasSuffix(text, ".tape"):
		return "that is a file: ghostcube --tape " + text + " opens it, and ghostcube link --tape " + text + " makes a link of it"
	case strings.HasSuffix(text, ".toml"):
		return "that is a file: ghostcube --config " + text + " opens it"
	}
	return ""
}
