// Package page writes the lab as a page for browsers: a folder of files that any static server can serve. The program
// in it is this one, compiled to WebAssembly; its source has the other files, in the folders static, ideas and site, and
// the documentation, which becomes HTML.
package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ghostcube/internal/atomicfile"
	"ghostcube/internal/process"
)

// ProgramFile is the compressed program in the folder of a page.
const ProgramFile = "ghostcube.wasm.gz"

// Options say where a page goes and where it comes from.
type Options struct {
	Folder   string // of the page; it is created if there is none
	Work     string // folder of the program's source, or one below it
	Finished string // folder of a finished page, which is copied where Work is no such folder, or Go is not installed
	Version  string // of the program in the page
	Address  string // of the page on the web, for the pictures of shared links (ParseAddress); empty: they have no host
}

// File is a file of a page.
type File struct {
	Name string // relative to the page's folder, with slashes
	Size int    // bytes
	Gzip int    // bytes on the wire if the server compresses
	Full int    // bytes in the browser; larger than Size for the program alone
}

// Write writes a page and returns its files, sorted by name. It replaces the files of an earlier page and leaves other
// files alone. Nothing is written if the program cannot be compiled, if ctx ends before that, if a file cannot be
// written, or if the folder has another page or files of the page's names.
func Write(ctx context.Context, o Options) ([]File, error) {
	var address *url.URL
	if o.Address != "" {
		var err error
		if address, err = ParseAddress(o.Address); err != nil {
			return nil, err
		}
	}
	if err := checkFolder(o.Folder); err != nil {
		return nil, err
	}
	source, missing := findSource(ctx, o.Work)
	var files map[string][]byte
	var err error
	switch {
	case missing == nil:
		files, err = compile(ctx, source, o.Version)
	case isPage(o.Finished):
		if same(o.Folder, o.Finished) {
			return nil, fmt.Errorf("%s is the finished page that would be copied", o.Folder)
		}
		files = map[string][]byte{}
		err = readFiles(files, os.DirFS(o.Finished))
	default:
		err = fmt.Errorf("%w; a release has a finished page beside the program, and there is none at %s", missing, o.Finished)
	}
	if ctx.Err() != nil {
		return nil, errors.New("interrupted: no file was written")
	}
	if err != nil {
		return nil, err
	}
	if err := placeImages(files, address); err != nil {
		return nil, err
	}
	if err := checkFiles(o.Folder, files); err != nil {
		return nil, err
	}
	return writeFiles(o.Folder, files)
}

// checkFolder returns an error if a page must not be written to a folder.
func checkFolder(folder string) error {
	info, err := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is a file: want a folder", folder)
	}
	if _, err := os.Stat(filepath.Join(folder, "index.html")); err == nil && !isPage(folder) {
		return fmt.Errorf("%s has the index.html of another page: want a folder of its own", folder)
	}
	return nil
}

// checkFiles returns an error if a folder that has no page yet has a file that the page would replace.
func checkFiles(folder string, files map[string][]byte) error {
	if isPage(folder) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if _, err := os.Lstat(file); err == nil {
			return fmt.Errorf("%s would be replaced, and %s has no page: want a folder of its own", file, folder)
		}
	}
	return nil
}

// isPage reports whether a folder has a page that Write wrote.
func isPage(folder string) bool {
	for _, name := range []string{"index.html", ProgramFile} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}

// same reports whether two names are of the same folder.
func same(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// findSource returns the folder of the program's source, given that folder or one below it, or the reason why it
// cannot be compiled.
func findSource(ctx context.Context, work string) (string, error) {
	out, err := goCommand(ctx, work, "list", "-m", "-f", "{{.Dir}}").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("the page is compiled from the program's source by Go, which is not installed (https://go.dev/dl)")
	}
	folder := strings.TrimSpace(string(out))
	if err == nil { // whatever the module is called, in a fork perhaps otherwise
		_, err = os.Stat(filepath.Join(folder, "ui", "page", "static", "memfs.js"))
	}
	if err != nil {
		return "", errors.New("the page is compiled from the program's source: run the command in the source's folder")
	}
	return folder, nil
}

// goCommand returns a run of the go command with the settings that all runs share.
func goCommand(ctx context.Context, folder string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	process.OwnGroup(cmd)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that it removes its temporary files
	cmd.WaitDelay = 5 * time.Second
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	return cmd
}

// compile returns the files of a page from the program's source, by name. The same source and version of Go give the
// same bytes.
func compile(ctx context.Context, source, version string) (map[string][]byte, error) {
	files, err := staticFiles(os.DirFS(source))
	if err != nil {
		return nil, err
	}
	if err := addSite(files, os.DirFS(source)); err != nil {
		return nil, err
	}
	if files["wasm_exec.js"], err = runtimeScript(ctx, source); err != nil {
		return nil, err
	}
	program, err := build(ctx, source, version)
	if err != nil {
		return nil, err
	}
	if files[ProgramFile], err = compress(program); err != nil {
		return nil, err
	}
	return files, stampVersion(files)
}

