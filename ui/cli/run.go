package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ghostcube/predict/lab"
	"ghostcube/render/video"
	"ghostcube/ui/plan"
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
	Plan          *plan.Plan
	Display       []lab.Command // what else of the picture was asked for
	OutDir        string
	Width, Height int
	Renderer      int // index of Renderers

	Comparisons []plan.Comparison

	// PlanComparison returns the session of a comparison, as --compare starts it.
	PlanComparison func(name string) (*plan.Plan, error)
}

// Renderers are the ways in which a window's picture can be made.
var Renderers = []string{"auto", "gpu-supersampled", "gpu", "software", "software-half"}

// Run opens the window, or does without one.
func (c *runCommand) Run(p *program) error {
	w, h, err := parseSize(c.Size, 320, 240)
	if err != nil {
		return err
	}
	if err := checkChoice("renderer", c.Renderer, Renderers...); err != nil {
		return err
	}
	session, err := p.newPlan(c.SessionFlags, "")
	if err != nil {
		return usageError{err}
	}
	show, err := c.displayCommands()
	if err != nil {
		return usageError{err}
	}
	why := "this program was built without one"
	if p.OpenWindow != nil {
		comparisons, err := p.library.Comparisons()
		if err != nil {
			return err
		}
		o := &WindowOptions{
			Comparisons: comparisons,
			Plan:        session, Display: show, OutDir: c.Out, Width: w, Height: h, Renderer: slices.Index(Renderers, c.Renderer),
			PlanComparison: func(name string) (*plan.Plan, error) { return p.newPlan(SessionFlags{Compare: name}, "") },
		}
		opened, err := p.OpenWindow(o)
		if opened || err == nil {
			return err
		}
		why = err.Error()
	}
	return p.headless(c, session, show, why)
}

// windowPackages are what the window needs on a bare Debian.
const windowPackages = "libx11-6 libgl1 libxcursor1 libxrandr2 libxi6 libxinerama1"

// headless makes of the session what can be made without a window: a film, a
// picture, a score, a tape.
func (p *program) headless(c *runCommand, session *plan.Plan, show []lab.Command, why string) error {
	fmt.Fprintf(p.Stdout, "There is no window (%s), so this session goes into files.\n\n", why)
	if session.TapeName == "" {
		var err error
		if session, err = p.newPlan(c.SessionFlags, "circle"); err != nil {
			return usageError{err}
		}
	}
	if err := os.MkdirAll(c.Out, 0o777); err != nil {
		return err
	}
	n := session.Ticks(0)
	if session.Seconds == 0 && session.Comparison == nil {
		n = min(n, 12*session.Config.Rate)
	}
	n = min(n, 60*session.Config.Rate)
	entries := session.Entries(n)
	entries[0].Commands = slices.Concat(session.Display(), show, entries[0].Commands)

	f := video.Format{File: filepath.Join(c.Out, "lab.mp4"), W: 1280, H: 720, FPS: 60}
	if !video.HaveH264() {
		f = video.Format{File: filepath.Join(c.Out, "lab.gif"), W: 960, H: 540, FPS: 25}
	}
	r, taped, err := p.recordVideo(session, &recorder.Job{Entries: entries, Format: f})
	if err != nil {
		return err
	}
	picture := filepath.Join(c.Out, "lab.png")
	if err := video.WritePNG(picture, r.LastFrame); err != nil {
		return err
	}
	scored, err := p.scoreEntries(session, entries)
	if err != nil {
		return err
	}
	table, report, tape := filepath.Join(c.Out, "table.txt"), filepath.Join(c.Out, "report.json"), filepath.Join(c.Out, "lab.tape")
	err = errors.Join(
		scored.writeTable(p.Stdout),
		writeFile(table, func(w *os.File) error { return scored.writeTable(w) }),
		writeFile(report, func(w *os.File) error { return writeJSON(w, scored) }),
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
func (p *program) scoreEntries(session *plan.Plan, entries []lab.Entry) (*result, error) {
	l, err := session.NewLab()
	if err != nil {
		return nil, usageError{err}
	}
	l.Stopwatch = p.Now
	latency, err := runEntries(l, entries, func(int) {})
	if err != nil {
		return nil, err
	}
	return newResult(l, session, latency), nil
}

// writeFile makes a file of what f writes.
func writeFile(name string, f func(*os.File) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(f(file), file.Close())
}
