package lab

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// Drag is a pull on a body: a damped spring from a point of it to a target, from command to command. It acts on the
// world of the server or of a client, before each of its ticks; no packet says so.
type Drag struct {
	Client int       // whose world; OnServer: the server's
	Body   int       // index
	Point  geom.Vec3 // of the body, in its frame, metres
	Target geom.Vec3 // world frame, metres
}

// OnServer takes the place of a client's index.
const OnServer = -1

// Bounds of a Drag, in metres. The spring pulls no harder beyond some metres, so they only keep numbers sensible.
const (
	maxDragPoint  = 100
	maxDragTarget = 10_000
)

// dragOff is the name of the command that lets go.
const dragOff = "off"

// dragging is the drag of a pane.
type dragging struct {
	Drag
	held   bool
	pulled bool     // at tick, so that a world that waits is not pulled again
	tick   sim.Tick // of the world
}

// Command returns the command that makes d the drag of a pane, or of AllPanes, with lengths rounded to a centimetre.
func (d *Drag) Command(pane int) Command {
	side := "server"
	switch {
	case d.Client > 0:
		side = strconv.Itoa(d.Client+1) + ".client"
	case d.Client == 0:
		side = "client"
	}
	var b []byte
	for _, v := range [...]float32{d.Point.X, d.Point.Y, d.Point.Z, d.Target.X, d.Target.Y, d.Target.Z} {
		if len(b) > 0 {
			b = append(b, ':')
		}
		b = strconv.AppendFloat(b, math.Floor(float64(float64(v)*100)+0.5)/100, 'f', -1, 64)
	}
	return Command{Verb: "drag", Pane: pane, Name: side + "." + strconv.Itoa(d.Body), Value: string(b)}
}

// ReleaseDrag returns the command that releases the dragged body of a pane, or of AllPanes. The body keeps its velocity.
func ReleaseDrag(pane int) Command { return Command{Verb: "drag", Pane: pane, Name: dragOff} }

// Drag returns the pane's drag in progress. ok is false if there is none.
func (p *Pane) Drag() (d Drag, ok bool) { return p.dragged.Drag, p.dragged.held }

// drag makes a body of one pane, or of all in which it can be done, follow a target, or lets go of it.
func (l *Lab) drag(c Command) error {
	if c.Name == dragOff {
		return l.eachPane(c.Pane, func(p *Pane) error { p.dragged.held = false; return nil })
	}
	d, err := parseDrag(c)
	if err != nil {
		return err
	}
	if n := len(l.newScene().Boxes); d.Body >= n {
		return fmt.Errorf("drag %q: want a body from 0 to %d", c.Name, n-1)
	}
	if n := l.clientCount(); d.Client >= n {
		return fmt.Errorf("drag %q: want a client from 1 to %d", c.Name, n)
	}
	var refused error
	dragged := 0
	for i, p := range l.Panes {
		if c.Pane != AllPanes && c.Pane != i {
			continue
		}
		if err := p.cannotDrag(&d); err == nil {
			p.dragTo(&d)
			dragged++
		} else if refused == nil {
			refused = err
		}
	}
	if dragged > 0 {
		return nil
	}
	return refused
}

// parseDrag parses the command that Drag.Command returns.
func parseDrag(c Command) (d Drag, err error) {
	wrong := func(what string) (Drag, error) {
		return Drag{}, fmt.Errorf("drag %q %q: want %s", c.Name, c.Value, what)
	}
	side, body, _ := cutLast(c.Name, ".")
	client, rest, numbered := strings.Cut(side, ".")
	switch {
	case side == "server":
		d.Client = OnServer
	case side == "client":
	case numbered && rest == "client":
		n, err := strconv.Atoi(client)
		if err != nil || n < 1 || n > maxClients {
			return wrong("a client's number before .client")
		}
		d.Client = n - 1
	default:
		return wrong("server.BODY, client.BODY, 2.client.BODY or off")
	}
	if d.Body, err = strconv.Atoi(body); err != nil || d.Body < 0 {
		return wrong("the number of a body, from 0, after the side")
	}
	numbers := strings.Split(c.Value, ":")
	into := [...]*float32{&d.Point.X, &d.Point.Y, &d.Point.Z, &d.Target.X, &d.Target.Y, &d.Target.Z}
	for i, v := range into {
		limit := float64(maxDragPoint)
		if i >= 3 {
			limit = maxDragTarget
		}
		var x float64
		if len(numbers) == len(into) {
			x, err = strconv.ParseFloat(numbers[i], 32)
		}
		if len(numbers) != len(into) || err != nil || !(math.Abs(x) <= limit) {
			return wrong(fmt.Sprintf("the point in the body's frame and the target, X:Y:Z:X:Y:Z, up to %d and %d m", maxDragPoint, maxDragTarget))
		}
		*v = float32(x)
	}
	return d, nil
}

// cutLast splits s at the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}

// cannotDrag returns why a drag does nothing in the pane, or nil.
func (p *Pane) cannotDrag(d *Drag) error {
	if d.Client == OnServer {
		return nil
	}
	if p.Strategy.Motion == predict.FromStates || p.Clients[d.Client].World.IsKinematic(d.Body) {
		return fmt.Errorf("the client of %s does not simulate body %d: drag it on the server", p.Title(), d.Body)
	}
	return nil
}

// dragTo begins a drag or moves its target. Another body, another side or another point of the body begin a new one.
func (p *Pane) dragTo(d *Drag) {
	g := &p.dragged
	if g.held && g.Client == d.Client && g.Body == d.Body && g.Point == d.Point {
		g.Target = d.Target
		return
	}
	*g = dragging{Drag: *d, held: true}
}

// pull pulls the dragged body before a tick.
func (p *Pane) pull() {
	g := &p.dragged
	if !g.held || g.Client != OnServer && p.joining(g.Client) {
		return
	}
	w := p.ServerWorld
	if g.Client != OnServer {
		w = p.Clients[g.Client].World
	}
	if g.pulled && w.Tick() == g.tick {
		return
	}
	g.pulled, g.tick = true, w.Tick()
	w.DragBody(g.Body, g.Point, g.Target)
	if p.forced.Command.Verb == "drag" {
		p.forced.Until = p.ServerWorld.Tick()
	}
}
