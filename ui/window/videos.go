package window

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"ghostcube/predict/lab"
	"ghostcube/render/video"
	"ghostcube/ui/recorder"
	"ghostcube/ui/stage"
)

// videos are the films of a session. The key marks where one begins and where it
// ends; it is then made from copies of the session, while the session goes on.
type videos struct {
	lab          *lab.Lab // as the take began; nil: none is being taken
	stage        *stage.Stage
	entries      []lab.Entry
	skipCommands int // commands of the first entry that the copy has carried out

	current  *videoJob // nil: none is being made
	queue    []*videoJob
	messages []string
	errs     []error
}

// videoJob is a film being made.
type videoJob struct {
	recording *recorder.Job
	ticksDone atomic.Int64
	finished  chan struct{}
	err       error
	result    recorder.Result
}

func (t *videos) recording() bool { return t.lab != nil }

// start marks the beginning of a take. The session has carried out so many
// commands since its last tick; the next entry will name them again.
func (t *videos) start(l *lab.Lab, s *stage.Stage, done int) {
	t.lab = l.Fork()
	s.Refresh(l)
	t.stage = s.Fork(t.lab)
	t.entries, t.skipCommands = nil, done
}

// add notes an entry of the session.
func (t *videos) add(e lab.Entry) {
	if !t.recording() {
		return
	}
	if len(t.entries) == 0 {
		e.Commands = e.Commands[t.skipCommands:]
	}
	t.entries = append(t.entries, e)
}

// stop marks the end of the take and begins to make its film.
func (t *videos) stop(f video.Format, title string, bare bool) error {
	l, s, entries := t.lab, t.stage, t.entries
	t.lab, t.stage, t.entries = nil, nil, nil
	if len(entries) == 0 {
		return errors.New("the film would have no ticks")
	}
	m := &videoJob{finished: make(chan struct{})}
	m.recording = &recorder.Job{Lab: l, Stage: s, Entries: entries, Title: title, NoOverlay: bare, Format: f, Progress: func(n int) { m.ticksDone.Store(int64(n)) }}
	t.queue = append(t.queue, m)
	t.startNext()
	return nil
}

// hasFile reports whether a film of that name is to be made.
func (t *videos) hasFile(name string) bool {
	for _, m := range t.queue {
		if m.recording.Format.File == name {
			return true
		}
	}
	return t.current != nil && t.current.recording.Format.File == name
}

// startNext begins to make the film that has waited longest.
func (t *videos) startNext() {
	if t.current != nil || len(t.queue) == 0 {
		return
	}
	t.current, t.queue = t.queue[0], t.queue[1:]
	m := t.current
	go func() {
		m.result, m.err = recorder.Record(m.recording)
		close(m.finished)
	}()
}

// poll looks after the film being made, and returns what there is to say
// when one is ready.
func (t *videos) poll() (said string) {
	if t.current == nil {
		return ""
	}
	select {
	case <-t.current.finished:
		said = t.complete()
	default:
	}
	return said
}

// complete takes in a film that is ready.
func (t *videos) complete() (said string) {
	m := t.current
	t.current = nil
	if m.err != nil {
		said = "the film failed: " + m.err.Error()
		t.errs = append(t.errs, fmt.Errorf("%s: %w", m.recording.Format.File, m.err))
	} else {
		said = fmt.Sprintf("film: %s, %d pictures", filepath.ToSlash(m.recording.Format.File), m.result.FrameCount)
		t.messages = append(t.messages, said)
	}
	t.startNext()
	return said
}

// progress says how far the film being made has come, or nothing.
func (t *videos) progress() string {
	if t.current == nil {
		return ""
	}
	return fmt.Sprintf("making the film: %d %%", int(t.current.ticksDone.Load())*100/max(len(t.current.recording.Entries), 1))
}

// waitAll waits for all films.
func (t *videos) waitAll() error {
	for t.current != nil {
		<-t.current.finished
		t.complete()
	}
	return errors.Join(t.errs...)
}
