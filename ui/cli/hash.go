//go:build !js || headless

package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ghostcube/internal/atomicfile"
	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/sim"
	"ghostcube/sim/scene"
	"ghostcube/ui/plan"
)

type hashCommand struct {
	Scene     string `help:"Scene (see list scenes); the default is zen." placeholder:"NAME"`
	Ticks     string `help:"Number of ticks; the default is 600." placeholder:"N"`
	Rate      string `help:"Ticks per second, 10 to 240; the default is 60." placeholder:"60"`
	Tape      string `help:"Tape that gives the input, by name or file; the default is circle." placeholder:"NAME|FILE"`
	Verify    string `help:"Repeat the session of a hash file and name the first tick and body that differ." placeholder:"FILE"`
	SceneFile string `help:"Scene file of the benchmark that compares physics engines, instead of a scene." placeholder:"FILE"`
	Dump      string `help:"With --scene-file: write the bodies of every 60th tick here, and step times to FILE.ms." placeholder:"FILE"`
}

// Help returns the detailed help.
func (c *hashCommand) Help() string {
	return `
The world is stepped without a network. A line of the output is a tick: its number, the hashes
of all bodies and of all contacts, and the hash of every body that changed.

Example, on two machines:
  ghostcube hash --scene katamari > katamari.txt
  ghostcube hash --verify katamari.txt
`
}

// hashFileHeader is the first line of a hash file. After the header of the file there is a
// line per tick,
//
//	tick  hash of the bodies  hash of the contacts  body:hash ...
//
// with the bodies whose hash has changed since the previous tick.
const hashFileHeader = "ghostcube hashes 1"

// Run prints or verifies hashes.
func (c *hashCommand) Run(p *program) error {
	if c.SceneFile != "" {
		if c.Scene != "" || c.Verify != "" || c.Tape != "" || c.Rate != "" {
			return usageError{fmt.Errorf("--scene-file: the file describes the session; only --dump and --ticks may be added")}
		}
		return p.hashSceneFile(c)
	}
	if c.Dump != "" {
		return usageError{fmt.Errorf("--dump needs --scene-file")}
	}
	if c.Verify != "" {
		if c.Scene != "" || c.Ticks != "" || c.Rate != "" || c.Tape != "" {
			return usageError{fmt.Errorf("--verify: the file gives scene, ticks, rate and tape")}
		}
		return p.verifyHashes(c.Verify)
	}
	run, err := p.newHashRun(cmp.Or(c.Scene, "zen"), cmp.Or(c.Rate, "60"), cmp.Or(c.Ticks, "600"), cmp.Or(c.Tape, "circle"))
	if err != nil {
		return usageError{err}
	}
	out := bufio.NewWriter(p.Stdout)
	fmt.Fprintf(out, "%s\nscene %s\nrate %d\nticks %d\ntape %s\n---\n", hashFileHeader, run.world.Scene().Name, run.world.Rate(), run.ticks, run.tape)
	for range run.ticks {
		run.step()
		fmt.Fprintln(out, run.line())
	}
	return out.Flush()
}

// hashRun is a world that is stepped and hashed.
type hashRun struct {
	world      *predict.World
	ticks      int
	tape       string
	entries    []lab.Entry
	bodyHashes []uint32 // of the previous tick, by body
}

// newHashRun returns the run that a hash file or flags describe.
func (p *program) newHashRun(spec, rate, ticks, tape string) (*hashRun, error) {
	s, err := scene.Named(spec)
	if err != nil {
		return nil, fmt.Errorf("--scene: %w", err)
	}
	hz, err := intFlag("rate", rate, lab.MinRate, lab.MaxRate)
	if err != nil {
		return nil, err
	}
	const maxTicks = 10_000_000
	n, err := intFlag("ticks", ticks, 1, maxTicks)
	if err != nil {
		return nil, err
	}
	t, err := p.library.LoadTape(tape)
	if err != nil {
		return nil, fmt.Errorf("--tape: %w", err)
	}
	w := predict.NewWorld(s, hz)
	return &hashRun{world: w, ticks: n, tape: tape, entries: t.Entries, bodyHashes: make([]uint32, len(w.Bodies()))}, nil
}

// step makes a tick, with the tape's input while it lasts.
func (h *hashRun) step() {
	var in []sim.Input
	if t := int(h.world.Tick()); t < len(h.entries) {
		in = h.entries[t].Inputs
	}
	h.world.Step(in...)
}

// line returns the line of the last tick.
func (h *hashRun) line() string {
	bodies, contacts := h.world.Hash()
	b := fmt.Appendf(nil, "%d %016x %016x", h.world.Tick(), bodies, contacts)
	for i := range h.bodyHashes {
		if now := h.world.BodyHash(i); now != h.bodyHashes[i] {
			h.bodyHashes[i] = now
			b = fmt.Appendf(b, " %d:%08x", i, now)
		}
	}
	return string(b)
}

// Bounds of a hash file, in bytes: in a line a thousand bodies take 16 kB.
const (
	maxHashLine = 1 << 20
	maxHashFile = 64 << 30
)

