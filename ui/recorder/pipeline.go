package recorder

import (
	"image"

	"ghostcube/render/video"
	"ghostcube/ui/hud"
)

// pipeline paints pictures and writes them to a video, in order, while the session goes on: at any time one is
// composed, one painted and one written. What a picture shows does not depend on which of them is the faster.
type pipeline struct {
	free     chan *picture // to be composed
	composed chan *picture
	painted  chan *picture
	failed   chan struct{} // closed when the video cannot be written
	finished chan struct{} // closed when everything is written
	result   Result        // of finished
	err      error         // of finished
}

// picture is a picture on its way into the video.
type picture struct {
	frame hud.Frame
	image *image.RGBA
}

// picturesAtWork is the number of pictures of a pipeline: one for each of its stages.
const picturesAtWork = 3

// newPipeline starts a pipeline for pictures of w by h pixels.
func newPipeline(w, h int, out video.Writer) *pipeline {
	p := &pipeline{
		free: make(chan *picture, picturesAtWork), composed: make(chan *picture, picturesAtWork), painted: make(chan *picture, picturesAtWork),
		failed: make(chan struct{}), finished: make(chan struct{}),
	}
	for range picturesAtWork {
		c := &picture{image: image.NewRGBA(image.Rect(0, 0, w, h))}
		p.free <- c
		p.result.LastFrame = c.image
	}
	go p.paint()
	go p.write(out)
	return p
}

// next returns a picture to be composed and sent to p.composed, or nil if the video cannot be written.
func (p *pipeline) next() *picture {
	select {
	case c := <-p.free:
		return c
	case <-p.failed:
		return nil
	}
}

// finish waits until all pictures are written.
func (p *pipeline) finish() (Result, error) {
	close(p.composed)
	<-p.finished
	return p.result, p.err
}

// paint paints the composed pictures.
func (p *pipeline) paint() {
	var painter Painter
	for c := range p.composed {
		painter.paint(c.image, &c.frame)
		p.painted <- c
	}
	close(p.painted)
}

// write writes the painted pictures, up to the first error.
func (p *pipeline) write(out video.Writer) {
	for c := range p.painted {
		if p.err != nil {
			continue
		}
		if p.err = out.Add(c.image); p.err != nil {
			close(p.failed)
			continue
		}
		p.result.FrameCount++
		p.result.LastFrame = c.image
		p.free <- c
	}
	close(p.finished)
}
