package capture_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict/lab"
	. "ghostcube/predict/lab/capture"
	"ghostcube/predict/lab/labtest"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

const scene = "two-players"

// laterWire is a wire of a client whose time begins later.
type laterWire struct {
	link.Wire
	start time.Duration
}

func (w laterWire) Send(now time.Duration, b []byte) error { return w.Wire.Send(now+w.start, b) }

func (w laterWire) Receive(now time.Duration) (link.Datagram, bool) {
	d, ok := w.Wire.Receive(now + w.start)
	d.ReceivedAt -= w.start
	return d, ok
}

// run runs a server and two clients of a spec over a lossy network, and returns the captures: of the server, and of
// both clients, which begin some ticks later. The second client leaves after two seconds.
func run(t testing.TB, spec string, late int) (files [3]bytes.Buffer) {
	t.Helper()
	config := labtest.Config(t, scene, "perfect", lab.AtClient)
	network := labtest.Config(t, scene, "latency=40ms,jitter=10ms,loss=5%", lab.AtClient).Network
	var recordings [3]*Recording
	for i := range recordings {
		recordings[i] = NewRecording(&files[i])
	}
	var toClients [2]link.Wire
	var toServer []link.Wire
	start := time.Duration(late) * time.Second / 60
	for i := range toClients {
		client, server := link.Pair(&network, i)
		toClients[i] = recordings[1+i].Wire(0, laterWire{client, start})
		toServer = append(toServer, recordings[0].Wire(i, server))
	}
	var peers [2][]link.Wire
	first, second := link.PeerPair(&network, 0, 1)
	peers[0] = []link.Wire{nil, recordings[1].Wire(PeerWire(1), laterWire{first, start})}
	peers[1] = []link.Wire{recordings[2].Wire(PeerWire(0), laterWire{second, start}), nil}
	server, err := lab.NewServer(config, spec, toServer)
	if err != nil {
		t.Fatal(err)
	}
	labs := []*lab.Lab{server}
	for i, w := range toClients {
		client, err := lab.NewClient(config, spec, i, w, peers[i]...)
		if err != nil {
			t.Fatal(err)
		}
		labs = append(labs, client)
	}
	for i, l := range labs {
		recordings[i].Start(l, "test", i-1, spec)
	}
	for n := range 210 {
		for i, l := range labs {
			if i == 2 && n > 120 || i > 0 && n < late {
				continue
			}
			if i == 0 && (n == 1 || n == 125) {
				recordings[0].Reset(1)
				l.Reset(1)
			}
			var e lab.Entry
			if i > 0 {
				e.Inputs = make([]sim.Input, 2)
				e.Inputs[i-1].Buttons = []sim.Buttons{sim.Right, sim.Forward}[n/30%2]
				if v := &l.Panes[0].Clients[0].View; n%12 == 6 && len(v.Bodies) > 1 { // at the other player, and in turn above
					e.Inputs[i-1].Shot = sim.Aim(v.Bodies[2-i].Pos.Sub(v.Bodies[i-1].Pos).Add(geom.Vec3{Z: float32(n / 12 % 2 * 5)}))
				}
			}
			if i == 1 && n == 150 {
				e.Commands = []lab.Command{{Verb: "freeze", Pane: lab.AllPanes, Value: "100ms"}}
			}
			switch { // a body is dragged on the server, and let go of
			case i == 0 && n == 60:
				e.Commands = []lab.Command{{Verb: "drag", Pane: lab.AllPanes, Name: "server.0", Value: "0:0:0.5:2:3:2"}}
			case i == 0 && n == 90:
				if before := l.Panes[0].ServerWorld.Bodies()[0].Pose.Pos.Z; before < 1 {
					t.Errorf("the dragged body is %v m high", before)
				}
				e.Commands = []lab.Command{lab.ReleaseDrag(lab.AllPanes)}
			case i == 1 && n == 160 && (spec == "rewind" || spec == "statesync" || spec == "lockstep"): // in a client that simulates it
				e.Commands = []lab.Command{{Verb: "drag", Pane: lab.AllPanes, Name: "client.0", Value: "0:0:0.5:2:3:2"}}
			case i == 1 && n == 185:
				e.Commands = []lab.Command{lab.ReleaseDrag(lab.AllPanes)}
			}
			labtest.Tick(t, l, e)
			if err := recordings[i].Ticked(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, r := range recordings {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// verify runs a capture again.
func verify(text string) error {
	c, err := Read(strings.NewReader(text))
	if err != nil {
		return err
	}
	if n := strings.Count(text, "\n> "); c.Tape.Truncated || len(c.Tape.HashChecks) < 3 || n < 100 {
		return fmt.Errorf("%d hash checks, %d datagrams, truncated %v", len(c.Tape.HashChecks), n, c.Tape.Truncated)
	}
	return replay(c)
}

func replay(c *Capture) error {
	r, err := c.Replay()
	if err != nil {
		return err
	}
	checks := c.Tape.HashChecks
	for i, e := range c.Tape.Entries {
		r.BeforeTick()
		if err := r.Lab.Tick(e); err != nil {
			return err
		}
		if len(checks) > 0 && checks[0].Ticks == i+1 {
			if err := c.Tape.Verify(r.Lab, len(c.Tape.HashChecks)-len(checks)); err != nil {
				return err
			}
			checks = checks[1:]
		}
	}
	return nil
}

// TestCaptureReplays checks that each side of each strategy runs again from its capture to the same hashes, with
// nothing of the others, and that a datagram more, less or changed is noticed.
func TestCaptureReplays(t *testing.T) {
	var specs []string
	for i, s := range lab.Strategies {
		if i%experiment.Pick(4, 1, 1) == 0 {
			specs = append(specs, s.Name)
		}
	}
	for _, spec := range append(specs, "rollback:topology=mesh") {
		files := run(t, spec, 0)
		if strings.Contains(spec, "mesh") && !strings.Contains(files[1].String(), "\n> 59 3 ") {
			t.Errorf("%s: the capture of player 1 has nothing of player 2", spec)
		}
		for i := range files {
			text := files[i].String()
			if err := verify(text); err != nil {
				t.Errorf("%s, file %d: %v", spec, i, err)
			}
			at := strings.Index(text, "\n> 60 ") + 1
			end := at + strings.IndexByte(text[at:], '\n') + 1
			if verify(text[:at]+text[end:]) == nil {
				t.Errorf("%s, file %d: a datagram less is not noticed", spec, i)
			}
			if verify(text[:end]+text[at:end]+text[end:]) == nil {
				t.Errorf("%s, file %d: a datagram more is not noticed", spec, i)
			}
		}
		if text := files[0].String(); !strings.Contains(text, "~ 125 2\n") || verify(strings.Replace(text, "~ 125 2\n", "", 1)) == nil {
			t.Errorf("%s: a reset less is not noticed", spec)
		}
	}
}

// TestKilled checks that what a killed process has written replays: a capture is written in steps, each of which has the
// datagrams of its ticks.
func TestKilled(t *testing.T) {
	experiment.Skip(t)
	files := run(t, "rewind", 0)
	for i := range files {
		text := files[i].String()
		at := 0
		for seconds := range 3 {
			at += strings.Index(text[at:], "\n= ") + 1
			end := at + strings.IndexByte(text[at:], '\n') + 1
			c, err := Read(strings.NewReader(text[:end]))
			if err != nil || !c.Tape.Truncated || len(c.Tape.HashChecks) != seconds+1 {
				t.Fatalf("file %d, %d s: error %v", i, seconds+1, err)
			}
			if err := replay(c); err != nil {
				t.Errorf("file %d, %d s: %v", i, seconds+1, err)
			}
		}
	}
}

// TestReadErrors checks the errors of files that are no captures.
func TestReadErrors(t *testing.T) {
	files := run(t, "rewind", 0)
	text := files[1].String()
	for _, x := range []struct{ old, new, want string }{
		{"ghostcube capture 2", "ghostcube tape 2", "line 1: not a capture"},
		{"side client 1", "side client 9", "line 2"},
		{"side client 1", "", "line 2"},
		{"pane rewind", "pane rewind\npane rewind", "2 panes"},
		{"\n> ", "\n> x ", "want the tick"},
		{"\n> ", "\n> 1 1 1 *\n> ", "base64"},
		{"\n> ", "\n> 99999999999 1 1 AA\n> ", "want a tick"},
		{"\n> ", "\n> 4000000 1 1 AA\n> ", "after tick 4000000"},
		{"\n> ", "\n> 0 2 1 AA\n> ", "no wire 2"},
		{"\n> ", "\n> 0 10 1 AA\n> ", "a wire from 1 to 9"},
		{"\n> ", "\n> 0 1 1 " + strings.Repeat("AAAA", 1000) + "\n> ", "1200 bytes"},
	} {
		if err := verify(strings.Replace(text, x.old, x.new, 1)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%q in place of %q: error %v, want %s", x.new, x.old, err, x.want)
		}
	}
}

// TestVersion1 checks that a capture of the version before replays.
func TestVersion1(t *testing.T) {
	files := run(t, "rewind", 0)
	for i := range files {
		if err := verify(strings.Replace(files[i].String(), "ghostcube capture 2", "ghostcube capture 1", 1)); err != nil {
			t.Errorf("file %d: %v", i, err)
		}
	}
}

// TestDamageIsSaidInALine flips bytes of a capture: no error shows what a datagram holds, and the last line is quoted.
func TestDamageIsSaidInALine(t *testing.T) {
	text := "ghostcube capture 1\nside client 1\nghostcube tape 2\nscene two-players\nrate 60\npane rewind\n---\n> 0 1 5 " +
		strings.Repeat("ABCD", 300) + "\n2 W\n> 2 1 9 " + strings.Repeat("ABCD", 300) + "\n2\nend 4\n"
	for i := 0; i < len(text); i++ {
		if i > 110 && i < len(text)-40 && i%50 > 0 { // most of a datagram
			continue
		}
		for _, bit := range []byte{1, 4, 32, 128} {
			b := []byte(text)
			b[i] ^= bit
			if _, err := Read(bytes.NewReader(b)); err != nil && len(err.Error()) > 300 {
				t.Fatalf("byte %d: %d bytes of error: %s", i, len(err.Error()), err)
			}
		}
	}
	for damage, want := range map[string]string{"end \x14\n": `"end \x14": want "end 4"`, "end 5\n": "has 4 ticks, but its last line says 5"} {
		if _, err := Read(strings.NewReader(strings.Replace(text, "end 4\n", damage, 1))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", damage, err, want)
		}
	}
}

// FuzzRead checks that any bytes are a capture or give an error.
func FuzzRead(f *testing.F) {
	f.Add("ghostcube capture 1\nside client 1\nghostcube tape 2\nscene two-players\npane rewind\n---\n2\n> 0 1 5 AAAA\nend 2\n")
	f.Add("ghostcube capture 2\nside client 1\nghostcube tape 2\nscene two-players\npane rollback:topology=mesh\n---\n2\n> 0 3 5 AAAA\nend 2\n")
	f.Add("ghostcube capture 1\nside server\nghostcube tape 2\nscene two-players\npane rewind\n---\n2\n~ 1 2\nend 2\n")
	f.Fuzz(func(_ *testing.T, text string) {
		c, err := Read(strings.NewReader(text))
		if err != nil || len(c.Tape.Entries) > 100 || len(c.Tape.Config.Scene) > 30 {
			return
		}
		r, err := c.Replay()
		if err != nil {
			return
		}
		for _, e := range c.Tape.Entries {
			r.BeforeTick()
			_ = r.Lab.Tick(e)
		}
	})
}
