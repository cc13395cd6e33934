package cli

import (
	"fmt"
	"strings"

	"ghostcube/predict/score"
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/tour"
)

type tourCommand struct {
	Lesson string `arg:"" optional:"" help:"Lesson to start with (see list lessons); the default is the first." placeholder:"NAME"`
	Out    string `group:"output" help:"Folder for videos, screenshots and tapes." default:"ghostcube-out" placeholder:"ghostcube-out"`
	Size   string `group:"output" help:"Size of the window in pixels." default:"1280x720" placeholder:"1280x720"`
	Text   bool   `group:"output" help:"Open no window: play the lesson without a viewer and print its figures."`
}

// Help returns the detailed help.
func (c *tourCommand) Help() string {
	return `
A lesson has one idea. It sets up a session, says what to look at, waits until you have done one
thing, and shows figures of the time before and after that. Without a window, and with --text,
the lesson is played without a viewer, and once more without the action: what that changes is its effect.

Examples:
  ghostcube tour
  ghostcube tour smoothing
  ghostcube tour smoothing --text
`
}

// Run opens the window with a lesson.
func (c *tourCommand) Run(p *program) error {
	if c.Lesson == "" {
		list, err := p.library.Lessons()
		if err != nil {
			return err
		}
		c.Lesson = list[0].Name
	}
	if c.Text {
		session, err := p.planLesson(c.Lesson)
		if err != nil {
			return usageError{err}
		}
		return p.playLesson(session)
	}
	return (&runCommand{Lesson: c.Lesson, WindowFlags: WindowFlags{Out: c.Out, Size: c.Size, Renderer: "auto"}}).Run(p)
}

// planLesson plans the session of a lesson.
func (p *program) planLesson(name string) (*plan.Plan, error) {
	i, err := p.library.LessonNamed(name)
	if err != nil {
		return nil, err
	}
	list, _ := p.library.Lessons() // LessonNamed has read them
	return p.library.NewLesson(&list[i])
}

// playLesson plays a lesson without a viewer and prints its words and figures, also those of the same time without the
// action.
func (p *program) playLesson(session *plan.Plan) error {
	r, err := tour.Play(session, nil)
	if err != nil {
		return err
	}
	without, err := tour.PlayControl(session)
	if err != nil {
		return err
	}
	x := r.Lesson
	fmt.Fprintf(p.Stdout, "%s\n\n%s\n%s\n\n", x.Title, wrapText(x.Look), wrapText(x.Do))
	t := newTextTable(p.Stdout)
	t.row("FIGURE", fmt.Sprintf("BEFORE, %.1f s", r.BeforeSeconds), fmt.Sprintf("AFTER, %.1f s", r.AfterSeconds), "WITHOUT IT")
	for i := range r.After {
		before := score.Measure{}
		if i < len(r.Before) {
			before = r.Before[i]
		}
		name := hud.HeadlineTitle(r.After[i].Name)
		if len(session.Panes) > 1 {
			name = fmt.Sprintf("pane %d: %s", x.Figures[i].Pane+1, name)
		}
		t.row(name, before.Text(), r.After[i].Text(), without.After[i].Text())
	}
	if err := t.close(); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "\n%s\n", wrapText(x.After))
	for _, claim := range tour.FalseClaims(x, r.Before, r.After) {
		fmt.Fprintf(p.Stdout, "\nThis run does not show what the lesson says: %s\n", claim)
	}
	return nil
}

// maxLine is the number of characters of a line of text in the terminal.
const maxLine = 100

// wrapText breaks a text into lines of at most 100 characters.
func wrapText(text string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(text) {
		switch n := len([]rune(word)); {
		case i == 0:
			width = n
		case width+1+n > maxLine:
			b.WriteByte('\n')
			width = n
		default:
			b.WriteByte(' ')
			width += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}
