// Package stage turns a session into pictures: panes become scenes and
// cameras, and what is written and drawn over them becomes a list. It draws
// nothing itself, so a window and a film show the same.
//
// A Stage is moved on by one call a tick. What it remembers (cameras that
// follow, colours that fade, graphs) is counted in ticks and made of the
// session alone, so a tape's film is the same whoever makes it.
package stage

import (
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// The colours of things, after Fiedler's demo and the prediction demo: who
// holds what in the client's picture is told by them.
var (
	UnownedColor  = render.RGB(0.75, 0.75, 0.80)
	ClientColor   = render.RGB(0.90, 0, 0)
	ServerColor   = render.RGB(1, 0.80, 0.10)
	ReceivedColor = render.RGB(0.20, 0.50, 1)
	StaticColor   = render.RGB(0.55, 0.58, 0.62)
	CarrierColor  = render.RGB(0.45, 0.56, 0.52)
	FallbackColor = render.RGB(0.35, 0.95, 1) // lent to what the client treats otherwise than usual
)

// PlayerColors are the colours of the players' cubes, the first one's being the
// client's.
var PlayerColors = [4]render.Color{ClientColor, render.RGB(0.30, 0.30, 1), render.RGB(0, 0.90, 0.10), render.RGB(1, 0.95, 0.20)}

const (
	ghostAlpha       = 120  // of 255
	minGhostDistance = 0.01 // metres from which a body and its ghost are told apart
	minGhostAngle    = 0.02 // radians from which they are

	cameraFollow   = 0.15 // share of the way that a camera makes to its target in 1/60 s (Fiedler)
	touchFadeIn    = 0.10 // share of the way that a colour makes when a body is touched
	touchFadeOut   = 0.25 // and when it is no longer
	touchTintShare = 0.55 // of a touched body's colour is the player's

	fallbackTintShare = 0.85 // of a switched body's colour says so
)

// Stage follows a session.
type Stage struct {
	panes []*pane
	ages  ageHistogram // what to count with
}

// pane is what is remembered of one pane.
type pane struct {
	source      *lab.Pane
	serverWorld *sim.World // of it; another one is another session
	startTick   sim.Tick

	current, previous tickPoses
	cameraTarget      geom.Vec3  // of the camera
	lastCameraTarget  geom.Vec3  // a tick before
	clientTints       touchTints // of the client's picture
	serverTints       touchTints // of the server's
	graphs            [GraphCount]Graph
	upRate, downRate  bitRate
	replayedTicks     float64
	correctionCount   int // how many corrections had been made

	inspection    predict.Inspection // by the strategy, if anything of it is shown
	packetHistory packetHistory      // of the last second, as long as they are shown
}

// touchTints are the colours that touching players lend to the bodies of a picture.
type touchTints struct {
	share  []float32 // of the player's colour, by body
	player []int8
}

func newTouchTints(bodies int) touchTints {
	return touchTints{make([]float32, bodies), make([]int8, bodies)}
}

// update lets the colours follow who touches what for one tick.
func (c *touchTints) update(touched []int8) {
	for i, t := range touched {
		want, speed := float32(0), float32(touchFadeOut)
		if t >= 0 {
			want, speed = 1, touchFadeIn
			c.player[i] = t
		}
		c.share[i] += float32((want - c.share[i]) * speed)
	}
}

func (c *touchTints) clone() touchTints {
	return touchTints{append([]float32(nil), c.share...), append([]int8(nil), c.player...)}
}

// tickPoses is where everything is in one tick.
type tickPoses struct {
	drawn, server, received []geom.Pose
	simulated               []geom.Pose // as simulated, if that is shown
	trail                   []geom.Vec3
	parentBoxes             []predict.ParentBox // if they are shown

	// The moments that the pictures show, for what moves by the tick alone.
	drawnAt, serverAt sim.Moment
}

// Tick takes in the session after a tick of it.
func (s *Stage) Tick(l *lab.Lab) {
	s.syncPanes(l)
	show := SettingsOf(l)
	for i, p := range l.Panes {
		s.panes[i].tick(p, l, &show)
	}
}

// Refresh takes in what commands did to the session between two ticks: panes that
// came, went or began anew, and what is shown of them.
func (s *Stage) Refresh(l *lab.Lab) {
	s.syncPanes(l)
	show := SettingsOf(l)
	for _, p := range s.panes {
		p.inspect(&show)
	}
}

// syncPanes takes in panes that came, went or began anew.
func (s *Stage) syncPanes(l *lab.Lab) {
	for len(s.panes) < len(l.Panes) {
		s.panes = append(s.panes, &pane{})
	}
	s.panes = s.panes[:len(l.Panes)]
	for i, p := range l.Panes {
		s.panes[i].attach(p)
	}
}

// Fork returns a stage that goes on from here with another lab, a copy of the
// one that s has seen.
func (s *Stage) Fork(l *lab.Lab) *Stage {
	f := &Stage{}
	for i, p := range s.panes {
		q := *p
		q.source, q.serverWorld = l.Panes[i], l.Panes[i].ServerWorld
		q.current, q.previous = p.current.clone(), p.previous.clone()
		q.clientTints, q.serverTints = p.clientTints.clone(), p.serverTints.clone()
		q.inspection = predict.Inspection{}
		q.inspection.CopyFrom(&p.inspection)
		f.panes = append(f.panes, &q)
	}
	return f
}

func (k tickPoses) clone() tickPoses {
	return tickPoses{
		drawn: append([]geom.Pose(nil), k.drawn...), server: append([]geom.Pose(nil), k.server...),
		received: append([]geom.Pose(nil), k.received...), simulated: append([]geom.Pose(nil), k.simulated...), parentBoxes: append([]predict.ParentBox(nil), k.parentBoxes...), trail: append([]geom.Vec3(nil), k.trail...),
		drawnAt: k.drawnAt, serverAt: k.serverAt,
	}
}

// attach takes in a pane that was not there before.
func (p *pane) attach(of *lab.Pane) {
	if p.source == of && p.serverWorld == of.ServerWorld {
		return
	}
	n := len(of.ServerWorld.Bodies())
	*p = pane{source: of, serverWorld: of.ServerWorld, clientTints: newTouchTints(n), serverTints: newTouchTints(n)}
	p.current.capture(of)
	p.previous.capture(of)
	p.cameraTarget = p.focusPoint()
	p.lastCameraTarget = p.cameraTarget
}

// inspect has the strategy tell what is shown of it, and nothing else. It may be asked
// twice in a tick.
func (p *pane) inspect(show *Settings) {
	if show.Coloring != NoColoring || show.Packet || show.Ages || show.Parents {
		p.source.Inspect(&p.inspection)
	} else {
		p.inspection.Reset()
	}
	if v := &p.source.Clients[0].View; !show.Simulated {
		p.current.simulated = p.current.simulated[:0]
	} else {
		p.current.simulated = append(p.current.simulated[:0], v.Simulated...)
	}
	p.current.parentBoxes = p.current.parentBoxes[:0]
	if show.Parents {
		p.current.parentBoxes = append(p.current.parentBoxes, p.inspection.ParentBoxes...)
	}
}

// focusPoint is what the camera should look at.
func (p *pane) focusPoint() geom.Vec3 {
	at := p.current.drawn[p.source.PlayerBody()].Pos
	return geom.Vec3{X: at.X, Y: at.Y, Z: 0.6 + float32(0.5*at.Z)}
}

// tick takes in one tick of a pane.
func (p *pane) tick(of *lab.Pane, l *lab.Lab, show *Settings) {
	if p.startTick != of.StartTick() {
		p.upRate, p.downRate, p.replayedTicks, p.correctionCount, p.packetHistory = bitRate{}, bitRate{}, 0, 0, packetHistory{}
		p.startTick = of.StartTick()
	}
	p.current, p.previous = p.previous, p.current
	p.current.capture(of)
	aim := p.focusPoint()
	p.lastCameraTarget = p.cameraTarget
	// The share is meant for 1/60 s; a camera may be a hair faster or slower
	// at another rate.
	share := float32(cameraFollow*60) / float32(l.Config().Rate)
	p.cameraTarget = p.cameraTarget.AddScaled(min(share, 1), aim.Sub(p.cameraTarget))
	if aim.Sub(p.cameraTarget).LenSq() > 15*15 {
		p.cameraTarget, p.lastCameraTarget = aim, aim
	}
	p.serverTints.update(of.ServerWorld.TouchedBy())
	if known := of.Clients[0].View.TouchedBy; len(known) > 0 {
		p.clientTints.update(known)
	} else { // the client does not know: what the server knows
		p.clientTints.update(of.ServerWorld.TouchedBy())
	}
	p.updateGraphs(of, l)
	p.inspect(show)
	if show.Packet {
		p.packetHistory.add(&p.inspection.Packet, p.inspection.Packet.Tick == of.ServerWorld.Tick(), l.Config().Rate)
	} else if p.packetHistory.hasData {
		p.packetHistory = packetHistory{}
	}
}

// capture notes where everything is now. A client that has not had a tick yet
// draws what is there.
func (k *tickPoses) capture(of *lab.Pane) {
	v := &of.Clients[0].View
	k.server = predict.AppendPoses(k.server[:0], of.ServerWorld.Bodies())
	k.drawn = append(k.drawn[:0], v.Bodies...)
	k.drawnAt, k.serverAt = v.CarrierMoment(), of.ServerWorld.Tick().Moment()
	if len(k.drawn) == 0 {
		k.drawn, k.drawnAt = append(k.drawn, k.server...), k.serverAt
	}
	k.received = append(k.received[:0], v.LastReceived...)
	k.trail = k.trail[:0]
	for _, p := range v.Trail {
		k.trail = append(k.trail, p.Pos)
	}
	if n := of.PlayerBody(); len(k.trail) > 0 && n < len(k.drawn) {
		k.trail = append(k.trail, v.Simulated[n].Pos)
	}
}

// Side says which half of a pane a picture shows.
type Side uint8

// The sides.
const (
	Combined   Side = iota // the client's cubes, and ghosts
	ClientSide             // the same, left of the server's
	ServerSide             // the server's cubes
)

// Viewport is one picture of a session.
type Viewport struct {
	Pane       int
	Side       Side
	X, Y, W, H int // in the whole picture, pixels
	Camera     render.Camera
	Scene      render.Scene
}

// Viewports puts the pictures of a session into dst, each in its place in a whole
// of w by h pixels at x, y. share, in [0,1], is how far the present moment is
// from the last but one tick to the last.
func (s *Stage) Viewports(dst []Viewport, l *lab.Lab, x, y, w, h int, share float32) []Viewport {
	return s.appendViewports(dst[:0], l, x, y, w, h, share, SettingsOf(l))
}

func (s *Stage) appendViewports(dst []Viewport, l *lab.Lab, x, y, w, h int, share float32, show Settings) []Viewport {
	add := func(pane int, side Side, x, y, w, h int) {
		if len(dst) < cap(dst) {
			dst = dst[:len(dst)+1]
		} else {
			dst = append(dst, Viewport{})
		}
		v := &dst[len(dst)-1]
		v.Pane, v.Side, v.X, v.Y, v.W, v.H = pane, side, x, y, w, h
		s.buildScene(v, l, share, &show)
	}
	for i, r := range PaneRects(len(l.Panes), x, y, w, h) {
		if !show.Split {
			add(i, Combined, r.X, r.Y, r.W, r.H)
			continue
		}
		half := (r.W - gutter/2) / 2
		add(i, ClientSide, r.X, r.Y, half, r.H)
		add(i, ServerSide, r.X+r.W-half, r.Y, half, r.H)
	}
	return dst
}

// gutter is the width of the line between panes, in pixels.
const gutter = 4

// Rect is a rectangle of the whole picture, in pixels.
type Rect struct{ X, Y, W, H int }

// PaneRects divides a rectangle among n panes: one alone, two side by side, more
// in two rows of two.
func PaneRects(n, x, y, w, h int) []Rect {
	switch n {
	case 0:
		return nil
	case 1:
		return []Rect{{x, y, w, h}}
	}
	half := (w - gutter) / 2
	if n == 2 {
		return []Rect{{x, y, half, h}, {x + w - half, y, half, h}}
	}
	low := (h - gutter) / 2
	places := []Rect{{x, y, half, low}, {x + w - half, y, half, low}, {x, y + h - low, half, low}, {x + w - half, y + h - low, half, low}}
	if n == 3 {
		places[2].W = w
	}
	return places[:n]
}

// buildScene makes the scene and the camera of a view.
func (s *Stage) buildScene(v *Viewport, l *lab.Lab, share float32, show *Settings) {
	p := s.panes[v.Pane]
	target := p.lastCameraTarget.AddScaled(share, p.cameraTarget.Sub(p.lastCameraTarget))
	distance := float32(show.Distance)
	if v.W < v.H { // a narrow picture sees as much across from further away
		distance = float32(distance * min(float32(v.H)/float32(v.W), 1.6))
	}
	v.Camera = render.Orbit(target, float32(show.Yaw), float32(show.Pitch), distance)
	v.Scene.Reset()
	at := func(before, now []geom.Pose, i int) geom.Pose {
		if i >= len(before) || share >= 1 {
			return now[i]
		}
		return geom.LerpPose(before[i], now[i], share)
	}
	world := p.source.ServerWorld.Scene()
	mine, old, tints, mains := p.current.drawn, p.previous.drawn, &p.clientTints, &PlayerColors
	moment, last := p.current.drawnAt, p.previous.drawnAt
	if v.Side == ServerSide {
		mine, old, tints = p.current.server, p.previous.server, &p.serverTints
		moment, last = p.current.serverAt, p.previous.serverAt
		mains = &[4]render.Color{ServerColor, PlayerColors[1], PlayerColors[2], PlayerColors[3]}
	}
	for i := range mine {
		c := UnownedColor.Mix(mains[max(tints.player[i], 0)], float32(touchTintShare*tints.share[i]))
		if i < world.Players {
			c = mains[i]
		}
		if switched := p.source.Clients[0].View.Fallback; v.Side != ServerSide && i < len(switched) && switched[i] {
			c = c.Mix(FallbackColor, fallbackTintShare)
		}
		if show.Coloring != NoColoring {
			if by, ok := p.bodyColor(show.Coloring, v.Side, i); ok {
				c = by
			}
		}
		v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: at(old, mine, i), Half: world.Boxes[i].Half, Color: c})
	}
	for i := range mine { // behind all bodies, so that a body's number is its cube's
		drawn := v.Scene.Cubes[i]
		v.addParts(world.Boxes[i].Parts, drawn.Pose, drawn.Color)
	}
	for _, b := range world.Static {
		v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: b.Start.Pose, Half: b.Half, Color: StaticColor})
	}
	for i := range world.Carriers {
		c := &world.Carriers[i]
		for _, b := range c.Boxes {
			now, before := c.Path.PoseAt(b.Start.Pose, moment, p.source.ServerWorld.Rate()), c.Path.PoseAt(b.Start.Pose, last, p.source.ServerWorld.Rate())
			if share < 1 {
				now = geom.LerpPose(before, now, share)
			}
			v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: now, Half: b.Half, Color: CarrierColor})
		}
	}
	if show.Shots {
		p.addShots(v, l)
	}
	if v.Side == ServerSide {
		return
	}
	for i := range p.current.simulated { // none if it is not shown
		p.addOutline(v, at(p.previous.simulated, p.current.simulated, i), i)
	}
	p.addParentBoxes(v, share)
	if show.Ghosts {
		for i := range p.current.server {
			p.addGhost(v, at(p.previous.server, p.current.server, i), i, ServerColor)
		}
		if n := p.source.PlayerBody(); n < len(p.current.received) {
			p.addGhost(v, at(p.previous.received, p.current.received, n), n, ReceivedColor)
		}
	}
	if show.Trail && len(p.current.trail) > 1 {
		v.Scene.Trails = append(v.Scene.Trails, render.Trail{Points: p.current.trail, Color: ClientColor})
	}
}

// addGhost adds the ghost of body i, unless it is where the body is drawn.
func (p *pane) addGhost(v *Viewport, ghost geom.Pose, i int, c render.Color) {
	if samePose(v.Scene.Cubes[i].Pose, ghost) {
		return
	}
	c.A = ghostAlpha
	box := &p.source.ServerWorld.Scene().Boxes[i]
	v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: ghost, Half: box.Half, Color: c})
	v.addParts(box.Parts, ghost, c)
}

// addParts adds the further boxes of a body that is drawn at a pose.
func (v *Viewport) addParts(parts []sim.Part, at geom.Pose, c render.Color) {
	for _, p := range parts {
		pose := geom.Pose{Pos: at.Pos.Add(at.Rot.Rotate(p.Pose.Pos)), Rot: at.Rot.Mul(p.Pose.Rot).Unit()}
		v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: pose, Half: p.Half, Color: c})
	}
}
