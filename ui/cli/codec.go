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
	"text/tabwriter"

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
		return usage{errors.New("codec: want one of --data FILE and --quaternions FILE")}
	case c.Data == "" && c.Loss != "0%":
		return usage{errors.New("--loss goes with --data")}
	case c.Data == "":
		return p.codePairs(c.Quaternions)
	}
	loss, err := strconv.ParseFloat(strings.TrimSuffix(c.Loss, "%"), 64)
	if err != nil || !(loss >= 0 && loss <= 90) {
		return usage{fmt.Errorf("--loss=%s: want 0%% to 90%%", c.Loss)}
	}
	return p.codeData(c.Data, loss/100)
}

// baseline is how many frames it takes until a frame is known to have arrived: a
// round trip of 100 ms. So many are not counted at the beginning.
const baseline = 6

// coded is what a level comes to.
type coded struct {
	level       delta.Level
	writer      *delta.Writer
	reader      *delta.Reader
	total, most int
}

// recorded is a recording, measured.
type recorded struct {
	levels           []coded
	frames           int
	changed, touched int // cubes, in the frames that count

	loss  float64        // chance of a packet, and of an acknowledgement
	known [baseline]bool // which of the last frames will be known to have arrived
	lost  int            // packets of the frames that count
}

// codeData sends a recording through a writer and a reader of each level.
func (p *program) codeData(name string, loss float64) error {
	f, err := os.Open(name)
	if err != nil {
		return usage{fmt.Errorf("--data: %w", err)}
	}
	defer f.Close()
	size := 0
	if info, err := f.Stat(); err == nil {
		size = int(min(info.Size()/frameBytes, 1<<30))
	}
	bar := p.newProgress("codec", size)
	r := &recorded{loss: loss}
	for _, l := range delta.Levels() {
		r.levels = append(r.levels, coded{level: l, writer: delta.NewWriter(l), reader: delta.NewReader(l, challengeCubes)})
	}
	err = r.read(bufio.NewReaderSize(f, 1<<20), bar.at)
	bar.done()
	if err != nil {
		return usage{fmt.Errorf("--data=%s: %w", name, err)}
	}
	return r.print(p.Stdout, name)
}

// frameBytes is a frame of the challenge.
const frameBytes = challengeCubes * delta.FileBytes

// read reads a recording to its end.
func (r *recorded) read(in io.Reader, progress func(int)) error {
	raw := make([]byte, frameBytes)
	now := make([]delta.Cube, challengeCubes)
	before := make([][]delta.Cube, baseline)
	packet := make([]byte, delta.PacketBytes(challengeCubes))
	for {
		n, err := io.ReadFull(in, raw)
		switch {
		case errors.Is(err, io.EOF) && r.frames > baseline:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("it ends after frame %d: want %d or more, of %d bytes each", r.frames, baseline+1, frameBytes)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("it ends in frame %d, byte %d: want frames of %d bytes, %d cubes of eight numbers of 32 bits", r.frames, r.frames*frameBytes+n, frameBytes, challengeCubes)
		case err != nil:
			return err
		}
		for i := range now {
			if now[i], err = delta.Parse(raw[i*delta.FileBytes:]); err != nil {
				return fmt.Errorf("frame %d, cube %d: %w", r.frames, i, err)
			}
		}
		fate := rand.New(rand.NewPCG(1, uint64(r.frames))) // the same at every level
		arrives := fate.Float64() >= r.loss
		if err := r.frame(now, packet, arrives); err != nil {
			return err
		}
		r.known[r.frames%baseline] = arrives && fate.Float64() >= r.loss
		if !arrives && r.frames >= baseline {
			r.lost++
		}
		old := &before[r.frames%baseline]
		if r.frames >= baseline {
			r.count(now, *old)
		}
		*old = append((*old)[:0], now...)
		r.frames++
		progress(r.frames)
	}
}

// frame sends one frame at every level, and says if it arrives and does not come
// out the same.
func (r *recorded) frame(now []delta.Cube, packet []byte, arrives bool) error {
	for i := range r.levels {
		l := &r.levels[i]
		if r.known[r.frames%baseline] {
			l.writer.Acked(uint16(r.frames - baseline))
		}
		b, _, err := l.writer.Write(packet, now)
		if err != nil {
			return fmt.Errorf("frame %d at level %v: %w", r.frames, l.level, err)
		}
		if r.frames >= baseline {
			l.total += len(b) - delta.HeadBytes
			l.most = max(l.most, len(b)-delta.HeadBytes)
		}
		if !arrives {
			continue
		}
		got, _, err := l.reader.Read(b)
		if err != nil {
			return fmt.Errorf("frame %d at level %v: %w", r.frames, l.level, err)
		}
		if !slices.Equal(got, now) {
			return fmt.Errorf("frame %d at level %v is not read as it was written", r.frames, l.level)
		}
	}
	return nil
}

// count counts the cubes that are other than six frames before.
func (r *recorded) count(now, before []delta.Cube) {
	for i := range now {
		if now[i] != before[i] {
			r.changed++
		}
		if now[i].Touched {
			r.touched++
		}
	}
}

// print prints what was measured. Two steps of the article's ladder are about
// velocities, and a recording has none.
func (r *recorded) print(out io.Writer, name string) error {
	n := float64(r.frames - baseline)
	changed := float64(r.changed) / n
	base := fmt.Sprintf("the frame %d before", baseline)
	lost := ""
	if r.loss > 0 {
		base = fmt.Sprintf("the newest that is known to have arrived, %d before or older", baseline)
		lost = fmt.Sprintf(" but the %d that were lost", r.lost)
	}
	fmt.Fprintf(out, "%s: %d frames of %d cubes; %d packets, each relative to %s, all read as they were written%s\n", name, r.frames, challengeCubes, r.frames-baseline, base, lost)
	fmt.Fprintf(out, "other than %d frames before: %.1f cubes in the mean frame; touched by the player: %.1f\n\n", baseline, changed, float64(r.touched)/n)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "LEVEL\tBYTES A FRAME\tLARGEST\tKBIT/S AT 60\tBYTES A CHANGED CUBE\tWHAT IT DOES")
	mean := func(l delta.Level) float64 { return float64(r.levels[l].total) / n }
	for i := range r.levels {
		l := &r.levels[i]
		each := "-"
		if r.changed > 0 {
			each = fmt.Sprintf("%.2f", mean(l.level)/changed)
		}
		fmt.Fprintf(w, "%v\t%.2f\t%d\t%.2f\t%s\t%s\n", l.level, mean(l.level), l.most, mean(l.level)*8*challengeRate/1000, each, l.level.Doc())
		if l.level == delta.SmallestThree {
			for _, none := range []string{"bounded-velocity", "at-rest"} {
				fmt.Fprintf(w, "%s\t-\t-\t-\t-\tnothing here: the layout has no velocities\n", none)
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	best := delta.Raw
	for _, l := range delta.Levels() {
		if l < delta.Arithmetic && mean(l) < mean(best) {
			best = l
		}
	}
	fmt.Fprintf(out, "\nWithout the %d bytes of a packet's head, as in the challenge. Fiedler's reference program takes 531.95 bytes a frame on his recording.\n", delta.HeadBytes)
	if mean(best) > 0 {
		fmt.Fprintf(out, "The best of those in bits is %v; arithmetic takes %.1f %% less.\n", best, 100-100*mean(delta.Arithmetic)/mean(best))
	}
	return nil
}
