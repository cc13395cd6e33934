package hud

import (
	"strings"

	"ghostcube/predict"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// keyLabels are the keys of the footer, from left to right.
var keyLabels = []struct {
	name   string
	button sim.Buttons
}{{"W", sim.Forward}, {"A", sim.Left}, {"S", sim.Back}, {"D", sim.Right}, {"space", sim.Lift}, {"Z", sim.Pull}, {"Q", sim.Use}, {",", sim.Couple}}

// footerDrawer draws the strip at the bottom with the legend.
type footerDrawer struct{ *drawing }

// drawFooter draws the strip at the bottom: the legend, a note, and the keys that are down.
func (d footerDrawer) drawFooter(o Options, h float32) {
	x, y, w := float32(d.rect.X), float32(d.rect.Y+d.rect.H)-h, float32(d.rect.W)
	d.Rect(x, y, w, h, stage.BackgroundColor)
	f := d.font(13, false)
	base := baseline(f, y, h)
	pen := x + float32(o.FooterLeft) + d.px(12)
	right := x + w - float32(o.FooterRight) - d.px(12)
	for i := len(keyLabels) - 1; i >= 0; i-- {
		k := keyLabels[i]
		if o.NoKeys || k.button&sim.ActionButtons != 0 && !d.hasActions() {
			continue
		}
		bw := f.Width(k.name) + d.px(10)
		right -= bw
		background, foreground := stage.EmptyColor, stage.DimTextColor
		if o.Input.Buttons&k.button != 0 {
			background, foreground = stage.KeyDownColor, stage.BackgroundColor
		}
		d.Rect(right, y+d.px(5), bw, h-d.px(10), background)
		d.Text(right+d.px(5), base, f, foreground, k.name)
		right -= d.px(4)
	}
	legend := d.appendShotLegend(d.legendEntries(d.hud.legend[:0]))
	if d.l.Watches() {
		for i := range d.l.Players() {
			legend = append(legend, legendEntry{color: stage.PlayerColors[i], label: d.texts.add("player ").int(i + 1).end()})
		}
	} else {
		legend = append(legend, legendEntry{color: d.clientColor(), label: "client"}, legendEntry{color: stage.ServerColor, label: "server"})
	}
	if d.settings.Ghosts && d.anyView(func(v *predict.View) bool { return len(v.LastReceived) > 0 }) {
		legend = append(legend, legendEntry{color: stage.ReceivedColor, label: "last received snapshot"})
	}
	d.hud.legend = legend
	for i := range legend {
		e := &legend[i]
		if next := pen + d.legendEntryWidth(e, f); next <= right-d.px(10) {
			d.drawLegendEntry(e, f, pen, y, h)
			pen = next + d.px(18)
		}
	}
	d.hud.footer = ""
	if o.Footer != "" && right-pen > d.px(80) {
		note := d.fitClauses(f, o.Footer, right-pen-d.px(12))
		d.Text(right-d.px(10)-f.Width(note), base, f, stage.DimTextColor, note)
		d.hud.footer = note
	}
}

// Footer returns what of Options.Footer the last Compose had room for. The text is valid until the next one.
func (h *HUD) Footer() string { return h.footer }

// clientColor is the colour of the player whose screen the first pane shows.
func (d footerDrawer) clientColor() render.Color {
	if len(d.hud.panes) == 0 {
		return stage.ClientColor
	}
	p := d.hud.panes[0]
	return stage.PlayerColors[p.source.PlayerBodyOf(p.client)]
}

// fitClauses cuts the last clauses off a text until it fits into a width.
func (d *drawing) fitClauses(f render.Font, text string, width float32) string {
	for f.Width(text) > width {
		end := max(strings.LastIndex(text, ": "), strings.LastIndex(text, ", "))
		if end < 0 {
			return d.texts.truncate(f, text, width)
		}
		text = text[:end]
	}
	return text
}

// hasActions reports whether there is anything to enter or to couple in the scene.
func (d footerDrawer) hasActions() bool {
	return len(d.l.Panes) > 0 && d.l.Panes[0].ServerWorld.Scene().HasActions()
}
