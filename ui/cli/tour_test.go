//go:build !js || headless

package cli

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/internal/golden"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/render/video"
	"ghostcube/ui/hud"
	"ghostcube/ui/plan"
	"ghostcube/ui/recorder"
	"ghostcube/ui/tour"
)

// The page of the tour, and its pictures.
const (
	tourPage     = "../../docs/reference/tour.md"
	tourPictures = "../../docs/reference/tour"
)

// The pictures of the page.
const (
	tourPictureWidth, tourPictureHeight = 640, 360
	maxTourPictureBytes                 = 2.5e6 // of all together
	maxChangedPixels                    = 9     // a digit that becomes another one changes at least 20
)

const tourPageHead = `# The tour

%d lessons with one idea each: F2 starts the first, ` + "`ghostcube tour NAME`" + ` any of them. A lesson says what to look at, waits until
you have done one thing, by whatever key or control, and shows figures of the time before and after that, 8 s each if nothing
else is said. Here they are of a session in which a tape moves the player; captions are about the whole session.
`

// TestPageOfTour plays all lessons, or every fourth outside of the checks, and compares the page with their words and
// figures. Otherwise the page keeps the figures of the lessons that it has.
func TestPageOfTour(t *testing.T) {
	experiment.Skip(t)
	if testing.Short() {
		t.Skip("plays all lessons, which takes a minute under the race detector")
	}
	list := lessons(t)
	written := must(os.ReadFile(tourPage))
	sections := make([]string, len(list))
	t.Run("play", func(t *testing.T) {
		for i := range list {
			head := tourHead(i+1, &list[i])
			if experiment.Brief() && (i%4 != 0 || golden.Updating()) {
				if _, rest, ok := strings.Cut(string(written), head); ok {
					rest, _, _ = strings.Cut(rest, "\n## ")
					sections[i] = head + rest
					continue
				}
			}
			t.Run(list[i].Name, func(t *testing.T) {
				t.Parallel()
				m := must(testProgram(t).planLesson(list[i].Name))
				r := must(tour.Play(m, nil))
				sections[i] = tourSection(i+1, r)
			})
		}
	})
	golden.Page(t, tourPage, fmt.Sprintf(tourPageHead, len(list))+strings.Join(sections, ""))
}

func lessons(t *testing.T) []plan.Lesson { return must(testProgram(t).library.Lessons()) }

// tourHead returns what the page says of a lesson before its figures.
func tourHead(number int, x *plan.Lesson) string {
	return fmt.Sprintf("\n## %d. %s\n\n`%s`: **%s**\n\n", number, x.Title, x.Name, x.Do)
}

// usualSeconds is how long a lesson measures before and after the act unless its page says otherwise.
const usualSeconds = 8

// tourSection returns the section of a lesson that has been played.
func tourSection(number int, r *tour.Run) string {
	x := r.Lesson
	var b strings.Builder
	b.WriteString(tourHead(number, x))
	switch {
	case r.BeforeSeconds != r.AfterSeconds:
		fmt.Fprintf(&b, "%g s before, %g s after:\n\n", r.BeforeSeconds, r.AfterSeconds)
	case r.BeforeSeconds != usualSeconds:
		fmt.Fprintf(&b, "%g s each:\n\n", r.BeforeSeconds)
	}
	for i, f := range x.Figures {
		name := hud.HeadlineTitle(f.Measure)
		if strings.Contains(f.Name, "@") {
			name = fmt.Sprintf("pane %d: %s", f.Pane+1, name)
		}
		value := func(list []score.Measure) string { return list[i].Text() }
		fmt.Fprintf(&b, "- %s: %s, %s\n", name, value(r.Before), value(r.After))
	}
	fmt.Fprintf(&b, "\n%s\n\n", x.After)
	for k, when := range tourTimes {
		fmt.Fprintf(&b, "![%s](tour/%s)%s", when, tourPicture(number, x, k), [...]string{" ", "\n"}[k])
	}
	return b.String()
}

// tourTimes are the moments of the two pictures of a lesson.
var tourTimes = [2]string{"before", "after"}

