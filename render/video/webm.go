package video

import (
	"errors"
	"image"

	"ghostcube/internal/atomicfile"
	"ghostcube/render/video/vp8"
	"ghostcube/render/video/webm"
)

// webmQuality is the quantiser index of VP8 in WebM files.
const webmQuality = 26

// keySeconds is the time between key frames, to which players can jump.
const keySeconds = 4

// waitingPictures is the number of pictures that may wait for the encoder.
const waitingPictures = 2

// webmWriter encodes pictures as VP8 while the next ones are made.
type webmWriter struct {
	file    *atomicfile.File
	out     *webm.Writer
	encoder *vp8.Encoder
	fps     int

	free, waiting chan *image.RGBA
	finished      chan struct{} // closed when err is final
	failed        chan struct{} // closed at the first error
	err           error
}

func newWebM(f Format) (Writer, error) {
	file, err := f.create(f.File)
	if err != nil {
		return nil, err
	}
	w := &webmWriter{file: file, fps: f.FPS}
	if w.out, err = webm.NewWriter(file, webm.Track{Codec: "V_VP8", W: f.W, H: f.H, FPS: f.FPS, App: "ghostcube"}); err != nil {
		return nil, errors.Join(err, file.Discard())
	}
	w.encoder = vp8.NewEncoder(vp8.Config{W: f.W, H: f.H, Quality: webmQuality, KeyInterval: keySeconds * f.FPS})
	w.free, w.waiting = make(chan *image.RGBA, waitingPictures), make(chan *image.RGBA, waitingPictures)
	w.finished, w.failed = make(chan struct{}), make(chan struct{})
	for range waitingPictures {
		w.free <- image.NewRGBA(image.Rect(0, 0, f.W, f.H))
	}
	go w.encode(image.NewYCbCr(image.Rect(0, 0, f.W, f.H), image.YCbCrSubsampleRatio420))
	return w, nil
}

// encode encodes pictures until there are no more.
func (w *webmWriter) encode(yuv *image.YCbCr) {
	defer close(w.finished)
	var data []byte
	for im := range w.waiting {
		if w.err == nil {
			bt601.convert(yuv.Y, yuv.Cb, yuv.Cr, im)
			var key bool
			data, key = w.encoder.Encode(data[:0], yuv)
			if w.err = w.out.Frame(data, key); w.err != nil {
				close(w.failed)
			}
		}
		w.free <- im
	}
}

func (w *webmWriter) Add(im *image.RGBA) error {
	select {
	case <-w.failed:
		return w.wrapError()
	case mine := <-w.free:
		copyPixels(mine, im)
		w.waiting <- mine
		return nil
	}
}

func (w *webmWriter) Close() ([]*atomicfile.File, error) {
	close(w.waiting)
	<-w.finished
	first := w.err // Add has returned it
	if w.err = w.out.Close(); w.err == nil && first == nil {
		return []*atomicfile.File{w.file}, nil
	}
	err := w.wrapError()
	keep(w.file, w.out.Saved() > 0)
	if first != nil {
		return nil, nil
	}
	return nil, err
}

// wrapError says how much of the video there is, and where. Errors of files name them.
func (w *webmWriter) wrapError() error { return unfinished(w.err, w.file, w.out.Saved(), w.fps) }

// copyPixels copies a picture of the same size.
func copyPixels(dst, src *image.RGBA) {
	w, h := 4*src.Rect.Dx(), src.Rect.Dy()
	for y := range h {
		copy(dst.Pix[y*dst.Stride:][:w], src.Pix[y*src.Stride:][:w])
	}
}
