//go:build !js || headless

package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/remote"
)

// startProgram starts the program as a process of its own.
func startProgram(t *testing.T, args ...string) (c *exec.Cmd, out *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out = &bytes.Buffer{}
	c = exec.Command(self, args...)
	c.Args[0], c.Stdout, c.Stderr = "ghostcube", out, t.Output()
	return c, out
}

// serve starts a server on the loopback and returns the arguments with which a client joins it.
func serve(t *testing.T, args ...string) (c *exec.Cmd, joinArgs []string) {
	t.Helper()
	return serveBy(t, (*exec.Cmd).Start, args...)
}

// serveBy is serve for a process that start starts.
func serveBy(t *testing.T, start func(*exec.Cmd) error, args ...string) (c *exec.Cmd, joinArgs []string) {
	t.Helper()
	c, _ = startProgram(t, append([]string{"serve", "127.0.0.1:0", "--every", "0"}, args...)...)
	c.Stdout = nil
	pipe, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := start(c); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(pipe)
	for len(joinArgs) == 0 {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the server prints no line to join with: %v", err)
		}
		if f := strings.Fields(line); len(f) > 2 && f[0] == "ghostcube" {
			joinArgs = f[1:]
		}
	}
	t.Cleanup(func() { c.Process.Kill() })
	return c, joinArgs
}

// TestThreeProcesses runs the program three times on the loopback: a server and two bots. They see the same world, and
// the captures of all three replay. Without GHOSTCUBE_CI it does so for a second, with one strategy.
func TestThreeProcesses(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	for i, s := range lab.Strategies {
		if !experiment.Long() && i%3 != 2 { // rollback is the last
			continue
		}
		seconds := "4"
		if experiment.Brief() {
			if s.Name != "rollback" {
				continue
			}
			seconds = "1"
		}
		t.Run(s.Name, func(t *testing.T) {
			folder := t.TempDir()
			file := func(name string) string { return filepath.Join(folder, name+".capture") }
			server, join := serve(t, "--strategy", s.Name, "--seconds", "60", "--capture", file("server"))
			var bots [2]*exec.Cmd
			var tables [2]*bytes.Buffer
			for i := range bots {
				name := fmt.Sprint("bot", i)
				bots[i], tables[i] = startProgram(t, append(join, "--name", name, "--seconds", seconds, "--every", "0", "--capture", file(name))...)
				if err := bots[i].Start(); err != nil {
					t.Fatal(err)
				}
			}
			late := lateNaps(func() {
				for i, b := range bots {
					if err := b.Wait(); err != nil {
						t.Errorf("bot %d: %v", i, err)
					}
				}
			})
			for _, table := range tables {
				checkPathError(t, table.String(), late)
			}
			server.Process.Signal(os.Interrupt)
			if err := server.Wait(); err != nil {
				t.Errorf("the server: %v", err)
			}
			for _, name := range []string{"server", "bot0", "bot1"} {
				code, out, errs := runCLI("play", "--verify", file(name))
				t.Log(strings.TrimSpace(out))
				if code != 0 || !strings.Contains(out, "match in") {
					t.Errorf("%s: exit code %d: %s", name, code, errs)
				}
			}
			if s.Name == "rollback" {
				checkTogether(t, file("bot1"), file("server"), file("bot0"))
			}
		})
	}
}

// checkTogether shows the session of captures: with scores, and as a picture.
func checkTogether(t *testing.T, files ...string) {
	t.Helper()
	code, out, errs := runCLI(append([]string{"play"}, files...)...)
	if code != 0 || !strings.Contains(out, "player-1") || !strings.Contains(out, "player-2") || !strings.Contains(out, "real network") {
		t.Errorf("play: exit code %d: %s%s", code, out, errs)
	}
	tape := strings.Join(files, ",")
	picture := filepath.Join(t.TempDir(), "x.png")
	code, out, errs = runCLI("record", "--tape", tape, "--seconds", "0.5", "--show", "lanes=on", "--size", "640x360", "-o", picture)
	if info, err := os.Stat(picture); code != 0 || err != nil || info.Size() < 5000 {
		t.Errorf("record: exit code %d: %s%s", code, out, errs)
	}
	film := filepath.Join(t.TempDir(), "x.gif")
	code, out, errs = runCLI("record", "--tape", tape, "--seconds", "0.2", "--size", "64x64", "--captions", "-o", film)
	if _, err := os.Stat(strings.TrimSuffix(film, ".gif") + ".vtt"); code != 0 || err != nil || !strings.Contains(out, "x.vtt: ") {
		t.Errorf("captions: %v, exit code %d: %s%s", err, code, out, errs)
	}
	for _, x := range [][]string{
		{"bench", "--tape", tape, "--save-tape", "x.tape"}, {"bench", "--tape", tape, "--network", "wifi-bad"}, {"link", "--tape", tape},
		{"play", files[0]}, {"play", files[0], files[1], files[1]}, {"play", "circle", files[0]},
	} {
		if code, _, errs := runCLI(x...); code != 2 || !strings.Contains(errs, ".capture") && !strings.Contains(errs, "captures") {
			t.Errorf("%v: exit code %d: %s", x[:2], code, errs)
		}
	}
}