// tourPicture returns the name of the file of a picture.
func tourPicture(number int, x *plan.Lesson, k int) string {
	return fmt.Sprintf("%02d-%s-%s.png", number, x.Name, tourTimes[k])
}

// TestPageTourPictures checks that every lesson has its two pictures, and that they are small. With GHOSTCUBE_CI=1 it renders
// them and compares them with the files. go generate paints those that are missing.
func TestPageTourPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("paints for minutes under the race detector")
	}
	type picture struct {
		lesson *plan.Lesson
		k      int // index into tourTimes
	}
	list, pictures := lessons(t), map[string]picture{}
	var names []string
	for i := range list {
		for k := range tourTimes {
			name := tourPicture(i+1, &list[i], k)
			names, pictures[name] = append(names, name), picture{&list[i], k}
		}
	}
	golden.Pictures(t, tourPictures, names, maxTourPictureBytes, *updateStills, func(name, file string) {
		p := pictures[name]
		writeSmall(file, renderTourPicture(t, p.lesson, p.k))
	})
	if !experiment.Enabled() {
		return
	}
	for i, name := range names {
		if i%experiment.Pick(1, 3, 1) != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compareTourPicture(t, pictures[name].lesson, pictures[name].k, filepath.Join(tourPictures, name))
		})
	}
}

// compareTourPicture renders a picture of a lesson and compares it with its file.
func compareTourPicture(t *testing.T, x *plan.Lesson, k int, file string) {
	t.Helper()
	comparePicture(t, file, renderTourPicture(t, x, k))
}

// comparePicture compares a picture with the file in which writeSmall has written it.
func comparePicture(t *testing.T, file string, picture image.Image) {
	t.Helper()
	picture = reduceColors(picture, stillColors)
	f := must(os.Open(file))
	defer f.Close()
	stored, err := png.Decode(f)
	if err != nil || stored.Bounds() != picture.Bounds() {
		t.Fatalf("%v, %v, want %v", err, stored.Bounds(), picture.Bounds())
	}
	if n := changedPixels(stored, picture); n > maxChangedPixels {
		t.Errorf("the picture is out of date: %d pixels have changed", n)
	}
}

// changedPixels returns the number of pixels that differ visibly between two pictures of one size.
func changedPixels(a, b image.Image) (n int) {
	r := a.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			sum := 0
			for _, d := range [...]int{int(ar) - int(br), int(ag) - int(bg), int(ab) - int(bb)} {
				sum += max(d, -d) / 257
			}
			if sum > 90 {
				n++
			}
		}
	}
	return n
}

// renderTourPicture renders a lesson before its action, or at its moment after it.
func renderTourPicture(t *testing.T, x *plan.Lesson, k int) image.Image {
	t.Helper()
	p := testProgram(t)
	m := must(p.planLesson(x.Name))
	rate := float64(m.Config.Rate)
	at := int(x.Seconds * rate)
	n := at
	if k == 1 {
		n += int(x.Moment * rate)
	}
	entries := make([]lab.Entry, n)
	for i := range entries {
		entries[i] = tour.Entry(m, i, at)
	}
	entries[0].Commands = slices.Concat(m.Display(), entries[0].Commands)
	file := filepath.Join(t.TempDir(), "picture.png")
	r := must(p.recordVideo(m, &recorder.Job{Entries: entries, SkipTicks: n - maxTicksPerFrame,
		Format: video.Format{File: file, W: tourPictureWidth, H: tourPictureHeight, FPS: m.Config.Rate}}, nil))
	return r.LastFrame
}

// TestChangedPixels checks that the comparison of pictures sees what a digit changes, and no difference in other edges.
func TestChangedPixels(t *testing.T) {
	a, b := image.NewGray(image.Rect(0, 0, 8, 8)), image.NewGray(image.Rect(0, 0, 8, 8))
	for i := range b.Pix {
		b.Pix[i] = 30
	}
	if n := changedPixels(a, b); n != 0 {
		t.Errorf("%d pixels have changed by 30 of 255", n)
	}
	for i := range b.Pix[:32] {
		b.Pix[i] = 31
	}
	if n := changedPixels(a, b); n != 32 {
		t.Errorf("%d pixels have changed by 31 of 255, want 32", n)
	}
}
