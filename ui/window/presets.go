package window

import (
	"fmt"
	"strings"

	"ghostcube/ui/widget"
)

// presetControls save and load presets, and copy the session as a command.
func (p *comparePage) presetControls() {
	ui := &p.ui
	r := ui.Row(widget.Row{Name: "preset", Help: "A preset is a settings file (TOML): scene, panes with their knobs, " +
		"network, seat, seed and rate. ghostcube --config FILE starts it too."})
	save := r
	save.Min.X = r.Max.X - ui.Px(48)
	r.Max.X = save.Min.X - ui.Px(4)
	name, ok := ui.Field(r, widget.Field{ID: "preset name", Value: p.preset, Placeholder: "name to save",
		Check: checkPresetName, Live: true, Help: "Name of the preset: letters, digits and dashes."})
	if ok {
		p.preset = name
	}
	if p.preset == "" {
		ui.Disabled("Type a name first.")
	}
	if ui.Button("save preset", save, "save", p.session.Files.PresetHelp()) {
		p.session.Files.SavePreset(p.preset)
		p.presets = nil
	}
	ui.Disabled("")
	if p.presets == nil {
		p.presets = p.session.Files.Presets()
	}
	if len(p.presets) > 0 {
		if name, ok := p.choice(widget.Row{Name: "load preset", Help: "Start the session of a preset."}, "load preset", "choose", p.presets, nil); ok {
			p.session.Files.LoadPreset(name)
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
		[3]string{"download preset", "download settings", "Download the session's settings as a file (TOML). ghostcube " +
			"--config FILE starts the session on a desktop."}) {
	case 0:
		p.session.Files.DeliverTape()
	case 1:
		p.session.Files.DeliverSettings()
	}
}

// checkPresetName returns why a name cannot be that of a preset.
func checkPresetName(name string) error {
	if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fmt.Errorf("%q: want letters, digits and dashes", name)
	}
	return nil
}
