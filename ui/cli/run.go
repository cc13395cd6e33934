package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/render/video"
	"ghostcube/ui/recorder"
)

type runCommand struct {
	SessionFlags `embed:""`
	DisplayFlags `embed:""`
	Out          string `help:"Folder for films, pictures and tapes." default:"ghostcube-out" placeholder:"ghostcube-out"`
	Size         string `help:"Of the window." default:"1280x720" placeholder:"1280x720"`
	Renderer     string `help:"How the window is drawn: gpu-supersampled, gpu, software, software-half, or auto: the best the machine keeps up with." default:"auto" placeholder:"auto"`
}

// WindowOptions is what a window is opened with.
type WindowOptions struct {
	Config        lab.Config
	Panes         []string              // specs
	TapeEntry     func(i int) lab.Entry // what the tape and the forced faults do in tick i; nil: nothing
	TapeTicks     int                   // of the tape; then the human plays
	TapeNote      string                // names the tape
	Title         string
	Split         bool
	Display       []lab.Command             // what else of the picture was asked for
	FaultEvery    int                       // ticks from one forced fault to the next; 0: none
	FaultCommands func(i int) []lab.Command // faults that come once, in tick i
	OutDir        string
	Width, Height int
	Renderer      int // index of Renderers

	ReadTape func(name string) ([]lab.Entry, error) // of an example tape
}

// Renderers are the ways in which a window's picture can be made.
var Renderers = []string{"auto", "gpu-supersampled", "gpu", "software", "software-half"}

// Run opens the window, or does without one.
func (c *runCommand) Run(p *program) error {
	var w, h int
	if n, err := fmt.Sscanf(c.Size+"\n", "%dx%d\n", &w, &h); n != 2 || err != nil || w < 320 || h < 240 || w > video.MaxSide || h > video.MaxSide {
		return usageError{fmt.Errorf("--size=%s: want width x height from 320x240 to %dx%d, such as 1280x720", c.Size, video.MaxSide, video.MaxSide)}
	}
	picture := slices.Index(Renderers, c.Renderer)
	if picture < 0 {
		return usageError{fmt.Errorf("--renderer: %w", &unknownName{"renderer", c.Renderer, Renderers})}
	}
	plan, err := p.newPlan(c.SessionFlags, "")
	if err != nil {
		return usageError{err}
	}
	show, err := c.displayCommands()
	if err != nil {
		return usageError{err}
	}
	why := "this program was built without one"
	if p.OpenWindow != nil {
		o := &WindowOptions{
			Config: plan.config, Panes: plan.paneSpecs, TapeNote: plan.tapeNote(), Split: len(plan.paneSpecs) == 1, Display: show, FaultEvery: plan.faultEvery, FaultCommands: plan.faultCommands,
			OutDir: c.Out, Width: w, Height: h, Renderer: picture,
			ReadTape: func(name string) ([]lab.Entry, error) {
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
			o.TapeEntry, o.TapeTicks = plan.entryAt, plan.tickCount(0)
		}
		opened, err := p.OpenWindow(o)
		if opened || err == nil {
			return err
		}
		why = err.Error()
	}
	return p.headless(c, plan, show, why)
}

// windowPackages are what the window needs on a bare Debian.
const windowPackages = "libx11-6 libgl1 libxcursor1 libxrandr2 libxi6 libxinerama1"

// headless makes of the session what can be made without a window: a film, a
// picture, a score, a tape.
func (p *program) headless(c *runCommand, plan *plan, show []lab.Command, why string) error {
	fmt.Fprintf(p.Stdout, "There is no window (%s), so this session goes into files.\n\n", why)
	if len(plan.entries) == 0 {
		var err error
		if plan, err = p.newPlan(c.SessionFlags, "circle"); err != nil {
			return usageError{err}
		}
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return err
	}
	n := plan.tickCount(0)
	if plan.seconds == 0 && plan.comparison == nil {
		n = min(n, 12*plan.config.Rate)
	}
	n = min(n, 60*plan.config.Rate)
	entries := plan.firstEntries(n)
	entries[0].Commands = firstTickCommands(len(plan.paneSpecs) == 1, show, entries[0].Commands)

	f := video.Format{File: filepath.Join(c.Out, "lab.mp4"), W: 1280, H: 720, FPS: 60}
	if !video.HaveH264() {
		f = video.Format{File: filepath.Join(c.Out, "lab.gif"), W: 960, H: 540, FPS: 25}
	}
	title := ""
	if plan.comparison != nil {
		title = plan.comparison.Doc
	}
	l, err := plan.newLab()
	if err != nil {
		return usageError{err}
	}
	bar := p.newProgress("film", n)
	taped := tape.NewRecording(l, Version, plan.paneSpecs)
	r, err := recorder.Record(&recorder.Job{
		Lab: l, Entries: entries, Title: title, Footer: plan.tapeNote(), Format: f,
		Progress: func(made int) {
			bar.set(made)
			taped.Ticked(entries[made-1], made == n)
		},
	})
	bar.finish()
	if err != nil {
		return err
	}
	picture := filepath.Join(c.Out, "lab.png")
	if err := video.WritePNG(picture, r.LastFrame); err != nil {
		return err
	}
	scored, err := p.scoreEntries(plan, entries)
	if err != nil {
		return err
	}
	table, report, tape := filepath.Join(c.Out, "table.txt"), filepath.Join(c.Out, "report.json"), filepath.Join(c.Out, "lab.tape")
	err = errors.Join(
		scored.writeTable(p.Stdout),
		writeFile(table, func(w *os.File) error { return scored.writeTable(w) }),
		writeFile(report, func(w *os.File) error { return scored.writeJSON(w) }),
		writeFile(tape, func(w *os.File) error { return taped.Write(w) }),
	)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "\nfilm    %s (%d pictures)\npicture %s\ntable   %s\nreport  %s\ntape    %s (run it again with --tape, or play)\n", f.File, r.FrameCount, picture, table, report, tape)
	fmt.Fprintf(p.Stdout, "\nFor the window: run it in a desktop session; on Debian it needs %s.\n", windowPackages)
	return nil
}

// scoreEntries runs the entries once more and measures them.
func (p *program) scoreEntries(plan *plan, entries []lab.Entry) (*result, error) {
	l, err := plan.newLab()
	if err != nil {
		return nil, usageError{err}
	}
	l.Stopwatch = p.Now
	latency, err := runEntries(l, entries, func(int) {})
	if err != nil {
		return nil, err
	}
	return newResult(l, plan, latency), nil
}

// writeFile makes a file of what f writes.
func writeFile(name string, f func(*os.File) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(f(file), file.Close())
}
