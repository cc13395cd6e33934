//go:build linux

package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ghostcube/internal/experiment"
)

// old is what a file of the user's has before the command.
const old = "mine\n"

// run runs the program in a folder to its end.
func (w *workshop) run(t *testing.T, dir, args string) (code int, stdout, stderr string) {
	t.Helper()
	return w.finish(t, w.command(dir, args))
}

// finish runs a command to its end.
func (w *workshop) finish(t *testing.T, cmd *exec.Cmd) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// start starts a long run, and returns when it has made a part of its work.
func (w *workshop) start(t *testing.T, dir string, x *writer) (cmd *exec.Cmd, errs *bytes.Buffer) {
	t.Helper()
	r, p, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd, errs = w.command(dir, x.long), &bytes.Buffer{}
	cmd.Stderr = errs
	cmd.Env = append(os.Environ(), "GHOSTCUBE_TEST_PROGRESS=1")
	cmd.ExtraFiles = []*os.File{p}
	need(cmd.Start())
	p.Close()
	enough := 0.02
	if x.unnamed && strings.HasPrefix(x.args, "--") {
		enough = 0.05 // whole seconds of a minute
	}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if share, err := strconv.ParseFloat(lines.Text(), 64); err != nil || share >= enough {
			go io.Copy(io.Discard, r)
			return cmd, errs
		}
	}
	cmd.Wait()
	t.Fatalf("it ended before it could be interrupted: %s", errs)
	return nil, nil
}

func tryExisting(t *testing.T, w *workshop, x *writer) string {
	dir := w.folder(t, x)
	w.write(t, dir, x.file, old)
	code, out, errs := w.run(t, dir, x.args)
	if x.name == "`page`" {
		if code != 1 || !strings.Contains(errs, "index.html of another page") {
			t.Errorf("exit code %d, %s", code, errs)
		}
		w.wantOld(t, dir, x)
		w.write(t, dir, "ghostcube.wasm.gz", old) // as in an earlier page
		if code, _, errs := w.run(t, dir, x.args); code != 0 {
			t.Errorf("exit code %d, %s", code, errs)
		}
		w.checkFile(t, filepath.Join(dir, x.file))
		w.wantNoPart(t, dir)
		return "a page is replaced; any other file: error"
	}
	w.wantNoPart(t, dir)
	w.wantOld(t, dir, x)
	if !x.unnamed {
		if code != 2 || !strings.Contains(errs, "there is a file of this name") {
			t.Errorf("exit code %d, %s", code, errs)
		}
		return "refused"
	}
	if code != 0 {
		t.Fatalf("exit code %d, %s", code, errs)
	}
	return "`" + w.wantOther(t, dir, x, out) + "`"
}

// wantOther checks that an unnamed file took another name, which the command printed.
func (w *workshop) wantOther(t *testing.T, dir string, x *writer, out string) string {
	t.Helper()
	ext := filepath.Ext(x.file)
	other := strings.TrimSuffix(x.file, ext) + "-2" + ext
	w.checkFile(t, filepath.Join(dir, other))
	if !strings.Contains(out, other) {
		t.Errorf("it does not print %s: %s", other, out)
	}
	return other
}

func tryRead(t *testing.T, w *workshop, x *writer) string {
	if x.read == "" {
		return "-"
	}
	dir := w.folder(t, x)
	input := w.input(x)
	args := strings.Replace(x.args, " --tape katamari-ball --ticks 3", "", 1)
	args = strings.Replace(args, "--scene-file short.scene", "", 1) + " " + x.read + " ./" + x.file
	args = strings.Replace(args, "--scene plain", "", 1)
	for _, kind := range []string{"", "symbolic", "hard"} {
		w.write(t, dir, x.file, input)
		if kind != "" { // the input is a link to the output
			link := os.Symlink
			if kind == "hard" {
				link = os.Link
			}
			need(link(filepath.Join(dir, x.file), filepath.Join(dir, kind+".tape")))
			args = strings.TrimSuffix(args, "./"+x.file) + "./" + kind + ".tape"
		}
		code, _, errs := w.run(t, dir, args)
		if b, err := os.ReadFile(filepath.Join(dir, x.file)); string(b) != input {
			t.Fatalf("%s link: the input is lost: %v, %d bytes", kind, err, len(b))
		}
		if x.unnamed {
			if code != 0 {
				t.Errorf("exit code %d, %s", code, errs)
			}
			return "another name" // as in tryExisting
		}
		if code != 2 || !strings.Contains(errs, "the command reads this file") {
			t.Errorf("%s link: exit code %d, %s", kind, code, errs)
		}
		w.wantNoPart(t, dir)
		args = strings.TrimSuffix(args, "./"+kind+".tape")
		if kind == "" {
			args = strings.TrimSuffix(args, "./"+x.file)
		}
		args += "./" + x.file
	}
	return "refused"
}

