// Package window is the hand: keys, gamepad, mouse and panel become commands
// and inputs, and the session is drawn into a window. Whatever a user does goes
// through the lab as a command or an input of a tick, and onto a tape.
package window

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/ebitengine/debugui"
	"github.com/hajimehoshi/ebiten/v2"

	"ghostcube/predict/lab"
	"ghostcube/render/gpu"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// Options is what a window is opened with.
type Options struct {
	Config        lab.Config
	Panes         []string                  // specs
	TapeEntry     func(i int) lab.Entry     // what a tape does in tick i of the session; nil: nothing
	TapeTicks     int                       // of the tape
	TapeNote      string                    // names the tape
	Title         string                    // in the head, instead of the scene
	Split         bool                      // client left, server right
	Display       []lab.Command             // what else of the picture was asked for
	FaultEvery    int                       // ticks from one forced fault to the next; 0: none
	FaultCommands func(i int) []lab.Command // faults that come once, in tick i of the session; nil: none
	OutDir        string                    // folder for films, pictures and tapes
	Width, Height int                       // of the window
	Version       string
	Renderer      Renderer

	ReadTape func(name string) ([]lab.Entry, error) // reads an example tape

	// Report is for tests that drive the window: it receives the number, the ticks and the layout of every frame, as writeReport
	// describes. Nil: no report.
	Report io.Writer
}

// game is the window at work.
type game struct {
	Options
	lab         *lab.Lab
	stage       stage.Stage
	painter     *gpu.Painter
	ui          debugui.DebugUI
	panel       panel
	controls    controls
	screen      screen
	videos      videos
	sessionTape *sessionTape

	tapeTick      int // ticks of the tape
	paused        bool
	pendingSteps  int           // to be made although paused
	accumulator   float64       // ticks that are due
	localInputs   [2]sim.Input  // by the human's hands
	pendingShot   sim.Shot      // of the first player, for the next tick
	lastInput     sim.Input     // to the first player in the last tick
	newCommands   []lab.Command // since the last tick
	quit          chan os.Signal
	notices       notices
	selected      *selection // nil: no correction is looked at
	tickErr       error
	started       bool
	afterCommands func() // what begins once the panel's wishes are carried out; may be nil
}

// errNoDisplay says why there is no window, before one is tried.
func checkDisplay() error {
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" {
		if os.Getenv("WAYLAND_DISPLAY") != "" {
			return errors.New("DISPLAY is not set; under Wayland the window needs XWayland")
		}
		return errors.New("DISPLAY is not set")
	}
	return nil
}

