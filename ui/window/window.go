// Package window opens the program's window. Keys, gamepads, mouse and panel become commands and inputs of
// the lab, all of which are recorded on the session's tape, and ui/stage and render/gpu draw the session. It
// contains no netcode and decides no result.
package window

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/predict/lab"
	"ghostcube/render/gpu"
	"ghostcube/sim"
	"ghostcube/ui/plan"
	"ghostcube/ui/platform"
	"ghostcube/ui/session"
	"ghostcube/ui/timeline"
)

// Options describe the window and its session.
type Options struct {
	Session       session.Options // without platform and window
	Plan          *plan.Plan      // of the first session
	Display       []lab.Command   // further display settings
	Width, Height int             // pixels
	Renderer      Renderer
	At            int // ticks of the first session that are made at once; then it is paused; 0: none

	// Report is for tests that drive the window: it receives the number, the ticks and the layout of every
	// frame, as writeReport describes, and the hashes of the session, as reportHash does. Nil: no report, unless a
	// test of the page wants one.
	Report io.Writer
}

// game implements ebiten.Game.
type game struct {
	Options
	session  *session.Session
	intents  session.Intents // of the players, for the next tick
	splash   splash
	painter  *gpu.Painter
	panel    panel
	controls controls
	touch    touchControls
	pointer  pointer // of this Update
	screen   screen
	bar      timelineBar
	card     tourCard
	embed    embed
	knobs    liveKnobs
	drop     drop
	packets  packetPointer

	runUpFrame int // number of the last frame before the last ticks of a run-up
	quit       chan os.Signal
	started    bool // Update has run, so there is a window
}

// Open opens the window and returns when it is closed. If no window can be opened it returns false and the
// reason.
func Open(o Options) (opened bool, err error) {
	if err := platform.CheckDisplay(); err != nil {
		return false, err
	}
	if o.Report == nil {
		o.Report = platform.Report()
	}
	g := newGame(o)
	g.panel.input.clip.pasteText = platform.PasteText
	if platform.InPage {
		g.knobs.offer = func(text string, turned func(int, float64)) {
			platform.Offer(text, func(index int, value float64) {
				turned(index, value)
				//lint:ignore SA1019 a paused frame rests
				ebiten.ScheduleFrame()
			})
		}
	}
	if err := g.session.Start(o.Plan); err != nil {
		return true, err
	}
	g.sessionStarted()
	if g.painter, err = gpu.New(); err != nil {
		return true, err
	}
	for _, c := range o.Display {
		g.session.Do(c)
	}
	if g.session.Embed {
		g.session.Paused = true
	} else {
		if g.session.Remote == nil {
			g.session.Lesson.Offer()
		} else {
			g.panel.openPage("Score") // the sessions of the first page cannot be started
		}
		g.screen.touched = platform.PrefersTouch()
	}
	g.session.RunUp = o.At
	if tape, place, why := platform.Kept(); tape != "" {
		if err := g.session.Kept.Restore(tape, place, why); err != nil {
			g.session.Notices.Post("the session starts anew: " + err.Error())
		}
	}
	g.screen.pace.request(o.Renderer)
	ebiten.SetWindowTitle("Ghostcube")
	ebiten.SetWindowSize(o.Width, o.Height)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit(&g.session.Options))
	}
	signal.Notify(g.quit, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(g.quit)

	err = ebiten.RunGameWithOptions(g, &ebiten.RunGameOptions{X11ClassName: "Ghostcube", X11InstanceName: "ghostcube"})
	if err != nil && !g.started {
		return false, errors.New(firstLine(err.Error()))
	}
	return true, errors.Join(err, g.session.Err, g.session.Shutdown(g.quit))
}

// sized is a monitor. Its size is in points, as that of a window, so a display scale of 200 % leaves half of its pixels.
type sized interface{ Size() (w, h int) }

// windowShare is the share of a monitor's sides that a window takes at most that would be larger than it.
const windowShare = 0.9

// fitWindow returns the size in points of a window that is larger than its monitor, made smaller in proportion so that
// it fits with its frame. ok is false for one that is not.
func fitWindow(w, h int, monitor sized) (fitW, fitH int, ok bool) {
	mw, mh := monitor.Size()
	if w <= mw && h <= mh || mw <= 0 || mh <= 0 {
		return w, h, false
	}
	s := min(windowShare*float64(mw)/float64(w), windowShare*float64(mh)/float64(h))
	return int(float64(w) * s), int(float64(h) * s), true
}

