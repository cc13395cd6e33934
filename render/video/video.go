// Package video writes pictures to files: WebM, animated GIFs and numbered PNGs by itself, H.264 in MP4 through
// ffmpeg. If the program is killed, what it has written plays up to the last second. The
// package knows nothing of sessions; ui/recorder makes the pictures.
package video

import (
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Writer writes pictures of one size, in order.
type Writer interface {
	// Add appends a picture. The caller may change it afterwards.
	Add(im *image.RGBA) error

	// Close ends the video. No Add may follow.
	Close() error
}

// Format describes a video.
type Format struct {
	File string // clip.webm, clip.mp4, clip.gif, a pattern such as frames/%05d.png, or still.png for the last picture alone
	W, H int    // pixels
	FPS  int    // frames per second
}

// Bounds of a Format.
const (
	MinSide, MaxSide = 64, 7680 // pixels
	MinFPS, MaxFPS   = 1, 240   // frames per second
)

var frameNumberPattern = regexp.MustCompile(`%(0?\d)?d`)

// Validate returns why a video of this format cannot be written, or nil.
func (f *Format) Validate() error {
	if f.W < MinSide || f.W > MaxSide || f.H < MinSide || f.H > MaxSide {
		return fmt.Errorf("size %dx%d: want sides of %d to %d pixels", f.W, f.H, MinSide, MaxSide)
	}
	if f.FPS < MinFPS || f.FPS > MaxFPS {
		return fmt.Errorf("%d frames per second: want %d to %d", f.FPS, MinFPS, MaxFPS)
	}
	switch strings.ToLower(filepath.Ext(f.File)) {
	case ".webm", ".mp4":
		if f.W%2 != 0 || f.H%2 != 0 {
			return fmt.Errorf("a video of %dx%d: want even sides", f.W, f.H)
		}
		if f.webM() {
			return nil
		}
		_, err := findFFmpeg()
		return err
	case ".gif":
		if 100%f.FPS != 0 && f.FPS != 33 {
			return fmt.Errorf("a GIF of %d frames per second: want 10, 20, 25, 33 or 50, because a GIF counts hundredths of a second", f.FPS)
		}
		return nil
	case ".png":
		if !f.Still() && (len(frameNumberPattern.FindAllString(f.File, -1)) != 1 || strings.Count(f.File, "%") != 1) {
			return fmt.Errorf("%s: want one place for the frame number in the name, with at most 9 digits, such as frames/%%05d.png, or none", f.File)
		}
		return nil
	}
	return fmt.Errorf("%s: want a name that ends in .webm, .mp4, .gif or %%05d.png, or a still in .png", f.File)
}

// webM reports whether the file is a WebM.
func (f *Format) webM() bool { return strings.EqualFold(filepath.Ext(f.File), ".webm") }

// Still reports whether the file has one picture, the last one.
func (f *Format) Still() bool {
	return strings.EqualFold(filepath.Ext(f.File), ".png") && !strings.Contains(f.File, "%")
}

// Create starts a video. It creates missing folders and replaces the file.
func Create(f Format) (Writer, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if dir := filepath.Dir(f.File); dir != "." {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	switch strings.ToLower(filepath.Ext(f.File)) {
	case ".webm":
		return newWebM(f)
	case ".mp4":
		return newH264(f)
	case ".gif":
		return newGIF(f)
	}
	if f.Still() {
		return &still{name: f.File}, nil
	}
	return &pngSequence{pathPattern: f.File}, nil
}

// still writes the last picture, compressed as far as possible, when it is closed.
type still struct {
	name string
	last *image.RGBA // nil: there was none
}

func (s *still) Add(im *image.RGBA) error {
	if s.last == nil {
		s.last = image.NewRGBA(im.Rect)
	}
	copy(s.last.Pix, im.Pix)
	return nil
}

func (s *still) Close() error {
	if s.last == nil {
		return fmt.Errorf("%s: there is no picture to write", s.name)
	}
	return writePNG(s.name, s.last, png.BestCompression)
}

// pngSequence writes each picture to its own file.
type pngSequence struct {
	pathPattern string
	frameCount  int
}

func (p *pngSequence) Add(im *image.RGBA) error {
	err := WritePNG(fmt.Sprintf(p.pathPattern, p.frameCount), im)
	p.frameCount++
	return err
}

func (p *pngSequence) Close() error { return nil }

// WritePNG writes a picture to a file.
func WritePNG(name string, im *image.RGBA) error { return writePNG(name, im, png.BestSpeed) }

func writePNG(name string, im *image.RGBA, level png.CompressionLevel) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	e := png.Encoder{CompressionLevel: level}
	return errors.Join(e.Encode(f, im), f.Close())
}
