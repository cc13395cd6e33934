//go:build linux

package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/gif"
	"image/png"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ghostcube/assets"
	"ghostcube/predict/lab/tape"
)

// workshop has the program, and folders in which it writes files: also for a user who is not root, if root runs the test.
type workshop struct {
	root    string
	program string
}

// nobody is the user who is not root.
const nobody = 65534

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	root := must(os.MkdirTemp("", "ghostcube-files-")) // t.TempDir is for its owner alone
	t.Cleanup(func() {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				os.Chmod(path, 0o777)
			}
			return nil
		})
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	w := &workshop{root: root, program: filepath.Join(root, "ghostcube")}
	need(os.Chmod(root, 0o755))
	need(os.WriteFile(w.program, must(os.ReadFile("/proc/self/exe")), 0o755))
	need(os.Mkdir(filepath.Join(root, "page"), 0o755))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("program"))
	z.Close()
	for name, text := range map[string]string{"index.html": "<html>", "ghostcube.wasm.gz": packed.String()} { // a finished page
		need(os.WriteFile(filepath.Join(root, "page", name), []byte(text), 0o644))
	}
	return w
}

// folder returns a new folder in which the program runs.
func (w *workshop) folder(t *testing.T, x *writer) string {
	t.Helper()
	dir := must(os.MkdirTemp(w.root, "case-"))
	need(os.Chmod(dir, 0o777))
	if strings.HasPrefix(x.args, "hash") {
		w.write(t, dir, "short.scene", sceneText("90"))
		w.write(t, dir, "long.scene", sceneText("1000000"))
	}
	return dir
}

