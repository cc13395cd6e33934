package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"ghostcube/assets"
	"ghostcube/internal/experiment"
	"ghostcube/predict"
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
		if len(have) > 4096 {
			t.Errorf("%s has %d bytes", tapes[i].name, len(have))
		}
	}
}

// TestDocsNameTapes checks that docs/tapes.md lists every tape with its scene and length.
func TestDocsNameTapes(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/tapes.md")
	if err != nil {
		t.Fatal(err)
	}
	for i := range tapes {
		x := &tapes[i]
		row := fmt.Sprintf("\n| `%s` | `%s` | %d | ", x.name, x.spec, x.ticks/rate)
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/tapes.md lacks %s", row)
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

// TestStartStop checks that the cube gains speed and then rolls out nearly to rest, 22 times
// or more.
func TestStartStop(t *testing.T) {
	for _, late := range inputDelays() {
		starts, fast := 0, false
		stepTape(t, "start-stop", late, func(w *predict.World, _ []sim.Input) {
			switch v := w.Bodies()[0].Linear.Len(); {
			case v > 3:
				fast = true
			case v < 0.3 && fast:
				fast, starts = false, starts+1
			}
		})
		if starts < 22 {
			t.Errorf("%d ticks late: stopped %d times", late, starts)
		}
	}
}

// winding counts the turns of a path around a point, counter-clockwise.
type winding struct {
	x, y, last, sum float64
}

func (w *winding) add(p geom.Vec3) {
	a := math.Atan2(float64(p.Y)-w.y, float64(p.X)-w.x)
	w.sum += math.Remainder(a-w.last, 2*math.Pi) / (2 * math.Pi)
	w.last = a
}

// TestCircle checks that the cube makes about 13 turns.
func TestCircle(t *testing.T) {
	for _, late := range inputDelays() {
		laps := winding{y: -0.75}
		stepTape(t, "circle", late, func(w *predict.World, _ []sim.Input) { laps.add(w.Bodies()[0].Pose.Pos) })
		t.Logf("%d ticks late: %.1f times round", late, laps.sum)
		if laps.sum < 12.5 {
			t.Errorf("%d ticks late: %.1f times round", late, laps.sum)
		}
	}
}

// TestTurns checks that the cube's velocity turns within half a second by more than 120
// degrees, and by 60 to 120 degrees, a dozen times each.
func TestTurns(t *testing.T) {
	for _, late := range inputDelays() {
		var past []geom.Vec3 // velocities
		back, aside, since := 0, 0, 0
		stepTape(t, "turns", late, func(w *predict.World, _ []sim.Input) {
			v := w.Bodies()[0].Linear
			v.Z = 0
			past = append(past, v)
			if since++; since < 30 || len(past) <= 30 {
				return
			}
			was := past[len(past)-31]
			if v.Len() < 2 || was.Len() < 2 {
				return
			}
			switch cos := v.Dot(was) / (v.Len() * was.Len()); {
			case cos < -0.5:
				back, since = back+1, 0
			case cos < 0.5:
				aside, since = aside+1, 0
			}
		})
		t.Logf("%d ticks late: %d times back, %d times aside", late, back, aside)
		if back < 12 || aside < 12 {
			t.Errorf("%d ticks late: %d times back, %d times aside", late, back, aside)
		}
	}
}

// TestFigureEight checks that the path turns left around one point and right around another,
// and that the heading makes whole turns in both directions.
func TestFigureEight(t *testing.T) {
	for _, late := range inputDelays() {
		east, west := winding{x: 2, y: -0.75}, winding{x: -2, y: -0.75}
		var last uint8
		left, right, changes := 0, 0, 0
		stepTape(t, "figure-eight", late, func(w *predict.World, in []sim.Input) {
			east.add(w.Bodies()[0].Pose.Pos)
			west.add(w.Bodies()[0].Pose.Pos)
			if in == nil || in[0].Buttons == 0 {
				return
			}
			if in[0].Buttons != sim.Forward {
				t.Fatalf("input %v", in[0])
			}
			switch d := int(int8(in[0].Heading - last)); {
			case d > 0:
				left, changes = left+d, changes+1
			case d < 0:
				right, changes = right-d, changes+1
			}
			last = in[0].Heading
		})
		t.Logf("%d ticks late: %.1f and %.1f times round, %d changes of heading, 1/256 turns: %d left, %d right", late, east.sum, west.sum, changes, left, right)
		if east.sum*west.sum > 0 || math.Abs(east.sum) < 4 || math.Abs(west.sum) < 4 {
			t.Errorf("%d ticks late: %.1f and %.1f times round", late, east.sum, west.sum)
		}
		if changes < 150 || left < 4*sim.HeadingSteps || right < 4*sim.HeadingSteps {
			t.Errorf("%d changes of heading, 1/256 turns: %d left, %d right", changes, left, right)
		}
	}
}

// TestJump checks that the cube rises by a third of a metre and lands again, 23 times.
func TestJump(t *testing.T) {
	for _, late := range inputDelays() {
		hops, up := 0, false
		top := float32(0)
		stepTape(t, "jump", late, func(w *predict.World, _ []sim.Input) {
			c := clearance(&w.Bodies()[0])
			top = max(top, c)
			switch {
			case c > 0.33:
				up = true
			case c < 0.02 && up:
				up, hops = false, hops+1
			}
		})
		t.Logf("%d ticks late: %d hops, the highest %.2f m", late, hops, top)
		if hops < 23 {
			t.Errorf("%d ticks late: %d hops", late, hops)
		}
	}
}

// TestPush checks that the player crosses the pile from side to side, and that more than half
// of its cubes move by more than a metre.
func TestPush(t *testing.T) {
	t.Parallel()
	var start []sim.Body
	moved := map[int]bool{}
	crossings, outside, awake, ticks := 0, geom.Vec3{}, 0, 0
	stepTape(t, "push", 5, func(w *predict.World, in []sim.Input) {
		b := w.Bodies()
		if start == nil {
			start = append(start, b...)
		}
		for i := 1; i < len(b); i++ {
			if b[i].Pose.Pos.Sub(start[i].Pose.Pos).Len() > 1 {
				moved[i] = true
			}
			if in != nil && !b[i].Asleep {
				awake++
			}
		}
		ticks++
		// Through is from 3.5 m on one side of the middle to 3.5 on the other.
		at := b[0].Pose.Pos
		at.Z = 0
		if at.Len() > 3.5 {
			if at.Dot(outside) < 0 {
				crossings++
			}
			outside = at
		}
	})
	t.Logf("%d times through, %d cubes of %d moved, %.0f awake", crossings, len(moved), len(start)-1, float64(awake)/float64(ticks))
	if crossings < 5 || len(moved)*2 < len(start) {
		t.Errorf("%d times through, %d cubes moved", crossings, len(moved))
	}
}

// TestOutage checks that the blackout covers all input, and that a dozen cubes or more move by
// more than a metre during it.
func TestOutage(t *testing.T) {
	dark, last := 0, 0
	for i, e := range loadTape(t, "outage").Entries {
		if len(e.Commands) > 0 {
			dark = i
		}
		if len(e.Inputs) > 0 && e.Inputs[0] != (sim.Input{}) {
			if dark == 0 {
				t.Error("there is input before the blackout")
			}
			last = i
		}
	}
	if dark == 0 || last >= dark+5*rate {
		t.Errorf("blackout from %d on, last input at %d", dark, last)
	}
	var start, end []sim.Body
	stepTape(t, "outage", 0, func(w *predict.World, in []sim.Input) {
		if w.Tick() == sim.Tick(dark) {
			start = append(start, w.Bodies()...)
		}
		if w.Tick() == sim.Tick(dark+5*rate) {
			end = append(end, w.Bodies()...)
		}
	})
	far := 0
	for i := 1; i < len(start); i++ {
		if end[i].Pose.Pos.Sub(start[i].Pose.Pos).Len() > 1 {
			far++
		}
	}
	t.Logf("%d cubes moved by more than a metre", far)
	if far < 12 {
		t.Errorf("%d cubes moved by more than a metre", far)
	}
}

// TestTwoPlayers checks that both players cross the pile and push the large cube: alone,
// against each other, and with changes of ownership.
func TestTwoPlayers(t *testing.T) {
	const prize = 2
	for _, late := range inputDelays() {
		var pushes [2]int // ticks at the moving prize, alone
		both, hands, crossed, moved := 0, 0, 0, 0
		owner := int8(sim.NoPlayer)
		var start []sim.Body
		stepTape(t, "two-players", late, func(w *predict.World, _ []sim.Input) {
			b := w.Bodies()
			if start == nil {
				start = append(start, b...)
			}
			if b[0].Pose.Pos.X > 3 && b[1].Pose.Pos.X < -3 {
				crossed = 1
			}
			moved = 0
			for i := prize + 1; i < len(b); i++ {
				if b[i].Pose.Pos.Sub(start[i].Pose.Pos).Len() > 0.5 {
					moved++
				}
			}
			if o := w.Owners()[prize]; o != sim.NoPlayer && o != owner {
				owner, hands = o, hands+1
			}
			const reach = 1.6 // metres between two centres
			p := b[prize].Pose.Pos
			zero, one := p.Sub(b[0].Pose.Pos).Len() < reach, p.Sub(b[1].Pose.Pos).Len() < reach
			switch {
			case b[prize].Linear.Len() < 0.1:
			case zero && one:
				both++
			case zero:
				pushes[0]++
			case one:
				pushes[1]++
			}
		})
		t.Logf("%d ticks late: %v ticks alone, %d together, %d changes of ownership, %d cubes moved", late, pushes, both, hands, moved)
		if crossed == 0 || moved < 30 || hands < 4 || pushes[0] < 60 || pushes[1] < 60 || both < 120 {
			t.Errorf("%d ticks late: crossed %d, %v ticks alone, %d together, %d changes of ownership, %d cubes moved", late, crossed, pushes, both, hands, moved)
		}
	}
}

// TestSamePile checks that both players reach the pile within half a second of each other and
// push it together for five seconds, and that most cubes move.
func TestSamePile(t *testing.T) {
	t.Parallel()
	for _, late := range inputDelays() {
		both, moved, tick := 0, 0, 0
		var start []sim.Body
		first := [2]int{-1, -1}
		stepTape(t, "same-pile", late, func(w *predict.World, _ []sim.Input) {
			b := w.Bodies()
			if start == nil {
				start = append(start, b...)
			}
			var at [2]bool
			moved = 0
			for i := 3; i < len(b); i++ {
				for p := range at {
					at[p] = at[p] || b[i].Pose.Pos.Sub(b[p].Pose.Pos).Len() < 1.2
				}
				if b[i].Pose.Pos.Sub(start[i].Pose.Pos).Len() > 0.5 {
					moved++
				}
			}
			for p := range at {
				if at[p] && first[p] < 0 {
					first[p] = tick
				}
			}
			if at[0] && at[1] {
				both++
			}
			tick++
		})
		t.Logf("%d ticks late: they arrive in ticks %v and push together in %d ticks, %d cubes moved", late, first, both, moved)
		if gap := first[0] - first[1]; both < 300 || moved < 40 || gap > 30 || gap < -30 {
			t.Errorf("%d ticks late: they arrive in ticks %v and push together in %d ticks, %d cubes moved", late, first, both, moved)
		}
	}
}

// TestBreak checks that most pucks move by a metre or more, and none across the rails.
func TestBreak(t *testing.T) {
	for _, late := range inputDelays() {
		var sc *sim.Scene
		var ended []sim.Body
		stepTape(t, "billiards-break", late, func(w *predict.World, _ []sim.Input) { sc, ended = w.Scene(), w.Bodies() })
		moved, out := 0, 0
		for i := sc.Players; i < len(ended); i++ {
			p := ended[i].Pose.Pos
			if p.Sub(sc.Boxes[i].Start.Pose.Pos).Len() >= 1 {
				moved++
			}
			if geom.Abs(p.X) > 5 || geom.Abs(p.Y) > 10 {
				out++
			}
		}
		t.Logf("break, %d ticks late: %d of %d pucks moved by a metre, %d are outside", late, moved, len(ended)-1, out)
		if moved < 12 || out > 0 {
			t.Errorf("%d ticks late: %d pucks moved, %d are outside", late, moved, out)
		}
	}
}

// TestChains checks that the chain sleeps at the first input, that the rolling cube drags all
// of it around the circle, that the hovering cube lifts a part of it and swings it, and that
// joints separate only a little.
func TestChains(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		lifted, fewest int // ticks with rods a metre above the ground, and the number of those rods
	}{{"chain-tow", 0, 0}, {"chain-swing", 600, 2}} {
		for _, late := range inputDelays() {
			var round, ends winding
			tick, lifted, moved := 0, 0, 0
			torn := float32(0)
			var from geom.Vec3
			stepTape(t, c.name, late, func(w *predict.World, _ []sim.Input) {
				b := w.Bodies()
				last := len(b) - 1
				if tick++; tick == chainAsleepTick {
					for i := range b {
						if !b[i].Asleep {
							t.Errorf("%s, %d ticks late: body %d is awake", c.name, late, i)
						}
					}
					from = b[last].Pose.Pos
				}
				round.add(b[0].Pose.Pos.Sub(geom.Vec3{Y: 5}))
				ends.add(b[last].Pose.Pos.Sub(geom.Vec3{Y: 5}))
				up := 0
				for i := 1; i <= last; i++ {
					if b[i].Pose.Pos.Z > 1 {
						up++
					}
				}
				if up >= max(c.fewest, 1) {
					lifted++
				}
				if tick > chainAsleepTick && b[last].Pose.Pos.Sub(from).Len() > 1 {
					moved++
				}
				for i := range w.Scene().Joints {
					x, y := w.JointAnchors(i)
					torn = max(torn, x.Sub(y).Len())
				}
			})
			t.Logf("%s, %d ticks late: %.2f times round, its end %.2f, %d ticks lifted, the end moved in %d, torn %.4f m", c.name, late, round.sum, ends.sum, lifted, moved, torn)
			if torn > 0.02 || moved < 300 || lifted < c.lifted || c.name == "chain-tow" && (round.sum < 2 || lifted > 300) {
				t.Errorf("%s, %d ticks late: %.2f times round, %d ticks lifted, the end moved in %d, torn %.4f m", c.name, late, round.sum, lifted, moved, torn)
			}
		}
	}
}

// TestHaul checks that the sled drives and stops, three times or more, and keeps its cube.
func TestHaul(t *testing.T) {
	for _, late := range inputDelays() {
		stops, fast, distance := 0, false, float32(0)
		var start []sim.Body
		stepTape(t, "haul", late, func(w *predict.World, _ []sim.Input) {
			b := w.Bodies()
			if start == nil {
				start = slices.Clone(b)
			}
			distance = max(distance, b[1].Pose.Pos.Sub(b[0].Pose.Pos).Len())
			switch v := b[0].Linear.Len(); {
			case v > 3:
				fast = true
			case b[0].Asleep && fast:
				fast, stops = false, stops+1
			}
		})
		t.Logf("%d ticks late: stopped %d times, the cube at most %.2f m from the centre of the sled", late, stops, distance)
		if stops < 3 || distance > start[1].Pose.Pos.Sub(start[0].Pose.Pos).Len()+0.1 {
			t.Errorf("%d ticks late: stopped %d times, the cube at most %v m from the centre of the sled", late, stops, distance)
		}
	}
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
			poses := make([]geom.Pose, len(b))
			for i := range b {
				poses[i] = b[i].Pose
			}
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
		t.Logf("%d ticks late: %d shots, %d hits %v, at up to %v m/s, hidden for %d ticks", late, fired, n, hit, fast, hidden)
		if fired != 97 || len(hit) != 5 || n < 20 || fast < 9 || hidden < 30 || moved > 0.02 {
			t.Errorf("%d ticks late: %d shots, %d hits %v, at up to %v m/s, hidden for %d ticks, the first player moved %v m", late, fired, n, hit, fast, hidden, moved)
		}
	}
}
