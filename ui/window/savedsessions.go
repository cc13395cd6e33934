package window

import (
	"fmt"
	"strings"

	"ghostcube/ui/widget"
)

// savedSessionControls save the session and load saved ones, and copy the session as a command.
func (p *sessionPage) savedSessionControls() {
	ui := &p.ui
	r := ui.Row(widget.Row{Name: "save session", Help: "A saved session is a settings file (TOML): scene, panes with their knobs, " +
		"network, seat, seed and rate. ghostcube --config FILE starts it too."})
	save := r
	save.Min.X = r.Max.X - ui.Px(48)
	r.Max.X = save.Min.X - ui.Px(4)
	name, ok := ui.Field(r, widget.Field{ID: "session name", Value: p.saveName, Placeholder: "name to save",
		Check: checkSessionName, Live: true, Help: "Name of the saved session: letters, digits and dashes."})
	if ok {
		p.saveName = name
	}
	if p.saveName == "" {
		ui.Disabled("Type a name first.")
	}
	if ui.Button("save session", save, "save", p.session.Files.SaveHelp()) {
		p.session.Files.SaveSession(p.saveName)
		p.saved = nil
	}
	ui.Disabled("")
	if p.saved == nil {
		p.saved = p.session.Files.SavedSessions()
	}
	if len(p.saved) > 0 {
		if name, ok := p.choice(widget.Row{Name: "load session", Help: "Start a saved session."}, "load session", "choose", p.saved, nil); ok {
			p.session.Files.LoadSession(name)
		}
	}
	help := "Copy the command that starts this session, with all knobs and conditions, and print it in the terminal."
	if p.session.Platform.InPage {
		help = "Copy the command that starts this session in the program on a desktop, with all knobs and conditions."
	}
	if ui.Button("copy command", ui.Next(22), "copy session as a command line", help) {
		p.session.Links.CopyCommand()
	}
	if !p.session.Platform.InPage {
		return
	}
	switch p.buttons([3]string{"download tape", "download tape", "Download the session so far as a tape. ghostcube play " +
		"--verify FILE runs it again on a desktop."},
		[3]string{"download settings", "download settings", "Download the session's settings as a file (TOML). ghostcube " +
			"--config FILE starts the session on a desktop."}) {
	case 0:
		p.session.Files.DeliverTape()
	case 1:
		p.session.Files.DeliverSettings()
	}
}

// checkSessionName returns why a name cannot be that of a saved session.
func checkSessionName(name string) error {
	if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fmt.Errorf("%q: want letters, digits and dashes", name)
	}
	return nil
}
