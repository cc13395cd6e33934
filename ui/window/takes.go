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

// takes are the films of a session. The key marks where one begins and where it
// ends; it is then made from copies of the session, while the session goes on.
type takes struct {
	lab     *lab.Lab // as the take began; nil: none is being taken
	stage   *stage.Stage
	entries []lab.Entry
	skip    int // commands of the first entry that the copy has carried out

	making  *making // nil: none is being made
	waiting []*making
	written []string
	errs    []error
}

// making is a film being made.
type making struct {
	shot *recorder.Shot
	done atomic.Int64
	over chan struct{}
	err  error
	made recorder.Result
}

func (t *takes) recording() bool { return t.lab != nil }

// begin marks the beginning of a take. The session has carried out so many
// commands since its last tick; the next entry will name them again.
func (t *takes) begin(l *lab.Lab, s *stage.Stage, done int) {
	t.lab = l.Fork()
	s.Look(l)
	t.stage = s.Fork(t.lab)
	t.entries, t.skip = nil, done
}

// add notes an entry of the session.
func (t *takes) add(e lab.Entry) {
	if !t.recording() {
		return
	}
	if len(t.entries) == 0 {
		e.Commands = e.Commands[t.skip:]
	}
	t.entries = append(t.entries, e)
}

// end marks the end of the take and begins to make its film.
func (t *takes) end(f video.Format, title string, bare bool) error {
	l, s, entries := t.lab, t.stage, t.entries
	t.lab, t.stage, t.entries = nil, nil, nil
	if len(entries) == 0 {
		return errors.New("the film would have no ticks")
	}
	m := &making{over: make(chan struct{})}
	m.shot = &recorder.Shot{Lab: l, Stage: s, Entries: entries, Title: title, Bare: bare, Format: f, Progress: func(n int) { m.done.Store(int64(n)) }}
	t.waiting = append(t.waiting, m)
	t.next()
	return nil
}

// named reports whether a film of that name is to be made.
func (t *takes) named(name string) bool {
	for _, m := range t.waiting {
		if m.shot.Format.File == name {
			return true
		}
	}
	return t.making != nil && t.making.shot.Format.File == name
}

// next begins to make the film that has waited longest.
func (t *takes) next() {
	if t.making != nil || len(t.waiting) == 0 {
		return
	}
	t.making, t.waiting = t.waiting[0], t.waiting[1:]
	m := t.making
	go func() {
		m.made, m.err = recorder.Shoot(m.shot)
		close(m.over)
	}()
}

// update looks after the film being made, and returns what there is to say
// when one is ready.
func (t *takes) update() (said string) {
	if t.making == nil {
		return ""
	}
	select {
	case <-t.making.over:
		said = t.landed()
	default:
	}
	return said
}

// landed takes in a film that is ready.
func (t *takes) landed() (said string) {
	m := t.making
	t.making = nil
	if m.err != nil {
		said = "the film failed: " + m.err.Error()
		t.errs = append(t.errs, fmt.Errorf("%s: %w", m.shot.Format.File, m.err))
	} else {
		said = fmt.Sprintf("film: %s, %d pictures", filepath.ToSlash(m.shot.Format.File), m.made.Pictures)
		t.written = append(t.written, said)
	}
	t.next()
	return said
}

// progress says how far the film being made has come, or nothing.
func (t *takes) progress() string {
	if t.making == nil {
		return ""
	}
	return fmt.Sprintf("making the film: %d %%", int(t.making.done.Load())*100/max(len(t.making.shot.Entries), 1))
}

// finish waits for all films.
func (t *takes) finish() error {
	for t.making != nil {
		<-t.making.over
		t.landed()
	}
	return errors.Join(t.errs...)
}
