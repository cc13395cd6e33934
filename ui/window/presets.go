package window

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ghostcube/internal/atomicfile"
	"ghostcube/ui/plan"
	"ghostcube/ui/platform"
	"ghostcube/ui/stage"
	"ghostcube/ui/widget"
)

// presetFolder is the folder of the presets, in the output folder.
const presetFolder = "presets"

// presetControls save and load presets, and copy the session as a command.
func (g *game) presetControls() {
	p := &g.panel
	ui := &p.ui
	r := ui.Row(widget.Row{Name: "preset", Help: "A preset is a settings file (TOML): scene, panes with their knobs, network, seat, seed and rate. ghostcube --config FILE starts it too."})
	save := r
	save.Min.X = r.Max.X - ui.Px(48)
	r.Max.X = save.Min.X - ui.Px(4)
	name, ok := ui.Field(r, widget.Field{ID: "preset name", Value: p.preset, Placeholder: "name to save", Check: checkPresetName, Live: true, Help: "Name of the preset: letters, digits and dashes."})
	if ok {
		p.preset = name
	}
	if p.preset == "" {
		ui.Disabled("Type a name first.")
	}
	if ui.Button("save preset", save, "save", g.presetHelp()) {
		g.savePreset()
	}
	ui.Disabled("")
	if p.presets == nil {
		p.presets = g.listPresets()
	}
	if len(p.presets) > 0 {
		if name, ok := p.choice(widget.Row{Name: "load preset", Help: "Start the session of a preset."}, "load preset", "choose", p.presets, nil); ok {
			g.loadPreset(name)
		}
	}
	help := "Copy the command that starts this session, with all knobs and conditions, and print it in the terminal."
	if g.inPage {
		help = "Copy the command that starts this session in the program on a desktop, with all knobs and conditions."
	}
	if ui.Button("copy command", ui.Next(22), "copy session as a command line", help) {
		g.copyCommand()
	}
	if !g.inPage {
		return
	}
	switch p.buttons([3]string{"download tape", "download tape", "Download the session so far as a tape. ghostcube play --verify FILE runs it again on a desktop."},
		[3]string{"download preset", "download settings", "Download the session's settings as a file (TOML). ghostcube --config FILE starts the session on a desktop."}) {
	case 0:
		g.deliverTape()
	case 1:
		g.deliverPreset()
	}
}

// presetHelp says where a preset goes.
func (g *game) presetHelp() string {
	if g.inPage {
		return "Keep the session's settings in this browser."
	}
	return "Write the session's settings to " + filepath.ToSlash(g.presetFile("NAME")) + "."
}

// deliverPreset hands a file of the session's settings to the user.
func (g *game) deliverPreset() {
	text, err := g.sessionSettings().TOML()
	if err == nil {
		err = g.deliver("settings", ".toml", text)
	}
	if err != nil {
		g.notices.post("there are no settings: " + err.Error())
	}
}

// checkPresetName returns why a name cannot be that of a preset.
func checkPresetName(name string) error {
	if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fmt.Errorf("%q: want letters, digits and dashes", name)
	}
	return nil
}

// presetFile returns the file of a preset.
func (g *game) presetFile(name string) string {
	return filepath.Join(g.OutDir, presetFolder, name+".toml")
}

// listPresets returns the names of the presets. The list is not nil.
func (g *game) listPresets() []string {
	list := []string{}
	files, err := filepath.Glob(g.presetFile("*"))
	if err != nil { // the output folder is a bad pattern, so nothing is listed
		return list
	}
	for _, f := range files {
		if !atomicfile.IsPart(f) {
			list = append(list, strings.TrimSuffix(filepath.Base(f), ".toml"))
		}
	}
	return list
}

// sessionSettings returns the settings that start the present session again. Commands of the past that are not
// settings, such as a nudge, are not among them.
func (g *game) sessionSettings() plan.Settings {
	s, c := g.plan.Settings, g.lab.Config()
	s.Compare, s.Tape = "", g.plan.TapeName
	s.Scene, s.Network, s.Seat, s.Seed = c.Scene, c.Network.String(), c.Seat.String(), strconv.FormatUint(c.Network.Seed, 10)
	var specs []string
	for _, pane := range g.lab.Panes {
		specs = append(specs, pane.Spec())
	}
	s.Panes = strings.Join(specs, ",")
	return s
}

// savePreset writes the session's settings to the file of the typed name.
func (g *game) savePreset() {
	name := g.presetFile(g.panel.preset)
	text, err := g.sessionSettings().TOML()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o777)
	}
	if err == nil {
		err = atomicfile.WriteFile(name, text)
	}
	if err == nil {
		err = platform.Keep(name)
	}
	if err != nil {
		g.notices.post("the preset was not saved: " + err.Error())
		return
	}
	g.panel.presets = nil
	if g.inPage {
		g.notices.post("preset: " + g.panel.preset + ", kept in this browser")
		return
	}
	g.notices.post("preset: " + filepath.ToSlash(name))
}

// loadPreset plans the session of a preset, which starts after the panel's commands.
func (g *game) loadPreset(name string) {
	file := g.presetFile(name)
	s, err := g.Library.ReadSettingsFile(file)
	if err != nil {
		g.notices.post(err.Error())
		return
	}
	p, err := g.Library.New(s, plan.Settings{}, "")
	if err != nil {
		g.notices.post(filepath.Base(file) + ": " + err.Error())
		return
	}
	g.next = p
}

// copyCommand copies the command line of the session to the clipboard and prints it.
func (g *game) copyCommand() {
	line := "ghostcube " + g.sessionSettings().CommandLine()
	if show := shownSettings(g.settings(), startSettings(g.lab.Config().Scene, len(g.lab.Panes))); show != "" {
		line += " --show " + show
	}
	err := g.panel.copyText(line)
	switch {
	case g.inPage && err != nil:
		g.notices.post("not copied: " + err.Error())
		return
	case g.inPage:
		g.notices.post("the command line is copied")
		return
	}
	fmt.Fprintln(os.Stdout, line)
	if err != nil {
		g.notices.post("printed in the terminal; not copied: " + err.Error())
		return
	}
	g.notices.post("the command line is copied, and printed in the terminal")
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
