// Package stage turns a session into descriptions of pictures: each pane becomes scenes and cameras, and
// captions, graphs and legends become a draw list. It draws nothing itself and reads no clock, so the window
// and a video show the same.
//
// A Stage follows a session by one call of Tick a tick. Its state (cameras that follow, colours that fade,
// graphs) counts in ticks and depends on the session alone, so a video of a tape is the same on every machine.
package stage

import (
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/score"
	"ghostcube/render"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

const (
	touchFadeIn    = 0.10 // share of the remaining change of colour in each tick in which a body is touched
	touchFadeOut   = 0.25 // share in each tick in which it is not
	touchTintShare = 0.55 // share of the player's colour in that of a touched body

	fallbackTintShare = 0.85 // share of fallbackColor in the colour of a body whose prediction is off
)

// Stage follows a session. The zero value has seen none.
type Stage struct {
	panes []*pane
	ages  ageHistogram // scratch

	layouts     [lab.MaxPanes]paneLayout // scratch
	overlay     overlay                  // of the last Compose
	texts       texts                    // of the last Compose
	legend      []legendEntry            // scratch
	gauges      []gauge                  // scratch
	rects       []Rect                   // scratch: of the panes
	pictures    []Rect                   // scratch
	kept        keptHeights
	lanes       []lane // of the last Compose
	laneScratch laneScratch
	laneGap     int // between the pictures of client and server, for lanes; 0: none

	// Traces are the recorded datagrams that lanes show instead of the panes' own.
	Traces PacketTraces

	camera camera
	ticked bool // since the last Refresh

	unchanged  unchanged
	paneLabels [lab.MaxPanes]string // of the present Compose
	brief      bool                 // the captions leave the key figures out
	callout    *Callout             // of the present Compose; nil: none
	arrow      []render.Point       // scratch
}

// pane is the state that a Stage keeps of a pane.
type pane struct {
	source      *lab.Pane
	serverWorld *predict.World // of source; it changes when the session restarts
	startTick   sim.Tick       // of the pane's strategy

	current, previous tickPoses
	follower          follower
	clientTints       touchTints // of the client's picture
	serverTints       touchTints // of the server's picture
	graphs            [GraphCount]Graph
	upRate, downRate  bitRate
	replayedTicks     float64 // total so far
	correctionCount   int     // total so far
	inputBits         inputBits

	inspection    predict.Inspection // by the strategy, while a setting needs it
	packetHistory packetHistory      // while packets are shown
	playouts      playoutHistory     // while slots are shown
	headline      headline
	measures      []score.Measure // scratch
	pathError     pathError
	bodyErrors    bodyErrors // while path errors colour the bodies
	explain       explanation
	caption       caption
	stillGauges   render.DrawList // those last drawn whose figures change as often as the caption
	gaugesAt      Rect            // the strip that they are in
	gaugesStale   bool
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
func (c *touchTints) update(touchedBy []int8) {
	for i, player := range touchedBy {
		target, rate := float32(0), float32(touchFadeOut)
		if player >= 0 {
			target, rate = 1, touchFadeIn
			c.player[i] = player
		}
		c.share[i] += float32((target - c.share[i]) * rate)
	}
}

func (c *touchTints) clone() touchTints {
	return touchTints{append([]float32(nil), c.share...), append([]int8(nil), c.player...)}
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
	s.ticked = true
	show := s.settingsOf(l)
	s.traceDatagrams(l, &show)
	for i, p := range l.Panes {
		s.panes[i].tick(p, l, &show)
	}
	s.camera.tick(s.panes, l, &show)
}

// Refresh follows commands that were applied between two ticks: panes opened, closed or restarted, and changed
// display settings.
func (s *Stage) Refresh(l *lab.Lab) {
	s.syncPanes(l)
	show := s.settingsOf(l)
	s.traceDatagrams(l, &show)
	for _, p := range s.panes {
		if !s.ticked { // nothing else changes what captions and gauges say while the session is paused
			p.caption.stale, p.gaugesStale = true, true
		}
		p.inspect(&show)
	}
	s.ticked = false
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
func (s *Stage) Fork(l *lab.Lab) *Stage {
	f := &Stage{camera: s.camera}
	for i, p := range s.panes {
		q := *p
		q.source, q.serverWorld = l.Panes[i], l.Panes[i].ServerWorld
		q.current, q.previous = p.current.clone(), p.previous.clone()
		q.clientTints, q.serverTints = p.clientTints.clone(), p.serverTints.clone()
		q.inspection = predict.Inspection{}
		q.inspection.CopyFrom(&p.inspection)
		q.bodyErrors = p.bodyErrors.clone()
		q.measures, q.caption, q.stillGauges, q.gaugesStale = nil, caption{stale: true}, render.DrawList{}, true
		q.headline, q.explain = p.headline.clone(), p.explain.clone()
		f.panes = append(f.panes, &q)
	}
	return f
}

// CopyFrom makes s follow l, a copy of the lab that o has followed, as o does. The two share nothing, and s keeps its
// layout.
func (s *Stage) CopyFrom(o *Stage, l *lab.Lab) {
	f := o.Fork(l)
	s.camera, s.panes = f.camera, f.panes
}

func (k tickPoses) clone() tickPoses {
	return tickPoses{
		drawn: append([]geom.Pose(nil), k.drawn...), server: append([]geom.Pose(nil), k.server...),
		received: append([]geom.Pose(nil), k.received...), simulated: append([]geom.Pose(nil), k.simulated...), parentBoxes: append([]predict.ParentBox(nil), k.parentBoxes...), trail: append([]geom.Vec3(nil), k.trail...),
		drawnAt: k.drawnAt, serverAt: k.serverAt,
	}
}

// attach makes p the state of a pane, new unless it already is of this pane and session.
func (p *pane) attach(source *lab.Pane) {
	if p.source == source && p.serverWorld == source.ServerWorld {
		return
	}
	n := len(source.ServerWorld.Bodies())
	*p = pane{source: source, serverWorld: source.ServerWorld, clientTints: newTouchTints(n), serverTints: newTouchTints(n)}
	p.current.capture(source)
	p.previous.capture(source)
}

// inspect asks the strategy for the data that the settings show, and for no other. It may run more than once a
// tick.
func (p *pane) inspect(show *Settings) {
	if show.Coloring != noColoring || show.Packet || show.Headline == ageHeadline || show.Ages || show.Parents || show.Joints || show.Slots {
		p.source.Inspect(&p.inspection)
	} else {
		p.inspection.Reset()
	}
	if v := &p.source.Clients[0].View; !show.Simulated {
		p.current.simulated = p.current.simulated[:0]
	} else {
		p.current.simulated = append(p.current.simulated[:0], v.Simulated...)
	}
	if show.Coloring != byPathError {
		p.bodyErrors = bodyErrors{}
	} else if p.bodyErrors.count == 0 {
		p.bodyErrors.add(p)
	}
	p.updateHeadline(show, false)
	p.current.parentBoxes = p.current.parentBoxes[:0]
	if show.Parents {
		p.current.parentBoxes = append(p.current.parentBoxes, p.inspection.ParentBoxes...)
	}
}

// tick follows the pane by one tick.
func (p *pane) tick(source *lab.Pane, l *lab.Lab, show *Settings) {
	if p.startTick != source.StartTick() {
		p.upRate, p.downRate, p.replayedTicks, p.correctionCount, p.packetHistory = bitRate{}, bitRate{}, 0, 0, packetHistory{}
		p.inputBits, p.playouts, p.pathError, p.bodyErrors = inputBits{}, playoutHistory{}, pathError{}, bodyErrors{}
		p.explain = explanation{corrections: source.Corrections.Total()}
		p.startTick = source.StartTick()
	}
	p.current, p.previous = p.previous, p.current
	p.current.capture(source)
	p.serverTints.update(source.ServerWorld.TouchedBy())
	if known := source.Clients[0].View.TouchedBy; len(known) > 0 {
		p.clientTints.update(known)
	} else { // the client does not know, so show what the server knows
		p.clientTints.update(source.ServerWorld.TouchedBy())
	}
	p.updateGraphs(source, l)
	if show.Coloring == byPathError {
		p.bodyErrors.add(p)
	}
	p.inspect(show)
	if show.Packet {
		p.packetHistory.add(&p.inspection.Packet, p.inspection.Packet.Tick == source.ServerWorld.Tick(), l.Config().Rate)
	} else if p.packetHistory.hasData {
		p.packetHistory = packetHistory{}
	}
	if show.Slots && len(p.inspection.InputBuffer.Slots) > 0 {
		p.playouts.add(&p.inspection.InputBuffer.Last)
	} else {
		p.playouts = playoutHistory{}
	}
	if int(l.Ticks())%max(l.Config().Rate/captionChangesPerSecond, 1) == 0 || show.Ticks || show.Speed < 1 {
		p.caption.stale, p.gaugesStale = true, true
	}
	if show.Explain {
		p.explain.update(p, l, show)
	}
	p.updateHeadline(show, int(l.Ticks())%max(l.Config().Rate/headlineChangesPerSecond, 1) == 0)
}

// capture takes the present poses of a pane. A client that has not made a tick yet draws the server's.
func (k *tickPoses) capture(source *lab.Pane) {
	v := &source.Clients[0].View
	k.server = predict.AppendPoses(k.server[:0], source.ServerWorld.Bodies())
	k.drawn = append(k.drawn[:0], v.Bodies...)
	k.drawnAt, k.serverAt = v.Carriers, source.ServerWorld.Tick().Moment()
	if len(k.drawn) == 0 {
		k.drawn, k.drawnAt = append(k.drawn, k.server...), k.serverAt
	}
	k.received = append(k.received[:0], v.LastReceived...)
	k.trail = k.trail[:0]
	for _, p := range v.Trail {
		k.trail = append(k.trail, p.Pos)
	}
	if n := source.PlayerBody(); len(k.trail) > 0 && n < len(k.drawn) {
		k.trail = append(k.trail, v.Simulated[n].Pos)
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

// Viewport is one picture of a session: a pane, or one side of it.
type Viewport struct {
	Pane       int
	Side       Side
	X, Y, W, H int // pixels of the frame
	Camera     render.Camera
	Scene      render.Scene
}

// viewports appends the pictures of a session, those of each pane in its rectangle. share, in [0, 1], is the
// present moment between the previous tick and the last. Viewports beyond the length of dst are reused with
// their memory.
func (s *Stage) viewports(dst []Viewport, l *lab.Lab, pictures []Rect, share float32, show Settings) []Viewport {
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
	for i, r := range pictures {
		if !show.Split {
			add(i, Combined, r.X, r.Y, r.W, r.H)
			continue
		}
		client, server := sides(r, s.laneGap)
		add(i, ClientSide, client.X, client.Y, client.W, client.H)
		add(i, ServerSide, server.X, server.Y, server.W, server.H)
	}
	return dst
}

// sides divides the picture of a pane among client and server: side by side, or one above the other in a tall one.
// gap is the width between two that are side by side, in pixels; 0: that of a line.
func sides(r Rect, gap int) (client, server Rect) {
	if gap > 0 {
		half := (r.W - gap) / 2
		return Rect{r.X, r.Y, half, r.H}, Rect{r.X + r.W - half, r.Y, half, r.H}
	}
	if r.H > r.W {
		half := (r.H - gutter/2) / 2
		return Rect{r.X, r.Y, r.W, half}, Rect{r.X, r.Y + r.H - half, r.W, half}
	}
	half := (r.W - gutter/2) / 2
	return Rect{r.X, r.Y, half, r.H}, Rect{r.X + r.W - half, r.Y, half, r.H}
}

// gutter is the width of the line between two panes, in pixels.
const gutter = 4

// Rect is a rectangle in pixels.
type Rect struct{ X, Y, W, H int }

// minRowAspect is the least width of a rectangle, in heights, in which three panes stand in a row.
const minRowAspect = 1.2

// minPairAspect is the same for two panes.
const minPairAspect = 0.75

// appendPaneRects appends the rectangles of n panes, at most four, that divide a rectangle. All have one shape: two or
// three lie in a row or, where that is too narrow, one above the other, and four in two rows.
func appendPaneRects(dst []Rect, n, x, y, w, h int) []Rect {
	columns, rows := n, 1
	switch {
	case n == 4:
		columns, rows = 2, 2
	case n == 2 && float32(w) < float32(minPairAspect*float32(h)):
		columns, rows = 1, 2
	case n == 3 && float32(w) < float32(minRowAspect*float32(h)):
		columns, rows = 1, 3
	}
	if n == 0 {
		return dst
	}
	width, height := (w-gutter*(columns-1))/columns, (h-gutter*(rows-1))/rows
	for i := range n {
		c, r := i%columns, i/columns
		at := Rect{x + c*(width+gutter), y + r*(height+gutter), width, height}
		if c > 0 && c == columns-1 { // the remainder of the division belongs to the gutters
			at.X = x + w - width
		}
		if r > 0 && r == rows-1 {
			at.Y = y + h - height
		}
		dst = append(dst, at)
	}
	return dst
}

// buildScene fills in the scene and the camera of a viewport.
func (s *Stage) buildScene(v *Viewport, l *lab.Lab, share float32, show *Settings) {
	p := s.panes[v.Pane]
	v.Camera = s.cameraAt(v.Pane, share, show, v.W, v.H)
	v.Scene.Reset()
	at := func(before, now []geom.Pose, i int) geom.Pose { // interpolated between the two ticks
		if i >= len(before) || share >= 1 {
			return now[i]
		}
		return smoothing.LerpPose(before[i], now[i], share)
	}
	world := p.source.ServerWorld.Scene()
	poses, previous, tints, colors := p.current.drawn, p.previous.drawn, &p.clientTints, playerColors
	moment, previousMoment := p.current.drawnAt, p.previous.drawnAt
	if v.Side == ServerSide {
		poses, previous, tints = p.current.server, p.previous.server, &p.serverTints
		moment, previousMoment = p.current.serverAt, p.previous.serverAt
		colors[0] = serverColor
	}
	for i := range poses {
		c := unownedColor.Mix(colors[max(tints.player[i], 0)], float32(touchTintShare*tints.share[i]))
		if i < world.Players {
			c = colors[i]
		}
		if fallback := p.source.Clients[0].View.Fallback; v.Side != ServerSide && i < len(fallback) && fallback[i] {
			c = c.Mix(fallbackColor, fallbackTintShare)
		}
		if outside := p.source.Clients[0].View.Outside; v.Side != ServerSide && i < len(outside) && outside[i] {
			c = unknownColor
		}
		if show.Coloring != noColoring {
			if coloring, ok := p.bodyColor(show.Coloring, v.Side, i); ok {
				c = coloring
			}
		}
		v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: at(previous, poses, i), Half: world.Boxes[i].Half, Color: c})
	}
	for i := range poses { // parts follow all bodies, so that the index of a body is that of its cube
		drawn := v.Scene.Cubes[i]
		v.addParts(world.Boxes[i].Parts, drawn.Pose, drawn.Color)
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
	if v.Side == ServerSide {
		return
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
		player := p.source.PlayerBody()
		if player < len(p.current.received) {
			p.addGhost(v, at(p.previous.received, p.current.received, player), player, receivedColor)
		}
		first := len(v.Scene.Cubes)
		for i := range p.current.server {
			p.addGhost(v, at(p.previous.server, p.current.server, i), i, serverColor)
		}
		v.addGhostEdges(first)
	}
	if m := s.callout; m != nil && m.Corrected && m.Pane == v.Pane {
		p.addCorrection(v, m)
	}
	if show.Trail && len(p.current.trail) > 1 {
		v.Scene.AddTrail(p.current.trail, clientColor)
	}
}

// addParts adds the boxes of a body at a pose besides its first.
func (v *Viewport) addParts(parts []sim.Part, at geom.Pose, c render.Color) {
	for _, p := range parts {
		pose := geom.Pose{Pos: at.Pos.Add(at.Rot.Rotate(p.Pose.Pos)), Rot: at.Rot.Mul(p.Pose.Rot).Unit()}
		v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: pose, Half: p.Half, Color: c})
	}
}
