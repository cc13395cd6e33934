// Package window opens the program's window. Keys, gamepads, mouse and panel become commands and inputs of
// the lab, all of which are recorded on the session's tape, and ui/stage and render/gpu draw the session. It
// contains no netcode and decides no result.
package window

import (
	"errors"
	"fmt"
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
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/platform"
	"ghostcube/ui/stage"
)

// Options describe the window and its session.
type Options struct {
	Plan          *plan.Plan    // of the first session
	Display       []lab.Command // further display settings
	OutDir        string        // folder for videos, screenshots and tapes
	Width, Height int           // pixels
	Version       string        // of the program, for tapes
	Renderer      Renderer

	At    int    // ticks of the first session that are made at once; then it is paused; 0: none
	Embed bool   // the panes alone, for articles
	Page  string // address to which links belong, where the host knows none; empty: none is known

	Comparisons []plan.Comparison // for the panel
	Library     *plan.Library     // for presets and traces

	// PlanComparison returns the session of a comparison, as --compare starts it.
	PlanComparison func(name string) (*plan.Plan, error)

	// Report is for tests that drive the window: it receives the number, the ticks and the layout of every
	// frame, as writeReport describes, and the hashes of the session, as reportHash does. Nil: no report, unless a
	// test of the page wants one.
	Report io.Writer
}

// game implements ebiten.Game.
type game struct {
	Options
	plan        *plan.Plan // of the session
	next        *plan.Plan // of the session that starts in this Update; nil: none
	title       string     // of the header; empty: the scene's name
	lab         *lab.Lab
	splash      splash
	stage       hud.HUD
	painter     *gpu.Painter
	panel       panel
	controls    controls
	touch       touchControls
	pointer     pointer // of this Update
	screen      screen
	videos      videos
	tour        tourCard
	sessionTape *sessionTape
	past        past
	beside      beside
	embed       embed
	share       share
	drop        drop
	runUp       int // tick up to which the session runs at once; 0: it does not
	runUpFrame  int // number of the last frame before its last ticks

	tapeTick     int // next tick of the tape
	tapeTicks    int // length of the tape; then the keys drive the session
	paused       bool
	away         time.Duration // for which the tab was hidden, if that is why the session is paused
	pendingSteps int           // single ticks to make while paused
	accumulator  float64       // fraction of a tick that is due
	localInputs  [2]sim.Input  // from keys and gamepads, by player
	pendingShot  sim.Shot      // of the first player, for the next tick
	lastInput    sim.Input     // of the first player, in the last tick
	newCommands  []lab.Command // applied since the last tick
	repeats      bool          // the commands are those of a tape or an earlier take
	quit         chan os.Signal
	inPage       bool // files are downloaded, and videos are written by another copy of the program
	reports      reports
	notices      notices
	selected     *selection // nil: no correction is selected
	packets      packetPointer
	tickErr      error
	started      bool // Update has run, so there is a window
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
	g := &game{Options: o, quit: make(chan os.Signal, 1), inPage: platform.InPage}
	g.panel.copyText, g.panel.input.clip.pasteText = platform.CopyText, platform.PasteText
	if err := g.startPlan(o.Plan); err != nil {
		return true, err
	}
	if g.painter, err = gpu.New(); err != nil {
		return true, err
	}
	for _, c := range o.Display {
		g.execute(c)
	}
	if g.Embed {
		g.paused = true
	} else {
		g.offerTour()
		g.touch.shown = platform.PrefersTouch()
	}
	g.runUp = o.At
	g.screen.pace.request(o.Renderer)
	ebiten.SetWindowTitle("Ghostcube")
	ebiten.SetWindowSize(o.Width, o.Height)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(g.memoryLimit())
	}
	signal.Notify(g.quit, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(g.quit)

	err = ebiten.RunGameWithOptions(g, &ebiten.RunGameOptions{X11ClassName: "Ghostcube", X11InstanceName: "ghostcube"})
	if err != nil && !g.started {
		return false, errors.New(firstLine(err.Error()))
	}
	return true, errors.Join(err, g.tickErr, g.shutdown())
}

// firstLine returns the first line of a text.
func firstLine(s string) string {
	for i := range s {
		if s[i] == '\n' {
			return s[:i]
		}
	}
	return s
}

