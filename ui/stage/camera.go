package stage

import (
	"slices"

	"ghostcube/predict/lab"
	"ghostcube/render"
	"ghostcube/sim/geom"
)

// The pictures of all panes share one camera, so that corresponding things are at corresponding places. It follows
// the subjects: the player's body as each client draws it and as each server has it. If they part, the camera backs
// off, up to maxZoom; package hud points at what is farther off with an arrow. A pane whose player is far from the
// others' follows its own, from the same side and distance, and so far that the body which it draws stays off the border.
const (
	maxZoom      = 2    // largest distance of the camera, in units of the distance that is set
	maxPaneZoom  = 1.5  // likewise, where the players of panes are apart: then a pane looks at its own
	middleShare  = 0.22 // radius of the middle of a picture, in units of the camera's distance; half its height is 0.36
	ownShare     = 0.12 // likewise, within which a pane keeps the body that it draws
	drawnWeight  = 2    // of a body that a client draws, against 1 of the server's, where not all can be in the picture
	anchorChange = 0.9  // the anchor changes to another subject with a cost below this share of its own

	minWideDistance = 0.8 // of a wide picture, in units of the distance that is set

	cameraRate     = 8   // per second; of the critically damped spring between camera and subjects
	zoomRate       = 5   // likewise, of the distance
	velocityRate   = 6   // per second, at which the camera takes over the velocity of the subjects
	maxAccelerated = 15  // m/s; a change of velocity in a tick beyond this is a jump, not motion
	maxCameraLag   = 12  // metres of distance to the subjects that accelerate the camera
	heightShare    = 0.5 // of the height of a subject in that of the target, up to heightBend
	heightBend     = 2   // metres; above it the target rises as the subject does
	besideShare    = 0.5 // how far the target moves from the subjects towards nearby scenery, as a share of the distance to it
	targetHeight   = 0.6 // metres; of the target for a subject on the ground
)

// camera is the state of the shared camera. The zero value has followed nothing.
type camera struct {
	view *sceneView

	zoom, lastZoom float32 // distance in units of the distance that is set, in [1, maxZoom]; after the last two ticks
	zoomVelocity   float32 // in a tick
	anchor         int     // index of a pane
}

// follower is where the camera of a pane looks. It is the same in all panes but those whose player is too far from
// all others to be in one picture with them.
type follower struct {
	target, last geom.Vec3 // metres, world frame; after the last two ticks
	velocity     geom.Vec3 // of target, metres in a tick
	subject      geom.Vec3 // that target follows, in the last tick
	step         geom.Vec3 // of subject in the last tick, metres
	motion       geom.Vec3 // of subject without its jumps, smoothed, metres in a tick
	started      bool
}

// cameraAt returns the camera of a picture of w by h pixels of a pane. share, in [0, 1], is the moment between the
// previous tick and the last.
func (s *Stage) cameraAt(pane int, share float32, show *Settings, w, h int) render.Camera {
	f := &s.panes[pane].follower
	target := f.last.AddScaled(share, f.target.Sub(f.last))
	zoom := s.camera.lastZoom + float32(share*(s.camera.zoom-s.camera.lastZoom))
	distance := float32(float32(show.Distance) * zoom)
	if w < h { // a tall picture needs more distance to show as much from side to side
		distance = float32(distance * min(float32(h)/float32(w), 1.6))
	} else if len(s.panes) > 2 && w > 2*h { // a wide one among several shows as much from nearer
		distance = float32(distance * max(2*float32(h)/float32(w), minWideDistance))
	}
	return render.Orbit(target, float32(show.Yaw), float32(show.Pitch), distance)
}

// start lets new panes look where the others look, or at the subjects at once if all are new, as at the start of a
// session.
func (c *camera) start(panes []*pane, l *lab.Lab) {
	var known *follower
	for _, p := range panes {
		if p.follower.started {
			known = &p.follower
		}
	}
	if known != nil {
		for _, p := range panes {
			if !p.follower.started {
				p.follower = *known
			}
		}
		return
	}
	show := SettingsOf(l)
	*c = camera{view: viewOf(l.Config().Scene)}
	var targets [lab.MaxPanes]geom.Vec3
	c.zoom = c.frame(&targets, panes, float32(show.Distance))
	c.lastZoom = c.zoom
	for i, p := range panes {
		p.follower = follower{target: targets[i], last: targets[i], subject: targets[i], started: true}
	}
}

