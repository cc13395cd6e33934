package hit

import (
	"testing"
	"time"

	"ghostcube/internal/golden"
	"ghostcube/predict"
	"ghostcube/predict/part/input"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/smoothing"
)

// guideServer is the server of the guide to lag compensation. Its methods with comments behind their lines are the
// guide's pseudo-code; the others are what one of its words stands for. Times are in sixteenths of a tick.
type guideServer struct {
	world   *predict.World
	now     int64
	rtt     time.Duration
	poses   map[int64][]geom.Pose // by tick
	waiting []guideShot
	results []guideResult
}

type guideShot struct {
	player      int
	shot        sim.Shot
	view, ahead int64
}

type guideResult struct {
	body    int
	refused bool
}

const oldest = 60 * predict.SubticksPerTick // a second

func (g *guideServer) tick(arrived []guideShot) { // server, each tick, before it steps:
	g.now = g.clock()                         // now = time of this tick
	g.poses[g.now/16] = g.pose()              // poses[now] = poses of all bodies
	g.forget(g.now - oldest)                  // forget poses older than a second
	g.waiting = append(g.waiting, arrived...) // append the shots that have arrived to waiting
	for _, s := range g.take() {              // for each shot in waiting:
		if s.view+s.ahead > g.now { // if its view time + its lead > now:  # its player is ahead of the server
			g.keep(s) // keep it for a later tick
			continue  // continue
		}
		if g.now-s.view > g.limit() { // if now - its view time > its player's round trip + 0.4 s:  # a cheat's choice
			g.refuse() // refuse it
			continue   // continue
		}
		from := g.at(s.view + s.ahead)[s.player].Pos // from = position of its player at its view time + its lead
		past := g.at(s.view)                         // past = poses between the ticks before and after its view time
		g.hit(g.cast(from, &s, past))                // hit(nearest body of past on the ray from there, but the player's own)
	}
}

func (g *guideServer) clock() int64 { return int64(g.world.Tick()) * predict.SubticksPerTick }

func (g *guideServer) pose() []geom.Pose { return predict.AppendPoses(nil, g.world.Bodies()) }

func (g *guideServer) forget(before int64) {
	for t := range g.poses {
		if t*predict.SubticksPerTick < before {
			delete(g.poses, t)
		}
	}
}

func (g *guideServer) take() []guideShot {
	list := g.waiting
	g.waiting = nil
	return list
}

func (g *guideServer) keep(s guideShot) { g.waiting = append(g.waiting, s) }

func (g *guideServer) limit() int64 {
	return int64((g.rtt + 400*time.Millisecond).Seconds() * 60 * predict.SubticksPerTick)
}

func (g *guideServer) refuse() {
	g.results = append(g.results, guideResult{refused: true, body: sim.NoBody})
}

func (g *guideServer) at(moment int64) (poses []geom.Pose) {
	a, part := g.poses[moment/16], float32(moment%16)/16
	for i := range a {
		b := a
		if part > 0 {
			b = g.poses[moment/16+1]
		}
		poses = append(poses, smoothing.LerpPose(a[i], b[i], part))
	}
	return poses
}

func (g *guideServer) cast(from geom.Vec3, s *guideShot, past []geom.Pose) int {
	scene := g.world.Scene()
	return scene.CastRay(from, s.shot.Direction(), predict.ShotRange, past, s.player, predict.SubtickMoment(s.view), 60).Body
}

func (g *guideServer) hit(body int) { g.results = append(g.results, guideResult{body: body}) }

// TestGuide runs the guide's pseudo-code beside a LagCompensator. Shots are aimed at a moving body where it was at their view
// time, or beside that, are between ticks, ahead of the server, or too old. Each has to have the same result in the same tick.
func TestGuide(t *testing.T) {
	golden.PseudoCode(t, "lag-compensation", "guide_test.go")
	r := newRig(t)
	r.peers[0].Endpoint.Stats.RTT = 100 * time.Millisecond
	g := &guideServer{world: r.w, rtt: 100 * time.Millisecond, poses: map[int64][]geom.Pose{}}
	kinds := map[guideResult]int{}
	for i := range int64(200) {
		var shots []sim.Shot
		var arrived []guideShot
		if i > 60 && i%3 == 0 {
			age, ahead := (i*37)%640-40, i*7%30 // up to 10 ticks in the past of what is accepted, up to 2.5 in the future
			view := i*predict.SubticksPerTick - age
			s := sim.Aim(targetAt(float32(view + i%2*200)).Sub(geom.Vec3{X: -6, Z: 0.75}))
			input.SetViewTime(&s, view, int64(ahead))
			shots, arrived = []sim.Shot{s}, []guideShot{{0, s, view, ahead}}
		}
		b := r.w.Bodies()[1]
		b.Pose.Pos = targetAt(float32(r.w.Tick()) * predict.SubticksPerTick)
		r.w.SetBody(1, b)
		g.tick(arrived)
		r.tick(shots...)
		if len(g.results) != len(r.results) {
			t.Fatalf("tick %d: the guide has resolved %d shots, the server %d", i, len(g.results), len(r.results))
		}
		for n := range r.results {
			v := &r.results[n]
			want := guideResult{v.Rewound.Hit.Body, v.Refused != predict.NotRefused}
			if kinds[want]++; g.results[n] != want {
				t.Fatalf("tick %d: the guide's result is %+v, the server's %+v", i, g.results[n], *v)
			}
		}
		g.results, r.results = nil, nil
	}
	if len(kinds) < 3 || len(g.poses) > 61 {
		t.Errorf("results %v, %d ticks are remembered", kinds, len(g.poses))
	}
}
