// Package window is the hand: keys, gamepad, mouse and panel become commands
// and inputs, and the session is drawn into a window. Whatever a user does goes
// through the lab as a command or an input of a tick, and onto a tape.
package window

import (
	"errors"
	"fmt"
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
	Entry         func(i int) lab.Entry     // what a tape does in tick i of the session; nil: nothing
	Ticks         int                       // of the tape
	Note          string                    // names the tape
	Title         string                    // in the head, instead of the scene
	Split         bool                      // client left, server right
	Show          []lab.Command             // what else of the picture was asked for
	Faults        int                       // ticks from one forced fault to the next; 0: none
	Forced        func(i int) []lab.Command // faults that come once, in tick i of the session; nil: none
	Out           string                    // folder for films, pictures and tapes
	Width, Height int                       // of the window
	Version       string
	Picture       Picture

	Tape func(name string) ([]lab.Entry, error) // reads an example tape
}

// game is the window at work.
type game struct {
	Options
	lab     *lab.Lab
	stage   stage.Stage
	painter *gpu.Painter
	ui      debugui.DebugUI
	panel   panel
	hand    hand
	screen  screen
	takes   takes
	out     *sessionTape

	played  int // ticks of the tape
	paused  bool
	steps   int           // to be made although paused
	credit  float64       // ticks that are due
	held    [2]sim.Input  // by the human's hands
	shot    sim.Shot      // of the first player, for the next tick
	given   sim.Input     // to the first player in the last tick
	done    []lab.Command // since the last tick
	quit    chan os.Signal
	notices notices
	marked  *marked // nil: no correction is looked at
	failed  error
	ticked  bool
	begin   func() // what begins once the panel's wishes are carried out; may be nil
}

