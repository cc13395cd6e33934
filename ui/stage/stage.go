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
	Loose    = render.RGB(0.75, 0.75, 0.80)
	Client   = render.RGB(0.90, 0, 0)
	Server   = render.RGB(1, 0.80, 0.10)
	LastSeen = render.RGB(0.20, 0.50, 1)
	Still    = render.RGB(0.55, 0.58, 0.62)
	Carried  = render.RGB(0.45, 0.56, 0.52)
	Switched = render.RGB(0.35, 0.95, 1) // lent to what the client treats otherwise than usual
)

// Players are the colours of the players' cubes, the first one's being the
// client's.
var Players = [4]render.Color{Client, render.RGB(0.30, 0.30, 1), render.RGB(0, 0.90, 0.10), render.RGB(1, 0.95, 0.20)}

const (
	ghostAlpha = 120  // of 255
	apart      = 0.01 // metres from which a body and its ghost are told apart
	turnedBy   = 0.02 // radians from which they are

	follow = 0.15 // share of the way that a camera makes to its target in 1/60 s (Fiedler)
	tint   = 0.10 // share of the way that a colour makes when a body is touched
	fade   = 0.25 // and when it is no longer
	reveal = 0.55 // of a touched body's colour is the player's

	switchedShare = 0.85 // of a switched body's colour says so
)

// Stage follows a session.
type Stage struct {
	panes []*pane
	stale staleness // what to count with
}

// pane is what is remembered of one pane.
type pane struct {
	of    *lab.Pane
	truth *sim.World // of it; another one is another session
	began sim.Tick

	now, before looks
	target      geom.Vec3 // of the camera
	last        geom.Vec3 // a tick before
	mine        tints     // of the client's picture
	theirs      tints     // of the server's
	Graphs      [GraphCount]Graph
	up, down    rate
	replayed    float64
	corrected   int // how many corrections had been made

	told predict.Inspection // by the strategy, if anything of it is shown
	sent packets            // of the last second, as long as they are shown
}

// tints are the colours that touching players lend to the bodies of a picture.
type tints struct {
	share []float32 // of the player's colour, by body
	whose []int8
}

func newTints(bodies int) tints { return tints{make([]float32, bodies), make([]int8, bodies)} }

// take lets the colours follow who touches what for one tick.
func (c *tints) take(touched []int8) {
	for i, t := range touched {
		want, speed := float32(0), float32(fade)
		if t >= 0 {
			want, speed = 1, tint
			c.whose[i] = t
		}
		c.share[i] += float32((want - c.share[i]) * speed)
	}
}

func (c *tints) clone() tints {
	return tints{append([]float32(nil), c.share...), append([]int8(nil), c.whose...)}
}

// looks is where everything is in one tick.
type looks struct {
	drawn, truth, seen []geom.Pose
	raw                []geom.Pose // as simulated, if that is shown
	trail              []geom.Vec3
	vessels            []predict.ParentBox // if they are shown

	// The moments that the pictures show, for what moves by the tick alone.
	drawnAt, truthAt sim.Moment
}

// Tick takes in the session after a tick of it.
func (s *Stage) Tick(l *lab.Lab) {
	s.meet(l)
	for i, p := range l.Panes {
		s.panes[i].tick(p, l)
	}
}

// Look takes in what commands did to the session between two ticks: panes that
// came, went or began anew, and what is shown of them.
func (s *Stage) Look(l *lab.Lab) {
	s.meet(l)
	show := l.Display()
	for _, p := range s.panes {
		p.ask(&show)
	}
}

// meet takes in panes that came, went or began anew.
func (s *Stage) meet(l *lab.Lab) {
	for len(s.panes) < len(l.Panes) {
		s.panes = append(s.panes, &pane{})
	}
	s.panes = s.panes[:len(l.Panes)]
	for i, p := range l.Panes {
		s.panes[i].look(p)
	}
}

// Fork returns a stage that goes on from here with another lab, a copy of the
// one that s has seen.
func (s *Stage) Fork(l *lab.Lab) *Stage {
	f := &Stage{}
	for i, p := range s.panes {
		q := *p
		q.of, q.truth = l.Panes[i], l.Panes[i].ServerWorld
		q.now, q.before = p.now.clone(), p.before.clone()
		q.mine, q.theirs = p.mine.clone(), p.theirs.clone()
		q.told = predict.Inspection{}
		q.told.CopyFrom(&p.told)
		f.panes = append(f.panes, &q)
	}
	return f
}

func (k looks) clone() looks {
	return looks{
		drawn: append([]geom.Pose(nil), k.drawn...), truth: append([]geom.Pose(nil), k.truth...),
		seen: append([]geom.Pose(nil), k.seen...), raw: append([]geom.Pose(nil), k.raw...), vessels: append([]predict.ParentBox(nil), k.vessels...), trail: append([]geom.Vec3(nil), k.trail...),
		drawnAt: k.drawnAt, truthAt: k.truthAt,
	}
}