// TestKilledPlayer kills a bot, which comes back under its name to its seat. What it has captured until then replays.
func TestKilledPlayer(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	server, join := serve(t, "--seconds", "60")
	file := filepath.Join(t.TempDir(), "killed.capture")
	args := append(join, "--every", "0", "--name")
	first, _ := startProgram(t, append(args, "ann", "--capture", file)...)
	other, _ := startProgram(t, append(args, "bob", "--headless")...)
	for _, c := range []*exec.Cmd{first, other} {
		var log logOf
		c.Stderr = &log
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Process.Kill() })
		log.wait(t, "msg=playing")
	}
	time.Sleep(2 * time.Second) // of play, to be captured
	first.Process.Kill()
	first.Wait()
	again, table := startProgram(t, append(args, "ann", "--seconds", "6")...)
	late := lateNaps(func() {
		if err := again.Run(); err != nil {
			t.Error(err)
		}
	})
	checkPathError(t, table.String(), late)
	if !regexp.MustCompile(`(?m)^ +1 `).MatchString(table.String()) {
		t.Error("ann is not the first player any more")
	}
	interrupt(t, other, server)
	if code, out, errs := runCLI("play", "--verify", file); code != 0 || !strings.Contains(out, "match in") || !strings.Contains(errs, "not ended") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

// checkPathError checks the path error at the end of a client's table, which is known after two seconds: its cube is
// where the server has it, as closely as in a pane with collisions and 5 % loss, unless the machine is busy by the share of late
// naps: processes that stand still for a while are apart.
func checkPathError(t *testing.T, table string, late float64) {
	t.Helper()
	t.Log("\n" + table)
	cells := strings.Fields(table)
	if len(cells) == 0 {
		t.Error("a bot has not played")
		return
	}
	mm, err := strconv.ParseFloat(cells[len(cells)-1], 64)
	switch {
	case experiment.Brief():
	case err != nil:
		t.Error(err)
	case mm > 250:
		if t.Logf("%.1f %% of the test's own naps were a tick too long", 100*late); late < busy {
			t.Errorf("path error %v mm", mm)
		}
	}
}

// TestTableOfTheHost promises that the row of a player who has left has no figures, and that of one who plays has all.
func TestTableOfTheHost(t *testing.T) {
	s := remote.Seat{Name: "ann", PathError: 0.01, HasScore: true, Shots: 2, Hits: 1, Conditions: "latency=75ms"}
	s.RoundTrip, s.Stats.RTT, s.Stats.SentRate, s.Stats.RecentExpected = 160*time.Millisecond, 200*time.Millisecond, 55200, 10
	if got := strings.Join(seatCells(&s), " "); got != "ann - - - - - - - -" {
		t.Errorf("who has left: %s", got)
	}
	s.Address = "192.0.2.1:5"
	if got := strings.Join(seatCells(&s), " "); got != "ann 192.0.2.1:5 160.0 0.0 55.2 0.0 10.0 1 of 2 latency=75ms" {
		t.Errorf("who plays: %s", got)
	}
	s.RoundTrip = 0
	if got := strings.Join(seatCells(&s), " "); !strings.HasPrefix(got, "ann 192.0.2.1:5 - ") {
		t.Errorf("who is silent: %s", got)
	}
}

