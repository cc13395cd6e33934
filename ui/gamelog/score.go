package gamelog

import (
	"fmt"
	"io"
	"math"
	"slices"

	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/score"
	"ghostcube/sim/geom"
)

// Card is the score of a log.
type Card struct {
	Head     Line
	Measures []score.Measure // key to screen first; those that the log says nothing about have no value
	Seconds  float64         // from the first line of the client to the last
	Views    int             // frames that were scored
	Presses  int             // key presses that were measured
	Faults   []string        // sentences on what cannot be true in the log: its score means nothing
	Warnings []string        // sentences on what is probably wrong in it
	Notes    []string        // sentences on what is missing in the log
}

// needsClock are the measures that compare the picture with the server's state of the same moment.
var needsClock = []string{"display_delay_ms", "nominal_delay_mean_ms", "lag_error_rms_m", "freeze_percent", "longest_freeze_ms"}

// cardMeasures are the measures of a card. The others need the shapes of bodies, joints or the strategy's counters.
var cardMeasures = append([]string{
	"path_error_rms_m", "path_error_max_m", "path_error_rms_degrees", "path_error_rms_all_m", "pops_per_minute", "largest_pop_m",
	"pops_all_per_minute", "jerk_ratio", "up_kbit_per_second", "down_kbit_per_second", "resimulated_ticks_per_minute",
}, needsClock...)

// maxHeld is the number of frames by which a frame may be late before the one on the screen counts again.
const maxHeld = 1.5

// scorer scores a log while it is read.
type scorer struct {
	recording      *Recording
	client, states *Reader // the same one if one process has written both
	server         server
	world          *world      // nil until the player's body has been drawn
	now            int64       // step of the world
	queue          []state     // lines of the server that the world has not reached, oldest first, of a log with both sides
	lag            int64       // smallest number of steps by which the world was behind a frame in the last second
	frames         int         // in it
	saved          score.Score // before the frames that have counted again
	savedFrames    int         // of the film
	score          score.Score
	view           predict.View
	drawn          map[int32]int // bodies of the view, by id

	presses presses
	pace    pace
	present present
	counts  score.Counts
	packets int

	clock            Line    // newest line c; its Number is 0 if there is none
	began, ended     int64   // microseconds, of the client's lines
	lines            int     // of the client
	viewed           int64   // microseconds, of the last view
	late             float64 // frames by which the last view was late; negative: early
	held             int     // frames that have counted again since the last view
	spans            int     // times between views that were not much too long
	span             int64   // microseconds, their sum
	rotates          bool
	early            int // views before the player's body was drawn
	left             int // bodies that came too late to be scored
	serverEnds, done bool
}

// Score scores a log to its end. states is the log of the server, or the same Reader as client if one log has both; two logs
// may be given in either order. recording receives what a session needs to repeat the log; it may be nil.
func Score(client, states *Reader, recording *Recording) (*Card, error) {
	if client.Head.Role == "server" && states.Head.Role == "client" {
		client, states = states, client
	}
	if err := checkPair(client, states); err != nil {
		return nil, err
	}
	if recording == nil {
		recording = &Recording{full: true}
	}
	recording.rate = client.Head.Rate
	if f := recording.Film; f != nil {
		f.rate, f.fps, f.up = client.Head.Rate, client.Head.Frames, client.Head.Above
		defer f.end()
	}
	s := &scorer{recording: recording, client: client, states: states, server: newServer(&client.Head), drawn: map[int32]int{}}
	s.present.rate = float64(client.Head.Rate)
	for !s.done {
		l, err := client.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = s.add(l)
		}
		if err != nil {
			return nil, err
		}
	}
	return s.card()
}

// checkPair reports two logs that do not belong together.
func checkPair(client, states *Reader) error {
	c, s := &client.Head, &states.Head
	switch {
	case client == states && c.Role != "both":
		return fmt.Errorf("%s: line 1: field role: %q: want \"both\", or the log of the other side as a second file", client.name, c.Role)
	case client == states:
		return nil
	case c.Role != "client":
		return fmt.Errorf("%s: line 1: field role: %q: want \"client\" in the first of two logs", client.name, c.Role)
	case s.Role != "server":
		return fmt.Errorf("%s: line 1: field role: %q: want \"server\" in the second of two logs", states.name, s.Role)
	case c.Rate != s.Rate:
		return fmt.Errorf("%s: line 1: field hz: %d: want %d as in %s", states.name, s.Rate, c.Rate, client.name)
	case c.Unit != s.Unit:
		return fmt.Errorf("%s: line 1: field unit: %v: want %v as in %s", states.name, s.Unit, c.Unit, client.name)
	}
	return nil
}