// look takes in a pane that was not there before.
func (p *pane) look(of *lab.Pane) {
	if p.of == of && p.truth == of.ServerWorld {
		return
	}
	n := len(of.ServerWorld.Bodies())
	*p = pane{of: of, truth: of.ServerWorld, mine: newTints(n), theirs: newTints(n)}
	p.now.take(of)
	p.before.take(of)
	p.target = p.aim()
	p.last = p.target
}

// ask has the strategy tell what is shown of it, and nothing else. It may be asked
// twice in a tick.
func (p *pane) ask(show *lab.Display) {
	if show.Coloring != lab.NoColoring || show.Packet || show.Ages || show.Parents {
		p.of.Inspect(&p.told)
	} else {
		p.told.Reset()
	}
	if v := &p.of.Clients[0].View; !show.Simulated {
		p.now.raw = p.now.raw[:0]
	} else {
		p.now.raw = append(p.now.raw[:0], v.Simulated...)
	}
	p.now.vessels = p.now.vessels[:0]
	if show.Parents {
		p.now.vessels = append(p.now.vessels, p.told.ParentBoxes...)
	}
}

// aim is what the camera should look at.
func (p *pane) aim() geom.Vec3 {
	at := p.now.drawn[p.of.Watched()].Pos
	return geom.Vec3{X: at.X, Y: at.Y, Z: 0.6 + float32(0.5*at.Z)}
}

// tick takes in one tick of a pane.
func (p *pane) tick(of *lab.Pane, l *lab.Lab) {
	if p.began != of.Began() {
		p.up, p.down, p.replayed, p.corrected, p.sent = rate{}, rate{}, 0, 0, packets{}
		p.began = of.Began()
	}
	p.now, p.before = p.before, p.now
	p.now.take(of)
	aim := p.aim()
	p.last = p.target
	// The share is meant for 1/60 s; a camera may be a hair faster or slower
	// at another rate.
	share := float32(follow*60) / float32(l.Config().Rate)
	p.target = p.target.Plus(min(share, 1), aim.Sub(p.target))
	if aim.Sub(p.target).Len2() > 15*15 {
		p.target, p.last = aim, aim
	}
	p.theirs.take(of.ServerWorld.Touched())
	if known := of.Clients[0].View.Touched; len(known) > 0 {
		p.mine.take(known)
	} else { // the client does not know: what the server knows
		p.mine.take(of.ServerWorld.Touched())
	}
	p.graph(of, l)
	show := l.Display()
	p.ask(&show)
	if show.Packet {
		p.sent.add(&p.told.Packet, p.told.Packet.Tick == of.ServerWorld.Tick(), l.Config().Rate)
	} else if p.sent.any {
		p.sent = packets{}
	}
}

// take notes where everything is now. A client that has not had a tick yet
// draws what is there.
func (k *looks) take(of *lab.Pane) {
	v := &of.Clients[0].View
	k.truth = predict.Poses(k.truth[:0], of.ServerWorld.Bodies())
	k.drawn = append(k.drawn[:0], v.Bodies...)
	k.drawnAt, k.truthAt = v.Carriers(), of.ServerWorld.Tick().Moment()
	if len(k.drawn) == 0 {
		k.drawn, k.drawnAt = append(k.drawn, k.truth...), k.truthAt
	}
	k.seen = append(k.seen[:0], v.LastReceived...)
	k.trail = k.trail[:0]
	for _, p := range v.Trail {
		k.trail = append(k.trail, p.Pos)
	}
	if n := of.Watched(); len(k.trail) > 0 && n < len(k.drawn) {
		k.trail = append(k.trail, v.Simulated[n].Pos)
	}
}

// Side says which half of a pane a picture shows.
type Side uint8

// The sides.
const (
	Overlay    Side = iota // the client's cubes, and ghosts
	ClientSide             // the same, left of the server's
	ServerSide             // the server's cubes
)

// View is one picture of a session.
type View struct {
	Pane       int
	Side       Side
	X, Y, W, H int // in the whole picture, pixels
	Camera     render.Camera
	Scene      render.Scene
}

