// Package recorder makes videos of sessions. A film is not read back from a
// screen: its session is run again, tick by tick, and each picture is drawn
// from it, faster or slower than it happened and at any size, so no picture is
// dropped and it looks the same wherever it is made.
package recorder

import (
	"errors"
	"fmt"
	"image"

	"ghostcube/predict/lab"
	"ghostcube/render/raster"
	"ghostcube/render/video"
	"ghostcube/sim"
	"ghostcube/ui/stage"
)

// Job is a film to be made.
type Job struct {
	Lab       *lab.Lab     // at the beginning; it is run on
	Stage     *stage.Stage // as the lab has been seen so far; nil: not yet
	Entries   []lab.Entry  // what happens, one a tick
	SkipTicks int          // of those, how many pass before the first picture, for cameras to settle
	Title     string
	Footer    string
	NoHUD     bool
	Format    video.Format

	// Progress is told how many of Entries have been shot. It may be nil.
	Progress func(done int)
	// Stop ends the film early, whole, when it is closed. It may be nil.
	Stop <-chan struct{}
}

// Result is what came of a shot.
type Result struct {
	FrameCount int
	LastFrame  *image.RGBA // the last picture
}

// Painter draws whole pictures of sessions, without a graphics card.
type Painter struct {
	raster raster.Painter
	frame  stage.Frame
}

// Paint draws the session as the stage has seen it into im.
func (p *Painter) Paint(im *image.RGBA, s *stage.Stage, l *lab.Lab, o stage.Options, share float32) {
	s.Compose(&p.frame, l, stage.Rect{W: im.Rect.Dx(), H: im.Rect.Dy()}, o, share)
	p.PaintViews(im, p.frame.Viewports, 1)
	raster.DrawOverlay(im, &p.frame.Overlay)
}

// PaintViews draws the views of a composed picture into im, without what lies
// over them, so many times smaller each way.
func (p *Painter) PaintViews(im *image.RGBA, views []stage.Viewport, smaller int) {
	k := smaller
	for i := range views {
		v := &views[i]
		r := image.Rect(v.X/k, v.Y/k, (v.X+v.W+k-1)/k, (v.Y+v.H+k-1)/k).Add(im.Rect.Min).Intersect(im.Rect)
		p.raster.Draw(im.SubImage(r).(*image.RGBA), &v.Scene, &v.Camera)
	}
}

// Record makes the film and closes it.
func Record(s *Job) (Result, error) {
	out, err := video.Create(s.Format)
	if err != nil {
		return Result{}, err
	}
	r, err := s.record(out)
	return r, errors.Join(err, out.Close())
}

func (s *Job) record(out video.Writer) (r Result, err error) {
	st := s.Stage
	if st == nil {
		st = &stage.Stage{}
	}
	var painter Painter
	rate, fps := float64(s.Lab.Config().Rate), float64(s.Format.FPS)
	done := 0
	var held sim.Input
	tick := func() error {
		e := s.Entries[done]
		done++
		for _, c := range e.Commands {
			if err := stage.CheckCommand(c); err != nil {
				return fmt.Errorf("tick %d: %s: %w", s.Lab.Ticks(), c, err)
			}
		}
		if err := s.Lab.Tick(e); err != nil {
			return err
		}
		if held = (sim.Input{}); len(e.Inputs) > 0 {
			held = e.Inputs[0]
		}
		st.Tick(s.Lab)
		if s.Progress != nil {
			s.Progress(done)
		}
		return nil
	}
	for done < min(s.SkipTicks, len(s.Entries)) {
		if err := tick(); err != nil {
			return r, err
		}
	}
	first := done
	r.LastFrame = image.NewRGBA(image.Rect(0, 0, s.Format.W, s.Format.H))
	// A picture shows the moment at its end: one a tick where the rates are the
	// same. at is that moment, in ticks.
	const hair = 1e-6
	for at := float64(first); ; {
		at += rate * stage.SettingsOf(s.Lab).Speed / fps
		select {
		case <-s.Stop:
			return r, nil
		default:
		}
		for float64(done) < at-hair {
			if done == len(s.Entries) {
				return r, nil
			}
			if err := tick(); err != nil {
				return r, err
			}
		}
		o := stage.Options{Title: s.Title, Footer: s.Footer, NoOverlay: s.NoHUD, Input: held}
		painter.Paint(r.LastFrame, st, s.Lab, o, float32(min(at-float64(done)+1, 1)))
		if err := out.Add(r.LastFrame); err != nil {
			return r, err
		}
		r.FrameCount++
	}
}
