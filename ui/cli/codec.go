//go:build !js || headless

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
	"ghostcube/ui/plan"
)

type codecCommand struct {
	Data        string `help:"Recording of 901 cubes, as export writes it." placeholder:"FILE"`
	Loss        string `help:"With --data: loss of packets, and of acknowledgements, 0% to 90%." default:"0%" placeholder:"0%"`
	Indices     bool   `help:"With --data: also the encodings of which cubes have changed. Alone: those of random objects out of 4000."`
	Quaternions string `help:"Pairs of rotations, one per line, as text or gzip: largest,a,b,c now and six snapshots before." placeholder:"FILE"`
}

// Help returns the detailed help.
func (c *codecCommand) Help() string {
	return `
With --data every snapshot is encoded at every level of compression, relative to the snapshot
six before or, with --loss, to the newest one that is acknowledged, decoded and compared.

With --indices the indices of the cubes that have changed are encoded by every scheme of the
articles; without --data they are random.

With --quaternions every rotation is encoded by every scheme, relative to its baseline. Its
components have 9 bits.
`
}

// Run measures the size of snapshots or rotations.
func (c *codecCommand) Run(p *program) error {
	switch {
	case c.Indices && c.Data == "" && c.Quaternions == "" && c.Loss == "0%":
		return p.printIndexExample()
	case c.Indices && c.Data == "":
		return usageError{errors.New("--indices: want it with --data, or alone")}
	case (c.Data == "") == (c.Quaternions == ""):
		return usageError{errors.New("codec: want either --data FILE or --quaternions FILE, or --indices")}
	case c.Data == "" && c.Loss != "0%":
		return usageError{errors.New("--loss needs --data")}
	case c.Data == "":
		return p.measurePairs(c.Quaternions)
	}
	loss, err := strconv.ParseFloat(strings.TrimSuffix(c.Loss, "%"), 64)
	if err != nil || !(loss >= 0 && loss <= 90) {
		return usageError{fmt.Errorf("--loss=%s: want 0%% to 90%%", c.Loss)}
	}
	return p.measureRecording(c.Data, loss/100, c.Indices)
}

// baselineDistance is the number of snapshots until one is acknowledged: a round trip of
// 100 ms. The same number at the beginning is not counted.
const baselineDistance = 6

// levelResult is the result of a level.
type levelResult struct {
	level                delta.Level
	writer               *delta.Writer
	reader               *delta.Reader
	totalBytes, maxBytes int
}

// codecRun measures a recording.
type codecRun struct {
	levels                     []levelResult
	snapshotCount              int
	changedCubes, touchedCubes int          // sums over the counted snapshots
	indices                    *indexTotals // of the changed cubes; nil: not wanted
	changed                    []int        // indices of the changed cubes of a snapshot

	loss        float64                // probability, of a packet and of an acknowledgement
	acked       [baselineDistance]bool // which of the last snapshots will be acknowledged
	lostPackets int                    // packets of the counted snapshots
}

// measureRecording sends a recording through a writer and a reader at each level.
func (p *program) measureRecording(name string, loss float64, indices bool) error {
	f, err := plan.OpenFile(name, maxSnapshots*snapshotBytes)
	if err != nil {
		return usageError{fmt.Errorf("--data: %w", err)}
	}
	defer f.Close()
	size := 0
	if info, err := os.Stat(name); err == nil {
		size = int(info.Size() / snapshotBytes)
	}
	bar := p.newProgress("codec", size)
	r := &codecRun{loss: loss}
	if indices {
		r.indices = &indexTotals{}
	}
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

// maxSnapshots is the largest number of snapshots in a recording: an hour at 60 per second.
const maxSnapshots = 3600 * 60

// snapshotBytes is the size of a snapshot of the challenge.
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
			return fmt.Errorf("it ends after snapshot %d: want at least %d, of %d bytes each", r.snapshotCount, baselineDistance+1, snapshotBytes)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("it ends in snapshot %d, byte %d: want snapshots of %d bytes, which are %d cubes of eight 32-bit numbers",
				r.snapshotCount, r.snapshotCount*snapshotBytes+n, snapshotBytes, challengeCubes)
		case err != nil:
			return err
		}
		for i := range now {
			if now[i], err = delta.ParseCube(raw[i*delta.FileBytesPerCube:]); err != nil {
				return fmt.Errorf("snapshot %d, cube %d: %w", r.snapshotCount, i, err)
			}
		}
		outcome := rand.New(rand.NewPCG(1, uint64(r.snapshotCount))) // equal at every level
		arrives := outcome.Float64() >= r.loss
		if err := r.sendSnapshot(now, packet, arrives); err != nil {
			return err
		}
		r.acked[r.snapshotCount%baselineDistance] = arrives && outcome.Float64() >= r.loss
		if !arrives && r.snapshotCount >= baselineDistance {
			r.lostPackets++
		}
		old := &before[r.snapshotCount%baselineDistance]
		if r.snapshotCount >= baselineDistance {
			if err := r.countChanges(now, *old); err != nil {
				return err
			}
		}
		*old = append((*old)[:0], now...)
		r.snapshotCount++
		progress(r.snapshotCount)
	}
}

