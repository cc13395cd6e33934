package remote

import (
	"strings"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// TestSwitch switches strategy, knobs and scene over a lossy network while two clients play. Both follow: they have the
// world, draw it where the server has it, and refuse no packet. A third one joins in a scene that takes it. The captures
// of all replay.
func TestSwitch(t *testing.T) {
	experiment.Skip(t)
	w := newWorld(t, "two-players", "latency=40ms,jitter=10ms,loss=5%,duplicate=5%", "rewind")
	ann, bob := w.connect("ann"), w.connect("bob")
	w.run(5 * time.Second)
	everyone := []*process{ann, bob}
	check := func(scene, spec string) {
		t.Helper()
		for i, p := range everyone {
			pane := p.Lab.Panes[0]
			metres, ok := p.PathError()
			if p.err != nil || p.Lab.Config().Scene != scene || pane.Spec() != spec+":messages=reliable" || pane.Joining(0) || !ok || metres > 0.3 {
				t.Errorf("%s in %s: player %d runs %s in %s, joining %v, path error %.3f m, %v, error %v",
					spec, scene, i+1, pane.Spec(), p.Lab.Config().Scene, pane.Joining(0), metres, ok, p.err)
			}
			if n := pane.Counters.Value("rejected_payloads"); n > 0 || pane.Clients[0].Endpoint.Stats.Rejected() > 0 {
				t.Errorf("%s in %s: player %d rejects %v payloads, %d packets", spec, scene, i+1, n, pane.Clients[0].Endpoint.Stats.Rejected())
			}
			if at, server := pane.Clients[0].View.Tick(), w.server.Lab.Panes[0].ServerWorld.Tick(); at < server-60 {
				t.Errorf("%s in %s: player %d draws tick %d, the server is at %d", spec, scene, i+1, at, server)
			}
		}
		if n := w.server.Lab.Panes[0].Counters.Value("rejected_payloads"); n > 0 {
			t.Errorf("%s in %s: the server rejects %v payloads", spec, scene, n)
		}
	}
	do := func(line string) {
		t.Helper()
		if err := w.server.Instruct(line); err != nil {
			t.Fatal(err)
		}
	}
	check("two-players", "rewind")
	before := w.server.Lab.Panes[0].ServerWorld.Tick()
	do("panes rollback")
	w.run(4 * time.Second)
	check("two-players", "rollback")
	if at := w.server.Lab.Panes[0].ServerWorld.Tick(); at < before+150 {
		t.Errorf("the world is at tick %d, at %d before the strategy changed", at, before)
	}
	do("set input-delay=3")
	w.run(4 * time.Second)
	check("two-players", "rollback:input-delay=3")
	do("strategy snapshot:snapshot-every=2")
	do("set snapshot-every=3")
	do("scene katamari:players=3:cubes=40")
	eve := w.connect("eve")
	everyone = append(everyone, eve)
	w.run(4 * time.Second)
	check("katamari:players=3:cubes=40", "snapshot:snapshot-every=3")
	if err := w.server.Instruct("scene two-players"); err == nil || !strings.Contains(err.Error(), "player 3, eve, is playing") {
		t.Errorf("a scene for two with three players: %v", err)
	}
	eve.Close()
	w.run(100 * time.Millisecond)
	everyone = everyone[:2]
	do("scene two-players")
	w.run(4 * time.Second)
	check("two-players", "snapshot:snapshot-every=3")
	for range 300 { // more sessions than there are numbers
		do("strategy rewind")
		w.run(17 * time.Millisecond)
	}
	w.run(4 * time.Second)
	check("two-players", "rewind")
	for _, p := range everyone {
		p.Close()
	}
	w.server.Close()
	for _, text := range []string{w.file.String(), ann.file.String(), bob.file.String(), eve.file.String()} {
		verify(t, text)
	}
}

// TestSwitchCutsWires switches twice while the client hears of the first: nothing of the second session is sent as the first's.
func TestSwitchCutsWires(t *testing.T) {
	w := newWorld(t, "two-players", "latency=40ms", "rewind")
	ann := w.connect("ann")
	w.run(time.Second)
	switchTo := func(line string) {
		t.Helper()
		if err := w.server.Instruct(line); err != nil {
			t.Fatal(err)
		}
	}
	switchTo("strategy rollback")
	w.run(40 * time.Millisecond)
	sent := map[byte]int{} // datagrams, by their first byte
	ann.peer.see = func(b []byte) { sent[b[0]]++ }
	switchTo("strategy snapshot")
	w.run(time.Second)
	if sent[2] > 0 || sent[3] < 30 {
		t.Errorf("after the second switch the server sends datagrams of these sessions: %v, want the third alone", sent)
	}
}

// TestSwitchErrors checks what cannot be switched to, and that nothing changes.
func TestSwitchErrors(t *testing.T) {
	w := newWorld(t, "two-players", "perfect", "noprediction")
	w.run(50 * time.Millisecond)
	for line, want := range map[string]string{
		"":                                "no instruction",
		"jump":                            `no instruction "jump"`,
		"scene nowhere":                   "no scene",
		"scene":                           "want scene NAME",
		"panes rewind rollback":           "want panes NAME",
		"strategy telepathy":              "no strategy",
		"set":                             "want set KNOB=VALUE",
		"set warp=9":                      "warp",
		"set snapshot-every":              `"snapshot-every": want a knob as name=value`,
		"network 3 perfect":               "from 1 to 2",
		"network 1 perfect":               "nobody is playing",
		"network all latency":             "latency",
		"network bob perfect":             "nobody is playing",
		"network 1":                       "want network PLAYER CONDITIONS",
		"network":                         "want network PLAYER CONDITIONS",
		"say":                             "want say TEXT",
		"say \x1b[31m":                    "ASCII",
		"set messages":                    "name=value",
		"scene katamari:players=2 rewind": "want scene NAME",
	} {
		if err := w.server.Instruct(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v: want %q", line, err, want)
		}
	}
	if w.server.session != 1 || len(w.server.commands) > 0 || w.server.Lab.Panes[0].Spec() != "noprediction:messages=reliable" {
		t.Errorf("session %d, commands %v, %s", w.server.session, w.server.commands, w.server.Lab.Panes[0].Spec())
	}
}

// TestPlayerByName lays a network over the connection of a player by name, and lists the instructions.
func TestPlayerByName(t *testing.T) {
	w := newWorld(t, "two-players", "perfect", "noprediction")
	w.connect("ann")
	w.connect("bob")
	w.run(time.Second)
	if err := w.server.Instruct("network bob latency=75ms"); err != nil {
		t.Fatal(err)
	}
	if s := w.server.Seats(); s[0].Conditions != "" || !strings.Contains(s[1].Conditions, "75ms") {
		t.Errorf("conditions %q, %q", s[0].Conditions, s[1].Conditions)
	}
	if err := w.server.Instruct("network eve perfect"); err == nil || !strings.Contains(err.Error(), "ann, bob") {
		t.Error(err)
	}
	if err := w.server.Instruct("scene plain"); err == nil || !strings.Contains(err.Error(), "takes 1 player: ") {
		t.Error(err)
	}
	if help := strings.Join(InstructionHelp(), "\n"); strings.Count(help, "\n") != len(instructions)-1 || !strings.Contains(help, "network PLAYER CONDITIONS") {
		t.Error(help)
	}
}

// TestSwitchKeepsPlace switches the strategy when the player is far from the scene's start: the client's copy of the server's
// world stays where it is, and nobody is said to have forced a fault. The world that was downloaded is no bandwidth of the
// strategy, neither at first nor after the switch.
func TestSwitchKeepsPlace(t *testing.T) {
	w := newWorld(t, "katamari:players=2:cubes=40", "latency=20ms", "rollback")
	w.input = func(*process) func(sim.Tick) sim.Input {
		return func(sim.Tick) sim.Input { return sim.Input{Buttons: sim.Forward} }
	}
	ann := w.connect("ann")
	w.run(3 * time.Second)
	down := func() float64 {
		for _, m := range ann.Lab.Panes[0].Headline(nil) {
			if m.Name == "down_kbit_per_second" {
				return m.Value
			}
		}
		return 0
	}
	first := down()
	place := func() geom.Vec3 { return ann.Lab.Panes[0].ServerWorld.Bodies()[0].Pose.Pos }
	start := place()
	if err := w.server.Instruct("strategy rollback:input-delay=1"); err != nil {
		t.Fatal(err)
	}
	before, pane := place(), ann.Lab.Panes[0]
	for started := pane.StartTick(); pane.StartTick() == started; {
		before = place()
		w.run(time.Millisecond)
	}
	if at := place(); start.Len() < 3 || at.Sub(before).Len() > 1 {
		t.Errorf("the cube is at %v after the switch, at %v before", at, before)
	}
	if f, ok := pane.LastFault(); ok {
		t.Errorf("a forced fault that nobody forced: %s", f.Describe())
	}
	w.run(3 * time.Second)
	if second := down(); first <= 0 || first > 200 || second <= 0 || second > 200 {
		t.Errorf("%.0f kbit/s down, %.0f after the switch: want less than 200 without the world", first, second)
	}
}
