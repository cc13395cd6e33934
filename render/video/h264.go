package video

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"os/exec"
	"strings"
	"sync"
)

// ErrNoFFmpeg is returned for an MP4 where there is no ffmpeg that encodes H.264.
var ErrNoFFmpeg = errors.New("an MP4 needs ffmpeg with an H.264 encoder, and none was found: install it (apt install ffmpeg), or write a .gif")

// findFFmpeg returns the path of ffmpeg and the arguments that select its first H.264 encoder.
var findFFmpeg = sync.OnceValues(func() ([]string, error) {
	path, err := exec.LookPath("ffmpeg")
	if err != nil {
		return nil, ErrNoFFmpeg
	}
	list, err := exec.Command(path, "-hide_banner", "-nostdin", "-encoders").Output()
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
})

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
}

func newH264(f Format) (Writer, error) {
	encoder, err := findFFmpeg()
	if err != nil {
		return nil, err
	}
	args := []string{"-hide_banner", "-loglevel", "error", "-y",
		"-f", "rawvideo", "-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-s", fmt.Sprintf("%dx%d", f.W, f.H), "-r", fmt.Sprint(f.FPS), "-i", "pipe:0"}
	args = append(args, encoder[1:]...)
	args = append(args,
		// One key frame a second, each at the start of a fragment that is written at once: a video
		// that is never closed still plays.
		"-g", fmt.Sprint(f.FPS), "-pix_fmt", "yuv420p", "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
		"-movflags", "+frag_keyframe+empty_moov+default_base_moof", "-flush_packets", "1",
		"-fflags", "+bitexact", "-flags:v", "+bitexact", "-f", "mp4", "file:"+f.File)
	h := &h264Writer{w: f.W, h: f.H, yuv: make([]byte, f.W*f.H*3/2)}
	h.cmd = exec.Command(encoder[0], args...)
	h.cmd.Stderr = &h.stderr
	if h.stdin, err = h.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := h.cmd.Start(); err != nil {
		return nil, fmt.Errorf("ffmpeg: %w", err)
	}
	return h, nil
}

func (h *h264Writer) Add(im *image.RGBA) error {
	toYUV(h.yuv, im)
	if _, err := h.stdin.Write(h.yuv); err != nil {
		return h.wrapError(err)
	}
	return nil
}

func (h *h264Writer) Close() error {
	err := errors.Join(h.stdin.Close(), h.cmd.Wait())
	if err != nil {
		return h.wrapError(err)
	}
	return nil
}

// wrapError adds ffmpeg's own message.
func (h *h264Writer) wrapError(err error) error {
	h.stdin.Close()
	h.cmd.Wait() // its message is complete after that; a second Wait does no harm
	if s := strings.TrimSpace(h.stderr.String()); s != "" {
		return fmt.Errorf("ffmpeg: %s", strings.ReplaceAll(s, "\n", "; "))
	}
	return fmt.Errorf("ffmpeg: %w", err)
}

// toYUV converts a picture to the planes of yuv420p, BT.709 in limited range. Four pixels share the mean of
// their chroma.
func toYUV(dst []byte, im *image.RGBA) {
	w, h := im.Rect.Dx(), im.Rect.Dy()
	y, u, v := dst[:w*h], dst[w*h:w*h+w*h/4], dst[w*h+w*h/4:]
	for j := 0; j < h; j += 2 {
		a, b := im.Pix[j*im.Stride:], im.Pix[(j+1)*im.Stride:]
		for i := 0; i < w; i += 2 {
			var r, g, bl int32
			for k, p := range [4][]byte{a[4*i:], a[4*i+4:], b[4*i:], b[4*i+4:]} {
				pr, pg, pb := int32(p[0]), int32(p[1]), int32(p[2])
				r, g, bl = r+pr, g+pg, bl+pb
				y[(j+k/2)*w+i+k%2] = uint8((11966*pr + 40254*pg + 4064*pb + 16<<16 + 1<<15) >> 16)
			}
			c := j/2*(w/2) + i/2
			u[c] = uint8((-6596*r - 22189*g + 28784*bl + 4*128<<16 + 1<<17) >> 18)
			v[c] = uint8((28784*r - 26145*g - 2639*bl + 4*128<<16 + 1<<17) >> 18)
		}
	}
}
