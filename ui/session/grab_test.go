package session

import (
	"path/filepath"
	"strings"
	"testing"

	"ghostcube/predict/lab"
	"ghostcube/sim/geom"
)

// drags returns the names of the drag commands of a take's ticks.
func (g *testSession) drags() (names []string) {
	for i := g.Past.Timeline.Start(); i < g.Past.Timeline.End(); i++ {
		for _, c := range g.Past.Timeline.Take().Entry(i).Commands {
			if c.Verb == "drag" {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// throw holds the first player's cube for a second and lets go of it.
func (g *testSession) throw(t *testing.T, client int) {
	t.Helper()
	d := lab.Drag{Client: client, Point: geom.Vec3{X: 0.3}, Target: geom.Vec3{Z: 1}}
	g.Grab.Take(d)
	for k := range 60 {
		d.Target = geom.Vec3{X: 0.05 * float32(k), Z: 2}
		g.Grab.MoveTo(d)
		g.playPast(t, 1)
	}
	g.Grab.Release()
	g.playPast(t, 1)
}

// TestGrab promises that a body that is held and thrown is on the tape with a command a tick at most, moves in all panes,
// and that the tape replays to its hashes; and that a hand that rests sends nothing.
func TestGrab(t *testing.T) {
	g := newTestSession(t, "rewind", "snapshot")
	g.playPast(t, 60)
	g.throw(t, lab.OnServer)
	if notice := g.lastNotice(); !strings.Contains(notice, "player 1's cube on the server") {
		t.Errorf("the notice is %q", notice)
	}
	for i, p := range g.Lab.Panes {
		b := p.ServerWorld.Bodies()[0]
		if _, held := p.Drag(); held || b.Linear.X < 1 || b.Pose.Pos.X < 1 {
			t.Errorf("pane %d: held %t, at %v with %v", i+1, held, b.Pose.Pos, b.Linear)
		}
	}
	if n := len(g.drags()); n != 62 || g.drags()[61] != "off" {
		t.Errorf("%d drags on the tape, the last one %v", n, g.drags()[n-1:])
	}
	d := lab.Drag{Client: lab.OnServer, Body: 0, Target: geom.Vec3{Z: 2}}
	g.Grab.Take(d)
	g.playPast(t, 30)
	if n := len(g.drags()); n != 63 {
		t.Errorf("a hand that rests for 30 ticks made %d commands", n-62)
	}
	g.Controls.session.Do(lab.Command{Verb: "restart", Pane: lab.AllPanes})
	g.playPast(t, 30)
	if g.Grab.Held() {
		t.Error("the hand holds on after a restart")
	}
	if err := g.End(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(g.OutDir, "*.tape"))
	if err != nil || len(files) != 1 {
		t.Fatalf("tapes %v, %v", files, err)
	}
	verify(t, readTape(t, files[0]))
}

// TestGrabOnClient promises that the notice says whose world it is, and that where no client simulates the body a notice
// says so and nothing is held or recorded.
func TestGrabOnClient(t *testing.T) {
	g := newTestSession(t, "rewind", "snapshot")
	g.playPast(t, 60)
	g.throw(t, 0)
	if notice := g.lastNotice(); !strings.Contains(notice, "the client's own world") {
		t.Errorf("the notice is %q", notice)
	}
	h := newTestSession(t, "snapshot")
	h.playPast(t, 10)
	h.Grab.Take(lab.Drag{Client: 0})
	h.playPast(t, 1)
	if h.Grab.Held() || len(h.drags()) > 0 || !strings.Contains(h.lastNotice(), "does not simulate") {
		t.Errorf("held %t, commands %v, notice %q", h.Grab.Held(), h.drags(), h.lastNotice())
	}
}

// TestGrabInThePast promises that to take hold of a body at a past moment begins a take, in which the hand alone drags,
// whatever the take before had; that a visit to the past lets go; and that each take replays to its hash.
func TestGrabInThePast(t *testing.T) {
	g := newTestSession(t, "rewind")
	g.playPast(t, 30)
	g.throw(t, lab.OnServer)
	g.playPast(t, 60)
	first, end := g.Lab.Hash(), int(g.Lab.Ticks())
	g.seekNow(t, 50) // in the middle of the drag
	g.Grab.Take(lab.Drag{Client: lab.OnServer, Body: 1, Target: geom.Vec3{Z: 3}})
	if k := g.Past.Timeline.Take(); k.Number != 2 || k.Cause != "drag server.1" || !g.Grab.Held() {
		t.Fatalf("take %d, %q, held %t", k.Number, k.Cause, g.Grab.Held())
	}
	g.Paused = false
	g.playPast(t, 40)
	if d, held := g.Lab.Panes[0].Drag(); !held || d.Body != 1 {
		t.Errorf("the take before drags: %+v, %t", d, held)
	}
	second := g.Lab.Hash()
	g.seekNow(t, 10)
	if g.Grab.Held() {
		t.Error("the hand holds on in the past")
	}
	g.Past.GoLive()
	if g.Lab.Hash() != second {
		t.Error("the second take has another hash after a visit to its past")
	}
	g.Paused = false
	g.playPast(t, 1)
	if _, held := g.Lab.Panes[0].Drag(); held {
		t.Error("a body is still held after a visit to the past")
	}
	g.Past.ShowTake(g.Past.Timeline.Takes()[0])
	g.seekNow(t, end)
	if g.Lab.Hash() != first {
		t.Error("the first take has another hash")
	}
}
