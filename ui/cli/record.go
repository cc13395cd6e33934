package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ghostcube/internal/atomicfile"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/render/video"
	"ghostcube/ui/plan"
	"ghostcube/ui/recorder"
	"ghostcube/ui/stage"
)

type recordCommand struct {
	SessionFlags `embed:""`
	DisplayFlags `embed:""`
	Output       string        `group:"output" short:"o" help:"Video: .webm, .mp4 (needs ffmpeg), .gif, or images such as frames/%05d.png; a still: NAME.png." placeholder:"FILE" required:""`
	Size         string        `group:"output" help:"Size of the frames in pixels." default:"1280x720" placeholder:"1280x720"`
	FPS          string        `group:"output" help:"Frames per second; the default is 60, or 25 for a GIF." placeholder:"60"`
	From         float64       `group:"output" help:"Seconds of the session to run before the video begins." placeholder:"S"`
	Title        string        `group:"output" help:"Title, at most 60 characters; the default is that of the comparison, or the session in short." placeholder:"TEXT"`
	Heading      string        `hidden:"" help:"Title and best panes of a page's session: recorder.Heading."`
	Footer       *string       `group:"output" help:"Note in the footer; the default names the tape." placeholder:"TEXT"`
	View         string        `group:"output" help:"split: client and server side by side (default for one pane); overlay: ghosts in the client's view." placeholder:"overlay|split"`
	TitleCard    time.Duration `group:"output" help:"Show a title card for so long before the video begins: title, panes, network, scene." placeholder:"2s"`
	Captions     bool          `group:"output" help:"Write the texts that explain events beside the video, as WebVTT (.vtt)."`
	Slow         string        `group:"output" help:"Speed in the 2 s around each forced fault and the comparison's moment: 1/16 to less than 1." placeholder:"1/4"`
	NoHUD        bool          `group:"output" help:"Leave out title, texts and graphs."`
}

// maxTicksPerFrame is the number of ticks between two frames at the highest speed, with one frame a tick at
// speed 1.
const maxTicksPerFrame = 4

// Help returns the detailed help.
func (c *recordCommand) Help() string {
	return sessionHelp + `
The video is rendered tick by tick without a window, so no frame is dropped. The session's
tape is written beside it. Ctrl-C and SIGTERM end the video early, with exit code 1. Until it is whole it is called
NAME.part.webm, and a file that had its name stays.

A file NAME.png gets a still: of a comparison at the moment that it declares, of any other
session at its end. --seconds names another moment.

Examples:
  ghostcube record --compare csp-smoothing -o smoothing.webm
  ghostcube record --tape katamari-ball --panes snapshot --seconds 10 -o ball.gif
  ghostcube record --compare prediction -o prediction.png
`
}

// Run renders a video.
func (c *recordCommand) Run(p *program) error {
	session, job, err := c.newJob(p)
	if err != nil {
		return err
	}
	f := job.Format
	if err := p.checkFrames("-o", f.File); err != nil {
		return err
	}
	if folder := filepath.Dir(f.File); folder != "." {
		if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
			fmt.Fprintf(p.Stderr, "ghostcube: -o %s: makes the folder %s\n", f.File, folder)
		}
	}
	ctx, stop := untilSignal()
	defer stop()
	job.Stop = ctx.Done()
	var beside []*atomicfile.File // the tape, and the captions
	r, err := p.recordVideo(session, job, func(r recorder.Result, taped *tape.Recording) (_ []*atomicfile.File, err error) {
		if session.Happened() {
			taped = nil // this session has no tape
		}
		beside, err = c.besideVideo(p, f, r, taped)
		return beside, err
	})
	switch {
	case errors.Is(err, recorder.ErrNoFrame):
		return fmt.Errorf("interrupted before there was a picture: %s was not written", f.File)
	case err != nil:
		return err
	}
	if c.Footer != nil && r.Footer != *c.Footer {
		fmt.Fprintf(p.Stderr, "ghostcube: --footer: the last frame has room for no more than %q\n", r.Footer)
	}
	if f.Still() {
		fmt.Fprintf(p.Stdout, "%s: the session after %.2f s\n", f.File, float64(len(job.Entries))/float64(session.Config.Rate))
		return nil
	}
	c.report(p, session, f, r, beside)
	if r.Stopped {
		return fmt.Errorf("interrupted: %s has the first %.1f s", f.File, float64(r.FrameCount)/float64(f.FPS))
	}
	return nil
}

