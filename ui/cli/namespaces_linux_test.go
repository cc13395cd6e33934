package cli

import (
	"bytes"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"ghostcube/internal/experiment"
	"ghostcube/net/link"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/capture"
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// usageFile names the file to which a process of these tests adds a line when it gets SIGUSR1: its goroutines, and the bytes of
// its heap that are in use.
const usageFile = "GHOSTCUBE_TEST_USAGE"

func init() {
	name := os.Getenv(usageFile)
	if name == "" {
		return
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		for range asked {
			var m runtime.MemStats
			runtime.GC()
			runtime.GC() // what the first one has finalised
			runtime.ReadMemStats(&m)
			f := must(os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))
			must(fmt.Fprintln(f, runtime.NumGoroutine(), m.HeapAlloc))
			need(f.Close())
		}
	}()
}

// usage is what a process holds.
type usage struct{ goroutines, heap, descriptors int }

// played is a process that plays in a test.
type played struct {
	name  string
	cmd   *exec.Cmd
	out   *bytes.Buffer // of a bot
	usage string        // file
	used  []usage
}

// file returns a file of a process.
func (p *played) file(ending string) string { return strings.TrimSuffix(p.usage, "usage") + ending }

// prepare makes the process tell what it holds.
func (p *played) prepare() { p.cmd.Env = append(os.Environ(), usageFile+"="+p.usage) }

// measure adds what the process holds now.
func (p *played) measure(t *testing.T) {
	t.Helper()
	need(p.cmd.Process.Signal(syscall.SIGUSR1))
	for range 400 {
		lines := strings.Split(string(must(os.ReadFile(p.usage))), "\n")
		if len(lines) > len(p.used)+1 {
			u := usage{descriptors: len(must(os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid))))}
			must(fmt.Sscan(lines[len(p.used)], &u.goroutines, &u.heap))
			p.used = append(p.used, u)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%s does not say what it holds", p.name)
}

// namespace is a network namespace with a loopback and nothing else. A nil namespace is that of the test.
type namespace chan func()

// newNamespace makes a namespace that lasts until the test ends. The error says why there is none.
func newNamespace(t *testing.T) (namespace, error) {
	n, made := make(namespace), make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked, so that the thread, which is the namespace's, ends with the function
		err := syscall.Unshare(syscall.CLONE_NEWNET)
		if err == nil {
			err = loopbackUp()
		}
		made <- err
		for f := range n {
			f()
		}
	}()
	t.Cleanup(func() { close(n) })
	return n, <-made
}

// loopbackUp starts the loopback of the thread's namespace.
func loopbackUp() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	request := struct {
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP}
	copy(request.name[:], "lo")
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); e != 0 {
		return e
	}
	return nil
}

// do calls f in the namespace.
func (n namespace) do(f func()) {
	if n == nil {
		f()
		return
	}
	done := make(chan struct{})
	n <- func() { defer close(done); f() }
	<-done
}

// start starts a process in the namespace.
func (n namespace) start(c *exec.Cmd) (err error) {
	n.do(func() { err = c.Start() })
	return err
}

// namespaces returns the namespaces of a server and of two clients, or the test's own if there can be none.
func namespaces(t *testing.T) (list [3]namespace) {
	for i := range list {
		n, err := newNamespace(t)
		if err != nil {
			t.Logf("no network namespaces (%v): the processes meet on the loopback of this one", err)
			return [3]namespace{}
		}
		list[i] = n
	}
	return list
}

// The network between the namespaces: one way 100 ms, and all else that UDP does.
const namespaceNetwork = "latency=100ms,jitter=5ms,loss=5%,duplicate=1%,reorder=1%,reorder-delay=30ms"

// restTicks are the ticks at the end of a bot's tape without a key, in which all comes to rest.
const restTicks = 600

