package hud

import (
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// pathError finds the distance from a drawn player's body to the server's at the moment that the view claims to
// show. A body that is drawn ahead of the server waits until the server is there.
type pathError struct {
	server  [512]serverPosition // by tick, a ring
	drawn   [512]drawnPosition  // a ring of those that wait, oldest first
	first   int                 // index in drawn
	waiting int
	last    float32 // metres
}

type serverPosition struct {
	tick sim.Tick
	pos  geom.Vec3 // metres
}

type drawnPosition struct {
	at  sim.Moment
	pos geom.Vec3 // metres
}

// pathErrorNow adds the poses of a tick and returns the newest error that is known, in metres.
func (p *pane) pathErrorNow() float32 {
	e, body, now := &p.pathError, p.source.PlayerBodyOf(p.client), p.source.ServerWorld.Tick()
	v := &p.source.Clients[p.client].View
	e.server[int(now)%len(e.server)] = serverPosition{now, p.source.ServerWorld.Bodies()[body].Pose.Pos}
	if body < len(v.Bodies) && v.Others > 0 { // the client has received a state
		if e.waiting == len(e.drawn) { // the server stands still
			e.first, e.waiting = (e.first+1)%len(e.drawn), e.waiting-1
		}
		e.drawn[(e.first+e.waiting)%len(e.drawn)] = drawnPosition{v.MomentOf(body), v.Bodies[body].Pos}
		e.waiting++
	}
	for ; e.waiting > 0 && e.drawn[e.first].at <= now.Moment(); e.waiting-- {
		d := &e.drawn[e.first]
		e.first = (e.first + 1) % len(e.drawn)
		if server, ok := e.serverAt(d.at); ok {
			e.last = d.pos.Sub(server).Len()
		}
	}
	return e.last
}

// serverAt returns the server's position at a moment. ok is false if it is forgotten.
func (e *pathError) serverAt(m sim.Moment) (pos geom.Vec3, ok bool) {
	before := sim.Tick(m / sim.MomentsPerTick)
	a := &e.server[int(before)%len(e.server)]
	share := float32(m-before.Moment()) / sim.MomentsPerTick
	if share == 0 || a.tick != before {
		return a.pos, a.tick == before
	}
	b := &e.server[int(before+1)%len(e.server)]
	return a.pos.AddScaled(share, b.pos.Sub(a.pos)), b.tick == before+1
}
