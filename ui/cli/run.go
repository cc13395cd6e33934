package cli

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"slices"

	"ghostcube/internal/atomicfile"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/render/video"
	"ghostcube/ui/plan"
	"ghostcube/ui/recorder"
	"ghostcube/ui/session"
)

type runCommand struct {
	SessionFlags `embed:""`
	DisplayFlags `embed:""`
	Lesson       string `group:"session" help:"Lesson of the tour to start with, which has a session of its own (see list lessons)." placeholder:"NAME"`
	WindowFlags  `embed:""`
}

// WindowFlags are the flags of the commands that open the window.
type WindowFlags struct {
	Out      string `group:"output" help:"Folder for videos, screenshots and tapes." default:"ghostcube-out" placeholder:"ghostcube-out"`
	Size     string `group:"output" help:"Size of the window in pixels." default:"1280x720" placeholder:"1280x720"`
	Renderer string `group:"output" help:"gpu-supersampled, gpu, software, software-half, or auto for the best that keeps up." default:"auto" placeholder:"auto"`
}

// Help returns the detailed help.
func (c *runCommand) Help() string {
	return sessionHelp + `
If no window can be opened, the session is recorded: a video, an image, scores and a tape are
written to the folder of --out.

Examples:
  ghostcube --compare csp-smoothing
  ghostcube --panes rewind,snapshot --network wifi-bad,loss=5%
`
}

// WindowOptions are the options of the window.
type WindowOptions struct {
	Session       session.Options
	Plan          *plan.Plan    // of the first session
	Display       []lab.Command // further display settings of the first session
	Width, Height int           // pixels
	Renderer      int           // index of Renderers
	At            int           // ticks of the first session that are made at once; then it is paused; 0: none
	Report        io.Writer     // of frames and layouts, for tests that drive the window; nil: none
}

// Renderers are the names of the window's renderers.
var Renderers = []string{"auto", "gpu-supersampled", "gpu", "software", "software-half"}

// Run opens the window, or records the session if there is none.
func (c *runCommand) Run(p *program) error {
	session, err := c.plan(p)
	if err != nil {
		return usageError{err}
	}
	show, err := c.displayCommands()
	if err != nil {
		return usageError{err}
	}
	reason, err := p.openWindow(&WindowOptions{Plan: session, Display: show}, &c.WindowFlags)
	if reason == "" || err != nil {
		return err
	}
	return p.withoutWindow(c, session, show, reason)
}

// openWindow opens the window, or returns the reason why there is none.
func (p *program) openWindow(o *WindowOptions, f *WindowFlags) (reason string, err error) {
	if o.Width, o.Height, err = parseSize(f.Size, 320, 240); err != nil {
		return "", err
	}
	if err := checkChoice("renderer", f.Renderer, Renderers...); err != nil {
		return "", err
	}
	if f.Out != defaultOut && p.OpenWindow != nil {
		if err := atomicfile.CheckFolder(f.Out); err != nil {
			return "", usageError{fmt.Errorf("--out=%s: it cannot be a folder for files: %w", f.Out, err)}
		}
	}
	f.Out = p.outFolder(f.Out)
	if p.OpenWindow == nil {
		return "this build has none", nil
	}
	if o.Session.Comparisons, err = p.library.Comparisons(); err != nil {
		return "", err
	}
	o.Renderer = slices.Index(Renderers, f.Renderer)
	o.Session.Library, o.Session.OutDir, o.Session.Version = &p.library, f.Out, Version
	o.Session.PlanComparison = func(name string) (*plan.Plan, error) { return p.newPlan(SessionFlags{Compare: name}, "") }
	opened, err := p.OpenWindow(o)
	if opened || err == nil {
		return "", err
	}
	return err.Error(), nil
}

// withoutWindow plays the lesson of a session, or records the session, where no window can be opened.
func (p *program) withoutWindow(c *runCommand, session *plan.Plan, show []lab.Command, reason string) error {
	if session.Lesson != nil {
		fmt.Fprintf(p.Stdout, "No window (%s): the lesson runs without a viewer.\n\n", reason)
		return p.playLesson(session)
	}
	return p.headless(c, session, show, reason)
}

// plan plans the session: that of a lesson, or that of the flags.
func (c *runCommand) plan(p *program) (*plan.Plan, error) {
	if c.Lesson == "" {
		return p.newPlan(c.SessionFlags, "")
	}
	if c.SessionFlags != (SessionFlags{}) {
		return nil, errors.New("--lesson: a lesson has a session of its own: want no other flags of the session")
	}
	return p.planLesson(c.Lesson)
}

// defaultOut is the folder of the files if --out names none.
const defaultOut = "ghostcube-out"

// outFolder returns the folder for the files of a session: that of --out, or else the default one in the working
// directory. Where that cannot be written, as in source that belongs to somebody else, it is in the home directory, or
// else below that of temporary files.
func (p *program) outFolder(out string) string {
	if out != defaultOut {
		return out
	}
	err := atomicfile.CheckFolder(out)
	if err == nil {
		return out
	}
	if home, errHome := os.UserHomeDir(); errHome == nil {
		out = filepath.Join(home, defaultOut)
	}
	if out == defaultOut || atomicfile.CheckFolder(out) != nil {
		temporary, errTemporary := os.MkdirTemp("", defaultOut+"-*")
		if errTemporary != nil { // writing will say why
			return defaultOut
		}
		out = temporary
	}
	fmt.Fprintf(p.Stderr, "ghostcube: %v: files are written to %s (--out names another folder)\n", err, out)
	return out
}

