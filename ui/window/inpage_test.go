package window

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// TestHiddenTab promises that a session stops while its tab is hidden and says so, that P lets it go on, and that a
// session which is paused or has not begun stays as it is.
func TestHiddenTab(t *testing.T) {
	g := newTestGame(t, "rewind")
	g.pauseHidden(3 * time.Second)
	if g.session.Paused || len(g.session.Notices.Texts()) != 0 {
		t.Error("a session that has not begun is paused")
	}
	g.runTicks(t, 10)
	g.pauseHidden(0)
	if g.session.Paused {
		t.Error("paused, though the tab was not hidden")
	}
	g.pauseHidden(12400 * time.Millisecond)
	if n := g.session.DueTicks(); !g.session.Paused || n != 0 {
		t.Errorf("paused %v, %d ticks", g.session.Paused, n)
	}
	if a := g.screen.alert(); a != "paused: the tab was hidden for 12s (P resumes)" {
		t.Errorf("the header says %q", a)
	}
	g.session.Paused = false // P
	if n := g.session.DueTicks(); n != 1 {
		t.Errorf("%d ticks after P", n)
	}
	g.session.Paused = true
	g.pauseHidden(time.Second)
	if a := g.screen.alert(); strings.Contains(a, "hidden") {
		t.Errorf("a paused session says %q", a)
	}
}

// TestWordsInPage promises that no text of the panel and no notice in a page speaks of a terminal or a folder, which a
// page does not have, and that the window on a desktop has none of the page's downloads.
func TestWordsInPage(t *testing.T) {
	experiment.Skip(t)
	g := newTestGame(t, "rewind")
	g.session.Platform.InPage = true
	g.screen.w, g.screen.h, g.screen.scale = 1280, 720, 1
	g.runTicks(t, 10)
	var texts []string
	g.panel.ui.OnHelp = func(text string) { texts = append(texts, text) }
	for _, p := range pages() {
		g.openPage(t, p.name)
	}
	if cut := g.panel.ui.Cut(); len(cut) > 0 {
		t.Errorf("cut %q", cut)
	}
	g.openPage(t, "Session")
	g.typeText(t, "session name", "mine")
	g.click(t, "save session")
	g.click(t, "download tape")
	g.click(t, "download settings")
	g.session.Links.CopyCommand()
	g.session.Platform.CopyText = func(string) error { return os.ErrPermission }
	g.session.Links.CopyCommand()
	texts = append(texts, g.session.Notices.Texts()...)
	if len(g.session.Notices.Texts()) != 4 || len(texts) < 100 {
		t.Errorf("%d texts, notices %v", len(texts), g.session.Notices.Texts())
	}
	for _, text := range texts {
		text = strings.ReplaceAll(text, filepath.ToSlash(g.session.OutDir), "") // that of this test, which runs on a desktop
		if strings.Contains(text, "terminal") || strings.Contains(text, "folder") || strings.Contains(text, "ghostcube-out") {
			t.Errorf("a page says %q", text)
		}
	}
	g.click(t, "tab Score")
	g.session.Platform.InPage = false
	for _, p := range pages() {
		g.openPage(t, p.name)
		for _, c := range g.panel.controls {
			if strings.HasPrefix(c.name, "download") {
				t.Errorf("a window has %q", c.name)
			}
		}
	}
}
