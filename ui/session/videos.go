package session

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/render/video"
	"ghostcube/ui/hud"
	"ghostcube/ui/recorder"
	"ghostcube/ui/timeline"
)

// Videos records and writes the videos of a session. A key marks the first and the last tick of each; the
// video is then rendered from a fork of the session while the session goes on.
type Videos struct {
	session *Session

	Chosen VideoChoice // of the next video to be stopped

	// Of the video that is being recorded.
	lab          *lab.Lab // at its start; nil: none is being recorded
	hud          *hud.HUD
	entries      []lab.Entry
	applied      []lab.Command    // before the first entry, since the tick before it
	skipCommands int              // commands of the first entry that lab has already applied
	take         *timeline.Take   // at the start
	beside       *recorder.Beside // nil: no other take is shown
	besideTake   *timeline.Take
	besideFrom   int // tick at the start

	run *videoRun // by another copy of the program; nil: by a goroutine of this one

	current  *videoJob // being written; nil: none
	queue    []*videoJob
	printed  int      // messages that the terminal has
	messages []string // of finished videos
	errs     []error
}

// VideoChoice says how a video is to be. Zero fields leave it to the program.
type VideoChoice struct {
	Kind string // one of VideoKinds
	Size string // one of VideoSizes
	FPS  string // one of Rates; another one is left to the program
}

// VideoKinds are the endings of the names of videos that this machine can write.
func VideoKinds() []string {
	if video.HaveH264() {
		return []string{".webm", ".mp4", ".gif"}
	}
	return []string{".webm", ".gif"}
}

// VideoSizes are the sizes that a video may be chosen to have, in pixels.
var VideoSizes = []string{"640x360", "1280x720", "1920x1080"}

// Rates returns the frames per second that a video of the chosen kind may have. A GIF counts hundredths of a second.
func (c *VideoChoice) Rates() []string {
	if c.Kind == ".gif" {
		return []string{"10", "25", "50"}
	}
	return []string{"25", "30", "50", "60"}
}

// format returns the format of a video as it has been chosen. name returns its file.
func (c *VideoChoice) format(name func(ext string) string) video.Format {
	f := VideoFormat(func(ext string) string { return name(cmp.Or(c.Kind, ext)) })
	if c.Kind == ".gif" {
		f.FPS = 25
	}
	if c.Size != "" {
		w, h, _ := strings.Cut(c.Size, "x")
		f.W, _ = strconv.Atoi(w)
		f.H, _ = strconv.Atoi(h)
	}
	if slices.Contains(c.Rates(), c.FPS) {
		f.FPS, _ = strconv.Atoi(c.FPS)
	}
	return f
}

// videoJob is a video that is being written.
type videoJob struct {
	recording *recorder.Job
	run       *videoRun // nil: a goroutine of this program writes it
	ticksDone atomic.Int64
	stop      chan struct{} // closed to end the video early
	finished  chan struct{} // closed when err and result are valid
	err       error
	result    recorder.Result
}

// Recording reports whether a video is being recorded.
func (v *Videos) Recording() bool { return v.lab != nil }

// start starts a recording of a session, of which fork is a copy. applied is the number of commands that the session has
// applied since its last tick, which are also in its next entry.
func (v *Videos) start(l, fork *lab.Lab, s *hud.HUD, take *timeline.Take, applied int) {
	v.lab, v.take = fork, take
	s.Refresh(l)
	v.hud = s.Fork(v.lab)
	for i, p := range v.lab.Panes {
		p.CopyDatagrams(l.Panes[i]) // the lanes of the first pictures show earlier packets
	}
	v.entries, v.skipCommands = nil, applied
	v.beside, v.besideTake = nil, nil
}

// startBeside makes the recording that has just been started one of two takes.
func (v *Videos) startBeside(b *Beside) {
	v.beside = &recorder.Beside{Lab: b.lab.Fork(), Labels: b.Labels}
	v.besideTake, v.besideFrom = b.take, int(b.lab.Ticks())
	var view lab.Lab
	view.ShowBeside(v.lab, v.beside.Lab)
	v.hud = b.hud.Fork(&view)
}

// add adds an entry of the session to the recording, if there is one.
func (v *Videos) add(e lab.Entry) {
	if !v.Recording() {
		return
	}
	if len(v.entries) == 0 {
		v.applied = e.Commands[:v.skipCommands]
		e.Commands = e.Commands[v.skipCommands:]
	}
	v.entries = append(v.entries, e)
}

// withoutDisplay returns an entry without display commands.
func withoutDisplay(e lab.Entry) lab.Entry {
	e.Commands = slices.DeleteFunc(slices.Clone(e.Commands), func(c lab.Command) bool { return c.Verb == "show" })
	return e
}

// stop ends the recording and queues its video.
func (v *Videos) stop(f video.Format, title string, noOverlay bool) error {
	l, s, entries := v.lab, v.hud, v.entries
	other, take := v.beside, v.besideTake
	run := v.run
	if run != nil {
		run.prepare(v, f, title, noOverlay)
	}
	v.lab, v.hud, v.entries, v.beside, v.besideTake, v.run, v.take, v.applied = nil, nil, nil, nil, nil, nil, nil, nil
	if len(entries) == 0 {
		return errors.New("the video would be empty: it has no ticks")
	}
	m := &videoJob{run: run, finished: make(chan struct{})}
	m.stop = make(chan struct{})
	if other != nil {
		for i := range min(len(entries), take.End()-v.besideFrom) {
			other.Entries = append(other.Entries, withoutDisplay(*take.Entry(v.besideFrom + i)))
		}
	}
	m.recording = &recorder.Job{Lab: l, Stage: s, Entries: entries, Title: title, Best: v.session.Best(), NoOverlay: noOverlay, Format: f,
		Beside: other, Progress: func(n int) { m.ticksDone.Store(int64(n)) }, Stop: m.stop}
	v.queue = append(v.queue, m)
	v.startNext()
	return nil
}