func tryReadOnly(t *testing.T, w *workshop, x *writer) string {
	dir := w.folder(t, x)
	w.writeOld(t, dir, x)
	before := w.list(t, dir)
	need(os.Chmod(dir, 0o555))
	args := x.args
	if strings.HasPrefix(args, "record") { // it is refused before the work, which nobody waits for here
		args = strings.Replace(x.long, "--seconds 200", "--seconds 20000", 1)
	}
	cmd := w.command(dir, args)
	w.asNobody(cmd)
	code, _, errs := w.finish(t, cmd)
	name := strings.TrimSuffix(filepath.Base(x.file), filepath.Ext(x.file))
	if x.unnamed {
		name = ""
	}
	if code < 1 || !strings.Contains(errs, "permission denied") ||
		name != "" && !strings.Contains(errs, name) && x.name != "`page`" {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if after := w.list(t, dir); !slices.Equal(before, after) {
		t.Errorf("the folder has %q, had %q", after, before)
	}
	return "error, kept"
}

func tryFull(t *testing.T, w *workshop, x *writer) string {
	dir := w.folder(t, x)
	full := w.fill(t, dir)
	w.writeOld(t, dir, x)
	full()
	before := w.list(t, dir)
	code, _, errs := w.finish(t, w.limited(dir, x.args))
	says := func(text string) bool { return strings.Contains(strings.ToLower(errs), text) }
	if code != 1 || !says("no space left on device") && !says("file too large") && !says("file size limit exceeded") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if after := w.list(t, dir); !slices.Equal(before, after) {
		t.Errorf("the folder has %q, had %q", after, before)
	}
	return "error, kept"
}

func tryKill(t *testing.T, w *workshop, x *writer) string {
	if x.silent {
		w.stopPage(t, syscall.SIGKILL)
		return "kept"
	}
	dir := w.folder(t, x)
	w.writeOld(t, dir, x)
	cmd, _ := w.start(t, dir, x)
	w.signal(t, cmd, syscall.SIGKILL)
	cmd.Wait()
	outcome := "kept; "
	if x.unnamed {
		w.wantOld(t, dir, x)
	} else if outcome = ""; exists(filepath.Join(dir, x.file)) && x.file != "000.png" {
		t.Errorf("there is a %s", x.file)
	}
	parts := w.parts(t, dir)
	if len(parts) > 1 {
		slices.Sort(parts)
		parts = parts[:len(parts)-1] // the last picture may be cut
	}
	for _, p := range parts {
		w.checkPart(t, filepath.Join(dir, p))
	}
	if len(parts) == 0 {
		return strings.TrimSuffix(cmp.Or(outcome, "nothing"), "; ")
	}
	return outcome + "`" + parts[0] + "`"
}

// exists reports whether there is a file.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// stopPage sends a signal to a program that compiles a page, and checks that the page before stays.
func (w *workshop) stopPage(t *testing.T, s syscall.Signal) (code int, stderr string) {
	t.Helper()
	dir, temp := w.folder(t, &writer{}), t.TempDir()
	for _, name := range []string{"index.html", "ghostcube.wasm.gz"} {
		w.write(t, dir, name, old)
	}
	before := w.list(t, dir)
	var errs bytes.Buffer
	cmd := w.command(".", "page -o "+dir)
	cmd.Env, cmd.Stderr = append(os.Environ(), "TMPDIR="+temp), &errs
	need(cmd.Start())
	building := func() []string {
		list, _ := filepath.Glob(filepath.Join(temp, "ghostcube-page-*"))
		return list
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	for len(building()) == 0 {
		select {
		case err := <-exited:
			t.Fatalf("it ended before it could be stopped: %v, %s", err, &errs)
		case <-time.After(time.Millisecond):
		}
	}
	w.signal(t, cmd, s)
	<-exited
	if after := w.list(t, dir); !slices.Equal(before, after) {
		t.Errorf("the folder has %q, had %q", after, before)
	}
	if list := building(); s != syscall.SIGKILL && len(list) > 0 {
		t.Errorf("%v: %q are left", s, list)
	}
	return cmd.ProcessState.ExitCode(), errs.String()
}

func tryInterrupt(t *testing.T, w *workshop, x *writer) string {
	if x.silent {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			if code, errs := w.stopPage(t, s); code != 1 || !strings.Contains(errs, "interrupted") {
				t.Errorf("%v: exit code %d, %s", s, code, errs)
			}
		}
		return "kept"
	}
	result := ""
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		dir := w.folder(t, x)
		w.writeOld(t, dir, x)
		cmd, errs := w.start(t, dir, x)
		w.signal(t, cmd, s)
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(errs.String(), "interrupted") {
			t.Errorf("%v: exit code %d, %s", s, code, errs)
		}
		if x.file == "clip.webm" {
			says := regexp.MustCompile(`^ghostcube: interrupted: clip\.webm has the first [1-9][0-9]*\.[0-9] s\n$`)
			if !says.MatchString(errs.String()) {
				t.Errorf("%v: %q", s, errs)
			}
			w.checkFile(t, filepath.Join(dir, "clip.tape"))
		}
		w.wantNoPart(t, dir)
		outcome := "so far"
		switch {
		case x.unnamed:
			w.wantOld(t, dir, x)
			w.wantOther(t, dir, x, x.file[:strings.LastIndex(x.file, ".")]+"-2"+filepath.Ext(x.file))
		case exists(filepath.Join(dir, x.file)):
			w.checkFile(t, filepath.Join(dir, x.file))
		default:
			outcome = "nothing"
		}
		if result != "" && outcome != result {
			t.Errorf("%v: %s, but the other signal: %s", s, outcome, result)
		}
		result = outcome
	}
	return result
}

