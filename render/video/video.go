// Package video writes pictures to files: an H.264 video through ffmpeg where
// there is one, an animated GIF or single PNG pictures with nothing installed.
// Whatever it writes is whole up to the last second if the program is killed.
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

// Writer takes pictures of one size, one after the other.
type Writer interface {
	// Add appends a picture. It is copied.
	Add(im *image.RGBA) error

	// Close ends the film. No Add follows.
	Close() error
}

// Format says how a film is to be written.
type Format struct {
	File string // clip.mp4, clip.gif, or a pattern such as frames/%05d.png
	W, H int    // pixels
	FPS  int    // pictures a second
}

// Bounds of what a film may be.
const (
	MinSide, MaxSide = 64, 7680 // pixels
	MinFPS, MaxFPS   = 1, 240
)

var frameNumberPattern = regexp.MustCompile(`%0?\d*d`)

// Validate reports what is wrong with a format, before anything is written.
func (f *Format) Validate() error {
	if f.W < MinSide || f.W > MaxSide || f.H < MinSide || f.H > MaxSide {
		return fmt.Errorf("a picture of %dx%d: want sides of %d to %d pixels", f.W, f.H, MinSide, MaxSide)
	}
	if f.FPS < MinFPS || f.FPS > MaxFPS {
		return fmt.Errorf("%d pictures a second: want %d to %d", f.FPS, MinFPS, MaxFPS)
	}
	switch strings.ToLower(filepath.Ext(f.File)) {
	case ".mp4":
		if f.W%2 != 0 || f.H%2 != 0 {
			return fmt.Errorf("an mp4 of %dx%d: its sides must be even", f.W, f.H)
		}
		_, err := findFFmpeg()
		return err
	case ".gif":
		if 100%f.FPS != 0 && f.FPS != 33 {
			return fmt.Errorf("a GIF of %d pictures a second: want 10, 20, 25, 33 or 50 (its clock has hundredths)", f.FPS)
		}
		return nil
	case ".png":
		if len(frameNumberPattern.FindAllString(f.File, -1)) != 1 || strings.Count(f.File, "%") != 1 {
			return fmt.Errorf("%s: want a place for the number in the name, such as frames/%%05d.png", f.File)
		}
		return nil
	}
	return fmt.Errorf("%s: want a name that ends in .mp4, .gif or %%05d.png", f.File)
}

// Create begins a film. Folders that are missing are made.
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
	case ".mp4":
		return newH264(f)
	case ".gif":
		return newGIF(f)
	}
	return &pngSequence{pathPattern: f.File}, nil
}

// pngSequence writes each picture to a file of its own.
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

// WritePNG writes one picture.
func WritePNG(name string, im *image.RGBA) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	return errors.Join(e.Encode(f, im), f.Close())
}
