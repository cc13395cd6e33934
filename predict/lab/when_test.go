package lab

import (
	"testing"

	"ghostcube/sim"
)

// TestWhen promises that a pane says in words how far its picture is ahead of the server or behind it, for the
// player's cube and for the other bodies.
func TestWhen(t *testing.T) {
	l := New(Config{Scene: "plain", Rate: 60})
	p, err := l.Open("rewind")
	if err != nil {
		t.Fatal(err)
	}
	v := &p.Clients[0].View
	v.Bodies = v.Bodies[:0]
	if got := string(p.AppendWhen(nil)); got != "" {
		t.Errorf("before anything is drawn: %q", got)
	}
	now := p.ServerWorld.Tick() + 100
	for range 100 {
		p.ServerWorld.Step(sim.Input{})
	}
	v.Bodies = append(v.Bodies, p.ServerWorld.Bodies()[0].Pose, p.ServerWorld.Bodies()[0].Pose)
	for _, c := range []struct {
		others, own sim.Moment
		predicted   []bool
		want        string
	}{
		{(now + 9).Moment(), 0, nil, "drawn 150 ms ahead of the server"},
		{(now - 10).Moment(), 0, nil, "drawn 167 ms behind the server"},
		{now.Moment(), 0, nil, "drawn at the server's present"},
		{(now - 6).Moment(), (now + 3).Moment(), []bool{true, false}, "you 50 ms ahead, others 100 ms behind the server"},
		{(now - 6).Moment(), (now + 3).Moment(), []bool{true, true}, "drawn 50 ms ahead of the server"},
		{(now - 6).Moment(), (now + 3).Moment(), []bool{false, true}, "drawn 100 ms behind the server"},
		{(now - 6).Moment() + sim.MomentsPerTick/2, 0, nil, "drawn 92 ms behind the server"},
	} {
		v.Others, v.Own, v.Predicted = c.others, c.own, c.predicted
		if got := string(p.AppendWhen(nil)); got != c.want {
			t.Errorf("%v, %v, %v: %q, want %q", c.others, c.own, c.predicted, got, c.want)
		}
	}
}
