package gamelog

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/sim/geom"
)

// filmed returns the film of a log of five seconds of a game whose vertical axis is y: the server's body runs along x and jumps,
// and the screen, which begins after a second, is three ticks behind.
func filmed(t *testing.T, extra string) *Film {
	t.Helper()
	place := func(tick int) (x, y float64) { return 0.1 * float64(tick), 20 + math.Abs(math.Sin(float64(tick)/20)) }
	var b strings.Builder
	b.WriteString(`{"t":"h","v":1,"role":"both","hz":60,"body":3}` + "\n" + `{"t":"i","us":1000000,"id":1,"keys":"W"}` + "\n" + extra)
	for k := 10; k < 310; k++ {
		x, y := place(k)
		fmt.Fprintf(&b, `{"t":"s","k":%d,"b":[[3,%.4f,%.4f,0.25],[4,5,20,7]]}`+"\n", k, x, y)
		if k >= 70 {
			x, y = place(k - 3)
			us := 1_000_000 + (k-10)*1e6/60
			fmt.Fprintf(&b, `{"t":"v","us":%d,"k":%d,"b":[[3,%.4f,%.4f,0.25],[4,5,20,7]]}`+"\n"+`{"t":"p","us":%d,"dir":"down","bytes":114,"delay":50000}`+"\n",
				us, k-3, x, y, us)
			if k == 200 {
				fmt.Fprintf(&b, `{"t":"r","us":%d,"n":8}`+"\n", us)
			}
		}
	}
	r, err := NewReader("test", strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	f := &Film{}
	if _, err := Score(r, r, &Recording{Film: f}); err != nil {
		t.Fatal(err)
	}
	return f
}

func playing(f *Film) *lab.Lab {
	l := lab.New(lab.Config{Scene: "plain", Rate: 60})
	l.OpenRecorded("test", f.Strategy(), f.Scene())
	if _, err := l.Open("rewind"); err != nil {
		panic(err)
	}
	return l
}

// TestFilm plays a log in a pane: server and screen have its poses, turned upright and set on the ground, in the tick of their
// time; the correction and the datagrams are there; the game cannot be changed; and a copy of an earlier moment
// plays on to the same end, beside a strategy that is switched as well.
func TestFilm(t *testing.T) {
	f := filmed(t, "")
	l := playing(f)
	p := l.Panes[0]
	if n := f.Ticks(); n < 299 || n > 301 {
		t.Errorf("%d ticks, want 300", n)
	}
	var early *lab.Lab
	before := geom.Vec3{}
	for tick := range 300 {
		if err := l.Tick(lab.Entry{}); err != nil {
			t.Fatal(err)
		}
		v := &p.Clients[0].View
		switch {
		case tick < 59 && len(v.Bodies) > 0:
			t.Fatalf("tick %d has a picture before the log's first frame", tick)
		case tick == 80:
			if err := l.Apply(lab.Command{Verb: "switch", Pane: 1, Name: "snapshot"}); err != nil {
				t.Fatal(err)
			}
		case tick == 100:
			before = v.Bodies[0].Pos
		case tick == 150:
			early = l.Fork()
		}
	}
	if early.Ticks() != 151 {
		t.Fatal(early.Ticks())
	}
	v, ghost := &p.Clients[0].View, p.ServerWorld.Bodies()
	moved := v.Bodies[0].Pos.Sub(before)
	if math.Abs(float64(moved.X)-19.9) > 0.11 || moved.Y != 0 || v.Bodies[0].Pos.Z < 0.4 || v.Bodies[0].Pos.Z > 1.6 {
		t.Errorf("the drawn body has moved by %v to %v", moved, v.Bodies[0].Pos)
	}
	if ahead := ghost[0].Pose.Pos.X - v.Bodies[0].Pos.X; math.Abs(float64(ahead)-0.3) > 0.01 {
		t.Errorf("the ghost is %v m ahead, want 0.3", ahead)
	}
	if other := ghost[1].Pose.Pos; len(ghost) != 2 || math.Abs(float64(other.Y)+6.75) > 0.01 {
		t.Errorf("the other body is at %v, want 6.75 m beside", other)
	}
	if c := &p.Corrections; c.Total() != 1 || c.At(0).ReplayedTicks != 8 || c.At(0).SessionTick != 190 {
		t.Errorf("%d corrections, want one of 8 ticks in tick 190", c.Total())
	}
	if n := p.Clients[0].Endpoint.Stats.DatagramsReceived; n < 230 || n > 241 {
		t.Errorf("%d datagrams, want 240", n)
	}
	for early.Ticks() < l.Ticks() {
		if err := early.Tick(lab.Entry{}); err != nil {
			t.Fatal(err)
		}
	}
	if early.Hash() != l.Hash() {
		t.Error("a copy plays to another end")
	}
	got, want := early.Panes[0].Measures(nil), p.Measures(nil)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("a copy has other measures: %v, want %v", got, want)
	}
	for verb, want := range map[string]string{"restart": "the game has been played", "switch": "want another one", "nudge": "has been played"} {
		if err := l.Apply(lab.Command{Verb: verb, Name: "rewind"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", verb, err)
		}
	}
}

// TestFilmIsBounded adds more datagrams than a film keeps.
func TestFilmIsBounded(t *testing.T) {
	f := &Film{}
	for range maxFilmEvents + 10 {
		f.add(&Line{Kind: 'p'})
	}
	if n := len(f.sent[1]); n != maxFilmEvents || !f.isFull() {
		t.Errorf("%d datagrams of at most %d", n, maxFilmEvents)
	}
}
