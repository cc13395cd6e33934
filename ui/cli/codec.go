package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"ghostcube/net/delta"
)

type codecCommand struct {
	Data        string `help:"A recording of 901 cubes, as export writes it: every frame relative to the one six before, at every level." placeholder:"FILE"`
	Loss        string `help:"With --data: of packets and, as often, of their acknowledgements, 0% to 90%. A frame is then relative to the newest that is known to have arrived." default:"0%" placeholder:"0%"`
	Quaternions string `help:"Pairs of rotations, one in a line, plain or as .gz: largest,a,b,c now and six frames before, 9 bits a component." placeholder:"FILE"`
}

// Run measures what a snapshot, or a rotation, costs.
func (c *codecCommand) Run(p *program) error {
	switch {
	case (c.Data == "") == (c.Quaternions == ""):
		return usageError{errors.New("codec: want one of --data FILE and --quaternions FILE")}
	case c.Data == "" && c.Loss != "0%":
		return usageError{errors.New("--loss goes with --data")}
	case c.Data == "":
		return p.measurePairs(c.Quaternions)
	}
	loss, err := strconv.ParseFloat(strings.TrimSuffix(c.Loss, "%"), 64)
	if err != nil || !(loss >= 0 && loss <= 90) {
		return usageError{fmt.Errorf("--loss=%s: want 0%% to 90%%", c.Loss)}
	}
	return p.measureRecording(c.Data, loss/100)
}

// baselineDistance is how many frames it takes until a frame is known to have arrived: a
// round trip of 100 ms. So many are not counted at the beginning.
const baselineDistance = 6

// levelResult is what a level comes to.
type levelResult struct {
	level                delta.Level
	writer               *delta.Writer
	reader               *delta.Reader
	totalBytes, maxBytes int
}

// codecRun is a recording, measured.
type codecRun struct {
	levels                     []levelResult
	snapshotCount              int
	changedCubes, touchedCubes int // cubes, in the frames that count

	loss        float64                // chance of a packet, and of an acknowledgement
	acked       [baselineDistance]bool // which of the last frames will be known to have arrived
	lostPackets int                    // packets of the frames that count
}

// measureRecording sends a recording through a writer and a reader of each level.
func (p *program) measureRecording(name string, loss float64) error {
	f, err := os.Open(name)
	if err != nil {
		return usageError{fmt.Errorf("--data: %w", err)}
	}
	defer f.Close()
	size := 0
	if info, err := f.Stat(); err == nil {
		size = int(min(info.Size()/snapshotBytes, 1<<30))
	}
	bar := p.newProgress("codec", size)
	r := &codecRun{loss: loss}
	for _, l := range delta.Levels() {
		r.levels = append(r.levels, levelResult{level: l, writer: delta.NewWriter(l), reader: delta.NewReader(l, challengeCubes)})
	}
	err = r.read(bufio.NewReaderSize(f, 1<<20), bar.set)
	bar.finish()
	if err != nil {
		return usageError{fmt.Errorf("--data=%s: %w", name, err)}
	}
	return r.print(p.Stdout, name)
}

// snapshotBytes is a frame of the challenge.
const snapshotBytes = challengeCubes * delta.FileBytesPerCube

// read reads a recording to its end.
func (r *codecRun) read(in io.Reader, progress func(int)) error {
	raw := make([]byte, snapshotBytes)
	now := make([]delta.Cube, challengeCubes)
	before := make([][]delta.Cube, baselineDistance)
	packet := make([]byte, delta.MaxPacketBytes(challengeCubes))
	for {
		n, err := io.ReadFull(in, raw)
		switch {
		case errors.Is(err, io.EOF) && r.snapshotCount > baselineDistance:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("it ends after frame %d: want %d or more, of %d bytes each", r.snapshotCount, baselineDistance+1, snapshotBytes)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("it ends in frame %d, byte %d: want frames of %d bytes, %d cubes of eight numbers of 32 bits", r.snapshotCount, r.snapshotCount*snapshotBytes+n, snapshotBytes, challengeCubes)
		case err != nil:
			return err
		}
		for i := range now {
			if now[i], err = delta.ParseCube(raw[i*delta.FileBytesPerCube:]); err != nil {
				return fmt.Errorf("frame %d, cube %d: %w", r.snapshotCount, i, err)
			}
		}
		fate := rand.New(rand.NewPCG(1, uint64(r.snapshotCount))) // the same at every level
		arrives := fate.Float64() >= r.loss
		if err := r.sendSnapshot(now, packet, arrives); err != nil {
			return err
		}
		r.acked[r.snapshotCount%baselineDistance] = arrives && fate.Float64() >= r.loss
		if !arrives && r.snapshotCount >= baselineDistance {
			r.lostPackets++
		}
		old := &before[r.snapshotCount%baselineDistance]
		if r.snapshotCount >= baselineDistance {
			r.countChanges(now, *old)
		}
		*old = append((*old)[:0], now...)
		r.snapshotCount++
		progress(r.snapshotCount)
	}
}

