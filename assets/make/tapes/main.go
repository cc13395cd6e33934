// Tapes writes the built-in tapes. A tape must roll its cube along a path for a minute, but a
// rolling cube is chaotic. So an autopilot steers a cube in a world of its own, and the tape
// records the autopilot's input.
package main

import (
	"bytes"
	"log"
	"os"
	"path/filepath"
	"slices"

	"ghostcube/predict"
	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

func main() {
	for i := range tapes {
		text, err := tapes[i].record()
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("tapes", tapes[i].name+".tape"), text, 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// tapeSpec describes a built-in tape.
type tapeSpec struct {
	name, doc, spec string
	ticks           int         // at 60 per second
	rest            int         // ticks before the autopilots start
	blackoutTick    int         // start of a blackout of five seconds; 0: none
	useHeading      bool        // steer by one button and the heading, as with a stick, not by four buttons
	autopilots      []autopilot // by player
	shooter         shooter     // of the first player; nil: no shots
	cameraYaw       string      // degrees; empty: the default
}

// shooter returns the shot of the first player at a tick.
type shooter func(tick int, w []sim.Body) sim.Shot

// autopilot returns the velocity that its cube should have, in m/s along the ground, and
// further buttons. tick counts from the end of the rest. At a velocity of 0 the cube rolls
// freely; it does not brake.
type autopilot func(tick int, w []sim.Body) (x, y float32, buttons sim.Buttons)

const (
	rate              = 60
	minHoldTicks      = 6   // shortest time between changes of direction
	velocityTolerance = 0.7 // m/s; smaller differences are not corrected
)

// record returns the text of the tape.
func (t *tapeSpec) record() ([]byte, error) {
	s, err := scene.Named(t.spec)
	if err != nil {
		return nil, err
	}
	w := predict.NewWorld(s, rate)
	recording := &tape.Tape{Config: lab.Config{Scene: t.spec, Rate: rate}, Panes: []string{lab.DefaultSpec}}
	recording.Config.Network.Seed = 1
	if err := recording.Config.Network.Parse("latency=75ms"); err != nil {
		return nil, err
	}
	in := make([]sim.Input, s.Players)
	directions := make([]sim.Input, s.Players) // change every minHoldTicks
	for tick := range t.ticks {
		for p := range in {
			b := &w.Bodies()[p]
			var x, y float32
			var buttons sim.Buttons
			if tick >= t.rest {
				x, y, buttons = t.autopilots[p](tick-t.rest, w.Bodies())
			}
			if tick%minHoldTicks == 0 {
				directions[p] = sim.Input{}
				if x != 0 || y != 0 {
					directions[p] = t.steer(x-b.Linear.X, y-b.Linear.Y)
				}
			}
			in[p] = directions[p]
			in[p].Buttons |= buttons
		}
		if t.shooter != nil {
			in[0].Shot = t.shooter(tick, w.Bodies())
		}
		w.Step(in...)
		e := lab.Entry{Inputs: slices.Clone(in)}
		if t.blackoutTick > 0 && tick == t.blackoutTick {
			e.Commands = []lab.Command{{Verb: "blackout", Pane: lab.AllPanes, Value: "5s"}}
		}
		if t.cameraYaw != "" && tick == 0 {
			e.Commands = []lab.Command{{Verb: "show", Pane: lab.AllPanes, Name: "yaw", Value: t.cameraYaw}}
		}
		recording.Entries = append(recording.Entries, e)
	}
	var out bytes.Buffer
	if err := recording.Write(&out); err != nil {
		return nil, err
	}
	head, rest, _ := bytes.Cut(out.Bytes(), []byte("\n"))
	return slices.Concat(head, []byte("\n# "+t.doc+"\n"), rest), nil
}

// steer returns the input that changes a velocity by x and y, in m/s.
func (t *tapeSpec) steer(x, y float32) sim.Input {
	if !t.useHeading {
		return sim.Input{Buttons: keyFor(x, sim.Left, sim.Right) | keyFor(y, sim.Back, sim.Forward)}
	}
	if (geom.Vec3{X: x, Y: y}).Len() < velocityTolerance {
		return sim.Input{}
	}
	turn := geom.Atan2(-x, y) / geom.TwoPi // counter-clockwise from +y
	return sim.Input{Buttons: sim.Forward, Heading: uint8(int(float32(turn*sim.HeadingSteps) + sim.HeadingSteps + 0.5))}
}

func keyFor(want float32, minus, plus sim.Buttons) sim.Buttons {
	switch {
	case want > velocityTolerance:
		return plus
	case want < -velocityTolerance:
		return minus
	}
	return 0
}
