package remote

import (
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
)

// meeting is a direct path that a first client has begun to look for.
type meeting struct {
	left   *link.End // for the second
	both   bool
	err    error // of both ends
	broken bool  // nothing arrives any more, and both know it
}

// path is one end of a meeting.
type path struct {
	end
	*meeting
}

func (p *path) IsOpen(time.Duration) bool { return p.both && !p.broken }

func (p *path) Send(now time.Duration, b []byte) error {
	if p.broken {
		return nil
	}
	return p.end.Send(now, b)
}

// meets makes the clients of a world look for direct paths, with the network of the world.
func (w *world) meets() {
	w.server.config.Introduce = func(first, second string, _, _ []byte) (toFirst, toSecond []byte) {
		w.meetings = append(w.meetings, &meeting{})
		n := byte(len(w.meetings) - 1)
		return []byte{n}, []byte{n}
	}
}

// introduce opens a client's end of a path.
func (w *world) introduce(start time.Duration) func(player int, told []byte) (Path, error) {
	return func(_ int, told []byte) (Path, error) {
		m := w.meetings[told[0]]
		own := m.left
		if m.both = own != nil; !m.both {
			own, m.left = link.PeerPair(&w.network, 0, 1)
		}
		return &path{end{Wire: own, start: start, err: &m.err}, m}, nil
	}
}

// checkMesh checks that the players of a mesh have the world of the server.
func checkMesh(t *testing.T, w *world, players ...*process) {
	t.Helper()
	server := w.server.Lab.Panes[0].ServerWorld
	for _, p := range players {
		if p.err != nil || p.Lab == nil {
			t.Fatalf("player %d: %v", p.Player+1, p.err)
		}
		pane := p.Lab.Panes[0]
		if n := pane.Counters.Value("rejected_payloads") + pane.Counters.Value("desyncs"); n > 0 || pane.Counters.Value("compared_checksums") == 0 {
			t.Errorf("player %d: %v payloads rejected and desyncs", p.Player+1, n)
		}
		lag := int64(pane.Clients[0].View.Tick()) - int64(server.Tick())
		if metres, ok := p.PathError(); !ok && !experiment.Brief() || metres > 0.25 || pane.Joining(0) || lag < -3 || lag > 40 {
			t.Errorf("player %d: path error %.4f m, %v; it draws tick %d, the server's is %d", p.Player+1, metres, ok, pane.Clients[0].View.Tick(), server.Tick())
		}
	}
}

// paths returns how the players send to each other, as the server knows it.
func (w *world) paths() (list []string) {
	for _, s := range w.server.Seats() {
		list = append(list, s.Path)
	}
	return list
}

// TestMesh plays a mesh of two over a lossy network, directly and through the server. The first player waits for the second.
// A path breaks: the server forwards. A player leaves without a word: the other one is told, and when that name is back,
// the mesh goes on from the server's world. The host switches to the relay and back; all captures replay.
func TestMesh(t *testing.T) {
	for _, name := range []string{"direct", "through the server"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if experiment.Brief() && name != "direct" {
				t.Skip("GHOSTCUBE_CI=1 runs it")
			}
			seconds := time.Second * time.Duration(experiment.Pick(1, 2, 10))
			w := newWorld(t, "two-players", "latency=40ms,jitter=10ms,loss=5%", "rollback:topology=mesh")
			connect := w.connect
			if name == "direct" {
				w.meets()
				connect = func(name string) *process {
					return w.connectWith(ClientConfig{Name: name, Ghost: true, Introduce: w.introduce(w.now)})
				}
			}
			wantPath := map[string]string{"direct": "direct", "through the server": "by the server"}[name]
			expectPaths := func(want string) {
				t.Helper()
				if got := w.paths(); got[0] != want || got[1] != want {
					t.Errorf("the players send %q, want %s", got, want)
				}
			}
			w.run(300 * time.Millisecond)
			ann := connect("ann")
			w.run(700 * time.Millisecond)
			if news := strings.Join(ann.News(), "\n"); ann.Lab != nil || news != "the server waits for 1 more player, since all begin a mesh at once" {
				t.Errorf("the first player does not wait: %q", news)
			}
			if w.paths()[0] != "waits" {
				t.Errorf("the server does not wait: %q", w.paths())
			}
			bob := connect("bob")
			w.run(seconds + 2*time.Second)
			checkMesh(t, w, ann, bob)
			expectPaths(wantPath)
			list := bob.Peers(w.now - bob.start)
			if len(list) != 1 || list[0].Player != 0 || list[0].IsDirect != (name == "direct") || list[0].Stats.RTT < 60*time.Millisecond {
				t.Errorf("bob knows %+v", list)
			}
			for _, m := range w.meetings {
				m.broken = true
			}
			w.run(seconds)
			checkMesh(t, w, ann, bob)
			expectPaths("by the server")

			w.kill(ann)
			ann.config.Recording.Close()
			w.run(time.Second)
			before := w.server.Lab.Panes[0].ServerWorld.Tick()
			*ann.end.err = errLeft
			bob.News()
			w.run(time.Second)
			var left error
			*bob.end.err, left = nil, *bob.end.err
			if news := strings.Join(bob.News(), "\n"); left != nil || !strings.Contains(news, "ann has left: the server waits for 1 more player") {
				t.Errorf("bob is told %q, %v", news, left)
			}
			ann = connect("ann")
			w.run(seconds + 2*time.Second)
			checkMesh(t, w, ann, bob)
			expectPaths(wantPath)
			if at := w.server.Lab.Panes[0].ServerWorld.Tick(); ann.Player != 0 || at < before+60 || at > before+60*20 {
				t.Errorf("player %d; the world is at tick %d, at %d when she left", ann.Player+1, at, before)
			}
			for _, line := range []string{"set topology=relay", "set topology=mesh input-delay=2", "scene katamari:cubes=20:players=2"} {
				if err := w.server.Instruct(line); err != nil {
					t.Fatal(err)
				}
				if w.run(seconds + 2*time.Second); !strings.Contains(line, "relay") {
					checkMesh(t, w, ann, bob)
					expectPaths(wantPath)
				} else if expectPaths(""); ann.Peers(w.now-ann.start) != nil {
					t.Error("there are peers without a mesh")
				}
			}
			eve := connect("eve")
			w.run(time.Second)
			if eve.err == nil || !strings.Contains(eve.err.Error(), "full") {
				t.Errorf("a third player: %v", eve.err)
			}
			ann.Close()
			bob.Close()
			w.server.Close()
			for _, text := range []string{w.file.String(), ann.file.String(), bob.file.String()} {
				verify(t, text)
			}
			for _, want := range []string{"waiting: a mesh", "the mesh has ended", "no direct path: the server forwards"} {
				if log := strings.Join(w.log, "\n"); !strings.Contains(log, want) {
					t.Errorf("%q is not in the log:\n%s", want, log)
				}
			}
		})
	}
}