// sendSnapshot sends one frame at every level, and says if it arrives and does not come
// out the same.
func (r *codecRun) sendSnapshot(now []delta.Cube, packet []byte, arrives bool) error {
	for i := range r.levels {
		l := &r.levels[i]
		if r.acked[r.snapshotCount%baselineDistance] {
			l.writer.Acknowledge(uint16(r.snapshotCount - baselineDistance))
		}
		b, _, err := l.writer.Write(packet, now)
		if err != nil {
			return fmt.Errorf("frame %d at level %v: %w", r.snapshotCount, l.level, err)
		}
		if r.snapshotCount >= baselineDistance {
			l.totalBytes += len(b) - delta.HeaderBytes
			l.maxBytes = max(l.maxBytes, len(b)-delta.HeaderBytes)
		}
		if !arrives {
			continue
		}
		got, _, err := l.reader.Read(b)
		if err != nil {
			return fmt.Errorf("frame %d at level %v: %w", r.snapshotCount, l.level, err)
		}
		if !slices.Equal(got, now) {
			return fmt.Errorf("frame %d at level %v is not read as it was written", r.snapshotCount, l.level)
		}
	}
	return nil
}

// countChanges counts the cubes that are other than six frames before.
func (r *codecRun) countChanges(now, before []delta.Cube) {
	for i := range now {
		if now[i] != before[i] {
			r.changedCubes++
		}
		if now[i].Touched {
			r.touchedCubes++
		}
	}
}

// print prints what was measured. Two steps of the article's ladder are about
// velocities, and a recording has none.
func (r *codecRun) print(out io.Writer, name string) error {
	n := float64(r.snapshotCount - baselineDistance)
	changed := float64(r.changedCubes) / n
	base := fmt.Sprintf("the frame %d before", baselineDistance)
	lost := ""
	if r.loss > 0 {
		base = fmt.Sprintf("the newest that is known to have arrived, %d before or older", baselineDistance)
		lost = fmt.Sprintf(" but the %d that were lost", r.lostPackets)
	}
	fmt.Fprintf(out, "%s: %d frames of %d cubes; %d packets, each relative to %s, all read as they were written%s\n", name, r.snapshotCount, challengeCubes, r.snapshotCount-baselineDistance, base, lost)
	fmt.Fprintf(out, "other than %d frames before: %.1f cubes in the mean frame; touched by the player: %.1f\n\n", baselineDistance, changed, float64(r.touchedCubes)/n)
	t := newTextTable(out)
	t.row("LEVEL", "BYTES A FRAME", "LARGEST", "KBIT/S AT 60", "BYTES A CHANGED CUBE", "WHAT IT DOES")
	mean := func(l delta.Level) float64 { return float64(r.levels[l].totalBytes) / n }
	for i := range r.levels {
		l := &r.levels[i]
		each := "-"
		if r.changedCubes > 0 {
			each = fixed(mean(l.level)/changed, 2)
		}
		t.row(l.level.String(), fixed(mean(l.level), 2), fmt.Sprint(l.maxBytes), fixed(mean(l.level)*8*challengeRate/1000, 2), each, l.level.Doc())
		if l.level == delta.SmallestThree {
			for _, none := range []string{"bounded-velocity", "at-rest"} {
				t.row(none, "-", "-", "-", "-", "nothing here: the layout has no velocities")
			}
		}
	}
	if err := t.close(); err != nil {
		return err
	}
	best := delta.Raw
	for _, l := range delta.Levels() {
		if l < delta.Arithmetic && mean(l) < mean(best) {
			best = l
		}
	}
	fmt.Fprintf(out, "\nWithout the %d bytes of a packet's head, as in the challenge. Fiedler's reference program takes 531.95 bytes a frame on his recording.\n", delta.HeaderBytes)
	if mean(best) > 0 {
		fmt.Fprintf(out, "The best of those in bits is %v; arithmetic takes %.1f %% less.\n", best, 100-100*mean(delta.Arithmetic)/mean(best))
	}
	return nil
}
