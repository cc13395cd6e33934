package video

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ghostcube/internal/atomicfile"
	"ghostcube/internal/process"
)

// ErrNoFFmpeg is returned for an MP4 where there is no ffmpeg that encodes H.264.
var ErrNoFFmpeg = errors.New("an MP4 needs ffmpeg with an H.264 encoder, and none was found: install it (apt install ffmpeg), or write a .webm")

// timeLimits are the times after which a hanging ffmpeg is stopped.
type timeLimits struct {
	query time.Duration // to list its encoders
	stall time.Duration // without taking a picture or writing to the file, while pictures wait
}

// defaultLimits are longer than any machine needs: a picture takes ffmpeg milliseconds.
var defaultLimits = timeLimits{query: 10 * time.Second, stall: time.Minute}

// outputDelay is the time for which children of a stopped ffmpeg may keep its output open.
const outputDelay = time.Second

// findFFmpeg returns the path of ffmpeg and the arguments that select its first H.264 encoder.
var findFFmpeg = sync.OnceValues(func() ([]string, error) { return queryFFmpeg(defaultLimits) })

// queryFFmpeg asks ffmpeg for its encoders.
func queryFFmpeg(limits timeLimits) ([]string, error) {
	path, err := exec.LookPath("ffmpeg")
	if err != nil {
		return nil, ErrNoFFmpeg
	}
	ctx, cancel := context.WithTimeout(context.Background(), limits.query)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-hide_banner", "-nostdin", "-encoders")
	cmd.WaitDelay = outputDelay
	list, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s did not list its encoders within %v: %w", path, limits.query, ErrNoFFmpeg)
	}
	if err != nil {
		return nil, ErrNoFFmpeg
	}
	for _, e := range [][]string{
		{"libx264", "-preset", "veryfast", "-crf", "19"},
		{"h264_videotoolbox", "-b:v", "8M"},
		{"h264_mf", "-b:v", "8M"},
		{"libopenh264", "-b:v", "8M"},
	} {
		if strings.Contains(string(list), " "+e[0]+" ") {
			return append([]string{path, "-c:v"}, e...), nil
		}
	}
	return nil, ErrNoFFmpeg
}

// HaveH264 reports whether MP4s can be written on this machine.
func HaveH264() bool {
	_, err := findFFmpeg()
	return err == nil
}

// h264Writer pipes pictures into ffmpeg.
type h264Writer struct {
	w, h   int
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr bytes.Buffer
	yuv    []byte

	file   *atomicfile.File
	limit  time.Duration // of a stall
	busy   atomic.Bool   // ffmpeg has to take a picture, or to finish the file
	taken  atomic.Int64  // pictures
	failed atomic.Bool   // the caller knows that the video could not be written
	hung   atomic.Bool   // ffmpeg was stopped because it made no progress
	closed chan struct{} // closed by Close
}

func newH264(f Format) (Writer, error) {
	encoder, err := findFFmpeg()
	if err != nil {
		return nil, err
	}
	return startH264(f, encoder, defaultLimits)
}

// startH264 starts an encoder of findFFmpeg.
func startH264(f Format, encoder []string, limits timeLimits) (_ Writer, err error) {
	file, err := f.create(f.File)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Discard())
		}
	}()
	args := []string{"-hide_banner", "-loglevel", "error", "-y",
		"-f", "rawvideo", "-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-s", fmt.Sprintf("%dx%d", f.W, f.H), "-r", fmt.Sprint(f.FPS), "-i", "pipe:0"}
	args = append(args, encoder[1:]...)
	args = append(args,
		// One key frame a second, each at the start of a fragment that is written at once: a video
		// that is never closed still plays.
		"-g", fmt.Sprint(f.FPS), "-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-movflags", "+frag_keyframe+empty_moov+default_base_moof", "-flush_packets", "1",
		"-fflags", "+bitexact", "-flags:v", "+bitexact", "-f", "mp4", "file:"+file.Part())
	h := &h264Writer{w: f.W, h: f.H, yuv: make([]byte, f.W*f.H*3/2), file: file, limit: limits.stall, closed: make(chan struct{})}
	h.cmd = exec.Command(encoder[0], args...)
	h.cmd.Stderr, h.cmd.WaitDelay = &h.stderr, outputDelay
	process.OwnGroup(h.cmd)
	if h.stdin, err = h.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := h.cmd.Start(); err != nil {
		return nil, fmt.Errorf("ffmpeg: %w", err)
	}
	go h.watch()
	return h, nil
}

