package main

import (
	"bytes"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/predict"
	"ghostcube/predict/lab/labtest"
	"ghostcube/predict/lab/tape"
	"ghostcube/sim"
	"ghostcube/sim/geom"
	"ghostcube/sim/scene"
)

// TestTapesAreUpToDate checks that the built-in tapes are those that this program writes, to
// the byte.
func TestTapesAreUpToDate(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(assets.Tapes, "tapes/*.tape")
	if err != nil || len(files) != len(tapes) {
		t.Errorf("%d tapes in the folder, %d are made", len(files), len(tapes))
	}
	for i := range tapes {
		if experiment.Brief() && i%4 != 0 { // a quarter of them
			continue
		}
		made, err := tapes[i].record()
		if err != nil {
			t.Fatalf("%s: %v", tapes[i].name, err)
		}
		have, err := fs.ReadFile(assets.Tapes, "tapes/"+tapes[i].name+".tape")
		if err != nil || !bytes.Equal(made, have) {
			t.Errorf("%s is out of date: go generate ./assets", tapes[i].name)
		}
		if len(have) > 6144 {
			t.Errorf("%s has %d bytes", tapes[i].name, len(have))
		}
	}
}

// loadTape returns a built-in tape.
func loadTape(t *testing.T, name string) *tape.Tape {
	t.Helper()
	text, err := fs.ReadFile(assets.Tapes, "tapes/"+name+".tape")
	if err != nil {
		t.Fatal(err)
	}
	read, err := tape.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// stepTape steps a world through a tape whose input arrives a number of ticks late, as at a
// server, and calls see before the first tick and after each one.
func stepTape(t *testing.T, name string, late int, see func(w *predict.World, in []sim.Input)) {
	t.Helper()
	tape := loadTape(t, name)
	sc, err := scene.Named(tape.Config.Scene)
	if err != nil {
		t.Fatal(err)
	}
	w := predict.NewWorld(sc, tape.Config.Rate)
	see(w, nil)
	for range late {
		w.Step()
	}
	for _, e := range tape.Entries {
		w.Step(e.Inputs...)
		see(w, e.Inputs)
	}
}

// inputDelays are the delays of the input in ticks at which claims are checked.
func inputDelays() []int {
	if experiment.Brief() {
		return []int{11}
	}
	return []int{0, 5, 11}
}

// TestTapesBeginAtRest checks that all bodies sleep at the first input, so its tick of arrival
// does not matter. Exceptions are the katamari tape, which is older than the rule, and bodies
// on a turntable or a moving ship, which do not sleep.
func TestTapesBeginAtRest(t *testing.T) {
	for i := range tapes {
		name := tapes[i].name
		if name == "katamari" {
			continue
		}
		tape := loadTape(t, name)
		sc, err := scene.Named(tape.Config.Scene)
		if err != nil {
			t.Fatal(err)
		}
		w := predict.NewWorld(sc, tape.Config.Rate)
		pressed := func(in sim.Input) bool { return in.Buttons != 0 }
		for _, e := range tape.Entries {
			if slices.ContainsFunc(e.Inputs, pressed) {
				break
			}
			w.Step(e.Inputs...)
		}
		for k, b := range w.Bodies() {
			rides := len(sc.Carriers) > 0 && (k >= sc.Players || name == "jump-off" || strings.HasPrefix(name, "boarding")) && b.Pose.Pos.Z > 0.3
			if !b.Asleep && !rides {
				t.Errorf("%s: body %d is awake at the first input", name, k)
			}
		}
	}
}

// countMoved counts the bodies from index first on that are farther than some metres from where they started.
func countMoved(w *predict.World, first int, metres float32) (n int) {
	for i := first; i < len(w.Bodies()); i++ {
		if w.Bodies()[i].Pose.Pos.Sub(w.Scene().Boxes[i].Start.Pose.Pos).Len() > metres {
			n++
		}
	}
	return n
}

// clearance returns the height of the lowest corner of a player's cube, in metres.
func clearance(b *sim.Body) float32 {
	const half = 0.75
	m := b.Pose.Rot.Mat()
	low := b.Pose.Pos.Z
	for i := range 3 {
		low -= half * float32(math.Abs(float64(m.Col(i).Z)))
	}
	return low
}

// TestShots checks that the shots tape fires 97 times in five directions, that the first
// player rests, and that the other crosses every direction repeatedly and fast, and is behind
// the pile at times, for all delays of the input.
func TestShots(t *testing.T) {
	for _, late := range inputDelays() {
		fired, hit, hidden, fast, moved := 0, map[uint16]int{}, 0, float32(0), float32(0)
		stepTape(t, "shots", late, func(w *predict.World, in []sim.Input) {
			if in == nil {
				return
			}
			b := w.Bodies()
			fast = max(fast, b[1].Linear.Len())
			moved = max(moved, b[0].Pose.Pos.Sub(w.Scene().Boxes[0].Start.Pose.Pos).Len())
			poses := predict.AppendPoses(nil, b)
			meets := func(along geom.Vec3) int {
				return w.Scene().CastRay(b[0].Pose.Pos, along, 30, poses, 0, 0, rate).Body
			}
			if s := in[0].Shot; s.Fired {
				fired++
				if meets(s.Direction()) == 1 {
					hit[s.Yaw]++
				}
			}
			if meets(b[1].Pose.Pos.Sub(b[0].Pose.Pos).Unit()) > 2 {
				hidden++
			}
		})
		n := 0
		for _, h := range hit {
			n += h
		}
		labtest.Report(t, fired != 97 || len(hit) != 5 || n < 20 || fast < 9 || hidden < 30 || moved > 0.02,
			"%d ticks late: %d shots, %d hits %v, at up to %v m/s, hidden for %d ticks",
			late, fired, n, hit, fast, hidden)
	}
}

// TestFirefight checks that the first player fires 74 times while it pushes boxes, and that shots meet the other player,
// for all delays of the input.
func TestFirefight(t *testing.T) {
	for _, late := range inputDelays() {
		fired, hit, pushed := 0, 0, 0
		stepTape(t, "firefight", late, func(w *predict.World, in []sim.Input) {
			if in == nil {
				return
			}
			b := w.Bodies()
			pushed = max(pushed, countMoved(w, 3, 0.5))
			if s := in[0].Shot; s.Fired {
				fired++
				if w.Scene().CastRay(b[0].Pose.Pos, s.Direction(), 30, predict.AppendPoses(nil, b), 0, 0, rate).Body == 1 {
					hit++
				}
			}
		})
		labtest.Report(t, fired != 74 || hit < 15 || pushed < 20, "%d ticks late: %d shots, %d hits, %d boxes moved", late, fired, hit, pushed)
	}
}