// Open opens the window and returns when it is closed. If none can be opened
// it returns false, and why.
func Open(o Options) (opened bool, err error) {
	if err := checkDisplay(); err != nil {
		return false, err
	}
	g := &game{Options: o, quit: make(chan os.Signal, 1)}
	if g.lab, err = newLab(o); err != nil {
		return true, err
	}
	if g.painter, err = gpu.New(); err != nil {
		return true, err
	}
	g.execute(stage.Show("split", stage.OnOff(o.Split)))
	for _, c := range o.Display {
		g.execute(c)
	}
	g.screen.setRenderer(o.Renderer)
	ebiten.SetWindowTitle("Ghostcube")
	ebiten.SetWindowSize(o.Width, o.Height)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	ebiten.SetTPS(o.Config.Rate)
	signal.Notify(g.quit, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(g.quit)

	err = ebiten.RunGameWithOptions(g, &ebiten.RunGameOptions{X11ClassName: "Ghostcube", X11InstanceName: "ghostcube"})
	if err != nil && !g.started {
		return false, errors.New(firstLine(err.Error()))
	}
	return true, errors.Join(err, g.tickErr, g.shutdown())
}

func firstLine(s string) string {
	for i := range s {
		if s[i] == '\n' {
			return s[:i]
		}
	}
	return s
}

// newLab makes the session.
func newLab(o Options) (*lab.Lab, error) {
	l := lab.New(o.Config)
	for _, spec := range o.Panes {
		if _, err := l.Open(spec); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	l.Stopwatch = func() time.Duration { return time.Since(start) }
	return l, nil
}

// shutdown finishes what is under way when the window has closed.
func (g *game) shutdown() error {
	if g.videos.recording() {
		g.toggleRecording()
	}
	err := g.videos.waitAll()
	for _, s := range g.videos.messages {
		fmt.Fprintln(os.Stdout, s)
	}
	if g.sessionTape != nil {
		err = errors.Join(err, g.sessionTape.close(g.lab))
		fmt.Fprintf(os.Stdout, "the session's tape is %s\n", g.sessionTape.name)
	}
	return err
}

// Update makes the ticks that are due.
func (g *game) Update() (err error) {
	g.started = true
	select {
	case <-g.quit:
		return ebiten.Termination
	default:
	}
	capture, err := g.ui.Update(g.buildPanel)
	if err != nil {
		return err
	}
	g.controls.update(g, capture)
	for _, c := range g.panel.popCommands() {
		g.execute(c)
	}
	if g.afterCommands != nil {
		g.afterCommands()
		g.afterCommands = nil
	}
	g.notices.update(g)
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
	g.screen.addTicks(n, g.lab.Config().Rate, g.paused)
	return nil
}

// dueTicks is how many ticks this Update makes: one at full speed.
func (g *game) dueTicks() int {
	if g.paused {
		n := g.pendingSteps
		g.pendingSteps, g.accumulator = 0, 0
		return n
	}
	g.pendingSteps = 0
	g.accumulator += g.settings().Speed
	n := int(g.accumulator)
	g.accumulator -= float64(n)
	return n
}

// tick makes one tick of the session and writes it down.
func (g *game) tick() error {
	inputs := g.localInputs[:]
	playing := g.tapePlaying()
	if playing {
		t := g.TapeEntry(g.tapeTick)
		for _, c := range t.Commands {
			g.execute(c)
		}
		inputs = t.Inputs
		g.tapeTick++
	}
	e := lab.Entry{Inputs: make([]sim.Input, g.lab.Players())}
	copy(e.Inputs, inputs)
	if !playing {
		e.Inputs[0].Shot, g.pendingShot = g.pendingShot, sim.Shot{}
	}
	g.lastInput = e.Inputs[0]
	if n := int(g.lab.Ticks()); g.FaultEvery > 0 && n > 0 && n%g.FaultEvery == 0 && !playing {
		g.nudgeServer()
	}
	if g.FaultCommands != nil && !playing {
		for _, c := range g.FaultCommands(int(g.lab.Ticks())) {
			g.execute(c)
		}
	}
	if err := g.lab.Tick(e); err != nil {
		return err
	}
	g.stage.Tick(g.lab)
	e.Commands, g.newCommands = g.newCommands, nil
	g.videos.add(e)
	return g.writeTape(e)
}

// tapePlaying reports whether a tape drives the session.
func (g *game) tapePlaying() bool { return g.TapeEntry != nil && g.tapeTick < g.TapeTicks }

// takeOver ends the tape: the human plays from here.
func (g *game) takeOver() {
	if g.tapePlaying() {
		g.tapeTick = g.TapeTicks
		g.notices.post("the tape ends here: the keys are yours")
	}
}

// execute carries out a command now and notes it for the tape. One that is refused
// is told of and not noted.
func (g *game) execute(c lab.Command) {
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
		g.Title = ""
	}
}

// settings are the display settings of the session.
func (g *game) settings() stage.Settings { return stage.SettingsOf(g.lab) }

// nudgeServer moves the server's cube aside.
func (g *game) nudgeServer() {
	g.execute(lab.Command{Verb: "nudge", Pane: lab.AllPanes, Name: "x", Value: "1"})
}

// freezeClients is the forced fault of a client: it stands still for two seconds.
func (g *game) freezeClients() {
	g.execute(lab.Command{Verb: "freeze", Pane: lab.AllPanes, Value: "2s"})
}

// clockChoices are what the keys and the panel choose between, of the clients' clocks.
var clockChoices = map[string][]string{"skew": {"off", "500", "-500"}, "fps": {"off", "20", "144"}}

// clockSetting is one number of the framed pane's first client, as a command has it.
func (g *game) clockSetting(name string) string {
	c := g.lab.Panes[g.lab.Focus()].ClockFault(0)
	n := map[string]int{"skew": c.Skew, "fps": c.FrameRate}[name]
	if n == 0 {
		return "off"
	}
	return strconv.Itoa(n)
}

// setClock sets one number of all clients' clocks.
func (g *game) setClock(name, value string) {
	g.execute(lab.Command{Verb: "clock", Pane: lab.AllPanes, Name: name, Value: value})
}

// cycleClock sets it to the next of those that there are to choose from.
func (g *game) cycleClock(name string) {
	list := clockChoices[name]
	g.setClock(name, list[(slices.Index(list, g.clockSetting(name))+1)%len(list)])
}

// writeTape appends an entry to the session's tape, which begins with the first.
func (g *game) writeTape(e lab.Entry) error {
	if g.sessionTape == nil {
		var err error
		if g.sessionTape, err = newSessionTape(g.unusedFilename("session", ".tape"), g.Version, g.Config, g.Panes); err != nil {
			return fmt.Errorf("the session's tape: %w", err)
		}
	}
	if err := g.sessionTape.add(e, g.lab, g.Config.Rate); err != nil {
		g.notices.post("the session's tape cannot be written any more: " + err.Error())
	}
	return nil
}

// unusedFilename returns a name in the folder for what is made, that begins with kind
// and the moment and ends with ext, and that no file has yet, whatever its
// ending.
func (g *game) unusedFilename(kind, ext string) string {
	first := filepath.Join(g.OutDir, kind+"-"+time.Now().Format("20060102-150405"))
	name := first
	for i := 2; ; i++ {
		if taken, err := filepath.Glob(name + ".*"); err != nil || len(taken) == 0 && !g.videos.hasFile(name+ext) {
			return name + ext
		}
		name = fmt.Sprintf("%s-%d", first, i)
	}
}
