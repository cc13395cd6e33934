package window

import (
	"fmt"

	"ghostcube/ui/widget"
)

// shareControls copy links, and show what people with the same link can compare.
func (p *sessionPage) shareControls() {
	ui := &p.ui
	ui.Heading("Share")
	switch p.buttons(
		[3]string{"copy link with tape", "link with my keys", "Copy a link with everything that has happened so far, keys " +
			"and changes included. While paused it leads to this moment. It holds a minute or more; longer sessions are files."},
		[3]string{"copy link", "link to settings", "Copy a link that starts this session anew: scene, panes with their " +
			"knobs, network, seed, display, and no keys. While paused it has the moment too, if you have pressed and changed nothing."},
		[3]string{"copy frame", "<iframe> line", "Copy the line that puts this session into an article: the panes alone, " +
			"640 by 360, without a script. It has your keys, if there are any."},
	) {
	case 0:
		p.session.Links.CopyTape()
	case 1:
		p.session.Links.CopySettings()
	case 2:
		p.session.Links.CopyFrame()
	}
	tick, hashes := p.session.Links.Hashes()
	row := func(name, text string) {
		r := ui.Next(18)
		ui.Explain(r, "Everybody who opens the same link has the same hash of a pane's worlds at the same tick. ghostcube open LINK --text prints it.")
		ui.Text(r, name, true, widget.Left)
		ui.Text(r, text, false, widget.Right)
	}
	row("tick", fmt.Sprintf("%d, %.2f s", tick, float64(tick)/float64(p.session.Lab.Config().Rate)))
	for i, h := range hashes {
		row(fmt.Sprintf("hash of pane %d", i+1), h)
	}
}