// stampVersion makes the lab load all its files by addresses with their common version, a digest of their bytes, so that no
// cache mixes two versions. The service worker learns the version and the files that it keeps.
func stampVersion(files map[string][]byte) error {
	digest := sha256.New()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.Contains(name, "/") { // all others are the documentation's and the ideas'
			digest.Write(files[name])
			names = append(names, name)
		}
	}
	version := hex.EncodeToString(digest.Sum(nil)[:6])
	list := []string{"./", "index.html"}
	for _, name := range names {
		if name != "index.html" && name != offlineFile {
			files["index.html"] = bytes.ReplaceAll(files["index.html"], []byte(`="`+name+`"`), []byte(`="`+name+"?v="+version+`"`))
			list = append(list, name+"?v="+version)
		}
	}
	b, err := json.Marshal(list)
	files[offlineFile] = bytes.ReplaceAll(files[offlineFile], []byte("VERSION"), []byte(version))
	files[offlineFile] = bytes.ReplaceAll(files[offlineFile], []byte(`["FILES"]`), b)
	return err
}

// offlineFile is the service worker.
const offlineFile = "offline.js"

// staticFiles returns all files but the program, its runtime and the documentation, by name.
func staticFiles(source fs.FS) (map[string][]byte, error) {
	files := map[string][]byte{}
	static, err := fs.Sub(source, "ui/page/static")
	if err == nil {
		err = readFiles(files, static)
	}
	if err == nil {
		err = landingPages(files, source)
	}
	return files, err
}

// readFiles adds all files of a file system to files.
func readFiles(files map[string][]byte, from fs.FS) error {
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(from, name)
		return err
	})
}

// runtimeScript returns the script that starts programs of the version of Go that compiles this source.
func runtimeScript(ctx context.Context, source string) ([]byte, error) {
	root, err := goCommand(ctx, source, "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
}

// build returns the compiled program.
func build(ctx context.Context, source, version string) (program []byte, err error) {
	work, err := os.MkdirTemp("", "ghostcube-page-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	file := filepath.Join(work, "ghostcube.wasm")
	overlay, err := writeOverlay(source, work)
	if err != nil {
		return nil, err
	}
	args := []string{"build", "-overlay", overlay, "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X " + "ghostcube/ui/cli.Version=" + version}
	for _, p := range seldomRun {
		args = append(args, "-gcflags="+p+"=-l")
	}
	if out, err := goCommand(ctx, source, append(args, "-o", file, ".")...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, bytes.TrimSpace(out))
	}
	return os.ReadFile(file)
}

// seldomRun are packages that a page runs when it starts, or on a click, if at all. No function is inlined in them, which
// makes the compressed program smaller by 4 %.
var seldomRun = []string{
	"archive/zip", "encoding/gob", "encoding/json", "go/...", "log/slog", "math/big", "regexp/...", "text/template/...",
	"github.com/alecthomas/kong", "github.com/pelletier/go-toml/...", "ghostcube/ui/advise", "ghostcube/ui/cli", "ghostcube/ui/plan",
}

// largeFont is a module that a page leaves out: overlay/bitmapfont.go.txt takes its place. go.mod itself replaces
// nothing, because go install takes no module that does.
const largeFont = "github.com/hajimehoshi/bitmapfont/v4"

// writeOverlay writes files for go build -overlay into a folder, and returns the name of the one that lists them. The
// build sees a go.mod that replaces largeFont by a folder of the source, and that folder, none of which exist there.
func writeOverlay(source, work string) (string, error) {
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return "", err
	}
	small := filepath.Join(source, "ui", "page", "overlay")
	files := []struct{ name, place, text string }{
		{"go.mod", filepath.Join(source, "go.mod"), string(mod) + "\nreplace " + largeFont + " => ./ui/page/overlay/bitmapfont\n"},
		{"small.mod", filepath.Join(small, "bitmapfont", "go.mod"), "module " + largeFont + "\n"},
	}
	replace := map[string]string{filepath.Join(small, "bitmapfont", "bitmapfont.go"): filepath.Join(small, "bitmapfont.go.txt")}
	for _, f := range files {
		file := filepath.Join(work, f.name)
		replace[f.place] = file
		if err := os.WriteFile(file, []byte(f.text), 0o666); err != nil {
			return "", err
		}
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list := filepath.Join(work, "overlay.json")
	return list, os.WriteFile(list, b, 0o666)
}

// compress returns b compressed by gzip, without a time.
func compress(b []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(b)
		err = errors.Join(err, w.Close())
	}
	return out.Bytes(), err
}

// writeFiles writes files into a folder, by name. All get their names at the end, the program before index.html, so what
// is left of a page that could not be finished is still recognised as one.
func writeFiles(folder string, files map[string][]byte) (written []File, err error) {
	var started []*atomicfile.File
	defer func() {
		if err != nil {
			err = errors.Join(err, atomicfile.Discard(started...))
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		b := files[name]
		to := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return nil, err
		}
		out, err := atomicfile.Create(to)
		if err != nil {
			return nil, err
		}
		started = append(started, out)
		if _, err := out.Write(b); err != nil {
			return nil, err
		}
		f := File{Name: name, Size: len(b), Gzip: len(b), Full: len(b)}
		if name == ProgramFile {
			f.Full, err = decompressedSize(b)
		} else {
			var small []byte
			small, err = compress(b)
			f.Gzip = min(len(b), len(small))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		written = append(written, f)
	}
	return written, atomicfile.Commit(started...)
}

// decompressedSize returns the number of bytes that compress was given.
func decompressedSize(b []byte) (int, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, r)
	return int(n), err
}
