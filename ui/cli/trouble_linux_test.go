package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ghostcube/internal/experiment"
	"ghostcube/net/socket"
)

// bot starts a bot that plays for some seconds, or until it is interrupted, and waits until it plays.
func bot(t *testing.T, join []string, name string, more ...string) (c *exec.Cmd, errs *logOf) {
	t.Helper()
	c, _ = startProgram(t, append(append(append([]string{}, join...), "--headless", "--name", name, "--every", "0"), more...)...)
	errs = &logOf{}
	c.Stderr = errs
	need(c.Start())
	t.Cleanup(func() { c.Process.Kill() })
	errs.wait(t, "msg=playing")
	return c, errs
}

// ends checks how a process ends, and what it says in the end or has logged.
func ends(t *testing.T, c *exec.Cmd, errs *logOf, code int, want string) {
	t.Helper()
	c.Wait()
	if got := c.ProcessState.ExitCode(); got != code || !strings.Contains(errs.String(), want) {
		t.Errorf("%v: exit code %d, want %d and %q:\n%s", c.Args[:3], got, code, want, errs)
	}
}

// verifies checks that a capture replays.
func verifies(t *testing.T, name string) {
	t.Helper()
	if code, out, errs := runCLI("play", "--verify", name); code != 0 || !strings.Contains(out, "match in") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

// TestStopped stops a client for ten seconds, and then the server: nobody has to join again, and all captures replay.
func TestStopped(t *testing.T) {
	experiment.SkipUnlessLong(t)
	t.Parallel()
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name+".capture") }
	server, join := serve(t, "--capture", file("server"))
	ann, annSays := bot(t, join, "ann", "--capture", file("ann"))
	bob, _ := bot(t, join, "bob", "--capture", file("bob"))
	time.Sleep(3 * time.Second)
	for _, c := range []*exec.Cmd{ann, server} {
		need(c.Process.Signal(syscall.SIGSTOP))
		time.Sleep(10 * time.Second)
		need(c.Process.Signal(syscall.SIGCONT))
		time.Sleep(3 * time.Second)
	}
	annSays.wait(t, "the client stood still")
	interrupt(t, ann, bob, server)
	for _, name := range []string{"server", "ann", "bob"} {
		verifies(t, file(name))
	}
}

// TestServerStartsAgain kills a server and starts it again at the same address with the same key. A client of the first one
// ends with a message; the line that it joined with works as before.
func TestServerStartsAgain(t *testing.T) {
	experiment.SkipUnlessLong(t)
	t.Parallel()
	server, join := serve(t)
	ann, says := bot(t, join, "ann")
	need(server.Process.Kill())
	server.Wait()
	again, _ := startProgram(t, "serve", join[1], "--key", join[3], "--seconds", "60", "--every", "0")
	need(again.Start())
	t.Cleanup(func() { again.Process.Kill() })
	ends(t, ann, says, 1, socket.ErrTimeout.Error())
	ann, _ = bot(t, join, "ann")
	interrupt(t, ann, again)
}

// TestRefused checks who may not come in, and what they are told: with another key or another version, a third player, and a
// second one under the name of a player. The others play on.
func TestRefused(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	server, join := serve(t)
	ann, _ := bot(t, join, "ann")
	bob, _ := bot(t, join, "bob")
	key := func(k string) []string { return []string{"join", join[1], "--key", k} }
	for _, x := range []struct {
		name, want string
		join       []string
	}{
		{"eve", "the session is full: it takes 2 players", join},
		{"bob", "bob is playing already", join},
		{"eve", socket.ErrKey.Error(), key(socket.NewKey().String())},
	} {
		code, _, errs := runCLI(append(append([]string{}, x.join...), "--name", x.name, "--seconds", "5")...)
		if code != 1 || !strings.Contains(errs, x.want) {
			t.Errorf("%s: exit code %d, want %q: %s", x.name, code, x.want, errs)
		}
	}
	config := socket.Config{Key: must(socket.ParseKey(join[3])), Application: "ghostcube 0.0.1"}
	_, err := socket.Dial(context.Background(), join[1], config)
	if err == nil || !strings.Contains(err.Error(), `"ghostcube `+Version+`", not "ghostcube 0.0.1"`) {
		t.Errorf("another version: %v", err)
	}
	interrupt(t, ann, bob, server)
}

// TestFullDisk captures to a disk that is full: the session goes on, the log says so, and so does the exit code.
func TestFullDisk(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	full := filepath.Join(t.TempDir(), "full.capture")
	need(os.Symlink("/dev/full", full))
	server, join := serve(t, "--capture", full)
	ann, annSays := bot(t, join, "ann", "--seconds", "4", "--capture", full)
	bob, bobSays := bot(t, join, "bob", "--seconds", "4")
	ends(t, ann, annSays, 1, "no space left on device")
	if !strings.Contains(annSays.String(), "the capture ends here") {
		t.Errorf("the log does not say that the capture ends:\n%s", annSays)
	}
	ends(t, bob, bobSays, 0, "playing")
	need(server.Process.Signal(os.Interrupt))
	if server.Wait(); server.ProcessState.ExitCode() != 1 {
		t.Errorf("the server ends with exit code %d", server.ProcessState.ExitCode())
	}
}

// TestNoIPv6 runs where there is no IPv6: the server listens at IPv4, and IPv6 addresses get a message.
func TestNoIPv6(t *testing.T) {
	experiment.Skip(t)
	t.Parallel()
	place, err := newNamespace(t)
	if err != nil {
		t.Skipf("no network namespace: %v", err)
	}
	place.do(func() { err = os.WriteFile("/proc/sys/net/ipv6/conf/all/disable_ipv6", []byte("1"), 0) })
	if err != nil && !os.IsNotExist(err) {
		t.Skipf("IPv6 cannot be switched off: %v", err)
	}
	run := func(args ...string) (*exec.Cmd, *logOf) {
		c, _ := startProgram(t, args...)
		errs := &logOf{}
		c.Stderr = errs
		need(place.start(c))
		return c, errs
	}
	server, join := serveBy(t, func(c *exec.Cmd) error {
		c.Args[2] = ":0"
		return place.start(c)
	})
	if strings.Contains(join[1], "[") {
		t.Errorf("the server prints %s", join[1])
	}
	c, errs := run(append(join, "--seconds", "2")...)
	ends(t, c, errs, 0, "playing")
	c, errs = run("serve", "[::1]:0", "--seconds", "1")
	ends(t, c, errs, 1, "::1")
	c, errs = run("join", "[::1]:7777", "--key", join[3], "--seconds", "1")
	ends(t, c, errs, 1, "::1")
	interrupt(t, server)
}