// Views puts the pictures of a session into dst, each in its place in a whole
// of w by h pixels at x, y. share, in [0,1], is how far the present moment is
// from the last but one tick to the last.
func (s *Stage) Views(dst []View, l *lab.Lab, x, y, w, h int, share float32) []View {
	dst = dst[:0]
	add := func(pane int, side Side, x, y, w, h int) {
		if len(dst) < cap(dst) {
			dst = dst[:len(dst)+1]
		} else {
			dst = append(dst, View{})
		}
		v := &dst[len(dst)-1]
		v.Pane, v.Side, v.X, v.Y, v.W, v.H = pane, side, x, y, w, h
		s.fill(v, l, share)
	}
	for i, r := range Split(len(l.Panes), x, y, w, h) {
		if !l.Display().Split {
			add(i, Overlay, r.X, r.Y, r.W, r.H)
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

// Place is a rectangle of the whole picture, in pixels.
type Place struct{ X, Y, W, H int }

// Split divides a rectangle among n panes: one alone, two side by side, more
// in two rows of two.
func Split(n, x, y, w, h int) []Place {
	switch n {
	case 0:
		return nil
	case 1:
		return []Place{{x, y, w, h}}
	}
	half := (w - gutter) / 2
	if n == 2 {
		return []Place{{x, y, half, h}, {x + w - half, y, half, h}}
	}
	low := (h - gutter) / 2
	places := []Place{{x, y, half, low}, {x + w - half, y, half, low}, {x, y + h - low, half, low}, {x + w - half, y + h - low, half, low}}
	if n == 3 {
		places[2].W = w
	}
	return places[:n]
}

// fill makes the scene and the camera of a view.
func (s *Stage) fill(v *View, l *lab.Lab, share float32) {
	p, show := s.panes[v.Pane], l.Display()
	target := p.last.Plus(share, p.target.Sub(p.last))
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
		return geom.Blend(before[i], now[i], share)
	}
	world := p.of.ServerWorld.Scene()
	mine, old, tints, mains := p.now.drawn, p.before.drawn, &p.mine, &Players
	moment, last := p.now.drawnAt, p.before.drawnAt
	if v.Side == ServerSide {
		mine, old, tints = p.now.truth, p.before.truth, &p.theirs
		moment, last = p.now.truthAt, p.before.truthAt
		mains = &[4]render.Color{Server, Players[1], Players[2], Players[3]}
	}
	for i := range mine {
		c := Loose.Mix(mains[max(tints.whose[i], 0)], float32(reveal*tints.share[i]))
		if i < world.Players {
			c = mains[i]
		}
		if switched := p.of.Clients[0].View.Fallback; v.Side != ServerSide && i < len(switched) && switched[i] {
			c = c.Mix(Switched, switchedShare)
		}
		if show.Coloring != lab.NoColoring {
			if by, ok := p.tinted(show.Coloring, v.Side, i); ok {
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
		v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: b.Start.Pose, Half: b.Half, Color: Still})
	}
	for i := range world.Carriers {
		c := &world.Carriers[i]
		for _, b := range c.Boxes {
			now, before := c.Path.PoseAt(b.Start.Pose, moment, p.of.ServerWorld.Rate()), c.Path.PoseAt(b.Start.Pose, last, p.of.ServerWorld.Rate())
			if share < 1 {
				now = geom.Blend(before, now, share)
			}
			v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: now, Half: b.Half, Color: Carried})
		}
	}
	p.shoot(v, l)
	if v.Side == ServerSide {
		return
	}
	for i := range p.now.raw { // none if it is not shown
		p.outlined(v, at(p.before.raw, p.now.raw, i), i)
	}
	p.boxed(v, share)
	if show.Ghosts {
		for i := range p.now.truth {
			p.haunt(v, at(p.before.truth, p.now.truth, i), i, Server)
		}
		if n := p.of.Watched(); n < len(p.now.seen) {
			p.haunt(v, at(p.before.seen, p.now.seen, n), n, LastSeen)
		}
	}
	if show.Trail && len(p.now.trail) > 1 {
		v.Scene.Trails = append(v.Scene.Trails, render.Trail{Points: p.now.trail, Color: Client})
	}
}

// haunt adds the ghost of body i, unless it is where the body is drawn.
func (p *pane) haunt(v *View, ghost geom.Pose, i int, c render.Color) {
	if alike(v.Scene.Cubes[i].Pose, ghost) {
		return
	}
	c.A = ghostAlpha
	box := &p.of.ServerWorld.Scene().Boxes[i]
	v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: ghost, Half: box.Half, Color: c})
	v.addParts(box.Parts, ghost, c)
}

// addParts adds the further boxes of a body that is drawn at a pose.
func (v *View) addParts(parts []sim.Part, at geom.Pose, c render.Color) {
	for _, p := range parts {
		pose := geom.Pose{Pos: at.Pos.Add(at.Rot.Rotate(p.Pose.Pos)), Rot: at.Rot.Mul(p.Pose.Rot).Unit()}
		v.Scene.Cubes = append(v.Scene.Cubes, render.Cube{Pose: pose, Half: p.Half, Color: c})
	}
}
