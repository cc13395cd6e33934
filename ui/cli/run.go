package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ghostcube/predict/lab"
	"ghostcube/render/video"
	"ghostcube/ui/recorder"
)

type runCommand struct {
	Session `embed:""`
	Looks   `embed:""`
	Out     string `help:"Folder for films, pictures and tapes." default:"ghostcube-out" placeholder:"ghostcube-out"`
	Size    string `help:"Of the window." default:"1280x720" placeholder:"1280x720"`
	Picture string `help:"How the window is drawn: fine or plain by the graphics card, software or coarse by the processor, or auto: as fine as the machine keeps up with." default:"auto" placeholder:"auto"`
}

// Opening is what a window is opened with.
type Opening struct {
	Config        lab.Config
	Panes         []string              // specs
	Entry         func(i int) lab.Entry // what the tape and the forced faults do in tick i; nil: nothing
	Ticks         int                   // of the tape; then the human plays
	Note          string                // names the tape
	Title         string
	Split         bool
	Show          []lab.Command             // what else of the picture was asked for
	Faults        int                       // ticks from one forced fault to the next; 0: none
	Forced        func(i int) []lab.Command // faults that come once, in tick i
	Out           string
	Width, Height int
	Picture       int // index of Pictures

	Tape func(name string) ([]lab.Entry, error) // of an example tape
}

// Pictures are the ways in which a window's picture can be made.
var Pictures = []string{"auto", "fine", "plain", "software", "coarse"}

// Run opens the window, or does without one.
func (c *runCommand) Run(p *program) error {
	var w, h int
	if n, err := fmt.Sscanf(c.Size+"\n", "%dx%d\n", &w, &h); n != 2 || err != nil || w < 320 || h < 240 || w > video.MaxSide || h > video.MaxSide {
		return usage{fmt.Errorf("--size=%s: want width x height from 320x240 to %dx%d, such as 1280x720", c.Size, video.MaxSide, video.MaxSide)}
	}
	picture := slices.Index(Pictures, c.Picture)
	if picture < 0 {
		return usage{fmt.Errorf("--picture: %w", &unknown{"picture", c.Picture, Pictures})}
	}
	plan, err := p.plan(c.Session, "")
	if err != nil {
		return usage{err}
	}
	show, err := c.commands()
	if err != nil {
		return usage{err}
	}
	why := "this program was built without one"
	if p.Window != nil {
		o := &Opening{
			Config: plan.config, Panes: plan.open, Note: plan.note(), Split: len(plan.open) == 1, Show: show, Faults: plan.faults, Forced: plan.force,
			Out: c.Out, Width: w, Height: h, Picture: picture,
			Tape: func(name string) ([]lab.Entry, error) {
				t, err := p.loadTape(name)
				if err != nil {
					return nil, err
				}
				return t.Entries, nil
			},
		}
		if plan.comparison != nil {
			o.Title = plan.comparison.Doc
		}
		if len(plan.entries) > 0 || plan.seconds > 0 {
			o.Entry, o.Ticks = plan.entry, plan.ticks(0)
		}
		opened, err := p.Window(o)
		if opened || err == nil {
			return err
		}
		why = err.Error()
	}
	return p.headless(c, plan, show, why)
}

// packages are what the window needs on a bare Debian.
const packages = "libx11-6 libgl1 libxcursor1 libxrandr2 libxi6 libxinerama1"

// headless makes of the session what can be made without a window: a film, a
// picture, a score, a tape.
func (p *program) headless(c *runCommand, plan *plan, show []lab.Command, why string) error {
	fmt.Fprintf(p.Stdout, "There is no window (%s), so this session goes into files.\n\n", why)
	if len(plan.entries) == 0 {
		var err error
		if plan, err = p.plan(c.Session, "circle"); err != nil {
			return usage{err}
		}
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return err
	}
	n := plan.ticks(0)
	if plan.seconds == 0 && plan.comparison == nil {
		n = min(n, 12*plan.config.Rate)
	}
	n = min(n, 60*plan.config.Rate)
	entries := plan.allEntries(n)
	entries[0].Commands = first(len(plan.open) == 1, show, entries[0].Commands)

	f := video.Format{File: filepath.Join(c.Out, "lab.mp4"), W: 1280, H: 720, FPS: 60}
	if !video.HaveH264() {
		f = video.Format{File: filepath.Join(c.Out, "lab.gif"), W: 960, H: 540, FPS: 25}
	}
	title := ""
	if plan.comparison != nil {
		title = plan.comparison.Doc
	}
	l, err := plan.lab()
	if err != nil {
		return usage{err}
	}
	bar := p.newProgress("film", n)
	taped := lab.NewRecording(l, Version, plan.open)
	r, err := recorder.Shoot(&recorder.Shot{
		Lab: l, Entries: entries, Title: title, Note: plan.note(), Format: f,
		Progress: func(made int) {
			bar.at(made)
			taped.Ticked(entries[made-1], made == n)
		},
	})
	bar.done()
	if err != nil {
		return err
	}
	picture := filepath.Join(c.Out, "lab.png")
	if err := video.WritePNG(picture, r.Last); err != nil {
		return err
	}
	scored, err := p.score(plan, entries)
	if err != nil {
		return err
	}
	table, report, tape := filepath.Join(c.Out, "table.txt"), filepath.Join(c.Out, "report.json"), filepath.Join(c.Out, "lab.tape")
	err = errors.Join(
		scored.table(p.Stdout),
		write(table, func(w *os.File) error { return scored.table(w) }),
		write(report, func(w *os.File) error { return scored.json(w) }),
		write(tape, func(w *os.File) error { return taped.Write(w) }),
	)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "\nfilm    %s (%d pictures)\npicture %s\ntable   %s\nreport  %s\ntape    %s (run it again with --tape, or play)\n", f.File, r.Pictures, picture, table, report, tape)
	fmt.Fprintf(p.Stdout, "\nFor the window: run it in a desktop session; on Debian it needs %s.\n", packages)
	return nil
}

// score runs the entries once more and measures them.
func (p *program) score(plan *plan, entries []lab.Entry) (*result, error) {
	l, err := plan.lab()
	if err != nil {
		return nil, usage{err}
	}
	l.Stopwatch = p.Now
	latency, err := measure(l, entries, func(int) {})
	if err != nil {
		return nil, err
	}
	return results(l, plan, latency), nil
}

// write makes a file of what f writes.
func write(name string, f func(*os.File) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(f(file), file.Close())
}