// botTape returns the tape of a bot, for a session of some ticks, and its inputs.
func botTape(bot, ticks int) (text string, keys []sim.Buttons) {
	b := bytes.NewBufferString("ghostcube tape 2\nscene two-players\nrate 60\nseat client\npane rewind\n---\n")
	for i := 0; i < ticks-restTicks; i += 40 {
		k := (i/40 + bot) % 4
		fmt.Fprintln(b, 40, "DWAS"[k:k+1])
		keys = append(keys, slices.Repeat([]sim.Buttons{[]sim.Buttons{sim.Right, sim.Forward, sim.Left, sim.Back}[k]}, 40)...)
	}
	const rest = 100_000
	fmt.Fprintf(b, "%d\nend %d\n", rest, len(keys)+rest)
	return b.String(), keys
}

// meshSpec is the session in which the bots send to each other.
const meshSpec = "rollback:topology=mesh"

// TestNamespaces plays each strategy, and rollback by mesh, in three processes, each in a network namespace of its own, between
// which a relay delays, loses, duplicates and reorders datagrams. The bots' cubes are drawn where the server has them,
// and when all rest, so is every body; memory, goroutines and descriptors of all three do not grow;
// and all captures replay. .ci/long does so for five minutes each, .ci/run for twenty seconds with two of them.
func TestNamespaces(t *testing.T) {
	if experiment.Brief() {
		t.Skip("an experiment: set GHOSTCUBE_CI=1 to run it")
	}
	t.Parallel()
	seconds := 20
	if experiment.Long() {
		seconds = 300
	}
	if s := os.Getenv("GHOSTCUBE_SOAK"); s != "" {
		seconds = must(strconv.Atoi(s))
	}
	places := namespaces(t)
	var all sync.WaitGroup
	gate := make(chan struct{}, 3) // sessions at once: processes that wait for a core play worse
	specs := []string{meshSpec, "rewind"}
	if experiment.Long() {
		specs = specs[:1]
		for _, s := range lab.Strategies {
			specs = append(specs, s.Name)
		}
	}
	for i, spec := range specs {
		session := &namespaceSession{T: t, places: places, seed: uint64(i + 1), spec: spec, seconds: seconds, folder: t.TempDir()}
		all.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			session.play()
		})
	}
	all.Wait()
}

// namespaceSession is a session of three processes. Its first process is the server.
type namespaceSession struct {
	*testing.T
	places  [3]namespace
	seed    uint64
	spec    string
	seconds int
	folder  string
	late    float64 // share of short sleeps of the test that took too long: the machine is busy

	processes [3]*played
}

// process returns a process that has not started.
func (s *namespaceSession) process(name string) *played {
	p := &played{name: s.spec + ", " + name, usage: filepath.Join(s.folder, name+".usage")}
	need(os.WriteFile(p.usage, nil, 0o600))
	return p
}

// play runs the session and checks it.
func (s *namespaceSession) play() {
	server := s.process("server")
	var join []string
	server.cmd, join = serveBy(s.T, func(c *exec.Cmd) error {
		server.cmd = c
		server.prepare()
		return s.places[0].start(c)
	}, "--strategy", s.spec, "--capture", server.file("capture"))
	s.processes[0] = server
	network := &link.Network{Seed: s.seed}
	need(network.Parse(namespaceNetwork))
	var addresses [2]string
	var meeting [2]*net.UDPConn // in the namespace of each bot
	for i := range addresses {
		addresses[i], meeting[1-i] = s.connectBot(i, network, join[1])
	}
	if meeting[0] != nil {
		var moved *net.UDPConn // from where the second bot reaches the first: its router gives each destination another port
		s.places[1].do(func() { moved = listenLoopback() })
		between(s.T, network, [2]*net.UDPConn{moved, meeting[1]}, meeting[0])
	}
	for i, a := range addresses {
		s.processes[1+i] = s.startBot(i, a, join)
	}
	for range 5 {
		s.sleep()
		s.measure()
	}
	s.sleep()
	for _, p := range s.processes[1:] { // both at once: a player who leaves has no path
		need(p.cmd.Process.Signal(os.Interrupt))
	}
	for _, p := range s.processes[1:] {
		if err := p.cmd.Wait(); err != nil {
			s.Errorf("%s: %v", p.name, err)
		}
	}
	need(server.cmd.Process.Signal(os.Interrupt))
	if err := server.cmd.Wait(); err != nil {
		s.Errorf("%s: %v", server.name, err)
	}
	for _, p := range s.processes {
		if p.out != nil {
			s.Logf("%s:\n%s", p.name, p.out)
			if meeting[0] != nil && !strings.Contains(p.out.String(), "  direct ") {
				s.Errorf("%s: it has found no direct path", p.name)
			}
		}
		p.checkGrowth(s.T, s.seconds)
		code, out, errs := runCLI("play", "--verify", p.file("capture"))
		if s.Logf("%s: %s", p.name, strings.TrimSpace(filepath.Base(out))); code != 0 || !strings.Contains(out, "match in") {
			s.Errorf("%s: exit code %d: %s", p.name, code, errs)
		}
	}
	s.checkPoses(network)
}

