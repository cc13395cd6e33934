package remote

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/capture"
)

// plays checks that clients draw the world where the server has it.
func (w *world) plays(when string, clients ...*process) {
	w.Helper()
	for _, p := range clients {
		if p.err != nil || p.Lab == nil {
			w.Fatalf("%s: %s: %v", when, p.config.Name, p.err)
		}
		pane, server := p.Lab.Panes[0], w.server.Lab.Panes[0]
		metres, ok := p.PathError()
		if at := pane.Clients[0].View.Tick(); pane.Joining(0) || at+60 < server.ServerWorld.Tick() || !ok || metres > 0.3 {
			w.Errorf("%s: %s draws tick %d of %d, joining %v, path error %.3f m, %v",
				when, p.config.Name, at, server.ServerWorld.Tick(), pane.Joining(0), metres, ok)
		}
		if n := pane.Counters.Value("rejected_payloads") + pane.Counters.Value("desyncs"); n > 0 {
			w.Errorf("%s: %s: %v rejected payloads and desyncs", when, p.config.Name, n)
		}
	}
}

// TestReturnDuringSwitch lets a killed player come back while the server goes on with another scene, at each step of its way to the seat.
func TestReturnDuringSwitch(t *testing.T) {
	for offset := time.Duration(0); offset < 300*time.Millisecond; offset += experiment.Pick(140*time.Millisecond, 35*time.Millisecond, 7*time.Millisecond) {
		w := newWorld(t, "two-players", "latency=40ms,loss=5%", "rewind")
		ann, bob := w.connect("ann"), w.connect("bob")
		w.run(time.Second)
		w.kill(ann)
		w.run(2500 * time.Millisecond)
		again := w.connect("ann")
		w.run(offset)
		if err := w.server.Instruct("scene katamari:players=2:cubes=20"); err != nil {
			t.Fatal(err)
		}
		w.run(3500 * time.Millisecond)
		w.plays(fmt.Sprint("back ", offset, " before the switch"), again, bob)
		if again.Player != 0 || again.Lab.Config().Scene != bob.Lab.Config().Scene {
			t.Errorf("%v: ann is player %d in %s", offset, again.Player+1, again.Lab.Config().Scene)
		}
	}
}

// TestChatDuringSwitch speaks around a change of scene over a lossy network: all lines arrive once and in order.
func TestChatDuringSwitch(t *testing.T) {
	w := newWorld(t, "two-players", "latency=40ms,loss=20%", "rewind")
	ann, bob := w.connect("ann"), w.connect("bob")
	w.run(time.Second)
	bob.News()
	var want []string
	for i := range 6 {
		line := fmt.Sprint("line ", i)
		if err := ann.Say(line, w.now-ann.start); err != nil {
			t.Fatal(err)
		}
		if want = append(want, "ann: "+line); i == 2 {
			if err := w.server.Instruct("scene katamari:players=2:cubes=20"); err != nil {
				t.Fatal(err)
			}
		}
		w.run(600 * time.Millisecond)
	}
	w.run(time.Second)
	got := slices.DeleteFunc(bob.News(), func(line string) bool { return strings.Contains(line, "the server goes on") })
	if !slices.Equal(got, want) {
		t.Errorf("bob hears %q, want %q", got, want)
	}
	w.plays("after the chat", ann, bob)
}

// TestRejoinOverTCP makes a client over TCP forget everything and join again, also while the host switches strategy: it has the world again, and its
// capture replays.
func TestRejoinOverTCP(t *testing.T) {
	for _, spec := range []string{"lockstep", "rewind"} {
		w := makeWorld(t, "two-players", "latency=40ms,loss=5%", spec, true)
		ann, bob := w.connect("ann"), w.connect("bob")
		w.run(1500 * time.Millisecond)
		rejoin := func() {
			t.Helper()
			if err := ann.apply(lab.Command{Verb: "rejoin", Pane: lab.AllPanes, Name: "1"}); err != nil {
				t.Fatal(err)
			}
		}
		rejoin()
		w.run(3 * time.Second)
		w.plays(spec+", after the rejoin", ann, bob)
		rejoin()
		w.run(30 * time.Millisecond)
		if err := w.server.Instruct("strategy rollback"); err != nil {
			t.Fatal(err)
		}
		w.run(5 * time.Second)
		w.plays(spec+", after a rejoin and a switch", ann, bob)
		ann.Close()
		bob.Close()
		w.server.Close()
		for _, text := range []string{w.file.String(), ann.file.String(), bob.file.String()} {
			verify(t, text)
		}
	}
}

// full is a disk with little room.
type full struct{ left int }

var errFull = errors.New("no space left")

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestDiskFullOverTCP fills the disk of the server's capture while two clients play over TCP: the log says so once, and they play on.
func TestDiskFullOverTCP(t *testing.T) {
	w := makeWorld(t, "two-players", "latency=40ms", "lockstep", true)
	server := w.server
	var err error
	w.server, err = NewServer(ServerConfig{
		Session: server.config.Session, Spec: "lockstep", Version: "test", Ordered: true, Recording: capture.NewRecording(&full{4000}), Log: server.config.Log,
	}, 0)
	if err != nil {
		t.Fatal(err)
	}
	ann, bob := w.connect("ann"), w.connect("bob")
	w.run(3 * time.Second)
	w.plays("on a full disk", ann, bob)
	if n := strings.Count(strings.Join(w.log, "\n"), errFull.Error()); n != 1 {
		t.Errorf("the log says %d times that the disk is full: %q", n, w.log)
	}
	if err := w.server.Close(); !errors.Is(err, errFull) {
		t.Errorf("the server ends with %v", err)
	}
}

// TestNetworkOfNobody lays conditions over connections that have ended, or have never been: the error says whose.
func TestNetworkOfNobody(t *testing.T) {
	w := newWorld(t, "two-players", "latency=5ms", "noprediction")
	w.run(50 * time.Millisecond)
	refused := func(line, want string) {
		t.Helper()
		if err := w.server.Instruct(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", line, err, want)
		}
	}
	refused("network all loss=5%", "nobody is playing")
	ann := w.connect("ann")
	w.run(300 * time.Millisecond)
	ann.Close()
	w.run(100 * time.Millisecond)
	refused("network 1 loss=5%", "ann has left")
	refused("network 2 loss=5%", "nobody is playing there")
}