// TestServeErrors checks the errors of flags, and of ports in use.
func TestServeErrors(t *testing.T) {
	config := func(text string) string {
		name := filepath.Join(t.TempDir(), "config.toml")
		need(os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	for _, x := range []struct {
		want string
		args []string
	}{
		{"no scene", []string{"serve", "--scene", "nowhere"}},
		{"no strategy", []string{"serve", "--strategy", "telepathy"}},
		{"rate=5", []string{"serve", "--rate", "5"}},
		{".capture", []string{"serve", "--capture", "x.txt"}},
		{"want one of them", []string{"serve", "--key", "aaaaaaaaaaaaaaaaaaaaaaaaaa", "--insecure"}},
		{"want --page=ADDRESS", []string{"serve", "--page-folder", "page"}},
		{"ghostcube page -o page", []string{"serve", "127.0.0.1:0", "--page", "127.0.0.1:0", "--page-folder", "no such folder"}},
		{"has no page", []string{"serve", "127.0.0.1:0", "--page", "127.0.0.1:0", "--page-folder", "testdata"}},
		{"no key", []string{"serve", "--key", "secret"}},
		{"all its bits are zero", []string{"join", "127.0.0.1:1", "--key", strings.Repeat("a", 26)}},
		{"without the flag there is no end", []string{"serve", "--seconds", "0"}},
		{"--seconds=NaN: want 0 to 1000000000", []string{"serve", "127.0.0.1:0", "--seconds", "NaN"}},
		{"--every=1e+300: want 0 to 1000000000", []string{"serve", "127.0.0.1:0", "--every", "1e300", "--seconds", "1"}},
		{"want 1 to 3600", []string{"probe", "127.0.0.1:1", "--insecure", "--seconds", "0"}},
		{"--key", []string{"join", "127.0.0.1:1"}},
		{"--watch and --capture", []string{"join", "127.0.0.1:1", "--insecure", "--watch", "--capture", "x.capture"}},
		{"--watch and --tape", []string{"join", "127.0.0.1:1", "--insecure", "--watch", "--capture", "x.capture", "--no-ghost", "--tape", "circle"}},
		{"want --verify", []string{"play", "x.capture"}},
		{"x.capture", []string{"play", "--verify", "x.capture"}},
		{"open x.capture:", []string{"play", "x.capture,y.capture"}},
		{"open x.capture:", []string{"play", "x.capture", "y.capture"}},
		{"config.toml: line 2: no key \"panes\" (there are address, ", []string{"serve", "--config", config("scene = \"plain\"\npanes = [\"rewind\"]\n")}},
		{"no scene \"nowhere\"", []string{"serve", "--config", config("scene = \"nowhere\"\nstrategy = \"rewind\"\n")}},
		{"no strategy \"telepathy\"", []string{"serve", "--scene", "plain", "--config", config("strategy = \"telepathy\"\nscene = \"nowhere\"\n")}},
		{"want an address with a port", []string{"serve", "--config", config("address = \"nothing\"\nrate = 30\ninsecure = true\nseconds = 1.5\n")}},
	} {
		code, out, errs := runCLI(x.args...)
		if code != 2 && x.want != "want an address with a port" || out != "" || !strings.Contains(errs, x.want) {
			t.Errorf("%v: exit code %d, output %q, error %q: want %s", x.args, code, out, errs, x.want)
		}
	}
	_, _, errs := runCLI("serve", "127.0.0.1:0", "--insecure", "--seconds", "0.05")
	if !strings.HasPrefix(errs, "ghostcube: insecure: anyone can join, listen in and forge packets\n") {
		t.Errorf("a warning into a file is %q", errs)
	}
	_, join := serve(t) // it holds its port until the test ends
	code, _, errs := runCLI("serve", join[1], "--seconds", "1")
	if code != 1 || !strings.Contains(errs, "choose another port") {
		t.Errorf("a port in use: exit code %d: %s", code, errs)
	}
}

// interrupt ends processes as Ctrl-C does, one after the other.
func interrupt(t *testing.T, list ...*exec.Cmd) {
	t.Helper()
	for _, c := range list {
		need(c.Process.Signal(os.Interrupt))
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %v", c.Args[:3], err)
		}
	}
}

// logOf collects what a process writes.
type logOf struct {
	mutex sync.Mutex
	text  strings.Builder
}

func (l *logOf) Write(b []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(b)
}

// String returns what the process has written so far.
func (l *logOf) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// wait waits for a text.
func (l *logOf) wait(t *testing.T, want string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(l.String(), want); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%q is not in %s", want, l)
		}
	}
}

// TestTypedLines types at the standard inputs of a server and of a bot: the bot follows, both receive the chat, and their
// captures replay.
func TestTypedLines(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name+".capture") }
	var atServer, atBot logOf
	host, toServer := io.Pipe()
	ann, toBot := io.Pipe()
	server, join := serveBy(t, func(c *exec.Cmd) error {
		c.Stdin, c.Stderr = host, &atServer
		return c.Start()
	}, "--capture", file("server"))
	bot, _ := startProgram(t, append(join, "--headless", "--name", "ann", "--every", "0", "--capture", file("bot"))...)
	bot.Stdin, bot.Stderr = ann, &atBot
	if err := bot.Start(); err != nil {
		t.Fatal(err)
	}
	atBot.wait(t, "msg=playing")
	io.WriteString(toServer, "strategy telepathy\n\npanes rollback\nscene katamari:players=3\nnetwork 1 latency=10ms\nsay hello\n")
	atServer.wait(t, `no strategy "telepathy"`)
	atBot.wait(t, `msg=switched scene="katamari:players=3" strategy=rollback`)
	atBot.wait(t, `msg=chat name="the host" text=hello`)
	io.WriteString(toBot, "good game\n")
	atServer.wait(t, `msg=chat name=ann text="good game"`)
	for name, c := range map[string]*exec.Cmd{"bot": bot, "server": server} {
		toServer.Close()
		toBot.Close()
		c.Process.Signal(os.Interrupt)
		if err := c.Wait(); err != nil {
			t.Errorf("the %s: %v", name, err)
		}
		if code, out, errs := runCLI("play", "--verify", file(name)); code != 0 || !strings.Contains(out, "match in") {
			t.Errorf("%s: exit code %d: %s", name, code, errs)
		}
	}
}
