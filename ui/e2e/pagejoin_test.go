//go:build e2e && !headless && !js

package e2e

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// testJoins starts a server, a program that joins it, and a browser that opens the server's link. The cubes of both players
// move at the server and at the program, and are in the pictures of both clients, beside the server's. Leaving the page leaves
// the session.
func (s *pageServer) testJoins(t *testing.T) {
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	server, lines, log := startServer(t, folder, "--page", "127.0.0.1:0", "--page-folder", s.folder, "--capture", file("server.capture"))
	var join []string
	link := ""
	for link == "" && lines.Scan() {
		if _, line, ok := strings.Cut(lines.Text(), "ghostcube join "); ok {
			join = append([]string{"join"}, strings.Fields(line)...)
		}
		link = regexp.MustCompile(`http://\S+`).FindString(lines.Text())
	}
	address, fragment, ok := strings.Cut(link, "#")
	if !ok {
		t.Fatalf("the server prints no link: %s", log)
	}
	if err := os.WriteFile(file("forward.tape"), []byte(forwardTape), 0o666); err != nil {
		t.Fatal(err)
	}
	program := programCommand(t, file("report of join"), append(join, "--name", "ann", "--tape", file("forward.tape"), "--every", "0",
		"--capture", file("ann.capture"))...)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Process.Kill() })

	page := &pageServer{folder: s.folder, browser: s.browser, address: address}
	d := page.open(t, "#"+fragment, screenSize{940, 340, 1, false})
	d.waitTicks(60)
	d.keyDown(keyW)
	d.waitPlayed(15) // the camera follows this cube, and the other one has to stay in view
	d.keyUp(keyW)
	d.waitTicks(60)
	checkCubes(t, "the browser", d.checkScreen("join", image.Pt(940, 340)))
	d.run(chromedp.Navigate("about:blank"))
	log.wait(t, `msg=left player=2 .*the other side has closed`) // or a page that is left does not leave the session

	for _, process := range []struct {
		name string
		end  func() error
	}{
		{"the program", func() error { program.Process.Signal(os.Interrupt); return program.Wait() }},
		{"the server", func() error { server.Process.Signal(os.Interrupt); return server.Wait() }},
	} {
		if err := process.end(); err != nil {
			t.Errorf("%s ends with %v: %s", process.name, err, log)
		}
	}
	for _, name := range []string{"server", "ann"} {
		for player := range 2 {
			start, end := replayCapture(t, file(name+".capture"), player)
			if moved := end.Sub(start).Len(); moved < 0.2 {
				t.Errorf("at %s the cube of player %d has moved by %.2f m", name, player+1, moved)
			}
		}
	}
	still := file("ann.png")
	if out, err := programCommand(t, file("report of record"), "record", "--size", "1280x400", "--tape",
		file("server.capture")+","+file("ann.capture"), "-o", still).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.Open(still)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	checkCubes(t, "the program", picture)
	if folder := os.Getenv(pagePictures); folder != "" {
		savePicture(t, filepath.Join(folder, "join-ann.png"), picture)
	}
}

// waitPlayed waits until a joined session has run n more ticks with the player's input: those that a slow machine makes up for after
// a pause have none.
func (d *pageDriver) waitPlayed(n int) {
	d.t.Helper()
	const pause = 15 // ticks, a quarter of a second
	last := d.state()
	d.waitUntil(fmt.Sprint(n, " ticks without a pause"), func(s windowState) bool {
		if made := s.tick - last.tick; made < pause {
			n -= made
		}
		last = s
		return n <= 0
	})
}

// forwardTape presses a key for a second. Both cubes stay in view then.
const forwardTape = `ghostcube tape 2
scene zen
rate 60
seat client
seed 42
network perfect
pane rewind
---
120
60 W
20000
end 20180
`

// checkCubes checks that a picture has the cubes of both players and the server's ghosts, by the hues of their faces.
func checkCubes(t *testing.T, who string, picture image.Image) {
	t.Helper()
	count := map[string]int{}
	b := picture.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b, _ := picture.At(x, y).RGBA()
			switch r, g, b := r>>8, g>>8, b>>8; {
			case r > 100 && g < r/3 && b < r/3:
				count["the first player's"]++
			case b > 90 && r < b/4 && g < b*3/4:
				count["the second player's"]++
			case r > 120 && g > r*2/3 && g < r*9/10 && b < r/3:
				count["the server's"]++
			}
		}
	}
	t.Logf("%s: %v pixels", who, count)
	for _, cube := range []string{"the first player's", "the second player's", "the server's"} {
		if count[cube] < 120 { // the legend has 64
			t.Errorf("%s shows %d pixels of %s cube", who, count[cube], cube)
		}
	}
}