// sleep waits for a sixth of the session, and notes how late it is woken.
func (s *namespaceSession) sleep() {
	s.late = max(s.late, lateNaps(func() { time.Sleep(time.Duration(s.seconds) * time.Second / 6) }))
}

// startBot starts a bot that finds the server at an address.
func (s *namespaceSession) startBot(i int, address string, join []string) *played {
	p := s.process(fmt.Sprint("bot", i+1))
	tape, _ := botTape(i, 60*s.seconds)
	need(os.WriteFile(p.file("tape"), []byte(tape), 0o600))
	p.cmd, p.out = startProgram(s.T, append([]string{"join", address}, append(slices.Clone(join[2:]), "--every", "0", "--name",
		fmt.Sprint("bot", i+1), "--tape", p.file("tape"), "--capture", p.file("capture"))...)...)
	p.prepare()
	need(s.places[1+i].start(p.cmd))
	return p
}

func (s *namespaceSession) measure() {
	for _, p := range s.processes {
		p.measure(s.T)
	}
}

// Bounds of what a process may hold more at the end of its session than at the beginning, whose length does not matter.
const (
	moreHeap       = 64 << 10 // bytes, in the steadiest part of a session of a minute or more; measured 15 kB in half a session
	moreHeapFirst  = 8 << 20  // in a shorter session, whose lists are not full yet; measured 5.8 MB
	moreGoroutines = 1        // a timer's
)

// checkGrowth checks that the process held as much at the end as before. Its heap grows in steps, with its deepest replay
// so far, but not all the time, as a leak does.
func (p *played) checkGrowth(t *testing.T, seconds int) {
	if len(p.used) < 5 {
		return // it has failed
	}
	t.Logf("%s: goroutines, heap in bytes, descriptors: %v", p.name, p.used)
	first, last := p.used[0], p.used[len(p.used)-1]
	more, limit := last.heap-first.heap, moreHeapFirst
	if seconds >= 60 {
		limit = moreHeap
		for i := range p.used[1:] {
			more = min(more, p.used[i+1].heap-p.used[i].heap)
		}
	}
	if last.goroutines > first.goroutines+moreGoroutines || more > limit || last.descriptors > first.descriptors {
		t.Errorf("%s: it holds more and more: %v", p.name, p.used)
	}
}

// drawnCube is a bot's own cube as it was drawn.
type drawnCube struct {
	moment sim.Moment
	pos    geom.Vec3
}

// replay runs a capture again and calls see after each tick. It returns the client's player.
func replay(name string, see func(p *lab.Pane)) (l *lab.Lab, player int) {
	f := must(os.Open(name))
	defer f.Close()
	c := must(capture.Read(f))
	r := must(c.Replay())
	for _, e := range c.Tape.Entries {
		r.BeforeTick()
		need(r.Lab.Tick(e))
		see(r.Lab.Panes[0])
	}
	return r.Lab, c.Player
}

