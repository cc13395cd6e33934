package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	Output       string  `short:"o" help:"The film: a name that ends in .mp4 (H.264, needs ffmpeg), .gif, or %05d.png for single pictures." placeholder:"FILE" required:""`
	Size         string  `help:"Of the pictures." default:"1280x720" placeholder:"1280x720"`
	FPS          string  `help:"Pictures a second: 60, or 25 for a GIF, unless said." placeholder:"60"`
	From         float64 `help:"Seconds of the session that pass before the film begins." placeholder:"S"`
	Title        string  `help:"Written above the film, instead of what the session is." placeholder:"TEXT"`
	View         string  `help:"How each pane is seen: overlay, ghosts in the client's picture; or split, client left and server right. Unless said, split for one pane and overlay for more." placeholder:"overlay|split"`
	NoHUD        bool    `help:"Nothing written over the pictures."`
}

// Run makes a film.
func (c *recordCommand) Run(p *program) error {
	f, err := c.videoFormat()
	if err != nil {
		return err
	}
	session, err := p.newPlan(c.SessionFlags, "circle")
	if err != nil {
		return usageError{err}
	}
	if c.View != "" {
		if err := checkChoice("view", c.View, "overlay", "split"); err != nil {
			return err
		}
	}
	show, err := c.displayCommands()
	if err != nil {
		return usageError{err}
	}
	if c.View != "" {
		show = append(show, stage.Show("split", stage.OnOff(c.View == "split")))
	}
	n := session.Ticks(15)
	lead := int(c.From * float64(session.Config.Rate))
	if !(c.From >= 0) || lead >= n {
		return usageError{fmt.Errorf("--from=%v: want seconds from 0 to less than the session's %v", c.From, float64(n)/float64(session.Config.Rate))}
	}
	entries := session.Entries(n)
	entries[0].Commands = slices.Concat(session.Display(), show, entries[0].Commands)
	r, taped, err := p.recordVideo(session, &recorder.Job{Entries: entries, SkipTicks: lead, Title: c.Title, NoOverlay: c.NoHUD, Format: f})
	if err != nil {
		return err
	}
	beside := tapePath(f.File)
	if err := writeFile(beside, func(w *os.File) error { return taped.Write(w) }); err != nil {
		return err
	}
	p.reportVideo(f, r.FrameCount)
	fmt.Fprintf(p.Stdout, "%s: its tape\n", beside)
	return nil
}

// recordVideo makes a job's video of a session, and its tape.
func (p *program) recordVideo(session *plan.Plan, j *recorder.Job) (r recorder.Result, taped *tape.Recording, err error) {
	if j.Lab, err = session.NewLab(); err != nil {
		return r, nil, usageError{err}
	}
	if j.Title == "" {
		j.Title = session.Title()
	}
	j.Footer = session.TapeNote()
	bar := p.newProgress("record", len(j.Entries))
	defer bar.finish()
	taped = tape.NewRecording(j.Lab, Version, session.Panes)
	j.Progress = func(made int) {
		bar.set(made)
		taped.Ticked(j.Entries[made-1], made == len(j.Entries))
	}
	r, err = recorder.Record(j)
	return r, taped, err
}

// DisplayFlags set what is drawn.
type DisplayFlags struct {
	Show string `help:"Display settings, as in the show commands of a tape. ${show}." placeholder:"NAME=VALUE,..."`
}

// displayCommands returns the show commands of --show.
func (l *DisplayFlags) displayCommands() ([]lab.Command, error) {
	list, err := stage.ParseShow(l.Show)
	if err != nil {
		return nil, fmt.Errorf("--show: %w", err)
	}
	return list, nil
}

// videoFormat checks what the film shall be.
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

// parseSize reads the --size flag: width x height in pixels, from a smallest one.
func parseSize(text string, minW, minH int) (w, h int, err error) {
	width, height, _ := strings.Cut(text, "x")
	w, errW := plan.ParseInt(width, minW, video.MaxSide)
	h, errH := plan.ParseInt(height, minH, video.MaxSide)
	if errW != nil || errH != nil {
		return 0, 0, usageError{fmt.Errorf("--size=%s: want width x height in pixels, from %dx%d to %dx%d", text, minW, minH, video.MaxSide, video.MaxSide)}
	}
	return w, h, nil
}

// reportVideo tells where a film is and how large.
func (p *program) reportVideo(f video.Format, pictures int) {
	size := ""
	if info, err := os.Stat(f.File); err == nil {
		size = fmt.Sprintf(", %.1f MB", float64(info.Size())/1e6)
	}
	fmt.Fprintf(p.Stdout, "%s: %d pictures of %dx%d at %d a second%s\n", f.File, pictures, f.W, f.H, f.FPS, size)
}
