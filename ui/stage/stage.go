// Package stage turns each pane of a session into scenes and cameras. It draws nothing itself and reads no clock, so
// the window and a video show the same; package hud writes over its pictures.
//
// A Stage follows a session by one call of Tick a tick. Its state, such as cameras that follow and colours that fade,
// counts in ticks and depends on the session alone, so the scenes of a tape are the same on every machine.
package stage

import (
	"slices"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

const (
	touchFadeIn    = 0.10 // share of the remaining change of colour in each tick in which a body is touched
	touchFadeOut   = 0.25 // share in each tick in which it is not
	touchTintShare = 0.55 // share of the player's colour in that of a touched body

	fallbackTintShare = 0.85 // share of FallbackColor in the colour of a body whose prediction is off
)

// Stage follows a session. The zero value has seen none.
type Stage struct {
	panes    []*pane
	camera   camera
	settings keptSettings
}

// pane is the state that a Stage keeps of a pane.
type pane struct {
	source      *lab.Pane
	serverWorld *predict.World // of source; it changes when the session restarts
	startTick   sim.Tick       // of the pane's strategy
	client      int            // whose screen is shown
	followed    int            // player at whom a watcher looks
	placed      bool           // placeKnown in the last tick

	current, previous tickPoses
	follower          follower
	clientTints       touchTints // of the client's picture
	serverTints       touchTints // of the server's picture

	inspection predict.Inspection // by the strategy, while a setting needs it
	bodyErrors bodyErrors         // while path errors colour the bodies
}

// touchTints are the colours of touching players in the bodies of a picture.
type touchTints struct {
	share  []float32 // of the player's colour, in [0, 1], by body
	player []int8    // by body
}

func newTouchTints(bodies int) touchTints {
	return touchTints{make([]float32, bodies), make([]int8, bodies)}
}

// update fades the colours for one tick; touchedBy is the touching player by body, negative for none.
func (t *touchTints) update(touchedBy []int8) {
	for i, player := range touchedBy {
		target, rate := float32(0), float32(touchFadeOut)
		if player >= 0 {
			target, rate = 1, touchFadeIn
			t.player[i] = player
		}
		t.share[i] += float32((target - t.share[i]) * rate)
	}
}

func (t *touchTints) clone() touchTints {
	return touchTints{slices.Clone(t.share), slices.Clone(t.player)}
}

// tickPoses are the poses of a pane after a tick.
type tickPoses struct {
	drawn, server, received []geom.Pose
	simulated               []geom.Pose // empty unless shown
	trail                   []geom.Vec3
	parentBoxes             []predict.ParentBox // empty unless shown

	drawnAt, serverAt sim.Moment // of the kinematic bodies in the client's and the server's picture
}

// Tick follows the session by one tick. Call it after each Tick of the lab.
func (s *Stage) Tick(l *lab.Lab) {
	s.syncPanes(l)
	show := s.Settings(l)
	for i, p := range l.Panes {
		q := s.panes[i]
		q.watch(show.Client(i, p), show.Followed(i, l))
		q.tick(p, &show)
		if known := q.placeKnown(); known && !q.placed {
			q.placed = true
			if l.Remote() {
				q.follower = follower{} // look at once to where the server's world turns out to be
			}
		}
	}
	s.camera.start(s.panes, l)
	s.camera.tick(s.panes, l, &show)
}

// Refresh follows commands that were applied between two ticks: panes opened, closed or restarted, and changed
// display settings.
func (s *Stage) Refresh(l *lab.Lab) {
	s.syncPanes(l)
	show := s.Settings(l)
	for i, p := range s.panes {
		p.watch(show.Client(i, p.source), show.Followed(i, l))
		p.inspect(&show)
	}
	s.camera.start(s.panes, l)
}

// placeKnown reports whether it is known where the pane's bodies are: not so before the first poses from another process.
func (p *pane) placeKnown() bool {
	return p.source.ServerWorld.Tick() > 0 || len(p.source.Clients[p.client].View.Bodies) > 0
}

// watch shows the screen of a client, or to a watcher a player.
func (p *pane) watch(client, followed int) {
	if p.followed != followed {
		p.followed, p.follower = followed, follower{}
	}
	if p.client != client {
		p.client, p.bodyErrors = client, bodyErrors{}
		p.current.capture(p.source, client)
		p.previous.capture(p.source, client)
	}
}

// player returns the body of the player whose screen is shown.
func (p *pane) player() int {
	if p.followed > 0 {
		return p.followed
	}
	return p.source.PlayerBodyOf(p.client)
}

// syncPanes follows panes that were opened, closed or restarted.
func (s *Stage) syncPanes(l *lab.Lab) {
	for len(s.panes) < len(l.Panes) {
		s.panes = append(s.panes, &pane{})
	}
	s.panes = s.panes[:len(l.Panes)]
	for i, p := range l.Panes {
		s.panes[i].attach(p)
	}
	s.camera.start(s.panes, l)
}

// Fork returns a copy of s that follows l, a fork of the lab that s has followed. The two share nothing.
func (s *Stage) Fork(l *lab.Lab) Stage {
	f := Stage{camera: s.camera}
	for i, p := range s.panes {
		q := *p
		q.source, q.serverWorld = l.Panes[i], l.Panes[i].ServerWorld
		q.current, q.previous = p.current.clone(), p.previous.clone()
		q.clientTints, q.serverTints = p.clientTints.clone(), p.serverTints.clone()
		q.inspection = predict.Inspection{}
		q.inspection.CopyFrom(&p.inspection)
		q.bodyErrors = p.bodyErrors.clone()
		f.panes = append(f.panes, &q)
	}
	return f
}

// Inspection returns what the strategy of a pane has reported for the present settings, only to be read.
func (s *Stage) Inspection(pane int) *predict.Inspection { return &s.panes[pane].inspection }

// PlayerAt returns where the client of a pane draws its player's body, and where the server has it, between the previous
// tick and the last. All lengths are in metres, in the world's frame.
func (s *Stage) PlayerAt(pane int, share float32) (drawn, server geom.Vec3) {
	p := s.panes[pane]
	player := p.player()
	return between(p.previous.drawn, p.current.drawn, player, share), between(p.previous.server, p.current.server, player, share)
}

// between returns the position of a body between two ticks.
func between(before, now []geom.Pose, body int, share float32) geom.Vec3 {
	if body >= len(before) {
		return now[body].Pos
	}
	return before[body].Pos.AddScaled(share, now[body].Pos.Sub(before[body].Pos))
}

func (t tickPoses) clone() tickPoses {
	t.drawn, t.server, t.received = slices.Clone(t.drawn), slices.Clone(t.server), slices.Clone(t.received)
	t.simulated, t.parentBoxes, t.trail = slices.Clone(t.simulated), slices.Clone(t.parentBoxes), slices.Clone(t.trail)
	return t
}

// attach makes p the state of a pane, new unless it already is of this pane and session.
func (p *pane) attach(source *lab.Pane) {
	if p.source == source && p.serverWorld == source.ServerWorld {
		return
	}
	n := len(source.ServerWorld.Bodies())
	*p = pane{source: source, serverWorld: source.ServerWorld, clientTints: newTouchTints(n), serverTints: newTouchTints(n)}
	p.current.capture(source, 0)
	p.previous.capture(source, 0)
}

// inspect asks the strategy for the data that the settings show, and for no other. It may run more than once a
// tick.
func (p *pane) inspect(show *Settings) {
	if show.Coloring != NoColoring || show.Packet || show.Headline == AgeHeadline || show.Ages || show.Parents || show.Joints || show.Slots {
		p.source.Inspect(&p.inspection)
	} else {
		p.inspection.Reset()
	}
	if v := &p.source.Clients[p.client].View; !show.Simulated {
		p.current.simulated = p.current.simulated[:0]
	} else {
		p.current.simulated = append(p.current.simulated[:0], v.Simulated...)
	}
	if show.Coloring != ByPathError {
		p.bodyErrors = bodyErrors{}
	} else if p.bodyErrors.count == 0 {
		p.bodyErrors.add(p)
	}
	p.current.parentBoxes = p.current.parentBoxes[:0]
	if show.Parents {
		p.current.parentBoxes = append(p.current.parentBoxes, p.inspection.ParentBoxes...)
	}
}

// tick follows the pane by one tick.
func (p *pane) tick(source *lab.Pane, show *Settings) {
	if p.startTick != source.StartTick() {
		p.bodyErrors, p.startTick = bodyErrors{}, source.StartTick()
	}
	p.current, p.previous = p.previous, p.current
	p.current.capture(source, p.client)
	p.serverTints.update(source.ServerWorld.TouchedBy())
	if known := source.Clients[p.client].View.TouchedBy; len(known) > 0 {
		p.clientTints.update(known)
	} else { // the client does not know, so show what the server knows
		p.clientTints.update(source.ServerWorld.TouchedBy())
	}
	if show.Coloring == ByPathError {
		p.bodyErrors.add(p)
	}
	p.inspect(show)
}

// capture takes the present poses of a pane, as one of its clients draws them. A client that has not made a tick yet draws the server's.
func (t *tickPoses) capture(source *lab.Pane, client int) {
	v := &source.Clients[client].View
	t.server = predict.AppendPoses(t.server[:0], source.ServerWorld.Bodies())
	t.drawn = append(t.drawn[:0], v.Bodies...)
	t.drawnAt, t.serverAt = v.Carriers, source.ServerWorld.Tick().Moment()
	if len(t.drawn) == 0 {
		t.drawn, t.drawnAt = append(t.drawn, t.server...), t.serverAt
	}
	t.received = append(t.received[:0], v.LastReceived...)
	t.trail = t.trail[:0]
	for _, p := range v.Trail {
		t.trail = append(t.trail, p.Pos)
	}
	if n := source.PlayerBodyOf(client); len(t.trail) > 0 && n < len(t.drawn) {
		t.trail = append(t.trail, v.Simulated[n].Pos)
	}
}

// Side says which side of a pane a picture shows.
type Side uint8

// The sides.
const (
	Combined   Side = iota // the client's poses, with ghosts of the server's
	ClientSide             // the same, beside a picture of the server's
	ServerSide             // the server's poses
)

// Viewport is one picture of a session.
type Viewport struct {
	Picture
	Client int // whose screen the client's picture is
	Camera render.Camera
	Scene  render.Scene
}

// Projection returns the projection of the camera to pixels of the picture.
func (v *Viewport) Projection() render.Projection {
	return v.Camera.Projection(float32(v.W), float32(v.H))
}

// Rect is a rectangle in pixels.
type Rect struct{ X, Y, W, H int }

// Contains reports whether a point lies in the rectangle.
func (r Rect) Contains(x, y float32) bool {
	return x >= float32(r.X) && y >= float32(r.Y) && x < float32(r.X+r.W) && y < float32(r.Y+r.H)
}

// Picture is a picture of a pane, or of one side of it, and its place in a frame.
type Picture struct {
	Pane int
	Side Side
	Rect
}

// Corrected names a body that its client has corrected in the last tick.
type Corrected struct{ Pane, Body int }

// Viewports appends the given pictures of a session. share, in [0, 1], is the present moment between the previous tick
// and the last. The client's picture has ghosts of a corrected body, which may be nil. Viewports beyond the length of
// dst are reused with their memory.
func (s *Stage) Viewports(dst []Viewport, l *lab.Lab, pictures []Picture, share float32, corrected *Corrected) []Viewport {
	show := s.Settings(l)
	for i := range pictures {
		if len(dst) < cap(dst) {
			dst = dst[:len(dst)+1]
		} else {
			dst = append(dst, Viewport{})
		}
		v := &dst[len(dst)-1]
		v.Picture = pictures[i]
		s.buildScene(v, l, share, &show, corrected)
	}
	return dst
}

// buildScene fills in the scene and the camera of a viewport.
func (s *Stage) buildScene(v *Viewport, l *lab.Lab, share float32, show *Settings, corrected *Corrected) {
	p := s.panes[v.Pane]
	v.Client = p.client
	v.Camera = s.cameraAt(v.Pane, share, show, v.W, v.H)
	v.Scene.Reset()
	at := func(before, now []geom.Pose, i int) geom.Pose { return poseAt(before, now, i, share) }
	world := p.source.ServerWorld.Scene()
	poses, previous, tints, colors := p.current.drawn, p.previous.drawn, &p.clientTints, PlayerColors
	moment, previousMoment := p.current.drawnAt, p.previous.drawnAt
	if v.Side == ServerSide {
		poses, previous, tints = p.current.server, p.previous.server, &p.serverTints
		moment, previousMoment = p.current.serverAt, p.previous.serverAt
		colors[p.player()] = ServerColor
	}
	for i := range poses {
		c := UnownedColor.Mix(colors[max(tints.player[i], 0)], float32(touchTintShare*tints.share[i]))
		if i < world.Players {
			c = colors[i]
		}
		if fallback := p.source.Clients[p.client].View.Fallback; v.Side != ServerSide && i < len(fallback) && fallback[i] {
			c = c.Mix(FallbackColor, fallbackTintShare)
		}
		if outside := p.source.Clients[p.client].View.Outside; v.Side != ServerSide && i < len(outside) && outside[i] {
			c = UnknownColor
		}
		if show.Coloring != NoColoring {
			if coloring, ok := p.bodyColor(show.Coloring, v.Side, i); ok {
				c = coloring
			}
		}
		v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: at(previous, poses, i), Half: world.Boxes[i].Half, Color: c})
	}
	for i := range poses { // parts follow all bodies, so that the index of a body is that of its cube
		drawn := v.Scene.Cubes[i]
		v.addSubShapes(world.Boxes[i].SubShapes, drawn.Pose, drawn.Color)
	}
	for _, b := range world.Static {
		v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: b.Start.Pose, Half: b.Half, Color: staticColor})
	}
	for i := range world.Carriers {
		c := &world.Carriers[i]
		for _, b := range c.Boxes {
			now, before := c.Path.PoseAt(b.Start.Pose, moment, p.source.ServerWorld.Rate()), c.Path.PoseAt(b.Start.Pose, previousMoment, p.source.ServerWorld.Rate())
			if share < 1 {
				now = smoothing.LerpPose(before, now, share)
			}
			v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: now, Half: b.Half, Color: carrierColor})
		}
	}
	if show.Shots {
		p.addShots(v, l)
	}
	p.addDrag(v, share)
	if v.Side == ServerSide {
		return
	}
	if show.Shots {
		v.addEffects(p.source.Clients[0].View.Effects, world, p.source.ServerWorld.Rate())
	}
	for i := range p.current.simulated { // empty unless shown
		p.addOutline(v, at(p.previous.simulated, p.current.simulated, i), i)
	}
	p.addParentBoxes(v, share)
	if show.Joints {
		p.addOpenJoints(v)
		p.addRoots(v)
	}
	if show.Ghosts {
		player := p.player()
		if player < len(p.current.received) {
			p.addGhost(v, at(p.previous.received, p.current.received, player), player, ReceivedColor)
		}
		first := len(v.Scene.Cubes)
		for i := range p.current.server {
			p.addGhost(v, at(p.previous.server, p.current.server, i), i, ServerColor)
		}
		v.addGhostEdges(first)
	}
	if corrected != nil && corrected.Pane == v.Pane {
		s.addCorrection(v, corrected.Body)
	}
	if show.Trail && len(p.current.trail) > 1 {
		v.Scene.AddTrail(p.current.trail, PlayerColors[p.player()])
	}
}

// poseAt returns the pose of a body between two ticks.
func poseAt(before, now []geom.Pose, i int, share float32) geom.Pose {
	if i >= len(before) || share >= 1 {
		return now[i]
	}
	return smoothing.LerpPose(before[i], now[i], share)
}

// addParts adds the boxes of a body at a pose besides its first.
func (v *Viewport) addSubShapes(list []sim.SubShape, at geom.Pose, c render.Color) {
	for _, p := range list {
		pose := geom.Pose{Pos: at.Pos.Add(at.Rot.Rotate(p.Pose.Pos)), Rot: at.Rot.Mul(p.Pose.Rot).Unit()}
		v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: pose, Half: p.Half, Color: c})
	}
}
