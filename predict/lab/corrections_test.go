package lab_test

import (
	"math"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// injectedChange is a divergence: before a tick, one field of one body of the server's world
// is changed.
type injectedChange struct {
	scene  string
	tick   int
	body   int
	field  predict.Field
	amount float32 // in the field's unit
}

func (i *injectedChange) apply(b *sim.Body) {
	if i.field != predict.Asleep {
		b.Asleep = false
	}
	switch i.field {
	case predict.Position:
		b.Pose.Pos.Y += i.amount
	case predict.Rotation:
		b.Pose.Rot = geom.AxisAngle(geom.Vec3{Z: 1}, i.amount).Mul(b.Pose.Rot)
	case predict.Linear:
		b.Linear.X += i.amount
	case predict.Angular:
		b.Angular.Z += i.amount
	case predict.Asleep:
		b.Asleep, b.Linear, b.Angular = true, geom.Vec3{}, geom.Vec3{}
	}
}

// distance returns the difference of a field of two bodies, in the field's unit.
func (i *injectedChange) distance(a, b sim.Body) float32 {
	switch i.field {
	case predict.Position:
		return a.Pose.Pos.Sub(b.Pose.Pos).Len()
	case predict.Rotation:
		return float32(2 * math.Acos(math.Abs(float64(a.Pose.Rot.Dot(b.Pose.Rot)))))
	case predict.Linear:
		return a.Linear.Sub(b.Linear).Len()
	case predict.Angular:
		return a.Angular.Sub(b.Angular).Len()
	}
	return 1
}

// TestInjectedChangesAreCorrected checks the list of corrections. Over a clean link only
// injected changes are corrected. The first correction names the body, the field and the
// difference, which a fork without the change confirms; the tick of the server's state; and
// the first packet that carried it and when it was sent, which the datagrams themselves
// confirm, because the server sends one packet per tick.
func TestInjectedChangesAreCorrected(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, x := range []injectedChange{
		{"zen", 100, 0, predict.Position, 1},
		{"zen", 131, 0, predict.Linear, 3},
		{"zen", 202, 0, predict.Angular, 5},
		{"zen", 163, 0, predict.Rotation, 0.5},
		{"zen", 177, 7, predict.Position, -0.25},
		{"zen", 256, 9, predict.Position, 0.02},
		{"zen", 212, 13, predict.Linear, -8},
		{"plain", 300, 0, predict.Linear, -0.5},
		{"katamari:cubes=16", 12, 0, predict.Asleep, 1},
		{"katamari:cubes=16", 90, 5, predict.Position, 0.3},
		{"katamari:cubes=16", 99, 16, predict.Linear, 2},
		{"katamari:cubes=16", 121, 11, predict.Angular, 8},
		{"katamari:cubes=16", 150, 3, predict.Rotation, 1},
		{"katamari:cubes=16", 151, 1, predict.Rotation, -0.1},
		{"tower", 20, 1, predict.Asleep, 1},
		{"tower", 130, 2, predict.Position, 0.01},
		{"tower", 87, 4, predict.Angular, 2},
		{"two-players", 20, 1, predict.Linear, -2},
		{"two-players", 25, 0, predict.Position, -0.5},
	} {
		l := New(labtest.Config(t, x.scene, "latency=75ms", AtClient))
		packets, last := 0, time.Duration(-1)
		l.Tap = func(_ *Pane, seat int, d link.Direction, now time.Duration, _ []byte) {
			if seat == 0 && d == link.Down && now != last {
				packets, last = packets+1, now
			}
		}
		p, err := l.Open("rewind")
		if err != nil {
			t.Fatal(err)
		}
		if x.field == predict.Asleep && x.body > 0 { // it must be moving: both sides place it in the air
			for _, w := range []*predict.World{p.ServerWorld, p.Clients[0].World} {
				b := w.Bodies()[x.body]
				b.Pose.Pos = geom.Vec3{X: 5, Y: 5, Z: 12}
				b.Asleep = false
				w.SetBody(x.body, b)
			}
		}
		labtest.Run(t, l, x.tick)
		before := p.Corrections.Total()
		if before > 0 && p.Corrections.Last().SessionTick+sim.Tick(6) > l.Ticks() {
			t.Fatalf("%+v: another correction precedes it: %+v", x, *p.Corrections.Last())
		}
		same := l.Fork()
		b := p.ServerWorld.Bodies()[x.body]
		x.apply(&b)
		p.ServerWorld.SetBody(x.body, b)
		sequence := packets // sequence numbers begin at 0
		labtest.Run(t, l, 1)
		labtest.Run(t, same, 1)
		sent, tick := last, p.ServerWorld.Tick()
		by := x.distance(p.ServerWorld.Bodies()[x.body], same.Panes[0].ServerWorld.Bodies()[x.body])
		labtest.Run(t, l, 30)
		if p.Corrections.Total() == before {
			t.Errorf("%+v: nothing was corrected", x)
			continue
		}
		c := p.Corrections.At(before)
		if c.Body != x.body || c.Field != x.field || geom.Abs(c.Amount-by) > 0.003*by {
			t.Errorf("%+v: found body %d, %s, want by %g %s", x, c.Body, c.Describe(), by, x.field.Unit())
		}
		if int(c.Packet) != sequence || c.Tick != tick || c.Sent != sent || c.Received != sent+75*time.Millisecond {
			t.Errorf("%+v: found packet %d of tick %d, sent %v, received %v; want %d, %d, %v, 75 ms later",
				x, c.Packet, c.Tick, c.Sent, c.Received, sequence, tick, sent)
		}
		at := time.Duration(c.SessionTick) * time.Second / 60
		inNextTick := at >= c.Received && at < c.Received+time.Second/60
		if !inNextTick || c.Cause != predict.CauseUnknown || c.Client != 0 || c.ReplayedTicks < 10 {
			t.Errorf("%+v: %+v", x, *c)
		}
	}
}

// TestCorrectionCauses checks that a correction names its cause where the client can know
// it: an input that the server lacked in its tick, a wrong prediction of another player's
// input, and a client behind the server's state: a spectator whose latency drops from 300 ms
// to 0.
func TestCorrectionCauses(t *testing.T) {
	t.Parallel()
	count := func(p *Pane, w predict.Cause, seat int) (n int) {
		for i := p.Corrections.FirstIndex(); i < p.Corrections.Total(); i++ {
			if c := p.Corrections.At(i); c.Cause == w && c.Client == seat {
				n++
			}
		}
		return n
	}
	l := labtest.Open(t, labtest.Config(t, "plain", "latency=75ms", AtClient), "rewind:redundant=off")
	p := l.Panes[0]
	labtest.Run(t, l, 600)
	if n := p.Corrections.Total(); n != 0 {
		t.Fatalf("%d corrections without loss", n)
	}
	labtest.Apply(t, l, "network all - latency=75ms,up.loss=30%")
	labtest.Run(t, l, 1200)
	if own, all := count(p, predict.LocalInput, 0), p.Corrections.Total(); own < 10 || own < all/2 || count(p, predict.RemoteInput, 0) > 0 {
		t.Errorf("of %d corrections %d have lost inputs as their cause", all, own)
	}
	l = labtest.Open(t, labtest.Config(t, "two-players", "latency=75ms", AtClient), "rewind:relay=off")
	p = l.Panes[0]
	labtest.Run(t, l, 600)
	if n := count(p, predict.RemoteInput, 1); n < 10 || count(p, predict.LocalInput, 0)+count(p, predict.LocalInput, 1) > 0 {
		t.Errorf("%d corrections have the remote player's input as their cause, of %d", n, p.Corrections.Total())
	}
	if n := count(p, predict.RemoteInput, 0); n != 0 {
		t.Errorf("%d corrections for an idle player", n)
	}
	l = labtest.Open(t, labtest.Config(t, "plain", "up.latency=10ms,down.latency=300ms", AtHost), "rewind")
	p = l.Panes[0]
	labtest.Run(t, l, 300)
	labtest.Apply(t, l, "condition all down.latency 0s")
	labtest.Run(t, l, 60)
	if n := count(p, predict.ClockReset, 0); n == 0 || count(p, predict.LocalInput, 0) > 0 {
		t.Errorf("%d corrections of a client that is behind, of %d", n, p.Corrections.Total())
	}
}

// TestCorrectionsSurviveFork checks that a fork has the same corrections and records the same
// ones afterwards, and that switching the strategy clears the list.
func TestCorrectionsSurviveFork(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "zen", "latency=75ms", AtClient), "rewind:contact-order=reordered:redundant=off")
	labtest.Apply(t, l, "condition all loss 20%")
	labtest.Run(t, l, 400)
	f := l.Fork()
	labtest.Run(t, l, 200)
	labtest.Run(t, f, 200)
	a, b := &l.Panes[0].Corrections, &f.Panes[0].Corrections
	if a.Total() < 10 || a.Total() != b.Total() {
		t.Fatalf("%d and %d corrections", a.Total(), b.Total())
	}
	for i := range a.Total() {
		if *a.At(i) != *b.At(i) {
			t.Errorf("number %d: %+v and %+v", i, *a.At(i), *b.At(i))
		}
	}
	if err := l.Apply(Command{Verb: "switch", Pane: 0, Name: "noprediction"}); err != nil || a.Total() != 0 || b.Total() == 0 {
		t.Errorf("%v: %d after the switch, %d in the copy", err, a.Total(), b.Total())
	}
}