// startPlan starts the session of a plan. Nothing of the previous session remains.
func (g *game) startPlan(p *plan.Plan) error {
	l, err := p.NewLab()
	if err != nil {
		return err
	}
	start := time.Now()
	l.Stopwatch = func() time.Duration { return time.Since(start) }
	l.TraceDatagrams(!g.Embed) // so that lanes show the past, too, when they are switched on
	g.plan, g.lab, g.stage, g.title = p, l, hud.HUD{}, p.Title()
	g.tapeTick, g.tapeTicks = 0, p.Ticks(0)
	g.paused, g.pendingSteps, g.accumulator = g.embed.halted, 0, 0
	g.embed = embed{}
	g.pendingShot, g.lastInput = sim.Shot{}, sim.Input{}
	g.newCommands, g.selected = nil, nil
	g.panel.tuned = nil
	g.past.start(g)
	g.beside = beside{}
	g.share, g.runUp = share{}, 0
	g.tour.start(p, l)
	g.openLessonPage()
	ebiten.SetTPS(p.Config.Rate)
	for _, c := range p.Display() {
		g.execute(c)
	}
	if g.Embed {
		for _, c := range embedDisplay() {
			g.execute(c)
		}
	}
	if p.Notice != "" {
		g.notices.post(p.Notice)
	}
	return nil
}

// shutdown closes the tape, waits for the videos, and prints the names of the files. An interrupt
// ends the videos early.
func (g *game) shutdown() error {
	err := errors.Join(g.endSession(), g.videos.waitAll(g.quit, os.Stdout))
	for _, s := range g.videos.messages {
		fmt.Fprintln(os.Stdout, s)
	}
	return err
}

// applyPanel applies the commands of the panel, and then starts the session that was chosen in it.
func (g *game) applyPanel() error {
	for _, c := range g.panel.popCommands() {
		g.execute(c)
	}
	p := g.next
	if p == nil {
		return nil
	}
	g.next = nil
	return errors.Join(g.endSession(), g.startPlan(p))
}

// Update handles input and panel and makes the ticks that are due. Ebitengine calls it at the session's rate.
func (g *game) Update() (err error) {
	g.started = true
	select {
	case <-g.quit:
		return ebiten.Termination
	default:
	}
	if !g.splash.over() {
		return nil
	}
	g.past.wait()
	g.pauseHidden(platform.TimeHidden())
	if g.runUp > 0 {
		return g.updateRunUp()
	}
	g.takeDropped()
	g.readPointer()
	captured := g.updatePanel()
	captured.pointer = g.updateBar(captured) || captured.pointer
	if g.Embed {
		captured.pointer = g.updateEmbed()
	}
	g.controls.update(g, captured)
	if err := g.applyPanel(); err != nil {
		g.tickErr = err
		return ebiten.Termination
	}
	g.notices.update(g)
	g.updatePast()
	g.stage.Refresh(g.lab)
	n := g.dueTicks()
	if n > 0 {
		g.screen.tickStart = time.Now()
	}
	for range n {
		if err := g.tick(); err != nil {
			g.tickErr = err
			return ebiten.Termination
		}
	}
	if g.tickErr != nil {
		return ebiten.Termination
	}
	if g.Embed {
		g.restEmbed()
	}
	g.followBeside()
	if g.tickErr != nil {
		return ebiten.Termination
	}
	g.updateAddress()
	g.past.makeCheckpoint()
	g.screen.addTicks(n, g.lab.Config().Rate, g.paused, g.settings().Speed)
	return nil
}

// dueTicks returns the number of ticks to make in this Update: one at full speed.
func (g *game) dueTicks() int {
	if g.paused {
		n := g.pendingSteps
		g.pendingSteps, g.accumulator = 0, 0
		return n
	}
	g.pendingSteps, g.away = 0, 0
	g.accumulator += g.settings().Speed
	n := int(g.accumulator)
	g.accumulator -= float64(n)
	return n
}

