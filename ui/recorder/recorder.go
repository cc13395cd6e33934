// Package recorder makes videos of sessions. Nothing is read back from a screen: the session runs again tick by
// tick, and each frame is drawn from it without a GPU, faster or slower than real time and at any size. So no
// frame is dropped. A video has the same bytes whenever the same program makes it; between kinds of processors, what is
// written over its pictures may differ in the last bits.
package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"

	"ghostcube/internal/atomicfile"
	"ghostcube/predict/lab"
	"ghostcube/render/raster"
	"ghostcube/render/video"
	"ghostcube/sim"
	"ghostcube/ui/hud"
	"ghostcube/ui/stage"
)

// Job describes a video.
type Job struct {
	Lab       *lab.Lab    // before the first entry; Record advances it
	Stage     *hud.HUD    // that has followed Lab so far; nil: none has
	Entries   []lab.Entry // one for each tick
	SkipTicks int         // ticks before the first frame, in which cameras and graphs settle
	Title     string
	Best      *stage.Best // as hud.Options has it
	Footer    string
	NoOverlay bool // scenes alone
	CardTicks int  // ticks for which a title card is shown before the first frame; 0: there is none
	Format    video.Format
	Beside    *Beside // nil: none

	// Progress is called after each tick with the number of ticks so far, a few frames ahead of the file. It may be nil.
	Progress func(ticks int)
	// Stop, when closed, ends the video early; the file is complete up to there. A still is not written then, and
	// neither is a video without a frame. It may be nil.
	Stop <-chan struct{}
	// Files returns the files that belong to the finished video, and get their names together with it. It may be nil.
	Files func(Result) ([]*atomicfile.File, error)
}

// Beside is a session that a video shows beside another one, tick by tick, as lab.ShowBeside does.
type Beside struct {
	Lab     *lab.Lab    // at the moment of the other's first entry
	Entries []lab.Entry // one for each tick; after the last one it stays as it is
	Labels  [lab.MaxPanes]string
}

// Result describes a finished video.
type Result struct {
	File       string // its name, which is another one than wanted if the format is Unnamed and the name was taken
	FrameCount int
	Stopped    bool        // by Job.Stop
	LastFrame  *image.RGBA // empty if there is none
	Captions   []Caption   // in the order of their first frames
	Footer     string      // what of Job.Footer the last frame had room for
}

// Painter draws whole frames of sessions without a GPU. The zero value is ready.
type Painter struct{ raster raster.Painter }

// paint draws a composed frame over the whole of im.
func (p *Painter) paint(im *image.RGBA, f *hud.Frame) {
	p.PaintViews(im, f.Viewports, 1)
	raster.DrawOverlay(im, &f.Overlay)
}

// PaintViews draws the viewports of a composed frame into im without the overlay, divisor times smaller along
// each side.
func (p *Painter) PaintViews(im *image.RGBA, views []stage.Viewport, divisor int) {
	k := divisor
	for i := range views {
		v := &views[i]
		r := image.Rect(v.X/k, v.Y/k, (v.X+v.W+k-1)/k, (v.Y+v.H+k-1)/k).Add(im.Rect.Min).Intersect(im.Rect)
		p.raster.Draw(im.SubImage(r).(*image.RGBA), &v.Scene, &v.Camera)
	}
}

// ErrNoFrame is returned if a video was stopped before its first frame, or a still before its moment.
var ErrNoFrame = errors.New("stopped before there was a picture")

// Record makes the video, whole or not at all: on an error the files that had its name and those of Job.Files are as
// they were. If it could not be written, the error says where the frames so far are.
func Record(j *Job) (Result, error) {
	out, err := video.Create(j.Format)
	if err != nil {
		return Result{}, err
	}
	r, err := j.record(out)
	if err == nil && r.Stopped && (r.FrameCount == 0 || j.Format.Still()) {
		err = ErrNoFrame
	}
	files, closed := out.Close()
	if err = errors.Join(err, closed); err != nil {
		return r, errors.Join(err, atomicfile.Discard(files...))
	}
	var others []*atomicfile.File
	if j.Files != nil {
		if others, err = j.Files(r); err != nil {
			return r, errors.Join(err, leave(files))
		}
	}
	if err := atomicfile.Commit(slices.Concat(others, files)...); err != nil {
		return r, err
	}
	r.File = j.Format.File
	if len(files) == 1 && j.Format.Unnamed {
		r.File = files[0].Name()
	}
	return r, nil
}