// newGame returns the game of a session that has not started.
func newGame(o Options) *game {
	g := &game{Options: o, quit: make(chan os.Signal, 1)}
	o.Session.Platform = session.Platform{
		InPage: platform.InPage, Deliver: platform.Deliver, Keep: platform.Keep, CopyText: platform.CopyText,
		Address: platform.Address, SetAddress: platform.SetAddress, Describe: platform.Describe, Run: platform.Run,
		Remember: platform.Remember,
	}
	o.Session.Window = g
	g.session = session.New(o.Session)
	p := &g.panel
	g.screen.session, p.session, p.screen, g.knobs.session = g.session, g.session, &g.screen, g.session
	p.compare.panel, p.sessions.panel, p.network.panel, p.strategy.panel, p.score.panel, p.corrections.panel = p, p, p, p, p, p
	p.view, p.advice.panel = viewPage{p, &g.controls}, p
	g.card.session, g.card.lesson, g.card.screen, g.card.panel = g.session, &g.session.Lesson, &g.screen, p
	return g
}

// sessionStarted prepares the window for the session that has just been started.
func (g *game) sessionStarted() {
	g.intents.Shot = sim.Shot{}
	g.bar = timelineBar{session: g.session, screen: &g.screen, hidden: g.bar.hidden, Bar: timeline.Bar{Hover: -1}}
	g.embed = embed{session: g.session, screen: &g.screen, knobs: &g.knobs}
	g.knobs.start()
	g.panel.openLessonPage()
	ebiten.SetTPS(g.session.Lab.Config().Rate)
}

// Touched reports whether the session is used with fingers.
func (g *game) Touched() bool { return g.screen.touched }

// OverlayHidden reports whether the user has hidden panel and overlay.
func (g *game) OverlayHidden() bool { return g.screen.hidden }

// Jumped follows the session to another moment.
func (g *game) Jumped(tick int) {
	g.bar.Follow(tick, g.session.Past.Timeline)
	g.screen.ticksSince = time.Time{}
}

// Ticked reports the hash of the session after a tick.
func (g *game) Ticked() { g.reportHash() }

// firstLine returns the first line of a text.
func firstLine(s string) string {
	for i := range s {
		if s[i] == '\n' {
			return s[:i]
		}
	}
	return s
}

// applyPanel applies the commands of the panel, and then starts the session that was chosen in it.
func (g *game) applyPanel() error {
	for _, c := range g.panel.popCommands() {
		g.session.Do(c)
	}
	if g.panel.sessions.titling == titleReady {
		g.panel.sessions.titling = noTitle
		g.session.Videos.Toggle()
	}
	started, err := g.session.StartNext()
	switch {
	case started && err == nil:
		g.sessionStarted()
	case g.session.Lesson.Run == nil:
		g.panel.openLessonPage() // the tour may have been left
	}
	return err
}

// Update handles input and panel and makes the ticks that are due. Ebitengine calls it at the session's rate.
func (g *game) Update() (err error) {
	if !g.started && !g.session.Platform.InPage {
		w, h := ebiten.WindowSize()
		if w, h, small := fitWindow(w, h, ebiten.Monitor()); small {
			ebiten.SetWindowSize(w, h)
		}
	}
	g.started = true
	select {
	case <-g.quit:
		return ebiten.Termination
	default:
	}
	if !g.splash.over() {
		return nil
	}
	g.session.Past.Wait()
	g.pauseHidden(platform.TimeHidden())
	if g.session.RunUp > 0 {
		return g.updateRunUp()
	}
	g.takeDropped()
	g.readPointer()
	captured := g.updatePanel()
	captured.pointer = g.bar.update(g.pictureRect(), &g.pointer, captured) || captured.pointer
	captured.pointer = captured.pointer || g.updateResume()
	if g.session.Embed {
		captured.pointer = g.embed.update(&g.pointer)
		g.knobs.update()
	}
	g.controls.update(g, captured)
	if err := g.applyPanel(); err != nil {
		g.session.Err = err
		return ebiten.Termination
	}
	if message := g.panel.input.clip.poll(); message != "" {
		g.session.Notices.Post(message)
	}
	start := time.Now()
	n, err := g.session.Update(&g.intents)
	if err != nil {
		g.session.Err = err
		return ebiten.Termination
	}
	if n > 0 {
		g.screen.tickStart = start
	}
	if g.session.Embed {
		g.embed.rest()
	}
	g.screen.addTicks(n, g.session.Lab.Config().Rate, g.session.Paused, g.session.Settings().Speed)
	return nil
}