// tick makes one tick of the session and records it, or shows the next one of its past.
func (g *game) tick() error {
	if g.past.timeline.Reviewing() {
		if done, err := g.stepPast(); done || err != nil {
			return err
		}
	}
	inputs := g.localInputs[:]
	from, playing := g.nextEntry()
	if playing {
		g.repeats = true
		for _, c := range from.Commands {
			g.execute(c)
		}
		g.repeats = false
		inputs = from.Inputs
	}
	e := lab.Entry{Inputs: make([]sim.Input, g.lab.Players())}
	copy(e.Inputs, inputs)
	if !playing {
		e.Inputs[0].Shot, g.pendingShot = g.pendingShot, sim.Shot{}
	}
	g.lastInput = e.Inputs[0]
	if !playing {
		for _, c := range g.plan.Faults(int(g.lab.Ticks())) {
			g.execute(c)
		}
	}
	if err := g.lab.Tick(e); err != nil {
		return err
	}
	g.reportHash()
	g.stage.Tick(g.lab)
	e.Commands, g.newCommands = g.newCommands, nil
	g.tour.tick(g.lab, e)
	g.videos.add(e)
	g.past.ticked(e, g.lab.Config().Rate)
	g.writeTape(e, true)
	return nil
}

// nextEntry returns the entry of the take that the present one repeats, or else of the tape. ok is false if neither
// drives the session.
func (g *game) nextEntry() (e lab.Entry, ok bool) {
	if e, ok = g.repeated(); ok || !g.tapeDue() {
		return e, ok
	}
	e = g.plan.Entry(g.tapeTick)
	g.tapeTick++
	g.embed.ended = g.Embed && g.tapeTick == g.tapeTicks
	return e, true
}

// tapeDue reports whether the tape of the session, or that of a lesson, drives the next tick of the take.
func (g *game) tapeDue() bool {
	if g.tour.run != nil {
		return g.tour.tapeMoves()
	}
	return g.tapeTick < g.tapeTicks
}

// tapePlaying reports whether a tape, an earlier take or the past drives the session.
func (g *game) tapePlaying() bool {
	return g.tapeDue() || g.repeating() || g.past.timeline.Reviewing()
}

// takeOver stops the tape; keys drive the session from now on. At a past moment that is playing they begin a new take.
func (g *game) takeOver() {
	if g.past.timeline.Reviewing() {
		if !g.paused && g.past.timeline.Remaining() == 0 {
			g.branch("keys", lab.Command{}, true)
		}
		return
	}
	if g.tour.run != nil {
		if g.repeating() {
			delete(g.past.drivers, g.past.timeline.Take())
		}
		g.tour.handTicks = handSeconds * g.lab.Config().Rate
		return
	}
	if g.tapePlaying() {
		delete(g.past.drivers, g.past.timeline.Take())
		g.tapeTick = g.tapeTicks
		g.notices.post("tape stopped: you have control")
	}
}

// execute applies a command and records it for the tape. A command that is refused becomes a notice and is
// not recorded.
func (g *game) execute(c lab.Command) {
	if g.past.timeline.Reviewing() {
		if isViewCommand(c) {
			g.applyToView(c)
			return
		}
		if g.past.timeline.Remaining() > 0 || !g.branch(commandText(c), c, false) {
			return
		}
	} else if d, ok := g.past.drivers[g.past.timeline.Take()]; ok && d.source != nil && !isViewCommand(c) && !g.repeats {
		d.changed = append(d.changed, c)
		g.past.drivers[g.past.timeline.Take()] = d
	}
	if g.sessionTape != nil && len(g.newCommands) == 0 {
		g.sessionTape.saveFinalCheck(g.lab)
	}
	err := stage.CheckCommand(c)
	if err == nil {
		err = g.lab.Apply(c)
	}
	if err != nil {
		g.notices.post(err.Error())
		return
	}
	g.newCommands = append(g.newCommands, c)
	if c.Verb == "scene" || c.Verb == "seat" || c.Verb == "seed" || c.Verb == "restart" {
		g.title = ""
	}
}

// applyToView applies a command that changes what the viewer sees of the past, and nothing that the tape would need.
func (g *game) applyToView(c lab.Command) {
	err := stage.CheckCommand(c)
	if err == nil {
		err = g.lab.Apply(c)
	}
	if err != nil {
		g.notices.post(err.Error())
	}
}

// settings returns the display settings of the session.
func (g *game) settings() stage.Settings { return stage.SettingsOf(g.lab) }