// tick follows the subjects by one tick.
func (c *camera) tick(panes []*pane, l *lab.Lab, show *Settings) {
	if len(panes) == 0 {
		return
	}
	if slices.ContainsFunc(panes, (*pane).playerHeld) {
		for _, p := range panes {
			p.follower.rest()
		}
		c.lastZoom, c.zoomVelocity = c.zoom, 0
		return
	}
	var targets [lab.MaxPanes]geom.Vec3
	zoom := c.frame(&targets, panes, float32(show.Distance))
	dt := 1 / float32(l.Config().Rate)
	for i, p := range panes {
		p.follower.tick(targets[i], dt)
	}
	rate := float32(zoomRate * dt)
	damping := 1 + rate
	c.zoomVelocity = (c.zoomVelocity + float32(float32(rate*rate)*(zoom-c.zoom))) / float32(damping*damping)
	c.lastZoom = c.zoom
	c.zoom += c.zoomVelocity
}

// playerHeld reports whether the viewer drags the body that the camera follows. The camera stands still then: a body that is
// pulled to a point of the picture would run away with it.
func (p *pane) playerHeld() bool {
	d, ok := p.source.Drag()
	return ok && d.Body == p.player()
}

// rest lets the camera stand still in a tick.
func (f *follower) rest() { f.last, f.velocity, f.motion = f.target, geom.Vec3{}, geom.Vec3{} }

// tick follows the point at by one tick of dt seconds. A spring pulls the target without jerks: a jump of the subject,
// such as a correction, accelerates it, and the subject's own motion carries it along without lag.
func (f *follower) tick(at geom.Vec3, dt float32) {
	f.last = f.target
	step := at.Sub(f.subject)
	if motionLimit := float32(maxAccelerated * dt); step.Sub(f.step).LenSq() <= float32(motionLimit*motionLimit) {
		f.motion = f.motion.AddScaled(min(float32(velocityRate*dt), 1), step.Sub(f.motion))
	}
	f.subject, f.step = at, step
	pull := at.Sub(f.motion).Sub(f.target)
	if n := pull.Len(); n > maxCameraLag {
		pull = pull.Scale(maxCameraLag / n)
	}
	// The implicit step of a critically damped spring is stable at every rate.
	rate := float32(cameraRate * dt)
	damping := 1 + rate
	relative := f.velocity.Sub(f.motion).AddScaled(float32(rate*rate), pull).Scale(1 / float32(damping*damping))
	f.velocity = f.motion.Add(relative)
	f.target = f.target.Add(f.velocity)
}

// subject is what the camera of a pane is about.
type subject struct {
	drawn, server geom.Vec3 // where to look to show the player's body, the client's and the server's
}

// frame returns the zoom for the present poses and a distance in metres, and fills in the points to look at: the
// middle of all subjects near the anchor, which is the subject nearest to all others. The farther a pane's player is
// from the anchor, the more the pane looks at its own bodies.
func (c *camera) frame(targets *[lab.MaxPanes]geom.Vec3, panes []*pane, distance float32) (zoom float32) {
	var buffer [lab.MaxPanes]subject
	subjects := buffer[:len(panes)]
	farthest := float32(0) // of a server's body from the drawn one in its pane
	for i, p := range panes {
		player := p.player()
		subjects[i] = subject{focusPoint(p.current.drawn[player].Pos), focusPoint(p.current.server[player].Pos)}
		farthest = max(farthest, subjects[i].server.Sub(subjects[i].drawn).Len())
	}
	c.chooseAnchor(subjects)
	anchor := subjects[c.anchor].drawn
	paneReach := float32(2 * maxPaneZoom * middleShare * distance)
	center, radius := middle(subjects, anchor, distance)
	all, radius := c.look(center, radius, panes[c.anchor], distance)
	zoom = geom.Clamp(max(radius, float32(0.5*farthest))/float32(middleShare*distance), 1, maxZoom)
	ownReach := float32(ownShare * float32(distance*zoom))
	for i, p := range panes {
		near := withinReach(subjects[i].drawn.Sub(anchor).Len(), paneReach)
		if targets[i] = all; near < 1 {
			own, ownRadius := middle(subjects[i:i+1], subjects[i].drawn, distance)
			own, _ = c.look(own, ownRadius, p, distance)
			targets[i] = own.AddScaled(near, all.Sub(own))
		}
		off := subjects[i].drawn.Sub(center).Scale(near)
		if n := off.Len(); n > ownReach && len(panes) > 1 {
			targets[i] = targets[i].AddScaled(1-ownReach/n, off)
		}
	}
	return zoom
}

