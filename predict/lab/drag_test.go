package lab_test

import (
	"fmt"
	"strings"
	"testing"

	"ghostcube/internal/experiment"
	"ghostcube/predict"
	. "ghostcube/predict/lab"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim/geom"
)

// dragScene has a few small cubes around the player that any strategy can send.
const dragScene = "katamari:cubes=20"

// dragged is the cube of dragScene that tests drag.
const dragged = 7

// throw drags a body of a side up and away for a second and lets go of it in motion.
func throw(t testing.TB, l *Lab, client, body int) {
	t.Helper()
	start := l.Panes[0].ServerWorld.Bodies()[body].Pose.Pos
	for k := range 60 {
		d := Drag{Client: client, Body: body, Point: geom.Vec3{X: 0.1}}
		d.Target = start.Add(geom.Vec3{X: -0.04 * float32(k), Y: -0.05 * float32(k), Z: min(0.1*float32(k), 1.5)})
		labtest.Tick(t, l, Entry{Commands: []Command{d.Command(AllPanes)}})
	}
	labtest.Tick(t, l, Entry{Commands: []Command{ReleaseDrag(AllPanes)}})
}

// apart returns how far a body of the first client's picture is from the server's.
func apart(p *Pane, body int) float32 {
	return p.Clients[0].View.Bodies[body].Pos.Sub(p.ServerWorld.Bodies()[body].Pose.Pos).Len()
}

// TestThrownBodySettles throws a body on the server's side of every strategy, and promises that it flew some metres, that
// the client's picture went along, and that six seconds later it is where the server has it. Strategies whose clients get
// no states cannot follow: they report the desync, and have it right once the client has joined again.
func TestThrownBodySettles(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, s := range Strategies {
		t.Run(s.Name, func(t *testing.T) {
			spec := s.Name
			if s.Motion == predict.FromInputs {
				spec += ":messages=reliable"
			}
			l := labtest.Open(t, labtest.Config(t, dragScene, "latency=60ms,jitter=15ms,loss=5%", AtClient), spec)
			p := l.Panes[0]
			labtest.Hold(t, l, 120)
			from := p.ServerWorld.Bodies()[dragged].Pose.Pos
			throw(t, l, OnServer, dragged)
			if _, held := p.Drag(); held {
				t.Error("it is still held after the release")
			}
			if v := p.ServerWorld.Bodies()[dragged].Linear.Len(); v < 2 {
				t.Errorf("it was released with %.2f m/s", v)
			}
			labtest.Hold(t, l, 360)
			flown := p.ServerWorld.Bodies()[dragged].Pose.Pos.Sub(from).Len()
			if flown < 3 {
				t.Errorf("the server's body is %.2f m away", flown)
			}
			off := apart(p, dragged)
			if s.Motion == predict.FromInputs {
				if p.Counters.Value("desyncs") == 0 || off < 1 {
					t.Errorf("without states the picture is %.3f m off, with %v desyncs reported", off, p.Counters.Value("desyncs"))
				}
				labtest.Apply(t, l, "rejoin all 1 -")
				labtest.Hold(t, l, 240)
				off = apart(p, dragged)
			}
			labtest.Report(t, !(off < 0.02), "thrown by %.2f m, %.4f m off in the picture at the end", flown, off)
		})
	}
}

// TestDragOnClient throws a body in the own world of the first client of every strategy, and promises that the client's
// picture moves and the server's body does not, but for the millimetres of a resynchronisation that the client asks for,
// that the client is corrected a few seconds later, and that clients that do not simulate the body refuse.
func TestDragOnClient(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for _, s := range Strategies {
		t.Run(s.Name, func(t *testing.T) {
			c := labtest.Config(t, dragScene, "latency=60ms", AtClient)
			l, untouched := labtest.Open(t, c, s.Name), labtest.Open(t, c, s.Name)
			labtest.Hold(t, l, 120)
			labtest.Hold(t, untouched, 120)
			const player = 0
			p, d := l.Panes[0], Drag{Body: player, Target: geom.Vec3{Z: 3}}
			if s.Motion == predict.FromStates {
				if err := l.Apply(d.Command(AllPanes)); err == nil || !strings.Contains(err.Error(), "does not simulate") {
					t.Errorf("dragged all the same: %v", err)
				}
				return
			}
			most := float32(0)
			for range 60 {
				labtest.Tick(t, l, Entry{Commands: []Command{d.Command(AllPanes)}})
				most = max(most, apart(p, player))
			}
			labtest.Hold(t, untouched, 60)
			labtest.Tick(t, l, Entry{Commands: []Command{ReleaseDrag(AllPanes)}})
			labtest.Hold(t, untouched, 1)
			labtest.Hold(t, l, 300)
			labtest.Hold(t, untouched, 300)
			moved := p.ServerWorld.Bodies()[player].Pose.Pos.Sub(untouched.Panes[0].ServerWorld.Bodies()[player].Pose.Pos).Len()
			labtest.Report(t, most < 0.1 || moved > 0.01, "dragged by %.3f m at most; the server's body is moved by %.4f m", most, moved)
			if off := apart(p, player); s.Motion != predict.FromInputs && off > 0.02 {
				t.Errorf("the picture is %.3f m off at the end", off)
			}
		})
	}
}

// TestDragIsState promises that a fork in the middle of a drag goes on like the original, and that a restart and another
// strategy let go.
func TestDragIsState(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, dragScene, "latency=60ms", AtClient), "rewind", "statesync")
	labtest.Hold(t, l, 60)
	d := Drag{Client: OnServer, Body: dragged, Target: geom.Vec3{X: 3, Z: 2}}
	labtest.Tick(t, l, Entry{Commands: []Command{d.Command(AllPanes)}})
	labtest.Hold(t, l, 10)
	f := l.Fork()
	labtest.Hold(t, l, 30)
	labtest.Hold(t, f, 30)
	if l.Hash() != f.Hash() {
		t.Error("a fork in the middle of a drag goes on differently")
	}
	if got, ok := f.Panes[1].Drag(); !ok || got != d {
		t.Errorf("the fork has %v, %t", got, ok)
	}
	labtest.Apply(t, l, "switch 1 lockstep -", "restart 2 - -")
	for i, p := range l.Panes {
		if _, held := p.Drag(); held {
			t.Errorf("pane %d is still held", i+1)
		}
	}
}

// TestDragExplainsCorrections promises that the corrections during a drag, and after it, name it as the forced fault.
func TestDragExplainsCorrections(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, dragScene, "latency=60ms", AtClient), "rewind")
	p := l.Panes[0]
	labtest.Hold(t, l, 60)
	before := p.Corrections.Total()
	throw(t, l, OnServer, 0)
	labtest.Hold(t, l, 30)
	named := 0
	for n := before; n < p.Corrections.Total(); n++ {
		if c := p.Corrections.At(n); strings.Contains(c.Fault, "body 0 is dragged") {
			named++
		}
	}
	if total := p.Corrections.Total() - before; total < 30 || named < total-1 {
		t.Errorf("%d of %d corrections name the drag", named, total)
	}
	if f, ok := p.LastFault(); !ok || f.Until-f.ServerTick < 58 || f.Until-f.ServerTick > 61 {
		t.Errorf("the fault is %+v", f)
	}
}

// TestDragText promises that a drag survives its text to the centimetre, and checks the errors of wrong ones.
func TestDragText(t *testing.T) {
	t.Parallel()
	l := labtest.Open(t, labtest.Config(t, "two-players", "perfect", AtClient), "rewind")
	d := Drag{Client: 1, Body: 12, Point: geom.Vec3{X: 0.104, Z: -0.2}, Target: geom.Vec3{X: 12.345, Y: -6, Z: 0.5}}
	c := d.Command(AllPanes)
	if got := c.String(); got != "drag all 2.client.12 0.1:0:-0.2:12.35:-6:0.5" {
		t.Error(got)
	}
	for _, name := range []string{"server.0", "client.1", "1.client.0"} {
		labtest.Apply(t, l, fmt.Sprint("drag all ", name, " 0:0:0:1:2:3"))
	}
	labtest.Apply(t, l, "drag all off -")
	for text, want := range map[string]string{
		"drag all server.99999 0:0:0:1:2:3":       "want a body from 0 to",
		"drag all server 0:0:0:1:2:3":             "want the number of a body",
		"drag all server.-1 0:0:0:1:2:3":          "want the number of a body",
		"drag all 3.client.1 0:0:0:1:2:3":         "want a client from 1 to 2",
		"drag all 0.client.1 0:0:0:1:2:3":         "want a client's number",
		"drag all server.1 0:0:0:1:2":             "X:Y:Z:X:Y:Z",
		"drag all server.1 0:0:0:1:2:NaN":         "X:Y:Z:X:Y:Z",
		"drag all server.1 0:0:101:1:2:3":         "X:Y:Z:X:Y:Z",
		"drag all server.1 0:0:0:1:20000:3":       "X:Y:Z:X:Y:Z",
		"drag all server.1 -":                     "X:Y:Z:X:Y:Z",
		"drag 2 server.1 0:0:0:1:2:3":             "there is no pane 2",
		"drag all mouse.1 0:0:0:1:2:3":            "want server.BODY",
		"drag all server.1x 0:0:0:1:2:3":          "want the number of a body",
		"drag all server.1 0:0:0:1:2:3:4":         "X:Y:Z:X:Y:Z",
		"drag all 2.server.1 0:0:0:1:2:3":         "want server.BODY",
		"drag all client.1 0:0:0:1:2:Inf":         "X:Y:Z:X:Y:Z",
		"drag all 99999999999.client.1 0:0:0:1:2": "want a client's number",
	} {
		c, err := ParseCommand(text)
		if err == nil {
			err = l.Apply(c)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", text, err, want)
		}
	}
	if _, held := l.Panes[0].Drag(); held {
		t.Error("a wrong command drags")
	}
}
