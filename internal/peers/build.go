package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

//go:embed drivers
var drivers embed.FS

// engine is a program that steps a scene file.
type engine struct {
	name string                           // in the tables
	args func(scene, out string) []string // command line; what it writes is described in drivers/driver.h
}

// peer is an engine of others.
type peer struct {
	name, title string
	flags       func(cc, dir, address string) ([]string, error) // arguments of the C++ compiler for the driver
}

// box3dCommit is the version of Box3D that is measured.
const box3dCommit = "30c67b5e6d0a3a66f0f506c69ce9e9e0587e3b7c"

var peers = []peer{
	{"box3d", "Box3D (C, SIMD)", compileBox3D},
	{"bullet", "Bullet", func(_, _, _ string) ([]string, error) { return pkgConfig("bullet", "libbullet-dev") }},
	{"ode", "ODE", func(_, _, _ string) ([]string, error) { return pkgConfig("ode", "libode-dev") }},
}

func peerNames() (names []string) {
	for _, p := range peers {
		names = append(names, p.name)
	}
	return names
}

// build builds this program and the drivers of the named engines. Ours is the first.
func build(dir string, names []string, address string) ([]engine, error) {
	for _, n := range names {
		if !slices.Contains(peerNames(), n) {
			return nil, missing(fmt.Sprintf("-engines: no engine %q: there are %s", n, strings.Join(peerNames(), ", ")))
		}
	}
	cc, err := compiler("CC", "C", "cc", "gcc", "clang")
	if err != nil {
		return nil, err
	}
	cxx, err := compiler("CXX", "C++", "c++", "g++", "clang++")
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(dir, drivers); err != nil {
		return nil, err
	}
	core, ours := pin(), filepath.Join(dir, "ghostcube")
	engines := []engine{{"Ghostcube", func(scene, out string) []string {
		return slices.Concat(core, []string{ours, "hash", "--scene-file", scene, "--dump", out})
	}}}
	for _, p := range peers {
		if !slices.Contains(names, p.name) {
			continue
		}
		flags, err := p.flags(cc, dir, address)
		if err != nil {
			return nil, err
		}
		driver := filepath.Join(dir, p.name)
		args := append([]string{"-std=c++17", "-O2", filepath.Join(dir, "drivers", p.name+".cpp"), "-o", driver}, flags...)
		if err := command("", cxx, args...); err != nil {
			return nil, err
		}
		engines = append(engines, engine{p.title, func(scene, out string) []string { return slices.Concat(core, []string{driver, scene, out}) }})
	}
	return engines, command("", "go", "build", "-tags", "headless", "-o", ours, ".")
}

// compiler returns the compiler that a variable names, or the first that is installed.
func compiler(variable, language string, names ...string) (string, error) {
	if name := os.Getenv(variable); name != "" {
		names = []string{name}
	}
	for _, n := range names {
		if _, err := exec.LookPath(n); err == nil {
			return n, nil
		}
	}
	return "", missing(fmt.Sprintf("no compiler of %s (%s): install one, or name it in %s", language, strings.Join(names, ", "), variable))
}

// pkgConfig returns the flags for a library.
func pkgConfig(name, debian string) ([]string, error) {
	out, err := exec.Command("pkg-config", "--cflags", "--libs", name).Output()
	if err != nil {
		return nil, missing(fmt.Sprintf("%s is not found by pkg-config (Debian: apt install pkg-config %s): install it, or leave it out by -engines", name, debian))
	}
	return strings.Fields(string(out)), nil
}

// compileBox3D fetches and compiles Box3D for the processor of this machine.
func compileBox3D(cc, dir, address string) ([]string, error) {
	source, objects := filepath.Join(dir, "source"), filepath.Join(dir, "objects")
	if err := errors.Join(os.Mkdir(source, 0o777), os.Mkdir(objects, 0o777)); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"init", "-q"}, {"fetch", "-q", "--depth", "1", address, box3dCommit}, {"checkout", "-q", "FETCH_HEAD"}} {
		if err := command(source, "git", args...); err != nil {
			why, _, _ := strings.Cut(err.Error(), "\n")
			return nil, missing("Box3D cannot be fetched: " + why + ": name a copy by -box3d, or leave it out by -engines")
		}
	}
	include := "-I" + filepath.Join(source, "include")
	files, err := filepath.Glob(filepath.Join(source, "src", "*.c"))
	if err != nil {
		return nil, err
	}
	args := append([]string{"-std=gnu17", "-O3", "-march=native", "-DNDEBUG", include, "-c"}, files...)
	if err := command(objects, cc, args...); err != nil {
		return nil, err
	}
	compiled, err := filepath.Glob(filepath.Join(objects, "*.o"))
	return append(append([]string{include}, compiled...), "-lm", "-lpthread"), err
}

// command runs a program in a folder, or in this one. An error has the end of its output.
func command(dir, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GIT_TERMINAL_PROMPT=0")
	out, err := c.CombinedOutput()
	if err != nil {
		said := strings.TrimSpace(string(out))
		return fmt.Errorf("%s %s: %w: %s", name, args[0], err, said[max(0, len(said)-1000):])
	}
	return nil
}

// pin returns the command that keeps a program on the last core, or nothing where there is none.
func pin() []string {
	core := []string{"taskset", "-c", strconv.Itoa(runtime.NumCPU() - 1)}
	if exec.Command(core[0], append(core[1:], "true")...).Run() != nil {
		return nil
	}
	return core
}