// newJob returns the session and the video that the flags ask for, or says which flag is wrong.
func (c *recordCommand) newJob(p *program) (*plan.Plan, *recorder.Job, error) {
	f, err := c.videoFormat()
	if err != nil {
		return nil, nil, err
	}
	session, err := p.newPlan(c.SessionFlags, "circle")
	if err != nil {
		return nil, nil, usageError{err}
	}
	display, err := c.recordDisplay()
	if err != nil {
		return nil, nil, err
	}
	if err := c.checkUnused(f); err != nil {
		return nil, nil, usageError{err}
	}
	rate := float64(session.Config.Rate)
	n := session.Ticks(15)
	if f.Still() && session.Comparison != nil && session.Seconds == 0 {
		n = int(session.Comparison.Moment * rate)
	}
	if c.TitleCard < 0 || c.TitleCard > time.Minute {
		return nil, nil, usageError{fmt.Errorf("--title-card=%v: want up to 1m", c.TitleCard)}
	}
	if !(c.From >= 0) || c.From > plan.MaxSeconds || int(c.From*rate) >= n {
		return nil, nil, usageError{fmt.Errorf("--from=%v: want seconds from 0 to less than the session's %v", c.From, float64(n)/rate)}
	}
	job := &recorder.Job{
		Entries: session.ShownEntries(n, display), SkipTicks: int(c.From * rate), CardTicks: int(c.TitleCard.Seconds() * rate),
		Footer: session.TapeNote(), NoOverlay: c.NoHUD, Format: f,
	}
	if c.Heading != "" {
		h, err := recorder.ParseHeading(c.Heading)
		if err != nil {
			return nil, nil, usageError{fmt.Errorf("--heading: %w", err)}
		}
		job.Title, job.Best = h.Title, h.Best
	}
	if f.Still() {
		job.Format.FPS = session.Config.Rate // one frame a tick at speed 1
		job.SkipTicks, job.CardTicks = max(n-maxTicksPerFrame, 0), 0
	}
	if c.Footer != nil {
		job.Footer = *c.Footer
	}
	if err := c.slowMoments(session, job.Entries); err != nil {
		return nil, nil, usageError{err}
	}
	return session, job, nil
}

// recordDisplay returns the commands of --show and --view.
func (c *recordCommand) recordDisplay() ([]lab.Command, error) {
	if c.View != "" {
		if err := checkChoice("view", c.View, "overlay", "split"); err != nil {
			return nil, err
		}
	}
	list, err := c.displayCommands()
	if err != nil {
		return nil, usageError{err}
	}
	if c.View != "" {
		list = append(list, stage.Show("split", stage.OnOff(c.View == "split")))
	}
	if c.Title != "" {
		show := stage.ShowTitle(c.Title)
		if err := stage.CheckCommand(show); err != nil {
			return nil, usageError{fmt.Errorf("--title: %w", err)}
		}
		list = append(list, show)
	}
	return list, nil
}

// checkUnused returns an error for a flag that the picture asked for cannot follow.
func (c *recordCommand) checkUnused(f video.Format) error {
	if f.Still() {
		for _, x := range []struct {
			flag  string
			given bool
		}{{"--from", c.From != 0}, {"--fps", c.FPS != ""}, {"--title-card", c.TitleCard != 0}, {"--captions", c.Captions}, {"--slow", c.Slow != ""}} {
			if x.given {
				return fmt.Errorf("%s: a still is one moment, that of --seconds: want a video", x.flag)
			}
		}
	}
	switch {
	case c.NoHUD && c.Footer != nil && *c.Footer != "":
		return errors.New("--footer: --no-hud leaves it out")
	case c.NoHUD && c.Title != "" && c.TitleCard == 0:
		return errors.New("--title: --no-hud leaves it out; want --title-card, too, or neither")
	}
	return nil
}

// slowMoments slows the entries of a session down as --slow says.
func (c *recordCommand) slowMoments(session *plan.Plan, entries []lab.Entry) error {
	if c.Slow == "" {
		return nil
	}
	speed, err := parseSlow(c.Slow)
	if err != nil {
		return err
	}
	if slowDown(entries, markedTicks(session, entries), session.Config.Rate, speed, shownSpeed(entries[0].Commands)) == 0 {
		return fmt.Errorf("--slow=%s: neither a forced fault nor the comparison's moment is in the session: want --show speed=%v to slow all of it", c.Slow, speed)
	}
	return nil
}

// report prints the files that a video has got, and the link to its session.
func (c *recordCommand) report(p *program, session *plan.Plan, f video.Format, r recorder.Result, beside []*atomicfile.File) {
	size := ""
	if info, err := os.Stat(f.File); err == nil {
		size = fmt.Sprintf(", %.1f MB", float64(info.Size())/1e6)
	}
	fmt.Fprintf(p.Stdout, "%s: %s of %dx%d at %d fps%s\n", f.File, plural(r.FrameCount, "frame"), f.W, f.H, f.FPS, size)
	if !session.Happened() {
		fmt.Fprintf(p.Stdout, "%s: the session's tape%s\n", beside[0].Name(), otherName(beside[0], tapePath(f.File)))
		if x, err := p.linkTo(session, &c.DisplayFlags); err == nil { // otherwise the tape is the way to share it
			fmt.Fprintf(p.Stdout, "'%s': its link, for ghostcube open, or after the address of a page\n", x)
		}
	}
	if c.Captions {
		last := beside[len(beside)-1]
		fmt.Fprintf(p.Stdout, "%s: %d captions%s\n", last.Name(), len(r.Captions), otherName(last, captionsPath(f.File)))
	}
}

// besideVideo starts the tape of a video, unless taped is nil, and its captions.
func (c *recordCommand) besideVideo(p *program, f video.Format, r recorder.Result, taped *tape.Recording) ([]*atomicfile.File, error) {
	if f.Still() {
		return nil, nil
	}
	var files []*atomicfile.File
	if taped != nil {
		x, err := p.createBeside(f.File, tapePath(f.File), "#", taped.Write)
		if err != nil {
			return nil, err
		}
		files = append(files, x)
	}
	if c.Captions {
		x, err := p.createBeside(f.File, captionsPath(f.File), "NOTE", func(w io.Writer) error {
			err := recorder.WriteVTT(w, r.Captions, f.FPS)
			fmt.Fprintln(w) // before the note
			return err
		})
		if err != nil {
			return nil, errors.Join(err, atomicfile.Discard(files...))
		}
		files = append(files, x)
	}
	return files, nil
}

// captionsPath returns the name of the captions beside a video.
func captionsPath(video string) string { return strings.TrimSuffix(tapePath(video), ".tape") + ".vtt" }

// otherName says why a file has another name than wanted.
func otherName(f *atomicfile.File, wanted string) string {
	if f.Name() == wanted {
		return ""
	}
	return fmt.Sprintf(" (%s is another file, and was left alone)", wanted)
}

// recordVideo renders the video of a session as a job describes it. files starts those that belong to it, such as its
// tape; nil: none.
func (p *program) recordVideo(session *plan.Plan, j *recorder.Job,
	files func(recorder.Result, *tape.Recording) ([]*atomicfile.File, error)) (r recorder.Result, err error) {
	if j.Lab, err = session.NewLab(); err != nil {
		return r, usageError{err}
	}
	if j.Title == "" {
		j.Title, j.Best = cmp.Or(session.Title(), strategiesIn(session)), session.Best()
	}
	bar := p.newProgress("record", len(j.Entries))
	defer bar.finish()
	taped := tape.NewRecording(j.Lab, Version, session.Panes)
	j.Progress = func(made int) {
		bar.set(made)
		taped.Ticked(j.Entries[made-1])
	}
	if files != nil {
		j.Files = func(r recorder.Result) ([]*atomicfile.File, error) {
			taped.End()
			return files(r, taped)
		}
	}
	return recorder.Record(j)
}

// strategiesIn names a session without a title by its strategies and its scene.
func strategiesIn(session *plan.Plan) string {
	var names []string
	for _, spec := range session.Panes {
		if name, _, _ := strings.Cut(spec, ":"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if last := len(names) - 1; last > 0 {
		names = []string{strings.Join(names[:last], ", ") + " and " + names[last]}
	}
	return names[0] + " in " + session.Config.Scene
}

// DisplayFlags are the flags that set how a session is drawn.
type DisplayFlags struct {
	Show string `group:"output" help:"Display settings such as color=age,latency=on,pitch=40 (see list display)." placeholder:"NAME=VALUE,..."`
}

// displayCommands returns the commands of the display settings.
func (d *DisplayFlags) displayCommands() ([]lab.Command, error) {
	list, err := stage.ParseShow(d.Show)
	if err != nil {
		return nil, fmt.Errorf("--show: %w", err)
	}
	return list, nil
}

// videoFormat returns the format of the video, checked.
func (c *recordCommand) videoFormat() (f video.Format, err error) {
	f.File = c.Output
	if f.W, f.H, err = parseSize(c.Size, video.MinSide, video.MinSide); err != nil {
		return f, err
	}
	f.FPS = 60
	if strings.EqualFold(filepath.Ext(f.File), ".gif") {
		f.FPS = 25
	}
	if c.FPS != "" {
		if f.FPS, err = intFlag("fps", c.FPS, video.MinFPS, video.MaxFPS); err != nil {
			return f, usageError{err}
		}
	}
	switch err := f.Validate(); {
	case errors.Is(err, video.ErrNoFFmpeg):
		return f, err
	case err != nil:
		return f, usageError{fmt.Errorf("-o: %w", err)}
	}
	return f, nil
}

// parseSize parses the --size flag, width x height in pixels, with lower bounds.
func parseSize(text string, minW, minH int) (w, h int, err error) {
	width, height, _ := strings.Cut(text, "x")
	w, errW := plan.ParseInt(width, minW, video.MaxSide)
	h, errH := plan.ParseInt(height, minH, video.MaxSide)
	if errW != nil || errH != nil {
		return 0, 0, usageError{fmt.Errorf("--size=%s: want width x height in pixels, from %dx%d to %dx%d", text, minW, minH, video.MaxSide, video.MaxSide)}
	}
	return w, h, nil
}
