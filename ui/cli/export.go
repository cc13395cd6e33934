package cli

import (
	"bufio"
	"fmt"
	"os"

	"ghostcube/net/delta"
	"ghostcube/sim"
	"ghostcube/ui/plan"
)

type exportCommand struct {
	Output string  `arg:"" help:"The file to write." placeholder:"FILE"`
	Tape   string  `help:"The tape: a file, or a name (see list tapes). Of it the scene and the keys count." placeholder:"FILE|NAME" required:""`
	Layout string  `help:"delta-data: that of Fiedler's public compression challenge." default:"delta-data" placeholder:"delta-data"`
	Ticks  string  `help:"How many frames, from 1 on; 2837 unless said, as in the challenge." placeholder:"N"`
	From   float64 `help:"Seconds of the tape that pass before the first frame." placeholder:"S"`
}

// What a file of the challenge holds.
const (
	challengeCubes     = 901
	challengeSnapshots = 2837
	challengeRate      = 60 // a second
	challengeHalfWidth = 32 // metres to each side, by the asserts of its program
	challengeHeight    = 16
)

// Run writes what the server of a tape's session would see.
func (c *exportCommand) Run(p *program) error {
	if err := checkChoice("layout", c.Layout, "delta-data"); err != nil {
		return err
	}
	frames := challengeSnapshots
	var err error
	if c.Ticks != "" {
		if frames, err = intFlag("ticks", c.Ticks, 1, plan.MaxSeconds*challengeRate); err != nil {
			return usageError{err}
		}
	}
	t, err := p.library.LoadTape(c.Tape)
	if err != nil {
		return usageError{fmt.Errorf("--tape: %w", err)}
	}
	scene, err := sim.SceneNamed(t.Config.Scene)
	if err != nil {
		return usageError{fmt.Errorf("--tape: %w", err)}
	}
	lead := int(c.From * challengeRate)
	switch n := len(t.Entries); {
	case len(scene.Boxes) != challengeCubes:
		return usageError{fmt.Errorf("--tape=%s: its scene %s has %d moving boxes: --layout=delta-data has %d, as the scene katamari", c.Tape, t.Config.Scene, len(scene.Boxes), challengeCubes)}
	case t.Config.Rate != challengeRate:
		return usageError{fmt.Errorf("--tape=%s: it has %d ticks a second: --layout=delta-data has %d", c.Tape, t.Config.Rate, challengeRate)}
	case !(c.From >= 0) || c.From > plan.MaxSeconds || lead+frames > n:
		return usageError{fmt.Errorf("--from=%v: %d frames end in tick %d: want what ends in the tape's %d ticks", c.From, frames, lead+frames, n)}
	}
	w := sim.New(scene, t.Config.Rate)
	bar := p.newProgress("export", lead+frames)
	defer bar.finish()
	if err := writeFile(c.Output, func(f *os.File) error {
		out := bufio.NewWriterSize(f, 1<<16)
		var b []byte
		for i, e := range t.Entries[:lead+frames] {
			w.Step(e.Inputs...)
			bar.set(i + 1)
			if i < lead {
				continue
			}
			if b, err = appendSnapshot(b[:0], w); err != nil {
				return usageError{fmt.Errorf("--tape=%s: tick %d: %w", c.Tape, i+1, err)}
			}
			if _, err := out.Write(b); err != nil {
				return err
			}
		}
		return out.Flush()
	}); err != nil {
		return err
	}
	bar.finish()
	fmt.Fprintf(p.Stdout, "%s: %d frames of %d cubes, %d bytes\n", c.Output, frames, challengeCubes, frames*challengeCubes*delta.FileBytesPerCube)
	return nil
}

// appendSnapshot appends how a world looks as a frame of the challenge.
func appendSnapshot(b []byte, w *sim.World) ([]byte, error) {
	touched := w.TouchedBy()
	for i, body := range w.Bodies() {
		q := body.Pose.Pos
		if max(q.X, -q.X, q.Y, -q.Y) >= challengeHalfWidth || q.Z >= challengeHeight {
			return nil, fmt.Errorf("cube %d is at (%v, %v, %v): want it within %d m of the middle and lower than %d m", i, q.X, q.Y, q.Z, challengeHalfWidth, challengeHeight)
		}
		k := delta.QuantiseCube(body.Pose, touched[i] != sim.NoPlayer)
		b = k.AppendTo(b)
	}
	return b, nil
}