// sendSnapshot sends a snapshot at every level. It is an error if the snapshot arrives and is
// decoded differently.
func (r *codecRun) sendSnapshot(now []delta.Cube, packet []byte, arrives bool) error {
	for i := range r.levels {
		l := &r.levels[i]
		if r.acked[r.snapshotCount%baselineDistance] {
			l.writer.Acknowledge(uint16(r.snapshotCount - baselineDistance))
		}
		b, _, err := l.writer.Write(packet, now)
		if err != nil {
			return fmt.Errorf("snapshot %d at level %v: %w", r.snapshotCount, l.level, err)
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
			return fmt.Errorf("snapshot %d at level %v: %w", r.snapshotCount, l.level, err)
		}
		if !slices.Equal(got, now) {
			return fmt.Errorf("snapshot %d at level %v: decoded differently from the original", r.snapshotCount, l.level)
		}
	}
	return nil
}

// countChanges counts the cubes that differ from six snapshots before, and the bits that say which.
func (r *codecRun) countChanges(now, before []delta.Cube) error {
	r.changed = r.changed[:0]
	for i := range now {
		if now[i] != before[i] {
			r.changed = append(r.changed, i)
		}
		if now[i].Touched {
			r.touchedCubes++
		}
	}
	r.changedCubes += len(r.changed)
	if r.indices == nil {
		return nil
	}
	return r.indices.add(r.changed, len(now))
}

// print prints the results. Two levels of the article concern velocities, which a recording
// lacks.
func (r *codecRun) print(out io.Writer, name string) error {
	n := float64(r.snapshotCount - baselineDistance)
	changed := float64(r.changedCubes) / n
	baseline := fmt.Sprintf("the one %d before", baselineDistance)
	lost := ""
	if r.loss > 0 {
		baseline = fmt.Sprintf("the newest acknowledged one, %d before or older", baselineDistance)
		lost = fmt.Sprintf(", except %d lost ones", r.lostPackets)
	}
	fmt.Fprintf(out, "%s: %d snapshots of %d cubes; %d packets, each relative to %s, all decoded correctly%s\n",
		name, r.snapshotCount, challengeCubes, r.snapshotCount-baselineDistance, baseline, lost)
	fmt.Fprintf(out, "per snapshot: %.1f cubes differ from %d snapshots before, %.1f are touched by the player\n\n",
		changed, baselineDistance, float64(r.touchedCubes)/n)
	t := newTextTable(out)
	t.row("LEVEL", "BYTES/SNAPSHOT", "MAX BYTES", "KBIT/S AT 60 HZ", "BYTES/CHANGED CUBE", "DESCRIPTION")
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
				t.row(none, "-", "-", "-", "-", "no effect: the recording has no velocities")
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
	fmt.Fprintf(out, "\nSizes exclude the packet header of %d bytes, as in the challenge. "+
		"Fiedler's reference program takes 531.95 bytes per snapshot on his recording.\n", delta.HeaderBytes)
	if mean(best) > 0 {
		fmt.Fprintf(out, "The best level without entropy coding is %v; arithmetic takes %.1f %% less.\n", best, 100-100*mean(delta.Arithmetic)/mean(best))
	}
	if r.indices != nil {
		return r.indices.print(out, r.snapshotCount-baselineDistance, r.changedCubes)
	}
	return nil
}
