//go:build !js || headless

package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ghostcube/sim"
	"ghostcube/sim/geom"
)

// sceneFile is a scene of the benchmark that compares rigid-body engines: constants, bodies,
// and the waypoints of an autopilot that gives the player's input.
type sceneFile struct {
	scene       sim.Scene
	rate        int
	ticks       int
	waypoints   []waypoint
	playerIndex int // index of the player's body in the file, or -1
}

// waypoint is the target of the autopilot from a tick on.
type waypoint struct {
	tick       int
	x, y       float32
	push, pull bool
}

// readSceneFile reads a scene file. Each line is a keyword and numbers.
func readSceneFile(r io.Reader) (*sceneFile, error) {
	s := &sceneFile{playerIndex: -1}
	numbers := map[string]float64{}
	asleep := []bool{}
	in := bufio.NewScanner(r)
	lines := 0
	for n := 1; in.Scan(); n++ {
		lines = n
		f := strings.Fields(in.Text())
		if len(f) == 0 {
			continue
		}
		bad := func(want string) error { return fmt.Errorf("line %d: %q: want %s", n, in.Text(), want) }
		if f[0] == "name" {
			if len(f) != 2 {
				return nil, bad("name and one word")
			}
			s.scene.Name = f[1]
			continue
		}
		var v []float64
		for _, x := range f[1:] {
			y, err := strconv.ParseFloat(x, 32)
			if err != nil || math.IsNaN(y) || math.IsInf(y, 0) {
				return nil, bad(f[0] + " and finite numbers")
			}
			v = append(v, y)
		}
		switch f[0] {
		case "body":
			if len(v) != 10 || !(v[0] > 0) {
				return nil, bad("body, half the side, position (x y z), rotation (w x y z), asleep, player")
			}
			if v[9] != 0 {
				if s.playerIndex >= 0 {
					return nil, bad("at most one player")
				}
				s.playerIndex = len(s.scene.Boxes)
			}
			s.scene.Boxes = append(s.scene.Boxes, makeCube(v))
			asleep = append(asleep, v[8] != 0)
		case "way":
			if len(v) != 5 {
				return nil, bad("way, tick, x, y, lift, pull")
			}
			s.waypoints = append(s.waypoints, waypoint{int(v[0]), float32(v[1]), float32(v[2]), v[3] != 0, v[4] != 0})
		case "gravity", "dt", "ticks", "friction", "restitution", "density", "lindamp", "angdamp", "maxlin", "maxang", "sleepvel", "sleep":
			if len(v) != 1 {
				return nil, bad(f[0] + " and one number")
			}
			numbers[f[0]] = v[0]
		default:
			return nil, bad("body, way, name or the name of a constant")
		}
	}
	if err := scanError(in, lines, bufio.MaxScanTokenSize); err != nil {
		return nil, err
	}
	return s, s.applyConstants(numbers, asleep)
}

// makeCube returns the cube with half a side, a position and a rotation, the first eight numbers of its line.
func makeCube(v []float64) sim.Box {
	h := float32(v[0])
	return sim.Box{
		Half: geom.Vec3{X: h, Y: h, Z: h},
		Start: sim.Body{Pose: geom.Pose{
			Pos: geom.Vec3{X: float32(v[1]), Y: float32(v[2]), Z: float32(v[3])},
			Rot: geom.Quat{W: float32(v[4]), X: float32(v[5]), Y: float32(v[6]), Z: float32(v[7])},
		}},
	}
}

// applyConstants checks the constants and sets them in the scene.
func (s *sceneFile) applyConstants(v map[string]float64, asleep []bool) error {
	for _, name := range []string{"gravity", "dt", "ticks", "friction", "density", "lindamp", "maxlin", "maxang"} {
		if _, ok := v[name]; !ok {
			return fmt.Errorf("%s is missing", name)
		}
	}
	if n := len(s.scene.Boxes); n == 0 || n > 60000 {
		return fmt.Errorf("%d bodies: want 1 to 60000", n)
	}
	if v["dt"] < 10 || v["dt"] > 1000 || v["ticks"] < 1 || v["ticks"] > 1e6 {
		return fmt.Errorf("dt %g, ticks %g: want 10 to 1000 ticks per second, and 1 to 1000000 ticks", v["dt"], v["ticks"])
	}
	if v["restitution"] != 0 || v["angdamp"] != v["lindamp"] {
		return fmt.Errorf("restitution %g, angdamp %g: want restitution 0, and angdamp equal to lindamp", v["restitution"], v["angdamp"])
	}
	s.rate, s.ticks = int(v["dt"]), int(v["ticks"])
	c := &s.scene
	c.Gravity, c.Damping = -float32(v["gravity"]), float32(v["lindamp"])
	c.MaxLinearSpeed, c.MaxAngularSpeed = float32(v["maxlin"]), float32(v["maxang"])
	c.HalfWidth, c.Height, c.NoSleep = 256, 32, v["sleep"] == 0
	for i := range c.Boxes {
		c.Boxes[i].Density, c.Boxes[i].Friction = float32(v["density"]), float32(v["friction"])
		c.Boxes[i].Start.Asleep = asleep[i]
	}
	if s.playerIndex >= 0 { // players are the first bodies of a world
		c.Players = 1
		p := c.Boxes[s.playerIndex]
		c.Boxes = slices.Insert(slices.Delete(c.Boxes, s.playerIndex, s.playerIndex+1), 0, p)
	}
	return nil
}