// unaskedSeconds is the length of a recorded session for which nobody has named a length. If no tape was named either, the
// video shows the second half, in which corrections happen: painting takes most of the time, and whoever starts the program
// for the first time has already waited for the compiler.
const unaskedSeconds = 12

// windowPackages are the Debian packages that the window needs.
const windowPackages = "libx11-6 libgl1 libxcursor1 libxrandr2 libxi6 libxinerama1"

// headless records the session without a window: a video, a picture, scores and a tape.
func (p *program) headless(c *runCommand, planned *plan.Plan, show []lab.Command, reason string) error {
	fmt.Fprintf(p.Stdout, "No window (%s): the session is recorded into files.\n\n", reason)
	tapeNamed := planned.TapeName != ""
	if !tapeNamed {
		var err error
		if planned, err = p.newPlan(c.SessionFlags, "circle"); err != nil {
			return usageError{err}
		}
	}
	n, lead := planned.Ticks(0), 0
	if planned.Seconds == 0 && planned.Comparison == nil {
		n = min(n, unaskedSeconds*planned.Config.Rate)
		if !tapeNamed {
			lead = n / 2
		}
	}
	n = min(n, 60*planned.Config.Rate)
	entries := planned.ShownEntries(n, show)

	if err := atomicfile.CheckFolder(c.Out); err != nil {
		scored, scoreErr := p.scoreEntries(planned, entries)
		if scoreErr != nil {
			return scoreErr
		}
		return errors.Join(scored.writeTable(p.Stdout), fmt.Errorf("no file was written: %s cannot be a folder for files: %w; --out names another one", c.Out, err))
	}
	path := freeNames(c.Out)
	f := session.VideoFormat(func(ext string) string { return path("lab" + ext) })
	ctx, stop := untilSignal()
	defer stop()
	var files []*atomicfile.File // image, table, report and tape
	job := &recorder.Job{Entries: entries, SkipTicks: lead, Footer: planned.TapeNote(), Format: f, Stop: ctx.Done()}
	r, err := p.recordVideo(planned, job, func(r recorder.Result, taped *tape.Recording) ([]*atomicfile.File, error) {
		scored, err := p.scoreEntries(planned, taped.Entries)
		if err != nil {
			return nil, err
		}
		if planned.Happened() {
			taped = nil
		}
		if files, err = createFiles(path, r.LastFrame, scored, taped); err != nil {
			return nil, err
		}
		return files, scored.writeBrief(p.Stdout)
	})
	switch {
	case errors.Is(err, recorder.ErrNoFrame):
		return errInterrupted
	case err != nil:
		return err
	}
	from := ""
	if lead > 0 {
		from = fmt.Sprintf(", from %d s on", lead/planned.Config.Rate)
	}
	fmt.Fprintf(p.Stdout, "\nvideo   %s (%d frames%s)\nimage   %s\ntable   %s\nreport  %s\n",
		r.File, r.FrameCount, from, files[0].Name(), files[1].Name(), files[2].Name())
	if len(files) > 3 {
		fmt.Fprintf(p.Stdout, "tape    %s (for --tape and play)\n", files[3].Name())
	}
	if r.Stopped {
		return fmt.Errorf("interrupted: %s has the first %.1f s", r.File, float64(r.FrameCount)/float64(f.FPS))
	}
	fmt.Fprintf(p.Stdout, "\nThe window needs a graphical session and, on Debian, %s.\n", windowPackages)
	return nil
}

// freeNames returns the paths of the files of a session without a window: all with the first number after which none is
// taken.
func freeNames(folder string) (path func(name string) string) {
	names := []string{"lab.mp4", "lab.webm", "lab.png", "lab.tape", "table.txt", "report.json"}
	for number := 1; ; number++ {
		path = func(name string) string { return filepath.Join(folder, atomicfile.Numbered(name, number)) }
		taken := func(name string) bool {
			_, err := os.Lstat(path(name))
			return err == nil
		}
		if !slices.ContainsFunc(names, taken) {
			return path
		}
	}
}

// createFiles writes the image, the table, the report and the tape, if there is one, in this order, without committing them.
func createFiles(path func(name string) string, lastFrame *image.RGBA, scored *result,
	taped *tape.Recording) ([]*atomicfile.File, error) {
	picture, err := video.WritePNG(path("lab.png"), lastFrame)
	if err != nil {
		return nil, err
	}
	files := []*atomicfile.File{picture}
	for _, x := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"table.txt", scored.writeTable},
		{"report.json", func(w io.Writer) error { return writeJSON(w, scored) }},
		{"lab.tape", func(w io.Writer) error { return taped.Write(w) }},
	} {
		if x.name == "lab.tape" && taped == nil {
			break
		}
		f, err := createFilled(path(x.name), x.write)
		if err != nil {
			return nil, errors.Join(err, atomicfile.Discard(files...))
		}
		files = append(files, f)
	}
	return files, nil
}

// scoreEntries runs the entries again and measures them.
func (p *program) scoreEntries(session *plan.Plan, entries []lab.Entry) (*result, error) {
	l, err := session.NewLab()
	if err != nil {
		return nil, usageError{err}
	}
	latency, err := p.runEntries(context.Background(), l, lab.EntriesOf(entries), func(int) {})
	if err != nil {
		return nil, err
	}
	return newResult(l, session, latency), nil
}
