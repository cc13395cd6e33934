// Package video writes pictures to files: WebM, animated GIFs and numbered PNGs by itself, H.264 in MP4 through
// ffmpeg. A video gets its name when it is whole. If the program is killed, what it has written plays up to the last
// second, under a temporary name. The package knows nothing of sessions; ui/recorder makes the pictures.
package video

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ghostcube/internal/atomicfile"
)

// Writer writes pictures of one size, in order.
type Writer interface {
	// Add appends a picture. The caller may change it afterwards.
	Add(im *image.RGBA) error

	// Close ends the video, and returns its files, which are whole and wait for atomicfile.Commit. No Add may follow. If
	// the video could not be written there are none: a part of it that plays is left under its temporary name.
	Close() ([]*atomicfile.File, error)
}

// Format describes a video.
type Format struct {
	File string // clip.webm, clip.mp4, clip.gif, a pattern such as frames/%05d.png, or still.png for the last picture alone
	W, H int    // pixels
	FPS  int    // frames per second

	Unnamed bool // the name is the program's choice, so no file is replaced: atomicfile.CreateUnnamed
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

// create starts the file of a name.
func (f *Format) create(name string) (*atomicfile.File, error) {
	if f.Unnamed {
		return atomicfile.CreateUnnamed(name, nil)
	}
	return atomicfile.Create(name)
}

// Create starts a video. It creates missing folders.
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
	first := f.File
	if !f.Still() {
		first = fmt.Sprintf(f.File, 0)
	}
	try, err := f.create(first) // rather than at the end
	if err == nil {
		err = try.Discard()
	}
	switch {
	case err != nil:
		return nil, err
	case f.Still():
		return &still{format: f}, nil
	}
	return &pngSequence{format: f}, nil
}

// still writes the last picture, compressed as far as possible, when it is closed.
type still struct {
	format Format
	last   *image.RGBA // nil: there was none
}

func (s *still) Add(im *image.RGBA) error {
	if s.last == nil {
		s.last = image.NewRGBA(im.Rect)
	}
	copy(s.last.Pix, im.Pix)
	return nil
}

func (s *still) Close() ([]*atomicfile.File, error) {
	if s.last == nil {
		return nil, fmt.Errorf("%s: there is no picture to write", s.format.File)
	}
	f, err := s.format.create(s.format.File)
	if err == nil {
		err = f.Fill(encodePNG(s.last, png.BestCompression))
	}
	if err != nil {
		return nil, err
	}
	return []*atomicfile.File{f}, nil
}

// pngSequence writes each picture to its own file. All get their names at the end, so two sequences that are written
// at the same time do not mix.
type pngSequence struct {
	format Format
	files  []*atomicfile.File
	failed bool
}

func (p *pngSequence) Add(im *image.RGBA) error {
	f, err := p.format.create(fmt.Sprintf(p.format.File, len(p.files)))
	if err == nil {
		p.files = append(p.files, f)
		if err = f.Fill(encodePNG(im, png.BestSpeed)); err == nil {
			err = f.Close() // there may be more files than a program can have open
		}
	}
	p.failed = err != nil
	return err
}

func (p *pngSequence) Close() ([]*atomicfile.File, error) {
	if !p.failed {
		return p.files, nil
	}
	return nil, atomicfile.Discard(p.files...) // room for what else is on the disk
}

// WritePNG starts a file with a picture, whose name is the program's choice.
func WritePNG(name string, im *image.RGBA) (*atomicfile.File, error) {
	f, err := atomicfile.CreateUnnamed(name, nil)
	if err == nil {
		err = f.Fill(encodePNG(im, png.BestSpeed))
	}
	return f, err
}

// unfinished adds to an error how much of a video there is, and where.
func unfinished(err error, file *atomicfile.File, frames, fps int) error {
	if frames == 0 {
		return fmt.Errorf("%w: no part of the video was written", err)
	}
	return fmt.Errorf("%w: the first %.1f s of the video are in %s", err, float64(frames)/float64(fps), file.Part())
}

// keep leaves a part of a video that plays, or discards one that does not.
func keep(file *atomicfile.File, plays bool) {
	if plays {
		file.Leave()
	} else {
		file.Discard()
	}
}

// encodePNG returns a function that writes a picture.
func encodePNG(im *image.RGBA, level png.CompressionLevel) func(io.Writer) error {
	return func(w io.Writer) error {
		e := png.Encoder{CompressionLevel: level}
		return e.Encode(w, im)
	}
}