// checkPoses compares the drawn poses in the captures of the bots with those of the server.
func (s *namespaceSession) checkPoses(network *link.Network) {
	poses := map[sim.Tick][]geom.Pose{}
	note := func(p *lab.Pane) {
		poses[p.ServerWorld.Tick()] = predict.AppendPoses(nil, p.ServerWorld.Bodies()[:2])
	}
	var heard [2]int // tick of the server in which the first packet of a player came
	tick := 0
	server, _ := replay(s.processes[0].file("capture"), func(p *lab.Pane) {
		note(p)
		for i := range heard {
			if heard[i] == 0 && p.PeerStats(i).PacketsReceived > 0 {
				heard[i] = tick
			}
		}
		tick++
	})
	var drawn [2][]drawnCube // by player
	var keys [2][]sim.Buttons
	for i, p := range s.processes[1:] {
		var own []drawnCube
		_, player := replay(p.file("capture"), func(*lab.Pane) {})
		bot, _ := replay(p.file("capture"), func(p *lab.Pane) { own = appendDrawn(own, p, 0, player) })
		drawn[player] = own
		_, keys[player] = botTape(i, 60*s.seconds)
		bodies, view := server.Panes[0].ServerWorld.Bodies(), bot.Panes[0].Clients[0].View.Bodies
		worst := float32(0)
		for k := range bodies {
			worst = max(worst, bodies[k].Pose.Pos.Sub(view[k].Pos).Len())
		}
		if s.Logf("%s: at rest the body farthest from the server's is drawn %.4f m from it", p.name, worst); worst > 0.01 {
			s.Errorf("%s: a body at rest is drawn %v m from the server's", p.name, worst)
		}
	}
	apart := pathErrors(poses, drawn)
	clear(poses)
	alone := pathErrors(poses, s.playPane(network, keys, heard, note))
	s.Logf("%s: path errors %.4f and %.4f m; in a pane %.4f and %.4f m", s.spec, apart[0], apart[1], alone[0], alone[1])
	if max(apart[0], apart[1]) > farthest {
		if s.Logf("%s: %.1f %% of the test's own naps were a tick too long", s.spec, 100*s.late); s.late < busy {
			s.Errorf("%s: the path errors are %.4f and %.4f m", s.spec, apart[0], apart[1])
		}
	}
}

// farthest is the largest path error in metres, as where the strategies run in simulated processes. A pane has less: the clocks
// of processes wait for their turn.
const farthest = 0.25

// appendDrawn appends the cube of a player in the picture of a client, once it has played for three seconds.
func appendDrawn(list []drawnCube, p *lab.Pane, client, player int) []drawnCube {
	v := &p.Clients[client].View
	if len(v.Bodies) == 0 || p.Joining(client) || p.CPU.Ticks < 240 {
		return list
	}
	return append(list, drawnCube{v.MomentOf(player), v.Bodies[player].Pos})
}

// playPane plays the same in a pane: the players press their keys, each from the tick on in which its first packet came.
func (s *namespaceSession) playPane(network *link.Network, keys [2][]sim.Buttons, from [2]int, note func(*lab.Pane)) (drawn [2][]drawnCube) {
	l := lab.New(lab.Config{Scene: "two-players", Rate: 60, Network: *network})
	must(l.Open(s.spec + ":messages=reliable"))
	for t := range 60 * s.seconds {
		e := lab.Entry{Inputs: make([]sim.Input, 2)}
		for i := range keys {
			if at := t - from[i] + 6; at >= 0 && at < len(keys[i]) { // the packet took six ticks
				e.Inputs[i].Buttons = keys[i][at]
			}
		}
		need(l.Tick(e))
		note(l.Panes[0])
		for i := range drawn {
			drawn[i] = appendDrawn(drawn[i], l.Panes[0], i, i)
		}
	}
	return drawn
}

// pathErrors returns the root mean square distances, in metres, of the drawn cubes from the server's at the moments that they
// claim to show.
func pathErrors(poses map[sim.Tick][]geom.Pose, drawn [2][]drawnCube) (metres [2]float64) {
	for i, list := range drawn {
		sum, known := 0.0, 0
		for _, d := range list {
			from, ok := poses[d.moment.Tick()]
			to, ok2 := poses[d.moment.Tick()+1]
			if !ok || !ok2 {
				continue
			}
			share := float32(d.moment-d.moment.Tick().Moment()) / sim.MomentsPerTick
			sum += float64(d.pos.Sub(from[i].Pos.AddScaled(share, to[i].Pos.Sub(from[i].Pos))).LenSq())
			known++
		}
		metres[i] = math.Sqrt(sum / float64(max(known, 1)))
		if known < 240 {
			metres[i] = math.Inf(1)
		}
	}
	return metres
}
