package score

import (
	"math"
	"testing"

	"ghostcube/predict"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// pathSession is a session of two bodies, the second at rest. The first, the player's cube, moves at
// 3 m/s on the server; the view claims to show the moment that is lead ticks ahead of the server and
// draws the pose that is shown ticks ahead, at an offset.
type pathSession struct {
	lead, shown float64
	offset      func(i int) float32 // metres
	predicted   bool                // the player's cube alone is at lead; the other body is ten ticks behind
}

// add adds tick i.
func (s *pathSession) add(p *session, i int) {
	at := func(i float64) geom.Pose { return poseAt(3 * i / 60) }
	p.world.SetBody(0, sim.Body{Pose: at(float64(i))})
	p.world.SetBody(1, sim.Body{Pose: poseAt(-40)})
	p.view.Bodies[0] = at(float64(i) + s.shown)
	if s.offset != nil {
		p.view.Bodies[0] = shiftedY(p.view.Bodies[0], s.offset(i))
	}
	p.view.Bodies[1] = shiftedY(poseAt(-40), 7) // it never moves, so it is left out
	tick := sim.Tick(i + 1000)
	p.world.SetTick(tick)
	moment := tick.Moment() + sim.Moment(s.lead*sim.MomentsPerTick)
	p.view.Others, p.view.Own, p.view.Carriers, p.view.Predicted = moment, moment, moment, nil
	if s.predicted {
		p.view.Others, p.view.Predicted = tick.Moment()-10*sim.MomentsPerTick, append(p.view.Predicted[:0], true, false)
	}
	p.score.Add(p.world, &p.view, 0)
}

// TestPathError compares the path error of the player's cube, and of all bodies, with known ones: the
// server's motion drawn late, ahead, between two ticks, with an offset, or with the wrong tick. A body that
// has never moved is left out. So is a moment that the server does not reach, or that it has
// forgotten.
func TestPathError(t *testing.T) {
	quarter := func(int) float32 { return 0.25 }
	for _, c := range []struct {
		name         string
		session      pathSession
		rms, largest float64
		ok, all      bool
	}{
		{"no delay", pathSession{}, 0, 0, true, true},
		{"late", pathSession{lead: -40, shown: -40}, 0, 0, true, true},
		{"late by the oldest positions", pathSession{lead: -127, shown: -127}, 0, 0, true, true},
		{"later than the positions", pathSession{lead: -128, shown: -128}, 0, 0, true, false},
		{"late by the oldest pose", pathSession{lead: -239, shown: -239}, 0, 0, true, false},
		{"later than all poses", pathSession{lead: -240, shown: -240}, 0, 0, false, false},
		{"a correct prediction", pathSession{lead: 1, shown: 1}, 0, 0, true, true},
		{"a correct prediction, a second and a half ahead", pathSession{lead: 90, shown: 90}, 0, 0, true, true},
		{"a correct prediction of the player's cube", pathSession{lead: 12, shown: 12, predicted: true}, 0, 0, true, true},
		{"farther ahead than it waits", pathSession{lead: 200, shown: 200}, 0, 0, false, false},
		{"between two ticks", pathSession{lead: -7.5, shown: -7.5}, 0, 0, true, true},
		{"ahead, between two ticks", pathSession{lead: 7.25, shown: 7.25}, 0, 0, true, true},
		{"beside", pathSession{lead: -8, shown: -8, offset: quarter}, 0.25, 0.25, true, true},
		{"beside, ahead", pathSession{lead: 8, shown: 8, offset: quarter}, 0.25, 0.25, true, true},
		{"beside every fourth tick", pathSession{lead: 8, shown: 8, offset: func(i int) float32 { return float32(i % 4 / 3) }}, 0.5, 1, true, true},
		{"two ticks older than claimed", pathSession{lead: -8, shown: -10}, 0.1, 0.1, true, true},
		{"two ticks older than claimed, ahead", pathSession{lead: 8, shown: 6}, 0.1, 0.1, true, true},
		{"half a tick newer than claimed", pathSession{lead: 8, shown: 8.5}, 0.025, 0.025, true, true},
		{"no prediction, drawn as if it were the present", pathSession{lead: 0, shown: -9}, 0.45, 0.45, true, true},
	} {
		p, i := newSession(t, 60, 2), 0
		for ; i < 60+600; i++ {
			c.session.add(p, i)
		}
		s, ok := p.score.PathError()
		if ok != c.ok || ok && (!within(s.RMS, c.rms, 1e-4) || !within(s.Max, c.largest, 1e-4) || s.Angle != 0) {
			t.Errorf("%s: %+v, %v; want %v m, at most %v, %v", c.name, s, ok, c.rms, c.largest, c.ok)
		}
		rms, largest, ok := p.score.PathErrorAll()
		if ok != c.all || ok && (!within(rms, c.rms, 1e-4) || !within(largest, c.largest, 1e-4)) {
			t.Errorf("%s, all bodies: %v m, at most %v, %v; want %v, %v, %v", c.name, rms, largest, ok, c.rms, c.largest, c.all)
		}
		var d Score
		d.CopyFrom(&p.score)
		q := *p
		q.score = d
		for k := range 30 {
			c.session.add(p, i+k)
			c.session.add(&q, i+k)
		}
		i += 30
		if allMeasures(&q.score) != allMeasures(&p.score) {
			t.Errorf("%s: a copy continues differently", c.name)
		}
		c.session.offset = nil
		if n := testing.AllocsPerRun(200, func() { c.session.add(p, i); i++ }); n != 0 && !c.session.predicted {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

// TestPathErrorAngle checks the angle between the drawn orientation and the server's at the moment
// that the view claims to show, ahead of the server and between two ticks.
func TestPathErrorAngle(t *testing.T) {
	spin := func(i float64) geom.Pose {
		return geom.Pose{Pos: geom.Vec3{Z: 2}, Rot: geom.AxisAngle(geom.Vec3{X: 1}, float32(i)/60)}
	}
	for _, lead := range []float64{-7, -3.5, 9, 9.25} {
		for _, degrees := range []float64{0, 5, 40} {
			p := newSession(t, 60, 1)
			for i := range 60 + 300 {
				p.world.SetBody(0, sim.Body{Pose: spin(float64(i))})
				drawn := spin(float64(i) + lead)
				drawn.Rot = geom.AxisAngle(geom.Vec3{Z: 1}, float32(degrees*math.Pi/180)).Mul(drawn.Rot).Neg()
				p.view.Bodies[0] = drawn
				tick := sim.Tick(i + 100)
				p.world.SetTick(tick)
				p.view.Others = tick.Moment() + sim.Moment(lead*sim.MomentsPerTick)
				p.score.Add(p.world, &p.view, 0)
			}
			if s, ok := p.score.PathError(); !ok || !within(s.Angle, degrees, 0.01) || s.RMS > 1e-6 {
				t.Errorf("%v ticks ahead, turned by %v degrees: %+v, %v", lead, degrees, s, ok)
			}
		}
	}
}

// TestPathErrorOfSteps checks that a server that makes no step in one tick of the session and two in
// the next is compared step by step: the drawn cube advances a tick in each and has no error.
func TestPathErrorOfSteps(t *testing.T) {
	for _, lead := range []int{-10, 11} {
		p := newSession(t, 60, 1)
		at := func(tick int) geom.Pose { return poseAt(float64(tick) * float64(tick) / 2000) }
		for i := range 60 + 300 {
			if i%2 == 1 {
				for _, tick := range []int{i - 1, i} {
					p.world.SetBody(0, sim.Body{Pose: at(tick)})
					p.world.SetTick(sim.Tick(tick + 100))
					p.score.AddServerStep(p.world, 0)
				}
			}
			p.view.Bodies[0] = at(i + lead)
			p.view.ShowTick(sim.Tick(i + lead + 100))
			p.score.Add(p.world, &p.view, 0)
		}
		s, ok := p.score.PathError()
		if _, largest, all := p.score.PathErrorAll(); !ok || !all || s.Max != 0 || largest != 0 {
			t.Errorf("%d ticks ahead: %+v, %v; all bodies %v m, %v", lead, s, ok, largest, all)
		}
	}
}

// TestPathErrorOfTicks checks that each path error is reported once, with the tick in which the cube was drawn, also where
// it is drawn ahead of the server or late, and not again in a tick whose view has no cube.
func TestPathErrorOfTicks(t *testing.T) {
	for _, lead := range []float64{0, 12, -20} {
		p := newSession(t, 60, 2)
		x := pathSession{lead: lead, shown: lead, offset: func(i int) float32 { return float32(i) / 1024 }}
		reported := map[int]bool{}
		for i := range 300 {
			if i == 200 {
				none := predict.View{}
				p.score.Add(p.world, &none, 0)
				if n := len(p.score.NewPathErrors()); n != 0 || p.score.Added() != i {
					t.Errorf("%v ticks ahead: %d path errors of an empty view, %d ticks", lead, n, p.score.Added())
				}
			}
			x.add(p, i)
			for _, e := range p.score.NewPathErrors() {
				if want := float64(e.Tick-1) / 1024; math.Abs(e.Metres-want) > 1e-4 || reported[e.Tick] {
					t.Errorf("%v ticks ahead: tick %d has %v m, want %v, once", lead, e.Tick, e.Metres, want)
				}
				reported[e.Tick] = true
			}
		}
		if want := 300 - 60 - int(max(lead, 0)); len(reported) != want || reported[60] || !reported[61] {
			t.Errorf("%v ticks ahead: %d ticks have a path error, want %d", lead, len(reported), want)
		}
	}
}

// TestChordSquared checks that two quaternions of the same rotation have no chord between them,
// whatever their signs and rounded lengths; others have the chord of their angle.
func TestChordSquared(t *testing.T) {
	q := geom.AxisAngle(geom.Vec3{X: 0.6, Y: 0.8}, 1.3)
	for _, length := range []float32{1, 1.0001, 0.9999, -1, -1.0001, -0.9999} {
		p := geom.Quat{X: q.X * length, Y: q.Y * length, Z: q.Z * length, W: q.W * length}
		if c := chordSquared(&p, &q); c < 0 || c > 2e-8 {
			t.Errorf("by %v: %v apart", length, c)
		}
	}
	for _, angle := range []float32{0.01, 1, 3, 3.14} {
		p := geom.AxisAngle(geom.Vec3{X: 0.6, Y: 0.8}, 1.3+angle)
		half := 2 * math.Sin(float64(angle)/4)
		for _, sign := range []float32{1, -1} {
			o := geom.Quat{X: sign * p.X, Y: sign * p.Y, Z: sign * p.Z, W: sign * p.W}
			if c := chordSquared(&o, &q); math.Abs(math.Sqrt(float64(c))-half) > 1e-5 {
				t.Errorf("%v rad, sign %v: %v, want %v", angle, sign, math.Sqrt(float64(c)), half)
			}
		}
	}
}
