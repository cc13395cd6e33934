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
	"ghostcube/sim"
	"ghostcube/sim/geom"
)

func main() {
	for i := range tapes {
		text, err := tapes[i].write()
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join("tapes", tapes[i].name+".tape"), text, 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// tape is how an example tape is made.
type tape struct {
	name, doc, scene string
	ticks            int     // at 60 a second
	dark             int     // the tick from which all packets are lost for five seconds; 0: none
	steered          bool    // by one key and the heading, as with a stick; else by four keys
	pilots           []pilot // for each player
	shots            gunner  // of the first player; nil: it fires none
	yaw              string  // degrees that the camera is turned by; empty: none
}

// gunner says what the first player fires at a tick.
type gunner func(tick int) sim.Shot

// pilot says what velocity its cube shall have at a tick, in m/s along the
// ground, and which keys are held besides. At a velocity of 0 the cube is left
// to itself; it is not braked.
type pilot func(tick int, w []sim.Body) (x, y float32, held sim.Buttons)

const (
	rate     = 60
	patience = 6   // ticks for which a direction is held at least
	slack    = 0.7 // m/s; a smaller difference is left alone
)

// write returns the tape as text: the keys that its autopilots press.
func (t *tape) write() ([]byte, error) {
	s, err := sim.SceneNamed(t.scene)
	if err != nil {
		return nil, err
	}
	w := sim.New(s, rate)
	made := &lab.Tape{Config: lab.Config{Scene: t.scene, Rate: rate}, Open: []string{"rewind"}}
	made.Config.Network.Seed = 1
	if err := made.Config.Network.Parse("latency=75ms"); err != nil {
		return nil, err
	}
	in := make([]sim.Input, s.Players)
	along := make([]sim.Input, s.Players) // the part that is held for a while
	for tick := range t.ticks {
		for p := range in {
			b := &w.Bodies()[p]
			x, y, held := t.pilots[p](tick, w.Bodies())
			if tick%patience == 0 {
				along[p] = sim.Input{}
				if x != 0 || y != 0 {
					along[p] = t.drive(x-b.Linear.X, y-b.Linear.Y)
				}
			}
			in[p] = along[p]
			in[p].Buttons |= held
		}
		if t.shots != nil {
			in[0].Shot = t.shots(tick)
		}
		w.Step(in...)
		e := lab.Entry{Inputs: slices.Clone(in)}
		if t.dark > 0 && tick == t.dark {
			e.Commands = []lab.Command{{Verb: "burst", Pane: lab.All, Value: "5s"}}
		}
		if t.yaw != "" && tick == 0 {
			e.Commands = []lab.Command{{Verb: "show", Pane: lab.All, Name: "yaw", Value: t.yaw}}
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

// drive returns the keys that change a velocity by so many m/s.
func (t *tape) drive(x, y float32) sim.Input {
	if !t.steered {
		return sim.Input{Buttons: pick(x, sim.Left, sim.Right) | pick(y, sim.Back, sim.Forward)}
	}
	if (geom.Vec3{X: x, Y: y}).Len() < slack {
		return sim.Input{}
	}
	turn := geom.Atan2(-x, y) / geom.TwoPi // counter-clockwise from +y
	return sim.Input{Buttons: sim.Forward, Heading: uint8(int(float32(turn*sim.Headings) + sim.Headings + 0.5))}
}

func pick(want float32, minus, plus sim.Buttons) sim.Buttons {
	switch {
	case want > slack:
		return plus
	case want < -slack:
		return minus
	}
	return 0
}