// input returns the text of a file that the command reads.
func (w *workshop) input(x *writer) string {
	if x.read == "--scene-file" {
		return sceneText("90")
	}
	name := "tapes/circle.tape"
	if strings.HasPrefix(x.args, "export") {
		name = "tapes/katamari-ball.tape"
	}
	b, err := fs.ReadFile(assets.Tapes, name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func (w *workshop) write(t *testing.T, dir, name, text string) {
	t.Helper()
	need(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
}

// command returns a run of the program.
func (w *workshop) command(dir, args string) *exec.Cmd {
	cmd := exec.Command(w.program, strings.Fields(args)...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// signal sends a signal to a program: Ctrl-C to all of its programs, as a terminal does.
func (w *workshop) signal(t *testing.T, cmd *exec.Cmd, s syscall.Signal) {
	t.Helper()
	to := cmd.Process.Pid
	if s == syscall.SIGINT {
		to = -to
	}
	need(syscall.Kill(to, s))
}

// asNobody takes root's rights from a command.
func (w *workshop) asNobody(cmd *exec.Cmd) {
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
}

// fill makes the disk of a folder a small one, and returns a function that fills it: a disk of its own, which root may
// mount. Others limit the size of files, in limited.
func (w *workshop) fill(t *testing.T, dir string) (full func()) {
	t.Helper()
	if os.Geteuid() != 0 || syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k") != nil {
		return func() {}
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	need(os.Chmod(dir, 0o777))
	w.write(t, dir, "short.scene", sceneText("90"))
	return func() {
		f := must(os.Create(filepath.Join(dir, "filler")))
		defer f.Close()
		for err := error(nil); err == nil; {
			_, err = f.Write(make([]byte, 512))
		}
	}
}

// limited returns a run of the program on a full disk.
func (w *workshop) limited(dir, args string) *exec.Cmd {
	if _, err := os.Stat(filepath.Join(dir, "filler")); err == nil {
		return w.command(dir, args)
	}
	cmd := exec.Command("sh", append([]string{"-c", `ulimit -f 0; exec "$0" "$@"`, w.program}, strings.Fields(args)...)...)
	cmd.Dir = dir
	return cmd
}

// list returns names and contents of the files in a folder.
func (w *workshop) list(t *testing.T, dir string) (list []string) {
	t.Helper()
	for _, e := range must(os.ReadDir(dir)) {
		b := must(os.ReadFile(filepath.Join(dir, e.Name())))
		list = append(list, e.Name()+": "+string(b[:min(len(b), 80)]))
	}
	return list
}

// contents returns the files in a folder by name, without those that have times in them.
func (w *workshop) contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, e := range must(os.ReadDir(dir)) {
		b := must(os.ReadFile(filepath.Join(dir, e.Name())))
		if filepath.Ext(e.Name()) != ".ms" {
			files[e.Name()] = string(b)
		}
	}
	return files
}

// writeOld writes a file of the name, unless the command refuses one.
func (w *workshop) writeOld(t *testing.T, dir string, x *writer) {
	t.Helper()
	if x.unnamed {
		w.write(t, dir, x.file, old)
	}
}

// wantOld checks that a file is as it was before the command.
func (w *workshop) wantOld(t *testing.T, dir string, x *writer) {
	t.Helper()
	if b, err := os.ReadFile(filepath.Join(dir, x.file)); string(b) != old {
		t.Errorf("%s is lost: %v, it has %d bytes", x.file, err, len(b))
	}
}

// parts returns the temporary files in a folder.
func (w *workshop) parts(t *testing.T, dir string) (list []string) {
	t.Helper()
	for _, e := range must(os.ReadDir(dir)) {
		if strings.Contains(e.Name(), ".part") {
			list = append(list, e.Name())
		}
	}
	return list
}

func (w *workshop) wantNoPart(t *testing.T, dir string) {
	t.Helper()
	if list := w.parts(t, dir); len(list) > 0 {
		t.Errorf("temporary files are left: %q", list)
	}
}

// checkFile checks that a file can be read.
func (w *workshop) checkFile(t *testing.T, file string) {
	t.Helper()
	if err := readable(file); err != nil {
		t.Errorf("%s: %v", filepath.Base(file), err)
	}
}

// checkPart checks that a temporary file can be read, also one that ffmpeg is finishing. The system may cut the last
// write of a program that is killed, so the last snapshot of a recording may be incomplete.
func (w *workshop) checkPart(t *testing.T, file string) {
	t.Helper()
	err := readable(file)
	if info, statErr := os.Stat(file); filepath.Ext(file) == ".bin" && statErr == nil && info.Size() >= snapshotBytes {
		err = nil
	}
	for i := 0; err != nil && i < 100 && filepath.Ext(file) == ".mp4"; i++ {
		time.Sleep(100 * time.Millisecond)
		err = readable(file)
	}
	if err != nil {
		t.Errorf("%s: %v", filepath.Base(file), err)
	}
}

// readable returns why a file cannot be read for what it is.
func readable(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	bad := errors.New("it is no whole file of its kind")
	in := bytes.NewReader(b)
	ok := len(b) > 0 && string(b) != old
	switch filepath.Ext(file) {
	case ".webm", ".mp4":
		out, err := exec.Command("ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", file).Output()
		if errors.Is(err, exec.ErrNotFound) {
			ok = bytes.Contains(b, []byte{0x1f, 0x43, 0xb6, 0x75}) || bytes.Contains(b, []byte("moof"))
			break
		}
		ok = err == nil && len(out) > 1 && out[0] >= '1' && out[0] <= '9'
	case ".gif":
		_, err = gif.DecodeAll(in)
	case ".png":
		_, err = png.Decode(in)
	case ".tape":
		var x *tape.Tape
		if x, err = tape.Read(in); err == nil {
			ok = len(x.Entries) > 0
		}
	case ".vtt":
		ok = bytes.HasPrefix(b, []byte("WEBVTT\n")) && b[len(b)-1] == '\n'
	case ".json":
		ok = json.Valid(b)
	case ".svg":
		for d := xml.NewDecoder(in); err == nil; {
			_, err = d.Token()
		}
		if err == io.EOF {
			err = nil
		}
	case ".csv":
		_, err = csv.NewReader(in).ReadAll()
		ok = ok && b[len(b)-1] == '\n'
	case ".bin":
		ok = ok && len(b)%snapshotBytes == 0
	case ".txt", ".ms":
		ok = ok && b[len(b)-1] == '\n'
	}
	if err == nil && !ok {
		err = bad
	}
	return err
}
