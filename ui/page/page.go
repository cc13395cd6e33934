// Package page writes the lab as a page for browsers: a folder of files that any static server can serve. The program
// in it is this one, compiled to WebAssembly.
package page

import (
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ProgramFile is the compressed program in the folder.
const ProgramFile = "ghostcube.wasm.gz"

//go:embed static
var static embed.FS

// Write writes the page into a folder, which it creates if there is none. source is the folder of the program's source,
// or one below it. The Go compiler builds the program, so it has to be installed.
func Write(folder, source string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	files, err := fs.Sub(static, "static")
	if err != nil {
		return err
	}
	if err := writeFiles(folder, files); err != nil {
		return err
	}
	if err := copyRuntime(folder); err != nil {
		return err
	}
	return build(filepath.Join(folder, ProgramFile), source)
}

// writeFiles copies files into a folder, and replaces those of the same name.
func writeFiles(folder string, files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(folder, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, b, 0o666)
	})
}

// copyRuntime copies the script that starts programs of this version of Go.
func copyRuntime(folder string) error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("the page needs Go, which compiles the program: %w", err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "wasm_exec.js"), b, 0o666)
}

// build compiles the program and compresses it into a file.
func build(file, source string) (err error) {
	work, err := os.MkdirTemp("", "ghostcube-page-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	program := filepath.Join(work, "ghostcube.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "ghostcube")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	b, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(b)
		err = errors.Join(err, w.Close())
	}
	return errors.Join(err, f.Close())
}
