package remote

import (
	"fmt"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// meet starts a process of a player who can open direct paths.
func (w *world) meet(name string) *process {
	return w.connectWith(ClientConfig{Name: name, Ghost: true, Introduce: w.introduce(w.now)})
}

// breakPaths breaks all direct paths, or opens them again.
func (w *world) breakPaths(broken bool) {
	for _, m := range w.meetings {
		m.broken = broken
	}
}

// knows checks whether a player has a direct path to another one.
func (p *process) knows(w *world, player int, direct bool) {
	w.Helper()
	for _, x := range p.Peers(w.now - p.start) {
		if x.Player == player && x.IsDirect == direct {
			return
		}
	}
	w.Errorf("player %d: want one who is direct %v to player %d: %+v", p.Player+1, direct, player+1, p.Peers(w.now-p.start))
}

// apart lets a second pass, and returns how far a player's cube was drawn from the server's at the same moment, at most, in metres.
func (w *world) apart(p *process) (metres float32) {
	server, drawn := map[sim.Tick]geom.Vec3{}, map[sim.Moment]geom.Vec3{}
	for range 1000 {
		w.run(time.Millisecond)
		truth, view := w.server.Lab.Panes[0].ServerWorld, &p.Lab.Panes[0].Clients[0].View
		server[truth.Tick()] = truth.Bodies()[p.Player].Pose.Pos
		drawn[view.MomentOf(p.Player)] = view.Bodies[p.Player].Pos
	}
	n := 0
	for moment, at := range drawn {
		from, ok := server[moment.Tick()]
		to, ok2 := server[moment.Tick()+1]
		if ok && ok2 {
			share := float32(moment-moment.Tick().Moment()) / sim.MomentsPerTick
			metres = max(metres, at.Sub(from.AddScaled(share, to.Sub(from))).Len())
			n++
		}
	}
	if n < 30 {
		w.Errorf("player %d: %d ticks to compare", p.Player+1, n)
	}
	return metres
}

// TestMixedMesh plays a mesh of two who can open direct paths and a browser, which cannot, and one over TCP: what has no path is
// forwarded, and all have the world of the server.
func TestMixedMesh(t *testing.T) {
	long := experiment.Pick(3500*time.Millisecond, 7*time.Second, 7*time.Second) // until path errors are known
	w := newWorld(t, "katamari:cubes=4:players=3", "latency=30ms,loss=2%", "rollback:topology=mesh")
	w.meets()
	ann, eve, bob := w.meet("ann"), w.connect("eve"), w.meet("bob")
	w.run(long)
	checkMesh(t, w, ann, eve, bob)
	ann.knows(w, bob.Player, true)
	bob.knows(w, ann.Player, true)
	for _, p := range []*process{ann, bob} {
		p.knows(w, eve.Player, false)
		eve.knows(w, p.Player, false)
	}
	tcp := makeWorld(t, "two-players", "latency=30ms,loss=2%", "rollback:topology=mesh", true)
	ann, bob = tcp.connect("ann"), tcp.connect("bob")
	tcp.run(long)
	checkMesh(t, tcp, ann, bob)
	ann.knows(tcp, bob.Player, false)
	for _, x := range []*process{ann, bob} {
		x.Close()
		verify(t, x.file.String())
	}
}

// TestSwitchOnPaths lets the host switch while the players send through the server, directly, and by a path that breaks in the
// tick of the switch, or one tick before or after it.
func TestSwitchOnPaths(t *testing.T) {
	const tick = time.Second / 60
	for name, x := range map[string]struct{ before, after int }{ // ticks between the break and the switch
		"through the server": {-1, -1}, "direct": {}, "breaks in the tick": {0, 0}, "breaks a tick before": {1, 0}, "breaks a tick after": {0, 1},
	} {
		if experiment.Brief() && name != "breaks in the tick" {
			continue
		}
		w := newWorld(t, "two-players", "latency=30ms,loss=5%", "rollback:topology=mesh")
		connect := w.connect
		if x.before >= 0 {
			w.meets()
			connect = w.meet
		}
		ann, bob := connect("ann"), connect("bob")
		w.run(1500 * time.Millisecond)
		stays := name == "direct"
		breakNow := func() {
			if !stays {
				w.breakPaths(true)
			}
		}
		if x.before > 0 {
			breakNow()
			w.run(time.Duration(x.before) * tick)
		}
		if err := w.server.Instruct("strategy rollback:topology=mesh:input-delay=2"); err != nil {
			t.Fatal(err)
		}
		if x.after > 0 {
			w.run(time.Duration(x.after) * tick)
		}
		breakNow()
		w.run(300 * time.Millisecond) // in which the server introduces them anew
		breakNow()
		w.run(4500 * time.Millisecond)
		checkMesh(t, w, ann, bob)
		ann.knows(w, 1, stays)
		for _, p := range []*process{ann, bob} {
			p.Close()
		}
		w.server.Close()
		for _, text := range []string{w.file.String(), ann.file.String(), bob.file.String()} {
			verify(t, text)
		}
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// TestStoppedInMesh stops the process of a player for three seconds, with and without a direct path: afterwards both have the
// world of the server again.
func TestStoppedInMesh(t *testing.T) {
	for _, direct := range []bool{true, false} {
		if experiment.Brief() && !direct {
			continue
		}
		w := newWorld(t, "two-players", "latency=30ms,loss=2%", "rollback:topology=mesh")
		connect := w.connect
		if direct {
			w.meets()
			connect = w.meet
		}
		ann, bob := connect("ann"), connect("bob")
		w.run(1500 * time.Millisecond)
		bob.still = true
		w.run(time.Second)
		w.breakPaths(true)
		w.run(2 * time.Second)
		bob.still = false
		w.run(200 * time.Millisecond)
		w.breakPaths(false)
		w.run(5 * time.Second)
		for _, p := range []*process{ann, bob} {
			if apart := w.apart(p); apart > 0.05 || p.err != nil || p.Lab.Panes[0].Counters.Value("desyncs") > 0 {
				t.Errorf("direct %v: player %d is drawn %.3f m from where the server has it, %v", direct, p.Player+1, apart, p.err)
			}
		}
		bob.knows(w, 0, direct)
		for _, p := range []*process{ann, bob} {
			p.Close()
			verify(t, p.file.String())
		}
	}
}

// TestReturnWhilePathOpens kills a player at each step of the beginning of a mesh, when the paths are just opening, and lets that
// player come back.
func TestReturnWhilePathOpens(t *testing.T) {
	for offset := time.Duration(0); offset < 200*time.Millisecond; offset += experiment.Pick(110*time.Millisecond, 50*time.Millisecond, 10*time.Millisecond) {
		w := newWorld(t, "katamari:cubes=4:players=3", "latency=30ms,loss=2%", "rollback:topology=mesh")
		w.meets()
		ann, bob, eve := w.meet("ann"), w.meet("bob"), w.meet("eve")
		for !w.server.mesh.begun {
			w.run(time.Millisecond)
		}
		w.run(offset)
		w.kill(ann)
		w.run(100 * time.Millisecond)
		ann = w.meet("ann")
		w.run(8 * time.Second)
		checkMesh(t, w, ann, bob, eve)
		for _, p := range []*process{bob, eve} {
			p.knows(w, ann.Player, true)
		}
		if t.Failed() {
			t.Fatal(fmt.Sprint(offset, " after the beginning"))
		}
	}
}
