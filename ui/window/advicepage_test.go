package window

import (
	"strings"
	"testing"
)

// bodyText returns all texts of the page that is open, without their line breaks.
func (g *game) bodyText() string {
	var list []string
	for _, it := range g.panel.ui.Body.Items {
		list = append(list, it.Text)
	}
	return strings.Join(list, " ")
}

// TestAdvicePage promises that answers are chosen, dragged and typed, that the short list follows with its figures, its
// reasons and the end of the evidence, that a click on a row opens its session, and that the list may be empty.
func TestAdvicePage(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.screen.w, g.screen.h, g.screen.scale = 1280, 3000, 1
	g.openPage(t, "Advice")
	if text := g.bodyText(); !strings.Contains(text, "1 historyoffset") || !strings.Contains(text, "key to screen 0 ms") || !strings.Contains(text, "before ") {
		t.Errorf("the answers that nobody has given have no advice:\n%s", text)
	}
	g.click(t, "advice touches objects")
	g.click(t, "advice cheating no")
	g.typeText(t, "advice players number", "4")
	g.typeText(t, "advice network conditions", "latency=90ms")
	text := g.bodyText()
	for _, want := range []string{"1 distributed-authority", "tape four-players in", "Where the evidence ends", "Your network, latency=90ms",
		"contacts reordered"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, ":contact-order") {
		t.Errorf("a pane has a knob that its row has in words:\n%s", text)
	}
	g.click(t, "advice network")
	g.click(t, "advice network wifi-good")
	g.click(t, "advice 2")
	advice, _ := g.session.Advisor.Advice()
	if p := g.session.Plan; p.TapeName != "four-players" || len(p.Panes) != 2 || p.Panes[0] != g.session.Library.ExpandSpec(advice.Best[1].Pane) ||
		p.Settings.Network != "wifi-good" || !g.session.Advisor.Shown(1) {
		t.Errorf("a click opens %v of %s on %s", p.Panes, p.TapeName, p.Settings.Network)
	}
	if cut := g.panel.ui.Cut(); len(cut) > 0 {
		t.Errorf("cut: %q", cut)
	}
	g.typeText(t, "advice bandwidth number", "1")
	if text := g.bodyText(); !strings.Contains(text, "Nothing that was measured keeps to all rules") || !strings.Contains(text, "want at most 1") ||
		!strings.Contains(text, "Nearest is ") || !strings.Contains(text, "Your own case") {
		t.Errorf("a list without rows:\n%s", text)
	}
}