// errNoDisplay says why there is no window, before one is tried.
func noDisplay() error {
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
	if err := noDisplay(); err != nil {
		return false, err
	}
	g := &game{Options: o, quit: make(chan os.Signal, 1)}
	if g.lab, err = open(o); err != nil {
		return true, err
	}
	if g.painter, err = gpu.New(); err != nil {
		return true, err
	}
	g.do(lab.Command{Verb: "show", Pane: lab.All, Name: "split", Value: onOff(o.Split)})
	for _, c := range o.Show {
		g.do(c)
	}
	g.screen.begin(o.Picture)
	ebiten.SetWindowTitle("Ghostcube")
	ebiten.SetWindowSize(o.Width, o.Height)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	ebiten.SetTPS(o.Config.Rate)
	signal.Notify(g.quit, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(g.quit)

	err = ebiten.RunGameWithOptions(g, &ebiten.RunGameOptions{X11ClassName: "Ghostcube", X11InstanceName: "ghostcube"})
	if err != nil && !g.ticked {
		return false, errors.New(firstLine(err.Error()))
	}
	return true, errors.Join(err, g.failed, g.end())
}

func firstLine(s string) string {
	for i := range s {
		if s[i] == '\n' {
			return s[:i]
		}
	}
	return s
}

// open makes the session.
func open(o Options) (*lab.Lab, error) {
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

// end finishes what is under way when the window has closed.
func (g *game) end() error {
	if g.takes.recording() {
		g.record()
	}
	err := g.takes.finish()
	for _, s := range g.takes.written {
		fmt.Fprintln(os.Stdout, s)
	}
	if g.out != nil {
		err = errors.Join(err, g.out.close(g.lab))
		fmt.Fprintf(os.Stdout, "the session's tape is %s\n", g.out.name)
	}
	return err
}

// Update makes the ticks that are due.
func (g *game) Update() (err error) {
	g.ticked = true
	select {
	case <-g.quit:
		return ebiten.Termination
	default:
	}
	capture, err := g.ui.Update(g.build)
	if err != nil {
		return err
	}
	g.hand.update(g, capture)
	for _, c := range g.panel.take() {
		g.do(c)
	}
	if g.begin != nil {
		g.begin()
		g.begin = nil
	}
	g.notices.update(g)
	g.stage.Look(g.lab)
	n := g.due()
	if n > 0 {
		g.screen.began = time.Now()
	}
	for range n {
		if err := g.tick(); err != nil {
			g.failed = err
			return ebiten.Termination
		}
	}
	g.screen.ticked(n, g.lab.Config().Rate, g.paused)
	return nil
}

// due is how many ticks this Update makes: one at full speed.
func (g *game) due() int {
	if g.paused {
		n := g.steps
		g.steps, g.credit = 0, 0
		return n
	}
	g.steps = 0
	g.credit += g.lab.Display().Speed
	n := int(g.credit)
	g.credit -= float64(n)
	return n
}

// tick makes one tick of the session and writes it down.
func (g *game) tick() error {
	inputs := g.held[:]
	playing := g.playing()
	if playing {
		t := g.Entry(g.played)
		for _, c := range t.Commands {
			g.do(c)
		}
		inputs = t.Inputs
		g.played++
	}
	e := lab.Entry{Inputs: make([]sim.Input, g.lab.Players())}
	copy(e.Inputs, inputs)
	if !playing {
		e.Inputs[0].Shot, g.shot = g.shot, sim.Shot{}
	}
	g.given = e.Inputs[0]
	if n := int(g.lab.Ticks()); g.Faults > 0 && n > 0 && n%g.Faults == 0 && !playing {
		g.fault()
	}
	if g.Forced != nil && !playing {
		for _, c := range g.Forced(int(g.lab.Ticks())) {
			g.do(c)
		}
	}
	if err := g.lab.Tick(e); err != nil {
		return err
	}
	g.stage.Tick(g.lab)
	e.Commands, g.done = g.done, nil
	g.takes.add(e)
	return g.write(e)
}

// playing reports whether a tape drives the session.
func (g *game) playing() bool { return g.Entry != nil && g.played < g.Ticks }

// takeOver ends the tape: the human plays from here.
func (g *game) takeOver() {
	if g.playing() {
		g.played = g.Ticks
		g.notices.say("the tape ends here: the keys are yours")
	}
}

// do carries out a command now and notes it for the tape. One that is refused
// is told of and not noted.
func (g *game) do(c lab.Command) {
	if g.out != nil && len(g.done) == 0 {
		g.out.disturbed(g.lab)
	}
	if err := g.lab.Do(c); err != nil {
		g.notices.say(err.Error())
		return
	}
	g.done = append(g.done, c)
	if c.Verb == "scene" || c.Verb == "seat" || c.Verb == "seed" || c.Verb == "restart" {
		g.Title = ""
	}
}

// fault moves the server's cube aside.
func (g *game) fault() { g.do(lab.Command{Verb: "nudge", Pane: lab.All, Name: "x", Value: "1"}) }

// freeze is the forced fault of a client: it stands still for two seconds.
func (g *game) freeze() { g.do(lab.Command{Verb: "freeze", Pane: lab.All, Value: "2s"}) }

// clocks are what the keys and the panel choose between, of the clients' clocks.
var clocks = map[string][]string{"skew": {"off", "500", "-500"}, "fps": {"off", "20", "144"}}

// clockNow is one number of the framed pane's first client, as a command has it.
func (g *game) clockNow(name string) string {
	c := g.lab.Panes[g.lab.Display().Focus].ClockFault(0)
	n := map[string]int{"skew": c.Skew, "fps": c.FrameRate}[name]
	if n == 0 {
		return "off"
	}
	return strconv.Itoa(n)
}

// setClock sets one number of all clients' clocks.
func (g *game) setClock(name, value string) {
	g.do(lab.Command{Verb: "clock", Pane: lab.All, Name: name, Value: value})
}

// nextClock sets it to the next of those that there are to choose from.
func (g *game) nextClock(name string) {
	list := clocks[name]
	g.setClock(name, list[(slices.Index(list, g.clockNow(name))+1)%len(list)])
}

// write appends an entry to the session's tape, which begins with the first.
func (g *game) write(e lab.Entry) error {
	if g.out == nil {
		var err error
		if g.out, err = newSessionTape(g.unused("session", ".tape"), g.Version, g.Config, g.Panes); err != nil {
			return fmt.Errorf("the session's tape: %w", err)
		}
	}
	if err := g.out.add(e, g.lab, g.Config.Rate); err != nil {
		g.notices.say("the session's tape cannot be written any more: " + err.Error())
	}
	return nil
}

// unused returns a name in the folder for what is made, that begins with kind
// and the moment and ends with ext, and that no file has yet, whatever its
// ending.
func (g *game) unused(kind, ext string) string {
	first := filepath.Join(g.Out, kind+"-"+time.Now().Format("20060102-150405"))
	name := first
	for i := 2; ; i++ {
		if taken, err := filepath.Glob(name + ".*"); err != nil || len(taken) == 0 && !g.takes.named(name+ext) {
			return name + ext
		}
		name = fmt.Sprintf("%s-%d", first, i)
	}
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}
