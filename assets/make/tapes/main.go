// Tapes writes the example tapes. A tape must drive its cube along a path for a
// minute although a rolling cube is chaotic, so the keys are found by an
// autopilot that rolls a cube in a world of its own; the tape holds only the
// keys.
package main

import (
	"bytes"
	"log"
	"os"
	"path/filepath"
	"slices"

	"ghostcube/predict/lab"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/sim/geom"
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

// tapeSpec is how an example tape is made.
type tapeSpec struct {
	name, doc, scene string
	ticks            int         // at 60 a second
	rest             int         // ticks before the autopilots begin
	blackoutTick     int         // the tick from which all packets are lost for five seconds; 0: none
	useHeading       bool        // by one key and the heading, as with a stick; else by four keys
	autopilots       []autopilot // for each player
	shooter          shooter     // of the first player; nil: it fires none
	cameraYaw        string      // degrees that the camera is turned by; empty: none
}

// shooter says what the first player fires at a tick.
type shooter func(tick int) sim.Shot

// autopilot says what velocity its cube shall have at a tick, in m/s along the
// ground, and which keys are held besides. At a velocity of 0 the cube is left
// to itself; it is not braked.
type autopilot func(tick int, w []sim.Body) (x, y float32, held sim.Buttons)

const (
	rate              = 60
	minHoldTicks      = 6   // ticks for which a direction is held at least
	velocityTolerance = 0.7 // m/s; a smaller difference is left alone
)

// record returns the tape as text: the keys that its autopilots press.
func (t *tapeSpec) record() ([]byte, error) {
	s, err := sim.SceneNamed(t.scene)
	if err != nil {
		return nil, err
	}
	w := sim.New(s, rate)
	made := &tape.Tape{Config: lab.Config{Scene: t.scene, Rate: rate}, Panes: []string{"rewind"}}
	made.Config.Network.Seed = 1
	if err := made.Config.Network.Parse("latency=75ms"); err != nil {
		return nil, err
	}
	in := make([]sim.Input, s.Players)
	along := make([]sim.Input, s.Players) // the part that is held for a while
	for tick := range t.ticks {
		for p := range in {
			b := &w.Bodies()[p]
			var x, y float32
			var held sim.Buttons
			if tick >= t.rest {
				x, y, held = t.autopilots[p](tick-t.rest, w.Bodies())
			}
			if tick%minHoldTicks == 0 {
				along[p] = sim.Input{}
				if x != 0 || y != 0 {
					along[p] = t.steer(x-b.Linear.X, y-b.Linear.Y)
				}
			}
			in[p] = along[p]
			in[p].Buttons |= held
		}
		if t.shooter != nil {
			in[0].Shot = t.shooter(tick)
		}
		w.Step(in...)
		e := lab.Entry{Inputs: slices.Clone(in)}
		if t.blackoutTick > 0 && tick == t.blackoutTick {
			e.Commands = []lab.Command{{Verb: "blackout", Pane: lab.AllPanes, Value: "5s"}}
		}
		if t.cameraYaw != "" && tick == 0 {
			e.Commands = []lab.Command{{Verb: "show", Pane: lab.AllPanes, Name: "yaw", Value: t.cameraYaw}}
		}
		made.Entries = append(made.Entries, e)
	}
	var out bytes.Buffer
	if err := made.Write(&out); err != nil {
		return nil, err
	}
	head, rest, _ := bytes.Cut(out.Bytes(), []byte("\n"))
	return slices.Concat(head, []byte("\n# "+t.doc+"\n"), rest), nil
}

// steer returns the keys that change a velocity by so many m/s.
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
