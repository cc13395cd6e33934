package window

import (
	"slices"
	"strconv"
	"sync"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/ui/hud"
	"ghostcube/ui/stage"
	"ghostcube/ui/widget"
)

// viewPage has the settings of stage.SettingTable, and files and modes of the window.
type viewPage struct {
	*panel
	window *controls
}

// build lays out the settings of stage.SettingTable, and files and modes of the window.
func (p *viewPage) build() {
	show := p.session.Settings()
	ui := &p.ui
	ui.Heading("Overlays")
	p.switches(&show)
	ui.Heading("Colours, camera and speed")
	for i := range stage.SettingTable {
		d := &stage.SettingTable[i]
		row := widget.Row{Name: settingLabel(d), Help: sentence(d.Help)}
		switch {
		case d.Name == "title": // on the page Session
		case d.Options() == nil && d.Max > d.Min:
			p.numberSetting(d, row, d.Value(&show))
		case d.Options() == nil && d.Name != "headline":
			p.textSetting(d, row, d.Value(&show))
		case d.Options() == nil:
			p.headlineSetting(d, row, d.Value(&show))
		case len(d.Options()) > 2:
			if name, ok := p.choice(row, d.Name, d.Value(&show), d.Options(), nil); ok {
				p.queue(stage.Show(d.Name, name))
			}
		}
	}
	ui.Heading("Window")
	switch p.buttons([3]string{"screenshot", "screenshot (F12)", "Save the window's picture as a PNG file."},
		[3]string{"full screen", "full screen (F11)", "Switch between a window and the full screen."}) {
	case 0:
		p.window.screenshotDue = true
	case 1:
		ebiten.SetFullscreen(!ebiten.IsFullscreen())
	}
	switch p.buttons([3]string{"hide", "hide all (H)", "Hide panel and overlay. H shows them again."}, [3]string{"keys", "list of keys (F1)", "Show all keys."}) {
	case 0:
		p.screen.hide()
	case 1:
		p.window.helpShown = !p.window.helpShown
	}
}

// switches are the settings that are on or off, two in a row.
func (p *viewPage) switches(show *stage.Settings) {
	n := 0
	var r = p.ui.Line(0)
	for i := range stage.SettingTable {
		d := &stage.SettingTable[i]
		if len(d.Options()) != 2 {
			continue
		}
		if n%2 == 0 {
			r = p.ui.Next(20)
		}
		on := d.Value(show) == "on"
		if v := p.ui.Checkbox(d.Name, p.ui.Split(r, 2, n%2), settingLabel(d), on, sentence(d.Help)); v != on {
			p.queue(stage.Show(d.Name, stage.OnOff(v)))
		}
		n++
	}
}

// numberSetting is the slider of a setting that is a number.
func (p *viewPage) numberSetting(d *stage.Setting, row widget.Row, present string) {
	v, _ := strconv.ParseFloat(present, 64)
	n := widget.Number{ID: d.Name, Value: v, Low: d.Min, High: d.Max, Min: d.Min, Max: d.Max, Step: 1, Digits: 2}
	if d.Max-d.Min < 10 {
		n.Step, n.Digits = 1./16, 4
	}
	if v, changed := p.number(row, n); changed {
		p.queue(stage.Show(d.Name, plainText(v)))
	}
}

// textSetting is the field of a setting that is typed.
func (p *viewPage) textSetting(d *stage.Setting, row widget.Row, present string) {
	text, ok := p.ui.Field(p.ui.Row(row), widget.Field{ID: d.Name, Value: present, Help: row.Help + "\n" + sentence(d.Allowed()),
		Check: func(text string) error { return stage.CheckCommand(stage.Show(d.Name, text)) }})
	if ok {
		p.queue(stage.Show(d.Name, text))
	}
}

// headlineSetting is the list of quantities that panes can show large, by their titles.
func (p *viewPage) headlineSetting(d *stage.Setting, row widget.Row, present string) {
	names, titles := stage.HeadlineNames(), headlineTitles()
	row.Help += "\nType a word of a title to find it."
	row.Width = 200
	i := p.ui.Choice(p.ui.Row(row), widget.Choice{ID: d.Name, Value: titles[slices.Index(names, present)], Options: titles, Help: row.Help,
		OptionHelp: func(i int) string { return names[i] }})
	if i >= 0 {
		p.queue(stage.Show(d.Name, names[i]))
	}
}

// headlineTitles returns a title for each of stage.HeadlineNames, all different.
var headlineTitles = sync.OnceValue(func() (titles []string) {
	for _, name := range stage.HeadlineNames() {
		title := name
		if name != stage.NoHeadline {
			title = hud.HeadlineTitle(name)
		}
		if slices.Contains(titles, title) {
			title += " (" + name + ")"
		}
		titles = append(titles, title)
	}
	return titles
})

// settingLabel names a setting, with its key if it has one.
func settingLabel(d *stage.Setting) string {
	if d.Key == "" {
		return d.Name
	}
	return d.Name + " (" + d.Key + ")"
}

// sentence returns a help text with a capital letter and a full stop.
func sentence(help string) string {
	if help == "" {
		return ""
	}
	return string(help[0]&^0x20) + help[1:] + "."
}
