package lab_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"ghostcube/net/packet"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/predict/part/validation"
	"ghostcube/sim"
)

// runPairs makes a session. If something is wrong, it reports the error of the same session with as few commands as
// possible, and its tape.
func runPairs(t *testing.T, number int, values []*pairValue) {
	s, told := newPairSession(number, values)
	err := s.run(told)
	if err == nil {
		return
	}
	for i := range told.Entries {
		e := &told.Entries[i]
		for k := len(e.Commands) - 1; k >= 0; k-- {
			all := e.Commands
			e.Commands = slices.Delete(slices.Clone(all), k, k+1)
			if fewer := s.run(told); fewer != nil {
				err = fewer
			} else {
				e.Commands = all
			}
		}
	}
	var names []string
	for _, v := range values {
		names = append(names, v.name)
	}
	var text bytes.Buffer
	told.Write(&text)
	t.Errorf("session %d, %s: %v\n%s", number, strings.Join(names, " + "), err, &text)
}

// run runs the session of a tape and returns the first error.
func (s *pairSession) run(told *tape.Tape) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	s.refusals, s.refusesUntil = [MaxPanes]int{}, 0
	l, err := told.NewLab()
	if err != nil {
		return err
	}
	record := tape.NewRecording(l, "", told.Panes)
	var copied *Lab
	for i, e := range told.Entries {
		if i == s.at {
			copied = l.Fork()
		}
		_ = l.Tick(e) // a refused command changes nothing
		record.Ticked(e)
		if slices.ContainsFunc(e.Commands, func(c Command) bool { return c.Verb == "freeze" }) {
			s.refusesUntil = i + 2*told.Config.Rate
		}
		for k, p := range l.Panes {
			err := outside(p)
			if n := s.refused(p); i >= s.refusesUntil && n > s.refusals[k] {
				err = errors.Join(err, fmt.Errorf("%d payloads are refused", n-s.refusals[k]))
			} else {
				s.refusals[k] = n
			}
			if err != nil {
				return fmt.Errorf("tick %d, %s: %w", i, p.Spec(), err)
			}
		}
	}
	record.End()
	end := l.Hash()
	if err := replays(&record.Tape); err != nil {
		return err
	}
	switch s.value(takeFactor) {
	case copyTake:
		l = copied
	case branchTake:
		l.CopyFrom(copied)
		for range 30 {
			nudge := Command{Verb: "nudge", Pane: AllPanes, Name: "y", Value: "2"}
			_ = l.Tick(Entry{Inputs: []sim.Input{{Buttons: sim.Lift}}, Commands: []Command{nudge}})
		}
		l.CopyFrom(copied)
	case onDiskTake:
		if l, err = s.fromDisk(told); err != nil {
			return err
		}
	default:
		l.CopyFrom(copied)
	}
	for _, e := range told.Entries[s.at:] {
		_ = l.Tick(e)
	}
	if got := l.Hash(); got != end {
		return fmt.Errorf("from tick %d on, the take %s has the hash %016x, want %016x", s.at, s.value(takeFactor), got, end)
	}
	return nil
}

// fromDisk writes the tape up to the moment of the take, reads and runs it, and returns a copy of that session.
func (s *pairSession) fromDisk(told *tape.Tape) (*Lab, error) {
	part := tape.Tape{Config: told.Config, Panes: told.Panes, Entries: told.Entries[:s.at]}
	var b bytes.Buffer
	if err := part.Write(&b); err != nil {
		return nil, err
	}
	read, err := tape.Read(&b)
	if err != nil {
		return nil, err
	}
	l, err := read.NewLab()
	if err != nil {
		return nil, err
	}
	l.AtOnce = atOnce
	for _, e := range read.Entries {
		_ = l.Tick(e)
	}
	return l.Fork(), nil
}

// replays writes a tape, reads it and compares the hashes of the session that it tells.
func replays(t *tape.Tape) error {
	var b bytes.Buffer
	if err := t.Write(&b); err != nil {
		return err
	}
	read, err := tape.Read(&b)
	if err != nil {
		return fmt.Errorf("the tape cannot be read: %w", err)
	}
	l, err := read.NewLab()
	if err != nil {
		return err
	}
	l.AtOnce = atOnce
	check := 0
	for i, e := range read.Entries {
		_ = l.Tick(e)
		if check < len(read.HashChecks) && read.HashChecks[check].Ticks == i+1 {
			if err := read.Verify(l, check); err != nil {
				return err
			}
			check++
		}
	}
	if check == 0 || check != len(t.HashChecks) {
		return fmt.Errorf("%d of %d hash checks", check, len(t.HashChecks))
	}
	return nil
}

// atOnce is a Lab's AtOnce that makes all calls at the same time. A panic in one of them is one of its own.
func atOnce(n int, do func(i int)) {
	panics := make(chan any, n)
	for i := range n {
		go func() {
			defer func() { panics <- recover() }()
			do(i)
		}()
	}
	var failed any
	for range n {
		if p := <-panics; p != nil {
			failed = p
		}
	}
	if failed != nil {
		panic(failed)
	}
}

// outside returns an error if a body of a pane is outside of the scene or no number, in a world or on a screen.
func outside(p *Pane) error {
	worlds := []*predict.World{p.ServerWorld}
	for _, c := range p.Clients {
		worlds = append(worlds, c.World)
		for i, b := range c.View.Bodies {
			if !b.Pos.IsFinite() || !b.Rot.IsFinite() || !drawnInside(b.Pos, p.ServerWorld.Scene()) {
				return fmt.Errorf("body %d is drawn at %v", i, b)
			}
		}
	}
	for n, w := range worlds {
		if err := w.CheckContacts(); err != nil {
			return fmt.Errorf("world %d: %w", n, err)
		}
		for i := range w.Bodies() {
			if b := &w.Bodies()[i]; !validation.Body(b, w.Scene()) {
				return fmt.Errorf("in world %d body %d is %+v", n, i, *b)
			}
		}
	}
	return nil
}

// refused returns how many payloads and datagrams a pane has refused that no network can have spoilt, unless somebody
// dishonest takes part.
func (s *pairSession) refused(p *Pane) (n int) {
	if slices.ContainsFunc(s.values, func(v *pairValue) bool { return v.dishonest }) {
		return 0
	}
	n = int(p.Counters.Value("rejected_payloads"))
	for i := range p.Clients {
		for _, e := range []*packet.Stats{&p.Clients[i].Endpoint.Stats, p.PeerStats(i)} {
			n += int(e.Rejected() + e.FalseFragments + e.InvalidAcks)
		}
	}
	return n
}