// add handles a line of the client's log.
func (s *scorer) add(l *Line) error {
	if l.Kind == 's' {
		s.addState(l)
		return nil
	}
	s.recording.add(l)
	if s.lines == 0 {
		s.began, s.ended = l.Time, l.Time
	}
	s.lines++
	s.began, s.ended = min(s.began, l.Time), max(s.ended, l.Time) // other threads may have written lines p
	switch l.Kind {
	case 'v':
		s.pace.view(l, float64(s.client.Head.Rate))
		return s.addView(l)
	case 'i':
		s.presses.press(l, s.world != nil)
	case 'p':
		n := uint64(l.Bytes + link.UDPIPHeaderBytes)
		if s.packets++; l.Up {
			s.counts.UpBytes += n
		} else {
			s.counts.DownBytes += n
		}
	case 'c':
		s.clock = *l
		s.clock.Bodies, s.clock.Others = nil, nil
	case 'r':
		s.counts.Replays = true
		s.counts.Replayed += float64(l.Replayed)
	}
	return nil
}

// state is a line of the server.
type state struct {
	tick   float64
	bodies []Body
}

// queueDivisor is how many queues of a log with both sides make a second. Threads may write frames and ticks in bursts.
const queueDivisor = 4

// addState handles a line of the server. In a log with both sides the line waits for its frame. If no frame comes for long, the
// last one counts as still on the screen.
func (s *scorer) addState(l *Line) {
	if s.client != s.states || s.world == nil {
		s.advance(l.Tick, l.Bodies)
		return
	}
	if len(s.queue) >= s.client.Head.Rate/queueDivisor {
		s.popState()
	}
	n := len(s.queue)
	s.queue = slices.Grow(s.queue, 1)[:n+1]
	s.queue[n].tick, s.queue[n].bodies = l.Tick, append(s.queue[n].bodies[:0], l.Bodies...)
}

// popState advances the server to the oldest line of the queue.
func (s *scorer) popState() {
	first := s.queue[0]
	s.advance(first.tick, first.bodies)
	n := copy(s.queue, s.queue[1:])
	s.queue[n].bodies = first.bodies // to reuse their memory
	s.queue = s.queue[:n]
}

// advance advances the server to a state. The world first makes its steps up to the state before; in a log with both sides
// the last frame counts as on the screen during these steps.
func (s *scorer) advance(tick float64, bodies []Body) {
	if s.world != nil {
		for last := s.server.newest() - 1; s.now < last; {
			s.step()
			if s.client == s.states {
				if s.held == 0 {
					s.saved.CopyFrom(&s.score)
					s.savedFrames = s.recording.Film.count()
				}
				s.addFrame()
				s.held++
			}
		}
	}
	s.server.add(tick, bodies)
}

// step makes the next step of the world.
func (s *scorer) step() {
	s.now++
	s.world.set(&s.server, s.now)
	s.recording.Film.step(s.world, s.now)
	s.score.AddServerStep(s.world.World, 0)
}

// readStates advances the server, by its log or the queue, until it knows a step of the world.
func (s *scorer) readStates(step int64) error {
	for s.server.states == 0 || s.server.newest() < step {
		switch {
		case s.client == s.states && len(s.queue) == 0 || s.serverEnds:
			return nil
		case s.client == s.states:
			s.popState()
			continue
		}
		l, err := s.states.Next()
		switch {
		case err == io.EOF:
			s.serverEnds = true
		case err != nil:
			return err
		default:
			s.addState(l)
		}
	}
	return nil
}

// target returns the step of the world at the time of a view: by the order of the lines in a log with both sides, by the
// clock, or, without one, as if the view showed the present.
func (s *scorer) target(l *Line) int64 {
	switch {
	case s.client == s.states && len(s.queue) > 0:
		return int64(math.Floor(s.server.stepOf(s.queue[len(s.queue)-1].tick)))
	case s.client == s.states:
		return s.server.newest()
	case s.clock.Number > 0:
		return int64(math.Floor(s.server.stepOf(s.clockTick(l)) + 0.5))
	}
	return int64(math.Ceil(s.server.stepOf(max(l.Tick, l.Delayed))))
}

