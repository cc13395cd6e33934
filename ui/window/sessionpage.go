package window

import (
	"slices"
	"strconv"

	"ghostcube/predict/lab"
	"ghostcube/sim/scene"
	"ghostcube/ui/plan"
	"ghostcube/ui/widget"
)

// sessionPage has what a session begins with, saved sessions, the tour, and ways to share the session.
type sessionPage struct {
	*panel
	saveName string   // typed name
	saved    []string // names of saved sessions; nil: not listed yet
}

// build lays out what the session begins with, and what can be done with it.
func (p *sessionPage) build() {
	c := p.session.Lab.Config()
	ui := &p.ui
	ui.Heading("Session")
	if name, ok := p.choice(widget.Row{Name: "scene", Help: "The world. Changing it restarts the session."}, "scene", c.Scene, scene.Names(), nil); ok {
		p.queue(lab.Command{Verb: "scene", Pane: lab.AllPanes, Name: name})
	}
	if name, ok := p.choice(widget.Row{Name: "seat", Help: "client: inputs travel to the server. host: inputs reach the " +
		"server at once, and the client is a spectator. Changing it restarts the session."},
		"seat", c.Seat.String(), []string{"client", "host"}, nil); ok {
		p.queue(lab.Command{Verb: "seat", Pane: lab.AllPanes, Name: name})
	}
	seed := strconv.FormatUint(c.Network.Seed, 10)
	text, ok := ui.Field(ui.Row(widget.Row{Name: "seed", Help: "Seed of all packet outcomes: the same seed, the same " +
		"losses. Changing it restarts the session."}), widget.Field{
		ID: "seed", Value: seed, Check: func(text string) error {
			if _, err := plan.ParseSeed(text); err != nil {
				return &plan.SettingError{Name: "seed", Value: text, Err: err}
			}
			return nil
		},
	})
	if ok {
		p.queue(lab.Command{Verb: "seed", Pane: lab.AllPanes, Value: text})
	}
	p.savedSessionControls()
	p.lessonControl()
	p.shareControls()
}

// lessonControl chooses a lesson on a page of the panel.
func (p *sessionPage) lessonControl() {
	list, err := p.session.Library.Lessons()
	if err != nil || len(list) == 0 {
		return
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	now := "start the tour"
	if i := p.session.Lesson.Index(list); i >= 0 {
		now = names[i]
	}
	name, ok := p.choice(widget.Row{Name: "lesson", Help: "The tour (F2): sessions with one idea each, which say what to " +
		"look at and what to do."}, "lesson", now, names,
		func(i int) string { return list[i].Title })
	if ok {
		p.session.Lesson.Leave()
		p.session.Lesson.GoTo(slices.Index(names, name) + 1)
	}
}
