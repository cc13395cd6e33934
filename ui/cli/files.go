package cli

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ghostcube/internal/atomicfile"
)

// checkOutput returns an error if there is a file of the name that the command is to write, the value of a flag: no command replaces
// a file of the user. Call it before the command does anything else. Devices and pipes are written.
func (p *program) checkOutput(flag, name string) error {
	if err := p.checkRead(flag, name); err != nil {
		return err
	}
	if out, err := os.Stat(name); err == nil && out.Mode().IsRegular() && !strings.HasPrefix(name, "/dev/") {
		return existsError(flag, name)
	}
	return nil
}

// existsError is the error of a name, the value of a flag, that a file has already.
func existsError(flag, name string) error {
	return usageError{fmt.Errorf("%s %s: there is a file of this name, and no command replaces one: want another name", flag, name)}
}

// checkRead returns an error if a file that the command is to write, the value of a flag, is one that it reads. Links count as the
// file behind them.
func (p *program) checkRead(flag, name string) error {
	out, err := os.Stat(name)
	if err != nil {
		return nil
	}
	for _, read := range p.library.Files {
		if in, err := os.Stat(read); err == nil && out.Mode().IsRegular() && os.SameFile(in, out) {
			return usageError{fmt.Errorf("%s %s: the command reads this file: want another name", flag, name)}
		}
	}
	return nil
}

// checkFrames is checkOutput for numbered images.
func (p *program) checkFrames(flag, pattern string) error {
	folder, name := filepath.Split(pattern)
	at := frameNumberPattern.FindStringIndex(name)
	if at == nil {
		return p.checkOutput(flag, pattern)
	}
	entries, err := os.ReadDir(filepath.Clean(folder))
	if err != nil {
		return nil // there is none yet
	}
	for _, e := range entries {
		x := e.Name()
		number, isBegun := strings.CutPrefix(x, name[:at[0]])
		number, isWhole := strings.CutSuffix(number, name[at[1]:])
		if !isBegun || !isWhole || !isFrameNumber(number) {
			continue
		}
		if err := p.checkRead(flag, folder+x); err != nil {
			return err
		}
		return existsError(flag, folder+x)
	}
	return nil
}

// isFrameNumber reports whether text can be the number in the name of a numbered image.
func isFrameNumber(text string) bool {
	digits := strings.TrimLeft(text, "-_ ")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// mark appends the line by which the program recognises a text that it has written beside a video, if nobody has
// changed it since. comment begins a comment in that text.
func mark(text []byte, comment, video string) []byte {
	sum := sha256.Sum256(text)
	return fmt.Appendf(text, "%s written beside %q, checksum %x\n", comment, filepath.Base(video), sum[:8])
}

// maxMarked bounds the files in which a mark is looked for, in bytes.
const maxMarked = 64 << 20

// marked reports whether a file has the mark of a video.
func marked(file, comment, video string) bool {
	if info, err := os.Stat(file); err != nil || info.Size() > maxMarked {
		return false
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	last := bytes.LastIndexByte(bytes.TrimSuffix(b, []byte("\n")), '\n') + 1
	return bytes.Equal(mark(bytes.Clone(b[:last]), comment, video), b)
}

// createBeside starts a text beside a video. It replaces no file but the one that it has written beside the same video, and
// not even that one if the command reads it.
func (p *program) createBeside(video, name, comment string, write func(io.Writer) error) (*atomicfile.File, error) {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return nil, err
	}
	f, err := atomicfile.CreateUnnamed(name, func(existing string) bool {
		return marked(existing, comment, video) && p.checkRead("", existing) == nil
	})
	if err != nil {
		return nil, err
	}
	return f, f.Fill(func(w io.Writer) error {
		_, err := w.Write(mark(text.Bytes(), comment, video))
		return err
	})
}

// createFilled starts a file whose name is the program's choice.
func createFilled(name string, write func(io.Writer) error) (*atomicfile.File, error) {
	f, err := atomicfile.CreateUnnamed(name, nil)
	if err != nil {
		return nil, err
	}
	return f, f.Fill(write)
}
