package window

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"ghostcube/predict/lab"
	"ghostcube/render/video"
	"ghostcube/ui/hud"
	"ghostcube/ui/platform"
	"ghostcube/ui/recorder"
	"ghostcube/ui/timeline"
)

// videos records and writes the videos of a session. A key marks the first and the last tick of each; the
// video is then rendered from a fork of the session while the session goes on.
type videos struct {
	// Of the video that is being recorded.
	lab          *lab.Lab // at its start; nil: none is being recorded
	stage        *hud.HUD
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
	messages []string // of finished videos
	errs     []error
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

// recording reports whether a video is being recorded.
func (t *videos) recording() bool { return t.lab != nil }

// start starts a recording of a session, of which fork is a copy. applied is the number of commands that the session has
// applied since its last tick, which are also in its next entry.
func (t *videos) start(l, fork *lab.Lab, s *hud.HUD, take *timeline.Take, applied int) {
	t.lab, t.take = fork, take
	s.Refresh(l)
	t.stage = s.Fork(t.lab)
	for i, p := range t.lab.Panes {
		p.CopyDatagrams(l.Panes[i]) // the lanes of the first pictures show earlier packets
	}
	t.entries, t.skipCommands = nil, applied
	t.beside, t.besideTake = nil, nil
}

// startBeside makes the recording that has just been started one of two takes.
func (t *videos) startBeside(b *beside) {
	t.beside = &recorder.Beside{Lab: b.lab.Fork(), Labels: b.labels}
	t.besideTake, t.besideFrom = b.take, int(b.lab.Ticks())
	var view lab.Lab
	view.ShowBeside(t.lab, t.beside.Lab)
	t.stage = b.stage.Fork(&view)
}

// add adds an entry of the session to the recording, if there is one.
func (t *videos) add(e lab.Entry) {
	if !t.recording() {
		return
	}
	if len(t.entries) == 0 {
		t.applied = e.Commands[:t.skipCommands]
		e.Commands = e.Commands[t.skipCommands:]
	}
	t.entries = append(t.entries, e)
}

// withoutDisplay returns an entry without display commands.
func withoutDisplay(e lab.Entry) lab.Entry {
	e.Commands = slices.DeleteFunc(slices.Clone(e.Commands), func(c lab.Command) bool { return c.Verb == "show" })
	return e
}

// stop ends the recording and queues its video.
func (t *videos) stop(f video.Format, title string, noOverlay bool) error {
	l, s, entries := t.lab, t.stage, t.entries
	other, take := t.beside, t.besideTake
	run := t.run
	if run != nil {
		run.prepare(t, f, title, noOverlay)
	}
	t.lab, t.stage, t.entries, t.beside, t.besideTake, t.run, t.take, t.applied = nil, nil, nil, nil, nil, nil, nil, nil
	if len(entries) == 0 {
		return errors.New("the video would be empty: it has no ticks")
	}
	m := &videoJob{run: run, finished: make(chan struct{})}
	m.stop = make(chan struct{})
	if other != nil {
		for i := range min(len(entries), take.End()-t.besideFrom) {
			other.Entries = append(other.Entries, withoutDisplay(*take.Entry(t.besideFrom + i)))
		}
	}
	m.recording = &recorder.Job{Lab: l, Stage: s, Entries: entries, Title: title, NoOverlay: noOverlay, Format: f, Beside: other, Progress: func(n int) { m.ticksDone.Store(int64(n)) }, Stop: m.stop}
	t.queue = append(t.queue, m)
	t.startNext()
	return nil
}

// hasFile reports whether a video of that name is queued or being written.
func (t *videos) hasFile(name string) bool {
	for _, m := range t.queue {
		if m.recording.Format.File == name {
			return true
		}
	}
	return t.current != nil && t.current.recording.Format.File == name
}

// startNext starts writing the oldest video of the queue, unless one is being written.
func (t *videos) startNext() {
	if t.current != nil || len(t.queue) == 0 {
		return
	}
	t.current, t.queue = t.queue[0], t.queue[1:]
	m := t.current
	go func() {
		if m.run != nil {
			m.result.File, m.err = m.run.write(func(share float64) { m.ticksDone.Store(int64(share * float64(len(m.recording.Entries)))) })
		} else {
			m.result, m.err = recorder.Record(m.recording)
		}
		close(m.finished)
	}()
}

// poll returns a message when a video has been written, and an empty text otherwise.
func (t *videos) poll() (message string) {
	if t.current == nil {
		return ""
	}
	select {
	case <-t.current.finished:
		message = t.complete()
	default:
	}
	return message
}

// complete takes the result of the video that has been written, starts the next one, and returns a message.
func (t *videos) complete() (message string) {
	m := t.current
	t.current = nil
	if errors.Is(m.err, recorder.ErrNoFrame) {
		message = "not written: " + filepath.ToSlash(m.recording.Format.File)
		t.messages = append(t.messages, message)
	} else if m.err != nil {
		message = "the video failed: " + m.err.Error()
		t.errs = append(t.errs, fmt.Errorf("%s: %w", m.recording.Format.File, m.err))
	} else {
		message = "video: " + platform.Deliver(m.result.File)
		if m.run == nil {
			message += fmt.Sprintf(", %d frames", m.result.FrameCount)
		}
		t.messages = append(t.messages, message)
	}
	t.startNext()
	return message
}

// progress returns how much of a video has been written, or an empty text.
func (t *videos) progress() string {
	if t.current == nil {
		return ""
	}
	return fmt.Sprintf("encoding video: %d %%", t.current.percent())
}

// percent returns how much of the video has been written.
func (m *videoJob) percent() int {
	return int(m.ticksDone.Load()) * 100 / max(len(m.recording.Entries), 1)
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

// waitAll waits until all videos have been written and returns all their errors. Every two seconds it prints
// how far the present one is. An interrupt ends the present video with what there is of it, and drops the
// others.
func (t *videos) waitAll(interrupt <-chan os.Signal, out io.Writer) error {
	if t.current != nil {
		fmt.Fprintf(out, "the window is closed, %s left to write (Ctrl-C stops with what there is)\n", videoCount(1+len(t.queue)))
	}
	clock := time.NewTicker(progressInterval)
	defer clock.Stop()
	for t.current != nil {
		m := t.current
		select {
		case <-m.finished:
			t.complete()
		case <-clock.C:
			fmt.Fprintf(out, "%s: %d %%\n", filepath.ToSlash(m.recording.Format.File), m.percent())
		case <-interrupt:
			for _, dropped := range t.queue {
				t.messages = append(t.messages, "not written: "+filepath.ToSlash(dropped.recording.Format.File))
			}
			t.queue, interrupt = nil, nil
			close(m.stop)
			signal.Reset(os.Interrupt, syscall.SIGTERM) // the next one kills
		}
	}
	return errors.Join(t.errs...)
}
