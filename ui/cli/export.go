//go:build !js || headless

package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"ghostcube/internal/atomicfile"
	"ghostcube/net/delta"
	"ghostcube/predict"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/sim/scene"
	"ghostcube/ui/plan"
)

type exportCommand struct {
	Output string  `arg:"" help:"File to write." placeholder:"FILE"`
	Tape   string  `help:"Tape that gives scene and input, by name or file (see list tapes)." placeholder:"NAME|FILE" required:""`
	Layout string  `help:"File format: delta-data is that of Fiedler's public compression challenge." default:"delta-data" placeholder:"delta-data"`
	Ticks  string  `help:"Number of snapshots; the default is 2837, as in the challenge." placeholder:"N"`
	From   float64 `help:"Seconds of the tape to run before the first snapshot." placeholder:"S"`
}

// Help returns the detailed help.
func (c *exportCommand) Help() string {
	return `
The recording has one snapshot per tick of 901 cubes: position, rotation, and whether the player
touches the cube.

Example:
  ghostcube export --tape katamari-ball --from 5 ball.bin
  ghostcube codec --data ball.bin
`
}

// Fiedler's data-compression challenge.
const (
	challengeCubes     = 901
	challengeSnapshots = 2837
	challengeRate      = 60 // snapshots per second
	challengeHalfWidth = 32 // half the side of the area, m, by the asserts of its program
	challengeHeight    = 16 // m
)

// Run writes the snapshots of a tape's session.
func (c *exportCommand) Run(p *program) error {
	if err := checkChoice("layout", c.Layout, "delta-data"); err != nil {
		return err
	}
	count := challengeSnapshots
	var err error
	if c.Ticks != "" {
		if count, err = intFlag("ticks", c.Ticks, 1, plan.MaxSeconds*challengeRate); err != nil {
			return usageError{err}
		}
	}
	lead := int(c.From * challengeRate)
	t, sc, err := c.loadTape(p, lead, count)
	if err != nil {
		return usageError{err}
	}
	w := predict.NewWorld(sc, t.Config.Rate)
	bar := p.newProgress("export", lead+count)
	defer bar.finish()
	if err := p.checkOutput("FILE", c.Output); err != nil {
		return err
	}
	file, err := atomicfile.Create(c.Output)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal()
	defer stop()
	written := 0 // snapshots
	if err := file.Fill(func(f io.Writer) error {
		out := bufio.NewWriterSize(f, snapshotBytes) // so that what a killed program leaves ends with a whole one
		var b []byte
		for i, e := range t.Entries[:lead+count] {
			if ctx.Err() != nil {
				break
			}
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
			written++
		}
		return out.Flush()
	}); err != nil {
		return err
	}
	bar.finish()
	if written == 0 {
		return errors.Join(errInterrupted, file.Discard())
	}
	if err := atomicfile.Commit(file); err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: %d snapshots of %d cubes, %d bytes\n", c.Output, written, challengeCubes, written*snapshotBytes)
	if written < count {
		return fmt.Errorf("interrupted: %s has the first %d of %d snapshots", c.Output, written, count)
	}
	return nil
}

// loadTape reads the tape and its scene, and checks that they have the count snapshots after the first lead ticks.
func (c *exportCommand) loadTape(p *program, lead, count int) (*tape.Tape, sim.Scene, error) {
	t, err := p.library.LoadTape(c.Tape)
	if err != nil {
		return nil, sim.Scene{}, fmt.Errorf("--tape: %w", err)
	}
	sc, err := scene.Named(t.Config.Scene)
	if err != nil {
		return nil, sim.Scene{}, fmt.Errorf("--tape: %w", err)
	}
	switch n := len(t.Entries); {
	case len(sc.Boxes) != challengeCubes:
		err = fmt.Errorf("--tape=%s: its scene %s has %d dynamic boxes: --layout=delta-data needs %d, as in the scene katamari",
			c.Tape, t.Config.Scene, len(sc.Boxes), challengeCubes)
	case t.Config.Rate != challengeRate:
		err = fmt.Errorf("--tape=%s: it has %d ticks per second: --layout=delta-data needs %d", c.Tape, t.Config.Rate, challengeRate)
	case !(c.From >= 0) || c.From > plan.MaxSeconds || lead+count > n:
		err = fmt.Errorf("--from=%v: %d snapshots from there end at tick %d, but the tape has %d ticks", c.From, count, lead+count, n)
	}
	return t, sc, err
}

// appendSnapshot appends the bodies of a world as a snapshot of the challenge.
func appendSnapshot(b []byte, w *predict.World) ([]byte, error) {
	touched := w.TouchedBy()
	for i, body := range w.Bodies() {
		q := body.Pose.Pos
		if max(q.X, -q.X, q.Y, -q.Y) >= challengeHalfWidth || q.Z >= challengeHeight {
			return nil, fmt.Errorf("cube %d is at (%v, %v, %v): want it within %d m of the middle and below %d m", i, q.X, q.Y, q.Z, challengeHalfWidth, challengeHeight)
		}
		k := delta.QuantiseCube(body.Pose, touched[i] != sim.NoPlayer)
		b = k.AppendTo(b)
	}
	return b, nil
}