// watch stops ffmpeg if it makes no progress although it is busy.
func (h *h264Writer) watch() {
	const looks = 8 // in a limit
	tick := time.NewTicker(h.limit / looks)
	defer tick.Stop()
	type progress struct{ pictures, bytes int64 }
	last, still := progress{}, 0
	for {
		select {
		case <-h.closed:
			return
		case <-tick.C:
		}
		now := progress{h.taken.Load(), h.fileSize()}
		if still++; !h.busy.Load() || now != last {
			last, still = now, 0
		}
		if still >= looks {
			h.hung.Store(true)
			h.cmd.Process.Kill()
			h.stdin.Close() // a child of ffmpeg may keep the other end open
			return
		}
	}
}

// fileSize returns the bytes in the file so far.
func (h *h264Writer) fileSize() int64 {
	info, err := os.Stat(h.file.Part())
	if err != nil {
		return 0
	}
	return info.Size()
}

func (h *h264Writer) Add(im *image.RGBA) error {
	n := h.w * h.h
	bt709.convert(h.yuv[:n], h.yuv[n:n+n/4], h.yuv[n+n/4:], im)
	h.busy.Store(true)
	defer h.busy.Store(false)
	if _, err := h.stdin.Write(h.yuv); err != nil {
		return h.wrapError(err)
	}
	h.taken.Add(1)
	return nil
}

func (h *h264Writer) Close() ([]*atomicfile.File, error) {
	h.busy.Store(true)
	defer close(h.closed)
	if h.failed.Load() { // Add has returned it
		return nil, nil
	}
	if err := errors.Join(h.stdin.Close(), h.cmd.Wait()); err != nil {
		return nil, h.wrapError(err)
	}
	return []*atomicfile.File{h.file}, nil
}

// cutToFragments cuts the file after its last whole fragment, because players refuse a partial fragment. It reports
// whether there is one, so that the file plays.
func (h *h264Writer) cutToFragments() bool {
	f, err := os.OpenFile(h.file.Part(), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	size := h.fileSize()
	end, last := int64(0), ""
	for at := int64(0); ; {
		var head [8]byte // of a box: size and type
		if _, err := f.ReadAt(head[:], at); err != nil {
			break
		}
		n := int64(binary.BigEndian.Uint32(head[:]))
		if n < int64(len(head)) || at+n > size {
			break
		}
		at += n
		if last == "moof" && string(head[4:]) == "mdat" {
			end = at
		}
		last = string(head[4:])
	}
	return end > 0 && f.Truncate(end) == nil
}

// wrapError adds ffmpeg's own message, and says how much of the video there is, and where.
func (h *h264Writer) wrapError(err error) error {
	h.failed.Store(true)
	h.stdin.Close()
	exit := new(exec.ExitError)         // says more than a broken pipe
	if errors.As(h.cmd.Wait(), &exit) { // its message is complete after that; a second Wait does no harm
		err = exit
	}
	plays, what := h.cutToFragments(), fmt.Sprintf("no part of %s was written", h.file.Name())
	if plays {
		what = fmt.Sprintf("%s was not finished: %s plays up to the last second that was written", h.file.Name(), h.file.Part())
	}
	keep(h.file, plays)
	s := strings.TrimSpace(h.stderr.String())
	switch {
	case h.hung.Load():
		return fmt.Errorf("ffmpeg made no progress for %v and was stopped: %s", h.limit, what)
	case s != "":
		return fmt.Errorf("ffmpeg: %s: %s", strings.ReplaceAll(s, "\n", "; "), what)
	}
	return fmt.Errorf("ffmpeg: %w: %s", err, what)
}