// maxSceneFile bounds a scene file, in bytes.
const maxSceneFile = 16 << 20

// verifyHashes repeats the run of a hash file and compares every tick.
func (p *program) verifyHashes(name string) error {
	f, err := plan.OpenFile(name, maxHashFile)
	if err != nil {
		return usageError{err}
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, maxHashLine)
	line := 0
	bad := func(format string, args ...any) error {
		return usageError{fmt.Errorf("%s, line %d: %s", name, line, fmt.Sprintf(format, args...))}
	}
	next := func() bool { line++; return in.Scan() }
	// ended returns why there is no next line.
	ended := func(format string, args ...any) error {
		if err := scanError(in, line-1, maxHashLine); err != nil {
			return usageError{fmt.Errorf("%s, %w", name, err)}
		}
		return bad(format, args...)
	}
	if !next() || in.Text() != hashFileHeader {
		return bad("not a hash file: the first line is not %q", hashFileHeader)
	}
	head := map[string]string{}
	for {
		if !next() {
			return ended("the file ends before its hashes")
		}
		if in.Text() == "---" {
			break
		}
		key, value, ok := strings.Cut(in.Text(), " ")
		if !ok || !slices.Contains([]string{"scene", "rate", "ticks", "tape"}, key) {
			return bad("%q: want scene, rate, ticks or tape, and a value", in.Text())
		}
		if _, repeated := head[key]; repeated {
			return bad("a second %s", key)
		}
		head[key] = value
	}
	h, err := p.newHashRun(head["scene"], head["rate"], head["ticks"], head["tape"])
	if err != nil {
		return bad("%v", err)
	}
	for range h.ticks {
		h.step()
		here := h.line()
		if !next() {
			return ended("the file ends before tick %d of %d", h.world.Tick(), h.ticks)
		}
		if there := in.Text(); there != here {
			return fmt.Errorf("%s: %s", name, describeDifference(there, here))
		}
	}
	fmt.Fprintf(p.Stdout, "%s: %d ticks of %s match\n", name, h.ticks, h.world.Scene().Name)
	return nil
}

// describeDifference describes how the line of a hash file differs from the line here.
func describeDifference(there, here string) string {
	a, b := strings.Fields(there), strings.Fields(here)
	if len(a) < 3 || a[0] != b[0] {
		return fmt.Sprintf("the line of tick %s is %q", b[0], there)
	}
	bodies := func(f []string) map[string]string {
		m := map[string]string{}
		for _, x := range f[3:] {
			id, hash, _ := strings.Cut(x, ":")
			m[id] = hash
		}
		return m
	}
	bodiesThere, bodiesHere := bodies(a), bodies(b)
	first, count := -1, 0
	all := maps.Clone(bodiesThere)
	maps.Copy(all, bodiesHere)
	for id := range all {
		if bodiesThere[id] == bodiesHere[id] {
			continue
		}
		count++
		if n, err := strconv.Atoi(id); err == nil && (first < 0 || n < first) {
			first = n
		}
	}
	if first >= 0 {
		return fmt.Sprintf("tick %s differs in %s, the first is body %d", b[0], plural(count, "body"), first)
	}
	if a[1] != b[1] {
		return fmt.Sprintf("tick %s differs in bodies that the file does not list", b[0])
	}
	return fmt.Sprintf("tick %s differs in its contacts; the bodies are equal", b[0])
}

// hashSceneFile steps a scene file as the benchmark of the other engines does.
func (p *program) hashSceneFile(c *hashCommand) error {
	f, err := plan.OpenFile(c.SceneFile, maxSceneFile)
	if err != nil {
		return usageError{err}
	}
	defer f.Close()
	s, err := readSceneFile(f)
	if err != nil {
		return usageError{fmt.Errorf("%s: %w", c.SceneFile, err)}
	}
	n := s.ticks
	if c.Ticks != "" {
		if n, err = intFlag("ticks", c.Ticks, 1, s.ticks); err != nil {
			return usageError{err}
		}
	}
	p.library.Files = append(p.library.Files, c.SceneFile)
	var files []*atomicfile.File
	dump, times := io.Discard, io.Discard
	if c.Dump != "" {
		for _, name := range []string{c.Dump, c.Dump + ".ms"} {
			err := p.checkOutput("--dump", name)
			var f *atomicfile.File
			if err == nil {
				f, err = atomicfile.Create(name)
			}
			if err != nil {
				return usageError{errors.Join(err, atomicfile.Discard(files...))}
			}
			files = append(files, f)
		}
		dump, times = files[0], files[1]
	}
	ctx, stop := untilSignal()
	defer stop()
	r, err := p.measureScene(ctx, s, n, dump, times)
	if err != nil {
		return errors.Join(err, atomicfile.Discard(files...))
	}
	if err := atomicfile.Commit(files...); err != nil {
		return err
	}
	fmt.Fprintln(p.Stdout, r)
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: the figures are those of fewer than %d ticks", n)
	}
	return nil
}