// clockTick returns the server's tick at a frame, by the newest line c.
func (s *scorer) clockTick(l *Line) float64 {
	return s.clock.Tick + float64((l.Time-s.clock.Time)*int64(s.client.Head.Rate))/1e6
}

// addView handles a frame.
func (s *scorer) addView(l *Line) error {
	if s.server.states == 0 {
		if err := s.readStates(0); err != nil {
			return err
		}
		if s.server.states == 0 {
			s.early++
			return nil
		}
	}
	if s.world == nil && s.client != s.states && s.clock.Number > 0 {
		s.server.align(s.clockTick(l))
	}
	target, newest, scored := s.target(l), s.server.afterTick, s.score.Ticks
	if n := len(s.queue); n > 0 {
		newest = int64(s.queue[n-1].tick)
	}
	if s.world == nil {
		if err := s.readStates(target); err != nil || !s.start(l, target) {
			return err
		}
	} else {
		for range s.heldFrames(l) {
			if err := s.frame(min(target, s.now+1)); err != nil {
				return err
			}
		}
	}
	s.draw(l)
	if err := s.frame(target); err != nil {
		return err
	}
	s.viewed, s.held = l.Time, 0
	if ended := s.serverEnds && s.now >= s.server.newest(); s.score.Ticks > scored && !ended {
		shown := l.Tick
		if l.HasDelayed {
			shown = l.Delayed
		}
		paced := float64(s.score.Added()) > paceSettles*float64(s.client.Head.Frames)
		s.present.add(l.Time, newest, s.clockTick(l), s.clock.Number > 0, shown, s.server.tickOf(s.now), paced)
		s.present.settle(s.client.Head.Frames, false)
	}
	s.presses.view(l, s.view.Bodies[0].Pos)
	s.done = s.serverEnds && s.now >= s.server.newest() && target > s.now+int64(s.client.Head.Frames)
	return nil
}

// start makes the world if both the frame and the server have the player's body. Bodies that either of them lacks are not
// scored.
func (s *scorer) start(l *Line, target int64) bool {
	head := &s.client.Head
	k, known := s.server.index[head.Player]
	list := []int{k}
	s.drawn[head.Player] = 0
	found := false
	for _, group := range [...][]Body{l.Bodies, l.Others} {
		for i := range group {
			k, ok := s.server.index[group[i].ID]
			if group[i].ID == head.Player {
				found = true
			} else if ok {
				s.drawn[group[i].ID] = len(list)
				list = append(list, k)
			}
		}
	}
	if !known || !found {
		clear(s.drawn)
		s.early++
		return false
	}
	s.world = newWorld(head.Frames, list, s.server.after[k].Pos, head.Unit)
	s.view.Bodies, s.view.Predicted = make([]geom.Pose, len(list)), make([]bool, len(list))
	s.now = max(min(target, s.server.newest())-1, 0)
	s.viewed = l.Time
	s.presses.began = l.Time + pressesFrom
	return true
}

// heldFrames returns the number of further frames for which the last one was on the screen.
func (s *scorer) heldFrames(l *Line) (n int) {
	head := &s.client.Head
	gap := float64((l.Time-s.viewed)*int64(head.Frames)) / 1e6
	s.late += gap - 1 - float64(s.held)
	if s.late > maxHeld {
		n = int(s.late)
		s.late -= float64(n)
	} else if s.late > -maxHeld {
		s.spans++
		s.span += l.Time - s.viewed
	}
	s.late = max(-1, s.late*0.95) // a display is never exactly as fast as it says
	return n
}

// draw makes the view that of a frame. A body that the frame lacks stays where it was.
func (s *scorer) draw(l *Line) {
	own := s.server.moment(l.Tick)
	s.view.Own, s.view.Others = own, own
	if l.HasDelayed {
		s.view.Others = s.server.moment(l.Delayed)
	}
	for group, list := range [...][]Body{l.Bodies, l.Others} {
		for i := range list {
			k, ok := s.drawn[list[i].ID]
			if !ok {
				s.left++
				continue
			}
			s.view.Bodies[k], s.view.Predicted[k] = s.world.pose(&list[i]), group == 0
			s.rotates = s.rotates || list[i].Rot[3] != 1
		}
	}
}

