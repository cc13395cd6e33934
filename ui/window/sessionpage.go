package window

import (
	"cmp"
	"slices"
	"strconv"

	"ghostcube/predict/lab"
	"ghostcube/sim/scene"
	"ghostcube/ui/plan"
	"ghostcube/ui/session"
	"ghostcube/ui/stage"
	"ghostcube/ui/widget"
)

// sessionPage has what a session begins with, saved sessions, the tour, and ways to share the session.
type sessionPage struct {
	*panel
	titling  titling  // of the video that begins next
	saveName string   // typed name
	saved    []string // names of saved sessions; nil: not listed yet
}

// titling is how far the title of a video is that begins when Enter ends the typing of it.
type titling uint8

const (
	noTitle titling = iota
	titleAsked
	titleTyped // is being typed
	titleReady
)

// build lays out what the session begins with, and what can be done with it.
func (p *sessionPage) build() {
	c := p.session.Lab.Config()
	ui := &p.ui
	ui.Heading("Session")
	ui.Disabled(p.session.Whole())
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
	ui.Disabled("")
	p.savedSessionControls()
	p.lessonControl()
	p.recordingControls()
	p.shareControls()
}

// recordingControls choose how the next video is to be.
func (p *sessionPage) recordingControls() {
	ui, c := &p.ui, &p.session.Videos.Chosen
	ui.Heading("Recording")
	show := p.session.Settings()
	title, ok := ui.Field(ui.Row(widget.Row{Name: "title", Help: "Title of the session, in its head and its videos. Without one it has the " +
		"comparison's, as long as that is true.", Width: 220}), widget.Field{
		ID: "video title", Value: string(show.Title), Placeholder: cmp.Or(p.session.Title, p.session.Lab.Config().Scene),
		Check: func(text string) error { return stage.CheckCommand(stage.ShowTitle(text)) },
		Begin: p.titling == titleAsked, Release: p.titling == titleTyped,
	})
	if ok {
		p.queue(stage.ShowTitle(title))
	}
	switch _, typing := ui.Caret(); {
	case p.titling == noTitle:
	case typing:
		p.titling = titleTyped
	case p.enter:
		p.titling = titleReady
	default:
		p.titling = noTitle
	}
	one := func(row widget.Row, value *string, options []string) {
		const automatic = "automatic"
		if name, ok := p.choice(row, row.Name, cmp.Or(*value, automatic), slices.Insert(slices.Clone(options), 0, automatic), nil); ok {
			if *value = name; name == automatic {
				*value = ""
			}
		}
	}
	one(widget.Row{Name: "format", Help: "Format of the video; automatic: MP4 where ffmpeg is installed, else WebM."}, &c.Kind, session.VideoKinds())
	one(widget.Row{Name: "size", Help: "Size of the video in pixels; automatic: 1280x720."}, &c.Size, session.VideoSizes)
	one(widget.Row{Name: "frames per second", Help: "Frames per second of the video; automatic: 60, or 25 for a GIF."}, &c.FPS, c.Rates())
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