// hasFile reports whether a video of that name is queued or being written.
func (v *Videos) hasFile(name string) bool {
	for _, m := range v.queue {
		if m.recording.Format.File == name {
			return true
		}
	}
	return v.current != nil && v.current.recording.Format.File == name
}

// startNext starts writing the oldest video of the queue, unless one is being written.
func (v *Videos) startNext() {
	if v.current != nil || len(v.queue) == 0 {
		return
	}
	v.current, v.queue = v.queue[0], v.queue[1:]
	m := v.current
	go func() {
		if m.run != nil {
			m.result.File, m.err = m.run.write(func(share float64) { m.ticksDone.Store(int64(share * float64(len(m.recording.Entries)))) })
		} else {
			m.result, m.err = recorder.Record(m.recording)
		}
		close(m.finished)
	}()
}

// Poll returns a message when a video has been written, and an empty text otherwise.
func (v *Videos) Poll() (message string) {
	if v.current == nil {
		return ""
	}
	select {
	case <-v.current.finished:
		message = v.complete()
		if !v.session.Platform.InPage {
			v.print(os.Stdout)
		}
	default:
	}
	return message
}

// print prints the messages of finished videos that have not been printed yet.
func (v *Videos) print(out io.Writer) {
	for ; v.printed < len(v.messages); v.printed++ {
		fmt.Fprintln(out, v.messages[v.printed])
	}
}

// complete takes the result of the video that has been written, starts the next one, and returns a message.
func (v *Videos) complete() (message string) {
	m := v.current
	v.current = nil
	if errors.Is(m.err, recorder.ErrNoFrame) {
		message = "not written: " + filepath.ToSlash(m.recording.Format.File)
		v.messages = append(v.messages, message)
	} else if m.err != nil {
		message = "the video failed: " + m.err.Error()
		v.errs = append(v.errs, fmt.Errorf("%s: %w", m.recording.Format.File, m.err))
	} else {
		message = "video: " + v.session.Platform.Deliver(m.result.File)
		if m.run == nil {
			message += fmt.Sprintf(", %d frame", m.result.FrameCount)
			if m.result.FrameCount != 1 {
				message += "s"
			}
		}
		v.messages = append(v.messages, message)
	}
	v.startNext()
	return message
}

// Progress returns how much of a video has been written, or an empty text.
func (v *Videos) Progress() string {
	if v.current == nil {
		return ""
	}
	return fmt.Sprintf("encoding video: %d %%", v.current.percent())
}

// percent returns how much of the video has been written.
func (j *videoJob) percent() int {
	return int(j.ticksDone.Load()) * 100 / max(len(j.recording.Entries), 1)
}

// videoCount returns a number of videos in words.
func videoCount(n int) string {
	if n == 1 {
		return "1 video"
	}
	return fmt.Sprintf("%d videos", n)
}

// progressInterval is the time between two lines about a video that is written after the window has closed.
const progressInterval = 2 * time.Second

// WaitAll waits until all videos have been written and returns all their errors. Every two seconds it prints
// how far the present one is. An interrupt ends the present video with what there is of it, and drops the
// others.
func (v *Videos) WaitAll(interrupt <-chan os.Signal, out io.Writer) error {
	if v.current != nil {
		fmt.Fprintf(out, "the window is closed, %s left to write (Ctrl-C stops with what there is)\n", videoCount(1+len(v.queue)))
	}
	clock := time.NewTicker(progressInterval)
	defer clock.Stop()
	for v.current != nil {
		m := v.current
		select {
		case <-m.finished:
			v.complete()
		case <-clock.C:
			fmt.Fprintf(out, "%s: %d %%\n", filepath.ToSlash(m.recording.Format.File), m.percent())
		case <-interrupt:
			for _, dropped := range v.queue {
				v.messages = append(v.messages, "not written: "+filepath.ToSlash(dropped.recording.Format.File))
			}
			v.queue, interrupt = nil, nil
			close(m.stop)
			signal.Reset(os.Interrupt, syscall.SIGTERM) // the next one kills
		}
	}
	return errors.Join(v.errs...)
}

// Toggle starts a video, or stops it and has it written.
func (v *Videos) Toggle() {
	s := v.session
	if !v.Recording() {
		if s.refuses("a video") {
			return
		}
		if s.Platform.InPage && s.Beside.On() {
			s.Notices.Post("a page writes no video of two takes: F8 ends the comparison")
			return
		}
		v.start(s.Lab, s.Past.Timeline.Fork(), &s.HUD, s.Past.Timeline.Take(), len(s.newCommands))
		if s.Platform.InPage {
			v.run = &videoRun{platform: &s.Platform, config: s.Plan.Config, panes: s.Plan.Panes, version: s.Version}
		}
		if s.Beside.On() {
			v.startBeside(&s.Beside)
		}
		return
	}
	f := v.Chosen.format(func(ext string) string { return s.Files.UnusedName("video", ext) })
	if err := v.stop(f, s.Title, s.Window != nil && s.Window.OverlayHidden()); err != nil {
		s.Notices.Post(err.Error())
	}
}

// VideoFormat returns the format of a video for which nobody has asked for another one. name returns its file.
func VideoFormat(name func(ext string) string) video.Format {
	ext := ".mp4"
	if !video.HaveH264() {
		ext = ".webm"
	}
	return video.Format{File: name(ext), W: 1280, H: 720, FPS: 60, Unnamed: true}
}

// Seconds returns the length of the video that is being recorded.
func (v *Videos) Seconds() float64 {
	return float64(len(v.entries)) / float64(v.session.Lab.Config().Rate)
}
