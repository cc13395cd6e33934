package video

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// TestWebM checks that ffprobe finds size, rate, colours, duration and every frame of a WebM.
func TestWebM(t *testing.T) {
	experiment.Skip(t)
	requireFFprobe(t)
	for _, f := range []Format{{W: 160, H: 90, FPS: 60}, {W: 130, H: 250, FPS: 30}, {W: 200, H: 200, FPS: 25}} {
		f.File = filepath.Join(t.TempDir(), "clip.webm")
		const frames = 150
		writeFrames(t, f, frames)
		want := fmt.Sprintf("vp8,%d,%d,smpte170m,%d/1,%d", f.W, f.H, f.FPS, frames)
		if got := probeVideo(t, f.File); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		out, err := exec.Command("ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", f.File).Output()
		if want := fmt.Sprintf("%.6f", float64(frames)/float64(f.FPS)); err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("duration %s, %v, want %s", out, err, want)
		}
	}
}

// TestWebMColors checks that ffmpeg decodes the colours that were given to Add.
func TestWebMColors(t *testing.T) {
	experiment.Skip(t)
	requireFFprobe(t)
	f := Format{File: filepath.Join(t.TempDir(), "clip.webm"), W: 256, H: 64, FPS: 30}
	w, err := Create(f)
	if err != nil {
		t.Fatal(err)
	}
	colors := [4][3]byte{{230, 4, 4}, {250, 200, 30}, {24, 28, 34}, {120, 140, 200}}
	im := image.NewRGBA(image.Rect(0, 0, f.W, f.H))
	for i := 0; i < len(im.Pix); i += 4 {
		c := colors[i/4%f.W/64]
		im.Pix[i], im.Pix[i+1], im.Pix[i+2], im.Pix[i+3] = c[0], c[1], c[2], 255
	}
	for range 10 {
		if err := w.Add(im); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, w)
	out, err := exec.Command("ffmpeg", "-v", "error", "-nostdin", "-i", f.File, "-f", "rawvideo", "-pix_fmt", "rgb24", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	last := out[len(out)-3*f.W*f.H:]
	for k, c := range colors {
		at := 3 * (32*f.W + 64*k + 32)
		if !near(last[at:at+3], c[:], 4) {
			t.Errorf("colour %v is decoded as %v", c, last[at:at+3])
		}
	}
}

// decodedFrames returns how many frames of a file ffmpeg decodes.
func decodedFrames(file string) (n int, err error) {
	out, err := exec.Command("ffprobe", "-v", "quiet", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", file).Output()
	fmt.Sscan(string(out), &n)
	return n, err
}

// TestWebMTruncated checks that every beginning of a WebM plays up to the last second in it, as if the
// machine had failed there.
func TestWebMTruncated(t *testing.T) {
	experiment.Skip(t)
	requireFFprobe(t)
	f := Format{File: filepath.Join(t.TempDir(), "clip.webm"), W: 160, H: 90, FPS: 30}
	const frames = 300
	writeFrames(t, f, frames)
	whole, err := os.ReadFile(f.File)
	if err != nil {
		t.Fatal(err)
	}
	cluster := []byte{0x1f, 0x43, 0xb6, 0x75}
	for i := range 50 {
		if every := experiment.Pick(12, 5, 1); i%every != every/3 {
			continue
		}
		part := whole[:len(whole)*(i+1)/51]
		name := filepath.Join(t.TempDir(), "part.webm")
		if err := os.WriteFile(name, part, 0o600); err != nil {
			t.Fatal(err)
		}
		want := (bytes.Count(part, cluster) - 1) * f.FPS // whole clusters
		if want < f.FPS {
			continue // nothing to play yet
		}
		if n, err := decodedFrames(name); err != nil || n < want || n > frames {
			t.Errorf("%d of %d bytes: %d frames, want at least %d; %v", len(part), len(whole), n, want, err)
		}
	}
}

// TestMain makes this program the writer that TestWebMKilled kills.
func TestMain(m *testing.M) {
	if name := os.Getenv("GHOSTCUBE_TEST_WEBM"); name != "" {
		writeForever(Format{File: name, W: 160, H: 90, FPS: 60})
		return
	}
	os.Exit(m.Run())
}

// writeForever writes a video and prints the number of frames so far.
func writeForever(f Format) {
	w, err := Create(f)
	if err != nil {
		panic(err)
	}
	frames := []*image.RGBA{testFrame(f.W, f.H, 0), testFrame(f.W, f.H, 2), testFrame(f.W, f.H, 4)}
	for i := 1; ; i++ {
		if err := w.Add(frames[i%3]); err != nil {
			panic(err)
		}
		fmt.Println(i)
	}
}

// TestWebMKilled kills a process that writes a WebM at several moments. Each file plays, and at most a second
// of what the process had handed over is lost, besides the pictures that wait for the encoder.
func TestWebMKilled(t *testing.T) {
	experiment.Skip(t)
	requireFFprobe(t)
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("kills processes")
	}
	kills := experiment.Pick(4, 8, 20)
	var group sync.WaitGroup
	running := make(chan bool, 2)
	for i := range kills {
		group.Add(1)
		running <- true
		go func() {
			defer func() { <-running; group.Done() }()
			name := filepath.Join(t.TempDir(), "clip.webm")
			given, err := killedAfter(name, 60+waitingPictures+2+i*37%211, time.Duration(i*7%17)*time.Millisecond)
			if err != nil {
				t.Error(err)
				return
			}
			least := given - 60 - waitingPictures - 1
			if _, err := os.Stat(name); err == nil {
				t.Errorf("kill %d: a video that is not whole has its name", i)
			}
			if n, err := decodedFrames(strings.Replace(name, ".webm", ".part.webm", 1)); err != nil || n < least {
				t.Errorf("kill %d: %d of %d frames play, want at least %d; %v", i, n, given, least, err)
			}
		}()
	}
	group.Wait()
}

// killedAfter starts a process that writes a WebM, kills it some time after it has handed over a number of frames, and
// returns how many it had handed over.
func killedAfter(name string, frames int, later time.Duration) (given int, err error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GHOSTCUBE_TEST_WEBM="+name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			continue
		}
		if given = n; n == frames {
			time.AfterFunc(later, func() { cmd.Process.Kill() })
		}
	}
	cmd.Wait() // it was killed
	if given < frames {
		return given, fmt.Errorf("the process ended after %d frames, want %d", given, frames)
	}
	return given, nil
}