func tryTwo(t *testing.T, w *workshop, x *writer) string {
	dir := w.folder(t, x)
	args := []string{x.args, x.args + " --seed 7 --panes noprediction"}
	switch {
	case x.silent, strings.HasPrefix(x.args, "hash"):
		args[1] = x.args
	case strings.HasPrefix(x.args, "export"):
		args[1] = x.args + " --from 5"
	case strings.Contains(x.args, "--panes"):
		args[1] = x.args + " --rate 30"
	}
	var alone []map[string]string
	for _, a := range args {
		one := w.folder(t, x)
		if code, _, errs := w.run(t, one, a); code != 0 {
			t.Fatalf("exit code %d, %s", code, errs)
		}
		alone = append(alone, w.contents(t, one))
	}
	var both [2]*exec.Cmd
	var errs [2]bytes.Buffer
	for i, a := range args {
		both[i] = w.command(dir, a)
		both[i].Stderr = &errs[i]
		need(both[i].Start())
	}
	for i, cmd := range both {
		if err := cmd.Wait(); err != nil && !strings.Contains(errs[i].String(), "there is a file of this name") { // of the first, ended before
			t.Error(err)
		}
	}
	w.wantNoPart(t, dir)
	got := w.contents(t, dir)
	if strings.HasPrefix(x.args, "--") {
		w.checkFile(t, filepath.Join(dir, x.file))
		time := 0
		for name := range got {
			if strings.HasPrefix(name, "lab") && strings.HasSuffix(name, ".tape") {
				time++
			}
		}
		if time != 2 {
			t.Errorf("%d tapes, want both", time)
		}
		return "both"
	}
	if !maps.Equal(got, alone[0]) && !maps.Equal(got, alone[1]) {
		t.Errorf("the files are those of neither: %d and %d and %d files", len(got), len(alone[0]), len(alone[1]))
	}
	return "one, whole"
}

// TestSecondSignal checks that a program that cannot end after a signal, because ffmpeg hangs, is killed by the next one.
func TestSecondSignal(t *testing.T) {
	experiment.Skip(t)
	w := newWorkshop(t)
	dir := w.folder(t, &writer{})
	script := "#!/bin/sh\ncase \"$*\" in *-encoders*) echo ' V..... libx264 ';; *) exec sleep 20;; esac\n"
	need(os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte(script), 0o755))
	cmd := w.command(dir, "record --seconds 200"+quickSession+"-o clip.mp4")
	cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	need(cmd.Start())
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	for {
		if len(w.parts(t, dir)) > 0 { // it records
			w.signal(t, cmd, syscall.SIGTERM)
		}
		select {
		case <-exited:
			if s := cmd.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGTERM { // or it has waited for ffmpeg
				t.Error(cmd.ProcessState)
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}
