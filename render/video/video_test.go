package video

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	stdgif "image/gif"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/atomicfile"
	"ghostcube/internal/experiment"
)

// testFrame returns frame i of a test video: a gradient of greys with a red square that moves in two of
// three frames.
func testFrame(w, h, i int) *image.RGBA {
	im := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			im.SetRGBA(x, y, color.RGBA{uint8(60 + 120*y/h), uint8(70 + 120*y/h), uint8(80 + 120*y/h), 255})
		}
	}
	at := (i - i/3) * 3 % (w - 20)
	for y := 10; y < 30; y++ {
		for x := at; x < at+20; x++ {
			im.SetRGBA(x, y, color.RGBA{230, 4, 4, 255})
		}
	}
	return im
}

// startVideo begins a video with n frames.
func startVideo(t *testing.T, f Format, n int) Writer {
	t.Helper()
	w, err := Create(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := w.Add(testFrame(f.W, f.H, i)); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func writeFrames(t *testing.T, f Format, n int) {
	t.Helper()
	finish(t, startVideo(t, f, n))
}

// finish ends a video and gives it its name.
func finish(t *testing.T, w Writer) {
	t.Helper()
	files, err := w.Close()
	if err == nil {
		err = atomicfile.Commit(files...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestGIF promises that the standard library's reader finds every frame in a GIF, at its time and as it was
// but for the palette, although only changes are written.
func TestGIF(t *testing.T) {
	for _, fps := range []int{10, 25, 33, 50} {
		f := Format{File: filepath.Join(t.TempDir(), "a", "clip.gif"), W: 160, H: 90, FPS: fps}
		writeFrames(t, f, 12)
		file, err := os.ReadFile(f.File)
		if err != nil {
			t.Fatal(err)
		}
		g, err := stdgif.DecodeAll(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Image) != 12 || g.Config.Width != 160 || g.LoopCount != 0 {
			t.Fatalf("%d frames of width %d, loop %d", len(g.Image), g.Config.Width, g.LoopCount)
		}
		shown := image.NewRGBA(image.Rect(0, 0, 160, 90))
		for i, p := range g.Image {
			if g.Delay[i] != (100+fps/2)/fps {
				t.Errorf("frame %d lasts %d hundredths of a second at %d fps", i, g.Delay[i], fps)
			}
			for y := p.Rect.Min.Y; y < p.Rect.Max.Y; y++ {
				for x := p.Rect.Min.X; x < p.Rect.Max.X; x++ {
					if c := p.At(x, y); c != (color.RGBA{}) {
						shown.Set(x, y, c)
					}
				}
			}
			want := testFrame(160, 90, i)
			for j := 0; j < len(shown.Pix); j += 4 {
				if got, want := shown.Pix[j:j+4], want.Pix[j:j+4]; !near(got, want, 24) {
					t.Fatalf("frame %d: byte %d: %v, want %v", i, j, got, want)
				}
			}
		}
		if i := 4; g.Image[i].Rect.Dx() > 60 || g.Image[i].Rect.Dy() > 20 {
			t.Errorf("frame %d covers %v", i, g.Image[i].Rect)
		}
	}
}

// TestGIFUnfinished promises that a GIF whose writer was killed is one of all pictures so far, and that the file of its
// name is as it was.
func TestGIFUnfinished(t *testing.T) {
	f := Format{File: filepath.Join(t.TempDir(), "clip.gif"), W: 160, H: 90, FPS: 25}
	if err := os.WriteFile(f.File, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Create(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 7 {
		if err := w.Add(testFrame(f.W, f.H, i)); err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(w.(*gifWriter).file.Part())
		if err != nil {
			t.Fatal(err)
		}
		if g, err := stdgif.DecodeAll(bytes.NewReader(file)); err != nil || len(g.Image) != i+1 {
			t.Fatalf("after %d pictures: %v", i+1, err)
		}
	}
	if b, err := os.ReadFile(f.File); string(b) != "mine" {
		t.Errorf("%q, %v", b, err)
	}
	finish(t, w)
	if file, err := os.ReadFile(f.File); err != nil || !bytes.HasPrefix(file, []byte("GIF89a")) {
		t.Error(err)
	}
}

// TestPNGSequence promises that single pictures get numbers, keep every pixel, and get their names together.
func TestPNGSequence(t *testing.T) {
	f := Format{File: filepath.Join(t.TempDir(), "frames", "p%03d.png"), W: 64, H: 64, FPS: 60}
	w := startVideo(t, f, 3)
	if list, _ := filepath.Glob(filepath.Join(filepath.Dir(f.File), "p00?.png")); len(list) > 0 {
		t.Errorf("%v have their names before the sequence is whole", list)
	}
	finish(t, w)
	for i := range 3 {
		r, err := os.Open(fmt.Sprintf(f.File, i))
		if err != nil {
			t.Fatal(err)
		}
		im, err := png.Decode(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		want := testFrame(64, 64, i)
		for y := range 64 {
			for x := range 64 {
				if im.At(x, y) != want.At(x, y) {
					t.Fatalf("frame %d differs at %d, %d", i, x, y)
				}
			}
		}
	}
}

func requireFFprobe(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"ffmpeg", "ffprobe"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
}

func requireFFmpeg(t *testing.T) {
	t.Helper()
	if requireFFprobe(t); !HaveH264() {
		t.Skip("ffmpeg has no H.264 encoder")
	}
}

// near reports whether two colours differ by at most a tolerance in each component.
func near[T uint8 | int](a, b []T, tolerance int) bool {
	for i := range b {
		if d := int(a[i]) - int(b[i]); d > tolerance || d < -tolerance {
			return false
		}
	}
	return true
}

// probeVideo returns what ffprobe finds in a file; the number of frames comes last.
func probeVideo(t *testing.T, file string) string {
	t.Helper()
	out, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0",
		"-show_entries", "stream=nb_read_frames,width,height,codec_name,color_space,r_frame_rate", "-of", "csv=p=0", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestH264 promises that an MP4 has every frame, at its rate and in its colours.
func TestH264(t *testing.T) {
	experiment.Skip(t)
	requireFFmpeg(t)
	f := Format{File: filepath.Join(t.TempDir(), "clip.mp4"), W: 160, H: 90, FPS: 60}
	writeFrames(t, f, 90)
	if got := probeVideo(t, f.File); got != "h264,160,90,bt709,60/1,90" {
		t.Error(got)
	}
	raw, err := exec.Command("ffmpeg", "-v", "error", "-nostdin", "-i", f.File, "-vf", "scale=in_color_matrix=bt709:in_range=tv",
		"-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgba", "-").Output()
	if err != nil || len(raw) != 160*90*4 {
		t.Fatalf("%d bytes, %v", len(raw), err)
	}
	want := testFrame(160, 90, 0)
	for _, at := range [][2]int{{10, 20}, {100, 80}, {100, 45}} {
		k := want.PixOffset(at[0], at[1])
		if !near(raw[k:k+3], want.Pix[k:k+3], 12) {
			t.Errorf("at %v: %v, want %v", at, raw[k:k+3], want.Pix[k:k+3])
		}
	}
}

// TestH264Killed promises that a video whose writer was killed plays up to its last second.
func TestH264Killed(t *testing.T) {
	experiment.Skip(t)
	requireFFmpeg(t)
	f := Format{File: filepath.Join(t.TempDir(), "clip.mp4"), W: 160, H: 90, FPS: 30}
	w := startVideo(t, f, 300)
	h := w.(*h264Writer)
	// The encoder looks ahead, so wait until some of it is written.
	for range 100 {
		if info, err := os.Stat(h.file.Part()); err == nil && info.Size() > 2000 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	time.Sleep(500 * time.Millisecond)
	if err := h.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err == nil {
		t.Error("a killed writer closes without an error")
	}
	if _, err := os.Stat(f.File); err == nil {
		t.Error("a video that is not whole has its name")
	}
	got := probeVideo(t, h.file.Part())
	var n int
	if fmt.Sscanf(got[strings.LastIndex(got, ",")+1:], "%d", &n); n < 150 {
		t.Errorf("%d of 300 frames can be read", n)
	}
}

// TestValidate checks that Validate refuses formats that cannot be written and names the allowed values, and
// that Create refuses the same.
func TestValidate(t *testing.T) {
	good := Format{File: "a.gif", W: 640, H: 360, FPS: 25}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, side := range []int{MinSide, MaxSide} {
		for _, f := range []Format{{"a.gif", side, 360, 25, false}, {"a.gif", 640, side, 25, false},
			{"a%d.png", 640, 360, MinFPS, false}, {"a%d.png", 640, 360, MaxFPS, false}} {
			if err := f.Validate(); err != nil {
				t.Errorf("%+v: %v", f, err)
			}
		}
	}
	for _, f := range []Format{{"a.gif", MaxSide + 1, 360, 25, false}, {"a.gif", 640, MaxSide + 1, 25, false},
		{"a.gif", 640, MinSide - 1, 25, false}, {"a%d.png", 640, 360, MaxFPS + 1, false}} {
		if f.Validate() == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
	for want, f := range map[string]Format{
		"want sides of 64 to 7680":       {"a.gif", 10, 360, 25, false},
		"want 1 to 240":                  {"a.png", 640, 360, 0, false},
		"want 10, 20, 25, 33":            {"a.gif", 640, 360, 60, false},
		"ends in .webm, .mp4, .gif":      {"a.avi", 640, 360, 25, false},
		"one place for the frame number": {"%d%d.png", 640, 360, 25, false},
	} {
		if err := f.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", f, err, want)
		}
		if w, err := Create(f); err == nil {
			w.Close()
			t.Errorf("%+v is created", f)
		}
	}
	if HaveH264() {
		f := Format{"a.mp4", 641, 360, 60, false}
		if err := f.Validate(); err == nil || !strings.Contains(err.Error(), "even") {
			t.Errorf("%v", err)
		}
	}
}

// TestDiskFull promises that writing to a full disk returns an error that names the file.
func TestDiskFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	for _, name := range []string{"clip.gif", "clip.webm"} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.Symlink("/dev/full", file); err != nil {
			t.Skip(err)
		}
		w, err := Create(Format{File: file, W: 64, H: 64, FPS: 25})
		for i := 0; err == nil && i < 3; i++ {
			err = w.Add(testFrame(64, 64, i))
		}
		if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "no space") {
			t.Errorf("%v", err)
		}
		if w != nil {
			w.Close()
		}
	}
}

// TestStill promises that a name without a place for the frame number gets the last picture alone, and that
// a still without a picture is an error.
func TestStill(t *testing.T) {
	f := Format{File: filepath.Join(t.TempDir(), "still.png"), W: 64, H: 64, FPS: 25}
	w, err := Create(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err == nil {
		t.Error("a still without a picture is written")
	}
	im := image.NewRGBA(image.Rect(0, 0, 64, 64))
	w, _ = Create(f)
	for _, shade := range []uint8{10, 200} {
		for i := range im.Pix {
			im.Pix[i] = shade
			if i%4 == 3 {
				im.Pix[i] = 255
			}
		}
		if err := w.Add(im); err != nil {
			t.Fatal(err)
		}
	}
	im.Pix[0] = 0 // belongs to the caller
	finish(t, w)
	file, err := os.Open(f.File)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	if r, _, _, _ := got.At(0, 0).RGBA(); r>>8 < 195 || got.Bounds() != im.Rect {
		t.Errorf("red is %d in %v", r>>8, got.Bounds())
	}
}
