package gamelog

import (
	"slices"

	"ghostcube/net/packet"
	"ghostcube/net/quant"
	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Bounds of a film: 56 MB of poses, 24 MB of corrections and datagrams.
const (
	maxFilmPoses  = 2_000_000
	maxFilmEvents = 1_000_000
)

// filmHalf is half the edge of the cubes for which a film shows the bodies of a log, which have no size, in metres.
const filmHalf = 0.5

// Film is what a log shows, frame by frame, as far as its Recording goes: the server's poses, those that the client has drawn,
// its corrections and its datagrams. The zero value is ready for Score. A pane of the lab can play it (Strategy).
type Film struct {
	began  int64 // microseconds, of the first frame
	start  int64 // microseconds, of the recording
	rate   int   // ticks a second
	fps    int   // frames a second
	bodies int
	up     string // vertical axis; empty: the log does not say

	steps  []geom.Pose // of the server's world, bodies for each step
	ticks  []sim.Tick  // of the world after each step
	drawn  []geom.Pose // bodies for each frame
	frames []filmFrame

	corrected []filmEvent    // resimulated ticks
	sent      [2][]filmEvent // up, down: bytes of a datagram
	full      bool
}

// filmFrame is a frame on the client's screen.
type filmFrame struct {
	steps       int // of the world until then
	own, others sim.Moment
	predicted   []bool
}

// filmEvent is something that happens at a time, with a number.
type filmEvent struct {
	at int64 // microseconds
	n  int
}

// add takes a line of the client that is recorded.
func (f *Film) add(l *Line) {
	switch {
	case f == nil || f.full:
	case l.Kind == 'r':
		f.corrected = append(f.corrected, filmEvent{l.Time, l.Replayed})
	case l.Kind == 'p':
		way := 1
		if l.Up {
			way = 0
		}
		f.sent[way] = append(f.sent[way], filmEvent{l.Time, l.Bytes})
	}
	if f != nil && len(f.corrected)+len(f.sent[0])+len(f.sent[1]) >= maxFilmEvents {
		f.full = true
	}
}

// step adds a step of the world.
func (f *Film) step(w *world, tick int64) {
	if f == nil || f.full {
		return
	}
	f.steps, f.ticks = predict.AppendPoses(f.steps, w.Bodies()), append(f.ticks, sim.Tick(tick))
	f.full = len(f.steps)+len(f.drawn) > maxFilmPoses
}

// frame adds a frame at a time in microseconds.
func (f *Film) frame(v *predict.View, at int64) {
	if f == nil || f.full || len(f.ticks) == 0 {
		return
	}
	if len(f.frames) == 0 {
		f.began, f.bodies = at, len(v.Bodies)
	}
	frame := filmFrame{steps: len(f.ticks), own: v.Own, others: v.Others}
	if n := len(f.frames); n > 0 && slices.Equal(f.frames[n-1].predicted, v.Predicted) {
		frame.predicted = f.frames[n-1].predicted
	} else {
		frame.predicted = slices.Clone(v.Predicted)
	}
	f.drawn, f.frames = append(f.drawn, v.Bodies...), append(f.frames, frame)
}

// count returns the number of frames.
func (f *Film) count() int {
	if f == nil {
		return 0
	}
	return len(f.frames)
}

// cut leaves the first n frames.
func (f *Film) cut(n int) {
	if f != nil && n < len(f.frames) {
		f.frames = f.frames[:n]
	}
}

// isFull reports whether the film has reached its bound.
func (f *Film) isFull() bool { return f != nil && f.full }

// Ticks returns the length of the film in ticks of the lab, from the start of the recording.
func (f *Film) Ticks() int {
	if len(f.frames) == 0 {
		return 0
	}
	return f.firstTick() + len(f.frames)*f.rate/f.fps
}

// firstTick returns the tick of the recording in which the first frame is shown.
func (f *Film) firstTick() int { return f.tickAt(f.began) }

// tickAt returns the tick of the recording at a time, which may have been rounded down to a microsecond.
func (f *Film) tickAt(at int64) int { return int((at + 1 - f.start) * int64(f.rate) / 1e6) }

// end makes the film ready to be shown: the player's cube begins on the ground, and up is the vertical axis of the lab.
func (f *Film) end() {
	if len(f.frames) == 0 {
		return
	}
	if f.upIsY() {
		for _, list := range [][]geom.Pose{f.steps, f.drawn} {
			for i, p := range list {
				list[i].Pos = geom.Vec3{X: p.Pos.X, Y: -p.Pos.Z, Z: p.Pos.Y}
				list[i].Rot = geom.Quat{X: p.Rot.X, Y: -p.Rot.Z, Z: p.Rot.Y, W: p.Rot.W}
			}
		}
	}
	base := f.steps[0].Pos
	base.Z -= filmHalf
	for _, list := range [][]geom.Pose{f.steps, f.drawn} {
		for i := range list {
			list[i].Pos = list[i].Pos.Sub(base)
		}
	}
}

// upIsY reports whether y is the vertical axis: if the log does not say so, it is the one of y and z along which bodies and
// their ways are less far apart.
func (f *Film) upIsY() bool {
	if f.up != "" {
		return f.up == "y"
	}
	low, high := f.steps[0].Pos, f.steps[0].Pos
	for i := range f.steps {
		p := f.steps[i].Pos
		low.Y, low.Z, high.Y, high.Z = min(low.Y, p.Y), min(low.Z, p.Z), max(high.Y, p.Y), max(high.Z, p.Z)
	}
	return high.Y-low.Y < high.Z-low.Z
}

// Scene returns the scene of the film's pane: a cube for each body, the player's first, and nothing that moves by itself.
func (f *Film) Scene() sim.Scene {
	const far = 1e6
	s := sim.Scene{Name: "log", Players: 1, MaxLinearSpeed: 1000, HalfWidth: far, Height: far, Boxes: make([]sim.Box, f.bodies)}
	for i := range s.Boxes {
		half := geom.Vec3{X: filmHalf, Y: filmHalf, Z: filmHalf}
		s.Boxes[i] = sim.Box{Half: half, Density: 1, Start: sim.Body{Pose: f.steps[i], Asleep: true}}
	}
	return s
}

// Strategy returns the strategy of a pane that plays the film: both sides show the log's poses, and send datagrams of the log's
// sizes over the lab's network. Nothing is simulated, and inputs have no effect.
func (f *Film) Strategy() *predict.Strategy {
	return &predict.Strategy{
		Name:      "log",
		Doc:       "a game, as its log has it\n\nServer and screen are those of the game; nothing is simulated. The card of score has its measures.",
		Source:    "the game's log (docs/gamelog.md)",
		NewServer: func(env *predict.Env) predict.Server { return newFilmServer(f, env) },
		NewClient: func(env *predict.Env) predict.Client { return &filmClient{filmSide: filmSide{film: f}, env: env} },
		Fields:    func(bool, []byte, *sim.Scene, func(quant.Field)) error { return nil },
		Motion:    predict.PredictedCube,
	}
}

// filmSide is what both sides of a film have.
type filmSide struct {
	film  *Film
	ticks int // of the lab
}

// frame returns the index of the frame that the present tick shows, -1 before the first one.
func (s *filmSide) frame() int {
	f := s.film
	passed := s.ticks - 1 - f.firstTick()
	if passed < 0 {
		return -1
	}
	return min(passed*f.fps/f.rate, len(f.frames)-1)
}

// scaled converts a moment from steps of the film, one a frame, to ticks of the lab.
func (f *Film) scaled(m sim.Moment) sim.Moment {
	return sim.Moment(int64(m)/int64(f.fps)*int64(f.rate)) + sim.Moment(int64(m)%int64(f.fps)*int64(f.rate)/int64(f.fps))
}

// within calls do with the events of the present tick, of a list in the order of time.
func (s *filmSide) within(list []filmEvent, do func(n int)) {
	tick := func(e filmEvent) int { return s.film.tickAt(e.at) }
	i, _ := slices.BinarySearchFunc(list, s.ticks-1, func(e filmEvent, now int) int { return tick(e) - now })
	for ; i < len(list) && tick(list[i]) == s.ticks-1; i++ {
		do(list[i].n)
	}
}

// zeros are the payloads of a film's datagrams, of which a log has only the sizes.
var zeros = make([]byte, packet.MaxPayload)

// send sends datagrams of the sizes of those of the log.
func (s *filmSide) send(list []filmEvent, to *packet.Endpoint) {
	s.within(list, func(n int) {
		to.Send(zeros[:min(max(n-packet.HeaderBytes, 0), len(zeros))])
	})
}

type filmServer struct {
	filmSide
	env   *predict.Env
	state predict.State
	steps int // made
}

func newFilmServer(f *Film, env *predict.Env) *filmServer {
	s := &filmServer{filmSide: filmSide{film: f}, env: env}
	env.World.Save(&s.state)
	return s
}

// Tick puts the poses of the steps that belong to the tick into the world.
func (s *filmServer) Tick(_ []sim.Input, peers []predict.Peer) {
	s.ticks++
	f, w := s.film, s.env.World
	for i := range peers {
		for _, ok := peers[i].Endpoint.Receive(); ok; _, ok = peers[i].Endpoint.Receive() {
		}
		s.send(f.sent[1], peers[i].Endpoint)
	}
	i := s.frame()
	if i < 0 {
		return
	}
	for ; s.steps < f.frames[i].steps; s.steps++ {
		tick := f.scaled(f.ticks[s.steps].Moment()).Tick()
		for b := range s.state.Bodies {
			s.state.Bodies[b].Pose = f.steps[s.steps*f.bodies+b]
		}
		advanced := tick != w.Tick()
		s.state.Tick = tick
		w.Load(&s.state)
		if advanced && s.env.OnStep != nil {
			s.env.OnStep()
		}
	}
}

// Forget forgets nothing: the log goes on.
func (s *filmServer) Forget(int) {}

// CopyFrom makes the server one that has played as much of the film.
func (s *filmServer) CopyFrom(from predict.Server) {
	o := from.(*filmServer)
	s.ticks, s.steps = o.ticks, o.steps
}

type filmClient struct {
	filmSide
	env *predict.Env
}

// Tick takes what the log has of the tick.
func (c *filmClient) Tick(_ sim.Input, server *packet.Endpoint) {
	c.ticks++
	var newest packet.Sequence
	for p, ok := server.Receive(); ok; p, ok = server.Receive() {
		newest = p.Sequence
	}
	c.send(c.film.sent[0], server)
	c.within(c.film.corrected, func(n int) {
		if c.env.OnCorrection != nil {
			c.env.OnCorrection(predict.Correction{Packet: newest, Cause: predict.Logged, ReplayedTicks: n})
		}
	})
}

// View shows the frame of the tick. Before the first one there is none.
func (c *filmClient) View(v *predict.View) {
	f, i := c.film, c.frame()
	if i < 0 {
		v.Note = "the log has no frame yet"
		return
	}
	frame := &f.frames[i]
	v.Own, v.Others = f.scaled(frame.own), f.scaled(frame.others)
	v.Carriers = v.Others
	v.Bodies = append(v.Bodies, f.drawn[i*f.bodies:(i+1)*f.bodies]...)
	v.Simulated = append(v.Simulated, v.Bodies...)
	v.Predicted = append(v.Predicted, frame.predicted...)
	for back := predict.TrailTicks; back >= 0; back -= predict.TrailStep {
		earlier := filmSide{film: f, ticks: c.ticks - back}
		if k := earlier.frame(); k >= 0 {
			v.Trail = append(v.Trail, f.drawn[k*f.bodies])
		}
	}
}

// CopyFrom makes the client one that has played as much of the film.
func (c *filmClient) CopyFrom(from predict.Client) { c.ticks = from.(*filmClient).ticks }