// bodyIndex returns the index in the world of body i of the file.
func (s *sceneFile) bodyIndex(i int) int {
	switch {
	case i == s.playerIndex:
		return 0
	case i < s.playerIndex:
		return i + 1
	}
	return i
}

// steer returns the input that leads to the present waypoint.
func (s *sceneFile) steer(w *sim.World) (in sim.Input) {
	var to *waypoint
	for i := range s.waypoints {
		if s.waypoints[i].tick <= int(w.Tick()) {
			to = &s.waypoints[i]
		}
	}
	if to == nil || s.playerIndex < 0 {
		return in
	}
	at := w.Bodies()[0].Pose.Pos
	press := func(distance float32, minus, plus sim.Buttons) {
		if distance > 0.5 {
			in.Buttons |= plus
		} else if distance < -0.5 {
			in.Buttons |= minus
		}
	}
	press(to.x-at.X, sim.Left, sim.Right)
	press(to.y-at.Y, sim.Back, sim.Forward)
	if to.push {
		in.Buttons |= sim.Lift
	}
	if to.pull {
		in.Buttons |= sim.Pull
	}
	return in
}

// measureScene steps the scene, writes the bodies of every 60th tick and the time of every
// step, and returns a summary as a line of JSON.
func (p *program) measureScene(ctx context.Context, s *sceneFile, ticks int, dump, times io.Writer) (string, error) {
	w := sim.New(s.scene, s.rate)
	out, ms := bufio.NewWriter(dump), bufio.NewWriter(times)
	took := make([]float64, 0, ticks)
	awake, maxAwake := 0, 0
	bar := p.newProgress("hash", ticks)
	defer bar.finish()
	for t := 1; t <= ticks; t++ {
		if ctx.Err() != nil {
			if ticks = t - 1; ticks == 0 {
				return "", errInterrupted
			}
			break
		}
		in := s.steer(w)
		start := p.Now()
		w.Step(in)
		took = append(took, (p.Now()-start).Seconds()*1000)
		fmt.Fprintf(ms, "%.6f\n", took[t-1])
		n := 0
		for _, b := range w.Bodies() {
			if !b.Asleep {
				n++
			}
		}
		awake, maxAwake = awake+n, max(maxAwake, n)
		bar.set(t)
		if t%60 == 0 || t == ticks {
			s.writeBodies(out, w, t)
			if err := errors.Join(out.Flush(), ms.Flush()); err != nil { // whole lines, in case that the program is killed
				return "", err
			}
		}
	}
	sorted := slices.Clone(took)
	slices.Sort(sorted)
	mean := func(v []float64) (sum float64) {
		for _, x := range v {
			sum += x
		}
		return sum / float64(len(v))
	}
	at := func(share float64) float64 { return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))] }
	line, err := json.Marshal(map[string]any{
		"engine": "ghostcube", "scene": s.scene.Name, "ticks": ticks,
		"mean": round3(mean(took)), "p50": round3(at(0.5)), "p99": round3(at(0.99)), "max": round3(at(1)),
		"last120": round3(mean(took[max(0, len(took)-120):])),
		"awake":   awake / ticks, "maxawake": maxAwake, "contacts": w.ContactPointCount(), "hash": fmt.Sprintf("%016x", s.hashPoses(w)),
	})
	return string(line), errors.Join(err, out.Flush(), ms.Flush())
}

// writeBodies writes a line with the state of every body, in the order of the file.
func (s *sceneFile) writeBodies(out io.Writer, w *sim.World, tick int) {
	for i := range w.Bodies() {
		b := &w.Bodies()[s.bodyIndex(i)]
		q, r := b.Pose.Pos, b.Pose.Rot
		fmt.Fprintf(out, "%d %d %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", tick, i,
			q.X, q.Y, q.Z, r.W, r.X, r.Y, r.Z, b.Linear.X, b.Linear.Y, b.Linear.Z, b.Angular.X, b.Angular.Y, b.Angular.Z)
	}
}

// hashPoses returns the FNV-1a hash of the positions and rotations, in the order of the file.
func (s *sceneFile) hashPoses(w *sim.World) uint64 {
	h := fnv.New64a()
	for i := range w.Bodies() {
		b := &w.Bodies()[s.bodyIndex(i)].Pose
		for _, f := range [7]float32{b.Pos.X, b.Pos.Y, b.Pos.Z, b.Rot.W, b.Rot.X, b.Rot.Y, b.Rot.Z} {
			u := math.Float32bits(f)
			h.Write([]byte{byte(u), byte(u >> 8), byte(u >> 16), byte(u >> 24)})
		}
	}
	return h.Sum64()
}

func round3(x float64) float64 { return math.Round(x*1000) / 1000 }
