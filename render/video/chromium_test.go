package video

import (
	"context"
	"fmt"
	"image"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// playerPage plays clip.webm: it jumps to the middle and then says the duration, the size, the time that is
// shown, and the colours in the four quarters of the picture.
const playerPage = `<!doctype html><body>nothing has happened<script>
const v = document.createElement('video'), say = s => document.body.textContent = 'RESULT ' + s + ';'
v.muted = true
v.preload = 'auto'
v.onerror = () => say('error ' + v.error.message)
v.onloadedmetadata = () => v.currentTime = v.duration / 2
v.onseeked = () => {
	const c = document.createElement('canvas')
	c.width = v.videoWidth
	c.height = v.videoHeight
	const x = c.getContext('2d'), at = (i, j) => Array.from(x.getImageData(c.width*i/4, c.height*j/4, 1, 1).data.slice(0, 3)).join(' ')
	const draw = () => { // nothing is drawn before the frame has been decoded
		x.drawImage(v, 0, 0)
		if (x.getImageData(0, 0, 1, 1).data[3] === 0) {
			setTimeout(draw, 50)
			return
		}
		say([v.duration, c.width, c.height, v.currentTime, at(1, 1), at(3, 1), at(1, 3), at(3, 3)].join(' '))
	}
	draw()
}
v.src = 'clip.webm'
</script></body>`

// TestChromiumPlaysWebM plays WebM files in headless Chromium: a complete one, and what remains of one
// whose writer was killed. It checks the duration, a jump to the middle, and the colours there.
func TestChromiumPlaysWebM(t *testing.T) {
	experiment.Skip(t) // it starts a browser
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && browser == "" {
			browser = path
		}
	}
	if browser == "" {
		t.Skip("Chromium is not installed")
	}
	const seconds = 6
	f := Format{W: 320, H: 200, FPS: 60}
	colors := [4][3]int{{230, 4, 4}, {250, 200, 30}, {24, 28, 34}, {120, 140, 200}}
	im := image.NewRGBA(image.Rect(0, 0, f.W, f.H))
	paint := func(now int) {
		for y := range f.H {
			for x := range f.W {
				c := colors[y*2/f.H*2+x*2/f.W]
				p := im.Pix[y*im.Stride+4*x:]
				for i := range c {
					p[i] = uint8(c[i])
					if now < seconds*f.FPS/2-5 { // the second half has other colours
						p[i] = uint8(255 - c[i])
					}
				}
				p[3] = 255
			}
		}
	}
	folder := t.TempDir()
	page := filepath.Join(folder, "page.html")
	if err := os.WriteFile(page, []byte(playerPage), 0o600); err != nil {
		t.Fatal(err)
	}
	f.File = filepath.Join(folder, "clip.webm")
	w, err := Create(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range seconds * f.FPS {
		paint(i)
		if err := w.Add(im); err != nil {
			t.Fatal(err)
		}
	}
	for len(w.(*webmWriter).free) < waitingPictures { // until the encoder has taken all
		time.Sleep(time.Millisecond)
	}
	unfinished, err := os.ReadFile(w.(*webmWriter).file.Part())
	if err != nil {
		t.Fatal(err)
	}
	finish(t, w)
	checkPlays(t, browser, page, seconds, f, colors)
	if err := os.WriteFile(f.File, unfinished, 0o600); err != nil {
		t.Fatal(err)
	}
	checkPlays(t, browser, page, seconds-1, f, [4][3]int{{25, 251, 251}, {5, 55, 225}, {231, 227, 221}, {135, 115, 55}})
}

// checkPlays checks what the page says.
func checkPlays(t *testing.T, browser, page string, seconds float64, f Format, colors [4][3]int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(page)}
	pattern := regexp.MustCompile(`RESULT ([^;']*);`)
	var out []byte
	var result [][]byte
	for try := 0; try < 8 && result == nil; try++ { // on a busy machine, the page's time may end before the video has been read
		var err error
		out, err = exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files",
			"--user-data-dir="+t.TempDir(), "--virtual-time-budget=20000", "--dump-dom", address.String()).Output()
		if err != nil {
			t.Fatal(err)
		}
		result = pattern.FindSubmatch(out)
	}
	if result == nil {
		t.Fatalf("the page has no result: %s", out)
	}
	var duration, now float64
	var w, h int
	var got [4][3]int
	args := []any{&duration, &w, &h, &now}
	for i := range got {
		for k := range got[i] {
			args = append(args, &got[i][k])
		}
	}
	if _, err := fmt.Sscan(string(result[1]), args...); err != nil {
		t.Fatalf("%s: %v", result[1], err)
	}
	if duration != seconds || w != f.W || h != f.H || now != seconds/2 {
		t.Errorf("%v s of %dx%d, at %v s; want %v s of %dx%d at the middle", duration, w, h, now, seconds, f.W, f.H)
	}
	for i := range colors {
		if !near(got[i][:], colors[i][:], 6) {
			t.Errorf("quarter %d has the colour %v, want %v", i, got[i], colors[i])
		}
	}
}
