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

// pilot says what velocity the cube shall have at a tick, in m/s along the
// ground.
type pilot func(tick int, b *sim.Body) (x, y float32)

// corners are the way points of the katamari tape, one a second.
var corners = [8][2]float32{{7, 0}, {5, 5}, {0, 7}, {-5, 5}, {-7, 0}, {-5, -5}, {0, -7}, {5, -5}}

// toward returns the velocity to a place, at most so many m/s.
func toward(b *sim.Body, x, y, most float32) (float32, float32) {
	away := geom.Vec3{X: x - b.Pose.Pos.X, Y: y - b.Pose.Pos.Y}
	if l := away.Len(); l > most {
		away = away.Scale(most / l)
	}
	return away.X, away.Y
}

const patience = 6 // ticks for which a key is held at least

func main() {
	write("idle", "nobody touches the keys: what a strategy costs and shows at rest", "zen", 600, 0,
		func(int, *sim.Body) (x, y float32) { return 0, 0 })
	write("start-stop", "a second of push, a second and a half of nothing, to and fro: overshoot and settling", "plain", 3600, 0,
		func(tick int, b *sim.Body) (x, y float32) {
			if tick < 60 || (tick-60)%150 >= 60 {
				return 0, 0
			}
			if (tick-60)/150%2 == 0 {
				return 4, 0
			}
			return -4, 0
		})
	write("circle", "round and round at three metres a second, from rest: the usual tape for comparing", "zen", 3660, 0,
		func(tick int, b *sim.Body) (x, y float32) {
			if tick < 60 {
				return 0, 0
			}
			const radius, speed, middle = 2.25, 3.0, -0.75
			angle := float32(tick-60)/60*speed/radius + geom.HalfPi
			want := geom.Vec3{X: radius * geom.Cos(angle), Y: radius*geom.Sin(angle) + middle}
			away := want.Sub(b.Pose.Pos)
			return -speed*geom.Sin(angle) + 1.5*away.X, speed*geom.Cos(angle) + 1.5*away.Y
		})
	write("push", "into the pyramid, back, and into it again: contacts with many cubes", "zen", 1800, 0,
		func(tick int, b *sim.Body) (x, y float32) {
			if tick < 60 {
				return 0, 0
			}
			if (tick-60)/180%2 == 0 {
				return toward(b, 0, 7, 4)
			}
			return toward(b, 0, -2, 4)
		})
	write("katamari", "round the grid, gathering cubes: the ball that the articles show", "katamari", 1800, sim.Pull,
		func(tick int, b *sim.Body) (x, y float32) {
			if tick < 90 {
				return 0, 0
			}
			c := corners[(tick-90)/60%len(corners)]
			return toward(b, c[0], c[1], 8)
		})
	write("two-players", "two players push through the pile between them, and fight over the large cube", "two-players", 1800, 0,
		func(tick int, b *sim.Body) (x, y float32) {
			switch {
			case tick < 60:
				return 0, 0
			case tick < 420:
				return toward(b, 5, 2, 5)
			}
			return toward(b, 1, -4, 5)
		},
		func(tick int, b *sim.Body) (x, y float32) {
			switch {
			case tick < 120:
				return 0, 0
			case tick < 480:
				return toward(b, -5, 2, 5)
			}
			return toward(b, -1, -4, 5)
		})
}

// write writes one tape: the keys that an autopilot for each player presses,
// with some held besides.
func write(name, doc, scene string, ticks int, held sim.Buttons, fly ...pilot) {
	s, err := sim.SceneNamed(scene)
	if err != nil {
		log.Fatal(err)
	}
	w := sim.New(s, 60)
	t := &lab.Tape{Config: lab.Config{Scene: scene, Rate: 60}, Open: []string{"rewind"}}
	t.Config.Weather.Seed = 1
	if err := t.Config.Weather.Parse("latency=75ms"); err != nil {
		log.Fatal(err)
	}
	in := make([]sim.Input, s.Players)
	for tick := range ticks {
		for p := range in {
			if tick%patience != 0 {
				continue
			}
			b := &w.Bodies()[p]
			x, y := fly[p](tick, b)
			in[p] = sim.Input{}
			const slack = 0.7 // m/s
			if x != 0 || y != 0 {
				in[p].Buttons = held | pick(x-b.Linear.X, slack, sim.Left, sim.Right) | pick(y-b.Linear.Y, slack, sim.Back, sim.Forward)
			}
		}
		w.Step(in...)
		t.Entries = append(t.Entries, lab.Entry{Inputs: slices.Clone(in)})
	}
	var out bytes.Buffer
	if err := t.Write(&out); err != nil {
		log.Fatal(err)
	}
	head, rest, _ := bytes.Cut(out.Bytes(), []byte("\n"))
	text := append(append(append([]byte{}, head...), "\n# "+doc+"\n"...), rest...)
	if err := os.WriteFile(filepath.Join("tapes", name+".tape"), text, 0o666); err != nil {
		log.Fatal(err)
	}
}

func pick(want, slack float32, minus, plus sim.Buttons) sim.Buttons {
	switch {
	case want > slack:
		return plus
	case want < -slack:
		return minus
	}
	return 0
}