// TestNewcomerInMesh lets a player come back while the server still takes the old connection for alive: for the others, too, the
// mesh ends and begins again.
func TestNewcomerInMesh(t *testing.T) {
	w := newWorld(t, "two-players", "latency=20ms", "rollback:topology=mesh")
	ann, bob := w.connect("ann"), w.connect("bob")
	w.run(2 * time.Second)
	w.kill(ann)
	w.run(2500 * time.Millisecond)
	ann = w.connect("ann")
	w.run(4 * time.Second)
	checkMesh(t, w, ann, bob)
	if ann.Player != 0 || w.server.session != 2 {
		t.Errorf("player %d, session %d", ann.Player+1, w.server.session)
	}
}

// TestForwarding checks that the server forwards nothing to oneself, to an empty seat, to nobody or of another session, and that a
// client drops what is of no player.
func TestForwarding(t *testing.T) {
	w := newWorld(t, "katamari:cubes=4:players=3", "perfect", "rollback:topology=mesh")
	var all []*process
	for _, name := range []string{"ann", "bob", "eve"} {
		all = append(all, w.connect(name))
	}
	w.run(time.Second)
	got := map[string]int{}
	for i, p := range all {
		p.peer.see = func(b []byte) {
			if len(b) > 3 && b[0] == peerTag && string(b[3:]) == "ping" {
				got[string([]byte{b[1] + '0', ' ', b[2] + '1', ' ', byte('1' + i)})]++
			}
		}
	}
	for _, b := range []string{
		"\x80\x01\x01ping", "\x80\x01\x00ping", "\x80\x01\x03ping", "\x80\x01\xffping", "\x80\x02\x01ping", "\x80\x00\x01ping", "\x80\x01", "\x80",
	} {
		all[0].end.Send(w.now-all[0].start, []byte(b))
	}
	w.run(100 * time.Millisecond)
	if len(got) != 1 || got["1 1 2"] != 1 {
		t.Errorf("forwarded by session, sender and receiver: %v", got)
	}
	for _, b := range []string{"\x80\x01\xffping", "\x80\x01\x00", "\x80\x01", "\x80\x01\x07ping"} {
		all[0].peer.Send(w.now, []byte(b))
	}
	w.run(100 * time.Millisecond)
	checkRejected := all[0].Lab.Panes[0].Counters.Value("rejected_payloads")
	if all[0].err != nil || checkRejected != 0 {
		t.Errorf("%v, %v payloads rejected", all[0].err, checkRejected)
	}
}

// TestLocalAddresses checks that the server has the local addresses of both clients when it introduces them, even if the second
// one begins the session by its hello.
func TestLocalAddresses(t *testing.T) {
	w := newWorld(t, "two-players", "latency=20ms", "rollback:topology=mesh")
	var got []string
	w.server.config.Introduce = func(first, second string, localOfFirst, localOfSecond []byte) (toFirst, toSecond []byte) {
		got = append(got, first, string(localOfFirst), second, string(localOfSecond))
		return nil, nil
	}
	for _, name := range []string{"ann", "bob"} {
		w.connectWith(ClientConfig{Name: name, Local: []byte("of " + name), Introduce: w.introduce(w.now)})
	}
	w.run(time.Second)
	if want := "192.0.2.2:4000, of bob, 192.0.2.1:4000, of ann"; strings.Join(got, ", ") != want {
		t.Errorf("introduced %q, want %s", got, want)
	}
}

// FuzzMeshMessages gives a client any bytes as an introduction and as a message that it waits.
func FuzzMeshMessages(f *testing.F) {
	f.Add([]byte("\x01address and secret"))
	f.Add([]byte("\x02ann"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var left error
		c, err := NewClient(ClientConfig{Name: "x", Introduce: func(player int, told []byte) (Path, error) {
			if player != int(text[0]) || len(told) != len(text)-1 {
				t.Errorf("introduced to player %d", player)
			}
			return &path{end{Wire: lab.CutWire{}, err: &left}, &meeting{}}, nil
		}}, &end{Wire: lab.CutWire{}, err: &left}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			c.handle(introduceMessage, text)
		}
		c.handle(waitMessage, text)
		c.meet(0)
		c.closePaths()
	})
}
