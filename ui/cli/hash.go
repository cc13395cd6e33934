package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"ghostcube/predict/lab"
	"ghostcube/sim"
)

type hashCommand struct {
	Scene     string `help:"Where it takes place (see list scenes); zen unless said." placeholder:"NAME"`
	Ticks     string `help:"How many; 600 unless said." placeholder:"N"`
	Rate      string `help:"Ticks per second, 10 to 240; 60 unless said." placeholder:"60"`
	Tape      string `help:"A tape whose keys are held: a file, or a name; circle unless said. Of the tape nothing else counts." placeholder:"FILE|NAME"`
	Verify    string `help:"Step again what a file of hashes says and name the first tick and body that differ." placeholder:"FILE"`
	SceneFile string `help:"A scene file in the form that other engines are measured on, instead of a scene's name." placeholder:"FILE"`
	Dump      string `help:"With --scene-file: write the bodies of every 60th tick here, and one step time in ms a line into the same name with .ms." placeholder:"FILE"`
}

// hashFileHeader is the first line of a file of hashes. After the head of such a file
// comes a line a tick:
//
//	tick  hash of the bodies  hash of the contacts  body:hash ...
//
// with those bodies whose own hash has changed since the tick before.
const hashFileHeader = "ghostcube hashes 1"

// Run prints hashes, or verifies them.
func (c *hashCommand) Run(p *program) error {
	if c.SceneFile != "" {
		if c.Scene != "" || c.Verify != "" || c.Tape != "" || c.Rate != "" {
			return usageError{fmt.Errorf("--scene-file: a scene file says all of it; --dump and --ticks may go beside it")}
		}
		return p.hashSceneFile(c)
	}
	if c.Dump != "" {
		return usageError{fmt.Errorf("--dump goes with --scene-file")}
	}
	if c.Verify != "" {
		if c.Scene != "" || c.Ticks != "" || c.Rate != "" || c.Tape != "" {
			return usageError{fmt.Errorf("--verify: the file says scene, ticks, rate and tape")}
		}
		return p.verifyHashes(c.Verify)
	}
	or := func(s, otherwise string) string {
		if s == "" {
			return otherwise
		}
		return s
	}
	run, err := p.newHashRun(or(c.Scene, "zen"), or(c.Rate, "60"), or(c.Ticks, "600"), or(c.Tape, "circle"))
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

// hashRun is a world that is stepped to be compared.
type hashRun struct {
	world      *sim.World
	ticks      int
	tape       string
	entries    []lab.Entry
	bodyHashes []uint32 // hash of each body in the tick before
}

// newHashRun makes ready what four words say.
func (p *program) newHashRun(scene, rate, ticks, tape string) (*hashRun, error) {
	s, err := sim.SceneNamed(scene)
	if err != nil {
		return nil, fmt.Errorf("--scene: %w", err)
	}
	hz, err := intFlag("rate", rate, lab.MinRate, lab.MaxRate)
	if err != nil {
		return nil, err
	}
	const most = 10_000_000
	n, err := intFlag("ticks", ticks, 1, most)
	if err != nil {
		return nil, err
	}
	t, err := p.library.LoadTape(tape)
	if err != nil {
		return nil, fmt.Errorf("--tape: %w", err)
	}
	w := sim.New(s, hz)
	return &hashRun{world: w, ticks: n, tape: tape, entries: t.Entries, bodyHashes: make([]uint32, len(w.Bodies()))}, nil
}

// step makes one tick, with the tape's keys while it lasts.
func (h *hashRun) step() {
	var in []sim.Input
	if t := int(h.world.Tick()); t < len(h.entries) {
		in = h.entries[t].Inputs
	}
	h.world.Step(in...)
}

// line is what a file says of the tick that was stepped last.
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

// verifyHashes steps again what a file of hashes says.
func (p *program) verifyHashes(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return usageError{err}
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	line := 0
	bad := func(format string, args ...any) error {
		return usageError{fmt.Errorf("%s, line %d: %s", name, line, fmt.Sprintf(format, args...))}
	}
	next := func() bool { line++; return in.Scan() }
	if !next() || in.Text() != hashFileHeader {
		return bad("this is no file of hashes: it does not begin with %q", hashFileHeader)
	}
	head := map[string]string{}
	for {
		if !next() {
			return bad("it ends before its hashes")
		}
		if in.Text() == "---" {
			break
		}
		key, value, ok := strings.Cut(in.Text(), " ")
		if !ok || !slices.Contains([]string{"scene", "rate", "ticks", "tape"}, key) {
			return bad("%q: want scene, rate, ticks or tape and its value", in.Text())
		}
		head[key] = value
	}
	h, err := p.newHashRun(head["scene"], head["rate"], head["ticks"], head["tape"])
	if err != nil {
		return bad("%v", err)
	}
	for range h.ticks {
		h.step()
		ours := h.line()
		if !next() {
			return bad("it ends before tick %d of %d", h.world.Tick(), h.ticks)
		}
		if theirs := in.Text(); theirs != ours {
			return fmt.Errorf("%s: %s", name, describeDifference(theirs, ours))
		}
	}
	fmt.Fprintf(p.Stdout, "%s: %d ticks of %s are the same here\n", name, h.ticks, h.world.Scene().Name)
	return nil
}

// describeDifference says how two lines of hashes differ.
func describeDifference(theirs, ours string) string {
	a, b := strings.Fields(theirs), strings.Fields(ours)
	if len(a) < 3 || a[0] != b[0] {
		return fmt.Sprintf("the line of tick %s says %q", b[0], theirs)
	}
	bodies := func(f []string) map[string]string {
		m := map[string]string{}
		for _, x := range f[3:] {
			id, hash, _ := strings.Cut(x, ":")
			m[id] = hash
		}
		return m
	}
	of, mine := bodies(a), bodies(b)
	first := -1
	count := 0
	see := func(id string) {
		if of[id] == mine[id] {
			return
		}
		count++
		if n, err := strconv.Atoi(id); err == nil && (first < 0 || n < first) {
			first = n
		}
	}
	for id := range of {
		see(id)
	}
	for id := range mine {
		if _, both := of[id]; !both {
			see(id)
		}
	}
	if first >= 0 {
		return fmt.Sprintf("tick %s differs: body %d first, %s in all", b[0], first, plural(count, "body"))
	}
	if a[1] != b[1] {
		return fmt.Sprintf("tick %s differs in its bodies, and the file does not say which", b[0])
	}
	return fmt.Sprintf("tick %s differs in its contacts: the bodies are the same", b[0])
}

// hashSceneFile steps a scene file as the harness of the other engines does.
func (p *program) hashSceneFile(c *hashCommand) error {
	f, err := os.Open(c.SceneFile)
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
	var dump, times io.WriteCloser = discard{}, discard{}
	if c.Dump != "" {
		if dump, err = os.Create(c.Dump); err != nil {
			return usageError{err}
		}
		if times, err = os.Create(c.Dump + ".ms"); err != nil {
			return usageError{err}
		}
	}
	r, err := p.measureScene(s, n, dump, times)
	for _, w := range []io.Closer{dump, times} {
		if e := w.Close(); err == nil {
			err = e
		}
	}
	if err == nil {
		fmt.Fprintln(p.Stdout, r)
	}
	return err
}

// discard is a file that keeps nothing.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }
