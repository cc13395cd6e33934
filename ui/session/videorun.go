package session

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/render/video"
	"ghostcube/ui/recorder"
)

// videoRun is a video that another copy of the program writes, because this one has a single thread. The other one knows
// nothing of the session, so it gets a tape from its start, and makes all ticks up to the span of the video first.
type videoRun struct {
	platform *Platform
	config   lab.Config
	panes    []string // when the session started
	version  string

	tape bytes.Buffer
	args []string
	file string
}

// videoTape is the name of the tape in the other copy.
const videoTape = "session.tape"

// prepare makes the tape and the arguments of a recording that ends now.
func (r *videoRun) prepare(v *Videos, f video.Format, title string, noOverlay bool) {
	w := tape.NewWriter(&r.tape, r.version, r.config, r.panes)
	start := v.lab.Ticks() // of the recording
	for i := range int(start) {
		e := v.take.Entry(i)
		kept := withoutDisplay(*e)
		for _, c := range e.Commands {
			if c.Verb == "show" && c.Name == "player" { // the graphs of another player's screen begin then
				kept.Commands = append(slices.Clip(kept.Commands), c)
			}
		}
		w.Add(kept)
	}
	for i, e := range v.entries {
		if i == 0 {
			commands := withoutDisplay(lab.Entry{Commands: v.applied}).Commands
			for _, d := range v.lab.Display() {
				commands = append(commands, lab.Command{Verb: "show", Pane: lab.AllPanes, Name: d.Name, Value: d.Value})
			}
			e.Commands = slices.Concat(commands, e.Commands)
		}
		w.Add(e)
	}
	_ = w.Close() // a buffer takes all
	r.file = f.File
	r.args = []string{
		"record", "--tape", videoTape, "--from", strconv.FormatFloat((float64(start)+0.5)/float64(r.config.Rate), 'g', -1, 64),
		"--size", strconv.Itoa(f.W) + "x" + strconv.Itoa(f.H), "--fps", strconv.Itoa(f.FPS),
		"--footer=", "--output", filepath.Base(f.File),
	}
	if title != "" {
		r.args = append(r.args, "--heading="+recorder.Heading{Title: title, Best: v.session.Best()}.String())
	}
	if noOverlay {
		r.args = append(r.args, "--no-hud")
	}
}

// write has the video written, and writes it into its file, whose name it returns.
func (r *videoRun) write(progress func(share float64)) (string, error) {
	_, b, err := r.platform.Run(r.args, map[string][]byte{videoTape: r.tape.Bytes()}, filepath.Base(r.file), progress)
	if err != nil {
		return r.file, err
	}
	return writeUnnamed(r.file, b)
}