// look shifts a target towards what the scene has beside the player, as far as the subjects, which are within radius
// of the target, stay in the middle of the picture. It returns the new target and the radius that should be in the
// middle, which is larger if the scene's view keeps its surroundings in the picture. Lengths are in metres.
func (c *camera) look(target geom.Vec3, radius float32, p *pane, distance float32) (geom.Vec3, float32) {
	beside, ok := c.view.lookBeside(p)
	if !ok {
		return target, radius
	}
	off := beside.Sub(target)
	away := off.Len()
	way := float32(besideShare * float32(away*withinReach(away, float32(2*maxZoom*middleShare*distance))))
	room := max(float32(middleShare*distance)-radius, 0)
	if c.view.keep {
		room, radius = max(room, way), max(radius, way)
	}
	return target.AddScaled(min(way, room)/max(away, 1e-6), off), radius
}

// middle returns the middle of the box around all subjects within reach of the anchor, and half its diagonal, in
// metres. Bodies beyond that are pulled towards the anchor, and the farthest count as being there.
func middle(subjects []subject, anchor geom.Vec3, distance float32) (at geom.Vec3, radius float32) {
	reach, paneReach := float32(2*maxZoom*middleShare*distance), float32(2*maxPaneZoom*middleShare*distance)
	low, high := anchor, anchor
	for i := range subjects {
		s := &subjects[i]
		off, parted := s.drawn.Sub(anchor), s.server.Sub(s.drawn)
		near := withinReach(off.Len(), paneReach)
		drawn := anchor.AddScaled(near, off)
		server := drawn.AddScaled(float32(near*withinReach(parted.Len(), reach)), parted)
		low = geom.Vec3{X: min(low.X, drawn.X, server.X), Y: min(low.Y, drawn.Y, server.Y), Z: min(low.Z, drawn.Z, server.Z)}
		high = geom.Vec3{X: max(high.X, drawn.X, server.X), Y: max(high.Y, drawn.Y, server.Y), Z: max(high.Z, drawn.Z, server.Z)}
	}
	size := high.Sub(low)
	return low.AddScaled(0.5, size), float32(0.5 * size.Len())
}

// withinReach is the weight, in [0, 1], of something at a distance from the anchor: 1 up to reach, then falling to 0
// at twice that. Both are in metres.
func withinReach(distance, reach float32) float32 {
	if distance <= reach {
		return 1
	}
	return max(2-distance/reach, 0)
}

// chooseAnchor chooses the subject whose drawn body has the least sum of weighted distances to all others. It keeps
// the present one while another is hardly better.
func (c *camera) chooseAnchor(subjects []subject) {
	cost := func(k int) (sum float32) {
		for i := range subjects {
			sum += float32(drawnWeight*subjects[i].drawn.Sub(subjects[k].drawn).Len()) + subjects[i].server.Sub(subjects[k].drawn).Len()
		}
		return sum
	}
	if c.anchor >= len(subjects) {
		c.anchor = 0
	}
	least := float32(anchorChange * cost(c.anchor))
	for k := range subjects {
		if sum := cost(k); sum < least {
			c.anchor, least = k, sum
		}
	}
}

// focusPoint returns the point at which a camera looks to show a body.
func focusPoint(body geom.Vec3) geom.Vec3 {
	above := max(body.Z-heightBend, 0)
	return geom.Vec3{X: body.X, Y: body.Y, Z: targetHeight + float32(heightShare*(body.Z+above))}
}