// leave leaves a video under its temporary name, because files that belong to it could not be written, and says so.
// Numbered pictures are discarded.
func leave(files []*atomicfile.File) error {
	if len(files) != 1 {
		return atomicfile.Discard(files...)
	}
	return atomicfile.Leave(files...)
}

func (j *Job) record(out video.Writer) (Result, error) {
	pictures := newPipeline(j.Format.W, j.Format.H, out)
	var texts captions
	st := cmp.Or(j.Stage, &hud.HUD{})
	err := j.compose(st, pictures, &texts)
	r, failed := pictures.finish()
	r.Captions, r.Footer = texts.list, strings.Clone(st.Footer())
	if errors.Is(err, errStopped) {
		r.Stopped, err = true, nil
	}
	return r, errors.Join(err, failed)
}

// errStopped is returned by compose after Stop.
var errStopped = errors.New("stopped")

// compose runs the session and composes its pictures and captions, until its end, Stop or an error.
func (j *Job) compose(st *hud.HUD, pictures *pipeline, texts *captions) error {
	rate, fps := float64(j.Lab.Config().Rate), float64(j.Format.FPS)
	ticks := 0
	shown := j.Lab
	if j.Beside != nil {
		shown = &lab.Lab{}
		shown.ShowBeside(j.Lab, j.Beside.Lab)
	}
	var input sim.Input // of the first player, in the newest tick
	stopped := func() bool {
		select {
		case <-j.Stop:
			return true
		default:
			return false
		}
	}
	tick := func() error {
		if stopped() {
			return errStopped
		}
		e := j.Entries[ticks]
		ticks++
		for _, c := range e.Commands {
			if err := stage.CheckCommand(c); err != nil {
				return fmt.Errorf("tick %d: %s: %w", j.Lab.Ticks(), c, err)
			}
		}
		if err := j.Lab.Tick(e); err != nil {
			return err
		}
		if input = (sim.Input{}); len(e.Inputs) > 0 {
			input = e.Inputs[0]
		}
		if b := j.Beside; b != nil {
			if ticks <= len(b.Entries) {
				if err := b.Lab.Tick(b.Entries[ticks-1]); err != nil {
					return err
				}
			}
			shown.ShowBeside(j.Lab, b.Lab)
		}
		st.Tick(shown)
		if j.Progress != nil {
			j.Progress(ticks)
		}
		return nil
	}
	for ticks < min(j.SkipTicks, len(j.Entries)) {
		if err := tick(); err != nil {
			return err
		}
	}
	// A frame shows the moment at its end: with equal rates, each frame shows one tick. at is that moment, in
	// ticks; rounding must not cost a tick.
	const rounding = 1e-6
	for at, frame := float64(ticks), 0; ; frame++ {
		at += rate * stage.SettingsOf(j.Lab).Speed / fps
		if stopped() {
			return errStopped
		}
		for float64(ticks) < at-rounding {
			if ticks == len(j.Entries) {
				return nil
			}
			if err := tick(); err != nil {
				return err
			}
		}
		o := hud.Options{Title: j.Title, Best: j.Best, Footer: j.Footer, NoOverlay: j.NoOverlay, Input: input}
		if j.Beside != nil {
			o.PaneLabels = j.Beside.Labels
		}
		c := pictures.next()
		if c == nil {
			return nil
		}
		size, share := stage.Rect{W: j.Format.W, H: j.Format.H}, float32(min(at-float64(ticks)+1, 1))
		for ; frame < int(float64(j.CardTicks)*fps/rate); frame++ {
			st.Compose(&c.frame, shown, size, o, share)
			st.DrawTitleCard(&c.frame.Overlay, shown, j.Title, size)
			pictures.composed <- c
			if stopped() {
				return errStopped
			}
			if c = pictures.next(); c == nil {
				return nil
			}
		}
		st.Compose(&c.frame, shown, size, o, share)
		texts.add(st, shown, frame)
		pictures.composed <- c
	}
}