// frame scores a frame, and makes the steps of the world that come with it. target is the step that belongs to its time. A
// world that is near it makes one step, so that the order of lines alone is no stutter, and catches up once a second.
func (s *scorer) frame(target int64) error {
	head := &s.client.Head
	near := int64(1 + (head.Frames+head.Rate-1)/head.Rate)
	if s.client == s.states {
		near += int64(head.Frames / queueDivisor)
	}
	last := target
	if next := s.now + 1; target-next <= near && next-target <= near {
		last = next
	}
	spare := int64(0) // steps that the world stays behind: a tick may come a frame later than the one before
	if s.client == s.states && head.Frames > head.Rate {
		spare = 1
	}
	if s.frames++; s.frames >= head.Frames {
		last += max(s.lag-spare, 0)
		s.frames, s.lag = 0, near
	}
	for s.now < last {
		if err := s.readStates(s.now + 1); err != nil {
			return err
		}
		if s.server.newest() <= s.now {
			break
		}
		s.step()
	}
	s.lag = min(s.lag, target-s.now)
	s.addFrame()
	return nil
}

// addFrame scores the view.
func (s *scorer) addFrame() {
	s.score.Add(s.world.World, &s.view, 0)
	s.recording.Film.frame(&s.view, s.viewed)
}

// card returns the score of a log that has been read.
func (s *scorer) card() (*Card, error) {
	head := &s.client.Head
	switch {
	case s.server.states == 0:
		return nil, fmt.Errorf("%s: no line of the server: want t=s for each of its ticks", s.states.name)
	case s.world == nil:
		return nil, fmt.Errorf("%s: body %d, the player's, is never in lines v and s: want it in both", s.client.name, head.Player)
	}
	if s.held > 0 { // the client ended first
		s.score.CopyFrom(&s.saved)
		s.recording.Film.cut(s.savedFrames)
	}
	c := &Card{Head: *head, Views: s.score.Ticks, Presses: s.presses.count, Seconds: float64(s.ended-s.began)/1e6 + 1/float64(head.Frames)}
	s.counts.Seconds = c.Seconds
	clock := s.client == s.states || s.clock.Number > 0
	c.Measures = append(c.Measures, score.KeyToScreen(s.presses.mean()*float64(head.Frames)/1e6, s.presses.count > 0, head.Frames))
	s.present.settle(head.Frames, true)
	behind, ahead := s.present.means()
	ticks := func(n float64) float64 { return n * 1000 / float64(head.Rate) }
	for _, m := range s.score.Measures(nil, s.counts) {
		switch m.Name {
		case "nominal_delay_mean_ms":
			m.Value, m.OK = ticks(behind), m.OK && s.present.frames > 0
		case "display_delay_ms":
			lag, ok := s.score.DisplayDelayBetween()
			m.Value, m.OK = lag*1000/float64(head.Frames)+ticks(ahead), ok && s.present.paced > 0
		case "path_error_rms_degrees":
			m.OK = m.OK && s.rotates
		case "up_kbit_per_second", "down_kbit_per_second":
			m.OK = m.OK && s.packets > 0
		}
		if slices.Contains(needsClock, m.Name) {
			m.OK = m.OK && clock
		}
		if slices.Contains(cardMeasures, m.Name) {
			c.Measures = append(c.Measures, m)
		}
	}
	s.addNotes(c, clock)
	return c, nil
}

// addNotes adds sentences on what is missing and what is wrong in the log.
func (s *scorer) addNotes(c *Card, clock bool) {
	note := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	c.Faults, c.Warnings = s.faults(c, clock), s.warnings(c)
	if short := s.score.Ticks < c.Head.Frames; short {
		note("The log is too short: %.1f s. The first second is not scored, errors need another one, and pops 5 s.", c.Seconds)
	} else if s.presses.count == 0 {
		note("No key press was measured: want lines i, and in lines v the field in or a body at rest at the press.")
	}
	if doubt := s.present.doubt * 1000 / float64(c.Head.Rate); clock && doubt > doubtMillis {
		note("Delays may be off by %.1f ms: frames and ticks are in step, and only lines c tell when ticks were.", doubt)
	}
	if !clock {
		note("Delays, lag error and freezes need the server's time: want lines c.")
	}
	if s.packets == 0 {
		note("Bandwidth needs lines p.")
	}
	if s.early > 0 {
		note("Frames before the player's body was drawn, and in a line of the server, are not scored: %d.", s.early)
	}
	if s.left > 0 {
		note("Bodies that the first scored frame or the server did not have are not scored: %d times.", s.left)
	}
	if s.done {
		note("The server's log ends before the client's: later frames are not scored.")
	}
}
